"""The arrays that the library works on, and what probabilities must be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core._checks import as_floats, fault
from shiftproof.core._format import counted, listed
from shiftproof.core._phrases import Argument, Phrase

Floats = NDArray[np.float64]
# The class of each row as its place among the sorted labels.
Codes = NDArray[np.int64]
# Row numbers; NumPy indexes by this type without a conversion.
Rows = NDArray[np.intp]

# Scores from files are often rounded to three digits; their rows sum to one only up to this.
_SUM_TOLERANCE = 1e-3
# Sums in single precision leave [0, 1] by about this much.
_ROUNDING = 1e-6


def check_probabilities(values: Floats, name: str | Argument, *, hint: str = "divide each row by its sum") -> Floats:
    """Refuse numbers outside [0, 1], and rows of several columns that do not sum to 1; clip rounding errors.

    Parameters
    ----------
    values : ndarray of shape (n,) or (n, k)
        Numbers without missing values; one column per class.
    name : str or Argument
        What errors call them.
    hint : str
        What to do about rows with another sum.

    Returns
    -------
    ndarray
        The same array, or a clipped copy if rounding took a value up to 1e-6 out of [0, 1].

    Examples
    --------
    >>> check_probabilities(np.array([0.2, 1.5]), "scores")
    Traceback (most recent call last):
        ...
    shiftproof.core._errors.InputError: scores must lie between 0 and 1, got 1.5; turn decision values into \
probabilities first, or divide percentages by 100.
    """
    if values.size and not (values.min() >= 0 and values.max() <= 1):
        outside = values[(values < 0) | (values > 1)]
        worst = float(outside[np.abs(outside - 0.5).argmax()])
        if not -_ROUNDING <= worst <= 1 + _ROUNDING:
            wanted = "turn decision values into probabilities first, or divide percentages by 100"
            raise fault(name, "lie between 0 and 1", Phrase(f"{outside[0]:.4g}"), wanted)
        values = np.clip(values, 0, 1)
    # One column is the probability of one class of two.
    if values.ndim == 2 and values.shape[1] > 1:
        sums = values.sum(axis=1)
        worst = max(float(sums.min()), float(sums.max()), key=lambda total: abs(total - 1))
        if abs(worst - 1) > _SUM_TOLERANCE:
            raise fault(name, "have rows that sum to 1", worst, hint)
    return values


def check_complete(values: Floats, name: str | Argument, **hint: str) -> Floats:
    """Refuse rows with missing probabilities, and whatever `check_probabilities` refuses.

    Parameters
    ----------
    values : ndarray of shape (n, k)
        One column per class.
    name : str or Argument
        What errors call them.
    **hint
        That of `check_probabilities`.

    Examples
    --------
    >>> check_complete(np.array([[0.2], [np.nan]]), "p")
    Traceback (most recent call last):
        ...
    shiftproof.core._errors.InputError: p must have a value in every row, got 1 row without one; drop such rows first.
    """
    missing = int(np.isnan(values).any(axis=1).sum())
    if missing:
        got = Phrase(f"{counted(missing, 'row')} without one")
        raise fault(name, "have a value in every row", got, "drop such rows first")
    return check_probabilities(values, name, **hint)


def native_order(values: Any) -> Any:
    """Return an array, or a series or table of pandas, with its numbers in this machine's byte order.

    Files of other machines are read in theirs, which pandas and compiled code refuse. Anything else is returned as it
    is.

    Examples
    --------
    >>> native_order(np.array([1.5], dtype=">f8")).dtype.isnative
    True
    """
    if isinstance(values, np.ndarray):
        return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))
    dtypes = getattr(values, "dtypes", None)
    if isinstance(dtypes, np.dtype):  # of a series
        return values if dtypes.isnative else values.astype(dtypes.newbyteorder("="))
    if dtypes is None or not hasattr(dtypes, "items"):
        return values
    foreign = {name: d.newbyteorder("=") for name, d in dtypes.items() if isinstance(d, np.dtype) and not d.isnative}
    return values.astype(foreign) if foreign else values


def count_rows(X: Any) -> int | None:
    """Return the number of rows; None for what does not say it before it is read, such as a lazy table."""
    if isinstance(X, Mapping):
        X = next(iter(X.values()), ())
    return int(X.shape[0]) if hasattr(X, "shape") else len(X) if hasattr(X, "__len__") else None


def check_scored_rows(scored: int, X: object, name: str) -> None:
    """Refuse what a model returns if it is not one row for each row of X.

    Examples
    --------
    >>> check_scored_rows(2, [[0.5]] * 3, "predict_proba")
    Traceback (most recent call last):
        ...
    shiftproof.core._errors.InputError: predict_proba must give one row per row of X; got 2 for 3 rows.
    """
    n_rows = count_rows(X)
    if n_rows is not None and scored != n_rows:
        raise fault(name, "give one row per row of X", Phrase(f"{scored:,} for {n_rows:,} rows"))


def score_array(values: object, name: str | Argument) -> tuple[Floats, tuple[object, ...] | None]:
    """Copy scores of any library into an array, with the names of their columns where they have any.

    Parameters
    ----------
    values : array-like, sparse matrix, series, table, or dict from class to column
        Numbers; missing and masked ones become NaN.
    name : str or Argument
        What errors call them.

    Returns
    -------
    values : ndarray of shape (n,) or (n, k)
        A copy: a model may use its own array again.
    names : tuple or None
        The names of the columns; None for arrays, and for names that only count columns.

    Examples
    --------
    >>> score_array({"yes": [0.2, 0.9], "no": [0.8, 0.1]}, "scores")
    (array([[0.2, 0.8],
           [0.9, 0.1]]), ('yes', 'no'))
    """
    raw: Any = values
    names: Sequence[object] | None = getattr(raw, "column_names", getattr(raw, "columns", None))
    if isinstance(raw, Mapping):
        columns = [as_floats(column, name) for column in raw.values()]
        if len({len(column) for column in columns if column.ndim == 1}) != 1:
            raise fault(
                name, "have columns of the same length, one for each class", dict(raw), "write {label: column, ...}"
            )
        names, raw = list(raw), np.column_stack(columns)
    elif names is None and isinstance(getattr(raw, "name", None), (str, int)):
        names = [raw.name]
    raw = raw.toarray() if hasattr(raw, "toarray") else raw
    rule, hint = "be probabilities", "pass numbers from 0 to 1"
    # NumPy would drop the imaginary part.
    if getattr(getattr(raw, "dtype", None), "kind", "") == "c":
        raise fault(name, rule, values, hint)
    array = as_floats(raw, name, rule=rule, hint=hint)
    if names is None:
        return array, None
    # pandas and polars number the columns of an array: these are not names of classes.
    counted = all(column in (place, f"column_{place}") for place, column in enumerate(names))
    return array, None if counted else tuple(names)


def score_columns(values: object, name: str | Argument) -> tuple[Floats, tuple[object, ...] | None]:
    """Copy scores as `score_array` does, one column per class also where there is only one.

    Examples
    --------
    >>> score_columns([0.2, 0.9], "scores")
    (array([[0.2],
           [0.9]]), None)
    """
    array, names = score_array(values, name)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or not array.shape[1]:
        raise fault(name, "have one or two dimensions", Phrase(f"shape {array.shape}"), "pass one column per class")
    return array, names


def match_classes(
    names: Sequence[object], classes: Sequence[object], name: str | Argument, *, called: str = "classes"
) -> list[int]:
    """Return the column of each class by its name; refuse columns that are not named after the classes.

    `called` is what errors call the classes.

    Examples
    --------
    >>> match_classes(["1", "0"], [0, 1], "scores")
    [1, 0]
    """
    # A file has only text for names: '0' is the class 0, unless there is also a class '0'.
    written = {_as_written(column): place for place, column in enumerate(names)}
    places = [written.get(_as_written(label)) for label in classes]
    if None in places or not len(names) == len(written) == len(classes):
        rule = f"have one column for each of the {called} {listed(classes)}"
        hint = f"name the columns after the {called}, or pass an array with columns in that order"
        raise fault(name, rule, Phrase(listed(names)), hint)
    return [place for place in places if place is not None]


def _as_written(label: object) -> str:
    # Whole numbers become floats in a column that once had missing values: 0.0 is the class 0.
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)
