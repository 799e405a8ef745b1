"""The counts of a baseline as tables that any engine can read, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Codes, Nature
from shiftproof.monitoring._cells import CategoryCells, Cells, NumberCells
from shiftproof.monitoring._moments import ColumnMoments, ReferenceMoments
from shiftproof.monitoring._parts import ReferencePart
from shiftproof.monitoring._reference import ReferenceColumn

if TYPE_CHECKING:
    import pyarrow as pa

# One row per edge, level, fine cell, and number of the moments; in the order of the columns.
_TYPES = {
    "edges": {
        "column": "string",
        "bound": "float64",
        "whole": "int64",
        "inclusive": "bool",
        "closing": "bool",
        "cuts": "int64",
        "end": "bool",
    },
    "levels": {"column": "string", "hash": "uint64", "role": "string", "name": "string"},
    "counts": {"season": "int64", "column": "string", "cell": "int64", "part": "int64", "reference": "int64"},
    "moments": {"season": "int64", "column": "string", "what": "string", "place": "int64", "value": "float64"},
}
#: The tables of a baseline.
TABLES = tuple(_TYPES)
_ROLES = ("cell", "rare", "known")
# The season of what belongs to all rows.
_ALL = -1


def write_tables(whole: ReferencePart, seasons: Sequence[ReferencePart] = ()) -> dict[str, pa.Table]:
    """Return counts and moments as Arrow tables, by name: those of all rows, then those of each season."""
    cells = [(column.name, column.cells) for column in whole.columns.values()]
    parts: dict[str, list[dict[str, Any]]] = {
        "edges": [{"column": name, **_edges(cut)} for name, cut in cells if isinstance(cut, NumberCells)],
        "levels": [{"column": name, **_levels(cut)} for name, cut in cells if isinstance(cut, CategoryCells)],
        "counts": [],
        "moments": [],
    }
    for season, part in enumerate([whole, *seasons], _ALL):
        columns = part.columns.values()
        parts["counts"] += [{"season": season, "column": column.name, **_counts(column)} for column in columns]
        if part.moments is not None:
            arrays = moment_arrays(part.moments, functions=season == _ALL)
            parts["moments"] += [{"season": season, **_moment(*array)} for array in arrays]
    n_classes = len(next(iter(whole.columns.values())).by_class)
    return {name: _joined(name, of_columns, n_classes) for name, of_columns in parts.items()}


def column_facts(column: ReferenceColumn) -> dict[str, Any]:
    """Return what a column's rows in the tables do not say."""
    cells = column.cells
    facts = {"name": column.name, "kind": column.kind, "nature": vars(column.nature), "cells": cells.n_fine}
    if isinstance(cells, NumberCells):
        return {**facts, "dtype": cells.bounds.dtype.name, "edges": len(cells.bounds)}
    return {**facts, "levels": [len(part) for part in (cells.hashes, cells.rare, cells.known)]}


def read_columns(
    tables: Mapping[str, pa.Table], facts: Sequence[Mapping[str, Any]], n_classes: int, salt: bytes, n_parts: int = 1
) -> list[dict[str, ReferenceColumn]]:
    """Read the columns of all rows and of each season back, by name, in their order."""
    edges, levels, counts = (_Reader(tables[name]) for name in ("edges", "levels", "counts"))
    cut: list[Cells] = [
        _number_cells(edges, fact) if "dtype" in fact else _category_cells(levels, fact["levels"], salt)
        for fact in facts
    ]
    return [
        {
            fact["name"]: ReferenceColumn(
                name=fact["name"],
                kind=fact["kind"],
                nature=Nature(**fact["nature"]),
                cells=cells,
                **_read_counts(counts, fact["cells"], n_classes),
            )
            for fact, cells in zip(facts, cut, strict=True)
        }
        for _ in range(n_parts)
    ]


def _read_counts(counts: _Reader, size: int, n_classes: int) -> dict[str, NDArray[np.int64]]:
    read = counts.take(size)
    by_class = np.array([read[f"class_{code}"] for code in range(n_classes)], np.int64).reshape(-1, size)
    return {"part": read["part"], "total": read["reference"], "by_class": by_class}


def moment_arrays(moments: ReferenceMoments, *, functions: bool = True) -> list[tuple[str, str, NDArray[Any]]]:
    """Return all arrays of the moments with their column and what they are, in a fixed order.

    Seasons have the functions of all rows, which need not be written again.
    """
    arrays = [(name, "scores", table) for name, table in moments.scores.items()] if functions else []
    for name, column in moments.columns.items():
        parts = {"functions": column.functions} if functions else {}
        parts |= {"sums": column.sums, "products": column.products}
        arrays += [(name, what, array) for what, array in parts.items()]
    return arrays


def read_moments(
    table: pa.Table, shapes: Sequence[tuple[str, str, Sequence[int]]], rows: Sequence[Codes]
) -> list[ReferenceMoments]:
    """Read the moments of all rows and of each season back, given the shape of every array."""
    reader = _Reader(table)
    read: list[dict[tuple[str, str], Any]] = []
    for _ in rows:
        # Only the first part has functions.
        own = shapes if not read else [one for one in shapes if one[1] in ("sums", "products")]
        arrays = {(name, what): reader.take(int(np.prod(shape)))["value"].reshape(shape) for name, what, shape in own}
        read.append((read[0] if read else {}) | arrays)
    names = [name for name, what, _ in shapes if what == "sums"]
    parts = ("functions", "sums", "products")
    return [
        ReferenceMoments(
            rows=of_classes,
            scores={name: array for (name, what), array in arrays.items() if what == "scores"},
            columns={name: ColumnMoments(**{part: arrays[name, part] for part in parts}) for name in names},
        )
        for of_classes, arrays in zip(rows, read, strict=True)
    ]


class _Reader:
    """Reads the next rows of a table: those of one column after those of another."""

    def __init__(self, table: pa.Table) -> None:
        self._arrays = {name: table.column(name).to_numpy() for name in table.column_names}
        self._start = 0

    def take(self, n: int) -> dict[str, NDArray[Any]]:
        rows = slice(self._start, self._start + n)
        self._start += n
        return {name: array[rows] for name, array in self._arrays.items()}


def _joined(name: str, parts: list[dict[str, Any]], n_classes: int) -> pa.Table:
    import pyarrow as pa

    types = dict(_TYPES[name])
    if name == "counts":
        types |= {f"class_{code}": "int64" for code in range(n_classes)}
    schema = pa.schema([(field, pa.type_for_alias(kind)) for field, kind in types.items()])
    made = []
    for part in parts:
        n = len(next(value for value in part.values() if not isinstance(value, (str, int))))
        arrays = {field: [value] * n if isinstance(value, (str, int)) else value for field, value in part.items()}
        made.append(pa.table({field: arrays[field] for field in types}, schema=schema))
    return pa.concat_tables(made) if made else schema.empty_table()


def _edges(cells: NumberCells) -> dict[str, Any]:
    whole = cells.bounds.dtype.kind != "f"
    return {
        "bound": cells.bounds.astype(np.float64),
        # Floats do not hold every integer. Beyond 2^63 the bits of an unsigned one are read as a signed one.
        "whole": cells.bounds.view(np.int64) if whole else np.zeros(len(cells.bounds), dtype=np.int64),
        "inclusive": cells.inclusive,
        "closing": cells.closing,
        "cuts": cells.cuts,
        "end": cells.ends,
    }


def _number_cells(edges: _Reader, fact: Mapping[str, Any]) -> NumberCells:
    read, dtype = edges.take(fact["edges"]), np.dtype(fact["dtype"])
    return NumberCells(
        bounds=read["bound"] if dtype.kind == "f" else read["whole"].view(dtype),
        inclusive=read["inclusive"].astype(np.bool_),
        closing=read["closing"].astype(np.bool_),
        cuts=read["cuts"],
        ends=read["end"].astype(np.bool_),
    )


def _levels(cells: CategoryCells) -> dict[str, Any]:
    parts = (cells.hashes, cells.rare, cells.known)
    return {
        "hash": np.concatenate(parts),
        "role": [role for role, part in zip(_ROLES, parts, strict=True) for _ in range(len(part))],
        "name": [*cells.names, *[None] * (len(cells.rare) + len(cells.known))],
    }


def _category_cells(levels: _Reader, sizes: Sequence[int], salt: bytes) -> CategoryCells:
    cells, rare, known = (levels.take(size) for size in sizes)
    return CategoryCells(
        salt=salt, hashes=cells["hash"], names=tuple(cells["name"].tolist()), rare=rare["hash"], known=known["hash"]
    )


def _counts(column: ReferenceColumn) -> dict[str, Any]:
    by_class = {f"class_{code}": counts for code, counts in enumerate(column.by_class)}
    return {"cell": np.arange(len(column.total)), "part": column.part, "reference": column.total, **by_class}


def _moment(name: str, what: str, array: NDArray[Any]) -> dict[str, Any]:
    values = array.astype(np.float64).ravel()
    return {"column": name, "what": what, "place": np.arange(len(values)), "value": values}
