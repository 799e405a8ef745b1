"""Labels of some new rows: how they are read, textbook formulas, and estimates that stay right whatever shifted."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.selection.cases import decided, draw_codes, estimated, random_posterior, shift_kind

from shiftproof import InputError
from shiftproof.case._blocks import one_hot
from shiftproof.case._labels import (
    Known,
    known_labels,
    one_class_notes,
    sampled,
    sampled_all,
    strata_of,
    warn_of_one_class,
)
from shiftproof.case._soft import SOFT_MEASURES, Decided
from shiftproof.core import Codes, Floats, LabelsOfOneClass, Note
from shiftproof.measures import Benefit, measure
from shiftproof.panel import Panel
from shiftproof.selection import estimate_performance
from shiftproof.selection._plan import OpenRows

YES = np.array(["no", "yes"])


def read(labels: Any, classes: Any = YES, m: int = 4) -> tuple[list[int], list[int]]:
    found = known_labels(labels, np.asarray(classes), m)
    assert len(found) == len(found.rows)
    return found.rows.tolist(), found.codes.tolist()


@pytest.mark.parametrize(
    "labels",
    [
        {3: "no", 1: "yes"},
        {np.int64(3): np.str_("no"), 1: "yes", 2: None},
        {1: "yes", 3: "no", 0: float("nan")},
        [None, "yes", None, "no"],
        (None, "yes", float("nan"), "no"),
        np.array([None, "yes", None, "no"], dtype=object),
        pd.Series([None, "yes", np.nan, "no"]),
        pd.Series([None, "yes", None, "no"], dtype="string"),
        pd.Series([None, "yes", None, "no"], dtype="category", index=[9, 8, 7, 6]),
        pd.Series({3: "no", 1: "yes"}).to_dict(),
        pl.Series([None, "yes", None, "no"]),
    ],
)
def test_labels_of_some_rows(labels: Any) -> None:
    assert read(labels) == ([1, 3], [1, 0])


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (np.array(["yes", "no", "no", "yes"]), YES),
        ([True, False, False, True], [False, True]),
        (np.array([True, False, False, True]), [False, True]),
        (pd.Series([1.0, 0.0, 0.0, 1.0]), [0, 1]),
        ({0: np.int8(7), 1: 3, 2: 3.0, 3: 7}, [3, 7]),
        (pd.Series([1, 0, 0, 1], dtype="Int64"), [0, 1]),
    ],
)
def test_labels_of_every_type(labels: Any, classes: Any) -> None:
    assert read(labels, classes) == ([0, 1, 2, 3], [1, 0, 0, 1])


def test_numbers_with_gaps_are_floats_and_still_found() -> None:
    assert read(pd.Series([np.nan, 1, 0, np.nan]), [0, 1]) == ([1, 2], [1, 0])
    assert read(np.array([np.nan, 2.0, 1.0, 0.0]), [0, 1, 2]) == ([1, 2, 3], [2, 1, 0])


@pytest.mark.parametrize("nothing", [{}, [None] * 4, pd.Series([np.nan] * 4), {2: None}])
def test_no_labels_are_none(nothing: Any) -> None:
    assert read(nothing) == ([], [])


HOW = "labels must be a dict that maps rows to labels, or one label per row, got "


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ({0: "maybe"}, "labels must be classes of y, got 'maybe'; available: 'no', 'yes'."),
        ([None, None, 1, None], "labels must be classes of y, got 1; available: 'no', 'yes'."),
        ({4: "yes"}, "labels must name rows of X_new, 0 to 3, got 4; rows are counted from 0."),
        ({-1: "yes"}, "labels must name rows of X_new, 0 to 3, got -1; rows are counted from 0."),
        ({"1": "yes"}, "labels must name rows of X_new, 0 to 3, got '1'; rows are counted from 0."),
        ({True: "yes"}, "labels must name rows of X_new, 0 to 3, got True; rows are counted from 0."),
        ({1.0: "yes"}, "labels must name rows of X_new, 0 to 3, got 1.0; rows are counted from 0."),
        (["yes"], "labels must have one entry per row of X_new, got 1 for 4 rows; give a dict for some rows."),
        ("yes!", f"{HOW}'yes!'; use None where a label is unknown."),
        (1, f"{HOW}1; use None where a label is unknown."),
    ],
)
def test_wrong_labels_are_told(labels: Any, told: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        read(labels)


@pytest.mark.parametrize("labels", [{0: ["yes"]}, np.array([["yes"], ["no"], ["no"], ["no"]])])
def test_labels_that_are_no_single_values_are_told(labels: Any) -> None:
    with pytest.raises(InputError, match=r"^labels must"):
        read(labels)


@given(m=st.integers(1, 60), k=st.integers(2, 4), seed=st.integers(0, 1000))
def test_strata_are_equally_large_and_go_by_how_sure_the_posterior_is(m: int, k: int, seed: int) -> None:
    posterior = np.round(random_posterior(np.random.default_rng(seed), m, k), 1)
    strata = strata_of(posterior)
    sizes = np.bincount(strata)
    assert len(sizes) == min(5, m)
    assert sizes.max() - sizes.min() <= 1
    sure = posterior.max(axis=1)
    for lower in range(len(sizes) - 1):
        assert sure[strata == lower].max() <= sure[strata == lower + 1].min()


def population(seed: int, m: int = 1000, *, wrong: bool) -> tuple[Codes, Floats, Decided]:
    """Give new rows with a model that is 75% right, and a posterior that is right, or tells nothing of the rows."""
    rng = np.random.default_rng(seed)
    true = random_posterior(rng, m, 2)
    codes = draw_codes(rng, true)
    said = np.where(rng.random((m, 1)) < 0.1, true[:, ::-1], true)
    return codes, rng.permutation(true) if wrong else true, decided(said)


def repeated(
    name: str, codes: Codes, posterior: Floats, what: Decided, *, times: int, count: int = 100
) -> tuple[Floats, Floats, Floats]:
    """Draw rows again and again, label them, and give estimates, their variances and their degrees of freedom."""
    rng, strata = np.random.default_rng(1), strata_of(posterior)
    noise = np.sqrt((posterior * (1 - posterior)).sum(axis=1) / 2)
    planned = OpenRows(noise=noise, strata=strata, belief=None, unit=1.0, level=0.9, limits=(0.0, 1.0))
    found = []
    for _ in range(times):
        rows = planned.draw(count, rng)
        each = sampled(SOFT_MEASURES[name], what, posterior, strata, Known(rows, codes[rows]))
        assert each is not None
        found.append((each.value, each.variance, each.freedom))
    values, variances, freedom = np.array(found).T
    return values, variances, freedom


@pytest.mark.parametrize("wrong", [False, True])
@pytest.mark.parametrize("name", ["accuracy", "brier"])
def test_drawn_rows_give_unbiased_means_and_intervals_that_cover(name: str, wrong: bool) -> None:
    codes, posterior, what = population(3, wrong=wrong)
    true = measure(name, codes, what.probabilities).estimate
    values, variances, freedom = repeated(name, codes, posterior, what, times=500)
    assert values.mean() == pytest.approx(true, abs=3.5 * values.std() / 500**0.5)
    assert variances.mean() == pytest.approx(values.var(), rel=0.2)
    reach = stats.t.ppf(0.95, freedom) * np.sqrt(variances)
    # Squared errors are skewed, which costs a little.
    least = 0.86 if name == "accuracy" else 0.84
    assert least <= (np.abs(values - true) <= reach).mean() <= 0.95


@pytest.mark.parametrize(("name", "wrong"), [("recall", True), ("f1", False), ("auc", True)])
def test_so_do_ratios_with_more_rows(name: str, wrong: bool) -> None:
    codes, posterior, what = population(4, wrong=wrong)
    true = measure(name, codes, what.probabilities).estimate
    values, variances, freedom = repeated(name, codes, posterior, what, times=250, count=200)
    assert values.mean() == pytest.approx(true, abs=0.015)
    reach = stats.t.ppf(0.95, freedom) * np.sqrt(variances)
    assert 0.84 <= (np.abs(values - true) <= reach).mean() <= 0.96


def test_a_posterior_that_knows_makes_labels_worth_more() -> None:
    codes, _, what = population(5, wrong=False)
    knows = 0.98 * one_hot(codes, 2) + 0.01
    blind = np.full((1000, 2), 0.5)
    spreads = [repeated("accuracy", codes, each, what, times=60)[0].std() for each in (knows, blind)]
    assert spreads[0] < spreads[1] / 5


@pytest.mark.parametrize("name", ["accuracy", "error", "precision", "recall", "f1", "auc", "brier"])
def test_all_labels_give_the_measure_itself(name: str) -> None:
    codes, posterior, what = population(6, 200, wrong=True)
    found = sampled(SOFT_MEASURES[name], what, posterior, strata_of(posterior), Known(np.arange(200), codes))
    assert found is not None
    assert found.value == pytest.approx(measure(name, codes, what.probabilities).estimate)
    assert found.variance == pytest.approx(0, abs=1e-12)


def test_three_classes_and_profits() -> None:
    rng = np.random.default_rng(7)
    posterior = random_posterior(rng, 300, 3)
    codes = draw_codes(rng, posterior)
    worth = rng.normal(100, 50, size=(300, 3))
    what = decided(random_posterior(rng, 300, 3), 1, worth)
    everything = Known(np.arange(300), codes)
    found = sampled(SOFT_MEASURES["profit"], what, posterior, strata_of(posterior), everything)
    assert found is not None
    assert found.value == pytest.approx(worth[np.arange(300), codes].mean())
    values, variances, _ = repeated("profit", codes, posterior, what, times=250, count=80)
    assert values.mean() == pytest.approx(found.value, abs=3.5 * values.std() / 250**0.5)
    assert variances.mean() == pytest.approx(values.var(), rel=0.25)


def test_stratified_mean_by_the_textbook() -> None:
    # Cochran (1977), 5.1 and 5.14: with a posterior that says nothing it is the stratified mean of right decisions.
    # Two labels that scatter as the posterior expects, by a variance of 1/4, are added to each stratum's own.
    rng, m = np.random.default_rng(8), 100
    strata = np.repeat([0, 1, 2], [50, 30, 20])
    codes, what = rng.integers(2, size=m), decided(random_posterior(rng, m, 2))
    rows = np.concatenate([np.arange(10), 50 + np.arange(6), 80 + np.arange(4)])
    found = sampled(SOFT_MEASURES["accuracy"], what, np.full((m, 2), 0.5), strata, Known(rows, codes[rows]))
    right = (what.decisions == codes).astype(float)
    value, parts = 0.0, []
    for size, own in ((50, rows[:10]), (30, rows[10:16]), (20, rows[16:])):
        value += size / m * right[own].mean()
        variance = (((right[own] - right[own].mean()) ** 2).sum() + 2 * 0.25) / (len(own) + 1)
        parts.append((size / m) ** 2 * variance / len(own) * (1 - len(own) / size))
    assert found is not None
    assert found.value == pytest.approx(value)
    assert found.variance == pytest.approx(sum(parts))
    # Satterthwaite's degrees of freedom.
    assert found.freedom == pytest.approx(
        sum(parts) ** 2 / sum(p**2 / f for p, f in zip(parts, (11, 7, 5), strict=True))
    )


@pytest.mark.parametrize(
    ("labelled", "joined"),
    [
        ([5, 1, 4], [0, 2, 2]),
        ([5, 0, 5], [0, 2, 2]),
        ([5, 5, 1], [0, 1, 1]),
        ([1, 1, 9], [1, 1, 2]),
        ([9, 1, 1], [0, 2, 2]),
        ([12, 0, 0], [1, 1, 1]),
        ([4, 4, 4], [0, 1, 2]),
    ],
)
def test_strata_with_too_few_labels_are_joined(labelled: list[int], joined: list[int]) -> None:
    rng, m = np.random.default_rng(9), 90
    strata = np.repeat([0, 1, 2], 30)
    posterior, what = random_posterior(rng, m, 2), decided(random_posterior(rng, m, 2))
    rows = np.concatenate([30 * at + np.arange(count) for at, count in enumerate(labelled)]).astype(np.intp)
    known = Known(rows, rng.integers(2, size=len(rows)))
    found = sampled(SOFT_MEASURES["accuracy"], what, posterior, strata, known)
    by_hand = sampled(SOFT_MEASURES["accuracy"], what, posterior, np.array(joined)[strata], known)
    assert found is not None
    assert by_hand is not None
    assert (found.value, found.variance, found.freedom) == (by_hand.value, by_hand.variance, by_hand.freedom)
    assert strata.tolist() == np.repeat([0, 1, 2], 30).tolist()


def test_few_labels_say_nothing_on_their_own() -> None:
    posterior = random_posterior(np.random.default_rng(10), 50, 2)
    strata, what = strata_of(posterior), decided(posterior)
    for count, nothing in ((0, True), (9, True), (10, False)):
        known = Known(np.arange(count), np.arange(count) % 2)
        assert (sampled(SOFT_MEASURES["accuracy"], what, posterior, strata, known) is None) == nothing


def test_labels_that_leave_a_measure_undefined_say_nothing() -> None:
    posterior = random_posterior(np.random.default_rng(11), 50, 2)
    known = Known(np.arange(20), np.zeros(20, dtype=np.int64))
    for name in ("recall", "auc"):
        assert sampled(SOFT_MEASURES[name], decided(posterior), posterior, strata_of(posterior), known) is None


def test_a_sample_without_surprises_is_no_proof() -> None:
    m, count = 100, 20
    posterior = np.tile([1.0, 0.0], (m, 1))
    known = Known(np.arange(0, m, 5), np.zeros(count, dtype=np.int64))
    found = sampled(SOFT_MEASURES["accuracy"], decided(posterior), posterior, np.zeros(m, dtype=np.int64), known)
    assert found is not None
    assert found.value == pytest.approx(1.0)
    # As if half a label had come otherwise.
    assert found.variance == pytest.approx(2.5 / count**2 * (1 - count / m))
    assert found.freedom == count - 1


def test_labels_for_a_model_that_never_acts() -> None:
    rng = np.random.default_rng(12)
    y, said = np.arange(200) % 2, rng.uniform(0.2, 0.6, size=200)
    panel = Panel.from_scores(y, {"timid": said}, new={"timid": said[:100]})
    labels = {row: row % 2 for row in range(0, 100, 3)}
    shift = shift_kind(200, 100, np.array([0.5, 0.5]))
    found = estimated(panel, shift, measures="profit", benefit=Benefit(tp=1, fp=-100), labels=labels)
    interval = found.interval("timid", "profit")
    assert (interval.low, interval.estimate, interval.high) == pytest.approx((0, 0, 0), abs=1e-9)


@pytest.mark.parametrize("name", ["accuracy", "auc"])
def test_errors_of_several_models_go_together_as_drawn_ones_do(name: str) -> None:
    codes, posterior, first = population(13, wrong=True)
    rng, strata = np.random.default_rng(14), strata_of(posterior)
    second = decided(0.6 * first.probabilities + 0.4 * random_posterior(rng, 1000, 2))
    planned = OpenRows(noise=np.full(1000, 0.4), strata=strata, belief=None, unit=1.0, level=0.9, limits=(0.0, 1.0))
    values, covariances = [], []
    for _ in range(300):
        rows = planned.draw(150, rng)
        known = Known(rows, codes[rows])
        found = sampled_all(SOFT_MEASURES[name], [first, second], posterior, strata, known)
        alone = sampled(SOFT_MEASURES[name], second, posterior, strata, known)
        assert found is not None
        assert alone is not None
        assert (found.values[1], found.covariance[1, 1]) == pytest.approx((alone.value, alone.variance))
        values.append(found.values)
        covariances.append(found.covariance)
    assert np.mean(covariances, axis=0) == pytest.approx(np.cov(values, rowvar=False), rel=0.25)
    gap = np.array([1, -1])
    assert gap @ np.mean(covariances, axis=0) @ gap == pytest.approx(np.var(np.array(values) @ gap), rel=0.25)


def test_a_model_whose_measure_is_undefined_leaves_the_others_alone() -> None:
    posterior = random_posterior(np.random.default_rng(15), 50, 2)
    never = decided(np.tile([0.9, 0.1], (50, 1)))
    known = Known(np.arange(20), np.arange(20) % 2)
    strata = strata_of(posterior)
    alone = sampled_all(SOFT_MEASURES["precision"], [decided(posterior)], posterior, strata, known)
    both = sampled_all(SOFT_MEASURES["precision"], [decided(posterior), never], posterior, strata, known)
    assert alone is not None
    assert both is not None
    # Sums over one model and over two take other kernels, so that the last digits may differ.
    assert both.values[0] == pytest.approx(alone.values[0], rel=1e-12)
    assert both.covariance[0, 0] == pytest.approx(alone.covariance[0, 0], rel=1e-9)
    assert np.isnan(both.values[1])


def test_identical_models_have_the_same_error_even_without_surprises() -> None:
    posterior = np.tile([1.0, 0.0], (100, 1))
    known = Known(np.arange(0, 100, 5), np.zeros(20, dtype=np.int64))
    what = [decided(posterior)] * 2
    found = sampled_all(SOFT_MEASURES["accuracy"], what, posterior, strata_of(posterior), known)
    assert found is not None
    gap = np.array([1, -1])
    assert gap @ found.covariance @ gap == pytest.approx(0, abs=1e-12)


def one_class(codes: Any, posterior: Any, prevalence: Any = (0.6, 0.4)) -> list[Note]:
    prospect: Any = SimpleNamespace(
        routes=SimpleNamespace(posterior=np.column_stack([1 - np.asarray(posterior), posterior])),
        candidates=SimpleNamespace(prevalence=np.array(prevalence)),
    )
    return [*one_class_notes(Known(np.arange(len(codes)), np.array(codes)), prospect, ["no", "yes"])]


def test_labels_of_one_class_are_noted_and_warned_of() -> None:
    (note,) = one_class([1] * 20, np.full(100, 0.5))
    with pytest.warns(LabelsOfOneClass) as caught:
        warn_of_one_class([note])
    assert str(caught[0].message) == (
        "all 20 labels of new rows are 'yes', while a random sample would very likely contain other classes. "
        "Choosing rows by their label biases the estimates: label rows drawn at random, or the rows of a plan."
    )


@pytest.mark.parametrize(
    ("codes", "posterior", "prevalence"),
    [
        ([1] * 19 + [0], np.full(100, 0.5), (0.6, 0.4)),
        ([1] * 9, np.full(100, 0.5), (0.6, 0.4)),
        ([1] * 20, np.full(20, 0.5), (0.6, 0.4)),
        ([1] * 20, np.full(100, 0.99), (0.6, 0.4)),
        ([1] * 20, np.full(100, 0.5), (0.01, 0.99)),
    ],
    ids=["both classes", "few labels", "all rows", "sure models", "a rare class"],
)
def test_labels_of_one_class_that_may_be_random(codes: Any, posterior: Any, prevalence: Any) -> None:
    assert one_class(codes, posterior, prevalence) == []


def test_estimate_performance_warns_of_labels_of_one_class() -> None:
    y, y_new = np.arange(200) % 2, np.arange(100) % 2
    rng = np.random.default_rng(0)
    scores = [1 / (1 + np.exp(-(codes - 0.5) - rng.normal(size=len(codes)))) for codes in (y, y_new)]
    panel = Panel.from_scores(y, {"m": scores[0]}, new={"m": scores[1]})
    with pytest.warns(LabelsOfOneClass, match=r"^all 50 labels of new rows are 1, while"):
        performance = estimate_performance(panel, labels=dict.fromkeys(range(1, 100, 2), 1))
    assert "All 50 labels of new rows are 1, while a random" in performance.summary()
