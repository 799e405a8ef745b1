"""The verdict follows from losses and changes; reasons carry numbers and lead somewhere."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.auditing.cases import MOVED, QUIET, audited, expecting, with_estimate

from shiftproof.auditing import Audit
from shiftproof.auditing._next_step import what_to_do
from shiftproof.auditing._result import Stage
from shiftproof.auditing._verdict import _share, _type_of_shift
from shiftproof.auditing._words import impossible_count_text, lost
from shiftproof.case import NormalMixture
from shiftproof.core import Interval, Note
from shiftproof.counting import Unclipped
from shiftproof.detection import Suspicion
from shiftproof.selection import BLIND
from shiftproof.selection._estimate_result import REFUSED
from shiftproof.shift import Kind


@pytest.mark.parametrize(
    ("estimate", "low", "high", "verdict"),
    [
        (0.80, 0.77, 0.83, "trust"),
        (0.80, 0.74, 0.86, "trust"),  # a loss above the tolerance has a chance of 9%
        (0.80, 0.72, 0.88, "check first"),  # of 15%
        (0.77, 0.76, 0.79, "trust"),  # a sure loss within the tolerance
        (0.74, 0.70, 0.79, "do not trust"),  # a sure loss, probably above the tolerance
        (0.76, 0.66, 0.86, "check first"),  # as likely below as above
        (0.70, 0.66, 0.74, "do not trust"),  # the whole interval is below the tolerance
        (0.55, 0.40, 0.74, "do not trust"),
        (0.90, 0.88, 0.92, "trust"),  # better than validated
        (math.nan, math.nan, math.nan, "cannot tell"),
    ],
)
def test_decide_by_the_chance_of_a_loss(estimate: float, low: float, high: float, verdict: str) -> None:
    found = expecting(estimate, low, high)
    assert found.verdict == verdict
    assert found.headline.lower().startswith(verdict)


def test_changes_alone_do_not_speak_against_a_model() -> None:
    assert expecting(0.8, 0.78, 0.82, kind=MOVED).verdict == "trust"


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(0.86, 0.9, "trust"), (0.7, 0.74, "do not trust"), (0.7, 0.9, "check first")]
)
def test_where_no_chance_is_known_the_interval_decides(low: float, high: float, verdict: str) -> None:
    interval = Interval(estimate=(low + high) / 2, low=low, high=high, level=0.9, method="routed pool")
    found = with_estimate(audited(QUIET)[0], "precision", interval=interval, validated=0.85)
    precise = replace(found, measure="precision")
    assert math.isnan(precise.loss_chance)
    assert precise.verdict == verdict


def test_odd_data_need_care_and_come_first() -> None:
    notes = (Note(code="new rows copied", detail="33.3%"), Note(code="label given away", subject="paid"))
    odd = expecting(0.8, 0.78, 0.82, cautions=notes)
    assert odd.verdict == "check first"
    assert [reason.text for reason in odd.reasons][:2] == [
        "33.3% of the new rows are exact copies of labelled rows; check that the tables are right.",
        "The column 'paid' determines every label; exclude it if its values become known only with the label.",
    ]


def test_reversed_scores_of_the_best_model_are_not_trusted() -> None:
    best = expecting(0.8, 0.78, 0.82).best
    found = expecting(0.8, 0.78, 0.82, cautions=(Note(code="scores reversed", subject=best),))
    assert found.verdict == "do not trust"
    assert found.reasons[0].text.startswith(f"'{best}' ranks the classes in reverse")
    other = (Note(code="scores reversed", subject="other"),)
    assert expecting(0.8, 0.78, 0.82, cautions=other).verdict == "check first"


def test_headline_of_every_verdict() -> None:
    best = expecting(0.8, 0.78, 0.82).best
    headlines = {
        (0.80, 0.78, 0.82): f"Trust {best} on the new data: expect 78.0% to 82.0% accuracy; cross-validation estimates "
        "80.0%. The chance that it loses more than 5 points is below 1%.",
        (0.76, 0.70, 0.79): f"Check first: expect 70.0% to 79.0% accuracy from {best} on the new data; "
        "cross-validation estimates 80.0%. The chance that it loses more than 5 points is 39%.",
        (0.74, 0.68, 0.79): f"Do not trust {best} on the new data: the chance that it loses more than 5 points is 63%. "
        "Cross-validation estimates 80.0%; on the new data expect 68.0% to 79.0%.",
        (0.70, 0.68, 0.725): f"Do not trust {best} on the new data: expect a loss of 7.5 to 12.0 points of accuracy. "
        "Cross-validation estimates 80.0%; on the new data expect 68.0% to 72.5%.",
    }
    for figures, words in headlines.items():
        assert expecting(*figures).headline == words


def test_reason_of_an_estimate_above_the_validated_figure() -> None:
    words = " ".join(reason.text for reason in expecting(0.9, 0.88, 0.92).reasons)
    assert "Cross-validation is too pessimistic." in words
    assert "optimistic" not in words


def against_baseline(probability: float, **changed: Any) -> Audit:
    """Take an audit whose recommended model beats the majority class with this probability."""
    found = expecting(0.8, 0.78, 0.82)
    baseline = replace(found.performance.baseline, beaten_by={found.best: probability}, **changed)
    return replace(found, performance=replace(found.performance, baseline=baseline))


def test_estimate_stands_beside_the_baseline() -> None:
    words = " ".join(reason.text for reason in against_baseline(0.95).reasons)
    figures = r"\d\d\.\d% \(\d\d\.\d% to \d\d\.\d%\)"
    assert re.search(rf"Always answering 'no' would be right for {figures} of the new rows\.", words)


@pytest.mark.parametrize(
    ("probability", "share", "better"),
    [
        (0.8, 0.6, "not clearly better"),
        (0.4, 0.6, "not clearly better"),
        (0.8, 0.8, "no better"),
    ],
)
def test_trusted_model_that_does_not_beat_the_baseline_says_so(probability: float, share: float, better: str) -> None:
    interval = Interval(estimate=share, low=0.5, high=0.9, level=0.9, method="student")
    found = against_baseline(probability, interval=interval)
    assert found.verdict == "trust"
    assert found.headline == (
        "Trust the figures for nb on the new data: expect 78.0% to 82.0% accuracy; cross-validation estimates 80.0%. "
        f"The chance that it loses more than 5 points is below 1%. But nb is {better} than always answering 'no'."
    )
    right = f"Always answering 'no' would be right for {share:.1%} (50.0% to 90.0%) of the new rows."
    assert found.reasons[0].text == right
    assert found.reasons[0].tone == "care"


@pytest.mark.parametrize(
    ("others", "why"),
    [(0.0, "gives this answer for every new row."), (0.05, "answers differently for only 5.0% of the new rows.")],
)
def test_model_that_answers_as_the_baseline_does_says_so(others: float, why: str) -> None:
    interval = Interval(estimate=0.7, low=0.5, high=0.9, level=0.9, method="student")
    found = against_baseline(0.5, interval=interval, other_answers={"nb": others})
    assert found.reasons[0].text == (
        f"Always answering 'no' would be right for 70.0% (50.0% to 90.0%) of the new rows. nb {why}"
    )


def test_baseline_of_the_labelled_data_is_called_so_where_the_share_is_refused() -> None:
    nothing = Interval(estimate=math.nan, low=math.nan, high=math.nan, level=0.9, method="refused")
    found = against_baseline(math.nan, interval=nothing)
    assert found.new_baseline is None
    assert "Always answering 'no' would be right for 60.0% of the labelled rows." in found.summary()
    beaten = against_baseline(math.nan, interval=nothing, validated_beaten_by={found.best: 0.02})
    assert beaten.headline.endswith(f" But {found.best} is worse than always answering 'no'.")
    equal = against_baseline(math.nan, interval=nothing, validated_beaten_by={found.best: 0.3})
    assert equal.headline.endswith(f" But {found.best} is no better than always answering 'no'.")


@pytest.mark.parametrize(("cost", "says_so"), [(1.0, True), (3.0, False)])
def test_profit_of_equal_errors_is_compared_with_the_baseline(cost: float, says_so: bool) -> None:
    found = against_baseline(0.5)
    decided = found.performance.decided["nb"]["accuracy"]
    # Right decisions bring nothing; a missed row of the second class costs as much as a false alarm, or more.
    worth = np.where(np.arange(2) == decided.decisions[:, None], 0.0, [-1.0, -cost])
    by_profit = {"nb": {"profit": replace(decided, worth=worth)}}
    judged = with_estimate(found, "profit", interval=found.interval)
    judged = replace(judged, measure="profit", performance=replace(judged.performance, decided=by_profit, stake=1.0))
    assert judged.errors_cost_the_same is says_so
    words = "nb is no better on the new data than always answering 'no'."
    assert (words in [reason.text for reason in judged.reasons]) is says_so


def test_count_without_information_is_no_reason() -> None:
    found = against_baseline(0.8)
    anything = Interval(estimate=0.363, low=0.0, high=1.0, level=0.9, method="")
    counts = replace(found.quantification, prevalence=dict.fromkeys(found.quantification.classes, anything))
    vague = replace(found, quantification=counts)
    assert not counts.usable
    assert [reason.section for reason in _share(found)] == ["prevalence"]
    assert [*_share(vague)] == []


def all_labelled(found: Audit) -> Audit:
    """Take an audit as if the label of every new row had been given."""
    performance = found.performance
    return replace(found, performance=replace(performance, labelled=np.arange(performance.n_new)))


def test_known_labels_leave_nothing_to_count_to_hide_or_to_be_blind_to() -> None:
    found = expecting(0.8, 0.78, 0.82)
    unclear = replace(found.selection, shift=replace(found.shift, kind="unclear"))
    hiding = replace(found, selection=unclear)
    assert "without a sign" in hiding.summary()
    assert BLIND in hiding.summary()
    known = all_labelled(hiding)
    assert "without a sign" not in known.summary()
    assert BLIND not in known.summary()
    assert [*_share(known)] == [*_type_of_shift(known)] == []


def test_auc_joins_the_accuracy_where_one_class_is_rare() -> None:
    assert against_baseline(0.95).second_measure is None
    rare = against_baseline(0.95, validated=0.8)
    assert rare.second_measure == "auc"
    words = next(reason.text for reason in rare.reasons if reason.text.startswith("The best estimate"))
    assert re.search(r"AUC: 0\.\d{3} to 0\.\d{3} \(cross-validation 0\.\d{3}\)\.$", words)
    assert replace(rare, measure="brier").second_measure is None


NOTHING = Interval(estimate=math.nan, low=math.nan, high=math.nan, level=0.9, method="not defined")


def test_second_measure_without_a_value_is_left_out() -> None:
    rare = against_baseline(0.95, validated=0.8)
    assert "AUC" not in with_estimate(rare, "auc", interval=NOTHING).summary()
    assert "(cross-validation not defined)." in with_estimate(rare, "auc", validated=math.nan).summary()


def test_validated_figure_without_a_value_is_called_undefined() -> None:
    found = replace(with_estimate(audited(QUIET)[0], "f1", validated=math.nan), measure="f1")
    assert found.headline == f"Cannot tell whether to trust {found.best} on the new data: its F1 is not defined."
    assert f"On the labelled data F1 is not defined for {found.best}." in [reason.text for reason in found.reasons]
    far = replace(with_estimate(audited("nonsense")[0], "f1", validated=math.nan), measure="f1")
    assert far.headline == (
        f"Cannot tell whether to trust {far.best} on the new data: on the labelled data F1 is not defined, and the new "
        "data are too different from the labelled data for an estimate."
    )


def test_lost_says_that_an_error_rises() -> None:
    interval = Interval(estimate=0.45, low=0.395, high=0.513, level=0.9, method="")
    found = replace(with_estimate(audited(QUIET)[0], "error", interval=interval, validated=0.2), measure="error")
    assert lost(found) == "its error is expected to be 19.5 to 31.3 points higher"
    brier = replace(with_estimate(audited(QUIET)[0], "brier", interval=interval, validated=0.2), measure="brier")
    assert lost(brier) == "its Brier score is expected to be worse by 0.195 to 0.313"


@pytest.mark.parametrize(("value", "written"), [(1.39, "139%"), (40.0, "far more than 100%")])
def test_impossible_count_far_outside_has_no_digits(value: float, written: str) -> None:
    found = audited(QUIET)[0]
    count = Unclipped(method="adjusted count", code=1, value=value, low=0.0, high=1.0)
    broken = replace(found, quantification=replace(found.quantification, unclipped=(count,)))
    assert impossible_count_text(broken) == f"Counting class 'yes' fails: it gives {written}, which is impossible."


def test_few_rows_are_no_harm_yet() -> None:
    found = expecting(math.nan, math.nan, math.nan)
    best = found.best
    few = with_estimate(found, "accuracy", interval=replace(found.interval, method=REFUSED))
    few = replace(few, performance=replace(few.performance, n_new=5))
    assert few.headline == (
        f"Cannot tell whether to trust {best} on the new data: its accuracy cannot be estimated. "
        "5 new rows are too few for an estimate; at least 20 are needed."
    )


def test_scores_alone_are_changed_where_a_shift_is_seen() -> None:
    found = audited(QUIET)[0]
    alone, shift = replace(found, detection=None), found.selection.shift
    cases: list[tuple[Kind, float, bool]] = [("none", 0.3, False), ("unclear", 0.3, False), ("prior", 0.001, True)]
    for kind, p_none, changed in cases:
        other = replace(shift, kind=kind, evidence=replace(shift.evidence, p_none=p_none))
        assert replace(alone, selection=replace(found.selection, shift=other)).changed is changed


def test_tolerance_is_the_users() -> None:
    assert expecting(0.70, 0.66, 0.74).verdict == "do not trust"
    assert expecting(0.70, 0.66, 0.74, tolerance=0.15).verdict == "trust"
    assert expecting(0.79, 0.785, 0.795, tolerance=0.005).verdict == "do not trust"


def test_lower_is_better_for_errors() -> None:
    found = audited(QUIET)[0]
    validated = found.performance.estimates[found.best]["brier"].validated
    interval = Interval(estimate=validated + 0.1, low=validated + 0.08, high=validated + 0.12, level=0.9, method="")
    belief = NormalMixture(np.ones(1), np.full((1, 1), interval.estimate), np.full((1, 1, 1), 1e-4))
    worse = replace(with_estimate(found, "brier", interval=interval, belief=belief), measure="brier")
    assert worse.loss == pytest.approx(0.1)
    assert worse.loss_chance > 0.99
    assert worse.verdict == "do not trust"


@pytest.mark.parametrize("kind", ["none", "prior", "nonsense"])
def test_reasons_have_a_number_and_a_place(kind: str) -> None:
    found = audited(kind)[0]
    assert 1 <= len(found.reasons) <= 5
    for reason in found.reasons:
        assert reason.text.endswith(".")
        assert any(letter.isdigit() for letter in reason.text), reason.text
        assert math.isfinite(reason.figure)
        assert reason.name
    page = found.to_page()
    told = {part.anchor for section in page.sections for part in (section, *section.sections)}
    assert {reason.section.anchor for reason in page.reasons} <= told


def test_what_weighs_most_comes_first() -> None:
    tones = [reason.tone for reason in audited("nonsense")[0].reasons]
    assert tones[0] == "bad"
    order = ["bad", "care", "unknown", "good"]
    assert [order.index(tone) for tone in tones] == sorted(order.index(tone) for tone in tones)


def test_refusal_says_what_is_refused_and_why() -> None:
    found = audited("nonsense")[0]
    words = " ".join(reason.text for reason in found.reasons)
    assert "Cross-validation's estimate applies only to data like the labelled rows." in words
    assert "The labelled data don't cover the new data" in words
    assert found.headline == (
        f"Cannot tell whether to trust {found.best} on the new data: cross-validation estimates "
        f"{found.validated:.1%} accuracy, but the new data are too different from the labelled data for an estimate."
    )


def test_quiet_reasons_say_that_nothing_changed() -> None:
    found = audited("none")[0]
    words = " ".join(reason.text for reason in found.reasons)
    assert "None of 3 features shifted enough to matter." in words
    assert {reason.tone for reason in found.reasons} <= {"good", "unknown"}


def test_a_column_that_looks_mishandled_is_the_first_reason_and_asks_for_care() -> None:
    found = expecting(0.80, 0.77, 0.83)
    assert found.verdict == "trust"
    assert found.detection is not None
    months = Suspicion(mishap="unit", features=("one",), factor=12.0, distance=0.9, explained=0.0)
    odd = replace(found, detection=replace(found.detection, suspicions=(months,)))
    assert odd.detection is not None
    assert (odd.verdict, odd.suspects) == ("check first", ("one",))
    assert odd.reasons[0].text == "'one' looks multiplied by 12 in the new data: has its unit changed?"
    assert (odd.reasons[0].section, odd.reasons[0].tone) == ("changed", "bad")
    assert str(what_to_do(odd)) == (
        "First check 'one' in the new data. If there is a mistake, correct it and audit again. If not, go on as "
        "follows. If 77.0% accuracy would still be good enough, use nb. If not, label some new rows "
        "(plan() lists them; on the command line, use --plan FILE)."
    )
    empty = [replace(row, missing_current=1.0) for row in odd.detection.rows if row.feature == "two"]
    both = replace(odd, detection=replace(odd.detection, rows=(*odd.detection.rows, *empty)))
    assert str(what_to_do(both)).startswith(
        "First check 'two', which is empty in the new data, and 'one'. If there is a mistake, correct it and audit "
        "again. If not, go on as follows. If 77.0% accuracy would still be good enough, use nb."
    )
    assert odd.changes[0] == "one"
    assert odd.detection.finding == "No feature changed enough to matter, but 'one' looks wrong."


def test_few_rows_are_no_evidence_that_nothing_shifted() -> None:
    found = audited(QUIET)[0]
    assert found.detection is not None
    unsure = tuple(replace(row, verdict="cannot tell", shifted=False, material=False) for row in found.detection.rows)
    quiet = replace(found.detection, rows=unsure, scores=(), multivariate=None, n_current=3)
    few = replace(found, detection=quiet)
    reason = next(reason for reason in few.reasons if reason.section == "changed")
    assert reason.text == "With only 3 rows, a shift in the 3 features could not be detected."
    assert reason.tone == "unknown"


def test_stages_with_nothing_to_do_are_not_worth_showing() -> None:
    assert not Stage(name="cross-fitting", seconds=0.01).worth_showing
    assert Stage(name="cross-fitting", seconds=0.1).worth_showing
