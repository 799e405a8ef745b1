from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from shiftproof.panel import as_features, fingerprint_features
from shiftproof.panel._fingerprint import dtypes_of, fingerprint_labels


def hash_of(table: Any) -> str:
    return fingerprint_features(as_features(table))


def objects(cells: list[Any]) -> pd.DataFrame:
    return pd.DataFrame({"a": pd.Series(cells, dtype=object)})


@pytest.mark.parametrize(
    "cells",
    [
        [1, 2, 3],
        [1, None, 3],
        [0.5, None, -1.0],
        [2**53 + 1, None, 3],
        [True, None, False],
        ["x", None, "y"],
        [datetime(2024, 5, 1), None, datetime(2024, 5, 2)],
        [datetime(2024, 5, 1, tzinfo=UTC), None, datetime(2024, 5, 2, tzinfo=UTC)],
    ],
)
def test_fingerprint_is_the_same_for_the_same_values_in_every_library(cells: list[Any]) -> None:
    arrow = pa.table({"a": pa.array(cells)})
    tables = [
        {"a": cells},
        [{"a": cell} for cell in cells],
        objects(cells),
        arrow,
        arrow.to_pandas(types_mapper=pd.ArrowDtype),
        pl.DataFrame({"a": cells}),
    ]
    # pandas turns integers with gaps into floats, which would round these.
    if cells[0] != 2**53 + 1:
        tables.append(pd.DataFrame({"a": cells}))
    assert len({hash_of(table) for table in tables}) == 1


def test_fingerprint_differs_where_values_or_their_types_do() -> None:
    cells: list[list[Any]] = [
        *(["1", 2.5], [1, "2.5"], [1, 2.5], ["1", "2.5"], [True, "2.5"], [1, None], ["1", None], [None, None]),
        *([[1], [2]], [[1, 2], []], [b"a", b"b"], [True, False], [1, 0], [2**53, 2**53 + 1], [2**53, 2**53]),
    ]
    tables = [
        *map(objects, cells),
        pd.DataFrame({"a": pd.Categorical(["1", "2.5"])}),
        pd.DataFrame({"a": pd.to_datetime(["1970-01-01", "1970-01-02"])}),
        pd.DataFrame({"a": pd.to_datetime(["1970-01-01", "1970-01-02"], utc=True)}),
    ]
    assert len({hash_of(table) for table in tables}) == len(tables)


def test_fingerprint_of_arrays_knows_dtype_and_shape() -> None:
    floats = np.array([[1.5, 2.5], [3.5, 4.5]], dtype=np.float32)
    integers = floats.view(np.int32)  # the same bytes
    assert hash_of(floats) != hash_of(integers)
    assert hash_of(floats) == hash_of(floats.astype(np.float64)) == hash_of(floats.tolist())
    assert hash_of(floats) != hash_of(floats.reshape(4, 1))
    assert hash_of(sparse.csr_matrix(floats)) != hash_of(sparse.csr_matrix(integers))
    assert hash_of(sparse.csr_matrix([[0, 1]])) != hash_of(sparse.csr_matrix([[0, 1, 0]]))


def test_fingerprint_ignores_unused_categories_and_bits_of_nan() -> None:
    used = pd.DataFrame({"a": pd.Categorical(["x", "y"], categories=["y", "x", "unused"])})
    assert hash_of(used) == hash_of(pd.DataFrame({"a": pd.Categorical(["x", "y"])}))
    nan = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)
    assert hash_of(np.array([[1.0], nan])) == hash_of(np.array([[1.0], [np.nan]]))


def test_fingerprint_of_labels_tells_text_from_numbers() -> None:
    codes = np.array([0, 1, 0])
    labels = [np.array(["0", "1"]), np.array([0, 1]), np.array([0.0, 1.0]), np.array([False, True])]
    hashes = [fingerprint_labels(classes, codes) for classes in labels]
    assert hashes[1] == hashes[2]
    assert len(set(hashes)) == 3
    assert fingerprint_labels(labels[0], 1 - codes) != hashes[0]


def test_dtypes_of_tells_equal_values_of_other_types_apart() -> None:
    frames = [pd.DataFrame({"a": [1, 2]}, dtype=dtype) for dtype in ("int64", "float64", "Int64", "float32")]
    assert len({hash_of(frame) for frame in frames}) == 1
    assert len({dtypes_of(frame) for frame in frames}) == 4
