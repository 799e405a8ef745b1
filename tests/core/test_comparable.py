from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest

from shiftproof.core import Column, InputError, Nature, as_table, check_comparable, comparable, nature

DAY = datetime(2024, 5, 1)


def column(cells: Any) -> Column:
    return as_table({"c": cells}).column("c")


def refusal(before: Any, after: Any, **options: Any) -> str:
    with pytest.raises(InputError) as error:
        check_comparable("column 'c'", before, after, **options)
    return str(error.value)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([None, 2.5], Nature("number", "number", False, "2.5")),
        ([None] * 200 + [3], Nature("number", "number", False, "3")),
        ([None], Nature("empty", "empty", False, "")),
        (np.array([np.nan]), Nature("number", "empty", False, "")),
        ([1, "n/a"], Nature("mixed", "mixed", False, "'n/a'")),
        ([date(2024, 5, 1)], Nature("date", "date", False, "2024-05-01")),
        ([DAY.replace(tzinfo=UTC)], Nature("date", "date", True, "2024-05-01 00:00:00+00:00")),
        (np.array(["30000-01-01"], "M8[D]"), Nature("date", "date", False, "30000-01-01T00:00:00.000000")),
        (pd.Series([1, 2], dtype="category"), Nature("category", "number", False, "1")),
        (pd.Series([True], dtype="category"), Nature("category", "boolean", False, "True")),
        (pd.Series(["a"], dtype="category"), Nature("category", "text", False, "'a'")),
        ([[1]], Nature("unsupported", "unsupported", False, "[1]")),
        ([10**5000, "a"], Nature("mixed", "mixed", False, "'a'")),
    ],
)
def test_the_nature_of_a_column(cells: Any, expected: Nature) -> None:
    assert nature(column(cells)) == expected


@pytest.mark.parametrize(
    ("before", "after", "by_order", "as_categories"),
    [
        ([1, 2], [1.5], True, True),
        ([1, 2], [True], False, True),
        ([1, 2], [1, "a"], False, True),
        ([1, 2], ["a"], False, False),
        ([1, 2], [DAY], False, False),
        ([1, 2], [timedelta(1)], False, False),
        ([DAY], [date(2024, 5, 1)], True, True),
        ([DAY], [DAY.replace(tzinfo=UTC)], False, False),
        (["a"], pd.Series(["a"], dtype="category"), False, True),
        ([1], pd.Series([1], dtype="category"), False, True),
        ([1], [None], True, True),
        ([None], ["a"], True, True),
    ],
)
def test_comparable_by_order_and_as_categories(before: Any, after: Any, by_order: bool, as_categories: bool) -> None:
    for old, new in ((column(before), column(after)), (column(after), column(before))):
        for kept in (old, nature(old)):
            for nominal, expected in ((False, by_order), (True, as_categories)):
                assert comparable(kept, new, nominal=nominal) is expected
                if expected:
                    check_comparable("column 'c'", kept, new, nominal=nominal)
                else:
                    assert refusal(kept, new, nominal=nominal).endswith(
                        ("convert one of them.", "convert both to UTC.")
                    )


def test_the_sentence_of_a_clash() -> None:
    old, new = column([41, 42]), column(["43", "n/a"])
    assert refusal(old, new) == (
        "column 'c' holds numbers in the reference (such as 41) and text in the current table (such as 'n/a'); "
        "if 'n/a' means missing, read the files with missing=['n/a']; otherwise convert one of them."
    )
    assert refusal(nature(old), nature(new), way_out="leave it", current="the batch") == (
        "column 'c' holds numbers in the reference (such as 41) and text in the batch (such as '43'); "
        "convert one of them, or leave it."
    )
    assert "text in the reference (such as '7')" in refusal(column(["7"]), old)  # every cell is a number


def test_the_sentence_of_time_zones() -> None:
    naive, aware = column([DAY]), column([DAY.replace(tzinfo=UTC)])
    assert refusal(naive, aware, current="the batch") == (
        "column 'c' has a time zone in one table only, in the batch and not in the reference "
        "(such as 2024-05-01 00:00:00 against 2024-05-01 00:00:00+00:00); convert both to UTC."
    )
