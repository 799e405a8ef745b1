"""Rows of tables: ranges over cells, and changes against the base."""

from __future__ import annotations

import math

import pytest

from shiftproof.robustness._features import TableDistance
from shiftproof.robustness._rows import BASE, table_cells, table_shifts
from shiftproof.simulation import Cell

TABLES = {
    BASE: TableDistance(failing=0.0, hellinger=0.1, skew=math.nan),
    Cell("mar", 0.5, "age"): TableDistance(failing=0.5, hellinger=0.3, skew=math.nan),
    Cell("mar", 0.5, "job"): TableDistance(failing=1.0, hellinger=0.4, skew=2.0),
}


def test_table_cells_change_against_the_base() -> None:
    assert [cell.change for cell in table_cells(TABLES)] == pytest.approx([0.0, 0.2, 0.3])


def test_table_shifts_average_over_features_and_leave_out_an_undefined_skewness() -> None:
    base, mar = table_shifts(TABLES)
    assert math.isnan(base.skew)
    assert (mar.shift, mar.skew, mar.failing) == ("MAR 50", 2.0, (0.75, 0.5, 1.0))
    assert mar.hellinger == pytest.approx((0.35, 0.3, 0.4))
    assert mar.change == pytest.approx(0.25)
