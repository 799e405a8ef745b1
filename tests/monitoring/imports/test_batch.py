from __future__ import annotations

from math import isnan

from shiftproof.monitoring.imports import ImportedColumn


def test_what_a_tool_does_not_say_is_unknown() -> None:
    column = ImportedColumn(name="age", measure="NannyML wasserstein", distance=2.0)
    assert isnan(column.p_value)
    assert isnan(column.missing)
