"""`shiftproof compare`: the table, the words, the files, the exit codes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    rows = [
        {"dataset": f"set {at}", "method": name, "prevalence": prevalence, "loss": spread * (0.5 + rng.random())}
        for at in range(8)
        for prevalence in (0.2, 0.6)
        for name, spread in (("poor", 0.4), ("good", 0.05), ("fine", 0.052))
    ]
    path = tmp_path_factory.mktemp("compare") / "losses.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


def test_the_table_the_test_and_the_answer(command: Command, results: Path) -> None:
    code, out, err = command("compare", results)
    assert (code, err) == (0, "")
    head, *lines = out.splitlines()
    assert head.split() == ["method", "average", "rank", "wins", "losses", "ties", "mean", "loss"]
    assert lines[2].split()[:2] == ["poor", "3.00"]
    assert "The methods differ (Iman-Davenport, p " in out
    assert "figure" not in out
    answer = " ".join(out.split())
    first = "('good' and 'fine' rank|'(good|fine)' ranks) first"
    assert re.search(rf"{first}; no evidence that '\w+' differs from '\w+' in average rank \(Nemenyi\); 8 ", answer)


def test_a_control_has_a_column(command: Command, results: Path) -> None:
    _, out, _ = command("compare", results, "--control", "poor")
    assert "p-value against the control" in out.splitlines()[0]
    assert "'poor' is worse than " in out


def test_json_page_and_figures(command: Command, results: Path, tmp_path: Path) -> None:
    page, figures = tmp_path / "page.html", tmp_path / "figures"
    code, out, err = command("compare", results, "--out", page, "--figures", figures, "--json", "-", "--rope", "0.02")
    told: dict[str, Any] = json.loads(out, parse_constant=pytest.fail)
    assert (code, told["rope"], told["posthoc"]) == (0, 0.02, "nemenyi")
    assert "<svg" in page.read_text(encoding="utf-8")
    drawn = ["datasets.svg", "losses.svg", "matrix.svg", "pairs.svg", "prevalences.svg", "ranks.svg"]
    assert sorted(path.name for path in figures.iterdir()) == drawn
    assert err.endswith(f"page: {page}\nfigures: {figures}\n")


def test_a_folder_takes_the_page_and_the_figures(command: Command, results: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(results).groupby(["dataset", "method"], as_index=False)["loss"].mean()
    frame[frame["dataset"] < "set 2"].to_csv(tmp_path / "few.csv", index=False)
    code, _, _ = command("compare", tmp_path / "few.csv", "--out", tmp_path / "report")
    assert code == 0
    assert {"comparison.html", "ranks.svg"} <= {path.name for path in (tmp_path / "report").iterdir()}


def test_wide_tables_and_scores(command: Command, results: Path, tmp_path: Path) -> None:
    wide = pd.read_csv(results).pivot_table(index="dataset", columns="method", values="loss")
    wide.to_csv(tmp_path / "wide.csv")
    (1 - wide).to_csv(tmp_path / "scores.csv")
    plain = json.loads(command("compare", tmp_path / "wide.csv", "--json", "-")[1])
    scored = json.loads(command("compare", tmp_path / "scores.csv", "--higher-is-better", "--json", "-")[1])
    assert [row["method"] for row in plain["methods"]] == [row["method"] for row in scored["methods"]]
    assert plain["critical_difference"] == scored["critical_difference"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ["--loss-column", "AE"],
            "--loss-column must name a column of results, got 'AE'; available: 'dataset', 'method', ",
        ),
        (
            ["--loss-column", "accuracy"],
            "--loss-column must name a measure for which lower is better, got 'accuracy'; pass --higher-is-better to "
            "compare it, or rename the column.",
        ),
        (["--fold-column", "part"], "--fold-column must name a column of results, got 'part'; available: "),
        (["--control", "god"], "--control must be one of 'poor', 'good', 'fine'; got 'god'. Did you mean 'good'?"),
        (["--alpha", "2"], "--alpha must be a number strictly between 0 and 1, got 2"),
        (["--rope", "-1"], "--rope must be at least 0, got -1.0; "),
        (
            ["--posthoc", "bonferroni-dunn"],
            "--posthoc bonferroni-dunn needs --control; without a control, use 'nemenyi'.",
        ),
        (["--posthoc", "tukey"], "--posthoc must be one of 'nemenyi', "),
        (["--seed", "-1"], "--seed must "),
    ],
)
def test_bad_input_is_one_line(command: Command, results: Path, options: list[str], sentence: str) -> None:
    code, out, err = command("compare", results, *options)
    assert (code, out) == (2, "")
    assert err.startswith(f"shiftproof: {sentence}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "dataset,method,loss\na,A,1\na,B,2\nb,A,1\n",
            "RESULTS must have a loss for every method on every data set, got no loss",
        ),
        (
            "dataset,method,loss\na,A,1\na,A,2\na,B,1\n",
            "RESULTS must hold one loss per method and data set, got two",
        ),
        ("dataset,method,loss\na,A,1\na,B,\n", "loss must be finite, got nan of 'B' on 'a'; "),
        ("dataset,method,loss\na,A,1\na,B,low\n", "loss must be a number, got 'low' of 'B' on 'a'; "),
        ("dataset,method,loss\na,A,1\n", "RESULTS must hold at least two methods, got ['A']; "),
        ("dataset,method,loss\n", "FOLDER/losses.csv: the file has a header but no rows; check how it was written."),
        ("", ""),
    ],
)
def test_bad_files_are_one_line(command: Command, tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "losses.csv"
    path.write_text(text)
    code, out, err = command("compare", path)
    assert (code, out) == (2, "")
    assert err.startswith(f"shiftproof: {sentence.replace('FOLDER', str(tmp_path))}")
    assert err.count("\n") == 1


def test_places_that_are_taken_are_refused(command: Command, results: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    _, _, err = command("compare", results, "--figures", tmp_path / "taken")
    assert err.startswith("shiftproof: --figures must name a folder, got the file ")
    for name in ("taken", "page.pdf"):
        _, _, err = command("compare", results, "--out", tmp_path / name)
        assert err.startswith("shiftproof: --out must end in .html or name a folder, got the file ")
    assert not (tmp_path / "page.pdf").exists()


def test_hostile_names_do_not_steer_the_terminal(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("dataset,\x1b[31mred,[bold]b\na,1,2\nb,1,2\nc,3,1\n")
    code, out, _ = command("compare", path)
    assert code == 0
    assert "\x1b" not in out
    assert "[bold]b" in out
