"""Checks that write good sentences: the name, the rule, the value, the way out."""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shiftproof.core._errors import InputError


def shown(value: object, *, width: int = 60) -> str:
    """Write a value short enough for a sentence.

    Examples
    --------
    >>> shown("a" * 100, width=12)
    "'aaaaaaaaaa…"
    """
    try:
        text = repr(value)
    except ValueError:  # Python writes no integer of more than 4,300 digits
        text = f"{type(value).__name__} too long to write"
    return text if len(text) <= width else text[: width - 1] + "…"


def listed(names: Iterable[object], *, most: int = 5, last: str = "and") -> str:
    """Write names as people do: ``'a', 'b' and 3 more``; `last` joins the last of a short list.

    Examples
    --------
    >>> listed(["a", "b", "c", "d"], most=2)
    "'a', 'b' and 2 more"
    >>> listed(["a", "b"])
    "'a' and 'b'"
    """
    names = list(names)
    if len(names) > most:
        return ", ".join(shown(n) for n in names[:most]) + f" and {len(names) - most} more"
    if len(names) <= 1:
        return "".join(shown(n) for n in names)
    return ", ".join(shown(n) for n in names[:-1]) + f" {last} {shown(names[-1])}"


def fault(name: str, rule: str, got: object, hint: str) -> InputError:
    """Make the error for an argument: it must keep a rule, got a value, and a hint.

    Examples
    --------
    >>> print(fault("alpha", "lie between 0 and 1", 2, "0.05 is usual"))
    alpha must lie between 0 and 1, got 2; 0.05 is usual.
    """
    return InputError(f"{name} must {rule}, got {shown(got)}; {hint}.")


def check_fraction(value: Any, name: str, *, hint: str = "0.05 means 5 %") -> float:
    """Return ``value`` as a float strictly between 0 and 1."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not 0 < value < 1:
        raise fault(name, "be a number strictly between 0 and 1", value, hint)
    return float(value)


def check_count(value: Any, name: str, *, least: int = 0, hint: str = "") -> int:
    """Return ``value`` as an int of at least ``least``; 3.0 passes, 3.5 and True do not."""
    whole = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not whole or (not isinstance(value, int) and not math.isfinite(value)) or value != int(value) or value < least:
        raise fault(name, f"be a whole number of at least {least}", value, hint or f"give {least} or more")
    return int(value)


def check_choice(value: Any, name: str, choices: Sequence[str]) -> str:
    """Return ``value`` if it is one of ``choices``; otherwise say which was probably meant."""
    if isinstance(value, str) and value in choices:
        return value
    near = difflib.get_close_matches(value, choices, n=1) if isinstance(value, str) else []
    hint = f"did you mean {near[0]!r}?" if near else "choose one of these."
    raise InputError(f"{name} must be one of {listed(choices, most=12, last='or')}, got {shown(value)}; {hint}")


def check_vector(values: ArrayLike, name: str, *, least: int = 1) -> NDArray[np.float64]:
    """Return ``values`` as a one-dimensional float array without missing values or infinities."""
    array = _floats(values, name)
    if array.ndim != 1:
        raise fault(name, "have one dimension", f"shape {array.shape}", "pass one column or a flat list")
    if len(array) < least:
        raise fault(name, f"hold at least {least} value{'s' * (least != 1)}", len(array), "add observations")
    _refuse_non_finite(array, name)
    return array


def check_matrix(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return ``values`` as a two-dimensional float array without missing values or infinities."""
    array = _floats(values, name)
    if array.ndim != 2:
        raise fault(
            name, "have two dimensions", f"shape {array.shape}", "pass one row per block, one column per method"
        )
    _refuse_non_finite(array, name)
    return array


def _floats(values: ArrayLike, name: str) -> NDArray[np.float64]:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise fault(name, "be numbers", values, "convert text to numbers first") from None
    except OverflowError:
        raise fault(name, "be numbers below 1.8e308", values, "measure in a larger unit") from None


def _refuse_non_finite(array: NDArray[np.float64], name: str) -> None:
    bad = ~np.isfinite(array)
    if bad.any():
        first = array[bad][0]
        count = int(bad.sum())
        hint = f"drop or fill the {count} missing or infinite value{'s' * (count != 1)} first"
        raise fault(name, "be finite", float(first), hint)
