"""The verdict follows from losses and changes; reasons carry numbers and lead somewhere."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from tests.auditing.cases import audited

from shiftproof.auditing import Audit
from shiftproof.core import Interval, Note
from shiftproof.selection._estimate_result import REFUSED
from shiftproof.shift import Kind

QUIET, MOVED = "none", "prior"


def expecting(estimate: float, low: float, high: float, *, kind: str = QUIET, **changed: Any) -> Audit:
    """Take an audit with another estimate for the recommended model, whose validated accuracy is 0.8."""
    found = audited(kind)[0]
    performance, best = found.performance, found.best
    interval = Interval(estimate=estimate, low=low, high=high, level=0.9, method="routed pool")
    each = replace(performance.estimates[best]["accuracy"], interval=interval, validated=0.8)
    every = dict(performance.estimates) | {best: dict(performance.estimates[best]) | {"accuracy": each}}
    return replace(found, performance=replace(performance, estimates=every), **changed)


@pytest.mark.parametrize(
    ("estimate", "low", "high", "verdict"),
    [
        (0.80, 0.77, 0.83, "trust"),
        (0.80, 0.74, 0.86, "trust with care"),  # harm cannot be ruled out
        (0.77, 0.76, 0.79, "trust with care"),  # a sure loss, a small one
        (0.74, 0.70, 0.79, "do not trust"),  # a sure loss of more than the tolerance
        (0.74, 0.66, 0.82, "trust with care"),  # a likely one
        (0.90, 0.88, 0.92, "trust"),  # better than validated
        (math.nan, math.nan, math.nan, "do not trust"),
    ],
)
def test_losses_decide(estimate: float, low: float, high: float, verdict: str) -> None:
    found = expecting(estimate, low, high)
    assert found.verdict == verdict
    assert found.headline.lower().startswith(verdict)


def test_changes_need_care_however_good_the_estimate() -> None:
    assert expecting(0.8, 0.78, 0.82, kind=MOVED).verdict == "trust with care"


def test_odd_data_need_care_and_come_first() -> None:
    notes = (Note(code="new rows copied", detail="33.3%"), Note(code="label given away", subject="paid"))
    odd = expecting(0.8, 0.78, 0.82, cautions=notes)
    assert odd.verdict == "trust with care"
    assert [reason.text for reason in odd.reasons][:2] == [
        "33.3% of the new rows are exact copies of labelled rows; check that the tables are right.",
        "The column 'paid' determines every label; exclude it if it is known only with the label.",
    ]


def test_reversed_scores_of_the_best_model_are_not_trusted() -> None:
    best = expecting(0.8, 0.78, 0.82).best
    found = expecting(0.8, 0.78, 0.82, cautions=(Note(code="scores reversed", subject=best),))
    assert found.verdict == "do not trust"
    assert found.reasons[0].text.startswith(f"'{best}' ranks the classes in reverse")
    other = (Note(code="scores reversed", subject="other"),)
    assert expecting(0.8, 0.78, 0.82, cautions=other).verdict == "trust with care"


def test_headline_and_reason_of_an_estimate_above_the_validated_figure() -> None:
    found = expecting(0.9, 0.88, 0.92)
    assert "at least as good as cross-validation estimates" in found.headline
    words = " ".join(reason.text for reason in found.reasons)
    assert "cross-validation estimates 80.0%, which is too pessimistic." in words
    assert "optimistic" not in words


def test_few_rows_are_no_harm_yet() -> None:
    found = expecting(math.nan, math.nan, math.nan)
    best = found.best
    refused = replace(found.interval, method=REFUSED)
    each = replace(found.performance.estimates[best]["accuracy"], interval=refused)
    every = dict(found.performance.estimates) | {best: dict(found.performance.estimates[best]) | {"accuracy": each}}
    few = replace(found, performance=replace(found.performance, n_new=5, estimates=every))
    assert few.headline == (
        f"Do not trust {best} yet: its accuracy on the new data cannot be estimated. "
        "5 new rows cannot show what shifted; at least 20 are needed."
    )


def test_scores_alone_are_changed_where_a_shift_is_seen() -> None:
    found = audited(QUIET)[0]
    alone, shift = replace(found, detection=None), found.selection.shift
    cases: list[tuple[Kind, float, bool]] = [("none", 0.3, False), ("unclear", 0.3, False), ("prior", 0.001, True)]
    for kind, p_none, changed in cases:
        other = replace(shift, kind=kind, evidence=replace(shift.evidence, p_none=p_none))
        assert replace(alone, selection=replace(found.selection, shift=other)).changed is changed


def test_low_confidence_needs_care() -> None:
    found = expecting(0.8, 0.78, 0.82)
    unsure = replace(found, performance=replace(found.performance, confidence="low"))
    assert found.verdict == "trust"
    assert unsure.verdict == "trust with care"


def test_tolerance_is_the_users() -> None:
    assert expecting(0.74, 0.70, 0.79, tolerance=0.15).verdict == "trust with care"
    assert expecting(0.79, 0.785, 0.795, tolerance=0.005).verdict == "do not trust"


def test_lower_is_better_for_errors() -> None:
    found = audited(QUIET)[0]
    best = found.best
    validated = found.performance.estimates[best]["brier"].validated
    worse = replace(found, measure="brier")
    interval = Interval(estimate=validated + 0.1, low=validated + 0.08, high=validated + 0.12, level=0.9, method="")
    each = replace(found.performance.estimates[best]["brier"], interval=interval)
    every = dict(found.performance.estimates) | {best: dict(found.performance.estimates[best]) | {"brier": each}}
    worse = replace(worse, performance=replace(found.performance, estimates=every))
    assert worse.loss == pytest.approx(0.1)
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
    assert "Cross-validation estimates" in words
    assert "accuracy on the new data cannot be estimated" in words
    assert "The labelled data don't cover the new data" in words
    assert "the new data are too different to estimate accuracy" in found.headline


def test_quiet_reasons_say_that_nothing_changed() -> None:
    found = audited("none")[0]
    words = " ".join(reason.text for reason in found.reasons)
    assert "None of 3 features shifted by enough to matter." in words
    assert {reason.tone for reason in found.reasons} <= {"good", "unknown"}
