"""The sentences about class proportions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from tests.quantification.cases import interval, made, refused
from tests.selection.cases import shift_kind

import shiftproof as sp
from shiftproof.core import Note
from shiftproof.counting import NONE_QUALIFIES
from shiftproof.counting._assumption import MixtureFit, Unclipped
from shiftproof.quantification._result import ShareErrors
from shiftproof.quantification._words import how_estimated, legend, note_clause, what_is_assumed


def test_summary_of_scores_alone() -> None:
    assert made().summary() == (
        "About 40.0% of 50 new rows are in class 'yes' (90% interval 30.0% to 50.0%), compared with 10.0% of the "
        "labelled rows. Only the scores could be used to check whether only the class proportions changed; nothing "
        "in them "
        "speaks against it (no features). Other methods that correct for a change give 35.0% to 42.0%; plain "
        "counting, which "
        "is biased, gives 25.0%."
    )
    assert made().headline == "40.0% (30.0% to 50.0%) of the new rows are in class 'yes'"


def test_summary_and_concerns_of_a_broken_assumption() -> None:
    beyond = Unclipped(method="adjusted count", code=1, value=1.2, low=0.9, high=1.1)
    again = Unclipped(method="median sweep", code=1, value=1.15, low=0.9, high=1.1)
    result = refused(unclipped=(beyond, again), fit=MixtureFit(distance=0.12, p_value=1 / 201))
    assert result.assumption == "broken"
    assert result.tone == "bad"
    assert result.headline == "The share of class 'yes' in the new data cannot be estimated"
    assert result.concerns == (
        "The adjusted count of class 'yes' is 120%, which is impossible and too far above 100% to be chance. The "
        "same is true of the median sweep.",
        "No mix of the classes could produce these scores (KS distance 0.12, p < 0.005).",
    )
    assert result.summary() == (
        "The share of class 'yes' in the new data cannot be estimated: all methods assume that only the class "
        f"proportions changed, which is not the case here. {' '.join(result.concerns)} For an estimate, label some new "
        "rows drawn at random, and pass their labels: labels in Python, --labels on the command line."
    )


def test_summary_of_a_broken_assumption_that_the_interval_allows_for() -> None:
    result = made(
        method="routed pool",
        assume="natural",
        errors={"no": ShareErrors(sampling=0.02, drift=0.05), "yes": ShareErrors(sampling=0.02, drift=0.05)},
        fit=MixtureFit(distance=0.12, p_value=1 / 201),
    )
    assert result.headline == "40.0% (30.0% to 50.0%) of the new rows are in class 'yes'"
    assert result.summary() == (
        "About 40.0% of 50 new rows are in class 'yes' (90% interval 30.0% to 50.0%), compared with 10.0% of the "
        "labelled rows. Sampling alone would give 36.7% to 43.3%; the rest of the interval allows for natural drift. "
        "More than the class proportions changed; the interval allows for that. No mix of the classes could "
        "produce these scores (KS distance 0.12, p < 0.005). Methods that correct for class proportions alone give "
        "35.0% to 42.0%; "
        "plain counting, which is biased, gives 25.0%."
    )


def test_summary_of_another_kind_of_data() -> None:
    foreign = shift_kind(100, 50, np.array([0.5, 0.5]), kind="too different", outside=0.9)
    assert (
        refused(assume="natural", shift=foreign)
        .summary()
        .startswith(
            "The share of class 'yes' in the new data cannot be estimated. The new data are too different from the "
            "labelled data. It is a test. For an estimate, label some new rows"
        )
    )


def test_what_is_assumed_and_how_estimated_name_the_method() -> None:
    assert how_estimated(made()) == (
        "The method 'combined' was applied to the scores of 'lr'. An interval contains all shares that could have "
        "produced the estimate, if only the class proportions changed."
    )
    assert how_estimated(made(method="routed pool", assume="natural")) == (
        "The estimate joins two: the mean of the models' calibrated probabilities, and a count that assumes that only "
        "the class proportions changed. The more the data look like that, the more the count weighs. The intervals "
        "allow for natural drift, as measured on pairs of real tables."
    )
    assert what_is_assumed(made(method="routed pool", assume="natural")) == (
        "Counting methods assume that each class looks the same as before, and that only the class proportions "
        "changed. None of the checks that work without labels contradicts this. The intervals do not assume that "
        "only the class proportions changed."
    )


def test_concerns_name_a_count_below_zero_by_the_positive_class() -> None:
    below = tuple(
        Unclipped(method="adjusted count", code=code, value=value, low=-0.1, high=1.1)
        for code, value in ((0, 1.3), (1, -0.3))
    )
    assert made(unclipped=below).concerns[0] == (
        "The adjusted count of class 'yes' is -30%, which is impossible and too far below 0% to be chance."
    )


@pytest.mark.parametrize(("value", "share"), [(-2.39, "far less than 0%"), (3.1, "far more than 100%")])
def test_concerns_give_no_digits_far_from_a_share(value: float, share: str) -> None:
    count = Unclipped(method="adjusted count", code=1, value=value, low=-0.1, high=1.1)
    assert made(unclipped=(count,)).concerns[0] == (
        f"The adjusted count of class 'yes' is {share}, which is impossible."
    )


def test_summary_without_a_shift_and_with_few_rows() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [600, 400])
    X = rng.normal(size=(1000, 2)) + y[:, None]
    same = sp.quantify(LogisticRegression(), X, y, rng.normal(size=(1000, 2)) + y[:, None])
    assert same.assumption == "fits"
    assert "No shift was found" in same.summary()
    few = sp.quantify(LogisticRegression(), X, y, rng.normal(size=(20, 2)) + 0.6)
    assert few.assumption in ("cannot tell", "fits")
    assert not math.isnan(few.prevalence[1].low)


def test_note_clause_hides_the_error_of_a_model() -> None:
    clause = note_clause(Note(code="model left out", subject="lr", detail="'Oslo' is new"))
    assert str(clause) == "'lr' was left out: 'Oslo' is new"
    assert clause.redacted() == "'lr' was left out: (hidden)"


def test_summary_names_the_other_classes_that_changed_most() -> None:
    shares = {"a": (0.4, 0.1), "b": (0.3, 0.3), "c": (0.2, 0.4), "d": (0.1, 0.2)}
    result = made(
        prevalence={label: interval(now, now - 0.05, now + 0.05) for label, (now, _) in shares.items()},
        training={label: before for label, (_, before) in shares.items()},
        others={"adjusted count": dict.fromkeys(shares, 0.25)},
        unclipped=(),
        positive="a",
    )
    assert (
        "The share of class 'c' went from 40.0% to 20.0% (15.0% to 25.0%); that of class 'd' went from 20.0% to 10.0% "
        "(5.0% to 15.0%); that of class 'b' went from 30.0% to 30.0% (25.0% to 35.0%)." in result.summary()
    )


def test_the_fallback_of_a_method_that_was_not_chosen_is_not_in_the_summary() -> None:
    note = Note(code="method", subject="combined", detail=f"median sweep grid: {NONE_QUALIFIES}")
    assert NONE_QUALIFIES not in made(method="routed pool", notes=(note,)).summary()
    assert NONE_QUALIFIES in made(method="combined", notes=(note,)).summary()


def test_legend_names_method_and_level() -> None:
    assert legend(made()) == "combined, 90% interval"
    assert legend(made(method="routed pool")) == "estimate, 90% interval"
