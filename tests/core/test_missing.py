from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from shiftproof.core import is_missing, unmasked


@pytest.mark.parametrize("value", [np.ma.masked, Decimal("sNaN"), np.datetime64("NaT"), pd.NaT])
def test_is_missing_is_true_for_every_kind_of_gap(value: Any) -> None:
    assert is_missing(value)


@pytest.mark.parametrize(
    ("masked", "cells"),
    [
        (np.ma.array([1.5, 2.5], mask=[False, True]), [1.5, None]),
        (np.ma.array([1, 2], mask=[True, False]), [None, 2]),
        (np.ma.array(["a", "b"], mask=[True, False]), [None, "b"]),
        (np.ma.array([1, 2]), [1, 2]),
    ],
)
def test_unmasked_makes_masked_cells_missing(masked: Any, cells: list[Any]) -> None:
    before = masked.copy()
    assert [None if is_missing(cell) else cell for cell in unmasked(masked)] == cells
    assert (masked.mask == before.mask).all()
    assert masked.data.tolist() == before.data.tolist()


def test_unmasked_returns_anything_else_unchanged() -> None:
    values = [1, 2]
    assert unmasked(values) is values
