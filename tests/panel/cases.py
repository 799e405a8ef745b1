"""What the tests of panels share: a small task, and the sentence of an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shiftproof.core import InputError

Array = np.ndarray[Any, Any]


def task(n: int = 60, k: int = 2, seed: int = 0) -> tuple[Array, Array]:
    """Draw three numbers per row that depend on one of k classes."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % k)
    return rng.normal(size=(n, 3)) + y[:, None], y


def error_of(call: Any) -> str:
    """Return the sentence with which a call refuses its input."""
    with pytest.raises(InputError) as error:
        call()
    return str(error.value)
