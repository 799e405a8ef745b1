"""`shiftproof backtest`: the tables, the words, scores of a deployed model, and what goes on after a stop."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    n = 320
    frame = pd.DataFrame({"x": rng.normal(size=n), "day": pd.date_range("2020-01-01", periods=n, freq="9h")})
    frame["bought"] = np.where(frame["x"] + 0.5 * rng.normal(size=n) > 0, "yes", "no")
    frame["p"] = 1 / (1 + np.exp(-3 * frame["x"]))
    path = tmp_path_factory.mktemp("backtest") / "rows.csv"
    frame.to_csv(path, index=False)
    return path


OPTIONS = ["--target", "bought", "--time", "day"]
FITTED = [*OPTIONS, "--models", "lr", "--exclude", "p", "--every", "month", "--folds", "2"]


def test_verdict_tables_words_page_and_kept_periods(command: Command, table: Path, tmp_path: Path) -> None:
    page, keep = tmp_path / "page.html", tmp_path / "kept"
    code, out, err = command("backtest", table, *FITTED, "--out", page, "--keep", keep)
    assert code == 0
    assert out.splitlines()[0].startswith("In 2 of 2 past months the actual accuracy was inside our 90% interval.")
    assert "period  rows baseline validated estimate" in out
    assert "\nBaseline: the accuracy of always answering the class that was most frequent" in out
    assert out.count("90% interval") == 1
    assert "Cross-validation was off by" in " ".join(out.split())
    assert f"page: {page}" in err
    assert len(list(keep.iterdir())) == 2
    assert "Estimated and actual" in page.read_text(encoding="utf-8")


def test_scores_of_a_deployed_model(command: Command, table: Path) -> None:
    options = [*OPTIONS, "--score-column", "p", "--periods", "4", "--positive", "yes", "--json", "-"]
    code, out, _ = command("backtest", table, *options)
    values = json.loads(out, parse_constant=pytest.fail)
    assert (code, values["best"], values["fits"], values["positive"]) == (0, "p", 0, "yes")
    assert len(values["periods"]) == 2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ["--target", "bought", "--time", "dya"],
            "--time must name a column; got 'dya'. Did you mean 'day'?",
        ),
        (
            [*OPTIONS, "--score-column", "q"],
            "--score-column must name a column, got 'q'; available: 'x', 'day', 'p'.",
        ),
        (
            [*OPTIONS, "--every", "month", "--periods", "3", "--models", "lr"],
            "--periods must be left out with --every, got --every month and --periods 3; pass one of them.",
        ),
    ],
)
def test_bad_input(command: Command, table: Path, options: list[str], sentence: str) -> None:
    code, _, err = command("backtest", table, *options)
    assert (code, " ".join(err.split())) == (2, f"shiftproof: {sentence}")


def test_audit_with_a_time_replays_the_labelled_past(command: Command, table: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(table).drop(columns="p")
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    frame[:260].to_csv(old, index=False)
    frame[260:].drop(columns="bought").to_csv(new, index=False)
    options = ["--target", "bought", "--models", "lr", "--quick", "--time", "day", "--periods", "4", "--json", "-"]
    code, out, _ = command("audit", old, new, *options)
    values = json.loads(out, parse_constant=pytest.fail)
    assert code == 0
    assert len(values["past"]["periods"]) == 2
    assert values["performance"]["history"]["noun"] == "period"
    assert any(" past periods the interval contained the actual accuracy" in one["text"] for one in values["reasons"])
