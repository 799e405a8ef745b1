"""The sufficient record: exact counts, ranks and distances, against brute force."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from shiftproof.core import InputError
from shiftproof.stats import ContinuousRecord, NominalRecord, compare
from shiftproof.stats._records import N_BINS, require_continuous

# Few distinct values force ties; specials force the edges.
VALUES = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-100, 100),
    st.sampled_from([math.inf, -math.inf, math.nan, -0.0, 0.0]),
)
SAMPLES = st.lists(VALUES, min_size=1, max_size=60).map(np.array)


def _continuous(reference: Any, current: Any) -> ContinuousRecord:
    record = compare(reference, current)
    assert isinstance(record, ContinuousRecord)
    return record


def _present(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values[~np.isnan(values)]


def _slow_bins(values: NDArray[np.float64], low: float, high: float) -> NDArray[np.int64]:
    counts = np.zeros(N_BINS, dtype=np.int64)
    width = (high - low) / N_BINS
    for value in values[np.isfinite(values)]:
        at = 0 if width == 0 else min(math.floor((value - low) / width), N_BINS - 1)
        counts[at] += 1
    return counts


@given(SAMPLES, SAMPLES)
def test_record_equals_brute_force(a: NDArray[np.float64], b: NDArray[np.float64]) -> None:
    record = _continuous(a, b)
    x, y = _present(a), _present(b)
    assert (record.n, record.m) == (len(x), len(y))
    assert record.missing_reference == len(a) - len(x)
    assert record.missing_current == len(b) - len(y)
    assert record.infinite_reference == int(np.isinf(x).sum())
    assert record.infinite_current == int(np.isinf(y).sum())
    if not len(x) or not len(y):
        assert math.isnan(record.d)
        return
    pooled = np.concatenate([x, y])
    gaps = [np.mean(x <= v) - np.mean(y <= v) for v in pooled]
    assert record.d_plus == pytest.approx(max(*gaps, 0.0), abs=1e-12)
    assert record.d_minus == pytest.approx(max(*(-g for g in gaps), 0.0), abs=1e-12)
    ranks = stats.rankdata(pooled)
    assert record.rank_sum == round(float((2 * ranks[len(x) :] - len(pooled) - 1).sum()))
    _, times = np.unique(pooled, return_counts=True)
    assert record.ties == int((times**3 - times).sum())


@given(SAMPLES, SAMPLES)
def test_finite_parts_equal_brute_force(a: NDArray[np.float64], b: NDArray[np.float64]) -> None:
    record = _continuous(a, b)
    x, y = a[np.isfinite(a)], b[np.isfinite(b)]
    if len(x) and len(y):
        assert record.w1 == pytest.approx(stats.wasserstein_distance(x, y), abs=1e-9)
    else:
        assert math.isnan(record.w1)
    if len(x) or len(y):
        assert record.low == min([*x, *y])
        assert record.high == max([*x, *y])
        np.testing.assert_array_equal(record.bins_reference, _slow_bins(x, record.low, record.high))
        np.testing.assert_array_equal(record.bins_current, _slow_bins(y, record.low, record.high))
    if len(x) > 1:
        assert record.mean_reference == pytest.approx(x.mean(), abs=1e-9)
        assert record.sd_reference == pytest.approx(x.std(ddof=1), abs=1e-7)


def test_where_the_distance_is_largest() -> None:
    record = _continuous([1.0, 2.0, 3.0, 4.0], [3.0, 4.0, 5.0, 6.0])
    assert (record.d, record.d_at) == (0.5, 2.0)
    record = _continuous([3.0, 4.0, 5.0, 6.0], [1.0, 2.0, 3.0, 4.0])
    assert (record.d, record.d_minus, record.d_at) == (0.5, 0.5, 2.0)


def test_minus_zero_equals_zero() -> None:
    record = _continuous([0.0, 0.0, -0.0], [-0.0, 0.0])
    assert (record.d, record.ties) == (0.0, 5**3 - 5)


def test_integers_beyond_2_to_the_53_stay_apart() -> None:
    big = 2**60
    record = _continuous([big, big + 1], [big + 1, big + 2])
    assert (record.d, record.w1, record.note) == (0.5, 1.0, "")
    nullable = pd.Series([big, big + 1, None], dtype="Int64")
    record = _continuous(nullable, pl.Series([big + 1, big + 2, None]))
    assert (record.d, record.missing_reference, record.missing_current) == (0.5, 1, 1)


def test_the_spread_of_integers_beyond_2_to_the_53() -> None:
    small = np.random.default_rng(0).integers(0, 50, 1000)
    record = _continuous(small + 2**60, small + 2**60 + 10)
    assert record.sd_reference == pytest.approx(small.std(ddof=1))
    unsigned = _continuous(small.astype(np.uint64) + np.uint64(2**63), small.astype(np.uint64) + np.uint64(2**63))
    assert unsigned.sd_current == pytest.approx(small.std(ddof=1))


def test_integers_beside_floats() -> None:
    assert _continuous([1, 2, 3], [1.0, 2.5, np.nan]).note == ""
    # floats that are whole numbers become integers, so nothing is rounded
    record = _continuous([2**60, 2**60 + 256], [float(2**60), float(2**60 + 256)])
    assert (record.d, record.note) == (0.0, "")
    record = _continuous([0.5, 1.5], [2**60, 2**60 + 1])
    assert record.d == 1.0
    assert (
        record.note
        == "integers beyond 2^53 were rounded so that they could be compared with fractions or negative numbers"
    )


def test_unsigned_beside_signed() -> None:
    high = np.array([2**63 + 5, 2**63 + 6], dtype=np.uint64)
    record = _continuous(high, np.array([1, 2], dtype=np.int64))
    assert (record.d, record.note) == (1.0, "")
    record = _continuous(high, np.array([-1, 2], dtype=np.int64))
    assert record.d == 1.0
    assert record.note.startswith("integers beyond 2^53 were rounded")


def test_integers_at_both_ends_of_their_range() -> None:
    low, high = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    record = _continuous(np.array([low, high]), np.array([low, low]))
    assert record.d == 0.5
    assert record.w1 == pytest.approx(2.0**63)
    assert record.bins_reference[[0, -1]].tolist() == [1, 1]


def test_floats_at_both_ends_of_their_range() -> None:
    record = _continuous([-1.7e308, 1.7e308], [1.7e308, 1.7e308])
    assert record.d == 0.5
    assert record.bins_reference[[0, -1]].tolist() == [1, 1]
    tiny = _continuous([0.0, 5e-324], [5e-324, 5e-324])
    assert (tiny.d, int(tiny.bins_reference.sum())) == (0.5, 2)


def test_dates_are_microseconds() -> None:
    days = [dt.datetime(2024, 1, day) for day in (1, 2, 3)]
    record = _continuous(days, [*days[1:], None])
    assert record.missing_current == 1
    assert record.w1 == pytest.approx(12 * 3600 * 1e6)


def test_more_equal_values_than_a_cube_can_hold() -> None:
    record = _continuous(np.zeros(2_500_000), np.zeros(10))
    assert record.ties == 2_500_010**3 - 2_500_010
    assert (record.d, record.cvm) == (0.0, 0.0)


def test_all_missing_sides() -> None:
    record = _continuous([np.nan, np.nan], [1.0, 2.0])
    assert (record.n, record.m, record.missing_reference) == (0, 2, 2)
    assert math.isnan(record.d)
    both = _continuous([None, None], [None])
    assert (both.missing_reference, both.missing_current) == (2, 1)
    assert int(both.bins_reference.sum()) == 0
    half = _continuous([None, None], [1, 2])
    assert (half.n, half.m, half.missing_reference) == (0, 2, 2)


def test_categories_over_the_union() -> None:
    record = compare(["b", "a", None, "a"], ["c", "a"])
    assert isinstance(record, NominalRecord)
    assert record.categories == ("a", "b", "c")
    assert record.counts_reference.tolist() == [2, 1, 0]
    assert record.counts_current.tolist() == [1, 0, 1]
    assert (record.n, record.m, record.missing_reference) == (3, 2, 1)


def test_booleans_and_mixed_types_are_categories() -> None:
    assert compare([True, False], [True, True]).n == 2
    record = compare([1, "a", None], ["a", "a"])
    assert isinstance(record, NominalRecord)
    assert record.categories == (1, "a")


def test_deciles_cut_the_reference_into_tenths() -> None:
    record = _continuous(np.arange(100.0), np.arange(50.0))
    assert record.cells_reference.tolist() == [10] * 10
    assert record.cells_current.tolist() == [10] * 5 + [0] * 5
    assert _continuous([5.0] * 30, [5.0]).cells_reference.tolist() == [30, 0]


def test_compare_refuses_unsupported_values() -> None:
    with pytest.raises(InputError) as error:
        compare(np.array([1 + 2j]), [1.0])
    assert str(error.value) == (
        "reference must be numbers, dates, booleans or text, got nested or complex values; flatten "
        "nested or complex values first."
    )
    with pytest.raises(InputError) as error:
        require_continuous(compare(["a"], ["b"]), "kolmogorov_smirnov")
    assert str(error.value) == "kolmogorov_smirnov needs numbers or dates, got categories; use chi_square for those."


def test_apples_are_not_compared_with_pears() -> None:
    with pytest.raises(InputError) as error:
        compare(pd.date_range("2024", periods=50), np.arange(50.0))
    assert str(error.value).startswith("the feature holds dates in the reference (such as ")
    with pytest.raises(InputError) as error:
        compare(["1", "2"] * 25, [1, 2] * 25)
    assert str(error.value) == (
        "the feature holds text in the reference (such as '1') and numbers in the current sample (such as 1); "
        "convert one of them."
    )
