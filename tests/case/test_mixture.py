"""Mixtures of normal distributions: against scipy and draws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from shiftproof.case._mixture import NormalMixture, chance_above_zero, mixture_quantile, with_labels
from shiftproof.core import Floats

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
    found = mixture_quantile(np.ones(1), np.array([centre]), np.zeros(1), at)
    assert found == pytest.approx(centre, rel=1e-8, abs=1e-9)


def test_nothing_is_said_of_what_is_not_known() -> None:
    assert np.isnan(mixture_quantile(np.array([0.5, 0.5]), np.array([0.0, np.nan]), np.ones(2), 0.5))
    assert np.isnan(mixture_quantile(np.array([0.5, 0.5]), np.zeros(2), np.array([1.0, np.nan]), 0.5))
    assert np.isnan(mixture_quantile(np.ones(1), np.array([np.inf]), np.ones(1), 0.5))


def parts_and_wide(mixture: NormalMixture, units: Floats) -> tuple[Floats, Floats, Floats]:
    """Give all parts before the measurement, with the wide ones for any other shift."""
    wide = (np.outer(units, units) + np.diag(units**2)) / 2
    middle = mixture.shares @ mixture.centres
    return (
        np.append(0.7 * mixture.shares, [0.2, 0.1]),
        np.vstack([mixture.centres, middle, middle]),
        np.concatenate([mixture.covariances, [0.15**2 * wide, 0.5**2 * wide]]),
    )


TWO = NormalMixture(
    np.array([0.7, 0.3]),
    np.array([[0.8, 0.7], [0.6, 0.65]]),
    np.array([[[4e-4, 2e-4], [2e-4, 3e-4]], [[9e-4, -1e-4], [-1e-4, 2e-4]]]),
)
MEASURED, ERRORS, UNITS = np.array([0.74, 0.69]), np.array([[6e-4, 3e-4], [3e-4, 5e-4]]), np.ones(2)


def test_measurement_joins_as_bayes_has_it() -> None:
    # Brute force: draws from all parts, weighed by how likely the measurement is from each.
    found = TWO.given(MEASURED, ERRORS, units=UNITS, alone=False)
    rng, (shares, centres, covariances) = np.random.default_rng(2), parts_and_wide(TWO, UNITS)
    assert found.shares.sum() == pytest.approx(1)
    likelihoods = []
    for at, (share, centre, covariance) in enumerate(zip(shares, centres, covariances, strict=True)):
        drawn = rng.multivariate_normal(centre, covariance, size=400_000)
        weights = np.asarray(stats.multivariate_normal(np.zeros(2), ERRORS).pdf(MEASURED - drawn))
        likelihoods.append(share * weights.mean())
        mean = weights @ drawn / weights.sum()
        assert found.centres[at] == pytest.approx(mean, abs=1.5e-3)
        spread = (weights[:, None] * (drawn - mean)).T @ (drawn - mean) / weights.sum()
        assert found.covariances[at] == pytest.approx(spread, abs=4e-5)
    assert found.shares == pytest.approx(np.array(likelihoods) / sum(likelihoods), abs=0.01)


def test_one_value_by_hand() -> None:
    mixture = NormalMixture(np.ones(1), np.array([[0.8]]), np.array([[[0.02**2]]]))
    found = mixture.given(np.array([0.75]), np.array([[0.03**2]]), units=np.ones(1), alone=False)
    precision = 1 / 0.02**2 + 1 / 0.03**2
    assert found.centres[0, 0] == pytest.approx((0.8 / 0.02**2 + 0.75 / 0.03**2) / precision)
    assert found.covariances[0, 0, 0] == pytest.approx(1 / precision)
    fits = np.array([0.7, 0.2, 0.1]) * [stats.norm.pdf(0.05, 0, np.hypot(wide, 0.03)) for wide in (0.02, 0.15, 0.5)]
    assert found.shares == pytest.approx(fits / sum(fits))


def test_a_measurement_far_from_every_part_is_believed() -> None:
    found = TWO.given(np.array([0.2, 0.3]), ERRORS, units=UNITS, alone=False)
    assert found.shares[-2:].sum() > 0.999
    assert found.centres[-1] == pytest.approx([0.2, 0.3], abs=0.005)


def test_a_measurement_alone_is_all_that_counts() -> None:
    found = TWO.given(MEASURED, ERRORS, units=UNITS, alone=True)
    assert found.shares.tolist() == [1.0]
    assert found.centres.tolist() == [MEASURED.tolist()]
    assert found.covariances.tolist() == [ERRORS.tolist()]


@pytest.mark.parametrize("size", [1.0, 1e4])
def test_an_exact_measurement_leaves_nothing_open(size: float) -> None:
    large = NormalMixture(TWO.shares, size * TWO.centres, size**2 * TWO.covariances)
    found = large.given(size * MEASURED, np.zeros((2, 2)), units=size * UNITS, alone=False)
    for centre, covariance in zip(found.centres, found.covariances, strict=True):
        assert centre / size == pytest.approx(MEASURED, abs=1e-5)
        assert np.diag(covariance) / size**2 == pytest.approx(np.zeros(2), abs=1e-9)
        assert (np.diag(covariance) >= 0).all()


def test_nothing_open_on_either_side_is_no_trouble() -> None:
    nothing = NormalMixture(np.array([0.5, 0.5]), np.zeros((2, 1)), np.zeros((2, 1, 1)))
    found = nothing.given(np.zeros(1), np.zeros((1, 1)), units=np.zeros(1), alone=False)
    assert found.centres == pytest.approx(np.zeros((4, 1)))
    assert found.shares == pytest.approx([0.35, 0.35, 0.2, 0.1])


def test_with_labels_gives_a_tenth_to_labels_alone() -> None:
    belief = NormalMixture(np.ones(1), np.array([[0.8]]), np.array([[[0.02**2]]]))
    measured, errors = np.array([0.7]), np.array([[0.03**2]])
    joined, value, method = with_labels(belief, measured, errors, units=np.ones(1), alone=False)
    updated = belief.given(measured, errors, units=np.ones(1), alone=False)
    assert joined.shares == pytest.approx([*0.9 * updated.shares, 0.1])
    assert joined.centres[-1] == measured
    assert value == pytest.approx(updated.shares @ updated.centres[:, 0])
    assert method == "routed pool and labels"
    assert with_labels(belief, measured, errors, units=np.ones(1), alone=True)[1:] == (0.7, "labels")
