"""Two files, or one that is cut in time; lines of a file; standard input."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from shiftproof.cli._cut import Cut, line_numbers, read_file
from shiftproof.core import FileError, InputError

LATER = Cut(time="t", split="2010")


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    days = ["2010-03-01", "2009-12-31", "2010-01-01", "2008-05-01"]
    rows = pd.DataFrame(
        {"t": days, "n": [3, 1, 2, 0], "word": list("abcd"), "x": [0.3, 0.1, 0.2, 0.0], "y": list("pqpq")}
    )
    rows.to_csv("rows.csv", index=False)
    rows.assign(t=rows["t"] + "T12:00:00Z").to_csv("zoned.csv", index=False)
    rows.assign(t=rows["t"].where(rows["n"] > 0)).to_csv("gaps.csv", index=False)
    rows.head(0).to_csv("empty.csv", index=False)


def cut(split: str | None, time: str | None = "t", file: str = "rows.csv") -> tuple[list[float], list[float]]:
    pair = Cut(time=time, split=split).read(Path(file), None, target="y")
    return pair.old["x"].tolist(), pair.new["x"].tolist()


@pytest.mark.parametrize("split", ["2010", "2010-01", "2010-01-01", "2010-01-01T00:00", "2010-01-01 00:00:00"])
@pytest.mark.parametrize("file", ["rows.csv", "zoned.csv"])
def test_rows_from_the_split_on_are_new(split: str, file: str) -> None:
    assert cut(split, file=file) == ([0.1, 0.0], [0.3, 0.2])


def test_a_zone_in_the_split_alone_is_no_matter() -> None:
    assert cut("2010-01-01T00:00:00Z") == ([0.1, 0.0], [0.3, 0.2])


def test_numbers_are_cut_by_a_number() -> None:
    assert cut("1.5", "n") == ([0.1, 0.0], [0.3, 0.2])


def test_the_column_leaves_and_the_places_stay() -> None:
    pair = LATER.read(Path("rows.csv"), None)
    assert list(pair.new.columns) == ["n", "word", "x", "y"]
    assert (pair.file, pair.places.tolist() if pair.places is not None else None) == (Path("rows.csv"), [0, 2])
    kept = LATER.read(Path("rows.csv"), None, keep="t")
    assert list(kept.old.columns) == ["t", "n", "word", "x", "y"]


def test_two_files() -> None:
    pair = Cut().read(Path("rows.csv"), Path("gaps.csv"))
    assert (len(pair.old), len(pair.new), pair.file, pair.places) == (4, 4, Path("gaps.csv"), None)


@pytest.mark.parametrize(
    ("time", "split", "sentence"),
    [
        ("t", "next year", "--split must be a date such as 2010-01-31, got 'next year'; 't' runs from 2008-05-01 to "
         "2010-03-01."),
        ("t", "2010-13-01", "--split must be a date such as 2010-01-31, got '2010-13-01'; 't' runs from 2008-05-01 to "
         "2010-03-01."),
        ("t", "2010-02-30", "--split must be a date such as 2010-01-31, got '2010-02-30'; 't' runs from 2008-05-01 to "
         "2010-03-01."),
        ("t", "2000-01-01", "--split 2000-01-01 leaves no labelled rows, because no row is before it; 't' runs from "
         "2008-05-01 to 2010-03-01."),
        ("t", "2020-01-01", "--split 2020-01-01 leaves no new rows, because all rows are before it; 't' runs from "
         "2008-05-01 to "
         "2010-03-01."),
        ("n", "2010-01-01", "--split must be a number, because --time holds numbers, got '2010-01-01'; 'n' runs "
         "from 0 to "
         "3."),
        ("n", "nan", "--split nan leaves no new rows, because all rows are before it; 'n' runs from 0 to 3."),
        ("word", "b", "--time must name a column of dates or numbers, but 'word' holds values such as 'a'; write "
         "dates as 2010-01-31."),
        ("day", "2010", "--time must name a column, got 'day'; available: 't', 'n', 'word', 'x', 'y'."),
        ("y", "2010", "--time must be a different column from --target, got 'y'; name the column of dates."),
        (None, "2010", "--split needs --time; name the column to split by."),
        ("t", None, "--time needs --split; give the date or number to split at."),
        (None, None, "NEW is missing; name the file of new rows, or split one file with --time and --split."),
    ],
)  # fmt: skip
def test_cuts_that_cannot_be_made(time: str | None, split: str | None, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        cut(split, time)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        (
            "gaps.csv",
            "column 't', which --time names, is empty in 1 of 4 rows; drop these rows first.",
        ),
        ("empty.csv", "empty.csv: the file has a header but no rows; check how it was written."),
    ],
)
def test_files_that_cannot_be_cut(file: str, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        cut("2010", file=file)
    assert str(error.value) == sentence


def test_two_files_and_a_split() -> None:
    with pytest.raises(InputError) as error:
        LATER.read(Path("rows.csv"), Path("gaps.csv"))
    assert str(error.value) == (
        "NEW must be left out with --split, got 'gaps.csv'; give one file with --split, or two files without it."
    )


def test_line_numbers_count_lines_as_editors_do(tmp_path: Path) -> None:
    text = 'a,b\n1,"two\nlines"\n\n2,x\n3,"a ""quoted"" word"\n'
    file = tmp_path / "new.csv"
    file.write_text(text)
    assert line_numbers(file, 3) == [2, 5, 6]
    assert line_numbers(file, 4) is None
    packed = tmp_path / "new.csv.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert line_numbers(packed, 3) == [2, 5, 6]


def test_line_numbers_of_parquet_are_unknown(tmp_path: Path) -> None:
    file = tmp_path / "new.parquet"
    pd.DataFrame({"a": [1, 2]}).to_parquet(file)
    assert line_numbers(file, 2) is None


def test_line_numbers_of_a_pipe_are_unknown(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert line_numbers(tmp_path / "pipe", 2) is None


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "shiftproof.data.read_rows", lambda path, **settings: pd.DataFrame({"call": [(path, settings)]})
    )
    given: dict[str, Any] = {"missing": None, "most_columns": None}
    assert read_file(Path("-"))["call"].tolist() == [("/dev/stdin", given)]
    given = {"missing": ["?"], "most_columns": 9}
    assert read_file(Path("a.csv"), ["?"], most_columns=9)["call"].tolist() == [(Path("a.csv"), given)]


def test_errors_about_standard_input_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: str, **_: object) -> None:
        raise FileError(path, "the file is empty")

    monkeypatch.setattr("shiftproof.data.read_rows", refuse)
    with pytest.raises(FileError, match=r"^standard input: the file is empty\.$"):
        read_file(Path("-"))


def test_standard_input_cannot_be_both_files() -> None:
    with pytest.raises(InputError) as caught:
        Cut().read(Path("-"), Path("-"))
    assert (
        str(caught.value)
        == "NEW must be a different file from LABELLED, got '-' twice; standard input can be read only once."
    )
