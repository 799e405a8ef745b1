"""Whether two columns can be compared at all: numbers with numbers, text with text, moments with moments."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np

from shiftproof.core._columns import Column, Family
from shiftproof.core._errors import InputError
from shiftproof.core._format import shown
from shiftproof.core._missing import is_mark, is_missing
from shiftproof.core._phrases import Argument, Phrase, Sensitive, Text

_CALLED: dict[Family, str] = {
    "number": "numbers",
    "duration": "durations",
    "date": "dates",
    "boolean": "booleans",
    "text": "text",
    "category": "categories",
    "mixed": "values of several types",
    "empty": "nothing",
    "unsupported": "cells of an unsupported type",
}
# Families whose columns are always alike, without a look at a single cell.
_ALIKE = ("number", "text", "boolean", "duration")
# Families whose values can be equal to each other: True == 1, and a mixture may hold either.
_EQUAL: tuple[set[Family], ...] = ({"number", "boolean", "mixed"}, {"text", "mixed"})


@dataclass(frozen=True)
class Nature:
    """The type of a column's values, small enough to keep without the column.

    Parameters
    ----------
    family : str
        The column's family.
    made_of : str
        The family of its values: that of the categories where it is categorical, ``empty`` where all are missing.
    zoned : bool
        Whether these are moments with a time zone.
    example : str
        One value as a sentence would show it; empty where all are missing.
    """

    family: Family
    made_of: Family
    zoned: bool
    example: str

    @property
    def called(self) -> str:
        """What a sentence calls the values, such as ``numbers``."""
        return _CALLED[self.family]


def nature(column: Column) -> Nature:
    """Return the nature of a column's values.

    Examples
    --------
    >>> from shiftproof.core import as_table
    >>> nature(as_table({"age": [None, 31]}).column("age"))
    Nature(family='number', made_of='number', zoned=False, example='31')
    """
    value = _first_present(column)
    zone = getattr(getattr(column.values, "dtype", None), "time_zone", None)
    if value is None:
        return Nature(column.family, "empty", zone is not None, "")
    made_of = _family_of(value) if column.family == "category" else column.family
    return Nature(column.family, made_of, zone is not None, _value_text(_revealing_value(column, value)))


def comparable(before: Column | Nature, after: Column | Nature, *, nominal: bool = False) -> bool:
    """Return whether two columns can be compared, by order or, with ``nominal``, as categories.

    A column without a single value can be compared with any.
    """
    old, new = _natures(before, after)
    families = {old.made_of, new.made_of}
    if "empty" in families:
        return True
    if families == {"date"} and old.zoned != new.zoned:
        return False
    if not nominal:
        return old.family == new.family
    return len(families) == 1 or any(families <= group for group in _EQUAL)


def check_comparable(
    subject: str,
    before: Column | Nature,
    after: Column | Nature,
    *,
    nominal: bool = False,
    way_out: Text = "",
    reference: str | Argument = "the reference",
    current: str | Argument = "the current table",
) -> None:
    """Refuse to compare numbers with text, or moments with and without a time zone.

    Parameters
    ----------
    subject : str
        How the sentence begins, such as ``column 'age'``.
    before, after : Column or Nature
        The reference and what is compared with it. For a column the sentence shows the offending cell.
    nominal : bool
        Whether they are compared as categories, where True equals 1, or else by order.
    way_out : str or Phrase
        What to do besides converting, such as ``pass exclude=['age'] to leave the column out``.
    reference, current : str or Argument
        What the sentence calls the two sides.

    Raises
    ------
    InputError
        If they cannot be compared.

    Examples
    --------
    >>> from shiftproof.core import as_table
    >>> column = lambda cells: as_table({"age": cells}).column("age")
    >>> check_comparable("column 'age'", column([41, 42]), column(["43", "x"]))
    Traceback (most recent call last):
    ...
    shiftproof.core._errors.InputError: column 'age' holds numbers in the reference (such as 41) and text in the
    current table (such as 'x'); convert one of them.
    """
    if before.family == after.family and before.family in _ALIKE:
        return
    old, new = _natures(before, after)
    if comparable(old, new, nominal=nominal):
        return
    more = Phrase(", or ", way_out) if way_out else Phrase()
    marked = _marked(before, old, new) or _marked(after, new, old)
    shown_old, shown_new = (Sensitive(_offending_cell(*sides)) for sides in ((before, old, new), (after, new, old)))
    if old.made_of == new.made_of == "date" and old.zoned != new.zoned:
        has, lacks = (reference, current) if old.zoned else (current, reference)
        raise InputError(
            *(f"{subject} has a time zone in one table only, in ", has, " and not in ", lacks, " (such as "),
            *(shown_old, " against ", shown_new, "); convert both to UTC", more),
        )
    raise InputError(
        *(f"{subject} holds {old.called} in ", reference, " (such as ", shown_old, ") and "),
        *(f"{new.called} in ", current, " (such as ", shown_new, "); ", marked, "convert one of them", more),
    )


def _natures(before: Column | Nature, after: Column | Nature) -> tuple[Nature, Nature]:
    old, new = (side if isinstance(side, Nature) else nature(side) for side in (before, after))
    return old, new


def _family_of(value: object) -> Family:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, numbers.Real):
        return "number"
    return "text" if isinstance(value, str) else "category"


def _offending_cell(side: Column | Nature, own: Nature, other: Nature) -> str:
    """Write the first cell that is not a number where text meets numbers, else the example."""
    cell = _text_among_numbers(side, own, other)
    return own.example if cell is None else shown(cell)


def _text_among_numbers(side: Column | Nature, own: Nature, other: Nature) -> str | None:
    if isinstance(side, Column) and own.made_of in ("text", "mixed") and other.made_of == "number":
        return next((cell for cell in side.cells() if isinstance(cell, str) and not _is_number(cell)), None)
    return None


def _marked(side: Column | Nature, own: Nature, other: Nature) -> Phrase:
    """Say what to do if the text among numbers is a mark such as "?", which usually means a missing value."""
    cell = _text_among_numbers(side, own, other)
    if cell is None or not is_mark(cell):
        return Phrase()
    mark = cell.strip()
    option = Argument("missing", [mark])
    return Phrase("if ", Sensitive(shown(mark)), " means missing, read the files with ", option, "; otherwise ")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _first_present(column: Column) -> Any:
    """Return the first value that is not missing, or None."""
    # Most columns have a value among the first hundred; a copy of the whole column is the exception.
    for part in (column.values[:100], column.values[100:]):
        value = _first_of(part, column)
        if value is not None:
            return value
    return None


def _first_of(values: Any, column: Column) -> Any:
    if isinstance(values, list):
        return next((value for value in values if not is_missing(value)), None)
    if isinstance(values, np.ndarray):
        present = values[values == values][:1].tolist()
    else:
        kept = values.drop_nulls()
        if kept.dtype.is_float():  # polars keeps NaN apart from null
            kept = kept.filter(~kept.is_nan())
        present = Column(column.name, column.family, kept.head(1)).cells()
    return present[0] if present else None


def _revealing_value(column: Column, first: object) -> Any:
    """Return a value that shows the problem: in mixed columns the first text, which is usually the mistake."""
    if column.family == "mixed":
        return next((cell for cell in column.values if isinstance(cell, str)), first)
    return first


def _value_text(value: object) -> str:
    plain = isinstance(value, (date, timedelta, np.datetime64, np.timedelta64))
    return str(value) if plain else shown(value)
