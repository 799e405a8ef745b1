"""Hostile models: each is the plain one but for a single fault or oddity."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from tests.hostile._call import Tiny, as_numbers


def giving(change: Any) -> type[Tiny]:
    """Return a model whose probabilities are those of the plain one, changed."""

    class Changed(Tiny):
        def predict_proba(self, X: Any) -> Any:
            return change(super().predict_proba(X))

    return Changed


class Reversed(Tiny):
    """Orders its classes the other way round, and its columns with them."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        super().fit(X, y, sample_weight)
        self.classes_ = self.known_ = self.classes_[::-1]
        self.means_ = self.means_[::-1]
        return self


class Buffered(Tiny):
    """Writes into one array, again and again, as wrappers of compiled models do."""

    buffer: ClassVar[Any] = np.zeros((1000, 2))

    def predict_proba(self, X: Any) -> Any:
        scores = super().predict_proba(X)
        self.buffer[: len(scores)] = scores
        return self.buffer[: len(scores)]


class ChangesItsInput(Tiny):
    """Overwrites the rows it scores, once they are scored."""

    def predict_proba(self, X: Any) -> Any:
        scores = super().predict_proba(X)
        if isinstance(X, pd.DataFrame):
            X.iloc[:, 0] = 0.0
        return scores


class SeedsTheWorld(Tiny):
    """Sets NumPy's global seed."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        np.random.seed(0)  # noqa: NPY002
        return super().fit(X, y, sample_weight)


class ReturnsNothing(Tiny):
    """Forgets to return itself from fit."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        super().fit(X, y, sample_weight)
        return None  # type: ignore[return-value]


class OfUnknownClass(Tiny):
    """Knows a class that the labels do not have."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        super().fit(X, y, sample_weight)
        self.classes_ = np.array(["maybe", "perhaps"])
        return self


class WithoutClasses(Tiny):
    """Has no attribute classes_, so its columns are taken in sorted order."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        super().fit(X, y, sample_weight)
        del self.classes_
        return self


class FailsToFit(Tiny):
    """Raises an error of several lines."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NoReturn:
        raise ValueError("cannot fit\nfor a reason\nof three lines")


class RunsOutOfMemory(Tiny):
    """Raises an error without a message."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NoReturn:
        raise MemoryError


class FailsToScore(Tiny):
    """Raises an error when it scores."""

    def predict_proba(self, X: Any) -> NoReturn:
        raise KeyError("scores")


class FailsOnFewRows(Tiny):
    """Scores all rows at once, but not those of one fold."""

    def predict_proba(self, X: Any) -> Any:
        if len(X) < 40:
            raise RuntimeError("too few rows")
        return super().predict_proba(X)


class Decides(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Has a decision function and no probabilities; `change` is done to its values."""

    change: ClassVar[Any] = staticmethod(lambda values: values)

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_, self.mean_ = np.unique(y), as_numbers(X).mean(axis=0)
        return self

    def decision_function(self, X: Any) -> Any:
        return self.change((as_numbers(X) - self.mean_)[:, 0])

    def predict(self, X: Any) -> Any:
        return self.classes_[((as_numbers(X) - self.mean_)[:, 0] > 0).astype(int)]


def deciding(how: Any) -> type[Decides]:
    """Return a model whose decision values are changed."""

    class Changed(Decides):
        change: ClassVar[Any] = staticmethod(how)

    return Changed


class OnlyPredicts(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Has neither probabilities nor a decision function."""

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_[:1], len(X))
