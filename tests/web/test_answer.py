from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime

from shiftproof.web._answer import PageAnswer


def answer(**fields: object) -> PageAnswer:
    known = {"template": "error.html.j2", "title": "", "values": {}, "data": dict, "columns": ("a",), "rows": ()}
    return PageAnswer(**(known | fields))  # type: ignore[arg-type]


def test_json_is_json_whatever_it_holds() -> None:
    data = {"nan": float("nan"), "at": datetime(2024, 3, 1, tzinfo=UTC), "lone": "\ud800", "name": "ü"}
    assert json.loads(answer(data=lambda: data).json())["nan"] is None


def test_csv_comes_in_parts_and_is_whole() -> None:
    rows = [(number,) for number in range(1201)]
    parts = [*answer(rows=rows).csv()]
    assert len(parts) == 3
    read = [*csv.reader(io.StringIO(b"".join(parts).decode()))]
    assert read == [["a"], *([str(number)] for number in range(1201))]


def test_no_cell_or_header_is_a_formula() -> None:
    text = b"".join(answer(columns=("=HYPERLINK(1)", "b"), rows=[("\n@SUM(1)", -0.5)]).csv()).decode()
    assert [*csv.reader(io.StringIO(text, newline=""))] == [["'=HYPERLINK(1)", "b"], ["'\n@SUM(1)", "-0.5"]]
