"""Two Parquet files with labels and a column of scores, for tests of models that are given by their scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

N = 800


def rows(side: int) -> pd.DataFrame:
    rng = np.random.default_rng(side)
    x = rng.normal(0.4 * side, 1, (N, 3))
    p = 1 / (1 + np.exp(0.5 - 1.5 * x[:, 0]))
    labels = np.where(rng.random(N) < p, "yes", "no")
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "job": rng.choice(["x", "y"], N), "y": labels, "p": p})


def write_files(folder: Path) -> tuple[Path, Path]:
    paths = folder / "old.parquet", folder / "new.parquet"
    for side, path in enumerate(paths):
        rows(side).to_parquet(path, row_group_size=300)
    return paths
