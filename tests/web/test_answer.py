from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime

import pytest

from shiftproof.web._answer import PageAnswer, inert_cell


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


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_cell_is_a_formula(name: str) -> None:
    assert str(inert_cell(name)).startswith("'")


def test_numbers_and_times_stay_what_they_are() -> None:
    assert [inert_cell(one) for one in (-0.5, None, "a=b", float("nan"))] == [-0.5, None, "a=b", ""]
    assert inert_cell(datetime(2024, 3, 1, tzinfo=UTC)) == "2024-03-01T00:00:00+00:00"
