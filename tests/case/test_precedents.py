"""What natural shifts did to other people's models: a table of results."""

from __future__ import annotations

import numpy as np
from tests.selection.cases import shift_kind

from shiftproof.case import precedents

HALVES = np.array([0.5, 0.5])


def test_precedents_are_the_shifts_nearest_in_size() -> None:
    small, large = (precedents(shift_kind(300, 200, HALVES, entropy=size)) for size in (0.0, 4.0))
    assert small.count == large.count == 40
    assert small.total == large.total > 100
    assert small.validated_error < large.validated_error
    assert large.estimate_error < large.validated_error
