"""What counts as a missing value, in every library."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Marks that often stand for a missing value, in small letters; so do texts without a letter or digit, such as "?".
MARKS = (
    *("na", "n.a.", "n.a", "n/a", "none", "null", "(null)", "nil", "nan", "missing", "(missing)", "unknown", "unk"),
    *("not available", "\\n", "#ref!", "#value!", "#div/0!", "#name?", "#num!", "#null!"),
)


def is_missing(value: object) -> bool:
    """Return whether one value is None, NaN, NaT, NA or masked."""
    if value is None or value is np.ma.masked:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas.NA refuses to be a bool; arrays are not one value
        return type(value).__name__ == "NAType"
    except ArithmeticError:  # Decimal("sNaN") refuses even to be compared
        return True


def is_mark(cell: object) -> bool:
    """Return whether a text often stands for a missing value.

    Examples
    --------
    >>> is_mark("n/a?"), is_mark("Unknown"), is_mark("x"), is_mark("")
    (True, True, False, False)
    """
    if not isinstance(cell, str) or not cell.strip():
        return False
    small = cell.strip().lower()
    return small in MARKS or small.rstrip("?!* ") in MARKS or not any(letter.isalnum() for letter in cell)


def unmasked(values: Any) -> Any:
    """Return a masked array with its masked cells missing: NaN among floats, else None; anything else as it is.

    Examples
    --------
    >>> unmasked(np.ma.array([1, 2], mask=[False, True]))
    array([1, None], dtype=object)
    """
    if not isinstance(values, np.ma.MaskedArray) or values.dtype.names:
        return values
    if values.dtype.kind == "f":
        return values.filled(np.nan)
    cells: NDArray[Any] = values.data.astype(object)  # a copy
    cells[np.ma.getmaskarray(values)] = None
    return cells
