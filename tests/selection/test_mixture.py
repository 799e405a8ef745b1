"""Mixtures of normal distributions: against scipy and draws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from shiftproof.selection._mixture import chance_above_zero, mixture_quantile

SHARES, CENTRES, SPREADS = np.array([0.2, 0.5, 0.3]), np.array([-1.0, 0.1, 2.0]), np.array([0.3, 1.0, 0.05])


@given(centre=st.floats(-100, 100), spread=st.floats(1e-3, 50), at=st.floats(0.001, 0.999))
def test_one_part_is_a_normal_distribution(centre: float, spread: float, at: float) -> None:
    found = mixture_quantile(np.ones(1), np.array([centre]), np.array([spread]), at)
    assert found == pytest.approx(stats.norm.ppf(at, centre, spread), abs=1e-6)


def test_equal_parts_are_one() -> None:
    found = mixture_quantile(np.array([0.3, 0.7]), np.zeros(2), np.ones(2), 0.9)
    assert found == pytest.approx(stats.norm.ppf(0.9))


@pytest.mark.parametrize("at", [0.01, 0.05, 0.2, 0.5, 0.7, 0.95])
def test_quantiles_are_those_of_draws(at: float) -> None:
    found = mixture_quantile(SHARES, CENTRES, SPREADS, at)
    assert SHARES @ stats.norm.cdf(found, CENTRES, SPREADS) == pytest.approx(at, abs=1e-9)
    rng = np.random.default_rng(0)
    part = rng.choice(3, size=200_000, p=SHARES)
    drawn = rng.normal(CENTRES[part], SPREADS[part])
    assert (drawn <= found).mean() == pytest.approx(at, abs=0.005)


def test_chance_above_zero_is_that_of_draws() -> None:
    rng = np.random.default_rng(1)
    part = rng.choice(3, size=400_000, p=SHARES)
    drawn = rng.normal(CENTRES[part], SPREADS[part])
    assert chance_above_zero(SHARES, CENTRES, SPREADS) == pytest.approx((drawn > 0).mean(), abs=0.004)


def test_chance_and_its_counterpart_are_one() -> None:
    assert chance_above_zero(SHARES, CENTRES, SPREADS) + chance_above_zero(SHARES, -CENTRES, SPREADS) == pytest.approx(
        1
    )


@pytest.mark.parametrize(("centre", "chance"), [(0.2, 1.0), (-0.2, 0.0), (0.0, 0.5), (1e-15, 0.5)])
def test_without_a_spread_the_centre_decides(centre: float, chance: float) -> None:
    assert chance_above_zero(np.ones(1), np.array([centre]), np.zeros(1)) == chance


@pytest.mark.parametrize("centre", [0.0, 0.8, -3.0, 5_000.0, 1e6, -1e9])
@pytest.mark.parametrize("at", [0.05, 0.5, 0.95])
def test_without_a_spread_every_quantile_is_the_centre(centre: float, at: float) -> None:
    assert mixture_quantile(np.ones(1), np.array([centre]), np.zeros(1), at) == pytest.approx(centre, abs=1e-10)


def test_nothing_is_said_of_what_is_not_known() -> None:
    assert np.isnan(mixture_quantile(np.array([0.5, 0.5]), np.array([0.0, np.nan]), np.ones(2), 0.5))
    assert np.isnan(mixture_quantile(np.array([0.5, 0.5]), np.zeros(2), np.array([1.0, np.nan]), 0.5))
    assert np.isnan(mixture_quantile(np.ones(1), np.array([np.inf]), np.ones(1), 0.5))
