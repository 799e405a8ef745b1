"""`shiftproof stress`: the tables, the words, the exit codes."""

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
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    n = 300
    frame = pd.DataFrame({"x": rng.normal(size=n), "z": rng.normal(size=n), "c": rng.choice(["a", "b"], n)})
    frame["bought"] = np.where(frame["x"] + 0.5 * rng.normal(size=n) > 0, "yes", "no")
    path = tmp_path_factory.mktemp("stress") / "rows.csv"
    frame.to_csv(path, index=False)
    return path


OPTIONS = ["--target", "bought", "--models", "lr,nb", "--families", "mar,offset", "--features", "x, z"]


def test_tables_ranking_and_words(command: Command, table: Path) -> None:
    code, out, _ = command("stress", table, *OPTIONS)
    assert code == 0
    head, *lines = out.splitlines()
    assert " ".join(head.split()) == "model no shift MAR offset sensitivity index limit"
    assert {line.split()[0] for line in lines[:2]} == {"lr", "nb"}
    for line in lines[:2]:
        assert re.match(
            r"\w+ +0\.\d+ \[0\.\d+, \d\.\d+\] +(0\.\d{3}, 0\.\d{3} +){2}0\.\d+ \[0\.\d+, 0\.\d+\] +\S", line
        )
    assert re.search(r"^Use '(lr|nb)'. It is the most accurate ", out, re.MULTILINE)
    assert "Hellinger distance" in out


def test_a_narrow_terminal(command: Command, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    _, out, _ = command("stress", table, *OPTIONS)
    assert max(map(len, out.splitlines())) <= 60
    assert len(re.findall("^model ", out, re.MULTILINE)) == 2


def test_json_page_positive_and_seed(command: Command, table: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    options = [*OPTIONS, "--positive", "no", "--seed", "3", "--tolerance", "0.1", "--exclude", "c", "--out", page]
    code, out, err = command("stress", table, *options, "--json", "-")
    told: dict[str, Any] = json.loads(out, parse_constant=pytest.fail)
    assert (code, told["positive"], told["models"]) == (0, "no", ["lr", "nb"])
    assert {row["family"] for row in told["rows"]} == {"base", "mar", "offset"}
    assert {row["feature"] for row in told["cells"]} == {None, "x", "z"}
    assert told["envelope"]["lr"]["tolerance"] == 0.1
    assert err.endswith(f"page: {page}\n")
    assert "<svg" in page.read_text(encoding="utf-8")
    again = json.loads(command("stress", table, *options, "--json", "-")[1])
    assert again == told


def test_json_in_a_file_leaves_the_table_on_the_screen(command: Command, table: Path, tmp_path: Path) -> None:
    code, out, _ = command("stress", table, *OPTIONS, "--json", tmp_path / "a.json")
    assert code == 0
    assert out.startswith("model ")
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["models"] == ["lr", "nb"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--target", "sold"], "--target must name a column, got 'sold'; available: 'x', 'z', 'c', 'bought'."),
        (["--target", "bought", "--exclude", "y"], "--exclude must name a column, got 'y'; available: "),
        (
            ["--target", "bought", "--positive", "maybe"],
            "--positive must name one of the labels, got 'maybe'; available: 'no'",
        ),
        (["--target", "bought", "--models", "lr,gpt"], "--models must be one of 'lr', 'nb', "),
        (["--target", "bought", "--families", "mar,moon"], "--families must be one of 'base', "),
        (["--target", "bought", "--families", "base"], "--families must "),
        (
            ["--target", "bought", "--features", "x,y"],
            "--features must name a column, got 'y'; available: 'x', 'z', 'c'",
        ),
        (["--target", "bought", "--tolerance", "2"], "--tolerance must be a number strictly between 0 and 1, got 2"),
        (["--target", "bought", "--level", "2"], "--level must be a number strictly between 0 and 1, got 2"),
        (["--target", "bought", "--seed", "-1"], "--seed must "),
        ([], "missing option '--target'"),
    ],
)
def test_bad_input_is_one_line(command: Command, table: Path, options: list[str], sentence: str) -> None:
    code, out, err = command("stress", table, "--models", "nb", *options)
    assert (code, out) == (2, "")
    assert err.startswith(f"shiftproof: {sentence}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "x,y\n1,a\n2,\n3,b\n",
            "column 'y', which --target names, is empty in 1 of 3 rows; drop or label these rows first.",
        ),
        (
            "x,y\n1,a\n2,a\n3,a\n",
            "--target must contain at least two classes, got one class, 'a'; add rows of another class, ",
        ),
        ("x,y\n1,a\n2,b\n", ""),
        ("y\n" + "a\nb\n" * 50, "LABELLED must have at least one column"),
        ("x,y\n", ""),
        ("", ""),
    ],
)
def test_bad_files_are_one_line(command: Command, tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(text)
    code, out, err = command("stress", path, "--target", "y", "--models", "nb")
    assert (code, out) == (2, "")
    assert err.startswith(f"shiftproof: {sentence}")
    assert err.count("\n") == 1
