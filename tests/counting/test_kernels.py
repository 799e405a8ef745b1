"""The kernels against plain formulas, compiled and as plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shiftproof.counting import _kernels
from shiftproof.counting._kernels import (
    histograms,
    interpolated,
    likeliest_of_more,
    likeliest_of_two,
    mixtures,
    simplex_minima,
    sums,
    sweep,
    topsoe_minima,
)

ROWS, OFFSETS = np.array([0, 1, 2, 2, 4, 3]), np.array([0, 1, 4, 6])
PARTS = [[0], [1, 2, 2], [4, 3]]


def both(kernel: Any) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("run", [kernel, kernel.py_func], ids=["compiled", "plain"])


@both(sums)
def test_sums(run: Any) -> None:
    values = np.arange(10.0).reshape(5, 2)
    np.testing.assert_array_equal(run(values, ROWS, OFFSETS), [values[part].sum(axis=0) for part in PARTS])


@both(histograms)
def test_histograms(run: Any) -> None:
    found = run(np.array([0, 2, 1, 1, 0]), 3, ROWS, OFFSETS)
    np.testing.assert_allclose(found, [[1.0, 0.0, 0.0], [0.0, 2 / 3, 1 / 3], [0.5, 0.5, 0.0]])


@both(interpolated)
@pytest.mark.parametrize("clustered", [False, True])
def test_interpolated_is_numpys(run: Any, clustered: bool) -> None:
    rng = np.random.default_rng(0)
    # Most knots within one of the equal steps.
    knots = np.unique(np.append(rng.random(200) ** (40 if clustered else 1), [0.0, 0.9]))
    heights = rng.normal(size=len(knots))
    values = np.concatenate([knots, rng.random(300), rng.random(300) ** 40, [-1.0, 0.0, 0.9, 2.0]])
    np.testing.assert_array_equal(run(values, knots, heights), np.interp(values, knots, heights))
    two = np.array([0.25, 0.75]), np.array([1.0, 3.0])
    np.testing.assert_array_equal(run(np.array([0.1, 0.5, 0.75]), *two), [1.0, 2.0, 3.0])


@both(_kernels._middle)
@pytest.mark.parametrize("n", [1, 2, 7, 1024, 1025, 1026, 5000])
def test_medians(run: Any, n: int) -> None:
    rng = np.random.default_rng(n)
    smooth = np.cumsum(rng.normal(size=n))
    for values in (smooth, rng.integers(0, 3, n).astype(float), np.zeros(n), np.sort(smooth)):
        assert run(values, np.empty(n + 1)) == np.median(values)


@both(_kernels._middle)
def test_medians_that_the_probes_miss(run: Any) -> None:
    """Every value that is looked at first is high, all others are low."""
    n = 256 * 9
    values = np.arange(n) / n
    values[::9] += 10
    assert run(values, np.empty(n + 1)) == np.median(values)


@both(sweep)
def test_sweeps(run: Any) -> None:
    scores, thresholds = np.array([0.1, 0.4, 0.5, 0.8, 0.2]), np.array([0.2, 0.4, 0.6])
    fpr, gap = np.array([0.5, 0.25, 0.0]), np.array([0.5, 0.5, 0.25])
    found = run(np.searchsorted(thresholds, scores, side="right"), fpr, gap, ROWS, OFFSETS)
    counted = [(scores[part][:, None] >= thresholds).mean(axis=0) for part in PARTS]
    np.testing.assert_allclose(found, [np.median((each - fpr) / gap) for each in counted])


@both(mixtures)
def test_mixtures(run: Any) -> None:
    likelihoods = np.array([[1.0, 0.2], [0.4, 1.0], [1.0, 0.9], [0.1, 1.0], [1.0, 1.0]])
    found = run(likelihoods, np.array([0.3, 0.7]), ROWS, OFFSETS, 1e-14, 100_000)
    for part, shares in zip(PARTS, found, strict=True):
        # At the maximum a share that is not 0 has a mean ratio of 1, another at most 1.
        ratio = (likelihoods[part] / (likelihoods[part] @ shares)[:, None]).mean(axis=0)
        np.testing.assert_allclose(ratio[shares > 1e-3], 1, atol=1e-5)
        assert (ratio < 1 + 1e-5).all()


@both(mixtures)
def test_rounds_are_limited(run: Any) -> None:
    likelihoods, start = np.array([[1.0, 0.5]]), np.array([0.5, 0.5])
    once = run(likelihoods, start, np.array([0]), np.array([0, 1]), 0.0, 1)
    np.testing.assert_allclose(once, [[2 / 3, 1 / 3]])


@both(likeliest_of_two)
def test_of_two_classes_the_likeliest_share_is_where_the_rounds_lead(run: Any) -> None:
    rng = np.random.default_rng(0)
    likelihoods = rng.random((200, 2)) ** 2
    likelihoods[:3] = [[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]
    lists = [rng.integers(0, 200, n) for n in (1, 2, 7, 50, 200)] + [[0], [1], [0, 0, 1], [0, 0]]
    rows, offsets = np.concatenate(lists).astype(np.intp), np.cumsum([0, *map(len, lists)])
    rounds = mixtures(likelihoods, np.array([0.4, 0.6]), rows, offsets, 0.0, 100_000)[:, 1]
    np.testing.assert_allclose(run(likelihoods, 0.6, rows, offsets), rounds, atol=1e-5)
    assert run(likelihoods, 0.6, np.array([2, 2]), np.array([0, 2])) == 0.6


@both(topsoe_minima)
def test_topsoe_minima(run: Any) -> None:
    negative, positive = np.array([0.6, 0.3, 0.1, 0.0]), np.array([0.0, 0.2, 0.8, 0.0])
    samples = np.array([(1 - a) * negative + a * positive for a in (0.0, 0.3, 1.0)] + [[0.0, 0.0, 0.0, 1.0]])
    found = run(samples, negative, positive, 60)
    np.testing.assert_allclose(found[:3], [0, 0.3, 1], atol=1e-7)
    # A sample that lies where no class does is as far from every mixture.
    assert 0 <= found[3] <= 1


@both(likeliest_of_more)
@pytest.mark.parametrize("separation", [0.3, 1.0, 4.0])
def test_likeliest_of_more_ends_where_rounds_of_em_lead(run: Any, separation: float) -> None:
    rng = np.random.default_rng(3)
    centres = separation * rng.normal(size=(4, 2))
    points = rng.normal(size=(60, 2)) + centres[rng.choice(4, 60, p=[0.6, 0.3, 0.1, 0.0])]
    likelihoods = np.exp(-((points[:, None] - centres) ** 2).sum(axis=2) / 2)
    rows, offsets, start = np.arange(60), np.array([0, 40, 60]), np.full(4, 0.25)
    rounds = mixtures(likelihoods, start, rows, offsets, 0.0, 100_000)
    shares = run(likelihoods, np.tile(start, (2, 1)), rows, offsets, 1e-8)
    np.testing.assert_allclose(shares, rounds, atol=1e-6)
    np.testing.assert_allclose(shares.sum(axis=1), 1)


@both(likeliest_of_more)
def test_likeliest_of_more_finds_the_few_classes_of_many_that_overlap(run: Any) -> None:
    """At the maximum no class has a slope above 1, and those with a share have a slope of 1."""
    rng = np.random.default_rng(5)
    centres = 0.4 * rng.normal(size=(20, 3))
    points = rng.normal(size=(50, 3)) + centres[rng.integers(0, 4, 50)]
    likelihoods = np.exp(-((points[:, None] - centres) ** 2).sum(axis=2) / 2)
    shares = run(likelihoods, np.full((1, 20), 0.05), np.arange(50), np.array([0, 50]), 1e-8)[0]
    slopes = (likelihoods / (likelihoods @ shares)[:, None]).mean(axis=0)
    assert 0 < (shares > 0).sum() < 10
    assert slopes.max() < 1 + 1e-6
    np.testing.assert_allclose(slopes[shares > 0], 1, atol=1e-6)


@both(likeliest_of_more)
def test_likeliest_of_more_keeps_a_class_that_one_row_needs(run: Any) -> None:
    """The first step would drop the third class; one row of a hundred is possible in no other."""
    likelihoods = np.repeat([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [60, 39, 1], axis=0)
    shares = run(likelihoods, np.full((1, 3), 1 / 3), np.arange(100), np.array([0, 100]), 1e-8)
    np.testing.assert_allclose(shares, [[0.6, 0.39, 0.01]], atol=1e-9)


@both(likeliest_of_more)
def test_likeliest_of_more_leaves_classes_with_equal_scores_as_they_started(run: Any) -> None:
    likelihoods = np.array([[1.0, 0.2, 0.2], [0.1, 1.0, 1.0], [0.3, 1.0, 1.0]])
    shares = run(likelihoods, np.array([[0.4, 0.4, 0.2], [0.2, 0.2, 0.6]]), np.arange(6) % 3, np.array([0, 3, 6]), 1e-8)
    assert shares[0, 0] == pytest.approx(shares[1, 0], abs=1e-6)
    assert shares[0, 1] - shares[0, 2] == pytest.approx(0.2, abs=1e-3)
    assert shares[1, 2] - shares[1, 1] == pytest.approx(0.4, abs=1e-3)


@both(simplex_minima)
def test_simplex_minima(run: Any) -> None:
    """With the identity it is the projection onto the simplex."""
    found = run(np.eye(3), np.array([[0.2, 0.3, 0.5], [2.0, 0.0, 0.0], [0.9, 0.7, -1.0], [-1.0, -1.0, 0.0]]), 1e-14)
    np.testing.assert_allclose(found, [[0.2, 0.3, 0.5], [1.0, 0.0, 0.0], [0.6, 0.4, 0.0], [0.0, 0.0, 1.0]], atol=1e-12)


@both(simplex_minima)
def test_shares_that_were_bound_become_free_again(run: Any) -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        root = rng.normal(size=(5, 5))
        hessian, linear = root.T @ root + 0.01 * np.eye(5), 3 * rng.normal(size=(1, 5))
        q = run(hessian, linear, 1e-12)[0]
        slope = hessian @ q - linear[0]
        assert q.min() >= 0
        assert q.sum() == pytest.approx(1)
        assert (slope >= slope[q > 1e-12].mean() - 1e-8).all()
