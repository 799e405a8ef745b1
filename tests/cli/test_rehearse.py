from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from tests.cli.test_monitor import Command, rows

from shiftproof.monitoring import Baseline, Monitor


@pytest.fixture
def past(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a file of seven days, in a folder with a store."""
    monkeypatch.chdir(tmp_path)
    # What is printed does not depend on how many streams are simulated.
    monkeypatch.setattr("shiftproof.monitoring.rehearsal._harm_delays._STREAMS", 2)
    monkeypatch.setattr("shiftproof.monitoring.rehearsal._harm_delays.HORIZON", 20)
    monkeypatch.setattr("shiftproof.monitoring.rehearsal._shift_delays._FEWEST", 2)
    monkeypatch.setattr("shiftproof.monitoring.rehearsal._shift_delays._MOST", 2)
    Monitor("m.db", Baseline.of(rows(0, n=400), scores="p", labels="y", exclude=["date"]))
    pd.concat([rows(day) for day in range(10, 17)]).to_csv("past.csv", index=False)
    return "past.csv"


def test_rehearse_by_day_says_how_soon_changes_are_known(command: Command, past: str) -> None:
    words = ("--time", "date", "--every", "day", "--target", "y", "--json", "r.json", "--out", "r.html")
    code, out, err = command("monitor", "rehearse", "m.db", past, *words)
    assert code == 0
    assert out.startswith("False alarms in the past: none in 7 batches.\n")
    assert "Recommended: batches of about" in " ".join(out.split())
    assert "labels per batch" in out
    assert err.splitlines()[-1] == "page: r.html"
    assert json.loads(Path("r.json").read_text(encoding="utf-8"))["rows"] == 200


def test_rehearse_takes_a_file_per_batch(command: Command, past: str) -> None:
    names = []
    for day in range(10, 15):
        rows(day).to_csv(f"past{day}.csv", index=False)
        names.append(f"past{day}.csv")
    code, out, _ = command("monitor", "rehearse", "m.db", *names)
    assert (code, out.splitlines()[0]) == (0, "False alarms in the past: none in 5 batches.")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["past.csv"], "with a single file, pass --time COL or --size ROWS to split it into batches."),
        (["past.csv", "past.csv", "--size", "9"], "--time, --every and --size split a single file into batches"),
        (["past.csv", "--time", "dat"], "--time must name a column"),
        (
            ["past.csv", "--size", "1000"],
            "past.csv gives 1 batch of 1,000 rows; at least 5 are needed; pass a smaller --size",
        ),
        (["past.csv", "past.csv"], "the past gives 2 batches; at least 5 are needed; add more past data."),
        (["no.csv", "--size", "9"], "no.csv"),
    ],
)
def test_rehearse_refuses_what_it_cannot_cut(command: Command, past: str, words: list[str], sentence: str) -> None:
    code, out, err = command("monitor", "rehearse", "m.db", *words)
    assert (code, out) == (2, "")
    assert sentence in err
