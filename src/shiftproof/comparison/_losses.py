"""Read the losses of all methods from a table of any shape: none missing, none twice, all numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeGuard

import numpy as np
from numpy.typing import NDArray

from shiftproof.comparison._wide import method_columns
from shiftproof.core import (
    Argument,
    Floats,
    InputError,
    Phrase,
    Table,
    Text,
    as_table,
    counted,
    fault,
    is_missing,
    shown,
    unknown_name,
)

#: Losses by data set and prevalence; by fold, sample and class; and by method.
Cells = dict[tuple[str, Any], dict[tuple[Any, Any, Any], dict[str, float]]]

# Sums and differences of larger numbers would overflow.
_LARGEST = 1e100
# What `run_protocol` returns has these columns besides the data set, the fold, the prevalence and the method.
_OF_PROTOCOL = {"true", "estimated", "label", "sample"}
# What is compared if such a table has no column of losses, and what else can be.
_ABSOLUTE_ERROR, _MATCH_DISTANCE = "absolute error", "match distance"


class Columns(NamedTuple):
    """The names of the columns; None means the usual name, if the table has it."""

    dataset: str = "dataset"
    method: str = "method"
    loss: str = "loss"
    prevalence: str | None = None
    fold: str | None = None

    def usual(self, table: Table) -> Columns:
        """Return the columns with their usual names where none was named and the table has them."""
        # With several classes, a sample has a prevalence for each, so samples cannot be distinguished by it.
        one_prevalence = "prevalence" in table.names and not (_is_protocol(table) and _has_many_labels(table, self))
        return self._replace(
            prevalence=self.prevalence or ("prevalence" if one_prevalence else None),
            fold=self.fold or ("fold" if "fold" in table.names else None),
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Losses:
    """Every method's loss in every cell, that is a data set, or a data set at one prevalence.

    Parameters
    ----------
    datasets, methods : tuple of str
        In the order of the table.
    prevalences : tuple
        The prevalence of each cell; empty without prevalences.
    places : ndarray of int of shape (n_cells,)
        The data set of each cell.
    values : ndarray of shape (n_cells, n_methods)
        Averaged over folds and samples.
    folds : tuple of ndarray of shape (n_folds, n_methods)
        One table per data set, averaged over its prevalences; empty without folds.
    measure : str
        The name of the losses.
    """

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    prevalences: tuple[Any, ...]
    places: NDArray[np.intp]
    values: Floats
    folds: tuple[Floats, ...]
    measure: str


class _Row(NamedTuple):
    """One loss, and where it was measured."""

    dataset: str
    method: str
    prevalence: Any
    fold: Any
    loss: Any
    sample: Any = None
    label: Any = None

    @property
    def where(self) -> str:
        """The data set, prevalence, fold and sample in words."""
        more = f" at prevalence {self.prevalence:g}" if isinstance(self.prevalence, float) else ""
        if not more and self.prevalence is not None:
            more = f" at prevalence {shown(self.prevalence)}"
        parts = [
            f", {part} {shown(getattr(self, part))}" for part in ("fold", "sample") if getattr(self, part) is not None
        ]
        return f"{shown(self.dataset)}{more}{''.join(parts)}"


def read_losses(results: object, columns: Columns) -> Losses:
    """Read a long table, a wide one, a dict of dicts, or what `run_protocol` returns.

    Gaps, duplicates and what is not a number are refused.
    """
    measure = columns.loss
    if _is_nested(results):
        rows = list(_nested_rows(results))
    else:
        table = as_table(results, "results")
        rows = list(_table_rows(results, table, columns))
        if _lacks_losses(table, columns) and measure != _MATCH_DISTANCE:
            measure = _ABSOLUTE_ERROR
    if not rows:
        raise fault("results", "hold at least one row", 0, "one row per data set and method")
    methods = tuple(dict.fromkeys(row.method for row in rows))
    if len(methods) < 2:
        raise _too_few(methods)
    cells: Cells = {}
    for row in rows:
        parts = cells.setdefault((row.dataset, row.prevalence), {})
        losses = parts.setdefault((row.fold, row.sample, row.label), {})
        if row.method in losses:
            raise _repeated(row)
        losses[row.method] = _finite_loss(row)
    _check_no_gaps(cells, methods)
    return _arrange(cells, methods, measure)


def _too_few(methods: Sequence[str]) -> InputError:
    return fault("results", "hold at least two methods", list(methods), "add the losses of another method")


def _is_nested(results: object) -> TypeGuard[Mapping[object, Mapping[object, object]]]:
    """Return whether this is a dict of dicts, which is meant by data set; a dict of columns is a table."""
    return isinstance(results, Mapping) and bool(results) and all(isinstance(of, Mapping) for of in results.values())


def _nested_rows(results: Mapping[object, Mapping[object, object]]) -> Iterator[_Row]:
    for dataset, losses in results.items():
        for method, loss in losses.items():
            yield _Row(str(dataset), str(method), None, None, loss)


def _table_rows(results: object, table: Table, columns: Columns) -> Iterator[_Row]:
    for option in ("prevalence", "fold"):
        named = getattr(columns, option)
        if named is not None:
            _check_column(table, named, option)
    # A long table has at least one of these two columns; with one of them the other must be named.
    if columns.method not in table.names and columns.loss not in table.names:
        return _wide_rows(results, table, columns.usual(table))
    return _long_rows(table, columns)


def _long_rows(table: Table, columns: Columns) -> Iterator[_Row]:
    """Take one row per loss."""
    computed = _lacks_losses(table, columns)
    for option in ("dataset", "method", *(() if computed else ("loss",))):
        _check_column(table, getattr(columns, option), option)
    columns = columns.usual(table)
    sampled = _is_protocol(table)
    return map(
        _Row,
        _names(table, columns.dataset, "dataset"),
        _names(table, columns.method, "method"),
        _row_marks(table, columns.prevalence, "prevalence"),
        _row_marks(table, columns.fold, "fold"),
        _errors(table, columns) if computed else table.column(columns.loss).cells(),
        _row_marks(table, "sample" if sampled else None, "sample"),
        _row_marks(table, "label" if sampled else None, "label"),
    )


def _is_protocol(table: Table) -> bool:
    """Return whether this is what `run_protocol` returns: one row per sample, or per sample and class."""
    return {*table.names} >= _OF_PROTOCOL


def _lacks_losses(table: Table, columns: Columns) -> bool:
    """Return whether losses are to be computed from true and estimated prevalences."""
    known = columns.loss in (Columns().loss, _MATCH_DISTANCE)
    return _is_protocol(table) and known and columns.loss not in table.names


def _has_many_labels(table: Table, columns: Columns) -> bool:
    """Return whether some data set has rows of several classes."""
    if columns.dataset not in table.names:
        return False
    places = zip(table.column(columns.dataset).cells(), table.column("label").cells(), strict=True)
    pairs = set(places)
    return len(pairs) > len({dataset for dataset, _ in pairs})


def _errors(table: Table, columns: Columns) -> list[float]:
    """Return how far each estimated prevalence is from the true one, or its part of the match distance."""
    true, estimated = (_prevalences(table, name) for name in ("true", "estimated"))
    gaps = [other - one for one, other in zip(true, estimated, strict=True)]
    if columns.loss != _MATCH_DISTANCE:
        return [abs(gap) for gap in gaps]
    names = (columns.dataset, columns.method, columns.prevalence, columns.fold, "sample")
    keys = list(zip(*(table.column(name).cells() for name in names if name is not None), strict=True))
    counts, passed = Counter(keys), dict.fromkeys(keys, 0.0)
    errors = []
    for key, gap in zip(keys, gaps, strict=True):
        # What is too much or too little so far has to pass to the next class; nothing passes the last.
        passed[key] += gap
        k = counts[key]
        # The mean over the rows of a sample, which is taken later, is the sum over k - 1 borders.
        errors.append(abs(passed[key]) * k / max(k - 1, 1))
    return errors


def _prevalences(table: Table, name: str) -> list[float]:
    shares = []
    for cell in table.column(name).cells():
        share = _as_number(cell)
        if share is None:
            raise _column_fault(name, "hold prevalences", shown(cell), "these are numbers from 0 to 1")
        shares.append(share)
    return shares


def _wide_rows(results: object, table: Table, columns: Columns) -> Iterator[_Row]:
    """Take one row per data set and one column per method."""
    # Names of a long table's columns were given, so the table was meant to be one.
    given = [option for option in ("method", "loss") if getattr(columns, option) != getattr(Columns(), option)]
    for option in given and (*given, "method", "loss"):
        _check_column(table, getattr(columns, option), option)
    if columns.dataset in table.names:
        datasets = _names(table, columns.dataset, "dataset")
    else:
        # A name that was given must exist; the usual name may be missing from a table whose rows have names.
        if columns.dataset != Columns().dataset:
            _check_column(table, columns.dataset, "dataset")
        datasets = _index(results, table.n_rows)
    marks = {"dataset": columns.dataset, "prevalence": columns.prevalence, "fold": columns.fold}
    cells = {name: table.column(name).cells() for name in table.names if name not in marks.values()}
    absent = [mark for mark, name in marks.items() if name not in table.names]
    methods = method_columns({name: _column_of_losses(name, values) for name, values in cells.items()}, absent)
    # Without this a table of ids alone would be called empty.
    if table.n_rows and not methods:
        raise _too_few(methods)
    prevalences = _row_marks(table, columns.prevalence, "prevalence")
    folds = _row_marks(table, columns.fold, "fold")
    for method in methods:
        for dataset, prevalence, fold, loss in zip(datasets, prevalences, folds, cells[method], strict=True):
            yield _Row(dataset, method, prevalence, fold, loss)


def _column_of_losses(name: str, cells: list[Any]) -> Floats:
    losses = [_as_number(cell) for cell in cells]
    # Text in a column most likely means a long table whose columns have other names.
    if None in losses:
        named = [Argument(option, ...) for option in ("dataset_column", "method_column", "loss_column")]
        hint = Phrase("if each row holds one loss, name the columns with ", named[0], ", ", named[1], " and ", named[2])
        raise _column_fault(name, "hold numbers", shown(cells[losses.index(None)]), hint)
    return np.array(losses, dtype=np.float64)


def _index(results: object, rows: int) -> list[str]:
    """Return the names of the rows if pandas has any, else their numbers."""
    # A list of dicts has a method `index`, and a RangeIndex holds no names.
    index = getattr(results, "index", None)
    if index is None or callable(index) or type(index).__name__ == "RangeIndex":
        return [str(row) for row in range(1, rows + 1)]
    return [str(name) for name in index]


def _check_column(table: Table, name: str, option: str) -> None:
    if name not in table.names:
        raise unknown_name(f"{option}_column", "name a column of results", name, table.names)


def _names(table: Table, column: str, option: str) -> list[str]:
    cells = table.column(column).cells()
    empty = sum(map(is_missing, cells))
    if option == "dataset" and empty == len(cells):
        return [""] * empty  # one data set needs no name, and a CSV file has a gap instead of an empty one
    if empty:
        raise _column_fault(column, f"name a {option} in every row", _rows_without(empty), "fill in the rest")
    return [str(cell) for cell in cells]


def _row_marks(table: Table, column: str | None, option: str) -> list[Any]:
    """Return the prevalence, the fold or the sample of each row."""
    if column is None:
        return [None] * table.n_rows
    cells = table.column(column).cells()
    empty = sum(map(is_missing, cells))
    if empty:
        raise _column_fault(column, f"have a {option} in every row", _rows_without(empty), "fill in the rest")
    # 0.1 + 0.2 and 0.3 are the same prevalence.
    return [round(cell, 10) if isinstance(cell, float) else cell for cell in cells]


def _column_fault(name: str, rule: str, got: str, hint: Text) -> InputError:
    return InputError(f"column {name!r} of ", Argument("results"), f" must {rule}, got {got}; ", hint)


def _rows_without(count: int) -> str:
    return f"{counted(count, 'row')} without one"


def _finite_loss(row: _Row) -> float:
    where = f"{shown(row.loss)} of {shown(row.method)} on {row.where}"
    value = _as_number(row.loss)
    if value is None:
        hint = Phrase("convert it, or name another column with ", Argument("loss_column", ...))
        raise fault("loss", "be a number", Phrase(where), hint)
    if not abs(value) <= _LARGEST:  # also where it is NaN
        way_out = "leave out that data set or method, or use a loss that is always finite"
        raise fault("loss", "be finite", Phrase(where), way_out)
    return value


def _as_number(cell: Any) -> float | None:
    """Return a cell as a number: NaN if it is missing, None if it is not a number.

    Examples
    --------
    >>> _as_number("0.5"), _as_number(None), _as_number("low"), _as_number(True)
    (0.5, nan, None, None)
    """
    if is_missing(cell):
        return math.nan
    try:
        # float(True) is 1.0, and float(b"1") is 1.0: neither is a loss.
        return None if isinstance(cell, (bool, bytes)) else float(cell)
    except (TypeError, ValueError):
        return None
    except OverflowError:
        # An integer beyond all floats is a number, but not a finite one.
        return math.inf


def _repeated(row: _Row) -> InputError:
    absent = [f"{option}_column" for option in ("prevalence", "fold") if getattr(row, option) is None]
    named = Phrase.joined(" or ", (Phrase(Argument(option, ...)) for option in absent))
    hint = Phrase("name the column that distinguishes them with ", named, ", or ") if absent else Phrase()
    hint += "average them"
    twice = f"two of {shown(row.method)} on {row.where}"
    return fault("results", "hold one loss per method and data set", Phrase(twice), hint)


def _check_no_gaps(cells: Cells, methods: tuple[str, ...]) -> None:
    holes = [
        _Row(dataset, method, prevalence, fold, None, sample)
        for (dataset, prevalence), parts in cells.items()
        for (fold, sample, _), losses in parts.items()
        for method in methods
        if method not in losses
    ]
    if holes:
        more = f" and {counted(len(holes) - 1, 'more gap')}" if len(holes) > 1 else ""
        raise fault(
            "results",
            "have a loss for every method on every data set",
            Phrase(f"no loss of {shown(holes[0].method)} on {holes[0].where}{more}"),
            "add the missing losses, or leave out that data set or method",
        )


def _arrange(cells: Cells, methods: tuple[str, ...], measure: str) -> Losses:
    datasets = tuple(dict.fromkeys(dataset for dataset, _ in cells))
    place = {dataset: number for number, dataset in enumerate(datasets)}
    # Data sets stay in the order of the table, prevalences within them are sorted.
    ordered = sorted(cells, key=lambda cell: (place[cell[0]], _sortable(cell[1])))
    values = [
        [_exact_mean([of_part[name] for of_part in cells[cell].values()]) for name in methods] for cell in ordered
    ]
    # Tests by folds need one loss per fold: a fold is averaged over the prevalences at which it was sampled.
    by_fold: list[dict[Any, list[dict[str, float]]]] = [{} for _ in datasets]
    for cell in ordered:
        for (fold, *_), losses in cells[cell].items():
            by_fold[place[cell[0]]].setdefault(fold, []).append(losses)
    has_folds = any(fold is not None for folds in by_fold for fold in folds)
    return Losses(
        datasets=datasets,
        methods=methods,
        prevalences=tuple(prevalence for _, prevalence in ordered if prevalence is not None),
        places=np.array([place[dataset] for dataset, _ in ordered], dtype=np.intp),
        values=np.array(values, dtype=np.float64),
        folds=tuple(
            np.array(
                [[_exact_mean([losses[name] for losses in of_fold]) for name in methods] for of_fold in folds.values()]
            )
            for folds in by_fold
        )
        if has_folds
        else (),
        measure=measure,
    )


def _sortable(mark: object) -> tuple[bool, Any]:
    """Sort numbers by size, and before everything else."""
    number = isinstance(mark, (int, float))
    # Numbers and text cannot be compared; the first entry keeps them apart.
    return not number, mark if number else str(mark)


def _exact_mean(values: list[float]) -> float:
    # Exact sums: the mean does not depend on the order of the folds, and equal means stay ties.
    return math.fsum(values) / len(values)
