"""Stage two: one test per feature, corrected for their number."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from shiftproof.core import Column, Interval, as_table
from shiftproof.detection._features import MATERIAL, FeatureShift, absent_row, feature_rows, judge
from shiftproof.shift import DomainCheck
from shiftproof.stats import compare

RNG = np.random.default_rng(0)
OLD, NEW = RNG.normal(size=300), RNG.normal(size=200)
ONCE = [f"a{row}" for row in range(100)]


def test_feature_rows_of_numbers_are_the_kolmogorov_smirnov_test() -> None:
    (row,) = feature_rows("x", "continuous", compare(OLD, NEW + 0.3))
    expected = stats.ks_2samp(OLD, NEW + 0.3)
    assert (row.test, row.label) == ("ks", "x")
    assert row.effect == row.ks == pytest.approx(expected.statistic)
    assert row.p_value == pytest.approx(expected.pvalue, rel=0.05)
    assert row.effect_low <= row.effect <= row.effect_high


def test_feature_rows_have_a_row_each_for_missing_and_infinite_values() -> None:
    old, new = OLD.copy(), NEW.copy()
    old[:30], new[:100], new[100] = np.nan, np.nan, np.inf
    rows = {row.test: row for row in feature_rows("x", "continuous", compare(old, new))}
    assert list(rows) == ["ks", "infinite", "missing"]
    assert rows["missing"].effect == pytest.approx(0.5 - 0.1)
    assert rows["missing"].label == "x (missing)"
    assert rows["infinite"].note == "0 infinite in the reference, 1 in the current rows"
    assert {(row.missing_reference, row.missing_current) for row in rows.values()} == {(0.1, 0.5)}


def test_feature_rows_name_categories_that_the_reference_lacks() -> None:
    (row,) = feature_rows("c", "nominal", compare(["a", "b"] * 20, ["a", "b"] * 20 + ["z"]))
    assert row.test == "chi-square"
    assert row.note.endswith("new values: 'z' (1 row)")


def made(values: list[object]) -> Column:
    return as_table({"x": values}).column("x")


def test_absent_row_is_a_shift() -> None:
    row = absent_row("x", "continuous", made([1.0, None, 3.0, 4.0]))
    assert (row.verdict, row.effect, row.note) == ("shifted", 1.0, "absent from the new data")
    assert (row.missing_reference, row.missing_current) == (0.25, 1.0)
    row = absent_row("x", "nominal", made(["a", None, None, "b", "a"]))
    assert row.missing_reference == 0.4


def judged(shifts: dict[str, float]) -> list[FeatureShift]:
    records = {name: compare(OLD, OLD + shift) for name, shift in shifts.items()}
    return judge([row for name in records for row in feature_rows(name, "continuous", records[name])], 0.05, records)[0]


def test_judge_adjusts_p_values_and_puts_the_most_to_blame_first() -> None:
    rows = judged({"same": 0.0, "far": 2.0, "near": 0.8})
    assert [(row.feature, row.verdict) for row in rows] == [
        ("far", "shifted"),
        ("near", "shifted"),
        ("same", "no shift"),
    ]
    expected = stats.false_discovery_control([row.p_value for row in rows])
    assert [row.q_value for row in rows] == pytest.approx(expected.tolist())


def test_judge_puts_a_lost_column_before_any_change() -> None:
    record = compare(OLD, OLD + 3)
    rows = [*feature_rows("x", "continuous", record), absent_row("gone", "continuous", made([1.0]))]
    assert [row.feature for row in judge(rows, 0.05, {"x": record})[0]] == ["gone", "x"]


def test_judge_calls_significant_changes_negligible_below_the_material_size() -> None:
    even = np.arange(20_000) / 20_000
    record = compare(even, even + 0.03)
    ((row,), _) = judge(feature_rows("x", "continuous", record), 0.05, {"x": record})
    assert row.shifted
    assert row.effect < MATERIAL["ks"]
    assert (row.verdict, row.grade) == ("negligible", "negligible")


def test_judge_cannot_say_of_a_test_without_power() -> None:
    record = compare([1.0, 2.0, 3.0], [1.5, 2.5])
    ((row,), _) = judge(feature_rows("x", "continuous", record), 0.05, {"x": record})
    assert row.verdict == "cannot tell"


@pytest.mark.parametrize(("auc", "material"), [(0.59, False), (0.6, True)])
def test_judge_takes_the_classifier_as_one_more_test(auc: float, material: bool) -> None:
    area = Interval(estimate=auc, low=0.5, high=0.7, level=0.95, method="made up")
    check = DomainCheck(auc=area, p_value=0.02, n_reference=300, n_current=300)
    record = compare(OLD, OLD)
    _, together = judge(feature_rows("x", "continuous", record), 0.05, {"x": record}, check)
    assert together is not None
    # Benjamini and Hochberg: the smaller of two p-values counts twice.
    assert together.q_value == pytest.approx(0.04)
    assert (together.shifted, together.material) == (True, material)


def test_feature_rows_of_values_that_never_repeat_have_no_effect_and_say_so() -> None:
    record = compare(ONCE, [f"b{row}" for row in range(100)])
    (row,) = judge(feature_rows("c", "nominal", record), 0.05, {"c": record})[0]
    assert (row.verdict, np.isnan(row.effect), np.isnan(row.p_value)) == ("cannot tell", True, True)
    assert row.note == (
        "every value occurs only once across both tables, so they cannot be compared; new values: "
        "'b0', 'b1', 'b10' and 97 more (100 rows)"
    )


def test_feature_rows_count_unseen_values_apart_from_rare_ones() -> None:
    old, new = ["x", "y"] * 100, ["x", "y"] * 70 + ONCE[:60]
    (row,) = feature_rows("c", "nominal", compare(old, new))
    # As if all unseen values were one category: no chance alone puts 60 of 60 on one side.
    (one,) = feature_rows("c", "nominal", compare(old, ["x", "y"] * 70 + ["z"] * 60))
    assert (row.effect, row.p_value) == (one.effect, one.p_value)
    assert row.effect > 0.5


@pytest.mark.parametrize(("repeated", "verdict"), [(40, "cannot tell"), (120, "no shift")])
def test_judge_cannot_say_where_most_values_occur_once(repeated: int, verdict: str) -> None:
    record = compare(["x"] * repeated + ONCE[:50], ["x"] * repeated + ONCE[50:])
    (row,) = judge(feature_rows("c", "nominal", record), 0.05, {"c": record})[0]
    assert (row.verdict, row.effect) == (verdict, 0.0)
