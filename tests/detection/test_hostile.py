"""Hostile inputs: each gives the right number or the exact sentence, and nothing disappears in silence."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats

from shiftproof import Detection, InputError, ShiftproofWarning, detect
from shiftproof.detection import FeatureShift

N = 400
RNG = np.random.default_rng(0)
OLD, NEW = RNG.normal(size=N), RNG.normal(size=N)
MOVED = RNG.normal(1.0, 1.0, N)
LETTERS_OLD, LETTERS_NEW = RNG.choice(["a", "b", "c"], N), RNG.choice(["a", "b", "c"], N)


def row(result: Detection, feature: str, test: str) -> FeatureShift:
    (found,) = [row for row in result.rows if row.feature == feature and row.test == test]
    return found


def gaps(values: Any, share: float) -> list[Any]:
    """Take the first values away."""
    return [None] * int(share * len(values)) + list(values[int(share * len(values)) :])


# --- tables that have an answer -------------------------------------------------------------------------------------


def one_wild_value(result: Detection) -> None:
    assert result.verdict == "shifted"
    assert row(result, "x", "ks").ks == pytest.approx(0.38, abs=0.06)


def number_went_missing(result: Detection) -> None:
    found = row(result, "x", "missing")
    assert (found.missing_reference, found.missing_current, found.effect) == (0.0, 0.4, 0.4)
    assert found.p_value == pytest.approx(stats.chi2_contingency([[400, 0], [240, 160]], correction=False).pvalue)
    assert result.features[0] == "x"
    assert "missing 0% before, 40% now" in result.summary()


def category_went_missing(result: Detection) -> None:
    assert row(result, "c", "missing").material
    assert not row(result, "c", "chi-square").shifted


def column_emptied(result: Detection) -> None:
    assert row(result, "x", "missing").missing_current == 1.0
    assert result.material
    values = row(result, "x", "ks")
    assert (values.verdict, values.note) == ("cannot tell", "no values in one table")
    assert not row(result, "y", "ks").shifted


def empty_on_both_sides(result: Detection) -> None:
    assert row(result, "x", "ks").verdict == "cannot tell"
    assert row(result, "x", "missing").p_value == 1.0
    assert result.verdict == "no shift"


def column_lost(result: Detection) -> None:
    found = row(result, "x", "presence")
    assert (found.shifted, found.material, found.note) == (True, True, "absent from the new data")
    assert result.summary().startswith(
        "1 of 2 features shifted enough to matter; 'x' changed most (absent from the new data)"
    )


def column_new(result: Detection) -> None:
    assert dict(result.left_out) == {"z": "absent from the reference"}
    assert "Not tested: 'z' (absent from the reference)." in result.summary()
    assert result.verdict == "no shift"


def new_infinities(result: Detection) -> None:
    found = row(result, "x", "infinite")
    assert (found.material, found.effect) == (True, 0.1)
    assert found.note == "0 infinite in the reference, 40 in the current rows"
    assert not math.isnan(row(result, "x", "ks").wasserstein)


def quiet(result: Detection) -> None:
    assert result.verdict == "no shift"
    assert not result.shifted


def one_row(result: Detection) -> None:
    assert result.verdict == "cannot tell"
    assert result.summary().startswith("1 row is too few to detect a shift; ")


def five_rows(result: Detection) -> None:
    assert result.verdict == "cannot tell"
    assert result.summary().startswith(
        "5 rows are too few to detect a shift; the smallest detectable shift is a KS distance of 0.74 (80% power)."
    )


def three_against_three(result: Detection) -> None:
    assert result.summary().startswith(
        "3 rows are too few to detect a shift; even a complete change could not be detected."
    )


def five_rows_far_away(result: Detection) -> None:
    assert result.verdict == "shifted"
    assert row(result, "x", "ks").ks == 1.0


def constant_stays(result: Detection) -> None:
    found = row(result, "x", "ks")
    assert (found.statistic, found.p_value, found.wasserstein_sd) == (0.0, 1.0, 0.0)


def constant_moved(result: Detection) -> None:
    found = row(result, "x", "ks")
    assert (found.ks, found.material, found.wasserstein, found.wasserstein_sd) == (1.0, True, 1.0, math.inf)
    assert result.to_dict()["rows"][0]["wasserstein_sd"] is None


def big_integers(result: Detection) -> None:
    assert row(result, "x", "ks").ks == pytest.approx(0.25)
    assert row(result, "x", "ks").wasserstein == pytest.approx(100.0)


def unseen_category(result: Detection) -> None:
    found = row(result, "c", "chi-square")
    assert found.material
    assert found.note == "new values: 'd' and 'e' (200 rows)"


def booleans_flipped(result: Detection) -> None:
    found = row(result, "b", "chi-square")
    assert (found.kind, found.material) == ("nominal", True)


def dates_moved(result: Detection) -> None:
    found = row(result, "d", "ks")
    assert (found.kind, found.ks) == ("date", 1.0)
    assert found.wasserstein == pytest.approx(400 * 86_400e6)


def odd_names(result: Detection) -> None:
    names = {row.feature for row in result.rows}
    assert names == {"<script>alert(1)</script>", "", "a" * 300, "שלום", "🙂", "0", "$x_1$ & 'quoted'"}
    assert "&lt;script&gt;" in result._repr_html_()


def identifier_named(result: Detection) -> None:
    assert dict(result.left_out) == {"id": "identifier"}


def free_text_named(result: Detection) -> None:
    assert dict(result.left_out) == {"note": "text"}


def nested_named(result: Detection) -> None:
    assert "tags" in result.left_out


def minus_zero(result: Detection) -> None:
    assert row(result, "x", "ks").statistic == 0.0


def mixed_types(result: Detection) -> None:
    assert row(result, "x", "chi-square").kind == "nominal"
    assert not result.shifted


def forced_nominal(result: Detection) -> None:
    assert row(result, "x", "chi-square").kind == "nominal"


def tiny_but_significant(result: Detection) -> None:
    assert (result.verdict, result.shifted, result.material) == ("negligible", True, False)
    assert result.summary().startswith("Significant but negligible: 1 of 1 feature shifted, none enough to matter;")


def million_levels(result: Detection) -> None:
    found = row(result, "x", "chi-square")
    assert 0.0 <= found.p_value <= 1.0
    assert not found.shifted


def decimals(result: Detection) -> None:
    assert row(result, "x", "ks").kind == "continuous"


def unused_categories(result: Detection) -> None:
    assert len(result.records["c"].categories) == 3  # type: ignore[union-attr]
    quiet(result)


def extreme_floats(result: Detection) -> None:
    assert row(result, "x", "ks").ks == 0.0
    assert result.to_dict()["rows"][0]["hellinger"] == 0.0


ANSWERED: dict[str, tuple[Any, Any, dict[str, Any], Callable[[Detection], None]]] = {
    "one value of 1e6 in the reference": ({"x": np.append(OLD, 1e6)}, {"x": MOVED}, {}, one_wild_value),
    "a number goes missing": ({"x": OLD}, {"x": gaps(NEW, 0.4)}, {}, number_went_missing),
    "a category goes missing": ({"c": LETTERS_OLD}, {"c": gaps(LETTERS_NEW, 0.4)}, {}, category_went_missing),
    "a column loses every value": ({"x": OLD, "y": OLD}, {"x": [None] * N, "y": NEW}, {}, column_emptied),
    "an all-missing reference column": (
        {"x": [None] * N, "y": OLD},
        {"x": [None] * N, "y": NEW},
        {},
        empty_on_both_sides,
    ),
    "NaN, None and NA alike": (
        {"x": pd.Series([1.0, np.nan, 3.0, 4.0] * 100)},
        {"x": pd.array([1.0, None, 3.0, 4.0] * 100, dtype="Float64")},
        {},
        quiet,
    ),
    "a column absent from the current table": ({"x": OLD, "y": OLD}, {"y": NEW}, {}, column_lost),
    "a column absent from the reference": ({"y": OLD}, {"z": NEW, "y": NEW}, {}, column_new),
    "new infinities": ({"x": OLD}, {"x": np.r_[NEW[40:], [np.inf] * 40]}, {}, new_infinities),
    "infinities on both sides": (
        {"x": np.r_[OLD, np.inf, -np.inf]},
        {"x": np.r_[NEW, np.inf, -np.inf]},
        {},
        quiet,
    ),
    "one ordinary row": ({"x": OLD}, {"x": [0.1]}, {}, one_row),
    "one ordinary row of categories": ({"c": LETTERS_OLD}, {"c": ["a"]}, {}, one_row),
    "five ordinary rows": ({"x": OLD}, {"x": [-1.0, -0.3, 0.1, 0.4, 1.2]}, {}, five_rows),
    "three rows against three": ({"x": [1.0, 2.0, 3.0]}, {"x": [9.0, 10.0, 11.0]}, {}, three_against_three),
    "five rows far away": ({"x": OLD}, {"x": [50.0, 51.0, 52.0, 53.0, 54.0]}, {}, five_rows_far_away),
    "a constant column": ({"x": [7.0] * N}, {"x": [7.0] * N}, {}, constant_stays),
    "a constant that moved": ({"x": [7.0] * N}, {"x": [8.0] * N}, {}, constant_moved),
    "int64 beyond 2^53": (
        {"x": 2**60 + np.arange(N)},
        {"x": pl.Series([2**60 + 100 + at for at in range(N)])},
        {"kinds": {"x": "continuous"}},
        big_integers,
    ),
    "unseen categories": ({"c": LETTERS_OLD}, {"c": ["a", "b", "d", "e"] * 100}, {}, unseen_category),
    "booleans": ({"b": [True, False] * 200}, {"b": [True] * 390 + [False] * 10}, {}, booleans_flipped),
    "booleans with None": ({"b": [True, None] * 200}, {"b": [True, None] * 200}, {}, quiet),
    "dates": (
        {"d": [dt.date(2024, 1, 1) + dt.timedelta(days=at) for at in range(N)]},
        {"d": [dt.date(2024, 1, 1) + dt.timedelta(days=N + at) for at in range(N)]},
        {},
        dates_moved,
    ),
    "odd column names": (
        pd.DataFrame(
            np.tile(OLD[:, None], 7),
            columns=["<script>alert(1)</script>", "", "a" * 300, "שלום", "🙂", 0, "$x_1$ & 'quoted'"],
        ),
        pd.DataFrame(
            np.tile(NEW[:, None], 7),
            columns=["<script>alert(1)</script>", "", "a" * 300, "שלום", "🙂", 0, "$x_1$ & 'quoted'"],
        ),
        {},
        odd_names,
    ),
    "nested cells": (
        {"tags": [[1, 2]] * N, "y": OLD},
        {"tags": [[3]] * N, "y": NEW},
        {},
        nested_named,
    ),
    "minus zero": ({"x": [0.0] * N}, {"x": [-0.0] * N}, {}, minus_zero),
    "mixed types": ({"x": [1, "a", 2.5, None] * 100}, {"x": [1, "a", 2.5, None] * 100}, {}, mixed_types),
    "a number forced to be nominal": (
        {"x": np.arange(N) % 5},
        {"x": np.arange(N) % 5},
        {"kinds": {"x": "nominal"}},
        forced_nominal,
    ),
    "integers that became floats with NaN": (
        {"x": np.arange(N)},
        {"x": np.r_[np.arange(N - 1.0), np.nan]},
        {"kinds": {"x": "continuous"}},
        quiet,
    ),
    "a million rows and a hair's breadth": (
        {"x": np.arange(500_000.0)},
        {"x": np.arange(500_000.0) + 2_500},
        {"kinds": {"x": "continuous"}},
        tiny_but_significant,
    ),
    "a category with a hundred thousand levels": (
        {"x": np.arange(200_000) % 100_000},
        {"x": np.arange(200_000) % 100_000},
        {"kinds": {"x": "nominal"}},
        million_levels,
    ),
    "decimals": (
        {"x": [Decimal(at) / 7 for at in range(N)]},
        {"x": [Decimal(at) / 7 for at in range(N)]},
        {},
        decimals,
    ),
    "categories never used": (
        pd.DataFrame({"c": pd.Categorical(LETTERS_OLD, categories=["a", "b", "c", "never"])}),
        pd.DataFrame({"c": pd.Categorical(LETTERS_NEW, categories=["c", "b", "a"])}),
        {},
        unused_categories,
    ),
    "the ends of the floats": (
        {"x": [-1.7e308, 0.0, 1.7e308] * 100},
        {"x": [-1.7e308, 0.0, 1.7e308] * 100},
        {},
        extreme_floats,
    ),
    "one table of pandas, one of pyarrow": (pd.DataFrame({"x": OLD}), pa.table({"x": NEW}), {}, quiet),
    "a list of dicts with holes": (
        [{"x": float(v)} if at % 4 else {} for at, v in enumerate(OLD)] + [{"x": 0.0}],
        [{"x": float(v)} if at % 4 else {} for at, v in enumerate(NEW)] + [{"x": 0.0}],
        {},
        quiet,
    ),
    "a two-dimensional array": (np.column_stack([OLD, OLD]), np.column_stack([NEW, NEW]), {}, quiet),
    "unsigned beside signed": (
        {"x": np.arange(N, dtype=np.uint64) + np.uint64(2**63)},
        {"x": np.arange(N, dtype=np.uint64) + np.uint64(2**63)},
        {"kinds": {"x": "continuous"}},
        minus_zero,
    ),
}


@pytest.mark.parametrize("case", ANSWERED)
@pytest.mark.filterwarnings("ignore:both tables have the same rows")
def test_the_right_number(case: str) -> None:
    old, new, options, check = ANSWERED[case]
    result = detect(old, new, **options) if case != "nested cells" else _warned(old, new)
    check(result)
    assert {row.feature for row in result.rows} | set(result.left_out) == _names(old) | _names(new)
    assert result.summary().endswith(".")


def _warned(old: Any, new: Any) -> Detection:
    with pytest.warns(ShiftproofWarning):
        return detect(old, new)


def _names(table: Any) -> set[str]:
    if isinstance(table, np.ndarray):
        return {f"x{at}" for at in range(table.shape[1])}
    if isinstance(table, list):
        return {key for one in table for key in one}
    return {str(name) for name in (table.column_names if isinstance(table, pa.Table) else table)}


def test_identifiers_and_free_text_are_named() -> None:
    words = [f"the {at}th customer said something long and new" for at in range(N)]
    old = {"id": [f"k{at}" for at in range(N)], "y": OLD}
    new = {"id": [f"k{N + at}" for at in range(N)], "y": NEW}
    with pytest.warns(ShiftproofWarning, match="'id'"):
        identifier_named(detect(old, new))
    with pytest.warns(ShiftproofWarning, match="'note'"):
        free_text_named(detect({"note": words, "y": OLD}, {"note": words, "y": NEW}, kinds=None))


# --- tables that have none ------------------------------------------------------------------------------------------

REFUSED: dict[str, tuple[Any, Any, dict[str, Any], str]] = {
    "no rows in the reference": (
        pd.DataFrame({"x": []}),
        {"x": NEW},
        {},
        "reference must hold at least one row, got 0; check the filter or the file it came from.",
    ),
    "no rows in the current table": (
        {"x": OLD},
        pl.DataFrame({"x": []}),
        {},
        "current must hold at least one row, got 0; check the filter or the file it came from.",
    ),
    "no columns": (
        pd.DataFrame(index=range(3)),
        {"x": NEW},
        {},
        "reference must have at least one column, got none; pass the features as columns.",
    ),
    "an empty list": (
        [],
        {"x": NEW},
        {},
        "reference must hold at least one row, got []; an empty list has no columns to compare.",
    ),
    "no column in common": (
        {"x": OLD},
        {"y": NEW},
        {},
        "reference and current must share at least one column, got 'x' against 'y'; check the headers of both.",
    ),
    "duplicate columns": (
        pd.DataFrame([[1, 2]], columns=["x", "x"]),
        {"x": NEW},
        {},
        "the columns of reference must have different names, got 'x' more than once; rename one of each.",
    ),
    "columns of unequal length": (
        {"x": [1, 2], "y": [1]},
        {"x": NEW},
        {},
        "the columns of reference must have the same length, got 'y' with 1 and 'x' with 2 rows; "
        "pad or cut them to the same length.",
    ),
    "alpha in percent": (
        {"x": OLD},
        {"x": NEW},
        {"alpha": 5},
        "alpha must be a number strictly between 0 and 1, got 5; 0.05 means 5%.",
    ),
    "alpha missing": (
        {"x": OLD},
        {"x": NEW},
        {"alpha": None},
        "alpha must be a number strictly between 0 and 1, got None; 0.05 means 5%.",
    ),
    "exclude as text": (
        {"x": OLD},
        {"x": NEW},
        {"exclude": "x"},
        "exclude must be a list of column names, got 'x'; write exclude=['x'].",
    ),
    "exclude of nothing known": (
        {"x": OLD},
        {"x": NEW},
        {"exclude": ["y"]},
        "exclude must name columns of the tables, got 'y'; available: 'x'.",
    ),
    "everything excluded": (
        {"x": OLD},
        {"x": NEW},
        {"exclude": ["x"]},
        "no column is left to compare, because 'x' is left out; pass fewer columns to exclude.",
    ),
    "a number": (
        {"x": OLD},
        7,
        {},
        "current must be a table, got 7; pass a pandas, polars or pyarrow table, a 2-D array, "
        "a dict of columns or a list of dicts.",
    ),
    "three dimensions": (
        np.zeros((2, 2, 2)),
        {"x": NEW},
        {},
        "reference must have two dimensions, got shape (2, 2, 2); one row per case, one column per feature.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_the_exact_sentence(case: str) -> None:
    old, new, options, sentence = REFUSED[case]
    with pytest.raises(InputError) as error:
        detect(old, new, **options)
    assert str(error.value) == sentence


@pytest.mark.filterwarnings("ignore:both tables have the same rows")
def test_a_time_zone_on_one_side_only() -> None:
    zoned = {"d": pd.date_range("2024-01-01", periods=N, tz="UTC")}
    naive = {"d": pl.datetime_range(dt.datetime(2024, 1, 1), dt.datetime(2025, 2, 3), "1d", eager=True)[:N]}
    with pytest.raises(InputError, match=r"^column 'd' has a time zone in one table only"):
        detect(zoned, naive)
    assert detect(zoned, zoned).verdict == "no shift"


def test_numbers_that_became_text() -> None:
    with pytest.raises(InputError, match=r"^column 'x' .*numbers.*text"):
        detect({"x": OLD}, {"x": [f"{value:.2f} EUR" for value in NEW]})
