from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftproof.core import chance, counted, effect, listed, share, shown, tame, without_passwords


@pytest.mark.parametrize(
    ("p", "expected"), [(1.0, "1"), (0.01234, "0.012"), (0.001, "0.001"), (9.9e-4, "<0.001"), (0.0, "<0.001")]
)
def test_chances(p: float, expected: str) -> None:
    assert chance(p) == expected


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (0.0, "0%"),
        (0.0004, "<0.1%"),
        (0.0005, "0.1%"),
        (0.0204, "2.0%"),
        (0.0312, "3.1%"),
        (0.1, "10%"),
        (0.404, "40%"),
        (0.9, "90%"),
        (0.996, "99.6%"),
        (0.9999, ">99.9%"),
        (1.0, "100%"),
    ],
)
def test_share_writes_decimals_at_the_ends(part: float, expected: str) -> None:
    assert share(part) == expected


@pytest.mark.parametrize(
    ("size", "expected"),
    [(0.0, "0.00"), (0.0004, "<0.001"), (0.0005, "0.001"), (0.0042, "0.004"), (0.01, "0.01"), (1.0, "1.00")],
)
def test_effects(size: float, expected: str) -> None:
    assert effect(size) == expected


def test_formatters_write_nan_as_an_empty_text() -> None:
    assert (chance(math.nan), share(math.nan), effect(math.nan)) == ("", "", "")


def test_counted_writes_the_plural_and_separators() -> None:
    assert [counted(number, "row") for number in (0, 1, 2, 45_211)] == ["0 rows", "1 row", "2 rows", "45,211 rows"]


@given(st.text(), st.integers(5, 80))
def test_shown_keeps_to_its_width(value: str, width: int) -> None:
    text = shown(value, width=width)
    assert len(text) <= width
    assert text == repr(value) or text.endswith("…")


def named(cell: object) -> object:
    return cell


class Model:
    """Has no text of its own."""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5, "5"),
        (None, "None"),
        (["base"], "['base']"),
        (list(range(400)), "a list of 400 values"),
        ({"a": "x" * 80}, "a dict of 1 value"),
        (np.array(["a"]), "an array of 1 value"),
        (np.zeros((2, 3)), "an array of shape (2, 3)"),
        (np.array(0.5), "0.5"),
        (np.str_("a"), "'a'"),
        (np.datetime64("2024-01-31"), "2024-01-31"),
        (pd.DataFrame({"a": [1, 2]}), "a table with 2 rows and 1 column"),
        (pa.table({"a": [1], "b": [2]}), "a table with 1 row and 2 columns"),
        (pd.Series([1, 2]), "a Series of 2 values"),
        (pd.Index([1]), "an Index of 1 value"),
        (pa.chunked_array([[1]]), "a ChunkedArray of 1 value"),
        (pa.array([1]), "an Int64Array object"),
        (Model, "the class Model"),
        (Model(), "a Model object"),
        (named, "the function named"),
        (lambda: 0, "a lambda function"),
        (len, "the function len"),
        (math, "the module math"),
    ],
)
def test_shown_describes_what_has_many_cells_or_no_text(value: object, text: str) -> None:
    assert shown(value) == text


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["a"], "'a'"),
        (["a", "b"], "'a' and 'b'"),
        (["a", "b", "c"], "'a', 'b' and 'c'"),
        (list("abcdef"), "'a', 'b', 'c', 'd', 'e' and 1 more"),
        (range(3), "0, 1 and 2"),
    ],
)
def test_listed_reads_as_people_write(names: Any, text: str) -> None:
    assert listed(names) == text


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("https://me:my secret@host/x.csv", "https://me@host/x.csv"),
        ("tcp:/me:secret@10.0.0.1:8786 is away", "tcp:/me@10.0.0.1:8786 is away"),
        ("mysql://me:se/cr@et@host/db", "mysql://me@host/db"),
        ("postgresql://me@host:5432/db?p%61ssword=secret&user=me", "postgresql://me@host:5432/db?user=me"),
        ("postgresql:///db?host=/run&sslpassword=secret", "postgresql:///db?host=/run"),
        ("host=a password = 'my \\' secret' dbname=b", "host=a dbname=b"),
        ("host=a password='my secret", "host=a"),
        ("https://host/x.csv?api_token=secret", "https://host/x.csv?"),
        ("https://host/x.csv?a=1&passwd_secret=secret&b=2", "https://host/x.csv?a=1&b=2"),
        ("http://host:8080/x is down; ask me@example.org", "http://host:8080/x is down; ask me@example.org"),
        ("C:/calls.csv", "C:/calls.csv"),
        ("password_reset=1, token = a and client_key=2", "password_reset=1, token = a and client_key=2"),
        ("is it 'a'?; token=1; pwd_reset=2, key=3;", "is it 'a'?; token=1; pwd_reset=2, key=3;"),
        ("postgresql://h/db?user=me;password=secret", "postgresql://h/db?user=me"),
        ("postgresql://h/db?password=se;cret;user=me", "postgresql://h/db?;user=me"),
        ("https://h/x?api_key=secret&passwd=secret&a=1", "https://h/x?a=1"),
        ("Server=h;Database=d;Pwd=secret;", "Server=h;Database=d;"),
        ("Name=a;AccountKey=secret==;Api-Key=secret;Suffix=b", "Name=a;Suffix=b"),
        ("host=h password=secret: there is no such file", "host=h: there is no such file"),
        ("write host=h password=se.cret, passwd=secret; or pwd=secret.", "write host=h,; or."),
    ],
)
def test_no_address_is_shown_with_its_password(address: str, words: str) -> None:
    assert without_passwords(address) == tame(address) == words
    assert "secret" not in shown(address, width=20)


def test_no_address_within_a_value_is_shown_with_its_password() -> None:
    assert shown({"store": "https://me:secret@host/x"}) == "{'store': 'https://me@host/x'}"


@pytest.mark.parametrize(
    "part", ["a-", "a%", "a:/", "p:/a:", "p:/a:b ", "password", "a = ", "'\\", "a='", "a=:", "a=;", ";a"]
)
def test_hostile_text_is_searched_for_passwords_in_no_time(part: str) -> None:
    began = time.process_time()
    without_passwords(part * 50_000 + "=@")
    assert time.process_time() - began < 5
