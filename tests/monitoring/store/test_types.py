from __future__ import annotations

import math

import pytest
from sqlalchemy import Dialect, make_url

from shiftproof.monitoring.store._schema import metadata
from shiftproof.monitoring.store._types import Float, Integer, Text


def dialect(name: str) -> Dialect:
    made: Dialect = make_url(f"{name}://").get_dialect()()
    return made


@pytest.mark.parametrize(
    ("written", "read"), [(math.nan, None), (None, None), (0.5, 0.5), (math.inf, math.inf), (2, 2.0)]
)
def test_float_writes_nan_as_unknown(written: float | None, read: float | None) -> None:
    assert Float().process_bind_param(written, dialect("sqlite")) == read


def test_whole_numbers_are_large_and_names_sort_by_their_characters_everywhere() -> None:
    server, file = dialect("postgresql"), dialect("sqlite")
    assert [kind.compile(dialect=file) for kind in (Integer, Text)] == ["INTEGER", "TEXT"]
    assert [kind.compile(dialect=server) for kind in (Integer, Text)] == ["BIGINT", 'TEXT COLLATE "C"']


def test_tables_have_no_other_numbers_and_texts() -> None:
    server = dialect("postgresql")
    kinds = {column.type.compile(dialect=server) for table in metadata.tables.values() for column in table.c}
    assert kinds <= {"BIGINT", "BOOLEAN", "BYTEA", "FLOAT", "JSON", 'TEXT COLLATE "C"'}
