"""Small audits to look at: nothing changed, shares changed, other rows came, nonsense came."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from tests._forests import whole_forests

from shiftproof.auditing import Audit, Without, audit
from shiftproof.case import NormalMixture
from shiftproof.core import Interval, Sensitive
from shiftproof.panel import cross_fit

LABELS = ("no", "yes")
QUIET, MOVED = "none", "prior"
MODELS = {
    "lr": LogisticRegression(),
    "nb": GaussianNB(),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
}


def rows(rng: np.random.Generator, n: int, share: float) -> tuple[pd.DataFrame, np.ndarray[Any, np.dtype[Any]]]:
    """Draw rows of two classes that differ in two of three features."""
    codes = (np.arange(n) < round(n * share)).astype(int)
    x = rng.normal(size=(n, 3)) + np.outer(codes, [1.2, 0.8, 0.0])
    order = rng.permutation(n)
    return pd.DataFrame(x[order], columns=["one", "two", "three"]), np.array(LABELS)[codes[order]]


def tables(kind: str, seed: int = 0, n: int = 900, m: int = 700) -> tuple[Any, Any, Any, Any]:
    """Give labelled rows and new ones, and the new ones' labels."""
    rng = np.random.default_rng(seed)
    X, y = rows(rng, n, 0.4)
    if kind == "prior":
        return X, y, *rows(rng, m, 0.85)
    X_new, y_new = rows(rng, m, 0.4)
    if kind == "nonsense":
        X_new = X_new * [1.0, 1.0, 0.0] + [6.0, -6.0, 9.0]
    return X, y, X_new, y_new


@lru_cache
@whole_forests()
def audited(kind: str) -> tuple[Audit, Any]:
    """Audit once for all tests; also give the labels that were held back."""
    size = {"n": 2_000, "m": 1_500} if kind == "none" else {}
    X, y, X_new, y_new = tables(kind, **size)
    return audit(MODELS, X, y, X_new, cv=5, progress=False), y_new


def with_estimate(found: Audit, measure: str, **changed: Any) -> Audit:
    """Take an audit with another estimate of one measure, or one more, of the recommended model."""
    estimates = {name: {measure: one["accuracy"]} | dict(one) for name, one in found.performance.estimates.items()}
    estimates[found.best][measure] = replace(estimates[found.best][measure], **changed)
    return replace(found, performance=replace(found.performance, estimates=estimates))


def expecting(estimate: float, low: float, high: float, *, kind: str = QUIET, **changed: Any) -> Audit:
    """Take an audit with another estimate for the recommended model, whose validated accuracy is 0.8."""
    interval = Interval(estimate=estimate, low=low, high=high, level=0.9, method="routed pool")
    # A normal belief with these ends, each side with its own width as far as the chance of a loss goes.
    side = estimate - low if estimate > 0.75 else high - estimate
    belief = NormalMixture(np.ones(1), np.full((1, 1), estimate), np.full((1, 1, 1), (side / 1.645) ** 2))
    found = with_estimate(audited(kind)[0], "accuracy", interval=interval, validated=0.8, belief=belief)
    return replace(found, **changed)


def without(low: float = 0.926, high: float = 0.967, columns: tuple[str, ...] = ("month",)) -> Without:
    """Leave out a month that is new."""
    interval = Interval(estimate=(low + high) / 2, low=low, high=high, level=0.9, method="routed pool")
    values = dict.fromkeys(columns, Sensitive("'aug'"))
    return Without(columns=columns, values=values, model="lr", measure="accuracy", interval=interval, validated=0.94)


def monthly(*, quick: bool = False, fitted: str = "") -> Audit:
    """Audit rows of July on rows of August, in which the month is the only change."""
    rng = np.random.default_rng(0)
    y, y_new = rng.integers(0, 2, 150), rng.integers(0, 2, 100)
    X, X_new = (
        pd.DataFrame({"x": rng.normal(size=len(codes)) + 2.0 * codes, "month": month})
        for codes, month in ((y, rng.choice([6.0, 7.0], 150)), (y_new, 8.0))
    )
    models: Any = {"nb": GaussianNB().fit(X, y) if fitted == "deployed" else GaussianNB()}
    settings: Any = {"cv": "prefit" if fitted == "deployed" else 3}
    if fitted == "panel":
        models, settings = cross_fit(models, X, y, **settings), {}
    kinds = {"month": "nominal"}
    return audit(models, X, y, X_new, quick=quick, kinds=kinds, reverse=False, progress=False, **settings)
