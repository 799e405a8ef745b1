from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from shiftproof.core import as_table
from shiftproof.monitoring._content import content_hash, default_id, uniform_of_keys

CELLS = {"n": [1, 2, None], "t": ["x", None, "y"], "b": [True, False, None], "d": pd.to_datetime(["2020-01-01"] * 3)}


def test_content_hash_is_the_same_in_every_library() -> None:
    frame = pd.DataFrame({"n": [1.0, 2.0, np.nan], "t": ["x", None, "y"]})
    hashes = {
        content_hash(as_table(table))
        for table in (
            frame,
            frame[["t", "n"]],
            frame.assign(t=frame["t"].astype("category")),
            pl.DataFrame({"n": [1, 2, None], "t": ["x", None, "y"]}),
            pa.table({"n": pa.chunked_array([[1, 2], [None]]), "t": pa.chunked_array([["x"], [None, "y"]])}),
            [{"n": 1, "t": "x"}, {"n": 2}, {"t": "y"}],
        )
    }
    assert len(hashes) == 1
    # The same in every process: categories are not hashed by Python's own hash.
    assert hashes.pop()[:16] == "3f684d953ea5cdc9"


def test_content_hash_ignores_the_type_of_missing_values_and_of_categories() -> None:
    missing = [[None, None], [np.nan, np.nan], pd.Series([pd.NaT] * 2), pd.Categorical([None] * 2), pa.nulls(2)]
    assert len({content_hash(as_table({"x": cells})) for cells in missing}) == 1
    for plain in ([1.5, None, 2.0], [2**60, 2**60 + 1], [True, False]):
        as_categories = pd.Series(plain, dtype="object").astype("category")
        assert content_hash(as_table({"x": as_categories})) == content_hash(as_table({"x": plain}))


def test_content_hash_differs_for_other_content() -> None:
    tables = [
        CELLS,
        CELLS | {"n": [1, 2, 3]},
        CELLS | {"t": ["x", "y", None]},
        CELLS | {"t": ["xy", None, ""]},
        {name: cells for name, cells in CELLS.items() if name != "b"},
        CELLS | {"big": [2**60, 2**60 + 1, 5]},
        CELLS | {"big": [2**60, 2**60, 5]},
        CELLS | {"m": [1, "1", None]},
        CELLS | {"m": [1, 1, None]},
    ]
    assert len({content_hash(as_table(table)) for table in tables}) == len(tables)


def test_uniform_of_keys_is_the_same_for_equal_keys() -> None:
    whole, floats, texts = (as_table({"id": ids}).column("id") for ids in ([7, 8], [7.0, 8.0], ["7", "8"]))
    assert uniform_of_keys(whole).tolist() == uniform_of_keys(floats).tolist() == uniform_of_keys(texts).tolist()
    many = uniform_of_keys(as_table({"id": np.arange(4000)}).column("id"))
    assert abs(many.mean() - 0.5) < 0.02


def test_default_id_depends_on_the_content_and_on_the_moment() -> None:
    noon = datetime(2024, 3, 1, 12, tzinfo=UTC)
    assert default_id("0f", noon) == default_id("0f", noon.astimezone(timezone(timedelta(hours=2))))
    assert len({default_id("0f", None), default_id("0f", noon), default_id("10", noon)}) == 3
