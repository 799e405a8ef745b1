"""How far the periods of the reference differ, so that alarms can correct for rows that resemble each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from shiftproof.core import InputError, Note, as_table, fault
from shiftproof.data import Every, cut_periods
from shiftproof.monitoring._cells import IntArray
from shiftproof.monitoring._inputs import ReferenceInputs
from shiftproof.monitoring._reference import ReferenceColumn
from shiftproof.monitoring.alarms import LEAST_PERIODS, design_effect, period_freedom


@dataclass(frozen=True, kw_only=True)
class PeriodEffects:
    """What the periods of a reference show.

    Attributes
    ----------
    effects : mapping of str to float
        The design effect of every column; empty if it was not measured.
    mean_rows : float or None
        The mean number of rows of a period.
    notes : tuple of Note
        Why it was not measured.
    """

    effects: Mapping[str, float] = field(default_factory=dict)
    mean_rows: float | None = None
    notes: tuple[Note, ...] = ()


def independent_rows(effects: Mapping[str, float], mean_rows: float | None) -> int | None:
    """Return as how many independent rows a batch counts at most; None if periods do not differ or are not known.

    Parameters
    ----------
    effects : mapping of str to float
        The design effect of every column, of which the largest decides.
    mean_rows : float or None
        The mean number of rows of a period.
    """
    effect = max(effects.values(), default=1.0)
    # As a batch grows, its effective rows approach this limit: its rows share what is special about its period.
    return None if mean_rows is None or effect <= 1 else max(round(mean_rows / (effect - 1)), 1)


def measure_periods(
    inputs: ReferenceInputs,
    columns: Mapping[str, ReferenceColumn],
    time: str | None,
    every: Every | None,
    seasons: IntArray | None = None,
) -> PeriodEffects:
    """Measure the design effect of every column, if the reference has a column of periods.

    With the season of each row, only by how much periods differ beyond their seasons.
    """
    if time is None:
        if every is not None:
            raise fault("every", "be given with time", every, "name a column of dates")
        return PeriodEffects(notes=(Note(code="independent rows"),))
    try:
        cut = cut_periods(inputs.table.column(time), every)
    except InputError as error:
        raise error.renamed("by", "time") from None
    pieces = [rows for *_, rows in cut.periods if len(rows)]
    rows = np.concatenate(pieces)
    periods = np.repeat(np.arange(len(pieces)), [len(piece) for piece in pieces])
    own_seasons = np.zeros(len(rows), np.int64) if seasons is None else seasons[rows]
    missing = LEAST_PERIODS - 1 - period_freedom(periods, own_seasons)
    if missing > 0:
        detail = f"{len(pieces)} periods; {len(pieces) + missing}"
        return PeriodEffects(notes=(Note(code="few periods", subject=time, detail=detail),))
    tables = [inputs.table]
    if inputs.scores is not None and inputs.probabilities is not None:
        tables.insert(0, as_table(inputs.scores.columns_of(inputs.probabilities)))
    effects = {}
    for name, column in columns.items():
        table = next(table for table in tables if name in table.names)
        cells = column.cells.codes(table.column(name))[rows].astype(np.float64)
        effects[name] = design_effect(
            np.where(cells == 0, np.nan, cells),
            periods,
            nominal=column.plan.kind == "category",
            seasons=own_seasons,
        )[0]
    return PeriodEffects(effects=effects, mean_rows=float(len(rows) / len(pieces)))
