"""What the bets on a batch rest on, small enough to be kept for the last few hundred batches."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class BetInputs:
    """The facts about a batch from which all bets can be made again.

    Attributes
    ----------
    mix : array, shape (S,)
        Rows of the batch, by season.
    tilts, rows : array
        How far the batch lies along each direction, and the effective number of rows per column.
    learnt : array, shape (3 J,)
        Logarithms of the bets on what earlier batches showed.
    missing : array, shape (J,)
        Rows with a missing value, per column.
    below : array, shape (31 times the columns of numbers,)
        Rows up to each cut.
    levels : array, shape (8 times the columns of categories,)
        Logarithms of the bets on Hellinger distances.
    harm : array, shape (5,) or (0,)
        Logarithms of the bets on accuracy below the floor; none if it was not estimated.
    corrected : array, shape (5,) or (0,)
        The same for the estimate less the bias that labels have shown.
    """

    mix: Counts
    tilts: Floats
    rows: Floats
    learnt: Floats
    missing: Counts
    below: Counts
    levels: Floats
    harm: Floats
    corrected: Floats

    def to_bytes(self) -> bytes:
        """Return the inputs in single precision, which is plenty to say since when."""
        arrays = [np.asarray(getattr(self, name), "<f4") for name in _ARRAYS]
        sizes = np.array([len(array) for array in arrays], "<i8")
        return b"".join(part.tobytes() for part in [sizes, *arrays])

    @classmethod
    def from_bytes(cls, stored: bytes) -> BetInputs:
        """Read what `to_bytes` returned."""
        sizes = np.frombuffer(stored, "<i8", len(_ARRAYS)).tolist()
        arrays: dict[str, Any] = {}
        position = 8 * len(_ARRAYS)
        for name, size in zip(_ARRAYS, sizes, strict=True):
            arrays[name] = np.frombuffer(stored, "<f4", size, position).astype(np.float64)
            position += 4 * size
        return cls(**arrays)


_ARRAYS = tuple(field.name for field in fields(BetInputs))
