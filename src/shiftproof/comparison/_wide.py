"""Which columns of a table with one column per method are methods, and which only describe the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shiftproof.core import Argument, ColumnsLeftOut, Floats, Phrase, fault, shown, warn

# Columns of these names describe a row; compared in small letters, with underscores.
_DESCRIBING = frozenset(
    (
        *("id", "ids", "idx", "index", "key", "number", "row", "rows", "unnamed:_0", "level_0"),
        *("n_rows", "nrows", "n_samples", "n_features", "n_classes", "n_train", "n_test", "size"),
        *("seed", "random_state", "run", "rep", "repeat", "repetition", "replicate", "iteration", "split", "trial"),
        *("year", "version"),
    )
)
_LARGEST_ID = 2.0**64
# Fewer rows may count up by one by chance.
_FEWEST_ROWS = 3


def method_columns(losses: Mapping[str, Floats], marks: Sequence[str]) -> list[str]:
    """Return the columns that hold the losses of methods; warn about the rest by name.

    A column is left out if its name describes rows (``id``, ``seed``, ``n_rows``), if it counts the rows, or if it
    holds whole numbers while other columns hold fractions. A column of zeros or of ones may be a perfect method.

    Parameters
    ----------
    losses : mapping of str to ndarray
        All columns of numbers, in the order of the table; missing losses are NaN.
    marks : sequence of str
        The usual names of columns that mark rows, such as ``dataset``, which the table does not have.

    Raises
    ------
    InputError
        If a column has one of the usual names in other letters: without it the rows would count as data sets.

    Warns
    -----
    ColumnsLeftOut
        If a column is left out.
    """
    for name in losses:
        for mark in marks:
            if name.strip().casefold() == mark:
                argument = f"{mark}_column"
                hint = Phrase("pass ", Argument(argument, name))
                got = Phrase(f"no name, although results has a column {shown(name)}")
                raise fault(argument, f"name the column of {mark}s", got, hint)
    fractions = [name for name, values in losses.items() if not _whole(values)]
    left_out = {name: _reason(name, values, fractions) for name, values in losses.items()}
    left_out = {name: reason for name, reason in left_out.items() if reason}
    if left_out:
        warn(
            ColumnsLeftOut(
                left_out, "to compare such a column, pass one row per loss with the columns dataset, method and loss"
            )
        )
    return [name for name in losses if name not in left_out]


def _reason(name: str, values: Floats, fractions: Sequence[str]) -> str:
    """Return why a column is not a method; an empty text if it may be one."""
    written = name.strip().casefold().replace(" ", "_").replace("-", "_")
    if written in _DESCRIBING or written.endswith("_id"):
        return "describes the rows"
    if len(values) >= _FEWEST_ROWS and bool((np.abs(np.diff(values)) == 1).all()) and len(set(values)) == len(values):
        return "counts the rows"
    if fractions and _whole(values) and set(values.tolist()) not in ({0.0}, {1.0}):
        return "only whole numbers, while other columns have fractions"
    return ""


def _whole(values: Floats) -> bool:
    # Beyond 64 bits no id is written, and every float is whole; values that are not finite are refused later, by name.
    return bool((np.abs(values) <= _LARGEST_ID).all() and (values == np.trunc(values)).all())
