from __future__ import annotations

import pyarrow as pa
import pytest

from shiftproof.data._cells import typed


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
