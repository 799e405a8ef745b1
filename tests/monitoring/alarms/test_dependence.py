from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from shiftproof.monitoring.alarms import design_effect
from shiftproof.monitoring.alarms._dependence import effect_of_batch

PERIODS = np.repeat(np.arange(20), 50)


def test_design_effect_of_independent_rows_is_their_upper_limit() -> None:
    rng = np.random.default_rng(0)
    effects = [design_effect(rng.normal(size=1000), PERIODS)[0] for _ in range(100)]
    # The 10% point of chi-square: 1.63 times the ratio, which is near 1.
    assert 19 / chi2(19).ppf(0.1) == pytest.approx(1.63, abs=0.01)
    assert 1.4 < float(np.median(effects)) < 2.2
    assert min(effects) >= 1


def test_design_effect_sees_days_that_differ_in_mean_or_spread() -> None:
    rng = np.random.default_rng(0)
    by_day = rng.normal(size=20)[PERIODS]
    assert design_effect(rng.normal(size=1000) + 0.5 * by_day, PERIODS)[0] > 10
    assert design_effect(rng.normal(size=1000) * np.exp(by_day), PERIODS)[0] > 5


def test_design_effect_needs_ten_periods() -> None:
    values = np.repeat(np.arange(9.0), 10)
    assert design_effect(values, values) == (1.0, 10.0)
    assert design_effect([], []) == (1.0, 0.0)


def test_design_effect_of_a_constant_column_is_one() -> None:
    assert design_effect(np.ones(1000), PERIODS) == (1.0, 50.0)


def test_design_effect_ignores_values_that_are_missing_evenly() -> None:
    values = np.random.default_rng(0).normal(size=1000)
    gaps = np.where(np.arange(1000) % 2, np.nan, values)
    assert design_effect(gaps, PERIODS) == design_effect(values[::2], PERIODS[::2])


def test_larger_batches_than_periods_have_a_larger_effect() -> None:
    effect = np.array([1.0, 3.0])
    assert effect_of_batch(effect, 100.0, 100).tolist() == [1.0, 3.0]
    assert effect_of_batch(effect, 100.0, 1000).tolist() == [1.0, 21.0]
    assert effect_of_batch(effect, None, 1000).tolist() == [1.0, 3.0]


def test_design_effect_sees_days_that_differ_in_what_is_missing() -> None:
    rng = np.random.default_rng(0)
    share = rng.uniform(0, 0.3, 20)[PERIODS]
    values = np.where(rng.random(1000) < share, np.nan, rng.normal(size=1000))
    assert design_effect(values, PERIODS)[0] > 4
    # Days without any value count, too.
    assert design_effect(np.where(PERIODS < 15, np.nan, values), PERIODS)[0] > 20


def test_design_effect_sees_days_that_differ_in_single_categories() -> None:
    rng = np.random.default_rng(0)
    # Levels 2 and 3 take turns, and neither the mean rank nor its spread shows it.
    turns = np.where(rng.random(20)[PERIODS] < 0.5, 2.0, 3.0)
    cells = np.where(rng.random(1000) < 0.1, turns, rng.choice([0.0, 1.0, 4.0, 5.0], 1000))
    assert design_effect(cells, PERIODS)[0] < 3
    assert design_effect(cells, PERIODS, nominal=True)[0] > 4


def test_design_effect_of_independent_categories_stays_small() -> None:
    rng = np.random.default_rng(0)
    cells = rng.geometric(0.2, 1000).astype(np.float64)
    assert design_effect(cells, PERIODS, nominal=True)[0] < 4
