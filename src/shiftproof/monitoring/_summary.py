"""A batch, compared with a baseline: counts for the alarms, and what a reader wants to know of every column."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from shiftproof.core import Column, Interval, Note, Result, Table, check_comparable, counted, listed, shown
from shiftproof.monitoring._baseline_words import summary_text
from shiftproof.monitoring._cells import IntArray, NumberCells
from shiftproof.monitoring._moments import BatchShift
from shiftproof.monitoring._performance import AccuracyGrounds
from shiftproof.monitoring._reference import ReferenceColumn
from shiftproof.monitoring.alarms import MISSING, BatchFacts
from shiftproof.stats import NominalRecord, chi_square, hellinger_interval, ks_test

if TYPE_CHECKING:
    import pandas as pd

# How many of the values that the reference never had a note names.
_MOST_NAMES = 3
# How many pairs of a reference and a batch row an exact KS test may have; above, it is asymptotic.
_EXACT_PAIRS = 500_000
# How many rows a cell must be expected to have for the chi-square distribution to fit.
_FEWEST_EXPECTED = 5
# In a small batch a few missing values are a large share.
_BY_CHANCE = 0.01


@dataclass(frozen=True, kw_only=True)
class ColumnChange:
    """One column of a batch, compared with the reference.

    Attributes
    ----------
    column : str
        Its name.
    measure : {"ks", "hellinger"}
        Numbers and dates are compared by the KS distance at up to 255 quantiles of the reference, categories by the
        Hellinger distance of their cells, corrected for its bias.
    distance, p_value : float
        The distance, and how likely chance alone makes one as large; NaN where one side has no values.
    missing_reference, missing : float
        The share of missing values in the reference and in the batch.
    p_missing : float
        How likely chance alone makes the two as different.
    unseen : float
        The share of the batch's values that lie outside the reference's range, or that it never had.
    """

    column: str
    measure: Literal["ks", "hellinger"]
    distance: float
    p_value: float
    missing_reference: float
    missing: float
    p_missing: float
    unseen: float

    @property
    def missing_change(self) -> float:
        """By how much the missing share differs from that of the reference."""
        return abs(self.missing - self.missing_reference)

    @property
    def missing_matters(self) -> bool:
        """Whether the missing share is beyond the limit of *material*, by more than chance."""
        return self.missing_change >= MISSING and self.p_missing < _BY_CHANCE


@dataclass(frozen=True, eq=False, kw_only=True)
class BatchSummary(Result):
    """How a batch compares with a baseline; `Baseline.summarise` returns one.

    Attributes
    ----------
    n_rows : int
        Rows of the batch.
    content : str
        SHA-256 of all its columns; empty for a segment.
    facts : BatchFacts
        Counts for the alarms, in the order of `Baseline.columns`.
    columns : mapping of str to ColumnChange
        Every column of the baseline, scores first.
    accuracy : Interval or None
        The estimate on the batch, with sampling error and the allowance for drift; None without labels in the baseline.
    accuracy_error, allowance : float or None
        The standard error of this estimate from sampling the batch, and what drift adds.
    loss_chance : float or None
        The chance that the accuracy is more than five points below the validated one; None without an estimate.
    shares : mapping of label to Interval
        The estimated class proportions; empty without labels in the baseline.
    shift : BatchShift or None
        The type of shift: none, prior or unclear; None without labels in the baseline.
    grounds : AccuracyGrounds or None
        The figures behind the estimated accuracy, to be compared with labels; None without labels in the baseline.
    notes : tuple of Note
        What else the reader should know.
    segments : mapping of str to BatchSummary
        The same for the rows of each segment, if there are any.
    """

    n_rows: int
    content: str = ""
    facts: BatchFacts
    columns: Mapping[str, ColumnChange]
    accuracy: Interval | None = None
    accuracy_error: float | None = None
    allowance: float | None = None
    loss_chance: float | None = None
    shares: Mapping[Any, Interval]
    shift: BatchShift | None = None
    grounds: AccuracyGrounds | None = None
    notes: tuple[Note, ...] = ()
    segments: Mapping[str, BatchSummary] = field(default_factory=dict)

    @property
    def shift_kind(self) -> str:
        """The type of shift; empty if it cannot be determined."""
        return "" if self.shift is None else self.shift.kind

    @property
    def shift_reason(self) -> str:
        """The reasons for the type of shift, in sentences; empty if it cannot be determined."""
        return "" if self.shift is None else " ".join(self.shift.reasons)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per column of the baseline, as in `ColumnChange`."""
        import pandas as pd

        return pd.DataFrame([vars(change) for change in self.columns.values()])

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the counts as plain values."""
        segments = {name: segment.to_dict() for name, segment in self.segments.items()}
        return self._plain_fields("facts", "grounds", "segments") | {"segments": segments}

    def summary(self) -> str:
        """Summarise the batch in a few sentences."""
        return str(summary_text(self))


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedBatch:
    """The columns of a batch, counted and compared.

    Attributes
    ----------
    n_rows : int
        Its rows.
    fine : mapping of str to array of int
        Rows in each fine cell, per column.
    changes : mapping of str to ColumnChange
        What is different from the reference.
    by_season : mapping of int to tuple of array of int
        Rows in each cell of the alarms, per column, by season; empty without seasons.
    notes : list of Note
        What else the reader should know.
    """

    n_rows: int
    fine: Mapping[str, IntArray]
    changes: Mapping[str, ColumnChange]
    by_season: Mapping[int, tuple[IntArray, ...]]
    notes: list[Note]

    def facts(self, reference: Mapping[str, ReferenceColumn], **accuracy: float | None) -> BatchFacts:
        """Join the counts into what the alarms need."""
        below = [
            column.cells.at_cuts(self.fine[name]) if isinstance(column.cells, NumberCells) else None
            for name, column in reference.items()
        ]
        counts = tuple(column.coarse(self.fine[name]) for name, column in reference.items())
        return BatchFacts(
            n=self.n_rows,
            counts=counts,
            below=tuple(below),
            accuracy=accuracy.get("accuracy"),
            accuracy_error=accuracy.get("accuracy_error"),
            seasons=self.by_season,
        )


def count_batch(
    reference: Mapping[str, ReferenceColumn], table: Table, *, redacted: bool, seasons: IntArray | None = None
) -> CountedBatch:
    """Count every column of a batch on the cells of the reference, and compare it.

    Notes name no category if redacted. A column that the batch lacks counts as missing in every row: nothing is worse
    for a model. With the season of each row, counts are split by season.
    """
    present = [] if seasons is None else np.unique(seasons).tolist()
    pieces: dict[int, list[IntArray]] = {season: [] for season in present}
    everything: dict[str, tuple[IntArray, dict[Any, int]]] = {}
    for name, column in reference.items():
        values = None if name not in table.names else _comparable(column, table)
        counts, _ = everything[name] = _counted(column, values, table.n_rows)
        if len(present) == 1:
            pieces[present[0]].append(column.coarse(counts))
        elif seasons is not None:
            codes = np.zeros(table.n_rows, np.int64) if values is None else column.cells.codes(values)
            size = column.cells.n_fine
            by_season = np.bincount(seasons * size + codes, minlength=(present[-1] + 1) * size).reshape(-1, size)
            for season, piece in pieces.items():
                piece.append(column.coarse(by_season[season]))
    whole = compare_counts(reference, everything, table, redacted=redacted)
    return replace(whole, by_season={season: tuple(counts) for season, counts in pieces.items()})


def count_columns(reference: Mapping[str, ReferenceColumn], table: Table) -> dict[str, tuple[IntArray, dict[Any, int]]]:
    """Count the columns of some rows of a batch, and categories that the reference never had; counts can be added."""
    return {
        name: _counted(column, _comparable(column, table) if name in table.names else None, table.n_rows)
        for name, column in reference.items()
    }


def compare_counts(
    reference: Mapping[str, ReferenceColumn],
    counted_columns: Mapping[str, tuple[IntArray, dict[Any, int]]],
    table: Table,
    *,
    redacted: bool,
) -> CountedBatch:
    """Compare the counts of all columns of a batch with those of the reference."""
    notes = []
    absent = [name for name in reference if name not in table.names]
    if absent:
        notes.append(Note(code="columns absent", detail=listed(absent)))
    changes = {}
    for name, (fine, unseen) in counted_columns.items():
        if unseen:
            notes.append(_unseen_note(name, unseen, redacted=redacted))
        changes[name] = compare_column(reference[name], fine, sum(unseen.values()))
    return CountedBatch(
        n_rows=table.n_rows,
        fine={name: fine for name, (fine, _) in counted_columns.items()},
        changes=changes,
        by_season={},
        notes=notes,
    )


def _comparable(column: ReferenceColumn, table: Table) -> Column:
    """Return a column of a batch; refuse one of another type than in the reference."""
    values = column.comparable(table.column(column.name))
    nominal = not isinstance(column.cells, NumberCells)
    check_comparable(f"column {shown(column.name)}", column.nature, values, nominal=nominal, current="the batch")
    return values


def _counted(column: ReferenceColumn, values: Column | None, n_rows: int) -> tuple[IntArray, dict[Any, int]]:
    """Return the rows in each fine cell, and how often each category occurs that the reference never had."""
    if values is None:
        counts = np.zeros(column.cells.n_fine, dtype=np.int64)
        counts[0] = n_rows
        return counts, {}
    if isinstance(column.cells, NumberCells):
        return column.cells.count(values), {}
    return column.cells.count(values)


def compare_column(column: ReferenceColumn, fine: IntArray, n_unseen: int = 0) -> ColumnChange:
    """Compare the counts of a batch with those of the reference."""
    before, now = int(column.total[0]), int(fine[0])
    n, m = column.n_present, int(fine[1:].sum())
    distance, p_value = math.nan, math.nan
    number = isinstance(column.cells, NumberCells)
    if isinstance(column.cells, NumberCells):
        n_unseen = column.cells.outside(fine)
        if n and m:
            # In whole numbers, so that equal shares are equal.
            gaps = column.cells.below(column.total) * m - column.cells.below(fine) * n
            distance = int(np.abs(gaps).max(initial=0)) / (n * m)
            # The exact test takes up to 15 ms per column, and hardly differs where both samples are large.
            p_value = ks_test(n, m, distance, "auto" if n * m <= _EXACT_PAIRS else "asymptotic").p_value
    elif n and m:
        record = NominalRecord(
            categories=column.cells.names[1:],
            counts_reference=column.total[1:],
            counts_current=fine[1:],
            missing_reference=before,
            missing_current=now,
        )
        distance, p_value = hellinger_interval(record).estimate, _category_p(column.total[1:], fine[1:])
    return ColumnChange(
        column=column.name,
        measure="ks" if number else "hellinger",
        distance=distance,
        p_value=p_value,
        missing_reference=before / (before + n),
        missing=now / (now + m),
        p_missing=chi_square([[n, before], [m, now]]).p_value,
        unseen=n_unseen / m if m else 0.0,
    )


def _category_p(before: IntArray, now: IntArray) -> float:
    """Test whether the shares of categories changed, cells with few expected rows joined."""
    table = np.vstack([before, now])
    few = table.sum(axis=1).min() * table.sum(axis=0) < _FEWEST_EXPECTED * table.sum()
    joined = np.column_stack([table[:, ~few], table[:, few].sum(axis=1)])
    # Random tables, which decide on rare categories elsewhere, would take too long for every batch.
    if joined.shape[1] > 2 or not few.any():
        return chi_square(joined, method="asymptotic").p_value
    return chi_square(table).p_value


def _unseen_note(name: str, unseen: Mapping[Any, int], *, redacted: bool) -> Note:
    names = listed(sorted(unseen, key=lambda value: (-unseen[value], str(value))), most=_MOST_NAMES)
    # Notes are stored and printed, so they must not hold what the baseline hides.
    values = counted(len(unseen), "value") if redacted else names
    detail = f"{values} ({counted(sum(unseen.values()), 'row')})"
    return Note(code="values never seen", subject=name, detail=detail, sensitive=not redacted)
