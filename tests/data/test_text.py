from __future__ import annotations

import time
from pathlib import Path

import pytest

from shiftproof.core import FileError
from shiftproof.data._text import check_names, check_wanted, text_table

PATH = Path("calls.csv")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_text_table_finds_the_delimiter(delimiter: str) -> None:
    text = f"a{delimiter}b\n1{delimiter}x\n2{delimiter}y\n".encode()
    assert text_table(text, PATH, None).to_pydict() == {"a": [1, 2], "b": ["x", "y"]}


def test_text_table_reads_only_the_columns_wanted_in_their_order() -> None:
    assert text_table(b"a,b,c\n1,2,3\n", PATH, ["c", "a"]).to_pydict() == {"c": [3], "a": [1]}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the file is empty"),
        (b"\xff\xfea", "the text is UTF-16, not UTF-8"),
        (b"PK\x03\x04", "this is a zip archive or an Excel workbook"),
        (b"a,b\n1\n2,3\n", "line 2 has 1 cell where the header names 2"),
        (b'a,b\n1,"2\n3,4\n', "a quotation mark in line 2 is never closed"),
        (b"a,b\n1,\xe9\n", "line 2 is not UTF-8"),
    ],
)
def test_text_table_names_what_is_broken(data: bytes, words: str) -> None:
    with pytest.raises(FileError, match=words):
        text_table(data, PATH, None)


def test_check_names_refuses_nameless_and_repeated_columns() -> None:
    with pytest.raises(FileError, match="column 2 of 2 has no name in the header"):
        check_names(["a", " "], PATH)
    with pytest.raises(FileError, match="the header repeats 'a'"):
        check_names(["a", "b", "a"], PATH)


def test_check_wanted_drops_repeats_and_refuses_unknown_columns() -> None:
    assert check_wanted(["b", "b"], ["a", "b"], PATH) == ["b"]
    with pytest.raises(FileError, match="no column 'agee'"):
        check_wanted(["agee"], ["age", "job"], PATH)


def test_names_of_many_columns_are_compared_in_no_time() -> None:
    began = time.process_time()
    with pytest.raises(FileError, match="the header repeats 'c0'; rename or drop the repeats"):
        check_names([*(f"c{column}" for column in range(200_000)), "c0"], PATH)
    assert time.process_time() - began < 5
