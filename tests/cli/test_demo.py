from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import matplotlib.pyplot as plt

from shiftproof.data import load_demo

Command = Callable[..., tuple[int, str, str]]


def test_the_demo_shows_a_verdict_and_writes_a_page_and_a_figure(command: Command, tmp_path: Path) -> None:
    code, out, err = command("demo", "--out", tmp_path / "bank")
    assert (code, err) == (0, "")
    assert sorted(file.name for file in (tmp_path / "bank").iterdir()) == ["features.png", "report.html"]
    assert (tmp_path / "bank" / "features.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "bank" / "report.html").read_text(encoding="utf-8")
    assert "<strong>The data have shifted</strong>" in page
    lines = out.splitlines()
    assert lines[1] == "calls of 2009. What they promise by cross-validation, and what came in 2010:"
    promised = re.findall(r"^(\w+) +(0\.\d{3}) \[.*?\] (0\.\d{3}) ", out, flags=re.MULTILINE)
    assert len(promised) == 7
    assert all(float(claim) > float(truth) + 0.15 for _, claim, truth in promised)
    assert "What cross-validation promised, and what came" in page
    verdict = next(line for line in lines if line.startswith("SHIFTED"))
    assert "The scores of 7 of 7 models shifted" in verdict
    assert "and 12 of 15 features did by enough to matter; 'month' changed most" in verdict
    assert "kind of shift: Out of reach" in out
    assert "Scores first" in page
    assert lines[-2:] == [f"report: {tmp_path}/bank/report.html", f"figure: {tmp_path}/bank/features.png"]
    named = re.findall(r"^(\w+) +(?:nominal|continuous) ", out, flags=re.MULTILINE)
    assert sorted([*named, "label"]) == sorted(load_demo(year=2009).columns)
    assert plt.get_fignums() == []


def test_by_default_a_folder_of_its_own_is_made(command: Command) -> None:
    assert "The folder for the page and the figure. [default: shiftproof-demo]" in command("demo", "--help")[1]


def test_a_file_is_no_folder(command: Command, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a\n1\n")
    code, out, err = command("demo", "--out", tmp_path / "rows.csv")
    assert (code, out) == (2, "")
    assert (
        err == f"shiftproof: --out must be a folder, got the file {str(tmp_path / 'rows.csv')!r}; name another place.\n"
    )
