"""From outcomes per cell to answers, by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from shiftproof.core import Floats
from shiftproof.robustness._judge import Verdicts, by_shift
from shiftproof.robustness._measure import Outcome, Outcomes
from shiftproof.simulation import Cell
from shiftproof.stats import wilson

BASE, MAR_A, MAR_B, PRIOR = Cell("base"), Cell("mar", 0.25, "a"), Cell("mar", 0.25, "b"), Cell("prior", 0.2)
CELLS = (BASE, MAR_A, MAR_B, PRIOR)


def outcome(*accuracies: float) -> Outcome:
    return Outcome(values={"accuracy": np.array(accuracies)}, kruskal=0.5, friedman=0.5, n=100)


def verdicts(outcomes: Outcomes) -> Verdicts:
    return Verdicts(outcomes=outcomes, cells=CELLS, base=BASE, level=0.9, alpha=0.05)


ONE = verdicts({("m", cell): outcome(value) for cell, value in zip(CELLS, (0.8, 0.6, 0.9, 0.5), strict=True)})


def values(array: Floats) -> Any:
    return array.tolist()


def test_by_shift_joins_features_of_one_family_and_strength() -> None:
    assert by_shift(CELLS[1:]) == {("mar", 0.25): [MAR_A, MAR_B], ("prior", 0.2): [PRIOR]}


def test_index_averages_absolute_changes_of_each_shift_first() -> None:
    of_mar, of_prior = (0.2 + 0.1) / 2, 0.3
    assert values(ONE.index("m", CELLS[1:], "accuracy")) == pytest.approx([(of_mar + of_prior) / 2])


def test_expected_counts_the_base_like_a_family() -> None:
    assert values(ONE.expected("m", CELLS[1:])) == pytest.approx([(0.8 + (0.6 + 0.9) / 2 + 0.5) / 3])


def test_mean_leaves_out_cells_without_a_value() -> None:
    some = verdicts({("m", BASE): outcome(0.8), ("m", MAR_A): outcome(math.nan), ("m", MAR_B): outcome(0.4)})
    assert values(some.mean("m", [MAR_A, MAR_B], "accuracy")) == [0.4]
    assert some.scored_cells("m") == [MAR_A, MAR_B]


def test_interval_is_normal_with_the_spread_of_the_resamples() -> None:
    resamples = np.array([0.7, 0.8, 0.9, 0.75])
    interval = ONE.interval(np.array([0.8, *resamples]))
    margin = stats.norm.ppf(0.95) * resamples.std(ddof=1)
    assert (interval.low, interval.high) == pytest.approx((0.8 - margin, 0.8 + margin))


def test_rate_of_resamples_that_do_not_vary_is_wilsons() -> None:
    interval, expected = ONE.rate(np.ones(20), 50), wilson(50, 50, level=0.9)
    assert (interval.low, interval.high) == (expected.low, expected.high)


def test_leads_name_models_within_noise_and_skip_those_that_score_no_shift() -> None:
    rng = np.random.default_rng(0)
    noise = 0.01 * rng.normal(size=50)
    steady, rival = np.array([0.8, *(0.8 + noise)]), np.array([0.79, *(0.79 + 0.02 * rng.normal(size=50))])
    outcomes: Outcomes = {}
    for cell in CELLS:
        outcomes["steady", cell] = outcome(*steady)
        outcomes["rival", cell] = outcome(*rival)
    outcomes["stuck", BASE] = outcome(*(steady + 0.15))
    leads = verdicts(outcomes).leads(["steady", "rival", "stuck"])
    assert leads["most accurate"].model == "stuck"
    assert leads["most accurate"].beyond_noise
    assert leads["best compromise"].model == "steady"
    assert leads["best compromise"].within_noise == ("rival",)
    # Neither changes under any shift.
    assert leads["most robust"].value.estimate == 0


def test_lead_of_one_model_has_no_runner_up() -> None:
    lead = ONE.leads(["m"])["most accurate"]
    assert (lead.runner_up, lead.lead, lead.beyond_noise) == (None, None, False)
