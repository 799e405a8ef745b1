from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from shiftproof.shift._reference_score import ReferenceScores, calibrated, reference_scores


def test_scores_tell_classes_apart_and_add_up_to_one() -> None:
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2], 60)
    rows = rng.normal(size=(180, 2)) + codes[:, None] * 3
    found = reference_scores(rows, codes, rows[:50], rng=rng)
    assert found.reference.shape == (180, 3)
    assert found.current.shape == (50, 3)
    np.testing.assert_allclose(found.reference.sum(axis=1), 1)
    assert (found.reference.argmax(axis=1) == codes).mean() > 0.9


def test_labels_without_meaning_get_scores_without_meaning() -> None:
    """A model that had seen the row would know its label."""
    rng = np.random.default_rng(1)
    rows, codes = rng.normal(size=(400, 3)), np.tile([0, 1], 200)
    found = reference_scores(rows, codes, rows, rng=rng)
    assert abs((found.reference.argmax(axis=1) == codes).mean() - 0.5) < 0.08


def test_copies_are_scored_by_models_that_have_not_seen_them() -> None:
    rng = np.random.default_rng(5)
    rows, codes = rng.normal(size=(200, 3)), np.tile([0, 1], 100)
    order = rng.permutation(200)
    found = reference_scores(rows, codes, rows[order], rng=rng, copy_of=order)
    np.testing.assert_array_equal(found.current, found.reference[order])


def test_both_sides_have_one_distribution_without_shift() -> None:
    rng = np.random.default_rng(2)
    codes = np.repeat([0, 1], [300, 100])
    p_values = []
    for _ in range(6):
        rows, fresh = (rng.normal(size=(400, 3)) + 0.5 * codes[:, None] for _ in range(2))
        found = reference_scores(rows, codes, fresh, rng=rng)
        p_values.append(stats.mannwhitneyu(found.reference[:, 1], found.current[:, 1]).pvalue)
    assert np.min(p_values) > 0.001
    assert np.mean(np.array(p_values) < 0.05) <= 0.35


def test_the_same_seed_gives_the_same_scores_on_any_number_of_jobs() -> None:
    rows, codes = np.random.default_rng(3).normal(size=(60, 2)), np.tile([0, 1], 30)
    one, two = (
        reference_scores(rows, codes, rows[:9], rng=np.random.default_rng(0), n_jobs=jobs) for jobs in (None, 2)
    )
    np.testing.assert_array_equal(one.reference, two.reference)
    np.testing.assert_array_equal(one.current, two.current)


@pytest.mark.parametrize("n", [2, 4, 7])
def test_few_rows_and_rare_classes_are_scored(n: int) -> None:
    codes = np.zeros(n, dtype=np.int64)
    codes[-1] = 1
    found = reference_scores(np.arange(n, dtype=float)[:, None], codes, np.zeros((1, 1)), rng=np.random.default_rng(0))
    np.testing.assert_allclose(found.reference.sum(axis=1), 1)


@pytest.mark.parametrize("k", [2, 4])
def test_calibrated_probabilities_are_right_on_average(k: int) -> None:
    rng = np.random.default_rng(4)
    truth = rng.dirichlet(np.ones(k), 4000)
    codes = (truth.cumsum(axis=1) < rng.random((4000, 1))).sum(axis=1)
    timid = truth**0.5 / (truth**0.5).sum(axis=1, keepdims=True)
    found = calibrated(ReferenceScores(timid, timid[:10]), codes)
    np.testing.assert_allclose(found.reference.mean(axis=0), np.bincount(codes) / 4000, atol=0.01)
    assert np.abs(found.reference - truth).mean() < np.abs(timid - truth).mean() / 2
    np.testing.assert_allclose(found.current, found.reference[:10])
