"""Names of measures in sentences."""

from __future__ import annotations

from shiftproof.measures import MEASURES, measure_name


def test_names_have_no_underscores_and_are_all_different() -> None:
    names = [measure_name(measure) for measure in (*MEASURES, "profit")]
    assert not any("_" in name for name in names)
    assert len({name.lower() for name in names}) == len(names)
    assert {"AUC", "Brier score", "F1", "G-mean", "accuracy", "profit"} <= {*names}
