from __future__ import annotations

import csv
import gzip
import io
import math
import os
import re
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shiftproof.core import DatesReadAsText, FileError, InputError, MarksReadAsText
from shiftproof.data import read, read_rows
from shiftproof.data._cells import MISSING_WORDS

BIG = 2**60 + 1


@pytest.fixture(name="write")
def a_writer(tmp_path: Path) -> Any:
    def write(content: str | bytes, name: str = "calls.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def refusal(path: Any, **options: Any) -> str:
    """Return the sentence with which a file is refused, without the folder."""
    with pytest.raises(FileError) as error:
        read(path, **options)
    sentence = str(error.value)
    assert sentence.startswith(str(path))
    return sentence.replace(str(path), path.name, 1)


def cells(series: pd.Series[Any]) -> list[Any]:
    return [None if pd.isna(cell) else cell for cell in series.tolist()]


# --- types ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "kind", "expected"),
    [
        (["1", "-2", "0"], "i", [1, -2, 0]),
        ([str(BIG), "1", str(-(2**63))], "i", [BIG, 1, -(2**63)]),
        (["1", "", "3"], "f", [1.0, None, 3.0]),
        ([str(BIG), "", "NA"], "Int64", [BIG, None, None]),
        ([str(2**64 - 1), "1", "2"], "u", [2**64 - 1, 1, 2]),
        ([str(2**64 - 1), "1", ""], "UInt64", [2**64 - 1, 1, None]),
        (["1.5", "-0.0", "1e300"], "f", [1.5, 0.0, 1e300]),
        (["inf", "-inf", "nan"], "f", [math.inf, -math.inf, None]),
        ([" 1", "2 ", "  "], "f", [1.0, 2.0, None]),
        (["+1", "2", ".5"], "f", [1.0, 2.0, 0.5]),
        (["0.1", "0", "-0.5"], "f", [0.1, 0.0, -0.5]),
        (["1", "None", "2"], "f", [1.0, None, 2.0]),
        (["1", '"NA"', '"2"'], "f", [1.0, None, 2.0]),
        (["true", "FALSE", "True"], "b", [True, False, True]),
        (["true", "", "false"], "boolean", [True, None, False]),
        (["2024-05-01", "", "1500-01-01"], "M", [datetime(2024, 5, 1), None, datetime(1500, 1, 1)]),
        (
            ["2024-05-01", "2024-05-01T12:30", "2024-05-01 12:30:15.25"],
            "M",
            [datetime(2024, 5, 1), datetime(2024, 5, 1, 12, 30), datetime(2024, 5, 1, 12, 30, 15, 250000)],
        ),
        (
            ["2024-05-01T12:00:00Z", "2024-05-01T12:00:00+02:00", "null"],
            "M",
            [datetime(2024, 5, 1, 12, tzinfo=UTC), datetime(2024, 5, 1, 10, tzinfo=UTC), None],
        ),
        (["", "NA", "NaN"], "f", [None, None, None]),
    ],
)
def test_columns_get_the_type_of_their_cells(write: Any, lines: list[str], kind: str, expected: list[Any]) -> None:
    path = write("c,n\n" + "".join(f"{line},1\n" for line in lines))
    column = read(path)["c"]
    assert cells(column) == expected
    assert kind in (column.dtype.kind, str(column.dtype))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a", "b", " c "], ["a", "b", " c "]),
        (["01234", "99999", "10115"], ["01234", "99999", "10115"]),
        (["-01", "2", "3.5"], ["-01", "2", "3.5"]),
        ([" 007", "1", "2"], [" 007", "1", "2"]),
        (["0x1F", "1", "2"], ["0x1F", "1", "2"]),
        (["9" * 25, "1", ""], ["9" * 25, "1", None]),
        (["1", "a", "2"], ["1", "a", "2"]),
        (["true", "1", "false"], ["true", "1", "false"]),
        (["yes", "no", ""], ["yes", "no", None]),
        (["2024-05-01", "2024-02-30", ""], ["2024-05-01", "2024-02-30", None]),
        (["2024-05-01T12:00:00Z", "2024-05-01", ""], ["2024-05-01T12:00:00Z", "2024-05-01", None]),
        (["12:30", "13:00", ""], ["12:30", "13:00", None]),
        (["NA", '"NA"', "brick"], [None, "NA", "brick"]),
        (["None", "brick", '""'], ["None", "brick", None]),
        (["None", "None", ""], ["None", "None", None]),
        (["1_000", "2", "3"], ["1_000", "2", "3"]),
        (['"1,5"', "2", "3"], ["1,5", "2", "3"]),
        (["ü", "日本", "🙂"], ["ü", "日本", "🙂"]),
    ],
)
def test_read_leaves_cells_of_no_common_type_as_text(write: Any, lines: list[str], expected: list[Any]) -> None:
    path = write("c,n\n" + "".join(f"{line},1\n" for line in lines))
    column = read(path)["c"]
    assert cells(column) == expected
    assert column.dtype in ("str", object)  # pandas 3 or before


def test_a_date_below_the_microsecond_keeps_its_digits(write: Any) -> None:
    column = read(write("c\n2024-05-01T12:00:00.123456789\n"))["c"]
    assert column[0] == pd.Timestamp("2024-05-01T12:00:00.123456789")


def test_a_rare_cell_deep_in_the_column_makes_it_text(write: Any) -> None:
    lines = [str(at) for at in range(5000)]
    lines[3333] = "none of these"
    frame = read(write("c,d\n" + "".join(f"{line},2024-05-01\n" for line in lines)))
    assert frame["c"].tolist() == lines
    assert frame["d"].dtype.kind == "M"


def test_european_files_have_decimal_commas(write: Any) -> None:
    frame = read(write("a;b;c\n1,5;x,y;1.234,5\n-2,25;3;7\nNA;;\n"))
    assert cells(frame["a"]) == [1.5, -2.25, None]
    assert cells(frame["b"]) == ["x,y", "3", None]
    assert cells(frame["c"]) == ["1.234,5", "7", None]


# --- the shape of the text -----------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("last", [True, False])
def test_delimiters_line_ends_and_the_byte_order_mark(
    write: Any, delimiter: str, end: str, mark: bytes, last: bool
) -> None:
    text = end.join(delimiter.join(row) for row in (["a", "b b", "c"], ["1", "x", "2.5"], ["2", "y", ""]))
    frame = read(write(mark + (text + end * last).encode()))
    assert list(frame) == ["a", "b b", "c"]
    assert frame["a"].tolist() == [1, 2]
    assert frame["b b"].tolist() == ["x", "y"]
    assert cells(frame["c"]) == [2.5, None]


@pytest.mark.parametrize("name", ["calls.tsv", "calls.txt", "calls.dat", "calls", "calls.CSV", "calls.gz"])
def test_the_contents_decide_and_not_the_ending(write: Any, name: str) -> None:
    assert read(write("a\tb\n1\t2\n", name)).to_dict("list") == {"a": [1], "b": [2]}


def test_a_tsv_of_one_column_may_hold_commas(write: Any) -> None:
    assert read(write("a\nx, y\n", "calls.tsv"))["a"].tolist() == ["x, y"]


def test_quoted_cells_hold_anything(write: Any) -> None:
    text = 'id,"the, text"\n1,"two\nlines, ""quoted"""\n2,"a\r\nb"\n3,5" pipe\n'
    frame = read(write(text))
    assert list(frame) == ["id", "the, text"]
    assert frame["the, text"].tolist() == ['two\nlines, "quoted"', "a\r\nb", '5" pipe']


def test_a_header_may_have_several_lines(write: Any) -> None:
    frame = read(write('\n\n"a\nb",c\n1,2\n'))
    assert frame.to_dict("list") == {"a\nb": [1], "c": [2]}


def test_blank_lines_are_no_rows_of_a_wide_table(write: Any) -> None:
    assert read(write('a,b\n\n1,"x"\n\r\n2,y\n\n\n')).to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}


def test_blank_lines_are_missing_cells_of_a_narrow_table(write: Any) -> None:
    assert cells(read(write("a\n1\n\n3\n\n"))["a"]) == [1.0, None, 3.0, None]
    assert cells(read(write('\na\n"x"\n\n'))["a"]) == ["x", None]


def test_no_rows_are_a_fine_table(write: Any) -> None:
    for text in ("a,b\n", "a,b", "a,b\n\n", "a;b\r\n"):
        frame = read(write(text))
        assert frame.shape == (0, 2)
        assert list(frame) == ["a", "b"]


def test_read_rows_refuses_a_file_without_rows_by_its_name(write: Any, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "none.parquet")
    for path in (write("a,b\n"), tmp_path / "none.parquet"):
        with pytest.raises(FileError) as error:
            read_rows(path)
        assert str(error.value) == f"{path}: the file has a header but no rows; check how it was written."
    assert len(read_rows(write("a,b\n1,?\n"), missing=["?"])) == 1


def test_columns_are_chosen_and_ordered(write: Any) -> None:
    path = write("a,b,c\n1,x,2.5\n")
    assert list(read(path, columns=["c", "a", "c"])) == ["c", "a"]
    assert list(read(write("a,b\n"), columns=["b"])) == ["b"]


def test_a_cell_may_be_larger_than_a_block(write: Any) -> None:
    long = "x" * 10_000_000
    frame = read(write(f"a,b\n1,{long}\n2,y\n"))
    assert frame["b"].str.len().tolist() == [10_000_000, 1]
    quoted = "x\n" * 5_000_000
    assert read(write(f'a,b\n1,"{quoted}"\n2,y\n'))["b"][0] == quoted
    assert csv.field_size_limit() == 131072


def test_a_path_may_start_at_home(write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a\n1\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert read("~/calls.csv").shape == (1, 1)
    assert read(os.fspath(tmp_path / "calls.csv")).shape == (1, 1)


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
tables = st.integers(1, 4).flatmap(lambda width: st.lists(st.tuples(*[texts] * width), min_size=1, max_size=8))


@given(tables, st.sampled_from(",;\t|"))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_python_quotes_is_read_as_it_was(tmp_path: Path, rows: list[tuple[str, ...]], delimiter: str) -> None:
    path = tmp_path / "any.csv"
    names = [f"c{at}" for at in range(len(rows[0]))]
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter=delimiter, quoting=csv.QUOTE_ALL)
        # A word in every column makes it text; whatever stands beside it must then be kept as it is.
        writer.writerows([names, *rows, ["word"] * len(names)])
    frame = read(path)
    for at, name in enumerate(names):
        assert cells(frame[name]) == [row[at] or None for row in rows] + ["word"]


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), min_size=1), st.lists(st.floats(allow_nan=False)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_numbers_survive_the_way_through_a_file(tmp_path: Path, whole: list[int | None], real: list[float]) -> None:
    path = tmp_path / "any.csv"
    path.write_text("n,i\n" + "".join(f"0,{'' if number is None else number}\n" for number in whole))
    assert cells(read(path)["i"]) == whole
    path.write_text("n,x\n" + "".join(f"0,{number!r}\n" for number in real))
    assert read(path)["x"].tolist() == real


# --- broken text ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "the file is empty; it must have a header line with the column names."),
        ("\n\n", "the file is empty; it must have a header line with the column names."),
        (
            "a,,b\n1,2,3\n",
            "column 2 of 3 has no name in the header; name every column.",
        ),
        (
            ",a\n0,1\n",
            "column 1 of 2 has no name in the header; to leave out a pandas index, use to_csv(path, index=False).",
        ),
        ("a, ,b,\n1,2,3,4\n", "columns 2 and 4 of 4 have no name in the header; name every column."),
        ("a,b,a,b,c\n1,2,3,4,5\n", "the header repeats 'a' and 'b'; rename or drop the repeats."),
        ('"a,b\n1,2\n', "the header cannot be read (unexpected end of data); the first line must name the columns."),
        ("a,b,c\n1,2,3\n4,5\n6,7,8\n", "line 3 has 2 cells where the header names 3; complete or remove the line."),
        ("a,b,c\n1,2,3\n4\n", "line 3 has 1 cell where the header names 3; complete or remove the line."),
        (
            "a,b\n1,2\n3,4,5\n",
            "line 3 has 3 cells where the header names 2; put cells that contain the delimiter in quotation marks.",
        ),
        (
            "a\nHello\nHello, world\n",
            "line 3 has 2 cells where the header names 1; put cells that contain the delimiter in quotation marks.",
        ),
        (
            'a,b\n1,"x\ny"\n\n3\n5,6\n',
            "line 5 has 1 cell where the header names 2; complete or remove the line.",
        ),
        (
            "a,b,c\n1,2,3\n4,5",
            "line 3 has 2 cells where the header names 3, and the file ends there: it was "
            "cut short; download or write it again.",
        ),
        (
            "a,b,c\r\n1,2,3\r\n4",
            "line 3 has 1 cell where the header names 3, and the file ends there: it was "
            "cut short; download or write it again.",
        ),
        (
            "a,b,c\n1,2\n4,5,6",
            "line 2 has 2 cells where the header names 3; complete or remove the line.",
        ),
        (
            'a,b\n1,x\n2,"y\n3,z\n',
            "a quotation mark in line 3 is never closed; the file was cut short, or the mark must be doubled.",
        ),
        (
            'a,b\n1,x\n2,"y',
            "a quotation mark in line 3 is never closed; the file was cut short, or the mark must be doubled.",
        ),
        (
            'a,b\n1,"x\n2,y\n3,"z\n4,w\n',
            'line 2 has text after a closing quotation mark; write a quotation mark inside a quoted cell as "".',
        ),
        (
            b"a,b\n1,x\n2,M\xfcnchen\n",
            "line 3 is not UTF-8 (byte 4 of the line is 0xFC); "
            "save the text as UTF-8, or load it with pandas.read_csv(path, encoding='cp1252').",
        ),
        (
            b"gr\xf6\xdfe,b\r\n1,x\r\n",
            "line 1 is not UTF-8 (byte 3 of the line is 0xF6); "
            "save the text as UTF-8, or load it with pandas.read_csv(path, encoding='cp1252').",
        ),
        ("a,b\n1,2\n".encode("utf-16"), "the text is UTF-16, not UTF-8; save it as 'CSV UTF-8'."),
        (b"a,b\n1,\0\n", "this is not a text file (it contains null bytes); save the table as CSV or Parquet."),
        (
            b"PK\x03\x04 and so on",
            "this is a zip archive or an Excel workbook, not delimited text; save the table as CSV or Parquet.",
        ),
        (
            b"SQLite format 3\0",
            "this is an SQLite database, not delimited text; save the table as CSV or Parquet.",
        ),
        (b"\n<!DOCTYPE html>\n<html>", "this is an HTML page, not a table; name a CSV or Parquet file."),
        (b'<?xml version="1.0"?>', "this is an XML document, not a table; name a CSV or Parquet file."),
        (b'{"verdict": "trust"}', "this is JSON, not a table; name a CSV or Parquet file."),
        (b'[\n  {"a": 1}]', "this is JSON, not a table; name a CSV or Parquet file."),
    ],
)
def test_broken_text_is_refused_with_its_line(write: Any, content: str | bytes, sentence: str) -> None:
    assert refusal(write(content)) == f"calls.csv: {sentence}"
    if isinstance(content, str) and content:
        packed = write(gzip.compress(content.encode()), "calls.csv.gz")
        assert refusal(packed) == f"calls.csv.gz: {sentence}"


def test_the_broken_line_is_found_far_down(write: Any) -> None:
    lines = [b"a,b"] + [b"1,2"] * 200_000
    lines[150_000] = b"1,2,3"
    assert refusal(write(b"\n".join(lines))).startswith("calls.csv: line 150001 has 3 cells where the header names 2;")
    lines[150_000] = b"1,\xe9"
    assert refusal(write(b"\r\n".join(lines))).startswith("calls.csv: line 150001 is not UTF-8 (byte 3 of the line is")


@given(st.integers(0, 10_000))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_a_cut_file_never_loses_more_than_the_cut(tmp_path: Path, at: int) -> None:
    text = "a,b,c\n" + "".join(f'{row},"cell {row}\nof two lines",{row / 7}\n' for row in range(200))
    at = len("a,b,c\n") + at % (len(text) - len("a,b,c\n"))
    path = tmp_path / "cut.csv"
    path.write_text(text[:at])
    rest = text[:at].rpartition('lines",')[2] if at > len("a,b,c\n") else "\n"
    if re.fullmatch(r"[0-9.e-]*\n?", rest):  # the cut fell between two lines or within the last cell of one
        assert len(read(path)) == text[:at].count('lines",')
    else:
        with pytest.raises(FileError, match=r"cut\.csv: .*line \d+ "):
            read(path)


def test_two_readings_that_differ_are_not_believed(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write('a,b\n1,"x\ny"\n')
    monkeypatch.setattr("shiftproof.data._text._walk", lambda _: 2)
    assert refusal(path) == (
        "calls.csv: two readings of the text differ, with 1 and 2 rows; "
        "look for a misplaced quotation mark, or save the table as Parquet."
    )


def test_a_failure_that_no_line_explains_is_passed_on(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise pa.ArrowInvalid("no idea")

    path = write("a,b\n1,2\n")
    monkeypatch.setattr("shiftproof.data._text._arrow_cells", fail)
    assert refusal(path) == "calls.csv: the text cannot be read (no idea); save the table as Parquet."


# --- gzip ----------------------------------------------------------------------------------------


def test_gzip_of_one_or_more_members(write: Any) -> None:
    packed = gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4\n")
    assert read(write(packed, "calls.csv.gz"))["a"].tolist() == [1, 3]
    assert read(write(packed + b"\0" * 8, "padded.csv.gz"))["a"].tolist() == [1, 3]
    apart = gzip.compress(b"a,b\n1,2\n") + b"\0" * 8 + gzip.compress(b"3,4\n")
    assert read(write(apart, "apart.csv.gz"))["a"].tolist() == [1, 3]


@pytest.mark.parametrize("rest", [b"\0" + gzip.compress(b"2,1\n" * 40, mtime=0)[1:], b"\x1f", b"2,1\n", b"\0\0x"])
def test_a_gzip_that_goes_on_with_something_else_is_refused(write: Any, rest: bytes) -> None:
    assert refusal(write(gzip.compress(b"x,y\n" + b"1,1\n" * 60) + rest, "calls.csv.gz")) == (
        "calls.csv.gz: the gzip file is damaged after line 61 of its text (the rest is not gzip); "
        "download or write it again."
    )


def test_a_cut_gzip_is_refused_with_its_line(write: Any) -> None:
    rows = "".join(f"{row},{math.sqrt(row)!r}\n" for row in range(2000))
    packed = gzip.compress(("a,b\n" + rows).encode())
    sentence = refusal(write(packed[: len(packed) // 2], "calls.csv.gz"))
    found = re.fullmatch(
        r"calls\.csv\.gz: the gzip file was cut short, in line (\d+) of its text; "
        r"download or write it again\.",
        sentence,
    )
    assert found
    assert 500 < int(found[1]) < 1500
    assert "in line 2002 of its text" in refusal(write(packed[:-8], "calls.csv.gz"))  # all but the checksum


def test_a_damaged_gzip_is_refused(write: Any) -> None:
    packed = bytearray(gzip.compress(b"a,b\n1,2\n"))
    packed[-5] ^= 0xFF  # in the checksum
    sentence = refusal(write(bytes(packed), "calls.csv.gz"))
    assert sentence.startswith("calls.csv.gz: the gzip file is damaged (Error -3 while decompressing data: incorrect")
    assert sentence.endswith("); download or write it again.")


# --- Parquet -------------------------------------------------------------------------------------


def parquet_bytes(table: Any) -> bytes:
    stream = io.BytesIO()
    pq.write_table(table, stream)
    return stream.getvalue()


@pytest.mark.parametrize("name", ["calls.parquet", "calls.pq", "calls.csv", "calls"])
def test_parquet_is_known_by_its_contents(write: Any, name: str) -> None:
    frame = read(write(parquet_bytes(pa.table({"a": [1, 2], "b": ["x", None], "c": [0.5, None]})), name))
    assert frame["a"].tolist() == [1, 2]
    assert cells(frame["b"]) == ["x", None]
    assert cells(frame["c"]) == [0.5, None]


def test_packed_parquet_is_read_too(write: Any) -> None:
    packed = gzip.compress(parquet_bytes(pa.table({"a": [1]})))
    assert read(write(packed, "calls.parquet.gz"))["a"].tolist() == [1]


def test_columns_of_parquet_are_chosen_and_ordered(write: Any) -> None:
    path = write(parquet_bytes(pa.table({"a": [1], "b": [2], "c": [3]})), "calls.parquet")
    assert list(read(path, columns=["c", "a"])) == ["c", "a"]


@pytest.mark.parametrize(
    ("array", "kind", "expected"),
    [
        (pa.array([BIG, None]), "Int64", [BIG, None]),
        (pa.array([1, None]), "f", [1.0, None]),
        (pa.array([2**64 - 1, None], pa.uint64()), "UInt64", [2**64 - 1, None]),
        (pa.array([True, None]), "boolean", [True, None]),
        (pa.array([date(2024, 5, 1), None]), "M", [datetime(2024, 5, 1), None]),
        (pa.array([Decimal(BIG), Decimal(1)], pa.decimal128(38, 0)), "i", [BIG, 1]),
        (pa.array([Decimal("1.5"), None], pa.decimal128(38, 2)), "f", [1.5, None]),
        (pa.array([Decimal(10**30), Decimal(1)], pa.decimal128(38, 0)), "f", [1e30, 1.0]),
        (pa.array(["x", None]).dictionary_encode(), "category", ["x", None]),
        (pa.array([None, None], pa.int64()), "f", [None, None]),
    ],
)
def test_parquet_columns_become_ordinary_ones(write: Any, array: Any, kind: str, expected: list[Any]) -> None:
    column = read(write(parquet_bytes(pa.table({"c": array})), "calls.parquet"))["c"]
    assert cells(column) == expected
    assert kind in (column.dtype.kind, str(column.dtype))


def test_a_pandas_index_does_not_become_a_feature(write: Any, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": pd.array([BIG, None, 3], dtype="Int64"), "b": [1, 2, 3]}).iloc[[0, 2, 1]]
    frame.to_parquet(tmp_path / "calls.parquet")
    found = read(tmp_path / "calls.parquet")
    assert list(found) == ["a", "b"]
    assert cells(found["a"]) == [BIG, 3, None]
    assert found.index.tolist() == [0, 1, 2]
    assert read(tmp_path / "calls.parquet", columns=["__index_level_0__"]).to_numpy().tolist() == [[0], [2], [1]]


def test_a_pandas_index_with_a_name_stays_a_column(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": np.arange(200) % 60, "job": ["a", "b"] * 100, "x": 0.5})
    path = tmp_path / "calls.parquet"
    frame.set_index("age").to_parquet(path)
    assert read(path)["age"].tolist() == frame["age"].tolist()
    assert read(path, columns=["age"]).shape == (200, 1)
    frame.set_index(["age", "job"]).to_parquet(path)
    assert set(read(path)) == {"age", "job", "x"}


def test_cut_and_damaged_parquet_is_refused(write: Any) -> None:
    whole = parquet_bytes(pa.table({"a": np.random.default_rng(0).random(10_000)}))
    cut = "calls.parquet: the Parquet file is incomplete; download or write it again."
    for size in (4, 100, len(whole) // 2, len(whole) - 1):
        assert refusal(write(whole[:size], "calls.parquet")) == cut
    footer = bytearray(whole)
    footer[-30:-8] = b"\xff" * 22
    page = bytearray(whole)
    page[10:40] = b"\xff" * 30
    for damaged in (footer, page):
        sentence = refusal(write(bytes(damaged), "calls.parquet"))
        assert re.fullmatch(
            r"calls\.parquet: the Parquet file is damaged \(.*\); download or write it again\.", sentence
        )


def test_what_is_called_parquet_and_is_not_is_refused(write: Any) -> None:
    assert refusal(write("a,b\n1,2\n", "calls.parquet")) == (
        "calls.parquet: this is not a Parquet file: it starts with 'a,b\\n'; "
        "write it again, or rename it if it is a CSV file."
    )
    assert refusal(write("", "calls.pq")) == (
        "calls.pq: the file is empty; write it again, or rename it if it is a CSV file."
    )


def test_repeated_names_in_parquet_are_refused(write: Any) -> None:
    table = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    assert refusal(write(parquet_bytes(table), "calls.parquet")) == (
        "calls.parquet: the header repeats 'a'; rename or drop the repeats."
    )


# --- paths and columns ---------------------------------------------------------------------------


def test_a_missing_file_is_refused_with_its_neighbours(write: Any, tmp_path: Path) -> None:
    assert refusal(tmp_path / "clls.csv") == "clls.csv: there is no such file; the folder contains no tables."
    write("a\n1\n")
    write("a\n1\n", "other.parquet")
    write("<p>", "report.html")
    write("a\n1\n", ".hidden")
    assert refusal(tmp_path / "clls.csv") == "clls.csv: there is no such file. Did you mean 'calls.csv'?"
    assert refusal(tmp_path / "cal.csv") == "cal.csv: there is no such file. Did you mean 'calls.csv'?"
    assert refusal(tmp_path / "ball.csv") == (
        "ball.csv: there is no such file; the folder contains 'calls.csv' and 'other.parquet'."
    )
    assert refusal(tmp_path / "x") == "x: there is no such file; the folder contains 'calls.csv' and 'other.parquet'."
    missing = tmp_path / "nowhere" / "calls.csv"
    assert refusal(missing) == f"calls.csv: the folder {str(missing.parent)!r} does not exist; check the path."


def test_a_folder_is_refused(write: Any, tmp_path: Path) -> None:
    assert refusal(tmp_path) == f"{tmp_path.name}: this folder has no CSV or Parquet files; check the path."
    write("a\n1\n")
    assert refusal(tmp_path) == f"{tmp_path.name}: this is a folder; name one of its files, such as 'calls.csv'."


def test_a_file_that_cannot_be_opened_is_refused(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(*_: Any, **__: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    path = write("a\n1\n")
    monkeypatch.setattr(Path, "open", deny)
    assert refusal(path) == "calls.csv: the file cannot be opened (Permission denied); check its permissions."


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        (5, "path must be the path of a file, got 5; write it as text, such as 'calls.csv'."),
        ([], "path must be the path of a file, got []; write it as text, such as 'calls.csv'."),
        (
            "https://example.org/calls.csv",
            "https://example.org/calls.csv: this is a URL, not a file; download the table first.",
        ),
        (
            "postgresql://me@db.example.org/calls",
            "postgresql://me@db.example.org/calls: tables are read from files and DuckDB, and only the store of a "
            "monitor can be in PostgreSQL; write the table to a file first.",
        ),
    ],
)
def test_what_is_no_path_is_refused(path: Any, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        read(path)
    assert str(error.value) == sentence


def test_unknown_columns_are_refused(write: Any) -> None:
    packed = write(parquet_bytes(pa.table({"age": [1], "job": ["x"]})), "calls.parquet")
    for path in (write("age,job\n1,x\n"), packed):
        name = path.name
        assert refusal(path, columns=["job", "aeg"]) == f"{name}: there is no column 'aeg'. Did you mean 'age'?"
        assert refusal(path, columns=["z"]) == f"{name}: there is no column 'z'; available: 'age', 'job'."


def test_columns_must_be_a_list_of_some(write: Any) -> None:
    path = write("age\n1\n")
    with pytest.raises(InputError) as error:
        read(path, columns="age")
    assert str(error.value) == "columns must be a list of names, got 'age'; write columns=['age']."
    with pytest.raises(InputError) as error:
        read(path, columns=[])
    assert str(error.value) == "columns must name at least one column, got none; leave it out to get all."


def test_missing_must_be_a_list_of_texts(write: Any) -> None:
    path, number = write("age\n1\n"), 5
    with pytest.raises(InputError) as error:
        read(path, missing=number)  # type: ignore[arg-type]
    assert str(error.value) == "missing must be a list of texts, got 5; write missing=['?']."


# --- real and large ------------------------------------------------------------------------------


def test_real_files_are_read_as_pandas_reads_them(shared_data: Path) -> None:
    for path in sorted(shared_data.glob("*.csv*")):
        # pandas takes the text None for missing, which is a category such as "not measured" in one of the files.
        found, expected = read(path), pd.read_csv(path, keep_default_na=False, na_values=list(MISSING_WORDS))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # older pandas: None in one, NaN in the other
            pd.testing.assert_frame_equal(found, expected, check_dtype=False, obj=path.name)
        assert [found[name].dtype.kind for name in found] == [expected[name].dtype.kind for name in expected]


def test_a_million_rows(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    n_rows = 1_000_000
    path = tmp_path / "large.csv"
    chunk = pd.DataFrame(
        {
            "x": generator.normal(size=n_rows // 10),
            "i": generator.integers(0, 1000, n_rows // 10),
            "c": generator.choice(["red", "green"], n_rows // 10),
            "t": pd.Timestamp("2024-01-01") + pd.to_timedelta(generator.integers(0, 10**7, n_rows // 10), unit="s"),
        }
    )
    text = chunk.to_csv(index=False).encode()
    header, _, body = text.partition(b"\n")
    path.write_bytes(header + b"\n" + body * 10)
    frame = read(path)
    assert frame.shape == (n_rows, 4)
    assert [frame[name].dtype.kind for name in "xit"] == ["f", "i", "M"]


def test_read_takes_a_pipe_once(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    frame.to_parquet(tmp_path / "rows.parquet")
    contents = [b"a,b\n1,x\n2,y\n", gzip.compress(b"a,b\n1,x\n2,y\n"), (tmp_path / "rows.parquet").read_bytes()]
    for number, content in enumerate(contents):
        pipe = tmp_path / f"pipe{number}"
        os.mkfifo(pipe)
        with ThreadPoolExecutor(1) as writer:
            written = writer.submit(pipe.write_bytes, content)
            assert read(pipe).to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}
            written.result()


# --- marks for missing values --------------------------------------------------------------------


def test_marks_among_numbers_are_named_with_the_way_out(write: Any) -> None:
    path = write('age,job,day\n1,?,2024-05-01\n?,b,-\n"?",c,2024-05-02\n')
    with pytest.warns(MarksReadAsText) as caught:
        frame = read(path)
    assert str(caught[0].message) == (
        f"{path}: columns were read as text because of some cells: 'age' ('?' in 2 rows), "
        "'day' ('-' in 1 row); pass missing=['?', '-'] if these marks mean missing."
    )
    assert caught[0].message.marks == {"age": {"?": 2}, "day": {"-": 1}}  # type: ignore[union-attr]
    assert frame["age"].tolist() == ["1", "?", "?"]


def test_dates_that_are_read_as_categories_are_named(write: Any) -> None:
    path = write("arrived,left\n31/12/2016,2016-12-31\n01/01/2017,2017-01-01\n")
    with pytest.warns(DatesReadAsText) as caught:
        frame = read(path)
    assert [str(warning.message) for warning in caught] == [
        f"{path}: 'arrived' (day/month/year) looks like dates but was read as categories; write dates as 2016-12-31, "
        "or leave the column out."
    ]
    assert frame["arrived"].tolist() == ["31/12/2016", "01/01/2017"]


@pytest.mark.parametrize("packed", [False, True])
def test_marks_that_mean_missing_are_missing_in_every_column(write: Any, packed: bool) -> None:
    content = b'age,job\n1,?\n ? ,b\n"?",c\n'
    frame = read(write(gzip.compress(content) if packed else content), missing=["?"])
    assert cells(frame["age"]) == [1.0, None, None]
    assert cells(frame["job"]) == [None, "b", "c"]


def test_marks_are_missing_in_parquet_as_well(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": ["1", "?"], "b": [1, 2]}), tmp_path / "x.parquet")
    assert cells(read(tmp_path / "x.parquet", missing=["?"])["a"]) == ["1", None]


def test_missing_must_be_a_list(write: Any) -> None:
    with pytest.raises(InputError) as error:
        read(write("a\n1\n"), missing="?")
    assert str(error.value) == "missing must be a list of texts, got '?'; write missing=['?']."


def test_read_refuses_a_settings_file(tmp_path: Path) -> None:
    file = tmp_path / "shiftproof.toml"
    file.write_text("level = 0.9\n[audit]\nquick = true\n")
    with pytest.raises(FileError, match="this is a TOML file, not a table; give a CSV or Parquet file"):
        read(file)
