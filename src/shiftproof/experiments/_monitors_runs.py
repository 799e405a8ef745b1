"""Simulated streams watched by a monitor: how often its alarms are false, and how soon they come after a change."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from shiftproof.experiments._cells import cell_seed
from shiftproof.monitoring import Baseline, Monitor

if TYPE_CHECKING:
    from shiftproof.experiments._sources import DataSources

LEVELS = ("changed", "material", "harm")
REFERENCE, ROWS = 3000, 200
#: A category that is rare before the change.
RARE = 0.01


def _moved(rows: pd.DataFrame, by: float) -> pd.DataFrame:
    return rows.assign(x=rows["x"] + by)


def _wider(rows: pd.DataFrame, times: float) -> pd.DataFrame:
    return rows.assign(x=rows["x"] * times)


def _commoner(rows: pd.DataFrame, share: float) -> pd.DataFrame:
    """Put the rare category into more rows: the first ones, which are as random as any."""
    kinds = rows["kind"].to_numpy(dtype=object)
    kinds[: round(share * len(rows))] = "rare"
    return rows.assign(kind=kinds)


#: What changes, by name; each changes a batch of rows.
CHANGES: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "nothing": lambda rows: rows,
    "x + 0.25 sd": lambda rows: _moved(rows, 0.25),
    "x + 0.5 sd": lambda rows: _moved(rows, 0.5),
    "x + 1 sd": lambda rows: _moved(rows, 1.0),
    "sd of x times 1.3": lambda rows: _wider(rows, 1.3),
    "rare category 1% to 4%": lambda rows: _commoner(rows, 0.03),
}


def draw_rows(n: int, rng: np.random.Generator) -> tuple[pd.DataFrame, Any]:
    """Draw rows with two numbers and a category, the score of a model, and labels."""
    x, z = rng.normal(size=n), rng.normal(size=n)
    p = 1 / (1 + np.exp(-1.5 * x - z))
    kind = np.where(rng.random(n) < RARE, "rare", np.where(rng.random(n) < 0.5, "a", "b"))
    return pd.DataFrame({"x": x, "z": z, "kind": kind, "p": p}), (rng.random(n) < p).astype(int)


def watched_stream(_sources: DataSources, change: str, stream: int, quiet: int, changed: int) -> pd.DataFrame:
    """Watch quiet batches and then changed ones; return for each level when it alarmed first.

    Parameters
    ----------
    change : str
        What changes, a key of CHANGES.
    stream : int
        The number of the stream.
    quiet, changed : int
        How many batches come before and after the change.
    """
    # One stream after the other has the same quiet batches, whatever changes afterwards.
    rng = np.random.default_rng(cell_seed("stream", stream))
    reference, y = draw_rows(REFERENCE, rng)
    first: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        monitor = Monitor(str(Path(folder) / "store.db"), Baseline.of(reference, scores="p", labels=y))
        for number in range(quiet + changed):
            rows, _ = draw_rows(ROWS, rng)
            if number >= quiet:
                rows = CHANGES[change](rows)
                rows = rows.assign(p=1 / (1 + np.exp(-1.5 * rows["x"] - rows["z"])))
            update = monitor.add(rows, id=f"batch {number}", at=pd.Timestamp("2024-01-01") + pd.Timedelta(days=number))
            for incident in update.opened:
                first.setdefault(incident.level, number)
    found = [(level, first.get(level, -1)) for level in LEVELS]
    table = pd.DataFrame(found, columns=["level", "first"])
    return table.assign(false=(table["first"] >= 0) & (table["first"] < quiet), delay=table["first"] - quiet + 1)
