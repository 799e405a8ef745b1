"""Columns that are named on a command line."""

from __future__ import annotations

from collections.abc import Iterable

from shiftproof.core import fault, unknown_name


def check_columns(option: str, wanted: Iterable[str], columns: Iterable[object]) -> None:
    """Refuse names that no column has; where several were joined by commas, say how to give them.

    Examples
    --------
    >>> check_columns("--exclude", ["day,label"], ["day", "label"])
    Traceback (most recent call last):
    ...
    shiftproof.core._errors.InputError: --exclude must name one column, got 'day,label'; repeat --exclude for each
    column.
    """
    names = [str(name) for name in columns]
    for name in wanted:
        if name in names:
            continue
        parts = [part.strip() for part in name.split(",")]
        if len(parts) > 1 and {*parts} <= {*names}:
            raise fault(option, "name one column", name, _way_out(option))
        raise unknown_name(option, "name a column", name, names)


def _way_out(option: str) -> str:
    return "repeat --exclude for each column" if option == "--exclude" else "choose one of them"
