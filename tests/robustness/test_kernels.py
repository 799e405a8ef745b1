"""The kernels against brute force, compiled and as plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from shiftproof.robustness._kernels import weighted_auc, weighted_counts


@pytest.mark.parametrize("auc", [weighted_auc, weighted_auc.py_func])
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=20), st.integers(0, 99))
def test_auc_is_that_of_rows_repeated_by_their_weights(auc: Any, rows: list[tuple[int, bool]], seed: int) -> None:
    scores, positive = np.array([row[0] for row in rows], dtype=float), np.array([row[1] for row in rows])
    weights = np.random.default_rng(seed).integers(0, 3, size=(len(rows), 3)).astype(float)
    found = auc(scores, positive, np.argsort(scores), weights)
    for value, times in zip(found, weights.T.astype(int), strict=True):
        y, s = np.repeat(positive, times), np.repeat(scores, times)
        if y.any() and not y.all():
            assert value == pytest.approx(roc_auc_score(y, s))
        else:
            assert np.isnan(value)


@pytest.mark.parametrize("counts", [weighted_counts, weighted_counts.py_func])
def test_counts_are_sums_of_weights(counts: Any) -> None:
    places, weights = np.array([0, 2, 2]), np.array([[1.0, 5.0], [2.0, 0.0], [3.0, 1.0]])
    assert counts(places, weights, 4).tolist() == [[1, 5], [0, 0], [5, 1], [0, 0]]
