"""The softmax of rows is SciPy's, however large the numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from shiftproof.core import log_softmax_at, softmax_rows


@pytest.mark.parametrize("k", [2, 3, 20])
@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_softmax_is_scipys_and_leaves_its_input_alone(k: int, scale: float) -> None:
    rng = np.random.default_rng(k)
    values = scale * rng.normal(size=(500, k))
    before, codes = values.copy(), rng.integers(k, size=500)
    np.testing.assert_allclose(softmax_rows(values), special.softmax(values, axis=1), rtol=1e-14, atol=0)
    expected = special.log_softmax(values, axis=1)[np.arange(500), codes]
    np.testing.assert_allclose(log_softmax_at(values, codes), expected, rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(values, before)


def test_softmax_of_two_columns_has_scipys_every_digit() -> None:
    values = np.random.default_rng(0).normal(size=(500, 2))
    np.testing.assert_array_equal(softmax_rows(values), special.softmax(values, axis=1))
    codes = np.zeros(500, dtype=np.int64)
    np.testing.assert_array_equal(log_softmax_at(values, codes), special.log_softmax(values, axis=1)[:, 0])
