"""Checks of the numbers that say how strong a shift is."""

from __future__ import annotations

import math
import numbers
from typing import TypeGuard

from shiftproof.core import fault


def is_number(value: object) -> TypeGuard[float]:
    """Say whether this is a real number; to Python, True is one as well."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def check_share(value: object, name: str, *, hint: str) -> float:
    """Return a number from 0 to 1, both included."""
    if not is_number(value) or not 0 <= value <= 1:
        raise fault(name, "be a number from 0 to 1", value, hint)
    return float(value)


def check_strength(value: object) -> float:
    """Return a finite number, which may be negative."""
    if not is_number(value) or not math.isfinite(value):
        raise fault("strength", "be a finite number", value, "1 moves by one standard deviation")
    return float(value)
