"""Records made of ranges of values are those of sorted arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.warehouse._local import LocalRounds

from shiftproof import InputError
from shiftproof.core import as_table
from shiftproof.stats import Record, compare_tables
from shiftproof.warehouse import _records
from shiftproof.warehouse._records import compare_in_engine, plan_columns

ROWS = 600


def in_ranges(old: dict[str, Any], new: dict[str, Any], *, per_range: int = 100) -> dict[str, Record]:
    tables = pa.table(old), pa.table(new)
    wrapped = as_table(tables[0]), as_table(tables[1])
    numbers = {"number", "date", "duration", "empty"}
    scales = {
        name: "continuous" if {t.column(name).family for t in wrapped} <= numbers else "nominal"
        for name in wrapped[0].names
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_records, "VALUES_PER_RANGE", per_range)
        plans = plan_columns(*wrapped, scales, sum(table.num_rows for table in tables))  # type: ignore[arg-type]
    return compare_in_engine(plans, LocalRounds(*tables, [column.plan for column in plans]))


def assert_same(own: Record, expected: Record) -> None:
    assert type(own) is type(expected)
    for field, value in vars(expected).items():
        if isinstance(value, (int, float, np.ndarray)):
            np.testing.assert_allclose(getattr(own, field), value, rtol=1e-9, atol=1e-9, equal_nan=True, err_msg=field)
        else:
            assert getattr(own, field) == value, field


def test_every_type_has_the_record_of_arrays() -> None:
    def side(seed: int, shift: float) -> dict[str, Any]:
        rng = np.random.default_rng(seed)
        normal, gaps = rng.normal(shift, 1, ROWS), rng.random(ROWS) < 0.2
        large = rng.integers(2**61, 2**62, ROWS) + int(shift * 2**60)
        infinite = np.where(rng.random(ROWS) < 0.05, np.inf, np.where(rng.random(ROWS) < 0.05, -np.inf, normal))
        return {
            "double": normal,
            "single": normal.astype(np.float32),
            "gaps": pa.array(normal, mask=gaps),
            "nan": np.where(gaps, np.nan, normal),
            "infinite": infinite,
            "only infinite": np.where(normal > 0, np.inf, -np.inf),
            "counts": rng.poisson(3 + shift, ROWS),
            "large": large,
            "far apart": rng.integers(-(2**63), 2**63 - 1, ROWS),
            "close": 2**60 + rng.integers(0, 50, ROWS),
            "zeros": np.where(gaps, normal, 0.0),
            "constant": np.full(ROWS, 2.5),
            "day": pa.array(rng.integers(0, 400, ROWS).astype("M8[D]")),
            "moment": pa.array(rng.integers(0, 10**15, ROWS).astype("M8[us]")),
            "duration": pa.array(rng.integers(0, 10**9, ROWS).astype("m8[us]")),
            "money": pa.array([str(round(value, 2)) for value in normal]).cast(pa.decimal128(10, 2)),
            "word": rng.choice(["a", "b", "ä", ""], ROWS, p=[0.4, 0.3 + shift / 10, 0.2 - shift / 10, 0.1]),
            "many words": rng.integers(0, 400, ROWS).astype(str),
            "flag": pa.array(rng.random(ROWS) < 0.3 + shift / 5, mask=gaps),
            "empty": pa.nulls(ROWS, pa.float64()),
            "empty before": pa.nulls(ROWS, pa.float64()) if seed == 1 else pa.array(normal),
        }

    old, new = side(1, 0.0), side(2, 0.5)
    expected = compare_tables(pa.table(old), pa.table(new))
    own = in_ranges(old, new)
    assert list(own) == list(expected)
    for name, record in expected.items():
        assert_same(own[name], record)


# Few different values, so that many are tied, and all special ones.
FLOATS = st.sampled_from([0.0, -0.0, 1.0, 1.5, -2.0, 1e5, -1e5, 5e-324, np.inf, -np.inf, np.nan]) | st.floats(-1e6, 1e6)


@given(st.lists(FLOATS, min_size=1, max_size=40), st.lists(FLOATS, min_size=1, max_size=40))
def test_any_floats_have_the_record_of_arrays(a: list[float], b: list[float]) -> None:
    expected = compare_tables({"x": np.array(a)}, {"x": np.array(b)})["x"]
    assert_same(in_ranges({"x": a}, {"x": b}, per_range=10)["x"], expected)


def test_a_range_that_overflows_is_divided_all_the_same() -> None:
    old, new = {"x": np.array([-1.7e308, 0.0, 1.0])}, {"x": np.array([1.0, 1.7e308])}
    own, expected = in_ranges(old, new)["x"], compare_tables(old, new)["x"]
    np.testing.assert_array_equal(own.bins_current, expected.bins_current)  # type: ignore[union-attr]
    assert own.d == expected.d  # type: ignore[union-attr]


def test_integers_beside_fractions_are_compared_as_floats_and_rounding_is_noted() -> None:
    small = in_ranges({"x": np.arange(50)}, {"x": np.arange(50) + 0.5})["x"]
    assert_same(small, compare_tables({"x": np.arange(50)}, {"x": np.arange(50) + 0.5})["x"])
    large = in_ranges({"x": 2**60 + np.arange(50)}, {"x": np.arange(50) + 0.5})["x"]
    assert (
        large.note
        == "integers beyond 2^53 were rounded so that they could be compared with fractions or negative numbers"
    )


def test_too_many_categories_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_records, "_MOST_CATEGORIES", 20)
    words = np.arange(40).astype(str)
    with pytest.raises(InputError) as caught:
        in_ranges({"word": words}, {"word": words})
    assert str(caught.value) == (
        "column 'word' has 40 categories; at most 20 categories can be compared. Pass exclude=['word']."
    )
