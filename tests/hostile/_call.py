"""What a verb is called with, plain: small tables, labels, two cheap models; a hostile input changes one part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin

ROWS, NEW_ROWS = 60, 48
COLOURS = ("blue", "green", "red")


class Tiny(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Nearest class mean, in a few lines of NumPy: takes numbers of any type, and text by its letters."""

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        cells, labels = as_numbers(X), np.asarray(y)
        weights = np.ones(len(labels)) if sample_weight is None else np.asarray(sample_weight)
        self.classes_ = self.known_ = np.unique(labels)
        of_class = [labels == label for label in self.classes_]
        self.means_ = np.array([weights[rows] @ cells[rows] / weights[rows].sum() for rows in of_class])
        return self

    def predict_proba(self, X: Any) -> Any:
        distances = ((as_numbers(X)[:, None, :] - self.means_) ** 2).sum(axis=2)
        odds = np.exp(self.scale * (distances.min(axis=1, keepdims=True) - distances) / 2)
        return odds / odds.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> Any:
        return self.known_[Tiny.predict_proba(self, X).argmax(axis=1)]


def as_numbers(X: Any) -> Any:
    """Turn cells of any type into floats, each by its own value: the type of its column makes no difference."""
    if hasattr(X, "toarray"):
        return np.asarray(X.toarray(), dtype=float)
    if isinstance(X, pd.DataFrame):
        columns = [X.iloc[:, place].tolist() for place in range(X.shape[1])]
        return np.array([[_as_number(cell) for cell in column] for column in columns]).T
    cells = np.asarray(X)
    return cells.astype(float) if cells.dtype.kind != "O" else np.vectorize(_as_number, otypes=[float])(cells)


def _as_number(cell: Any) -> float:
    if isinstance(cell, str):
        return (sum(map(ord, cell)) % 7) / 7
    if cell is None or cell != cell:
        return 0.0
    return cell.timestamp() / 1e9 if hasattr(cell, "timestamp") else float(cell)


@dataclass(frozen=True)
class Call:
    """The parts of a call; a verb takes those that it has arguments for.

    `scores` and `new_scores` are probabilities of both classes, `y_new` the labels of the new rows, `results` losses to
    compare. `options` are passed on to every verb that takes them.
    """

    models: Any
    X: Any
    y: Any
    new: Any
    y_new: Any
    scores: Any
    new_scores: Any
    results: Any
    options: Mapping[str, Any] = field(default_factory=dict)

    def with_option(self, **options: Any) -> Call:
        """Add options."""
        return replace(self, options={**self.options, **options})


def two_models() -> dict[str, Any]:
    """Return two models that rank rows differently."""
    return {"m": Tiny(), "n": Tiny(scale=-0.2)}


def rows(n: int, seed: int) -> tuple[pd.DataFrame, Any]:
    """Draw a number, a whole number and a colour, and labels that depend on the first two."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n), rng.integers(0, 5, n)
    y = (rng.random(n) < 1 / (1 + np.exp(-1.5 * a + 0.5 * (b - 2)))).astype(int)
    return pd.DataFrame({"a": a, "b": b, "c": np.asarray(COLOURS, dtype=object)[rng.integers(0, 3, n)]}), y


@cache
def losses() -> pd.DataFrame:
    """Return the losses of three methods on eight data sets."""
    rng = np.random.default_rng(3)
    return pd.DataFrame(rng.random((8, 3)), columns=["A", "B", "C"]).rename_axis("dataset").reset_index()


@cache
def _plain() -> Call:
    X, y = rows(ROWS, 0)
    new, y_new = rows(NEW_ROWS, 1)
    model = Tiny().fit(*rows(ROWS, 2))
    return Call(
        models=two_models(),
        X=X,
        y=y,
        new=new,
        y_new=y_new,
        scores=model.predict_proba(X),
        new_scores=model.predict_proba(new),
        results=losses(),
    )


def plain() -> Call:
    """Return the plain call; nobody can change what the next one gets."""
    call = _plain()
    parts = {name: getattr(call, name).copy() for name in ("X", "y", "new", "y_new", "scores", "new_scores", "results")}
    return replace(call, **parts, models=two_models())
