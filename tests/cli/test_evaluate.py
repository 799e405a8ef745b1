"""`shiftproof evaluate`: the table, the words, the exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from shiftproof.cli._tables import known_label

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
    code, printed, said = command("evaluate", table, "--target", "bought", "--models", "lr,nb", "--folds", 3)
    assert code == 0
    assert "left out of tests and models: 't' (identifier)." in said
    assert "accuracy" in printed
    assert "has the best accuracy" in printed
    assert "the positive class is 'yes'" in " ".join(printed.split())


def test_learning_curve(command: Command, table: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    options = ["--target", "bought", "--models", "nb", "--folds", 3, "--exclude", "t", "--learning-curve"]
    code, printed, _ = command(
        "evaluate", table, *options, "--balance", "--out", page, "--json", tmp_path / "found.json"
    )
    assert code == 0
    assert "gain from 66 to 133" in printed
    assert "on the same number of rows per class" in " ".join(printed.split())
    assert "training rows, all tested on the same 200 rows." in " ".join(printed.split())
    assert "Would more labelled rows help?" in page.read_text()
    assert json.loads((tmp_path / "found.json").read_text())["learning"]["sizes"] == [33, 66, 133]
    code, _, said = command("evaluate", table, *options[:-3], "--time", "t", "--learning-curve")
    assert code == 2
    assert "--learning-curve and --time cannot be used together, because folds in time have different sizes" in said


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
    assert "three-point average precision" in printed
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
            "--positive must name one of the labels, got 'maybe'; available: 'no'",
        ),
        (
            ["--target", "bought", "--cost", "FX=1"],
            "the cost 'FX=1' cannot be read; write TP",
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
    sentence = "column 'y', which --target names, is empty in 1 of 3 rows; drop or label these rows first."
    assert said == f"shiftproof: {sentence}\n"


def test_labels_are_found_by_how_they_are_written() -> None:
    assert known_label(None, pd.Series([0, 1])) is None
    assert known_label("1", pd.Series([0, 1])) == 1
    assert known_label("True", pd.Series([True, False])) is True


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--measure", "acuracy"], "--measure must be one of "),
        (["--level", 2], "--level must be a number strictly between 0 and 1, got 2; 0.9 means 90%."),
        (["--threshold", 2], "--threshold must "),
        (["--folds", 1], "--folds must be a whole number of at least 2, got 1; 10 is usual."),
        (["--measure", "profit"], "--measure profit needs --cost, for example --cost FP=1,FN=5."),
        (["--groups", "bought"], "--groups must name a different column from --target, got 'bought'; available: "),
        (["--folds", 150], "too few for 150 folds; pass --folds 10, or add rows of that class."),
        (["--models", "lr,gpt"], "--models must be one of 'lr', 'nb', "),
        (["--seed", -1], "--seed must "),
        (["--time", "day"], "--time must name a column, got 'day'; available: 'x', 'c', 't'."),
        (["--groups", "day"], "--groups must name a column, got 'day'; available: 'x', 'c', 't'."),
        (["--time", "c"], "--time must hold numbers or dates"),
        (["--time", "t", "--groups", "c"], "--groups and --time cannot be used together; leave out --groups."),
        (
            ["--exclude", "bought"],
            "--exclude 'bought' names the --target column, which is never a feature; leave it out.",
        ),
        (["--exclude", "c,t"], "--exclude must name one column, got 'c,t'; repeat --exclude for each column."),
        (["--exclude", "c", "--exclude", "t", "--exclude", "x"], "LABELLED must "),
    ],
)
def test_arguments_are_called_as_on_the_command_line(
    command: Command, table: Path, options: list[Any], sentence: str
) -> None:
    code, printed, said = command("evaluate", table, "--target", "bought", "--models", "nb", *options)
    assert (code, printed) == (2, "")
    assert sentence in said
    assert said.count("\n") == 1
