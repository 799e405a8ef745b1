from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from shiftproof.cli._demo_acts import TITLES
from shiftproof.data import load_demo

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let one model and some calls of each year do, which show the same in less time."""

    def few(*, year: int) -> pd.DataFrame:
        return load_demo(year=year).sample(600, random_state=0).reset_index(drop=True)

    monkeypatch.setattr("shiftproof.data.load_demo", few)
    monkeypatch.setattr("shiftproof.cli._demo_acts.MODELS", ("lr",))
    monkeypatch.setenv("COLUMNS", "80")


def test_demo_shows_three_acts_and_says_where_the_report_is(command: Command, tmp_path: Path) -> None:
    code, out, err = command("demo", "--out", tmp_path / "bank", "--json", tmp_path / "acts.json")
    assert code == 0
    assert err == f"page: {tmp_path}/bank/report.html\nchart: {tmp_path}/bank/acts.svg\n"
    assert sorted(file.name for file in (tmp_path / "bank").iterdir()) == ["acts.svg", "report.html"]
    page = (tmp_path / "bank" / "report.html").read_text(encoding="utf-8")
    assert "A bank&#39;s calls from 2010: customers with a high balance" in page
    lines = out.splitlines()
    assert len(lines) < 45
    assert max(map(len, lines)) <= 80
    questions = [lines[number + 1] for number, line in enumerate(lines) if line[:3] in ("1. ", "2. ", "3. ")]
    assert questions == [
        "Trained on customers with a low balance: how accurate is lr on the others?",
        "Trained on the calls from 2009: how accurate is lr on those from 2010?",
        "Label 100 calls from 2010 that shiftproof picks. How accurate is lr now?",
    ]
    written = json.loads((tmp_path / "acts.json").read_text(), parse_constant=pytest.fail)
    assert [act["title"] for act in written["acts"]][2] == "It tells you what to do"
    assert [len(act["labels"]) for act in written["acts"]] == [0, 0, 100]
    assert written["audit"]["verification"]["n_new"] == written["acts"][0]["performance"]["n_new"]
    # The chart and the text come from one run.
    chart = (tmp_path / "bank" / "acts.svg").read_text(encoding="utf-8")
    assert all(f"{act['actual']:.1%}" in chart and f"{act['actual']:.1%}" in out for act in written["acts"])
    assert plt.get_fignums() == []


def test_demo_without_a_shift_is_one_act(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = command("demo", "--no-shift", "--seed", "1", "--json", "-")
    assert code == 0
    assert err == "page: shiftproof-demo/report.html\nchart: shiftproof-demo/acts.svg\n"
    written: dict[str, Any] = json.loads(out, parse_constant=pytest.fail)
    assert (written["seed"], len(written["acts"])) == (1, 1)
    assert written["acts"][0]["performance"]["n_new"] == 300
    titles = {"It refuses"} if written["acts"][0]["refused"] else {TITLES[written["audit"]["verdict"]]}
    assert {written["acts"][0]["title"]} == titles


def test_demo_writes_to_a_folder_of_its_own_by_default(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    assert "Write the report and the chart to this folder. [default: shiftproof-demo]" in command("demo", "--help")[1]


def test_demo_refuses_a_file_for_its_folder(command: Command, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a\n1\n")
    code, out, err = command("demo", "--out", tmp_path / "rows.csv")
    assert (code, out) == (2, "")
    assert (
        err
        == f"shiftproof: --out must be a folder, got the file {str(tmp_path / 'rows.csv')!r}; choose another path.\n"
    )
