from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from shiftproof.core import InputError
from shiftproof.panel import MixedNaiveBayes


def test_mixed_naive_bayes_is_gaussian_on_numbers_alone() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(2, size=60)
    assert MixedNaiveBayes().fit(X, y).predict_proba(X) == pytest.approx(GaussianNB().fit(X, y).predict_proba(X))


def test_mixed_naive_bayes_is_categorical_on_categories_alone() -> None:
    rng = np.random.default_rng(1)
    codes, y = rng.integers(3, size=(60, 2)), rng.integers(2, size=60)
    table = pd.DataFrame({name: pd.Categorical(column) for name, column in zip("ab", codes.T, strict=True)})
    expected = CategoricalNB(alpha=1.0).fit(codes, y).predict_proba(codes)
    assert MixedNaiveBayes().fit(table, y).predict_proba(table) == pytest.approx(expected)


def test_mixed_naive_bayes_leaves_missing_cells_out() -> None:
    table = pd.DataFrame({"a": [0.0, 1.0, 5.0, 6.0], "b": [1.0, 2.0, 1.0, 2.0]})
    model = MixedNaiveBayes().fit(table, [0, 0, 1, 1])
    assert model.predict_proba(pd.DataFrame({"a": [np.nan], "b": [np.nan]}))[0] == pytest.approx([0.5, 0.5])


def test_mixed_naive_bayes_refuses_another_number_of_columns() -> None:
    model = MixedNaiveBayes().fit(np.arange(8.0).reshape(4, 2), [0, 0, 1, 1])
    with pytest.raises(InputError, match="X must have 2 columns"):
        model.predict(np.zeros((1, 3)))
