"""Whole tables: one preparation, many batches, any library, any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from shiftproof.core import InputError
from shiftproof.stats import ContinuousRecord, NominalRecord, Record, Reference, compare, compare_tables


@pytest.fixture(scope="module")
def tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(0)

    def one(n: int, shift: float) -> pd.DataFrame:
        age = rng.normal(40 + shift, 10, n)
        age[rng.uniform(size=n) < 0.1] = np.nan
        return pd.DataFrame(
            {
                "age": age,
                "children": rng.poisson(1.2, n),
                "job": rng.choice(["clerk", "nurse", "smith"], n),
                "member": rng.uniform(size=n) < 0.3,
                "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
            }
        )

    return one(400, 0.0), one(300, 3.0)


def _same(left: Record, right: Record) -> None:
    assert type(left) is type(right)
    for name in left.__dataclass_fields__:
        one, two = getattr(left, name), getattr(right, name)
        if isinstance(one, np.ndarray):
            np.testing.assert_array_equal(one, two)
        else:
            assert one == two or (one != one and two != two), name


def test_prepared_streamed_and_single_agree(tables: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    old, new = tables
    prepared = Reference(old)
    first, again = prepared.compare(new), prepared.compare(new)
    streamed = compare_tables(old, new)
    assert list(first) == list(streamed) == list(old.columns)
    for name in old.columns:
        _same(first[name], again[name])
        _same(first[name], streamed[name])
        _same(first[name], compare(old[name], new[name]))


@pytest.mark.parametrize("convert", [pl.from_pandas, pa.Table.from_pandas, lambda df: df.to_dict("records")])
def test_every_library_gives_the_same_records(tables: tuple[pd.DataFrame, pd.DataFrame], convert: Any) -> None:
    old, new = tables
    ours, theirs = compare_tables(old, new), compare_tables(convert(old), convert(new))
    for name in old.columns:
        _same(ours[name], theirs[name])


def test_threads_change_nothing(tables: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    old, new = tables
    one, many = compare_tables(old, new, n_jobs=1), compare_tables(old, new, n_jobs=4)
    for name in old.columns:
        _same(one[name], many[name])


def test_the_callers_tables_stay_as_they_were(tables: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    old, new = tables
    before = old.copy(deep=True), new.copy(deep=True)
    Reference(old).compare(new)
    pd.testing.assert_frame_equal(old, before[0])
    pd.testing.assert_frame_equal(new, before[1])


def test_scales_can_be_given() -> None:
    old, new = {"code": [1, 2, 3, 1]}, {"code": [3, 3, 4, 4]}
    assert isinstance(compare_tables(old, new)["code"], ContinuousRecord)
    record = Reference(old, scales={"code": "nominal"}).compare(new)["code"]
    assert isinstance(record, NominalRecord)
    assert record.categories == (1, 2, 3, 4)


def test_further_columns_are_ignored() -> None:
    assert list(Reference({"a": [1, 2]}).compare({"b": [1], "a": [2]})) == ["a"]
    assert Reference({"a": [1, 2]}).names == ("a",)


def test_a_column_that_lost_all_values() -> None:
    record = Reference({"a": [1.0, 2.0]}).compare({"a": [None, None]})["a"]
    assert (record.m, record.missing_current) == (0, 2)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: Reference({"a": [1]}).compare({"b": [1]}),
            "batch must have every column of the reference, got none of 'a'; add them.",
        ),
        (
            lambda: Reference({"a": [1]}, scales={"b": "nominal"}),
            "scales must name columns of the table, got 'b'; available: 'a'.",
        ),
        (
            lambda: Reference({"a": [1]}, scales={"a": "ordinal"}),  # type: ignore[dict-item]
            "scales['a'] must be one of 'continuous', 'nominal'; got 'ordinal'. Did you mean 'nominal'?",
        ),
        (
            lambda: Reference({"a": [[1, 2], [3]]}),
            "column 'a' must hold numbers, dates, booleans or text, got nested or complex values; drop or flatten it.",
        ),
        (
            lambda: compare_tables({"a": [1, 2]}, {"a": ["x", "y"]}),
            "column 'a' holds numbers in the reference (such as 1) and text in the current table (such as 'x'); "
            "convert one of them.",
        ),
        (
            lambda: compare_tables({"a": [1]}, {"a": [1]}, n_jobs=0),
            "n_jobs must be a whole number other than 0, got 0; 1 runs one at a time, -1 uses all cores.",
        ),
    ],
)
def test_reference_refuses_bad_tables(call, sentence) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value) == sentence
