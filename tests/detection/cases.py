"""Tables with and without a shift, and scores of their rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from shiftproof.core import InputError


def error_of(call: Callable[[], object]) -> str:
    """Return the sentence with which a call refuses its input."""
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value)


def task(n: int, seed: int = 0, *, move: float = 0.0) -> tuple[pd.DataFrame, np.ndarray]:
    """Return rows whose column `a` decides the label with noise, moved after the labels are drawn."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    y = (X["a"] + rng.normal(size=n) > 0).to_numpy().astype(int)
    X["a"] += move
    return X, y


OLD, Y = task(300)

NEW, _ = task(200, 4)

MOVED, _ = task(200, 4, move=1.0)


def scores(X: pd.DataFrame) -> np.ndarray:
    """Return a score that rises with column `a`."""
    return np.asarray(1 / (1 + np.exp(-X["a"])))


def table(n: int, *, seed: int, shift: float = 0.0) -> pd.DataFrame:
    """Return two columns of numbers, of which `x` may be shifted, and one of categories."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"x": rng.normal(shift, 1, n), "z": rng.normal(size=n), "c": rng.choice(["a", "b"], n)})
