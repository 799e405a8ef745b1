from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from shiftproof.quantification import METHODS, Labelled, Samples

SEEDS = st.integers(0, 10_000)


def scored(seed: int, n: int = 60, k: int = 2) -> Labelled:
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(k), rng.integers(0, k, n - k))
    weights = rng.integers(0, 6, size=(n, k)) + 0.5
    weights[np.arange(n), codes] += rng.integers(0, 6, n)
    return Labelled(weights / weights.sum(axis=1, keepdims=True), codes)


def drawn(labelled: Labelled, seed: int) -> tuple[Samples, list[np.ndarray]]:
    rng = np.random.default_rng(seed + 1)
    lists = [rng.integers(0, len(labelled.codes), rng.integers(1, 30)) for _ in range(6)]
    return Samples.from_lists(labelled.probabilities, lists), [labelled.probabilities[rows] for rows in lists]


@pytest.mark.parametrize("k", [2, 3])
@given(seed=SEEDS)
def test_the_average_is_equation_3_3(k: int, seed: int) -> None:
    labelled = scored(seed, k=k)
    samples, rows = drawn(labelled, seed)
    learned = METHODS["probability average"].learn(labelled)
    np.testing.assert_allclose(learned.estimate(samples), [each.mean(axis=0) for each in rows])
    np.testing.assert_allclose(learned.raw(samples), [each.mean(axis=0) for each in rows])


@given(SEEDS)
def test_the_scaled_average_is_equation_3_4(seed: int) -> None:
    labelled = scored(seed)
    samples, rows = drawn(labelled, seed)
    learned = METHODS["scaled probability average"].learn(labelled)
    p = labelled.probabilities[:, 1]
    high, low = p[labelled.codes == 1].mean(), p[labelled.codes == 0].mean()  # eq. 3.5 and 3.6
    averages = np.array([each[:, 1].mean() for each in rows])
    raw = (averages - low) / (high - low) if high > low else averages
    assert bool(learned.notes) == (high <= low)
    np.testing.assert_allclose(learned.raw(samples), np.column_stack([1 - raw, raw]), atol=1e-9)
    np.testing.assert_allclose(learned.estimate(samples)[:, 1], np.clip(raw, 0, 1), atol=1e-9)


def test_the_thesis_figure_3_3() -> None:
    """Limits of 0.3 and 0.9 send 0.4 to 0.17 (the caption's 0.23 is wrong) and 0.8 to 0.83."""
    labelled = Labelled([[0.7, 0.3], [0.1, 0.9]], [0, 1])
    found = (
        METHODS["scaled probability average"]
        .learn(labelled)
        .estimate(Samples.from_lists([[0.6, 0.4], [0.2, 0.8]], [[0], [1]]))
    )
    assert found[:, 1].round(2).tolist() == [0.17, 0.83]


@given(SEEDS, st.integers(0, 20))
def test_the_average_has_formans_bias_and_scaling_undoes_it(seed: int, positives: int) -> None:
    labelled = scored(seed)
    p = labelled.probabilities[:, 1]
    rows = [np.flatnonzero(labelled.codes == code) for code in (0, 1)]
    high, low, truth = p[rows[1]].mean(), p[rows[0]].mean(), positives / 20
    times = (len(rows[1]) * (20 - positives), len(rows[0]) * positives)
    sample = np.concatenate([np.repeat(mine, many) for mine, many in zip(rows, times, strict=True)])
    samples = Samples.from_lists(labelled.probabilities, [sample])
    averaged = METHODS["probability average"].learn(labelled).estimate(samples)[0, 1]
    assert averaged == pytest.approx(high * truth + low * (1 - truth))
    if high > low + 1e-6:
        fixed = low / (1 - high + low)
        assert np.sign(np.round(averaged - truth, 9)) == np.sign(np.round(fixed - truth, 9))
        scaled = METHODS["scaled probability average"].learn(labelled).estimate(samples)[0, 1]
        assert scaled == pytest.approx(truth, abs=1e-7)


def test_with_more_classes_the_average_is_unmixed_by_constrained_least_squares() -> None:
    for seed in range(6):
        labelled = scored(seed, n=100, k=3)
        samples, rows = drawn(labelled, seed)
        means = np.column_stack([labelled.probabilities[labelled.codes == code].mean(axis=0) for code in range(3)])
        found = METHODS["scaled probability average"].learn(labelled).estimate(samples)
        for each, shares in zip(rows, found, strict=True):
            heavy = 1e4
            wanted, _ = optimize.nnls(np.vstack([means, np.full(3, heavy)]), np.append(each.mean(axis=0), heavy))
            np.testing.assert_allclose(shares, wanted, atol=1e-5)


def test_equal_scores_say_so() -> None:
    """Also where rounding makes the mean of the positives the higher one."""
    p = np.full(13, 0.1)
    assert p[:3].mean() > p[3:].mean()
    learned = METHODS["scaled probability average"].learn(Labelled(np.column_stack([1 - p, p]), [1] * 3 + [0] * 10))
    assert learned.notes == (
        "the probabilities are no higher for this class than for the others, so their plain average is returned",
    )
    assert learned.estimate(Samples.of([[0.6, 0.4]])).tolist() == [[0.6, 0.4]]
