"""Tables are written as texts, so that their digits are the same everywhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from shiftproof.experiments._report import PaperFigure, PaperTable, Reproduction, as_markdown, read_table


def example() -> PaperTable:
    frame = pd.DataFrame({"set": ["a|b", "c"], "value": [0.12345, -0.00001], "n": [1, 2], "more": [float("nan"), 1.0]})
    return PaperTable(name="t", title="A table", frame=frame, digits=2)


def test_cells_are_texts_with_the_digits_asked_for() -> None:
    assert example().rows == [["set", "value", "n", "more"], ["a|b", "0.12", "1", "–"], ["c", "0.00", "2", "1.00"]]
    assert example().to_csv() == "set,value,n,more\na|b,0.12,1,–\nc,0.00,2,1.00\n"


def test_markdown_of_the_file_is_markdown_of_the_table(tmp_path: Path) -> None:
    Reproduction(title="T", tables=[example()]).write(tmp_path)
    assert as_markdown(read_table(tmp_path / "t.csv")) == as_markdown(example().rows)
    assert (tmp_path / "tables.md").read_text(encoding="utf-8") == (
        "# T\n\n## A table\n\n| set | value | n | more |\n|---|---|---|---|\n| a\\|b | 0.12 | 1 | – |\n"
        "| c | 0.00 | 2 | 1.00 |\n"
    )


def test_figures_are_the_same_bytes_and_old_ones_are_removed(tmp_path: Path) -> None:
    def draw() -> object:
        from shiftproof.plots import lift_lines

        return lift_lines({"model": (np.array([0.0, 1.0]), np.array([1.0, 1.0]))})

    (tmp_path / "old.svg").write_text("")
    made = Reproduction(title="T", tables=[], figures=[PaperFigure(name="f", title="F", draw=draw)])
    made.write(tmp_path)
    first = (tmp_path / "f.svg").read_bytes()
    made.write(tmp_path)
    assert (tmp_path / "f.svg").read_bytes() == first
    assert not (tmp_path / "old.svg").exists()
