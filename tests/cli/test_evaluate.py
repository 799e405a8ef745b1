"""`shiftproof evaluate`: the table, the words, the exit codes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.cells import cell_len
from rich.console import Console

from shiftproof.cli._show import show_evaluation
from shiftproof.cli._tables import known_label
from shiftproof.evaluation import Evaluation, evaluate
from shiftproof.panel import Panel

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    n = 200
    frame = pd.DataFrame({"x": rng.normal(size=n), "c": rng.choice(["a", "b"], n), "t": np.arange(n)})
    frame["bought"] = np.where(frame["x"] + rng.normal(size=n) > 0, "yes", "no")
    path = tmp_path_factory.mktemp("evaluate") / "rows.csv"
    frame.to_csv(path, index=False)
    return path


def test_table_and_words(command: Command, table: Path) -> None:
    code, printed, _ = command("evaluate", table, "--target", "bought", "--models", "lr,nb", "--folds", 3)
    assert code == 0
    assert "accuracy" in printed
    assert "has the best accuracy" in printed
    assert "the positive class is 'yes'" in " ".join(printed.split())


def test_json_page_cost_and_positive(command: Command, table: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    options = [
        "--models",
        "nb",
        "--folds",
        3,
        "--cost",
        "FP=1,FN=5",
        "--positive",
        "no",
        "--measure",
        "auc",
        "--out",
        page,
    ]
    code, printed, said = command("evaluate", table, "--target", "bought", *options, "--json", "-")
    told: dict[str, Any] = json.loads(printed)
    assert (code, told["positive"], told["measure"]) == (0, "no", "auc")
    assert told["estimates"]["nb"]["profit"]["estimate"] < 0
    assert "Curves of nb" in page.read_text()
    assert f"page: {page}" in said


def test_every_measure(command: Command, table: Path) -> None:
    _, printed, _ = command("evaluate", table, "--target", "bought", "--models", "nb", "--folds", 3, "--all")
    assert "three point average precision" in printed
    assert "calibration error" in printed


def test_time_and_exclude(command: Command, table: Path) -> None:
    options = ["--models", "nb", "--folds", 3, "--time", "t", "--exclude", "c", "--json", "-"]
    code, printed, _ = command("evaluate", table, "--target", "bought", *options)
    told = json.loads(printed)
    assert code == 0
    assert told["n_tested"] < told["n_rows"] == 200


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--target", "sold"], "--target must name a column, got 'sold'; available: 'x', 'c', 't', 'bought'."),
        (["--target", "bought", "--exclude", "y"], "--exclude must name a column, got 'y'; available: "),
        (
            ["--target", "bought", "--positive", "maybe"],
            "--positive must be a label, got 'maybe'; available: 'no'",
        ),
        (
            ["--target", "bought", "--cost", "FX=1"],
            "each cost must read NAME=NUMBER, got 'FX=1'; name TP",
        ),
        (["--target", "bought", "--models", "lr,gpt"], "'gpt'"),
        (["--target", "bought", "--measure", "acuracy"], "Did you mean 'accuracy'?"),
    ],
)
def test_bad_input_is_one_line(command: Command, table: Path, options: list[str], sentence: str) -> None:
    code, printed, said = command("evaluate", table, *options)
    assert (code, printed) == (2, "")
    assert said.startswith("shiftproof: ")
    assert sentence in said
    assert said.count("\n") == 1


def test_rows_without_label(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n1,a\n2,\n3,b\n")
    code, _, said = command("evaluate", path, "--target", "y")
    assert code == 2
    assert said == "shiftproof: --target must have a label in every row, got 1 without; drop or label them first.\n"


def test_labels_are_found_by_how_they_are_written() -> None:
    assert known_label(None, pd.Series([0, 1])) is None
    assert known_label("1", pd.Series([0, 1])) == 1
    assert known_label("True", pd.Series([True, False])) is True


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--measure", "acuracy"], "--measure must be one of "),
        (["--level", 2], "--level must be a number strictly between 0 and 1, got 2.0; 0.9 means 90%."),
        (["--threshold", 2], "--threshold must "),
        (["--folds", 1], "--folds must be a whole number of at least 2, got 1; 10 is usual."),
        (["--folds", 150], "; --folds "),
        (["--models", "lr,gpt"], "--models must be one of 'lr', 'nb', "),
        (["--seed", -1], "--seed must "),
        (["--time", "day"], "--time must name a column, got 'day'; available: 'x', 'c', 't'."),
        (["--groups", "day"], "--groups must name a column, got 'day'; available: 'x', 'c', 't'."),
        (["--time", "c"], "--time must hold numbers or dates"),
        (["--time", "t", "--groups", "c"], "--groups must be left out where "),
        (["--exclude", "c,t"], "--exclude must name one column, got 'c,t'; repeat --exclude for each column."),
        (["--exclude", "c", "--exclude", "t", "--exclude", "x"], "the table must "),
    ],
)
def test_arguments_are_called_as_on_the_command_line(
    command: Command, table: Path, options: list[Any], sentence: str
) -> None:
    code, printed, said = command("evaluate", table, "--target", "bought", "--models", "nb", *options)
    assert (code, printed) == (2, "")
    assert sentence in said
    assert said.count("\n") == 1


def evaluation(models: list[str]) -> Evaluation:
    """Evaluate models of these names, which all are the same."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    scores = np.clip(0.3 * y + rng.uniform(0, 0.7, 60), 0, 1)
    return evaluate(Panel.from_scores(y, dict.fromkeys(models, scores)))


def printed(result: Evaluation, width: int, *, everything: bool, encoding: str = "utf-8") -> list[str]:
    stream = TextIOWrapper(BytesIO(), encoding=encoding, errors="replace", newline="\n")
    show_evaluation(Console(file=stream, width=width), result, everything=everything)
    stream.seek(0)
    return [line.rstrip() for line in stream.read().splitlines()]


@pytest.mark.parametrize(
    ("width", "everything", "tables"), [(80, False, 2), (200, False, 1), (80, True, 5), (200, True, 2), (40, True, 13)]
)
def test_tables_are_cut_to_the_width(width: int, everything: bool, tables: int) -> None:
    result = evaluation(["lr", "forest"])
    lines = printed(result, width, everything=everything)
    assert max(map(len, lines)) <= width
    heads = [line for line in lines if line.startswith("model ")]
    assert len(heads) == tables
    assert heads[0].split()[1] == "accuracy"
    # every number is there in full, next to its model
    text = "\n".join(lines)
    shown = result.estimates["lr"] if everything else ("accuracy", "auc", "f1", "brier")
    assert all(str(result.estimates["lr"][name]) in text for name in shown)
    assert all(name.replace("_", " ") in " ".join(heads) for name in shown)
    assert sum(line.startswith("forest ") for line in lines) == tables
    assert "…" not in text


@pytest.mark.parametrize("width", [30, 80, 200])
@pytest.mark.parametrize(
    "name",
    [
        "x" * 300,
        "[bold]red[/bold]",
        "[/red]",
        "\x1b[31mred",
        "a\nb\tc",
        "年齢" * 40,
        "\u202eabc",
        "",
        "🙂👨‍👩‍👧",
        ":smile:",
    ],
)
def test_names_of_models_cannot_break_the_table(name: str, width: int) -> None:
    result = evaluation([name, "forest"])
    lines = printed(result, width, everything=True)
    assert max(map(cell_len, lines)) <= width
    text = "\n".join(lines)
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", text)
    if width >= 80:
        assert text.count(str(result.estimates["forest"]["accuracy"])) >= 2
    if "[" in name and "\x1b" not in name:
        assert name in text


def test_a_terminal_that_knows_only_ascii() -> None:
    lines = printed(evaluation(["größe" * 30, "forest"]), 80, everything=False, encoding="ascii")
    assert lines[1].startswith("gr??egr??egr??e")
    assert "~ has the best accuracy" in " ".join(lines)
