from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from shiftproof.shift._functions import legendre, midranks


def test_midranks_of_the_reference_are_scipys() -> None:
    values = np.random.default_rng(0).integers(0, 20, 100)
    np.testing.assert_allclose(midranks(values), (stats.rankdata(values) - 0.5) / 100)


def test_a_new_value_is_ranked_as_one_more_reference_value() -> None:
    values = np.random.default_rng(1).integers(0, 20, 50)
    for new in (-1, 0, 7, 19, 30):
        joined = (stats.rankdata([*values, new])[-1] - 0.5) / 51
        assert midranks(values, np.array([new]))[0] == pytest.approx(joined)


def test_integers_beyond_two_to_the_53_stay_apart() -> None:
    values = np.array([2**60, 2**60 + 1, 2**60 + 2])
    np.testing.assert_allclose(midranks(values), [1 / 6, 1 / 2, 5 / 6])


def test_polynomials_are_scipys() -> None:
    u = np.linspace(0, 1, 31)
    for k in range(1, 5):
        np.testing.assert_allclose(legendre(u, 4)[:, k - 1], np.sqrt(2 * k + 1) * special.eval_legendre(k, 2 * u - 1))


def test_polynomials_are_orthonormal_over_uniform_ranks() -> None:
    functions = legendre(midranks(np.arange(20_000)), 4)
    np.testing.assert_allclose(functions.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(functions.T @ functions / 20_000, np.eye(4), atol=1e-6)


def test_new_ranks_have_the_same_moments_without_shift() -> None:
    """Without the half step the second polynomial's mean is off by 2.2 / n."""
    rng = np.random.default_rng(2)
    means = [legendre(midranks(rng.random(20), rng.random(500)), 2).mean(axis=0) for _ in range(2000)]
    np.testing.assert_allclose(np.mean(means, axis=0), 0, atol=0.025)
