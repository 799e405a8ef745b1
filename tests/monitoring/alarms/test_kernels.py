from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri, ndtri_exp
from scipy.stats import hypergeom, kstest

from shiftproof.monitoring.alarms._kernels import (
    bet_as_learnt,
    bet_on_directions,
    grow,
    hypergeometric_draw,
    hypergeometric_z,
    mix,
    normal_quantile,
    normal_values,
    project,
    split_rows,
)


@pytest.mark.parametrize("log_p", [-1e-9, -1e-3, -0.05, -0.6931, -1.0, -2.6, -5.0, -24.0, -26.0, -700.0, -760.0, -1e6])
def test_normal_quantile_agrees_with_scipy_down_to_tiny_probabilities(log_p: float) -> None:
    assert normal_quantile(log_p) == pytest.approx(ndtri_exp(log_p), rel=1e-8)


@pytest.mark.parametrize(
    ("numbers", "z"),
    [((1, 4, 3, 12), 0.022790), ((0, 4, 3, 12), -1.139378), ((40, 100, 900, 11000), 8.764189)],
)
def test_hypergeometric_z_has_the_golden_values(numbers: tuple[int, int, int, int], z: float) -> None:
    assert hypergeometric_z(*numbers, 0.5) == pytest.approx(z, abs=5e-7)


@pytest.mark.parametrize(("drawn", "marked", "every"), [(50, 30, 400), (300, 20, 310), (7, 600, 1000)])
@pytest.mark.parametrize("uniform", [0.01, 0.5, 0.99])
def test_hypergeometric_z_agrees_with_scipy(drawn: int, marked: int, every: int, uniform: float) -> None:
    law = hypergeom(every, marked, drawn)
    low = int(law.ppf(0.01))
    for x in {low, round(law.mean()), min(low + 3, marked, drawn)}:
        expected = ndtri(law.cdf(x - 1) + uniform * law.pmf(x))
        assert hypergeometric_z(x, drawn, marked, every, uniform) == pytest.approx(expected, abs=1e-6)


def test_hypergeometric_z_keeps_its_digits_among_a_thousand_million_rows() -> None:
    # Where scipy's probability of 0 is off by 1e-7.
    none = sum(math.log1p(-5000 / (10**9 - drawn)) for drawn in range(90))
    assert hypergeometric_z(0, 5000, 90, 10**9, 0.99) == pytest.approx(ndtri(0.99 * math.exp(none)), rel=1e-12)


def test_hypergeometric_z_without_variance_is_the_uniform_number() -> None:
    for numbers in ((0, 0, 3, 12), (4, 4, 12, 12), (3, 12, 3, 12), (0, 0, 0, 0), (1, 1, 1, 1)):
        assert hypergeometric_z(*numbers, 0.2) == pytest.approx(ndtri(0.2))


def test_hypergeometric_z_of_large_batches_joins_its_approximation_to_the_exact_tail() -> None:
    drawn, marked, every = 100_000, 50_000, 1_000_000  # variance 4,275
    law = hypergeom(every, marked, drawn)
    for x in (4800, 5000, 5200, 5390, 5394, 5500):
        expected = -ndtri_exp(math.log(law.sf(x) + 0.5 * law.pmf(x)))
        assert hypergeometric_z(x, drawn, marked, every, 0.5) == pytest.approx(expected, abs=2e-2)
    # The approximation alone would turn back to negative values here.
    huge = [hypergeometric_z(x, drawn, marked, every, 0.5) for x in (6000, 10_000, 20_000, 50_000)]
    assert huge == sorted(huge)
    assert huge[-1] > 400


@pytest.mark.parametrize(("drawn", "marked", "every"), [(5, 3, 12), (300, 20, 310), (2000, 4000, 6000)])
def test_hypergeometric_draw_has_the_probabilities_of_scipy(drawn: int, marked: int, every: int) -> None:
    law, grid = hypergeom(every, marked, drawn), 20_000
    draws = [hypergeometric_draw(drawn, marked, every, (step + 0.5) / grid) for step in range(grid)]
    values, times = np.unique(draws, return_counts=True)
    assert times / grid == pytest.approx(law.pmf(values), abs=1.1 / grid)


@pytest.mark.parametrize("numbers", [(0, 3, 12), (12, 3, 12), (4, 0, 12), (4, 12, 12), (0, 0, 0)])
def test_hypergeometric_draw_without_a_choice(numbers: tuple[int, int, int]) -> None:
    drawn, marked, every = numbers
    assert hypergeometric_draw(drawn, marked, every, 0.3) == (drawn * marked // every if every else 0)


def test_split_rows_makes_parts_as_large_as_all_before_them() -> None:
    rng = np.random.default_rng(0)
    counts, sizes = np.array([[30, 9, 0, 2], [1, 0, 0, 0], [0, 0, 0, 0], [500, 299, 1, 0]]), np.array([4, 1, 2, 3])
    parts = np.zeros((4, 4, 4), np.int64)
    split_rows(counts, sizes, rng.uniform(size=int(3 * (sizes - 1).sum())), parts)
    assert np.array_equal(parts.sum(axis=0), counts)
    assert parts.min() >= 0
    assert parts.sum(axis=2).T.tolist() == [[5, 5, 10, 21], [0, 0, 0, 1], [0, 0, 0, 0], [100, 100, 200, 400]]


def test_split_rows_draws_every_row_equally_often() -> None:
    rng = np.random.default_rng(0)
    counts, parts = np.tile([6, 1, 25], (4000, 1)), np.zeros((4, 4000, 3), np.int64)
    split_rows(counts, np.full(4000, 3), rng.uniform(size=4000 * 6), parts)
    assert parts.mean(axis=1) == pytest.approx(np.outer([4, 4, 8, 16], [6, 1, 25]) / 32, abs=0.06)
    law = hypergeom(32, 6, 16)
    assert parts[3, :, 0].var() == pytest.approx(law.var(), rel=0.1)


def test_normal_values_are_independent_and_standard_normal_whatever_the_cells() -> None:
    rng = np.random.default_rng(0)
    start, total = np.array([0, 4]), np.array([3, 1, 40, 200])
    z = np.empty((3000, 3))
    for row in z:
        counts = rng.multivariate_hypergeometric(total, 30)
        normal_values(start, total - counts, counts, rng.uniform(size=3), row)
    assert min(kstest(column, "norm").pvalue for column in z.T) > 0.01
    assert np.abs(np.corrcoef(z.T) - np.eye(3)).max() < 0.06


def test_bet_on_directions_is_the_likelihood_ratio_of_a_shifted_mean() -> None:
    log_e, tilts = np.zeros(17), np.zeros(1)
    z, rows, vectors = np.array([1.0, 2.0]), np.array([4.0]), np.array([0.6, 0.8])
    project(np.array([0, 3]), np.array([0, 1]), vectors, z, rows, tilts)
    assert tilts.tolist() == pytest.approx([2 * 2.2])
    bet_on_directions(np.array([0, 1]), np.array([0, 17]), tilts, rows, log_e)
    assert log_e[13] == pytest.approx(1.6 * 2 * 2.2 - 1.6**2 * 4 / 2)
    assert log_e[0] == pytest.approx(-1.6 * 2 * 2.2 - 1.6**2 * 4 / 2)
    assert log_e[14:].tolist() == [0, 0, 0]


def test_bet_as_learnt_bets_on_what_came_before_and_forgets_by_half_lives() -> None:
    start, rows = np.array([0, 2]), np.array([9.0])
    moved, seen, log_e = np.zeros((3, 1)), np.zeros((3, 1)), np.zeros((1, 3))
    bet_as_learnt(start, np.array([1.0]), rows, moved, seen, log_e)
    variance = 1 + 9 / 4
    assert log_e[0, 0] == pytest.approx(0.5 * (1 - 1 / variance - math.log(variance)))
    assert moved.ravel().tolist() == [3.0, 3.0, 3.0]
    bet_as_learnt(start, np.array([1.0]), rows, moved, seen, log_e)
    assert seen[:, 0] == pytest.approx(9 + 9 * 2.0 ** (-1 / np.array([2, 16, 64])))
    mean, variance = 3 * 3 / (4 + 9), 1 + 9 / (4 + 9)
    assert log_e[0, 0] == pytest.approx(0.5 * (1 - (1 - mean) ** 2 / variance - math.log(variance)))


def test_grow_and_mix_keep_wealth_that_no_float_could_hold() -> None:
    log_s = np.array([-np.inf, 2000.0])
    grow(log_s, np.array([1.0, 1.0]), math.log(0.5))
    assert log_s == pytest.approx([1 + math.log(0.5), 2001.0])
    weights = np.log([0.5, 0.5])
    assert mix(log_s, weights, np.array([0, 2]), 0.1) == pytest.approx([2001 + math.log(0.5)])
    assert mix(np.full(2, -np.inf), weights, np.array([0, 2]), 0.0).tolist() == [-np.inf]
