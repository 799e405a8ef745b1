from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from shiftproof.shift._decide import Evidence, decide
from shiftproof.shift._words import reason_sentences

QUIET = Evidence(
    p_none=0.6,
    p_prevalence=0.7,
    p_prior=0.5,
    p_covariate=0.4,
    gain=0.1,
    training=np.array([0.7, 0.3]),
    shares=np.array([0.69, 0.31]),
    errors=np.array([0.02, 0.02]),
    entropy=0.1,
    outside=0.01,
    correlation_change=0.0,
    new_values=0.0,
    mean_new_values=0.0,
    n_reference=1000,
    n_current=500,
)
MOVED = replace(QUIET, p_none=1e-9, p_prevalence=1e-9, shares=np.array([0.4, 0.6]))
SELECTED = replace(QUIET, p_none=1e-9, p_prior=1e-9)


@pytest.mark.parametrize(
    ("evidence", "kind", "reason"),
    [
        (QUIET, "none", "A change in class proportions of more than 0.04 would have been detected."),
        (
            replace(QUIET, errors=np.array([0.06, 0.06])),
            "none",
            "The features say too little about the classes to rule out that class proportions changed by up to 0.11.",
        ),
        (
            replace(QUIET, errors=np.array([0.06, 0.06]), n_current=200),
            "unclear",
            "No difference was detected (p = 0.6), but class proportions could have changed by up to 0.11.",
        ),
        (replace(QUIET, p_none=0.03), "unclear", "The signs of a shift are weak (p = 0.03)."),
        (MOVED, "prior", "Different class proportions explain that (p = 0.5)."),
        (
            replace(MOVED, p_prior=0.03),
            "unclear",
            "The tables differ (p < 0.001), and different class proportions explain that poorly (p = 0.03).",
        ),
        (
            replace(MOVED, p_prevalence=0.02),
            "unclear",
            "The tables differ (p < 0.001), and different class proportions could explain that (p = 0.5), but the "
            "proportions hardly changed (p = 0.02, largest change 0.30).",
        ),
        (
            replace(MOVED, shares=np.array([0.66, 0.34])),
            "unclear",
            "The tables differ (p < 0.001), and different class proportions could explain that (p = 0.5), but the "
            "proportions hardly changed (p < 0.001, largest change 0.04).",
        ),
        (SELECTED, "covariate", "Weighting the labelled rows explains the difference (p = 0.4)."),
        (
            replace(SELECTED, p_covariate=0.001),
            "unclear",
            "The tables differ (p < 0.001). Different class proportions alone do not explain that (p < 0.001). "
            "Weighting the labelled rows does not explain the difference either (p = 0.001).",
        ),
        (
            replace(SELECTED, gain=8.0),
            "unclear",
            "The tables differ (p < 0.001). Different class proportions alone do not explain that (p < 0.001). "
            "Weighting combined with different class proportions fits better than weighting alone (log-likelihood "
            "+8.0).",
        ),
        (replace(QUIET, n_current=19), "unclear", "With only 19 new rows, the type of shift cannot be determined."),
        (
            replace(QUIET, training=np.array([0.998, 0.002])),
            "unclear",
            "A class has only 2 labelled rows; merge it with another class, or label more.",
        ),
        (
            replace(QUIET, entropy=1.3),
            "too different",
            "Only 27% of the labelled rows resemble the new data (at least 30% are needed).",
        ),
        (
            replace(MOVED, outside=0.2),
            "too different",
            "20% of new rows have no similar labelled row (limit 10%).",
        ),
        (
            replace(SELECTED, correlation_change=0.3),
            "too different",
            "The features are correlated differently (change 0.30, limit 0.14).",
        ),
        (
            replace(SELECTED, new_values=0.9, mean_new_values=0.1),
            "too different",
            "In 90% of new rows, one column has a value that the labelled data do not cover (limit 85%).",
        ),
        (
            replace(SELECTED, new_values=0.5, mean_new_values=0.3),
            "too different",
            "30% of all values in the new data are not covered by the labelled data (limit 25%).",
        ),
    ],
)
def test_decide_gives_every_answer_with_its_reason(evidence: Evidence, kind: str, reason: str) -> None:
    answer, reasons = decide(evidence)
    assert answer == kind
    assert reason_sentences(reasons, evidence)[-1] == reason


def test_one_row_outside_of_five_is_an_accident_and_three_are_not() -> None:
    few = replace(QUIET, n_current=5)
    assert decide(replace(few, outside=0.2))[0] == "unclear"
    assert decide(replace(few, outside=0.6))[0] == "too different"


def test_a_small_reference_has_many_rows_outside_it() -> None:
    few = replace(QUIET, n_reference=20, outside=0.2)
    assert decide(replace(few, n_current=40))[0] != "too different"
    assert decide(replace(few, n_current=40, n_reference=1000))[0] == "too different"


def test_the_gain_may_grow_with_the_new_rows() -> None:
    assert decide(replace(SELECTED, gain=8.0, n_current=2000))[0] == "covariate"


@pytest.mark.parametrize(
    ("change", "foreign"),
    [
        ({}, False),
        ({"outside": 0.5, "entropy": 4.0}, False),
        ({"outside": 0.9}, True),
        ({"outside": 0.15, "entropy": 0.01}, True),
        ({"outside": 0.15, "entropy": 0.5}, False),
        ({"correlation_change": 0.2}, True),
        ({"new_values": 0.9}, True),
        ({"mean_new_values": 0.3}, True),
        ({"mean_new_values": 0.3, "n_reference": 19}, False),
    ],
)
def test_foreign_tables_are_not_the_same_kind_of_data(change: dict[str, float], foreign: bool) -> None:
    evidence = replace(QUIET, **change)  # type: ignore[arg-type]
    assert evidence.foreign == foreign
    assert not foreign or decide(evidence)[0] == "too different"


def test_familiar_data_are_not_foreign() -> None:
    far = replace(QUIET, correlation_change=0.3, outside=0.15, entropy=1.0)
    assert far.foreign_by == {"correlation_change": 0.3}
    assert far.foreign
    assert not replace(far, familiar=True).foreign
    assert decide(replace(far, familiar=True))[0] == "too different"
