from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from shiftproof.shift._decide import Evidence, decide

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
    n_reference=1000,
    n_current=500,
)
MOVED = replace(QUIET, p_none=1e-9, p_prevalence=1e-9, shares=np.array([0.4, 0.6]))
SELECTED = replace(QUIET, p_none=1e-9, p_prior=1e-9)


@pytest.mark.parametrize(
    ("found", "kind", "reason"),
    [
        (QUIET, "none", "A change of class shares by more than 0.04 would have been seen."),
        (
            replace(QUIET, errors=np.array([0.06, 0.06])),
            "unclear",
            "No difference was found (p = 0.6), but class shares could have changed by 0.11 unnoticed.",
        ),
        (replace(QUIET, p_none=0.03), "unclear", "There are signs of a shift, but weak ones (p = 0.03)."),
        (MOVED, "prior", "Other class shares explain how (p = 0.5)."),
        (
            replace(MOVED, p_prior=0.03),
            "unclear",
            "The tables differ (p = 1e-09), and other class shares explain that badly (p = 0.03).",
        ),
        (
            replace(MOVED, p_prevalence=0.02),
            "unclear",
            "The tables differ (p = 1e-09) and other class shares explain how (p = 0.5), but the class shares are "
            "much the same (p = 0.02, largest change 0.30).",
        ),
        (
            replace(MOVED, shares=np.array([0.66, 0.34])),
            "unclear",
            "The tables differ (p = 1e-09) and other class shares explain how (p = 0.5), but the class shares are "
            "much the same (p = 1e-09, largest change 0.04).",
        ),
        (SELECTED, "covariate", "Weights of the reference rows by their features can (p = 0.4)."),
        (
            replace(SELECTED, p_covariate=0.001),
            "unclear",
            "The tables differ (p = 1e-09), and other class shares cannot explain how (p = 1e-09); neither can weights "
            "of the reference rows by their features (p = 0.001).",
        ),
        (
            replace(SELECTED, gain=8.0),
            "unclear",
            "The tables differ (p = 1e-09), and other class shares cannot explain how (p = 1e-09); other class shares "
            "explain more than weights alone (gain 8.0).",
        ),
        (replace(QUIET, n_current=19), "unclear", "19 new rows cannot tell kinds of shift apart."),
        (
            replace(QUIET, training=np.array([0.998, 0.002])),
            "unclear",
            "A class with 2 labelled rows is not known well enough; join it with another, or label more.",
        ),
        (
            replace(QUIET, entropy=1.3),
            "too different",
            "To look like the new rows, the reference would have to lean on few of its rows "
            "(entropy 1.30, at most 1.2).",
        ),
        (
            replace(MOVED, outside=0.2),
            "too different",
            "20% of the new rows lie where the reference has none, at most 10%.",
        ),
        (
            replace(SELECTED, correlation_change=0.3),
            "too different",
            "The features go together in another way (correlations changed by 0.30, at most 0.14).",
        ),
    ],
)
def test_every_way_to_an_answer(found: Evidence, kind: str, reason: str) -> None:
    answer, reasons = decide(found)
    assert answer == kind
    assert reasons[-1] == reason


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
