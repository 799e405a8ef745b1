"""Classes in sentences of a monitor."""

from __future__ import annotations

import pytest

from shiftproof.monitoring._class_names import class_name


@pytest.mark.parametrize(
    ("label", "written"),
    [("no", "'no'"), ("0", "0"), ("-1", "-1"), ("2.5", "2.5"), ("1.2.3", "'1.2.3'"), ("False", "False"), ("", "''")],
)
def test_text_has_quotation_marks_and_numbers_have_none(label: str, written: str) -> None:
    assert class_name(label) == written
