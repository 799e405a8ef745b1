from __future__ import annotations

import pyarrow as pa
import pytest

from shiftproof.data._cells import date_order, marks_among_numbers, typed, without_marks


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["7", None], "int64"),
        (["07", "8"], "string"),
        (["1", "2.5"], "double"),
        (["18446744073709551615"], "uint64"),
        (["true", "False"], "bool"),
        (["yes", "1"], "string"),
    ],
)
def test_typed_gives_the_narrowest_type_of_all_cells(cells: list[str | None], expected: str) -> None:
    assert str(typed(pa.chunked_array([cells])).type) == expected


def test_typed_reads_decimal_commas_only_if_told_to() -> None:
    cells = pa.chunked_array([["1,5", "2"]])
    assert typed(cells, decimal_comma=True).to_pylist() == [1.5, 2.0]
    assert typed(cells).to_pylist() == ["1,5", "2"]


@pytest.mark.parametrize(
    ("cells", "marks"),
    [
        (["1", "?", "2", None, "?"], {"?": 2}),
        (["1.5", "-", " . ", "2"], {"-": 1, ".": 1}),
        (["1", "Unknown", "N.A.", "#DIV/0!"], {"Unknown": 1, "N.A.": 1, "#DIV/0!": 1}),
        (["2024-05-01", "--", None], {"--": 1}),
        (["1", "n/a?", "Unknown!"], {"n/a?": 1, "Unknown!": 1}),
        (["1", "?", "abc"], {}),  # other cells are text as well
        (["a", "?", "b"], {}),
        (["01", "?", "02"], {}),  # codes
        (["?", None], {}),
        (["x1", "1x", "?"], {}),
    ],
)
def test_marks_among_numbers_are_found_only_where_nothing_else_is_text(
    cells: list[str | None], marks: dict[str, int]
) -> None:
    assert marks_among_numbers(pa.chunked_array([pa.array(cells, pa.string())])) == marks


@pytest.mark.parametrize(
    ("cells", "order"),
    [
        (["31/12/2016", "1/1/2017", None], "day/month/year"),
        (["31.12.2016", " 01.01.2017 "], "day/month/year"),
        (["31-12-2016 14:30", "01-01-2017 09:00:00"], "day/month/year"),
        (["12/31/16", "1/1/17"], "month/day/year"),
        (["1/2/2016", "3/4/2016"], "day/month/year or month/day/year"),
        (["2016/12/31", "2017/1/1"], "year/month/day"),
        (["2016/31/12"], ""),
        (["31/31/2016"], ""),
        (["32/1/2016"], ""),
        (["0/1/2016"], ""),
        (["1.2.16", "1.3.16"], ""),  # versions
        (["31/12/2016", "soon"], ""),
        (["a", "b"], ""),
        ([None, None], ""),
    ],
)
def test_date_order_is_that_of_all_cells(cells: list[str | None], order: str) -> None:
    assert date_order(pa.chunked_array([pa.array(cells, pa.string())])) == order


def test_date_order_looks_at_every_cell_of_a_long_column() -> None:
    cells = ["1/2/2016"] * 2_000
    cells[701] = "later"
    assert date_order(pa.chunked_array([cells])) == ""
    cells[701] = "13/2/2016"
    assert date_order(pa.chunked_array([cells])) == "day/month/year"


def test_marks_among_numbers_knows_decimal_commas() -> None:
    cells = pa.chunked_array([["1,5", "?", "2"]])
    assert marks_among_numbers(cells, decimal_comma=True) == {"?": 1}
    assert marks_among_numbers(cells) == {}


def test_without_marks_leaves_other_types_alone() -> None:
    numbers = pa.chunked_array([[1, 2]])
    assert without_marks(numbers, ["1"]) is numbers
    large = pa.chunked_array([pa.array(["?", "a"], pa.large_string())])
    assert without_marks(large, ["?"]).to_pylist() == [None, "a"]
