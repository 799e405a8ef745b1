"""Two tables with columns of every type, and what it means that two engines agree on them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from shiftproof.detection import Detection

ROWS = 3_000
#: What has no type in some engines.
UNSIGNED = "unsigned"


def arrow_tables(rows: int = ROWS) -> tuple[pa.Table, pa.Table]:
    """Make an old and a new table of 18 columns, of which some are shifted."""
    return _all_types(1, rows), _all_types(2, rows, shift=0.5)


def pandas_tables(rows: int = ROWS) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make the same two tables with types of pandas that have NULL where a column needs it, and NaN elsewhere."""
    old, new = (_in_pandas(table) for table in arrow_tables(rows))
    return old, new


def check_same(result: Detection, expected: Detection, *, without: Collection[str] = ()) -> None:
    """Check that verdicts, tests and every number of every record agree to 1e-9.

    Columns `without` may be left out of both, and are not compared; with them q-values differ, which depend on all.
    """
    assert (result.n_reference, result.n_current) == (expected.n_reference, expected.n_current)
    assert result.verdict == expected.verdict
    own_rows, other_rows = (_rows_of(one, without) for one in (result, expected))
    pd.testing.assert_frame_equal(own_rows, other_rows, rtol=1e-9, atol=1e-12)
    names = [name for name in expected.records if name not in without]
    assert [name for name in result.records if name not in without] == names
    for name in names:
        own, other = vars(result.records[name]), vars(expected.records[name])
        assert own.keys() == other.keys(), name
        for field, value in other.items():
            if isinstance(value, (int, float, np.ndarray)):
                np.testing.assert_allclose(own[field], value, rtol=1e-9, equal_nan=True, err_msg=f"{name}.{field}")
            else:
                assert own[field] == value, f"{name}.{field}"


def _rows_of(result: Detection, without: Collection[str]) -> pd.DataFrame:
    frame = result.to_frame()
    if without:
        frame = frame[~frame["feature"].isin(list(without))].drop(columns=["q_value", "p_holm", "detectable"])
    # Tests that are as clear as each other may come in any order.
    return frame.sort_values(["feature", "test"]).reset_index(drop=True)


def _all_types(seed: int, rows: int, shift: float = 0.0) -> pa.Table:
    """Make every type that can be compared, with gaps, infinities and integers beyond 2^53."""
    rng = np.random.default_rng(seed)
    normal, gaps = rng.normal(shift, 1, rows), rng.random(rows) < 0.2
    days = [datetime(2024, 1, 1) + timedelta(hours=float(hour)) for hour in rng.exponential(500 + 50 * shift, rows)]
    words = rng.choice(["a", "b", "B", "", "ä ö", "'; --"], rows)
    large = rng.integers(0, 2**62, rows) + int(shift * 2**60)
    columns: dict[str, Any] = {
        "double": normal,
        "float": normal.astype(np.float32),
        "with NaN": np.where(gaps, np.nan, normal),
        "with NULL": pa.array(normal, mask=gaps),
        "with inf": np.where(rng.random(rows) < 0.01, np.inf, normal),
        "integer": rng.poisson(5 + shift, rows),
        "small integer": rng.integers(0, 3, rows).astype(np.int8),
        "integer with NULL": pa.array(rng.poisson(3, rows), mask=gaps),
        "beyond 2^53": large,
        UNSIGNED: large.astype(np.uint64) * 2 + 1,
        "boolean": rng.random(rows) < 0.3 + 0.2 * shift,
        "boolean with NULL": pa.array(rng.random(rows) < 0.3, mask=gaps),
        "text": words,
        "text with NULL": pa.array(words, mask=gaps),
        "many values": rng.zipf(1.6, rows).astype(str),
        "day": pa.array([day.date() for day in days]),
        "moment": pa.array(days, pa.timestamp("us")),
        'odd "name"; --': rng.choice([1.5, 2.5], rows),
    }
    return pa.table(columns)


def _in_pandas(table: pa.Table) -> pd.DataFrame:
    # Without these, integers and booleans with NULL would become floats and objects.
    own = {"integer with NULL": pd.Int64Dtype(), "boolean with NULL": pd.BooleanDtype(), "with NULL": pd.Float64Dtype()}
    frame: pd.DataFrame = table.drop_columns([*own]).to_pandas()
    for name, kind in own.items():
        frame[name] = table.column(name).to_pandas(types_mapper=lambda _, kind=kind: kind)
    return frame.reindex(columns=table.column_names)
