from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shiftproof.core import as_table
from shiftproof.monitoring._cells import NOT_IN_PART, RARE, CategoryCells, NumberCells, key_hash, level_key

SALT = b"salt"


def column(cells: Any) -> Any:
    return as_table({"x": cells}).column("x")


def number_cells(values: Any) -> NumberCells:
    array = np.asarray(values)
    return NumberCells.of(array, np.ones(len(array), dtype=bool))


def test_number_cells_cut_at_sixteenths() -> None:
    cells = number_cells(np.arange(1, 161))
    counts = cells.coarse(cells.count(column(np.arange(1, 161))))
    assert counts.tolist() == [0] + [10] * 16
    # Missing first; values beyond the range are in the outermost cells.
    assert cells.coarse(cells.count(column([np.nan, -5.0, 10.0, 10.5, 1e9]))).tolist() == [1, 2, 1] + [0] * 13 + [1]


def test_number_cells_of_two_values_have_cells_for_values_beyond() -> None:
    cells = number_cells([0] * 98 + [1] * 2)
    counts = cells.coarse(cells.count(column([0, 0, 0, 1, 7, -1])))
    assert counts.tolist() == [0, 1, 3, 2]  # missing, below 0, 0, above
    both = number_cells([0] * 50 + [1] * 50)
    assert both.coarse(both.count(column([0, 1, 2, -1, None]))).tolist() == [1, 1, 1, 1, 1]


def test_number_cells_at_cuts_count_rows_up_to_32_quantiles() -> None:
    cells = number_cells(np.arange(1, 33))
    assert cells.at_cuts(cells.count(column(np.arange(1, 33)))).tolist() == list(range(1, 32))
    tied = number_cells([5] * 40)
    assert tied.at_cuts(tied.count(column([4, 5, 5, 6]))).tolist() == [3] * 31


def test_number_cells_outside_counts_values_beyond_the_range_and_infinities() -> None:
    cells = number_cells(np.arange(100.0))
    assert cells.outside(cells.count(column([-1.0, 0.0, 99.0, 99.5, np.inf, np.nan]))) == 3
    only_infinite = number_cells([np.inf] * 30)
    assert only_infinite.outside(only_infinite.count(column([1.0, np.inf]))) == 0


@pytest.mark.parametrize("batch", [np.float64, np.int64, np.uint64, object])
@pytest.mark.parametrize("reference", [np.float64, np.int64, np.uint64])
def test_number_cells_count_alike_whatever_the_type(reference: Any, batch: Any) -> None:
    values = np.arange(0, 400, 2)
    cells = number_cells(values.astype(reference))
    new = np.arange(0, 500, 3)
    assert cells.count(column(new.astype(batch))).tolist() == number_cells(values).count(column(new)).tolist()


def test_number_cells_keep_integers_beyond_float_precision_apart() -> None:
    big = 2**53
    cells = number_cells([big] * 50 + [big + 1] * 50)
    assert cells.coarse(cells.count(column([big, big + 1, big + 1]))).tolist() == [0, 0, 1, 2, 0]
    # 2^53 + 1 is no float: the nearest floats are on either side of it.
    assert cells.coarse(cells.count(column([float(big), float(big + 2)]))).tolist() == [0, 0, 1, 0, 1]


def test_number_cells_of_negative_values_count_unsigned_ones() -> None:
    cells = number_cells(np.arange(-80, 80))
    assert cells.coarse(cells.count(column(np.array([0, 2**63 + 1], dtype=np.uint64)))).sum() == 2


def test_number_cells_codes_follow_the_rows() -> None:
    cells = number_cells(np.arange(100))
    codes = cells.codes(column([None, 3, None, 90]))
    assert codes[0] == codes[2] == 0
    assert 0 < codes[1] < codes[3]
    assert cells.codes(column([None, None])).tolist() == [0, 0]


def test_category_cells_by_rising_share() -> None:
    part = {"s:a": 20, "s:b": 5, "s:c": 4, "s:d": 1, "s:e": 0}
    cells = CategoryCells.of(part, salt=SALT, redact=False)
    assert cells.names == ("missing", NOT_IN_PART, RARE, "b", "a")
    counts, unseen = cells.count(column(["a", "a", "b", "c", "d", "e", "f", None]))
    assert counts.tolist() == [1, 2, 2, 1, 2]
    assert unseen == {"f": 1}
    assert cells.codes(column(["a", None, "f"])).tolist() == [4, 0, 1]


def test_category_cells_keep_at_most_62_levels() -> None:
    part = {f"s:{number}": 5 + number for number in range(80)}
    cells = CategoryCells.of(part, salt=SALT, redact=False)
    assert cells.n_cells == 65
    assert len(cells.rare) == 18


def test_category_cells_hide_names() -> None:
    cells = CategoryCells.of({"s:secret": 9}, salt=SALT, redact=True)
    assert cells.names[-1] == f"hidden {key_hash('s:secret', SALT):016x}"
    assert cells.count(column(["secret"]))[0].tolist() == [0, 0, 0, 1]


def test_level_key_of_equal_values() -> None:
    assert {level_key(value) for value in (True, 1, 1.0, np.int64(1), np.float32(1))} == {"n:1"}
    assert level_key(float("inf")) == "n:inf"
    assert key_hash(level_key("1"), SALT) != key_hash(level_key(1), SALT)
    assert key_hash(level_key("\ud800"), SALT) > 0
