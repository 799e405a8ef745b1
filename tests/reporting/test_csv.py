from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftproof import read
from shiftproof.reporting import inert_cell, write_csv, written_cell, written_frame

FORMULAS = [
    "=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1+1", "\uff0b1", "\uff0dA1", "\uff20SUM(1)",
    " =1", "\u00a0=1", "\ufeff=1", "\n\uff1d1", "'=1", "''-A1",
]  # fmt: skip


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_is_a_formula(text: str) -> None:
    assert inert_cell(text) == f"'{text}"
    assert written_cell(f"'{text}") == text


def test_numbers_times_and_other_texts_stay_what_they_are() -> None:
    same = [-0.5, "-0.5", "+1e-3", "-7", "a=b", "o'neill", "'quoted'", "", "a-b"]
    assert [inert_cell(one) for one in same] == [written_cell(one) for one in same] == same
    assert [inert_cell(one) for one in (None, float("nan"), pd.NaT, pd.NA, np.datetime64("NaT"))] == [""] * 5
    assert inert_cell(datetime(2024, 3, 1, tzinfo=UTC)) == "2024-03-01T00:00:00+00:00"


@given(st.text(alphabet="'=+-@ \t\n\uff1d1a") | st.text())
def test_every_text_is_read_back(text: str) -> None:
    assert written_cell(inert_cell(text)) == text


def test_a_file_is_inert_and_read_back(tmp_path: Path) -> None:
    frame = pd.DataFrame({"=HYPERLINK(1)": FORMULAS, "n": [-1.5] * len(FORMULAS), "@": range(len(FORMULAS))})
    path = write_csv(tmp_path / "rows.csv", frame)
    lines = [*csv.reader(io.StringIO(path.read_bytes().decode(), newline=""))]
    assert lines[0] == ["'=HYPERLINK(1)", "n", "'@"]
    assert [line[1] for line in lines[1:]] == ["-1.5"] * len(FORMULAS)
    pd.testing.assert_frame_equal(written_frame(read(path)), frame, check_dtype=False)
