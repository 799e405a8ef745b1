from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special

from shiftproof import InputError
from shiftproof.counting._density import Densities, learn_kernel_density_matching
from shiftproof.quantification import METHODS, Labelled, RowScores, Samples


def scored(seed: int, n: int = 150, k: int = 2) -> Labelled:
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(k), rng.integers(0, k, n - k))
    x = rng.normal(size=(n, k))
    x[np.arange(n), codes] += 1.5
    return Labelled(special.softmax(x, axis=1), codes)


def slow_densities(labelled: Labelled, points: np.ndarray, bandwidth: float) -> np.ndarray:
    columns = []
    for code in range(labelled.n_classes):
        centres = labelled.probabilities[labelled.codes == code]
        squares = ((points[:, None] - centres) ** 2).sum(axis=2)
        columns.append(np.exp(-squares / (2 * bandwidth**2)).mean(axis=1))
    return np.column_stack(columns)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("bandwidth", [0.05, 0.1, 0.4])
def test_densities_are_means_of_gaussians(k: int, bandwidth: float) -> None:
    labelled = scored(0, k=k)
    points = np.vstack([scored(1, k=k).probabilities, np.eye(k)])
    learned = learn_kernel_density_matching(labelled, bandwidth=bandwidth)
    assert isinstance(learned, Densities)
    found = np.exp(learned.log_densities(RowScores(points)))
    np.testing.assert_allclose(found, slow_densities(labelled, points, bandwidth), rtol=1e-6)


def test_log_densities_of_rows_drawn_from_the_learnt_ones_leave_out_their_own_kernels() -> None:
    labelled = scored(0, n=40, k=3)
    drawn = Labelled(labelled.scores.numbered(), labelled.codes).take([0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    learned = learn_kernel_density_matching(drawn, bandwidth=0.3)
    assert isinstance(learned, Densities)
    result = np.exp(learned.log_densities(drawn.scores))
    for row, number in enumerate([0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]):
        rest = drawn.take(np.flatnonzero(drawn.scores.numbers != number))
        expected = slow_densities(rest, drawn.probabilities[[row]], 0.3)[0]
        np.testing.assert_allclose(result[row], expected, rtol=1e-4)


@pytest.mark.parametrize("k", [2, 3])
def test_the_likelihood_of_the_mixture_is_largest(k: int) -> None:
    labelled, new = scored(2, k=k), scored(3, k=k)
    found = METHODS["kernel density matching"].learn(labelled).estimate(Samples.of(new.probabilities))[0]
    densities = slow_densities(labelled, new.probabilities, 0.1)

    def loss(q: np.ndarray) -> float:
        return -float(np.log(densities @ q).sum())

    best = optimize.minimize(
        loss,
        np.full(k, 1 / k),
        bounds=[(1e-9, 1)] * k,
        constraints=optimize.LinearConstraint(np.ones(k), 1, 1),
        options={"ftol": 1e-12},
    )
    np.testing.assert_allclose(found, best.x, atol=1e-4)


def test_a_row_far_from_all_labelled_ones_says_nothing() -> None:
    labelled = Labelled([[0.9, 0.05, 0.05], [0.05, 0.9, 0.05], [0.05, 0.05, 0.9]], [0, 1, 2])
    method = METHODS["kernel density matching"].having(bandwidth=0.001)
    found = method.learn(labelled).estimate(Samples.of([[1 / 3, 1 / 3, 1 / 3]]))
    np.testing.assert_allclose(found, [[1 / 3, 1 / 3, 1 / 3]])


def test_the_bandwidth_is_checked() -> None:
    message = r"^bandwidth must be a number strictly between 0 and 1, got 0; 0\.1 is usual\.$"
    with pytest.raises(InputError, match=message):
        METHODS["kernel density matching"].having(bandwidth=0).learn(scored(0))
