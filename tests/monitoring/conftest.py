from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shiftproof.monitoring import Baseline

Table = dict[str, Any]


def make_table(n: int, *, shift: float = 0.0, seed: int = 0) -> Table:
    """Return a table with a number, one with gaps, a category, a score and its label."""
    rng = np.random.default_rng(seed)
    age = rng.normal(40 + shift, 10, n)
    p = 1 / (1 + np.exp((40 - age) / 5))
    return {
        "age": age,
        "gap": np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
        "job": rng.choice(["clerk", "nurse", "pilot"], n),
        "p": p,
        "y": np.where(rng.random(n) < p, "yes", "no"),
    }


@pytest.fixture(scope="session")
def table() -> Table:
    return make_table(400)


@pytest.fixture(scope="session")
def baseline(table: Table) -> Baseline:
    return Baseline.of(table, scores="p", labels="y")
