"""Counts against the thesis's formulas, written out row by row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from shiftproof.quantification import METHODS, Labelled, Samples

SEEDS = st.integers(0, 10_000)


def scored(seed: int, n: int = 60, k: int = 2) -> Labelled:
    """RowScores with many ties, in four folds, some better and some worse than chance."""
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(k), rng.integers(0, k, n - k))
    weights = rng.integers(1, 6, size=(n, k)).astype(float)
    weights[np.arange(n), codes] += rng.integers(0, 6, n)
    return Labelled(weights / weights.sum(axis=1, keepdims=True), codes, rng.integers(0, 4, n))


def drawn(labelled: Labelled, seed: int, n_samples: int = 6) -> Samples:
    rng = np.random.default_rng(seed + 1)
    n = len(labelled.codes)
    return Samples.from_lists(
        labelled.probabilities, [rng.integers(0, n, rng.integers(1, 30)) for _ in range(n_samples)]
    )


def rows_of(samples: Samples) -> list[np.ndarray]:
    return [samples.probabilities[rows] for rows in np.split(samples.rows, samples.offsets[1:-1])]


def slow_rates(labelled: Labelled, averaging: str, threshold: float = 0.5) -> tuple[float, float]:
    said = labelled.probabilities[:, 1] >= threshold
    folds = labelled.folds if averaging == "folds" else np.zeros_like(labelled.folds)
    rates = []
    for code in (1, 0):
        mine = labelled.codes == code
        rates.append(float(np.mean([said[mine & (folds == fold)].mean() for fold in np.unique(folds[mine])])))
    return rates[0], rates[1]


@given(SEEDS)
def test_the_training_prevalence_is_that_of_the_labels(seed: int) -> None:
    labelled = scored(seed, k=3)
    found = METHODS["training prevalence"].learn(labelled).estimate(drawn(labelled, seed))
    np.testing.assert_allclose(found, [[(labelled.codes == c).mean() for c in range(3)]] * 6)


@given(SEEDS)
def test_the_plain_count_counts(seed: int) -> None:
    labelled = scored(seed)
    samples = drawn(labelled, seed)
    found = METHODS["classify and count"].learn(labelled).estimate(samples)
    np.testing.assert_allclose(found[:, 1], [(rows[:, 1] >= 0.5).mean() for rows in rows_of(samples)])


@pytest.mark.parametrize("averaging", ["folds", "pooled"])
@given(seed=SEEDS)
def test_the_adjusted_count_is_equation_3_1(averaging: str, seed: int) -> None:
    labelled = scored(seed)
    samples = drawn(labelled, seed)
    learned = METHODS["adjusted count"].having(rates=averaging).learn(labelled)
    tpr, fpr = slow_rates(labelled, averaging)
    counts = np.array([(rows[:, 1] >= 0.5).mean() for rows in rows_of(samples)])
    if tpr - fpr > 1e-9:
        raw = (counts - fpr) / (tpr - fpr)
        assert learned.notes == ()
    else:
        raw = counts
        assert learned.notes == ("tpr <= fpr, so the plain count is returned",)
    np.testing.assert_allclose(learned.raw(samples), np.column_stack([1 - raw, raw]), atol=1e-9)
    np.testing.assert_allclose(learned.estimate(samples)[:, 1], np.clip(raw, 0, 1), atol=1e-9)


@given(SEEDS, st.integers(0, 50))
def test_forman(seed: int, positives: int) -> None:
    """Theorem 3.1: the plain count is too low above its fixed point and too high below; adjusting undoes it."""
    labelled = scored(seed)
    tpr, fpr = slow_rates(labelled, "pooled")
    # Samples in which each class scores exactly as the labelled rows of it do.
    rows = [np.flatnonzero(labelled.codes == code) for code in (0, 1)]
    times = (len(rows[1]) * (50 - positives), len(rows[0]) * positives)
    sample = np.concatenate([np.repeat(mine, many) for mine, many in zip(rows, times, strict=True)])
    samples = Samples.from_lists(labelled.probabilities, [sample])
    truth = positives / 50
    counted = METHODS["classify and count"].learn(labelled).estimate(samples)[0, 1]
    assert counted == pytest.approx(tpr * truth + fpr * (1 - truth))  # eq. 3.2
    if 0 <= tpr - fpr < 1:
        fixed = fpr / (1 - tpr + fpr)
        assert np.sign(np.round(counted - truth, 9)) == np.sign(np.round(fixed - truth, 9))
    if tpr > fpr:
        learned = METHODS["adjusted count"].having(rates="pooled").learn(labelled)
        assert learned.estimate(samples)[0, 1] == pytest.approx(truth, abs=1e-9)


@pytest.mark.parametrize("averaging", ["folds", "pooled"])
def test_with_more_classes_the_count_is_unmixed_by_constrained_least_squares(averaging: str) -> None:
    for seed in range(8):
        labelled = scored(seed, n=120, k=4)
        samples = drawn(labelled, seed)
        folds = labelled.folds if averaging == "folds" else np.zeros_like(labelled.folds)
        said = np.eye(4)[3 - labelled.probabilities[:, ::-1].argmax(axis=1)]
        columns = []
        for code in range(4):
            mine = labelled.codes == code
            columns.append(
                np.mean([said[mine & (folds == fold)].mean(axis=0) for fold in np.unique(folds[mine])], axis=0)
            )
        means = np.column_stack(columns)
        learned = METHODS["adjusted count"].having(rates=averaging).learn(labelled)
        for rows, found in zip(rows_of(samples), learned.estimate(samples), strict=True):
            target = np.eye(4)[3 - rows[:, ::-1].argmax(axis=1)].mean(axis=0)
            wanted, _ = optimize.nnls(np.vstack([means, np.full(4, 1e4)]), np.append(target, 1e4))
            np.testing.assert_allclose(found, wanted, atol=1e-4)
        np.testing.assert_allclose(learned.raw(samples).sum(axis=1), 1)
