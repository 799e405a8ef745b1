"""What each column is to the statistics: an amount, a category, a moment, or nothing to compare."""

from __future__ import annotations

import difflib
import numbers
import warnings
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, Literal, cast, get_args

import numpy as np

from shiftproof.core import (
    Column,
    InputError,
    ShiftproofWarning,
    as_table,
    check_choice,
    fault,
    is_missing,
    listed,
    shown,
)

#: How a column takes part: ``text`` and ``identifier`` are left out of tests.
Kind = Literal["continuous", "nominal", "date", "text", "identifier"]

_KINDS: tuple[str, ...] = get_args(Kind)
_LEFT_OUT = ("text", "identifier")

# Fewer rows than this can be all different, or count up, by chance.
_FEWEST_ROWS = 30
_SAMPLE = 10_000
_NEARLY_ALL = 0.95
_MANY = 0.5
_WORDS_OF_FREE_TEXT = 4

# Which kinds a family of values can have, the usual one first.
_POSSIBLE: dict[str, tuple[Kind, ...]] = {
    "number": ("continuous", "nominal", "text", "identifier"),
    "duration": ("continuous", "nominal", "text", "identifier"),
    "date": ("date", "continuous", "nominal", "text", "identifier"),
    "boolean": ("nominal", "text", "identifier"),
    "text": ("nominal", "text", "identifier"),
    "category": ("nominal", "text", "identifier"),
    "mixed": ("nominal", "text", "identifier"),
    "empty": ("continuous", "nominal", "date", "text", "identifier"),
    "unsupported": ("text", "identifier"),
}
_CALLED = {
    "number": "numbers",
    "duration": "durations",
    "date": "dates",
    "boolean": "booleans",
    "text": "text",
    "category": "categories",
    "mixed": "values of several types",
    "empty": "nothing",
    "unsupported": "cells that are not single values",
}

# Families whose values can be equal to each other: True == 1, and a mixture may hold either.
_COMPARABLE = ({"number", "boolean", "mixed"}, {"text", "mixed"})


def feature_kinds(X: Any, *, kinds: Mapping[Any, str] | None = None) -> dict[str, Kind]:
    """Tell what each column of a table is to the statistics.

    Numbers and durations are ``continuous``, however few different values they have; moments in time
    are ``date`` (compared as microseconds); booleans, text and categories are ``nominal``. Two kinds
    are left out of tests, with one warning that names them: ``identifier`` is text of which at least
    95 % of the values differ, or integers that count the rows; ``text`` is several words per cell and
    seldom the same, or cells that are not single values.

    Parameters
    ----------
    X : table
        Anything that `shiftproof.core.as_table` takes.
    kinds : dict from column to kind, optional
        What you know better, such as ``{"zip": "nominal"}``.

    Returns
    -------
    dict from str to str
        The kind of every column, in the table's order.

    Warns
    -----
    ShiftproofWarning
        If columns are left out that ``kinds`` does not mention.

    Notes
    -----
    No table of fewer than 30 rows has identifiers or free text: there, differing says little. A
    column without a single value is taken by its type; without a type either, as continuous.

    Examples
    --------
    >>> table = {"age": [31, 45, 31], "job": ["clerk", "nurse", "clerk"], "zip": [10115, 80331, 20095]}
    >>> feature_kinds(table, kinds={"zip": "nominal"})
    {'age': 'continuous', 'job': 'nominal', 'zip': 'nominal'}
    """
    table = as_table(X)
    given = _given(kinds, table.names, "X")
    deciding = {name: table.column(name) for name in table.names}
    found = {name: _kind(column, given.get(name)) for name, column in deciding.items()}
    _warn_of_left_out(found, deciding, given)
    return found


def joint_kinds(reference: Any, current: Any, *, kinds: Mapping[Any, str] | None = None) -> dict[str, Kind]:
    """Tell what each column that two tables share is to the statistics.

    The reference decides; where it has no values in a column, the current table does.

    Parameters
    ----------
    reference, current : table
        Anything that `shiftproof.core.as_table` takes.
    kinds : dict from column to kind, optional
        What you know better, such as ``{"zip": "nominal"}``.

    Returns
    -------
    dict from str to str
        The kind of every column that both tables have, in the reference's order.

    Raises
    ------
    InputError
        If a column holds numbers in one table and text in the other, or the like.

    Warns
    -----
    ShiftproofWarning
        If columns are left out of tests that ``kinds`` does not mention; see `feature_kinds`.

    Examples
    --------
    >>> joint_kinds({"age": [31, 45], "new": [None, None]}, {"age": [27.5, None], "new": ["a", "b"]})
    {'age': 'continuous', 'new': 'nominal'}
    """
    old, new = as_table(reference, "reference"), as_table(current, "current")
    given = _given(kinds, tuple(dict.fromkeys(old.names + new.names)), "the two tables")
    found: dict[str, Kind] = {}
    deciding: dict[str, Column] = {}
    shared = set(new.names)
    for name in old.names:
        if name not in shared:
            continue
        before, after = old.column(name), new.column(name)
        deciding[name] = after if _first(before) is None and _first(after) is not None else before
        found[name] = _kind(deciding[name], given.get(name))
        _check_same(found[name], before, after)
    _warn_of_left_out(found, deciding, given)
    return found


def _given(kinds: Mapping[Any, str] | None, names: tuple[str, ...], where: str) -> dict[str, Kind]:
    """Check the user's own kinds; columns are called by their names as text."""
    if kinds is None:
        return {}
    if not isinstance(kinds, Mapping):
        raise fault("kinds", "be a dict from column to kind", kinds, "write it as {'zip': 'nominal'}")
    for key, kind in kinds.items():
        if str(key) not in names:
            near = difflib.get_close_matches(str(key), names, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"the columns are {listed(names, most=8)}."
            raise InputError(f"kinds names {shown(key)}, which is no column of {where}; {hint}")
        check_choice(kind, f"kinds[{key!r}]", _KINDS)
    return {str(key): cast(Kind, kind) for key, kind in kinds.items()}


def _kind(column: Column, given: Kind | None) -> Kind:
    possible = _POSSIBLE[column.family]
    if given is None:
        return _guess(column)
    if given in possible:
        return given
    example = f" such as {_shown_first(column)}" if _first(column) is not None else ""
    wanted = "numbers" if given == "continuous" else "single values" if given == "nominal" else "dates"
    raise fault(
        f"kinds[{column.name!r}]",
        f"fit a column of {_CALLED[column.family]}{example}",
        given,
        f"choose {' or '.join(repr(kind) for kind in possible)}, or convert the column to {wanted}",
    )


def _guess(column: Column) -> Kind:
    if column.family == "number" and _counts_rows(column):
        return "identifier"
    if column.family == "text":
        return _kind_of_text(column.values)
    return _POSSIBLE[column.family][0]


def _counts_rows(column: Column) -> bool:
    """Tell whether integers go up, or down, by one from each row to the next."""
    held = column.values
    integer = held.dtype.kind in "iu" if isinstance(held, np.ndarray) else held.dtype.is_integer()
    if not integer or len(column) < _FEWEST_ROWS:
        return False
    values, missing = column.numbers()
    if missing or values[1] not in (values[0] + 1, values[0] - 1):
        return False
    steps = np.diff(values[:_SAMPLE])
    return bool((steps == steps[0]).all()) and bool((np.diff(values) == steps[0]).all())


def _kind_of_text(values: Any) -> Kind:
    """Judge by a sample; only where nearly all of it differs is the whole column counted."""
    sample = values.gather_every(max(1, len(values) // _SAMPLE)).drop_nulls()
    if len(sample) < _FEWEST_ROWS:
        sample = values.drop_nulls()
    if len(sample) < _FEWEST_ROWS:
        return "nominal"
    words = [len(cell.split()) for cell in sample.head(1000).to_list()]
    free = sum(words) >= _WORDS_OF_FREE_TEXT * len(words)
    share = _MANY if free else _NEARLY_ALL
    if sample.n_unique() < share * len(sample):
        return "nominal"
    present = values.drop_nulls()
    if present.n_unique() < share * len(present):
        return "nominal"
    return "text" if free else "identifier"


def _warn_of_left_out(found: Mapping[str, Kind], deciding: Mapping[str, Column], given: Mapping[str, Kind]) -> None:
    left = [name for name, kind in found.items() if kind in _LEFT_OUT and name not in given]
    if not left:
        return
    hint = "drop the column, or turn its cells into single values"
    usable = [name for name in left if deciding[name].family != "unsupported"]
    if usable:
        kind = "continuous" if deciding[usable[0]].ordered else "nominal"
        hint = f"pass kinds={{{usable[0]!r}: {kind!r}}} to test it all the same"
    which = ", ".join(f"{name!r} ({found[name]})" for name in left[:8])
    more = f" and {len(left) - 8} more" if len(left) > 8 else ""
    # The caller of the verb is two frames up.
    warnings.warn(f"left out of tests: {which}{more}; {hint}.", ShiftproofWarning, stacklevel=3)


def _check_same(kind: Kind, before: Column, after: Column) -> None:
    """Refuse to compare, say, numbers with text."""
    if kind in _LEFT_OUT or _first(before) is None or _first(after) is None:
        return
    families = {_family_of_values(before), _family_of_values(after)}
    comparable = any(families <= group for group in _COMPARABLE)
    possible = kind in _POSSIBLE[before.family] and kind in _POSSIBLE[after.family]
    if possible and (len(families) == 1 or (kind == "nominal" and comparable)):
        return
    way_out = f"kinds={{{before.name!r}: 'nominal'}} to compare them as categories"
    if not comparable:
        way_out = f"kinds={{{before.name!r}: 'identifier'}} to leave the column out"
    raise InputError(
        f"column {before.name!r} holds {_CALLED[before.family]} in the reference (such as {_shown_first(before)}) and "
        f"{_CALLED[after.family]} in the current table (such as {_shown_first(after)}); "
        f"convert one of them, or pass {way_out}."
    )


def _family_of_values(column: Column) -> str:
    """Return the family, where categories count as what they are made of."""
    if column.family != "category":
        return column.family
    value = _first(column)
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, numbers.Real):
        return "number"
    return "text" if isinstance(value, str) else "category"


def _first(column: Column) -> Any:
    """Return the first value that is not missing, or None."""
    for part in (column.values[:100], column.values[100:]):
        value = _first_of(part)
        if value is not None:
            return value
    return None


def _first_of(values: Any) -> Any:
    if isinstance(values, list):
        return next((value for value in values if not is_missing(value)), None)
    if isinstance(values, np.ndarray):
        present = values[values == values][:1].tolist()
    else:
        kept = values.drop_nulls()
        if kept.dtype.is_float():  # polars keeps NaN apart from null
            kept = kept.filter(~kept.is_nan())
        present = kept.head(1).to_list()
    return present[0] if present else None


def _shown_first(column: Column) -> str:
    """Write a telling value: of a mixture the first that is text, which is seldom meant."""
    value = _first(column)
    if column.family == "mixed":
        value = next((cell for cell in column.values if isinstance(cell, str)), value)
    return str(value) if isinstance(value, (date, timedelta)) else shown(value)
