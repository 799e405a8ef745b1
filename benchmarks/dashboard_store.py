"""Fill a store with a long history, for the benchmark and the attacks on the dashboard.

A first batch is added for real; the others are copies of its record whose figures wander, written at once: what matters
is that the store holds as many rows as after years, and that real batches can still be added to it.
"""

from __future__ import annotations

import math
import random
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from shiftproof.monitoring import Baseline, Monitor
from shiftproof.monitoring.store import BatchRecord, Store

START = datetime(2015, 1, 1, tzinfo=UTC)


def make_rows(n: int, columns: int, seed: int) -> dict[str, Any]:
    """Return a table with a score, its label, and so many columns."""
    rng = np.random.default_rng(seed)
    rows: dict[str, Any] = {f"x{place:02d}": rng.normal(size=n) for place in range(columns - 1)}
    p = 1 / (1 + np.exp(-2 * rows["x00"]))
    return rows | {"p": p, "y": np.where(rng.random(n) < p, "yes", "no")}


def without_labels(rows: dict[str, Any]) -> dict[str, Any]:
    """Return the table of a batch."""
    return {name: values for name, values in rows.items() if name != "y"}


def _wandered(record: BatchRecord, place: int, chance: random.Random) -> BatchRecord:
    """Return the record of another batch, some hours later."""
    wave = 0.03 * math.sin(place / 90) + chance.gauss(0, 0.01)
    figures = [
        replace(
            one,
            estimate=one.estimate + wave,
            low=None if one.low is None else one.low + wave,
            high=None if one.high is None else one.high + wave,
        )
        for one in record.figures
    ]
    columns = [replace(one, distance=abs(one.distance + chance.gauss(0, 0.01))) for one in record.columns]
    at = START + timedelta(hours=8 * place)
    return replace(
        record,
        id=f"batch {place}",
        checksum=f"{place}",
        at=at,
        arrived=at,
        figures=tuple(figures),
        columns=tuple(columns),
    )


def fill(path: Path, *, batches: int = 10_000, columns: int = 50) -> None:
    """Create the store."""
    monitor = Monitor(path, Baseline.of(make_rows(2000, columns, 0), scores="p", labels="y"))
    monitor.add(without_labels(make_rows(500, columns, 1)), at=START, id="batch 0")
    chance = random.Random(0)  # noqa: S311 - figures, not secrets
    store = Store(path)
    with store.log(1, write=True) as log:
        first = log.find("batch 0")
        assert first is not None  # noqa: S101 - it was added above
        (_, reading), counts = log.readings()[0], log.counts(0, 1)[first.number]
        for place in range(1, batches):
            log.append(_wandered(first, place, chance), reading, counts)


if __name__ == "__main__":
    before = time.perf_counter()
    fill(Path(sys.argv[1]))
    print(f"{time.perf_counter() - before:.0f} s, {Path(sys.argv[1]).stat().st_size / 1e6:.0f} MB")
