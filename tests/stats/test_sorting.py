"""Sorting by digits gives what NumPy's sort gives, for every type and every odd value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from shiftproof.stats import _sorting
from shiftproof.stats._sorting import sorted_copy

N = _sorting.SHORT + 5
ODD = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, -5e-324, 1.8e308 / 1.1, -1e308, 2.0**53 + 2])
RNG = np.random.default_rng(0)
NORMAL = RNG.normal(size=N)

LONG: dict[str, np.ndarray[Any, Any]] = {
    "normal": NORMAL,
    "with odd values": np.where(RNG.random(N) < 0.1, RNG.choice(ODD, N), NORMAL),
    "odd values alone": RNG.choice(ODD, N),
    "sorted": np.sort(NORMAL),
    "falling": -np.sort(NORMAL),
    "one value": np.full(N, -3.5),
    "two values": np.where(RNG.random(N) < 0.5, 1.0, -1.0),
    "all missing": np.full(N, np.nan),
    "tenths": NORMAL.round(1),
    # Keys that begin alike and differ at the end only: two digits do not tell them apart.
    "noise in the last bits": RNG.integers(0, 3, N) + RNG.integers(0, 50_000, N) * 2.0**-50,
    "one far value": np.append(RNG.random(N - 1), 1e300),
    "counts": RNG.poisson(5, N),
    "negative integers": RNG.integers(-(2**63), 2**63 - 1, N),
    "ends of int64": RNG.choice([-(2**63), -1, 0, 2**63 - 1], N),
    "moments": 1_700_000_000_000_000 + RNG.integers(0, 10**8, N) * 1_000_000,
    "unsigned": RNG.integers(0, 2**64 - 1, N, dtype=np.uint64, endpoint=True),
    "every other": np.repeat(NORMAL, 2)[::2],
}


def expected(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    ordered = np.sort(values)
    return ordered[~np.isnan(ordered)] if values.dtype.kind == "f" else ordered


@pytest.mark.parametrize("case", LONG)
def test_long_columns_are_sorted_like_numpy(case: str) -> None:
    values = LONG[case]
    before = values.copy()
    ordered, missing = sorted_copy(values)
    np.testing.assert_array_equal(ordered, expected(values))
    assert (ordered.dtype, missing) == (values.dtype, len(values) - len(ordered))
    np.testing.assert_array_equal(values, before)


@given(
    values=st.one_of(
        st_numpy.arrays(np.float64, st.integers(0, 200), elements=st.floats(width=64)),
        st_numpy.arrays(np.float64, st.integers(0, 200), elements=st.sampled_from(ODD.tolist())),
        st_numpy.arrays(np.int64, st.integers(0, 200), elements=st.integers(-(2**63), 2**63 - 1)),
        st_numpy.arrays(np.uint64, st.integers(0, 200), elements=st.integers(0, 2**64 - 1)),
    ),
    copies=st.integers(0, 400),
)
def test_any_values_are_sorted_like_numpy(values: np.ndarray[Any, Any], copies: int) -> None:
    for array in (values, np.resize(values, copies * len(values))):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_sorting, "SHORT", 1)
            by_digits, missing = sorted_copy(array)
        np.testing.assert_array_equal(by_digits, expected(array))
        by_numpy, again = sorted_copy(array)
        np.testing.assert_array_equal(by_numpy, expected(array))
        assert missing == again == len(array) - len(by_digits)


@pytest.mark.parametrize("kind", ["f", "i", "u"])
def test_kernels_as_plain_python_sort_as_well(kind: str) -> None:
    """Coverage cannot see inside machine code."""
    whole = np.concatenate([RNG.integers(0, 2**40, 1_000), np.arange(200), np.arange(60) + 2**45])
    values = {"f": np.append(whole * 1e-3 - 1e6, [np.nan, np.inf]), "i": whole - 2**39, "u": whole.astype(np.uint64)}[
        kind
    ]
    bits = values.view(np.uint64)
    keys, spare = np.empty_like(bits), np.empty_like(bits)
    with np.errstate(over="ignore"), pytest.MonkeyPatch.context() as patch:
        for name in ("_make_keys", "_split", "_sort_group", "_sort_digits", "_insert", "_bit_length"):
            patch.setattr(_sorting, name, getattr(_sorting, name).py_func)
        patch.setattr(_sorting, "_GROUP", 300)
        missing = _sorting._sort.py_func(bits, keys, spare, _sorting._ORDERS[kind])
    np.testing.assert_array_equal(keys.view(values.dtype)[: len(keys) - missing], expected(values))


def test_insertion_gives_up_and_all_digits_are_sorted() -> None:
    keys = (np.arange(100, dtype=np.uint64) % np.uint64(10)) + np.uint64(2**50) * (np.arange(100) > 50).astype(
        np.uint64
    )
    assert not _sorting._insert.py_func(keys[::-1].copy(), 10)
    group, counts = keys[::-1].copy(), np.empty(_sorting._DIGITS, dtype=np.int64)
    with np.errstate(over="ignore"), pytest.MonkeyPatch.context() as patch:
        for name in ("_sort_digits", "_insert", "_bit_length"):
            patch.setattr(_sorting, name, getattr(_sorting, name).py_func)
        patch.setattr(_sorting, "_MOVES", 0)
        _sorting._sort_group.py_func(group, np.empty_like(group), counts)
    np.testing.assert_array_equal(group, np.sort(keys))
