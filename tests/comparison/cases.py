"""Losses to compare, made once."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

import shiftproof as sp

# Demsar (2006), Table 6: AUC of C4.5 with four settings on 14 data sets.
# Voting (the last but one) prints 0.975 twice and ranks them 2 and 3.
FOUR_TREES = pd.DataFrame(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.9749],
        [0.957, 0.978, 0.946, 0.970],
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)
HOSTILE = ("<b>$x$</b>", "🙂 " + "long " * 40, "C;D\x1b[31m")


@cache
def losses(n: int = 9, *, folds: int = 0) -> pd.DataFrame:
    """Make losses of four methods at three prevalences; "good" and "fine" are alike, "none" is far behind."""
    rng = np.random.default_rng(0)
    rows = []
    for dataset in range(n):
        for prevalence in (0.1, 0.5, 0.9):
            for fold in range(folds) if folds else (None,):
                for name, spread in (("none", 0.4), ("fair", 0.09), ("good", 0.03), ("fine", 0.033)):
                    row = {"dataset": f"set {dataset}", "method": name, "prevalence": prevalence}
                    row["loss"] = spread * (0.5 + rng.random()) + 0.02 * (dataset % 3)
                    rows.append(row if fold is None else row | {"fold": fold})
    return pd.DataFrame(rows)


@cache
def comparison_of(**settings: object) -> sp.Comparison:
    """Compare the methods of `losses`."""
    return sp.compare(losses(), **settings)  # type: ignore[arg-type]
