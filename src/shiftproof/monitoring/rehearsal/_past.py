"""The user's own past, as batches: cut by time, by size, or as they came."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.core import (
    Argument,
    Floats,
    InputError,
    Phrase,
    as_table,
    check_count,
    counted,
    fault,
    shown,
    unknown_name,
)
from shiftproof.data import Every, read_rows
from shiftproof.monitoring._inputs import read_table
from shiftproof.monitoring._words import batches_text
from shiftproof.monitoring.rehearsal._replay import PastBatch

if TYPE_CHECKING:
    from shiftproof.monitoring._baseline import Baseline

#: With fewer batches nothing can be said about how batches differ.
FEWEST_BATCHES = 5


def past_batches(
    baseline: Baseline,
    past: Any,
    *,
    time: Any = None,
    every: Every | None = None,
    size: int | None = None,
    labels: Any = None,
) -> list[PastBatch]:
    """Cut the past into batches and compare each with the reference.

    Parameters
    ----------
    baseline : Baseline
        The reference.
    past : table, or sequence of tables or paths
        One table is cut by `time` or `size`; of several, each is a batch.
    time, every, size, labels
        As `Monitor.rehearse` has them.
    """
    if labels is not None and baseline.scores is None:
        raise fault(
            "labels", "be left out", shown(labels), "without scores in the baseline, accuracy cannot be computed"
        )
    pieces = list(_cut(past, time=time, every=every, size=size, labels=labels))
    if len(pieces) < FEWEST_BATCHES:
        rows = "" if size is None else f" of {counted(size, 'row')}"
        smaller = ("pass a smaller ", Argument("size"), " or ") if size is not None else ()
        shorter = ("split it into shorter periods or ",) if time is not None else ()
        words = f" gives {batches_text(len(pieces))}{rows}; at least {FEWEST_BATCHES} are needed; "
        raise InputError(Argument("past"), words, *smaller, *shorter, "add more past data", argument="past")
    return [_compared(baseline, name, rows, at, labelled) for name, rows, at, labelled in pieces]


def _cut(
    past: Any, *, time: Any, every: Every | None, size: int | None, labels: Any
) -> Iterator[tuple[str, Any, Any, Any]]:
    """Yield the name, the rows, the time and the labels of each batch."""
    if _is_several(past):
        given = {"time": time, "every": every, "size": size}
        for argument in (name for name, value in given.items() if value is not None):
            raise fault(argument, "be left out for a list of batches", given[argument], "each of them is a batch")
        if labels is not None and not isinstance(labels, str):
            raise fault("labels", "name a column for a list of batches", type(labels).__name__, "add it to each batch")
        for number, batch in enumerate(past, 1):
            named = Path(batch).name if isinstance(batch, (str, os.PathLike)) else f"batch {number}"
            rows = read_rows(batch) if isinstance(batch, (str, os.PathLike)) else batch
            yield named, rows, None, _labels(rows, labels)
        return
    # Adding a batch must not wait for what only a rehearsal needs.
    from shiftproof.panel import as_features, take

    rows = read_rows(past) if isinstance(past, (str, os.PathLike)) else past
    n_rows, known = read_table(rows, "past").n_rows, _labels(rows, labels)
    for name, at, places in _places(rows, n_rows, time=time, every=every, size=size):
        own = None if known is None else [known[place] for place in places]
        yield name, take(as_features(rows, "past").data, places), at, own


def _is_several(past: Any) -> bool:
    """Return whether this is a list of batches, not one table as a list of rows."""
    if not isinstance(past, (list, tuple)) or not past:
        return False
    first = past[0]
    # The cells of a row are single values, the columns of a table are not.
    columns = isinstance(first, dict) and any(
        hasattr(value, "__len__") and not isinstance(value, str) for value in first.values()
    )
    return columns or isinstance(first, (str, os.PathLike)) or hasattr(first, "columns")


def _places(
    rows: Any, n_rows: int, *, time: Any, every: Every | None, size: int | None
) -> Iterator[tuple[str, Any, np.ndarray]]:
    """Yield the name, the time and the places of the rows of each batch."""
    from shiftproof.backtesting import read_time

    if time is None and size is None:
        raise InputError("the past needs ", Argument("time"), " or ", Argument("size"), ", which split it into batches")
    if time is not None and size is not None:
        raise InputError(Argument("time"), " and ", Argument("size"), " cannot be used together; pass only one")
    if size is not None:
        check_count(size, "size", least=1)
        for start in range(0, n_rows - n_rows % size, size):
            yield f"rows {start + 1:,} to {start + size:,}", None, np.arange(start, start + size)
        return
    for name, start, _, places in read_time(rows, time, n_rows, every=every, periods=None).cut.periods:
        if len(places):
            # Only days and longer periods of the calendar are times.
            yield name, start if isinstance(start, date) else None, places


def _labels(rows: Any, labels: Any) -> list[Any] | None:
    if labels is None:
        return None
    table = as_table(rows, "past")
    if isinstance(labels, str):
        if labels not in table.names:
            raise unknown_name("labels", "name a column of the past", labels, table.names)
        return list(table.column(labels).cells())
    known = list(labels)
    if len(known) != table.n_rows:
        got = Phrase(f"{len(known):,} for {table.n_rows:,}")
        raise fault("labels", "have one label per row of the past", got, "pass the labels of the same rows")
    return known


def _compared(baseline: Baseline, name: str, rows: Any, at: Any, labels: list[Any] | None) -> PastBatch:
    return PastBatch(name=name, facts=baseline.summarise(rows, at=at).facts, actual=_actual(baseline, rows, labels))


def _actual(baseline: Baseline, rows: Any, labels: list[Any] | None) -> float | None:
    """Return the share of rows that the model predicts correctly."""
    if labels is None or baseline.scores is None:
        return None
    if not baseline.scores.classes:
        hint = "make the baseline with labels"
        raise fault("labels", "be left out", Phrase(counted(len(labels), "label")), hint)
    from shiftproof.panel import encode_known

    codes = encode_known(labels, np.asarray(baseline.scores.classes), "labels")
    probabilities: Floats = baseline.scores.read(as_table(rows, "past"), "past data")
    return float((probabilities.argmax(axis=1) == codes).mean())
