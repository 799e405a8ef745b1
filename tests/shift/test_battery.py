from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from shiftproof.shift._battery import CovariancePart, Moments, battery, p_apart, pooled, quad


def test_quad_is_hotellings_test() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(30, 3)) @ rng.normal(size=(3, 3)) + 0.3
    covariance = np.cov(rows.T) / 30
    t2 = rows.mean(axis=0) @ np.linalg.solve(covariance, rows.mean(axis=0))
    assert quad(rows.mean(axis=0), covariance, 29) == pytest.approx(stats.f.sf(t2 * 27 / (29 * 3), 3, 27))


def test_quad_of_one_column_is_the_t_test() -> None:
    rng = np.random.default_rng(1)
    old, new = rng.normal(size=(40, 1)), rng.normal(0.4, 1, size=(25, 1))
    assert pooled(old, new).quadratic() == pytest.approx(stats.ttest_ind(old[:, 0], new[:, 0]).pvalue)


def test_two_parts_of_one_column_are_welchs_test() -> None:
    rng = np.random.default_rng(2)
    old, new = rng.normal(size=(40, 1)), rng.normal(0.4, 3, size=(25, 1))
    parts = [
        CovariancePart((each - each.mean()) / math.sqrt(len(each) * (len(each) - 1)), len(each) - 1)
        for each in (old, new)
    ]
    moments = Moments(new.mean(axis=0) - old.mean(axis=0), parts, 0.0)
    assert moments.quadratic() == pytest.approx(stats.ttest_ind(old[:, 0], new[:, 0], equal_var=False).pvalue)


def test_quad_is_chi_square_where_degrees_of_freedom_are_few_or_without_end() -> None:
    z = np.array([1.0, 2.0])
    expected = stats.chi2.sf(5, 2)
    assert quad(z, np.eye(2), 4) == pytest.approx(expected)
    assert quad(z, np.eye(2), math.inf) == pytest.approx(expected)
    assert quad(z, np.eye(2), 4.5) > expected


def test_a_repeated_column_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    old, new = rng.normal(size=(60, 2)), rng.normal(0.2, 1, size=(50, 2))
    once = pooled(old, new).quadratic()
    assert pooled(old[:, [0, 1, 0]], new[:, [0, 1, 0]]).quadratic() == pytest.approx(once)


def test_a_constant_that_stayed_is_no_alarm_and_one_that_moved_is() -> None:
    old, same, moved = np.zeros((30, 1)), np.zeros((10, 1)), np.ones((10, 1))
    assert pooled(old, same).quadratic() == 1.0
    assert pooled(old, moved).quadratic() == p_apart(30, 10) < 1e-8
    assert math.isnan(pooled(old, moved).dense())


def test_the_chance_of_no_overlap_is_one_over_the_ways_to_choose() -> None:
    assert p_apart(3, 2) == pytest.approx(1 / math.comb(5, 2))
    assert 0 < p_apart(10**6, 10**6) < 1e-300


def test_dense_is_exact_for_equal_variances() -> None:
    """With independent columns of one known variance the sum of squares is chi-square itself."""
    rows = np.kron(np.eye(4), np.ones((50, 1))) * np.tile([1.0, -1.0], 100)[:, None] / math.sqrt(50)
    moments = Moments(np.array([1.0, 1.0, 1.0, 2.0]), [CovariancePart(rows, 199)], 0.0)
    assert moments.dense() == pytest.approx(stats.chi2.sf(7, 4))


def test_dense_is_the_same_from_either_side() -> None:
    """Fewer rows than columns are multiplied the other way round."""
    rng = np.random.default_rng(4)
    rows, z = rng.normal(size=(20, 30)), rng.normal(size=30)
    padded = np.vstack([rows, np.zeros((40, 30))])
    wide, tall = (Moments(z, [CovariancePart(each, 19)], 0.0).dense() for each in (rows, padded))
    assert wide == pytest.approx(tall)


def test_the_battery_finds_one_feature_the_score_and_the_whole() -> None:
    rng = np.random.default_rng(5)
    old = rng.normal(size=(400, 12))
    blocks, score = [slice(at, at + 1) for at in range(11)], slice(11, 12)
    quiet = rng.normal(size=(400, 12))
    assert battery(pooled(old, quiet), blocks, score) > 0.05
    for shift in ([1.0] + [0.0] * 11, [0.0] * 11 + [1.0], [0.16] * 11 + [0.0]):
        assert battery(pooled(old, quiet + shift), blocks, score) < 0.01
