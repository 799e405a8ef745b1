"""The arrays that the library works on, and what probabilities must be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shiftproof.core._checks import fault
from shiftproof.core._phrases import Argument

Floats = NDArray[np.float64]
# The class of each row as its place among the sorted labels.
Codes = NDArray[np.int64]
# Row numbers; NumPy indexes by this type without a conversion.
Rows = NDArray[np.intp]

# Scores from files are often rounded to three digits; their rows sum to one only up to this.
_SUM_TOLERANCE = 1e-3


def check_probabilities(values: Floats, name: str | Argument, *, hint: str = "divide each row by its sum") -> Floats:
    """Refuse numbers outside [0, 1], and rows of several columns that do not sum to 1.

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
        The same array.

    Examples
    --------
    >>> check_probabilities(np.array([0.2, 1.5]), "scores")
    Traceback (most recent call last):
        ...
    shiftproof.core._errors.InputError: scores must lie between 0 and 1, got 1.5; turn decision values into \
probabilities first, or divide percentages by 100.
    """
    outside = values[(values < 0) | (values > 1)]
    if outside.size:
        wanted = "turn decision values into probabilities first, or divide percentages by 100"
        raise fault(name, "lie between 0 and 1", float(outside[0]), wanted)
    # One column is the probability of one class of two.
    if values.ndim == 2 and values.shape[1] > 1:
        sums = values.sum(axis=1)
        worst = float(sums[np.abs(sums - 1).argmax()])
        if abs(worst - 1) > _SUM_TOLERANCE:
            raise fault(name, "have rows that sum to 1", worst, hint)
    return values
