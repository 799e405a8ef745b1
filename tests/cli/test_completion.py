"""What a shell offers after TAB."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from shiftproof.cli import run
from shiftproof.cli._completion import FAMILY_NAMES, MEASURE_NAMES, MODEL_NAMES, complete_models
from shiftproof.panel import default_models
from shiftproof.selection import SOFT_MEASURES as MEASURES
from shiftproof.simulation import FAMILIES


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Ask as bash does after TAB, and return what is offered."""
    monkeypatch.chdir(tmp_path)

    def ask(line: str) -> list[str]:
        words = line.split(" ")
        monkeypatch.setenv("_SHIFTPROOF_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        with pytest.raises(SystemExit):
            run([])
        return [line for line in capsys.readouterr().out.split("\n") if line]

    return ask


def test_names_are_those_of_the_library() -> None:
    assert tuple(default_models()) == tuple(MODEL_NAMES)
    assert tuple(MEASURES) == MEASURE_NAMES
    assert sorted(FAMILY_NAMES) == sorted(set(FAMILIES) - {"base"})


def test_models_one_after_the_other(offered: Any) -> None:
    Path("mine.skops").touch()
    assert offered("shiftproof audit a.csv b.csv --models n") == ["nb"]
    assert offered("shiftproof stress a.csv --models lr,nb,t") == ["lr,nb,tree"]
    assert offered("shiftproof select a.csv b.csv --models lr,m") == ["lr,mine.skops"]
    assert "lr,lr" not in [value for value, _ in complete_models("lr,")]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("shiftproof audit a.csv b.csv --measure pr", ["precision", "profit"]),
        ("shiftproof evaluate a.csv --measure log", ["log_loss"]),
        ("shiftproof select a.csv b.csv --method rout", ["routed pool"]),
        ("shiftproof quantify a.csv b.csv --method comb", ["combined"]),
        ("shiftproof stress a.csv --families mar,mn", ["mar,mnar"]),
        ("shiftproof detect a.csv b.csv --fail-on s", ["shift"]),
        ("shiftproof quantify a.csv b.csv --every q", ["quarter"]),
    ],
)
def test_values_of_options(offered: Any, line: str, names: list[str]) -> None:
    assert offered(line) == names


def test_methods_of_the_first_file(offered: Any) -> None:
    Path("long.csv").write_text("dataset;method;loss\na;forest;1\na;fair;2\nb;forest;1\nb;fair;2\n")
    Path("wide.csv").write_text("dataset,forest,tree\na,1,2\n")
    pd.DataFrame({"dataset": ["a"], "tree": [2]}).to_parquet("rows.parquet")
    assert offered("shiftproof compare long.csv --control f") == ["forest", "fair"]
    assert offered("shiftproof compare long.csv --loss-column l") == ["loss"]
    assert offered("shiftproof compare wide.csv --control t") == ["tree"]
    assert offered("shiftproof compare rows.parquet --control t") == ["tree"]
    assert offered("shiftproof compare none.csv --control t") == []


def test_columns_of_the_first_file(offered: Any) -> None:
    Path("rows.csv").write_text("age;amount;label\n1;2;3\n")
    Path("rows.csv.gz").write_bytes(gzip.compress(b"age,job\n1,2\n"))
    pd.DataFrame({"income": [1], "age": [2]}).to_parquet("rows.parquet")
    Path("empty.csv").touch()
    assert offered("shiftproof evaluate rows.csv --target a") == ["age", "amount"]
    assert offered("shiftproof audit rows.csv.gz new.csv --exclude j") == ["job"]
    assert offered("shiftproof detect rows.parquet --time i") == ["income"]
    assert offered("shiftproof evaluate empty.csv --target a") == []
    assert offered("shiftproof evaluate none.csv --target a") == []
    assert offered("shiftproof evaluate --target a") == []
    Path("monitor.db").write_bytes(b"SQLite format 3\0age,amount\n")
    assert offered("shiftproof monitor add monitor.db rows.csv --time a") == ["age", "amount"]
    assert offered("shiftproof monitor init monitor.db --reference rows.csv --target a") == ["age", "amount"]


@pytest.mark.parametrize(
    "name",
    [
        "a$(touch pwned)", "a\\$(touch pwned)", "a`b`", "a'b", 'a""b', "a\\b", "a;b", "a&b", "a|b", "a>b", "a<b", "a*b",
        "a!b", "a(b)", "a{b}", "a[b]", "a#b", "a~b", "a?b", "a\x1bb", "a\u202eb", "a\u2028b", "-a", " a", "",
    ],
)  # fmt: skip
def test_names_that_a_shell_may_run_are_not_offered(offered: Any, name: str) -> None:
    pd.DataFrame({name: [1], "age": [2]}).to_parquet("rows.parquet")
    assert offered("shiftproof detect rows.parquet --exclude ") == ["age"]
    Path("losses.csv").write_text(f'dataset;method;loss\na;"{name}";1\na;tree;1\nb;tree;1\n')
    assert offered("shiftproof compare losses.csv --control ") == ["tree"]


def test_model_files_with_names_that_a_shell_may_run_are_not_offered(offered: Any) -> None:
    for name in ("$(touch pwned).skops", "-a.skops", "mine v2.skops"):
        Path(name).touch()
    assert [name for name in offered("shiftproof audit a b --models ") if "skops" in name] == ["mine v2.skops"]


def test_names_with_letters_of_any_script_are_offered(offered: Any) -> None:
    pd.DataFrame({"größe in %": [1], "年": [2], "a/b.c:d@e+f=g": [3]}).to_parquet("rows.parquet")
    assert offered("shiftproof detect rows.parquet --exclude ") == ["größe in %", "年", "a/b.c:d@e+f=g"]
