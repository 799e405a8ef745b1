"""Small audits to look at: nothing changed, shares changed, other rows came, nonsense came."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from tests._forests import whole_forests

from shiftproof.auditing import Audit, audit

LABELS = ("no", "yes")
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
