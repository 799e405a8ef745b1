"""Rows in blocks: every row once, in order."""

from __future__ import annotations

import numpy as np
import pytest

from shiftproof.core import blocks
from shiftproof.core._blocks import _ROWS


@pytest.mark.parametrize("n", [0, 1, _ROWS, _ROWS + 1, 3 * _ROWS])
def test_every_row_is_in_one_block(n: int) -> None:
    rows = np.arange(n)
    parts = [rows[block] for block in blocks(n)]
    assert np.concatenate([*parts, rows[:0]]).tolist() == rows.tolist()
    assert all(0 < len(part) <= _ROWS for part in parts)
