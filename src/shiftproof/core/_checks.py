"""Checks of arguments whose errors state the name, the rule, the value and what to do."""

from __future__ import annotations

import difflib
import math
import numbers
import os
import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shiftproof.core._errors import ABSENT, FileError, InputError
from shiftproof.core._format import is_address, listed, shown
from shiftproof.core._missing import is_missing, unmasked
from shiftproof.core._phrases import Argument, Phrase, Sensitive, Text

# A table may have thousands of columns; a hint must stay one line.
_MOST_NAMES = 8
# Of so many different labels or fewer, a single one may be rare.
_FEWEST_IDENTIFIERS = 10
# So few cells are shown whole; of more, only the one that is wrong.
_SHOWN_WHOLE = 3
# So many first letters of a name stand for it.
_FEWEST_LETTERS = 3


def fault(
    name: str | Argument, rule: Text, got: object = ABSENT, hint: Text | Argument = "", *, sensitive: bool = False
) -> InputError:
    """Make the error for an argument: it must keep a rule, got a value, and a hint.

    Parameters
    ----------
    name : str or Argument
        The argument, or an entry of it.
    rule : str
        What it must do, without "must".
    got : object
        The value, or a `Phrase` that describes it.
    hint : str, Phrase or Argument
        What to do, without a full stop; other arguments in it as `Argument`.
    sensitive : bool
        Whether the value may come from the user's data.

    Examples
    --------
    >>> print(fault("alpha", "lie between 0 and 1", 2, "0.05 is usual"))
    alpha must lie between 0 and 1, got 2; 0.05 is usual.
    >>> print(fault("X", "have two columns", Phrase("1 of 4 rows"), Phrase("pass ", Argument("exclude", ["zip"]))))
    X must have two columns, got 1 of 4 rows; pass exclude=['zip'].
    """
    return InputError(argument=name, rule=rule, got=got, hint=hint, sensitive=sensitive)


def unknown_name(
    name: str | Argument, rule: Text, got: object, available: Iterable[object], *, most: int = _MOST_NAMES
) -> InputError:
    """Make the error for a name that does not exist, with the name probably meant or at most so many available ones.

    Examples
    --------
    >>> print(unknown_name("exclude", "name columns of X", "aeg", ["age", "job"]))
    exclude must name columns of X; got 'aeg'. Did you mean 'age'?
    >>> print(unknown_name("exclude", "name columns of X", "zip", ["age", "job"]))
    exclude must name columns of X, got 'zip'; available: 'age', 'job'.
    """
    names = list(available)
    near = similar(got, names)
    return InputError(
        argument=name, rule=rule, got=got, hint="" if near else available_names(names, most=most), near=near
    )


def lacks_columns(table: str, columns: Sequence[str], other: str, hint: str) -> InputError:
    """Make the error for columns that one table lacks and another one has.

    Examples
    --------
    >>> print(lacks_columns("X_new", ["age", "job"], "X", "check its header"))
    X_new has no columns 'age' or 'job', which X has; check its header.
    """
    which = f" has no column{'s' * (len(columns) > 1)} {listed(columns, last='or')}, which "
    return InputError(Argument(table), which, Argument(other), f" has; {hint}", argument=table)


def similar(name: object, names: Iterable[object], *, cutoff: float = 0.62) -> tuple[object, ...]:
    """Return the name that was probably meant, if any is as similar as the cutoff, from 0 to 1, demands.

    Examples
    --------
    >>> similar("aeg", ["age", "job"]), similar("zip", ["age", "job"]), similar("AGE", ["age", "job"])
    (('age',), (), ('age',))
    >>> similar("acc", ["auc", "accuracy"])
    ('accuracy',)
    """
    # The first of those that differ in case only.
    by_text = {str(candidate).casefold(): candidate for candidate in reversed(list(names))}
    # Slightly above difflib's default of 0.6, which suggests "income" for "nope".
    wanted = str(name).casefold()
    # Whoever writes the first letters means the whole name.
    begun = [text for text in by_text if len(wanted) >= _FEWEST_LETTERS and text.startswith(wanted)]
    near = begun if len(begun) == 1 else difflib.get_close_matches(wanted, by_text, n=1, cutoff=cutoff)
    return tuple(by_text[text] for text in near)


def available_names(names: Iterable[object], *, most: int = _MOST_NAMES) -> str:
    """Write at most so many of the available names, for a hint.

    Examples
    --------
    >>> available_names(["age", "job"])
    "available: 'age', 'job'"
    """
    written = list(map(shown, names))
    if not written:
        return "none is available"
    more = f" and {len(written) - most} more" if len(written) > most else ""
    return f"available: {', '.join(written[:most])}{more}"


def is_number(value: object) -> TypeGuard[float]:
    """Say whether this is a real number; to Python, True is one as well."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _typed(value: object) -> object:
    """Return a number as it was typed: of --level 90 the command line makes 90.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def check_fraction(value: object, name: str | Argument, *, hint: str = "0.05 means 5%") -> float:
    """Return ``value`` as a float strictly between 0 and 1."""
    if not is_number(value) or not 0 < value < 1:
        raise fault(name, "be a number strictly between 0 and 1", _typed(value), hint)
    return float(value)


def check_share(value: object, name: str | Argument, *, hint: str) -> float:
    """Return ``value`` as a float from 0 to 1, both included."""
    if not is_number(value) or not 0 <= value <= 1:
        raise fault(name, "be a number from 0 to 1", _typed(value), hint)
    return float(value)


def check_count(value: object, name: str | Argument, *, least: int = 0, hint: str = "") -> int:
    """Return ``value`` as an int of at least ``least``; 3.0 passes, 3.5 and True do not."""
    if (
        not is_number(value)
        or (not isinstance(value, int) and not math.isfinite(value))
        or value != int(value)
        or value < least
    ):
        raise fault(name, f"be a whole number of at least {least}", value, hint)
    return int(value)


def check_jobs(n_jobs: object) -> int | None:
    """Return how many fits or threads may run at a time, as joblib counts them."""
    if n_jobs is None or (isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool) and n_jobs != 0):
        return None if n_jobs is None else int(n_jobs)
    raise fault("n_jobs", "be a whole number other than 0", n_jobs, "1 runs one at a time, -1 uses all cores")


def check_choice(value: object, name: str | Argument, choices: Sequence[str]) -> str:
    """Return ``value`` if it is one of ``choices``; otherwise raise an error that suggests one."""
    if isinstance(value, str) and value in choices:
        return value
    rule = f"be one of {', '.join(map(shown, choices))}"
    raise InputError(
        argument=name, rule=rule, got=value, near=similar(value, choices) if isinstance(value, str) else ()
    )


def check_flag(value: object, name: str) -> bool:
    """Return ``value`` if it is True or False: "no" would count as True."""
    if not isinstance(value, (bool, np.bool_)):
        raise fault(name, "be True or False", value, f"write {name}=True or {name}=False")
    return bool(value)


def check_label(label: object, labels: Sequence[object], name: str = "pos_label") -> int:
    """Return the place of a class that the user named, or raise an error that lists the classes.

    Examples
    --------
    >>> check_label("yes", ["no", "yes"])
    1
    >>> check_label("Yes", ["no", "yes"])
    Traceback (most recent call last):
        ...
    shiftproof.core._errors.InputError: pos_label must be one of 'no' and 'yes'; got 'Yes'. Did you mean 'yes'?
    """
    if isinstance(label, np.datetime64):
        # Labels were read as Python's own dates or moments.
        label = next((known for known in (label.item(), label.astype("M8[us]").item()) if known in labels), label)
    # Comparing an array with a label gives an array.
    if (hasattr(label, "__array__") and np.ndim(label)) or label not in labels:
        near = similar(label, labels) if isinstance(label, str) else ()
        hint = "" if near else "labels must match exactly"
        raise InputError(argument=name, rule=f"be one of {listed(labels)}", got=label, hint=hint, near=near)
    return labels.index(label)


def refuse_identifiers(n_classes: int, n_rows: int, name: str = "y") -> None:
    """Refuse labels that hardly repeat: they are identifiers, dates or measurements.

    Examples
    --------
    >>> refuse_identifiers(600, 600)
    Traceback (most recent call last):
        ...
    shiftproof.core._errors.InputError: y must contain class labels, got 600 different values in 600 rows; group \
the values into classes first, or use another column.
    """
    if n_classes > max(_FEWEST_IDENTIFIERS, n_rows / 2):
        got = Phrase(f"{n_classes:,} different values in {n_rows:,} rows")
        raise fault(name, "contain class labels", got, "group the values into classes first, or use another column")


def as_floats(
    values: Any, name: str | Argument, *, rule: str = "be numbers", hint: str = "convert text to numbers first"
) -> NDArray[np.float64]:
    """Return numbers of any library as a new array of floats; missing and masked ones are NaN.

    Examples
    --------
    >>> as_floats(np.ma.array([1, 2], mask=[False, True]), "sample_weight")
    array([ 1., nan])
    """
    # NumPy would drop imaginary parts, and count dates in their unit.
    if getattr(getattr(values, "dtype", None), "kind", "") in ("c", "m", "M"):
        raise fault(name, rule, values, hint)
    try:
        return _floats(unmasked(values))
    except (TypeError, ValueError):
        raise fault(name, rule, _first_not_number(values), hint) from None
    except OverflowError:
        raise fault(name, "be numbers below 1.8e308", values, "use a larger unit") from None


def _first_not_number(values: Any) -> object:
    """Return the first cell of a column that is not a number; short or nested values are shown whole."""
    nested = getattr(values, "ndim", 1) != 1 or not hasattr(values, "__iter__") or isinstance(values, str)
    cells = [] if nested else list(values)
    short = isinstance(values, (list, tuple)) and len(cells) <= _SHOWN_WHOLE
    if short or any(isinstance(cell, (list, tuple, np.ndarray)) for cell in cells):
        return values
    for cell in cells:
        try:
            _floats([cell])
        except (TypeError, ValueError):
            return Phrase(Sensitive(shown(cell)))
    return values


def _floats(values: Any) -> NDArray[np.float64]:
    # What nobody can write to, such as the scores of a panel, needs no copy.
    if isinstance(values, np.ndarray) and values.dtype == np.float64 and not values.flags.writeable:
        return values
    try:
        return np.array(values, dtype=np.float64)
    except TypeError:  # NumPy knows None and NaN, but not the NA of pandas
        cells = np.asarray(values, dtype=object)
        return np.array([np.nan if is_missing(cell) else cell for cell in cells.ravel()], float).reshape(cells.shape)


def check_vector(values: ArrayLike, name: str, *, least: int = 1) -> NDArray[np.float64]:
    """Return ``values`` as a one-dimensional float array without missing values or infinities."""
    array = as_floats(values, name)
    if array.ndim != 1:
        raise fault(name, "have one dimension", Phrase(f"shape {array.shape}"), "pass one column or a flat list")
    if len(array) < least:
        raise fault(name, f"hold at least {least} value{'s' * (least != 1)}", len(array), "add observations")
    _refuse_non_finite(array, name)
    return array


def check_matrix(
    values: ArrayLike, name: str, *, hint: str = "pass one row per block, one column per method"
) -> NDArray[np.float64]:
    """Return ``values`` as a two-dimensional float array without missing values or infinities."""
    array = as_floats(values, name)
    if array.ndim != 2:
        raise fault(name, "have two dimensions", Phrase(f"shape {array.shape}"), hint)
    _refuse_non_finite(array, name)
    return array


def _refuse_non_finite(array: NDArray[np.float64], name: str) -> None:
    bad = ~np.isfinite(array)
    if bad.any():
        first = array[bad][0]
        count = int(bad.sum())
        hint = f"drop or fill the {count} missing or infinite value{'s' * (count != 1)} first"
        raise fault(name, "be finite", float(first), hint)


def refuse_url(path: str | os.PathLike[str], *, writing: bool = False) -> None:
    """Refuse an address in place of a file to read or, with `writing`, of a file or a folder to write."""
    text = os.fspath(path)
    # Paths join slashes, so that https://x became https:/x; a drive such as C:/ has one letter.
    match = re.match(r"([a-z][a-z0-9+.]+):/", text, re.IGNORECASE)
    # Everybody can read the names of files.
    if writing and (match or is_address(text)):
        raise FileError(path, "this is an address, not a path; name a file or a folder on this machine")
    if match is None:
        return
    what, hint = "this is a URL, not a file", "download the table first"
    if match[1].startswith("postgres"):
        what, hint = "tables are read from files and DuckDB", "write the table to a file first"
        what += ", and only the store of a monitor can be in PostgreSQL"
    raise FileError(path, f"{what}; {hint}")
