"""The arrays that the library works on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# The class of each row as its place among the sorted labels.
Codes = NDArray[np.int64]
# Row numbers; NumPy indexes by this type without a conversion.
Rows = NDArray[np.intp]
