"""Leaks in the data: new rows that are labelled ones, and features that determine the label."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from shiftproof.case._tables import Tables
from shiftproof.core import FEW_COPIES, Codes, Column, Floats, Table, cell_keys, row_keys, share_by_chance

# Fewer rows are equal by chance in many real tables.
_FEWEST_COPIED = 8
# How likely two tables may have equal scores in every row by chance before that counts as a copy.
_BY_CHANCE = 1e-6
# A column of more values is a quantity. Each must have so many rows on average: fewer have one label by chance.
_MOST_VALUES, _ROWS_PER_VALUE = 100, 10
# With so many rows in each class, numbers do not separate the classes by chance.
_FEWEST_IN_RANGE = 8
# Rows that show that a column has too many values, before all are looked at.
_FIRST_ROWS = 1_000
# From this AUC on a single column nearly gives two classes away, if each has so many rows. In 42 real tables and 275
# groups and periods of them only a second copy of the label has so much; the other 5,804 columns have at most 0.979.
_NEARLY, _FEWEST_NEARLY = 0.985, 100
# In every so many rows the AUC must be about as high before all are ranked.
_SOME_ROWS, _NEARLY_IN_SOME = 2_000, 0.97


def copied_share(tables: Tables) -> float:
    """Return the share of new rows that are exact copies of labelled rows; 0 if they may be equal by chance.

    Examples
    --------
    >>> labelled = {"a": np.arange(100) / 7, "b": ["x", None] * 50}
    >>> new = {"b": ["x", None] * 10, "a": np.append(np.arange(10) / 7, np.arange(10) / 3 + 50)}
    >>> copied_share(Tables(labelled=labelled, new=new))
    0.5
    """
    if tables.new is not None and tables.new is tables.labelled:
        return 1.0
    keys = _keys(tables)
    if keys is None:
        return 0.0
    old, new = keys
    if np.array_equal(old, new):
        return 1.0
    copied = _count_among(new, old)
    share = copied / len(new)
    return share if copied >= _FEWEST_COPIED and share > share_by_chance(old) else 0.0


def _count_among(new: NDArray[np.uint64], old: NDArray[np.uint64]) -> int:
    """Count the new keys that are among the old ones; both are sorted, so that the search goes from front to back."""
    known, wanted = np.sort(old), np.sort(new)
    places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return int((known[places] == wanted).sum())


def same_scores(labelled: Mapping[str, Floats], new: Mapping[str, Floats]) -> bool:
    """Return whether the new rows have the labelled rows' scores, row by row, which does not happen by chance.

    Parameters
    ----------
    labelled, new : mapping of model to ndarray of shape (rows, classes)
        The scores of the same models.

    Examples
    --------
    >>> scores = np.linspace(0, 1, 60)[:, None]
    >>> same_scores({"m": scores}, {"m": scores.copy()}), same_scores({"m": scores}, {"m": scores[::-1]})
    (True, False)
    """
    old, current = (np.hstack([scores[name] for name in labelled]) for scores in (labelled, new))
    if not np.array_equal(old, current):
        return False
    # How often two rows drawn at random are equal: in half of all pairs, if the scores are decisions of 0 or 1.
    _, counts = np.unique(old, axis=0, return_counts=True)
    alike = float(((counts / len(old)) ** 2).sum())
    return bool(alike ** len(old) < _BY_CHANCE)


def repeats_as_often(tables: Tables, share: float) -> bool:
    """Return whether new rows repeat labelled rows about as often as these repeat each other.

    Copies flatter a validated figure only if new rows are copies less often: reservations of one travel group look
    alike in any month.

    Parameters
    ----------
    tables : Tables
        The labelled and the new rows.
    share : float
        The share of labelled rows that have a copy in another fold.

    Examples
    --------
    >>> labelled, new = {"a": np.arange(100) // 2}, {"a": np.arange(20)}
    >>> repeats_as_often(Tables(labelled=labelled, new=new), 0.9)
    True
    """
    keys = _keys(tables)
    return keys is not None and _count_among(keys[1], keys[0]) / len(keys[1]) >= share - FEW_COPIES


def _keys(tables: Tables) -> tuple[NDArray[np.uint64], NDArray[np.uint64]] | None:
    """Return a key of each labelled and each new row; None if they have no column in common."""
    if tables.not_compared:
        return None
    shared = set(tables.old.names) & set(tables.current.names)
    names = [name for name in tables.old.names if name in shared]
    return (row_keys(tables.old, names), row_keys(tables.current, names)) if names else None


def label_revealing_columns(table: Table, names: Collection[str], codes: Codes) -> tuple[str, ...]:
    """Return the columns that determine the label of every row, by their values or by where they are missing.

    A number does if one range of its values belongs to each class.

    Examples
    --------
    >>> from shiftproof.core import as_table
    >>> codes = np.arange(40) % 2
    >>> table = as_table({"paid": np.where(codes, "no", "yes"), "left": np.where(codes, codes * 0.5, np.nan)})
    >>> label_revealing_columns(table, table.names, codes)
    ('paid', 'left')
    """
    columns = (table.column(name) for name in table.names if name in names)
    return tuple(
        column.name for column in columns if _reveals(cell_keys(column), codes) or _one_range_each(column, codes)
    )


def nearly_revealing_columns(table: Table, names: Collection[str], codes: Codes) -> dict[str, float]:
    """Return the columns that separate two classes nearly perfectly, each with its AUC.

    Examples
    --------
    >>> from shiftproof.core import as_table
    >>> codes = np.arange(400) % 2
    >>> days = np.where(np.arange(400) < 4, 1 - codes, codes) + 0.5
    >>> table = as_table({"days left": days, "age": np.arange(400) // 2})
    >>> nearly_revealing_columns(table, table.names, codes)
    {'days left': 0.99}
    """
    counts = np.bincount(codes)
    if len(counts) != 2 or counts.min() < _FEWEST_NEARLY:
        return {}
    separated = {name: _separation(table.column(name), codes) for name in table.names if name in names}
    return {name: area for name, area in separated.items() if area >= _NEARLY}


def _separation(column: Column, codes: Codes) -> float:
    """Return how well a column alone ranks two classes, with missing cells as one more value: from 0.5 to 1."""
    if column.ordered or column.family == "boolean":
        values = column.floats()
        # Missing cells may be at either end: a date of cancellation gives away who cancelled.
        missing = np.isnan(values)
        ends = (-np.inf, np.inf) if missing.any() else (0.0,)
        return max(_area(np.where(missing, end, values), codes) for end in ends)
    places, distinct = pd.factorize(cell_keys(column))
    if len(distinct) > min(_MOST_VALUES, len(codes) / _ROWS_PER_VALUE):
        return 0.5
    return _area((np.bincount(places, codes) / np.bincount(places))[places], codes)


def _area(scores: Floats, codes: Codes) -> float:
    """Return the AUC of scores, whichever class has the higher ones; 0.5 if a part of the rows is far from perfect."""
    area = 0.5
    for step, least in ((max(len(codes) // _SOME_ROWS, 1), _NEARLY_IN_SOME), (1, 0.0)):
        ranks, positive = pd.Series(scores[::step]).rank().to_numpy(), codes[::step] == 1
        pairs = positive.sum() * (~positive).sum()
        # Rows in the order of the label may leave one class out of a part.
        area = 1.0 if not pairs else (ranks[positive].sum() - positive.sum() * (positive.sum() + 1) / 2) / pairs
        if max(area, 1 - area) < least:
            return 0.5
    return float(max(area, 1 - area))


def looks_like_identifier(column: Column) -> bool:
    """Return whether a column has a different whole number in every row.

    Examples
    --------
    >>> from shiftproof.core import as_table
    >>> table = as_table({"id": [103, 101, 907], "age": [30, 30, 41]})
    >>> looks_like_identifier(table.column("id")), looks_like_identifier(table.column("age"))
    (True, False)
    """
    if column.family != "number":
        return False
    values = column.floats()
    return bool((values == np.floor(values)).all()) and len(np.unique(values)) == len(values)


def _one_range_each(column: Column, codes: Codes) -> bool:
    counts = np.bincount(codes)
    # A few rows of a class may be the largest by chance.
    if not column.ordered or counts[counts > 0].min() < _FEWEST_IN_RANGE:
        return False
    values = column.floats()
    # Most columns do not leak, and the first rows show it without sorting all.
    return all(_sorted_by_class(values[:rows], codes[:rows]) for rows in (_FIRST_ROWS, len(codes)))


def _sorted_by_class(values: Floats, codes: Codes) -> bool:
    order = np.lexsort((codes, values))
    ends = np.flatnonzero(np.diff(codes[order]))
    ranges_differ = values[order][ends] < values[order][ends + 1]  # NaN compares false
    present = not np.isnan(values).any()
    return present and len(ends) == len(np.unique(codes)) - 1 and bool(ranges_differ.all())


def _reveals(keys: NDArray[np.uint64], codes: Codes) -> bool:
    few = len(np.unique(keys[:_FIRST_ROWS])) <= _MOST_VALUES
    # A missing cell has the key 0: a date of cancellation gives away who cancelled.
    return any(_one_label_each(values, codes) for values in ([keys] if few else []) + [keys == 0])


def _one_label_each(values: NDArray[np.generic], codes: Codes) -> bool:
    places, distinct = pd.factorize(values)
    pairs = np.unique(places * (int(codes.max()) + 1) + codes)
    return 1 < len(distinct) == len(pairs) and len(distinct) <= min(_MOST_VALUES, len(codes) / _ROWS_PER_VALUE)
