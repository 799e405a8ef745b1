"""What a baseline keeps of one column of the reference: its cells, and how many rows lie in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shiftproof.core import HIDDEN, Column, InputError, Nature, as_table, is_missing, nature, shown
from shiftproof.data import Kind
from shiftproof.monitoring._cells import CategoryCells, Cells, Flags, IntArray, NumberCells, coded_levels, level_key
from shiftproof.monitoring.alarms import CellPlan


@dataclass(frozen=True, eq=False, kw_only=True)
class ReferenceColumn:
    """One column of the reference, without its rows.

    Attributes
    ----------
    name : str
        The column.
    kind : str
        How it enters the statistics.
    nature : Nature
        The type of its values, which a batch must have as well.
    cells : NumberCells or CategoryCells
        Where it is cut.
    part, total : ndarrays of int, shape (cells,)
        How many rows of part A, and of the whole reference, lie in each fine cell.
    by_class : ndarray of int, shape (classes, cells)
        The same of every class; no rows without labels.
    """

    name: str
    kind: Kind
    nature: Nature
    cells: Cells
    part: IntArray
    total: IntArray
    by_class: IntArray

    @property
    def plan(self) -> CellPlan:
        """What the alarms need to know."""
        part, total = self.coarse(self.part), self.coarse(self.total)
        number = isinstance(self.cells, NumberCells)
        cuts = self.cells.at_cuts(self.total) if isinstance(self.cells, NumberCells) else None
        return CellPlan(
            kind="number" if number else "category", part=part, pool=total - part, reference=total, cuts=cuts
        )

    @property
    def n_present(self) -> int:
        """How many rows have a value."""
        return int(self.total[1:].sum())

    def coarse(self, fine: IntArray) -> IntArray:
        """Join counts of fine cells into those of the alarms' cells."""
        return self.cells.coarse(fine) if isinstance(self.cells, NumberCells) else fine

    def comparable(self, column: Column) -> Column:
        """Return a column of another table with its numbers as text if the reference has some of them as text.

        A file whose codes are all digits is read as numbers, although the codes of the reference are text ("1", "A").
        Leading zeros are lost: such codes count as never seen.
        """
        if isinstance(self.cells, NumberCells) or self.nature.made_of != "text" or nature(column).made_of != "number":
            return column
        texts = [None if is_missing(cell) else level_key(cell)[2:] for cell in column.cells()]
        written = as_table({self.name: texts}).column(self.name)
        # Numbers that the reference never had as text are a mistake, such as codes in place of names.
        return written if self.cells.count(written)[1].keys() != {*texts} - {None} else column

    def plus(self, other: ReferenceColumn) -> ReferenceColumn:
        """Add the counts of other rows on the same cells."""
        if not same_cells(self.cells, other.cells):
            raise InputError(
                f"baselines can only be added if their cells are the same; the cells of {shown(self.name)} differ"
            )
        cells: Cells = self.cells
        if isinstance(cells, CategoryCells) and isinstance(other.cells, CategoryCells):
            cells = replace(cells, known=np.union1d(cells.known, other.cells.known))
        return replace(
            self,
            cells=cells,
            part=self.part + other.part,
            total=self.total + other.total,
            by_class=self.by_class + other.by_class,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class ReferenceDraw:
    """How the rows of a reference are divided.

    Attributes
    ----------
    draws : ndarray of shape (n,)
        A number from 0 to 1 per row; the rows below a threshold are part A.
    codes : ndarray of int, shape (n,), or None
        The class of each row.
    n_classes : int
        How many classes there are; 0 without labels.
    salt : bytes
        What categories are hashed with.
    redact : bool
        Whether to hide the names of categories and examples of values.
    """

    draws: np.ndarray[tuple[int], np.dtype[np.float64]]
    codes: IntArray | None
    n_classes: int
    salt: bytes
    redact: bool

    def part(self, least_share: float) -> Flags:
        """Return the rows of part A: a share of the reference, and about 50 rows or half of a small reference."""
        return np.asarray(self.draws < part_share(least_share, len(self.draws)))


def part_share(least: float, n_rows: int) -> float:
    """Return the share of rows in part A: the least one, or about 50 rows or half of a small reference.

    Examples
    --------
    >>> part_share(0.25, 1_000), part_share(0.25, 150)
    (0.25, 0.3333333333333333)
    """
    return max(least, min(0.5, 50 / n_rows))


def learn_column(column: Column, kind: Kind, drawing: ReferenceDraw) -> ReferenceColumn:
    """Fix the cells of a column by part A, and count the reference."""
    cells, part = _learn_cells(column, kind, drawing)
    return count_column(column, kind, cells, part, drawing)


def count_column(column: Column, kind: Kind, cells: Cells, part: Flags, drawing: ReferenceDraw) -> ReferenceColumn:
    """Count the rows of a column on cells that are fixed."""
    codes, size = cells.codes(column), cells.n_fine
    by_class = np.zeros((drawing.n_classes, size), dtype=np.int64)
    if drawing.codes is not None:
        by_class = np.bincount(drawing.codes * size + codes, minlength=drawing.n_classes * size).reshape(-1, size)
    values = nature(column)
    return ReferenceColumn(
        name=column.name,
        kind=kind,
        nature=replace(values, example=HIDDEN if values.example else "") if drawing.redact else values,
        cells=cells,
        part=np.bincount(codes[part], minlength=size),
        total=np.bincount(codes, minlength=size),
        by_class=by_class,
    )


def count_parts(
    column: Column, known: ReferenceColumn, drawing: ReferenceDraw, parts: Sequence[IntArray], *, learnt: bool
) -> list[ReferenceColumn]:
    """Count parts of the reference, given by the numbers of their rows, on the cells of a column.

    Parameters
    ----------
    column : Column
        All its rows.
    known : ReferenceColumn
        The column, with its cells.
    drawing : ReferenceDraw
        How the rows are divided.
    parts : sequence of array of int
        The rows of each part.
    learnt : bool
        Whether part A of these rows fixed the cells; otherwise all of them can be compared.
    """
    codes, size = known.cells.codes(column), known.cells.n_fine
    share = 0.25 if isinstance(known.cells, NumberCells) else 0.5
    part_a = drawing.part(share) if learnt else np.zeros(len(codes), dtype=np.bool_)
    classes = range(drawing.n_classes)
    return [
        replace(
            known,
            part=np.bincount(codes[rows[part_a[rows]]], minlength=size),
            total=np.bincount(codes[rows], minlength=size),
            by_class=np.array(
                [np.bincount(codes[rows[drawing.codes[rows] == code]], minlength=size) for code in classes]
                if drawing.codes is not None
                else np.empty((0, size)),
                dtype=np.int64,
            ),
        )
        for rows in parts
    ]


def same_cells(one: Cells, other: Cells) -> bool:
    """Return whether two columns are cut alike, so that their counts can be added."""
    fields = ("bounds", "inclusive", "closing", "cuts", "ends") if isinstance(one, NumberCells) else ("hashes", "rare")
    same = type(one) is type(other) and all(np.array_equal(getattr(one, f), getattr(other, f)) for f in fields)
    return same and getattr(one, "salt", b"") == getattr(other, "salt", b"")


def _learn_cells(column: Column, kind: Kind, drawing: ReferenceDraw) -> tuple[Cells, Flags]:
    # Of a column without values nothing is known, not even whether it has an order.
    if kind == "nominal" or nature(column).made_of == "empty":
        part = drawing.part(0.5)
        return _category_cells(column, part, drawing), part
    part = drawing.part(0.25)
    values, missing = column.numbers()
    of_values = part
    if missing:
        of_values = part[~np.asarray(column.values.is_null().to_numpy(), dtype=np.bool_)]
    present = np.isfinite(values) | np.isinf(values)
    return NumberCells.of(values[present], of_values[present]), part


def _category_cells(column: Column, part: Flags, drawing: ReferenceDraw) -> CategoryCells:
    levels, codes = coded_levels(column)
    # The code of missing values is -1.
    counts = np.bincount(codes[part] + 1, minlength=len(levels) + 1)[1:]
    return CategoryCells.of(dict(zip(levels, counts.tolist(), strict=True)), salt=drawing.salt, redact=drawing.redact)
