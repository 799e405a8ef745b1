"""What workers do with pieces and ranges."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from shiftproof.warehouse import _runs
from shiftproof.warehouse._runs import Bins, ColumnPlan


def test_pieces_are_sorted_values_or_counts_of_ties_and_missing_cells_count_once() -> None:
    plan = ColumnPlan("f8", np.array([2.0]), 2)
    piece = _runs.pieces_of(pa.chunked_array([[3.0, None, 1.0, 1.0, 1.0, 1.0, float("nan"), 2.0]]), 4, plan, 1)
    assert piece.column("place").to_pylist() == [4, 4]
    assert piece.column("range").to_pylist() == [0, 1]
    assert piece.column("missing").to_pylist() == [2, 0]
    tied, plain = piece.column("body").to_pylist()
    assert tied == b"c" + np.array([1.0]).tobytes() + np.array([4]).tobytes()
    assert plain == b"p" + np.array([2.0, 3.0]).tobytes()


def test_a_column_without_values_still_counts_its_missing_cells() -> None:
    for plan in (ColumnPlan("i8", (), 1), ColumnPlan("", (), 3)):
        piece = _runs.pieces_of(pa.chunked_array([pa.nulls(5, pa.int64())]), 0, plan, 0)
        assert piece.column("missing").to_pylist() == [5]
        joined = _runs.join(pa.Table.from_batches([piece]), [plan])
        assert json.loads(joined.column("facts")[0].as_py())["missing"] == [5, 0]


def test_small_batches_are_joined_before_they_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_runs, "_ROWS_AT_A_TIME", 25)
    batches = pa.table({"x": np.arange(60)}).to_batches(max_chunksize=10)
    assert [table.num_rows for table in _runs.tables_of(iter(batches))] == [30, 30]
    assert list(_runs.tables_of(iter([]))) == []


def test_ranges_join_the_runs_of_both_tables() -> None:
    plan = ColumnPlan("i8", (), 1)
    pieces = [
        _runs.pieces_of(pa.chunked_array([values]), 0, plan, side) for side, values in ((0, [2, 1, 2]), (1, [2, 5]))
    ]
    body = _runs.join(pa.Table.from_batches(pieces), [plan]).column("body")[0].as_py()
    values, counts = _runs.runs_of(body, "i8")
    assert values.tolist() == [1, 2, 5]
    assert counts.tolist() == [[1, 2, 0], [0, 1, 1]]


def test_numbers_of_moments_are_microseconds_and_decimals_floats() -> None:
    day = pa.chunked_array([pa.array([1], pa.date32())])
    assert _runs.numbers(day).tolist() == [86_400_000_000]
    moment = pa.chunked_array([pa.array([5], pa.timestamp("ms", "Europe/Berlin"))])
    assert _runs.numbers(moment).tolist() == [5_000]
    amount = pa.chunked_array([pa.array(["1.10"]).cast(pa.decimal128(5, 2))])
    assert _runs.numbers(amount).tolist() == [1.1]


def test_values_outside_of_bins_are_not_counted_and_the_last_bin_is_closed() -> None:
    values, counts = np.array([0.0, 1.0, 2.0, 3.0, 4.0]), np.array([[1, 1, 1, 1, 1], [0, 2, 0, 2, 0]])
    assert _runs.in_bins(values, counts, Bins(1.0, 3.0, 1.0, 1.0, 2)) == [[1, 2], [2, 2]]
    assert _runs.in_bins(values, counts, Bins(1.0, 1.0, 0.0, 1.0, 2)) == [[1, 0], [2, 0]]


def test_distances_of_integers_do_not_overflow() -> None:
    assert _runs.distances(np.array([2**63 - 1]), np.array([-(2**63)])).tolist() == [2.0**64]


def test_sums_beyond_64_bits_are_floats() -> None:
    values, counts = np.array([1.0, 2.0]), np.array([[3 * 10**9, 0], [0, 3 * 10**9]])
    part = _runs._gaps(values, counts, (0, 0), (3 * 10**9, 3 * 10**9))
    assert part["highest"] == [9 * 10**18, 1.0]
    assert part["ties"] == 2 * ((3 * 10**9) ** 3 - 3 * 10**9)


def test_workers_need_nothing_of_shiftproof_to_run_this_module() -> None:
    # The module is sent to the workers by value; it must not import what they do not have.
    code = f"import sys, runpy; runpy.run_path({_runs.__file__!r}); print('shiftproof' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert printed.stdout == "False\n"
