from __future__ import annotations

import warnings
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any, get_args
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shiftproof
from shiftproof.core import InputError, ShiftproofWarning
from shiftproof.data import LEFT_OUT, Kind, feature_kinds, joint_kinds

N = 200
RNG = np.random.default_rng(0)
SHUFFLED = np.random.default_rng(1).permutation(10 * N)[:N]
CODES = [f"u{at:04d}" for at in range(N)]
COLOURS = ["red", "green"] * (N // 2)
SENTENCES = [f"the customer number {at} was not at home" for at in range(N)]

LIBRARIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "dict": lambda columns: columns,
    "pandas": pd.DataFrame,
    "pandas object": lambda columns: pd.DataFrame(columns).astype(object),
    "polars": lambda columns: pl.DataFrame(columns, strict=False),
    "pyarrow": pa.table,
}


@pytest.fixture(params=LIBRARIES, name="library")
def a_library(request: pytest.FixtureRequest) -> Callable[[dict[str, Any]], Any]:
    return LIBRARIES[request.param]


def refusal(*tables: Any, **options: Any) -> str:
    with pytest.raises(InputError) as error:
        _ = feature_kinds(*tables, **options) if len(tables) == 1 else joint_kinds(*tables, **options)
    return str(error.value)


def test_kinds_follow_the_type(library: Callable[[dict[str, Any]], Any]) -> None:
    table = library(
        {
            "real": [0.5, None] * (N // 2),
            "whole": [1, 2] * (N // 2),
            "flag": [True, False] * (N // 2),
            "colour": COLOURS,
            "day": [date(2024, 5, 1)] * N,
            "moment": [datetime(2024, 5, 1, 12)] * N,
            "span": [timedelta(1)] * N,
        }
    )
    assert feature_kinds(table) == {
        "real": "continuous",
        "whole": "continuous",
        "flag": "nominal",
        "colour": "nominal",
        "day": "date",
        "moment": "date",
        "span": "continuous",
    }


def test_identifiers_and_free_text_are_left_out_with_one_warning(library: Callable[[dict[str, Any]], Any]) -> None:
    table = library({"code": CODES, "colour": COLOURS, "note": SENTENCES, "row": list(range(N))})
    with pytest.warns(ShiftproofWarning) as caught:
        kinds = feature_kinds(table)
    assert kinds == {"code": "identifier", "colour": "nominal", "note": "text", "row": "identifier"}
    assert [str(warning.message) for warning in caught] == [
        "left out of tests: 'code' (identifier), 'note' (text), 'row' (identifier); "
        "pass kinds={'code': 'nominal'} to test 'code' anyway."
    ]
    assert caught[0].filename == __file__


def test_the_warning_knows_the_way_out_for_numbers_and_for_odd_cells() -> None:
    many = "".join(f"'c{at}' (identifier), " for at in range(8)).removesuffix(", ")
    for table, sentence in (
        (
            {"row": np.arange(N)},
            "left out of tests: 'row' (identifier); pass kinds={'row': 'continuous'} to test it anyway.",
        ),
        (
            {"vector": [[1, 2]] * N},
            "left out of tests: 'vector' (unsupported); "
            "drop the column, or turn its cells into numbers, dates or text.",
        ),
        (
            {f"c{at}": CODES for at in range(10)},
            f"left out of tests: {many} and 2 more; pass kinds={{'c0': 'nominal'}} to test 'c0' anyway.",
        ),
    ):
        with pytest.warns(ShiftproofWarning) as caught:
            kinds = feature_kinds(table)
        assert [str(warning.message) for warning in caught] == [sentence]
        assert set(kinds.values()) <= set(LEFT_OUT)


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (np.arange(N), "identifier"),
        (np.arange(N, 0, -1), "identifier"),
        (np.arange(N, dtype=np.uint64) + np.uint64(2**63), "identifier"),
        (np.arange(29), "continuous"),
        (np.arange(N) * 2, "continuous"),
        (np.arange(N, dtype=float), "continuous"),
        (np.r_[np.arange(N - 1), 5], "continuous"),
        (np.r_[np.arange(N - 1), 5000], "continuous"),
        (np.zeros(N, dtype=int), "continuous"),
        ([None, *range(N)], "continuous"),
        (RNG.permutation(N), "continuous"),
        (np.r_[np.arange(20_000), 7], "continuous"),
        (np.arange(N) + (2**63 - N), "identifier"),
        (-np.arange(N) + (2**63 - 1), "identifier"),
        (np.arange(N) + np.iinfo(np.int64).min, "identifier"),
        (np.arange(N, dtype=np.uint64), "identifier"),
        (np.arange(N, dtype=np.uint64)[::-1], "identifier"),
        (np.full(N, 2**63 - 1), "continuous"),
        (np.full(N, -(2**63)), "continuous"),
        (np.zeros(N, dtype=np.uint64), "continuous"),
        (np.array([0, 2**64 - 1] * N, dtype=np.uint64), "continuous"),
        (np.arange(N, dtype=np.uint64) + np.uint64(2**64 - 100), "continuous"),  # it wraps around
        ([10**400, 1] * N, "continuous"),
        ([10**5000, -(10**400)] * N, "continuous"),
    ],
)
def test_integers_that_count_the_rows_are_identifiers(column: Any, kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShiftproofWarning)
        assert feature_kinds({"c": column}) == {"c": kind}


@pytest.mark.parametrize(
    ("name", "column", "kind"),
    [
        ("customer_id", SHUFFLED, "identifier"),
        ("CustomerID", SHUFFLED, "identifier"),
        ("paid", SHUFFLED, "continuous"),
        ("shop_id", SHUFFLED % 7, "continuous"),
        ("id", np.append(SHUFFLED[:191], [SHUFFLED[0]] * 9), "identifier"),
        ("id", np.append(SHUFFLED[:180], [SHUFFLED[0]] * 20), "continuous"),
        ("id", SHUFFLED[:29], "continuous"),
        ("id", SHUFFLED + 0.5, "continuous"),
        ("id", pl.Series([*SHUFFLED.tolist(), None]), "identifier"),
    ],
)
def test_integers_that_differ_are_identifiers_where_the_name_says_so(name: str, column: Any, kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShiftproofWarning)
        assert feature_kinds({name: column}) == {name: kind}


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (CODES, "identifier"),
        (CODES[:29], "nominal"),
        ([*CODES[:20], *[None] * 1000], "nominal"),
        ([*CODES, *[None] * 100_000], "identifier"),
        (CODES[:191] + ["same"] * 9, "identifier"),
        (CODES[:180] + ["same"] * 20, "nominal"),
        ([f"{code} Main Street" for code in CODES], "identifier"),
        (SENTENCES, "text"),
        (SENTENCES[:110] + ["nothing to say about this"] * 90, "text"),
        (SENTENCES[:90] + ["nothing to say about this"] * 110, "nominal"),
        # Each value occurs twice, far apart: a sample of 10,000 sees mostly different ones, the whole does not.
        ([f"u{at % 100_003}" for at in range(200_000)], "nominal"),
        ([f"u{at}" for at in range(50_000)], "identifier"),
        (pd.Categorical(CODES), "identifier"),
        (pd.Categorical(CODES[:29]), "nominal"),
        ([1, *CODES[1:]], "identifier"),
        ([1, "a"] * 100, "nominal"),
    ],
)
def test_text_that_is_seldom_the_same_is_left_out(column: Any, kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShiftproofWarning)
        assert feature_kinds(pd.DataFrame({"c": column})) == {"c": kind}


def test_columns_without_values() -> None:
    frame = pd.DataFrame(
        {
            "untyped": [None] * 3,
            "real": [np.nan] * 3,
            "word": pd.Series([None] * 3, dtype="string"),
            "moment": pd.to_datetime(["NaT"] * 3),
        }
    )
    expected = {"untyped": "continuous", "real": "continuous", "word": "nominal", "moment": "date"}
    assert feature_kinds(frame) == expected
    assert feature_kinds(frame.iloc[:0]) == expected
    assert feature_kinds({}) == {}


# --- what the user knows better ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "possible"),
    [
        ([1, 2], {"continuous", "nominal", "text", "identifier"}),
        ([timedelta(1)], {"continuous", "nominal", "text", "identifier"}),
        ([date(2024, 5, 1)], {"date", "continuous", "nominal", "text", "identifier"}),
        ([True, False], {"nominal", "text", "identifier"}),
        (["a", "b"], {"nominal", "text", "identifier"}),
        ([1, "a"], {"nominal", "text", "identifier"}),
        ([None, None], {"continuous", "date", "nominal", "text", "identifier"}),
        ([[1], [2]], {"unsupported", "text", "identifier"}),
    ],
)
def test_the_user_decides_where_that_is_possible(column: list[Any], possible: set[str]) -> None:
    for kind in get_args(Kind):
        if kind in possible:
            assert feature_kinds({"c": column}, kinds={"c": kind}) == {"c": kind}
        else:
            assert refusal({"c": column}, kinds={"c": kind}).startswith("kinds['c'] must fit a column of ")


def test_a_column_the_user_mentions_is_not_warned_of() -> None:
    kinds = {"code": "identifier", "note": "nominal"}
    assert feature_kinds({"code": CODES, "note": SENTENCES}, kinds=kinds) == kinds


def test_names_that_are_no_text_can_be_mentioned() -> None:
    assert feature_kinds(pd.DataFrame(np.eye(2)), kinds={0: "nominal"}) == {"0": "nominal", "1": "continuous"}


@pytest.mark.parametrize(
    ("kinds", "sentence"),
    [
        ({"zp": "nominal"}, "kinds must name columns of X; got 'zp'. Did you mean 'zip'?"),
        ({"q": "nominal"}, "kinds must name columns of X, got 'q'; available: 'zip', 'job', 'day', 'cell'."),
        (
            {"zip": "nomnal"},
            "kinds['zip'] must be one of 'continuous', 'nominal', 'date', 'text', 'identifier'; "
            "got 'nomnal'. Did you mean 'nominal'?",
        ),
        (["zip"], "kinds must be a dict that maps columns to kinds, got ['zip']; write it as {'zip': 'nominal'}."),
        (
            {"job": "continuous"},
            "kinds['job'] must fit a column of text such as 'clerk', got 'continuous'; "
            "choose 'nominal', 'text' or 'identifier', or convert the column to numbers.",
        ),
        (
            {"zip": "date"},
            "kinds['zip'] must fit a column of numbers such as 10115, got 'date'; "
            "choose 'continuous', 'nominal', 'text' or 'identifier', or convert the column to dates.",
        ),
        (
            {"cell": "nominal"},
            "kinds['cell'] must fit a column of cells of an unsupported type such as [1, 2], got 'nominal'; "
            "choose 'unsupported', 'text' or 'identifier', or convert the column to text or numbers.",
        ),
        (
            {"zip": "unsupported"},
            "kinds['zip'] must fit a column of numbers such as 10115, got 'unsupported'; "
            "choose 'continuous', 'nominal', 'text' or 'identifier'.",
        ),
    ],
)
def test_kinds_that_cannot_be_are_refused(kinds: Any, sentence: str) -> None:
    table = {"zip": [10115], "job": ["clerk"], "day": [date(2024, 5, 1)], "cell": [[1, 2]]}
    assert refusal(table, kinds=kinds) == sentence


def test_a_kind_refused_for_a_column_without_values_gives_no_example() -> None:
    frame = pd.DataFrame({"c": pd.Series([None], dtype="string")})
    assert refusal(frame, kinds={"c": "date"}) == (
        "kinds['c'] must fit a column of text, got 'date'; "
        "choose 'nominal', 'text' or 'identifier', or convert the column to dates."
    )


# --- two tables ----------------------------------------------------------------------------------


def test_the_reference_decides_over_shared_columns_in_its_order() -> None:
    reference = {"b": [1, 2], "a": ["x", "y"], "old": [1, 2]}
    current = {"a": ["y", None], "new": [1, 2], "b": [0.5, 1.5]}
    assert joint_kinds(reference, current) == {"b": "continuous", "a": "nominal"}


@pytest.mark.parametrize(
    "nothing",
    [
        [None] * 3,
        pd.Series([np.nan] * 300),
        pl.Series([float("nan")] * 300),
        pl.Series([None] * 300, dtype=pl.String),
        np.full(300, np.nan),
        pd.Series([None] * 3, dtype="category"),
    ],
)
def test_where_one_side_has_no_values_the_other_decides(nothing: Any) -> None:
    for column, kind in ([["x", "y"], "nominal"], [[1, 2], "continuous"], [[date(2024, 5, 1)], "date"]):
        assert joint_kinds({"c": nothing}, {"c": column}) == {"c": kind}
        assert joint_kinds({"c": column}, {"c": nothing}) == {"c": kind}
    assert joint_kinds({"c": nothing}, {"c": [None]})["c"] in ("continuous", "nominal")


def test_a_late_value_is_found() -> None:
    late = [None] * 5000 + ["x"]
    assert joint_kinds({"c": late}, {"c": [None, None]}) == {"c": "nominal"}
    assert joint_kinds({"c": np.r_[np.full(5000, np.nan), 1.0]}, {"c": [None]}) == {"c": "continuous"}
    assert joint_kinds({"c": [None] * 5000 + [1, "x"]}, {"c": [None]}) == {"c": "nominal"}


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (
            ["01234", "10115"],
            [10115, 80331],
            "column 'c' holds text in reference (such as '01234') and numbers in current "
            "(such as 10115); convert one of them, or pass exclude=['c'] to leave the column out.",
        ),
        (
            np.array([41.5, np.nan]),
            ["n/a", "41"],
            "column 'c' holds numbers in reference (such as 41.5) and text in current (such as 'n/a'); "
            "if 'n/a' means missing, read the files with missing=['n/a']; otherwise "
            "convert one of them, or pass exclude=['c'] to leave the column out.",
        ),
        (
            [41, 42],
            [41, "n/a"],
            "column 'c' holds numbers in reference (such as 41) and values of several types in current "
            "(such as 'n/a'); if 'n/a' means missing, read the files with missing=['n/a']; "
            "otherwise convert one of them, or pass kinds={'c': 'nominal'} to compare them as categories, or "
            "exclude=['c'] to leave the column out.",
        ),
        (
            [0, 1],
            [True, False],
            "column 'c' holds numbers in reference (such as 0) and booleans in current (such as True); "
            "convert one of them, or pass kinds={'c': 'nominal'} to compare them as categories, or "
            "exclude=['c'] to leave the column out.",
        ),
        (
            [date(2024, 5, 1)],
            ["2024-05-01"],
            "column 'c' holds dates in reference (such as 2024-05-01) and text in current "
            "(such as '2024-05-01'); convert one of them, or pass exclude=['c'] to leave the column out.",
        ),
        (
            [timedelta(1)],
            [86400],
            "column 'c' holds durations in reference (such as 1 day, 0:00:00) and numbers in current "
            "(such as 86400); convert one of them, or pass exclude=['c'] to leave the column out.",
        ),
        (
            [1, 2],
            pd.Series([1, 2], dtype="category"),
            "column 'c' holds numbers in reference (such as 1) and categories in current (such as 1); "
            "convert one of them, or pass kinds={'c': 'nominal'} to compare them as categories, or "
            "exclude=['c'] to leave the column out.",
        ),
        (
            [1, 2],
            [[1], [2]],
            "column 'c' holds numbers in reference (such as 1) and cells of an unsupported type in current "
            "(such as [1]); convert one of them, or pass exclude=['c'] to leave the column out.",
        ),
    ],
)
def test_columns_that_do_not_match_are_refused(before: Any, after: Any, sentence: str) -> None:
    assert refusal({"c": before}, {"c": after}) == sentence
    assert joint_kinds({"c": before}, {"c": after}, exclude=["c"]) == {}
    if "nominal" in sentence:
        assert joint_kinds({"c": before}, {"c": after}, kinds={"c": "nominal"}) == {"c": "nominal"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["a", "b"], pd.Series(["b"], dtype="category")),
        (pd.Series(["b"], dtype="category"), ["a", "b"]),
        (pd.Series([1, 2], dtype="category"), [1, 2]),
        (pd.Series([True], dtype="category"), [True]),
        (pd.Series(pd.cut([1.0, 2.0], 2)), pd.Series(pd.cut([1.0, 2.0], 2))),
        ([True, False], [0, 1]),
        ([1, "a"], ["a", "b"]),
        ([1, "a"], [1, 2]),
    ],
)
def test_categories_that_can_be_equal_match(before: Any, after: Any) -> None:
    assert joint_kinds({"c": before}, {"c": after}) == {"c": "nominal"}


def test_joint_kinds_shows_the_offending_cell() -> None:
    sentence = refusal({"b": [1, 2]}, {"b": ["2"] * 500 + ["?"]})
    assert sentence == (
        "column 'b' holds numbers in reference (such as 1) and text in current (such as '?'); "
        "if '?' means missing, read the files with missing=['?']; otherwise "
        "convert one of them, or pass exclude=['b'] to leave the column out."
    )


def test_time_zones_in_one_table_only_are_refused() -> None:
    plain = pd.date_range("2024-01-01", periods=3)
    sentence = (
        "column 'd' has a time zone in one table only, in reference and not in current "
        "(such as 2024-01-01 00:00:00+00:00 against 2024-01-01 00:00:00); "
        "convert both to UTC, or pass exclude=['d'] to leave the column out."
    )
    for options in ({}, {"kinds": {"d": "nominal"}}, {"kinds": {"d": "continuous"}}):
        assert refusal({"d": plain.tz_localize("UTC")}, {"d": plain}, **options) == sentence
    assert "in current and not in reference" in refusal({"d": plain}, {"d": plain.tz_localize("UTC")})
    berlin = plain.tz_localize("Europe/Berlin")
    assert joint_kinds({"d": berlin}, {"d": plain.tz_localize("UTC")}) == {"d": "date"}
    assert joint_kinds({"d": plain}, {"d": [date(2024, 5, 1)]}) == {"d": "date"}
    assert joint_kinds({"d": plain}, {"d": pd.to_datetime(["NaT"], utc=True)}) == {"d": "date"}


@pytest.mark.parametrize(
    "column",
    [
        [1j, 2j],
        np.array([1j, 2j]),
        pd.Series([1j, None]),
        [time(1), time(2)],
        [b"a", b"b"],
        np.array([b"a", b"b"]),
        [[1], [2, 3]],
        [{"a": 1}, None],
        [{1}, {2}],
        pl.Series([[1], [2]]),
    ],
    ids=lambda column: f"{type(column).__name__} of {type(column[0]).__name__}",
)
def test_unsupported_cells_are_called_so(column: Any) -> None:
    with pytest.warns(ShiftproofWarning) as caught:
        assert joint_kinds({"c": column}, {"c": column}) == {"c": "unsupported"}
    assert [str(warning.message) for warning in caught] == [
        "left out of tests: 'c' (unsupported); drop the column, or turn its cells into numbers, dates or text."
    ]
    assert feature_kinds({"c": column}, kinds=feature_kinds({"c": column}, warn=False)) == {"c": "unsupported"}


def test_identifiers_of_the_type_uuid_are_identifiers() -> None:
    codes = [UUID(int=at) for at in range(N)]
    table = pa.table({"c": pa.array([code.bytes for code in codes], pa.uuid())})
    for held in ({"c": codes}, {"c": [*codes, None]}, pd.DataFrame({"c": codes}), table):
        assert feature_kinds(held, warn=False) == {"c": "identifier"}
    assert joint_kinds({"c": codes}, {"c": [str(code) for code in codes]}, warn=False) == {"c": "identifier"}


FAR = np.array(["-20000-01-01", "30000-01-01"] * 30, "M8[D]")


@pytest.mark.parametrize("column", [FAR, pl.Series(FAR.astype("M8[us]")), pd.Series(FAR), pa.array(FAR)])
def test_dates_that_python_cannot_hold(column: Any) -> None:
    assert joint_kinds({"d": column}, {"d": column}) == {"d": "date"}
    assert joint_kinds({"d": column}, {"d": column}, kinds={"d": "nominal"}) == {"d": "nominal"}
    assert refusal({"d": column}, {"d": [1, 2]}).startswith("column 'd' holds dates in reference (such as -20000-01-01")


@pytest.mark.parametrize("warned", [True, False])
def test_warnings_can_be_left_out(warned: bool) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        feature_kinds({"code": CODES}, warn=warned)
        joint_kinds({"code": CODES}, {"code": CODES}, warn=warned)
    assert len(caught) == 2 * warned


def test_a_warning_points_at_the_users_line_through_every_verb() -> None:
    table = {"code": CODES, "x": [1.5] * N}
    with pytest.warns(ShiftproofWarning, match="left out of tests") as caught:
        shiftproof.detect(table, table | {"x": [2.5] * N})
    assert caught[0].filename == __file__


def test_columns_can_be_excluded_with_their_kinds() -> None:
    old, new = {"a": [1], "b": ["x"]}, {"a": [1], "b": [2]}
    assert joint_kinds(old, new, exclude=["b"], kinds={"b": "continuous"}) == {"a": "continuous"}
    assert joint_kinds(pd.DataFrame([[1]]), pd.DataFrame([["a"]]), exclude=[0]) == {}
    assert refusal(old, new, exclude="b") == "exclude must be a list of column names, got 'b'; write exclude=['b']."
    assert refusal(old, new, exclude=["q"]) == (
        "exclude must name columns of the tables, got 'q'; available: 'a', 'b'."
    )


def test_two_tables_are_warned_of_once() -> None:
    with pytest.warns(ShiftproofWarning) as caught:
        kinds = joint_kinds({"code": CODES, "x": [1.5] * N}, {"code": ["a"] * 3, "x": [1.5] * 3})
    assert kinds == {"code": "identifier", "x": "continuous"}
    assert [str(warning.message) for warning in caught] == [
        "left out of tests: 'code' (identifier); pass kinds={'code': 'nominal'} to test it anyway."
    ]
    assert caught[0].filename == __file__
    joint_kinds({"code": CODES}, {"code": CODES}, kinds={"code": "nominal"})  # no warning


def test_kinds_may_name_a_column_of_either_table() -> None:
    assert joint_kinds({"a": [1]}, {"a": [1], "b": [1]}, kinds={"b": "nominal"}) == {"a": "continuous"}
    assert refusal({"age": [1]}, {"age": [1]}, kinds={"aeg": "nominal"}) == (
        "kinds must name columns of the two tables; got 'aeg'. Did you mean 'age'?"
    )


def test_wide_and_long_tables() -> None:
    array = np.broadcast_to(np.arange(1_000_000)[:, None] * 0.5, (1_000_000, 50))
    assert set(joint_kinds(array, array).values()) == {"continuous"}
