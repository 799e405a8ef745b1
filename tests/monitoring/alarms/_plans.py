"""Small columns and batches for the tests of alarms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shiftproof.monitoring.alarms import BatchFacts, CellPlan

Ints = NDArray[np.int64]
#: Normal values are cut at four quantiles, and their rows counted up to 31 others.
EDGES = np.array([-0.67, 0.0, 0.67])
CUTS = np.linspace(-1.86, 1.86, 31)


def number_counts(values: NDArray[np.float64]) -> Ints:
    """Count missing values, then values between the edges."""
    present = values[~np.isnan(values)]
    return np.array([len(values) - len(present), *np.bincount(np.searchsorted(EDGES, present), minlength=4)])


def below(values: NDArray[np.float64]) -> Ints:
    """Count the rows up to each cut."""
    return np.array((values[:, None] <= CUTS).sum(axis=0))


def number_plan(seed: int = 0, m: int = 400) -> CellPlan:
    """Make a column of normal numbers."""
    values = np.random.default_rng(seed).normal(size=m)
    part, pool = number_counts(values[: m // 4]), number_counts(values[m // 4 :])
    return CellPlan(kind="number", part=part, pool=pool, reference=part + pool, cuts=below(values))


def category_plan() -> CellPlan:
    """Make a column of three levels: missing, not in A, rare, and these."""
    counts = np.array([0, 0, 2, 40, 60, 98])
    return CellPlan(kind="category", part=counts, pool=counts, reference=2 * counts)


def batch_facts(seed: int, *, shift: float = 0.0, n: int = 100, accuracy: float | None = None) -> BatchFacts:
    """Make a batch with one column of each kind."""
    rng = np.random.default_rng(seed)
    values = rng.normal(shift, 1, n)
    levels = rng.multinomial(n, np.array([0, 0, 2, 40, 60, 98]) / 200)
    error = None if accuracy is None else 0.01
    return BatchFacts(
        n=n,
        counts=(number_counts(values), levels),
        below=(below(values), None),
        accuracy=accuracy,
        accuracy_error=error,
    )


def two_columns() -> dict[str, CellPlan]:
    """Return one column of each kind."""
    return {"age": number_plan(), "job": category_plan()}
