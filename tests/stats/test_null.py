"""The null distributions against scipy, brute force and each other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from shiftproof.stats._null import (
    chi_square_variance,
    cvm_exact,
    cvm_limit,
    hypergeometric,
    ks_exact,
    ks_limit,
    log_binomial,
)


def gaps(n: int, m: int, first: tuple[int, ...]) -> np.ndarray:
    """Return i m - j n at every pooled point, where `first` are the places of the n values of the first sample."""
    ours = np.isin(np.arange(n + m), first)
    return np.cumsum(ours) * m - np.cumsum(~ours) * n


@pytest.mark.parametrize(("n", "m"), [(4, 4), (3, 5), (5, 3)])
def test_ks_exact_counts_all_orders_of_small_samples(n: int, m: int) -> None:
    largest = np.array([np.abs(gaps(n, m, first)).max() for first in combinations(range(n + m), n)])
    for gap in range(0, n * m + 1):
        assert ks_exact(n, m, gap) == pytest.approx((largest >= gap).mean(), abs=1e-12)


def test_cvm_exact_counts_all_orders_of_small_samples() -> None:
    n, m = 3, 4
    sums = np.array([(gaps(n, m, first) ** 2).sum() for first in combinations(range(n + m), n)]) / (
        n * m * (n + m) ** 2
    )
    values, tail = cvm_exact(n, m)
    assert values == pytest.approx(np.unique(sums))
    assert tail == pytest.approx([(sums >= value - 1e-12).mean() for value in np.unique(sums)])


@pytest.mark.parametrize("d", [0.01, 0.05, 0.08])
def test_ks_limit_gives_the_digits_of_scipy(d: float) -> None:
    assert ks_limit(2_000, d) == pytest.approx(stats.kstwo.sf(d, 2_000), rel=1e-6)


def test_cvm_limit_is_continuous_where_the_two_series_meet() -> None:
    assert cvm_limit(1 - 1e-9) == pytest.approx(cvm_limit(1.0), rel=1e-6)
    # Anderson and Darling (1952), table 1.
    assert cvm_limit(0.46136) == pytest.approx(0.05, abs=1e-5)
    assert cvm_limit(0.0) == 1.0


def test_chi_square_variance_of_all_tables_with_the_same_margins() -> None:
    columns = np.array([0] * 3 + [1] * 3 + [2] * 2)
    totals, n = np.bincount(columns), 4
    expected = totals * n / len(columns)
    # Each choice of the rows of the first side is a table; those of the second side lie symmetrically around it.
    statistics = [
        ((np.bincount(columns[list(first)], minlength=3) - expected) ** 2 / expected).sum() * 2
        for first in combinations(range(len(columns)), n)
    ]
    assert chi_square_variance(np.array([n, n]), totals) == pytest.approx(np.var(statistics))


@given(data=st.data(), total=st.integers(2, 10**6))
def test_hypergeometric_is_that_of_scipy(data: st.DataObject, total: int) -> None:
    row, column = data.draw(st.integers(1, total - 1)), data.draw(st.integers(1, total - 1))
    x = data.draw(st.integers(max(0, row + column - total), min(row, column)))
    assert hypergeometric(x, total, row, column) == pytest.approx(stats.hypergeom.pmf(x, total, row, column), rel=1e-6)


def test_hypergeometric_keeps_its_digits_where_scipy_loses_them() -> None:
    # By Stirling's series in 45 digits; scipy is off by 2e-8.
    found = hypergeometric(34_729_221, 92_171_817, 60_031_324, 53_317_754)
    assert found == pytest.approx(5.4207281736926145e-05, rel=1e-12)


def test_log_binomial_is_that_of_scipy() -> None:
    x, n = np.arange(101.0), np.array(100.0)
    assert log_binomial(x, n, 0.3) == pytest.approx(stats.binom.logpmf(x, 100, 0.3), rel=1e-10)
