from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests._stores import Place, Stores
from tests.monitoring._countries import rows as countries

from shiftproof.monitoring import Baseline, Monitor

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


def make_batch(n: int = 100, *, shift: float = 0.0, seed: int = 0) -> Table:
    """Return a table without labels."""
    table = make_table(n, shift=shift, seed=seed)
    del table["y"]
    return table


@pytest.fixture(scope="session")
def empty_store(baseline: Baseline, stores: Stores) -> Place:
    """Return a store with a monitor and no batches, to be copied."""
    place = stores.new()
    Monitor(place, baseline)
    return place


@pytest.fixture
def store(empty_store: Place, stores: Stores) -> Place:
    """Return a store of its own with a monitor and no batches."""
    return stores.copy(empty_store)


@pytest.fixture
def monitor(store: Place) -> Monitor:
    """Return a monitor without batches."""
    return Monitor(store)


@pytest.fixture(scope="session")
def watched(empty_store: Place, stores: Stores) -> Monitor:
    """Return a monitor with ten batches, of which the sixth to eighth are shifted; nobody may change it."""
    monitor = Monitor(stores.copy(empty_store))
    for day in range(10):
        batch = make_batch(200, shift=15.0 if 5 <= day < 8 else 0.0, seed=day + 1)
        monitor.add(batch, at=f"2024-03-{day + 1:02d}", id=f"day {day}")
    return monitor


@pytest.fixture(scope="session")
def segmented() -> Baseline:
    """Make a baseline whose segments are countries."""
    return Baseline.of(countries(4000), scores="p", labels="y", by="country")
