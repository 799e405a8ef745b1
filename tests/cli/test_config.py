"""Defaults of options from a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from shiftproof.cli._config import Option, read_config, split_arguments

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"x": rng.normal(size=80), "z": rng.normal(size=80), "label": np.arange(80) % 2})
    rows.to_csv("rows.csv", index=False)
    rows.iloc[::-1].to_csv("other.csv", index=False)


def config(text: str, name: str = "shiftproof.toml") -> None:
    Path(name).write_text(text)


def test_options_of_a_file_and_the_command_line_wins(command: Command) -> None:
    own = 'level = 0.8\nfolds = 3\npositive = 0\nexclude = ["z"]\nall = true\n'
    config(f'models = "nb"\ntarget = "label"\n[evaluate]\n{own}')
    code, out, err = command("evaluate", "rows.csv", "--json", "-")
    told = json.loads(out)
    assert (code, told["level"], told["positive"]) == (0, 0.8, 0)
    assert err == (
        "note: shiftproof.toml sets --target, --positive, --models, --folds, --exclude, --level, --all; options "
        "on the command line take precedence.\n"
    )
    told = json.loads(command("evaluate", "rows.csv", "--json", "-", "--level", "0.9", "--models", "lr")[1])
    assert (told["level"], told["ranking"]) == (0.9, ["lr"])


def test_a_file_by_name_before_and_after_the_command(command: Command) -> None:
    config('target = "label"\nmodels = "nb"\n[evaluate]\nlevel = 0.7', "job.toml")
    for words in (["--config", "job.toml", "evaluate", "rows.csv"], ["evaluate", "rows.csv", "--config=job.toml"]):
        code, out, err = command(*words, "--json", "-")
        assert (code, json.loads(out)["level"]) == (0, 0.7)
        assert err == "note: job.toml sets --target, --models, --level; options on the command line take precedence.\n"


def test_other_commands_hear_nothing(command: Command) -> None:
    config('[audit]\ntarget = "label"')
    assert command("--version")[2] == ""
    code, _, err = command("detect", "rows.csv", "other.csv", "--no-multivariate", "--target", "label")
    assert (code, err) == (0, "")


def test_a_broken_file_does_not_keep_from_help(command: Command) -> None:
    config("target =")
    code, out, _ = command("evaluate", "--help")
    assert code == 0
    assert "shiftproof evaluate" in out


def test_words_after_two_dashes_are_no_options() -> None:
    assert split_arguments(["detect", "--", "--config", "a"]) == (["detect", "--", "--config", "a"], None)


def test_no_file_is_no_config() -> None:
    assert read_config(None, "audit", {}) is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("target =", "shiftproof.toml: not valid TOML (Invalid value (at end of document)); write lines such as "
         'target = "churned".'),
        ('traget = "label"', "shiftproof.toml: traget is not an option. Did you mean "
         "'target'?"),
        ('[evaluate]\nweather = "fine"', "shiftproof.toml: weather in [evaluate] is not an option of evaluate; "
         "available: 'all', 'alpha', 'backend', 'balance', 'cost', 'exclude', 'folds', 'groups' and 14 more."),
        ('[evaluat]\nlevel = 0.9', "shiftproof.toml: [evaluat] is not a command. Did you mean 'evaluate'?"),
        ('evaluate = 3', "shiftproof.toml: evaluate must be a table of options, got 3; write [evaluate]."),
        ('[evaluate]\nlevel = "high"', "shiftproof.toml: level in [evaluate] must be a number, got 'high'; write a "
         "number such as level = 0.5."),
        ('[evaluate]\nfolds = 2.5', "shiftproof.toml: folds in [evaluate] must be a whole number, got 2.5; write "
         "folds = 10."),
        ('[evaluate]\nall = "yes"', "shiftproof.toml: all in [evaluate] must be true or false, got 'yes'; write "
         "all = true."),
        ('[evaluate]\nfolds = "10"', "shiftproof.toml: folds in [evaluate] must be a whole number, got '10'; write it "
         "without quotation marks."),
        ('[evaluate]\nall = "true"', "shiftproof.toml: all in [evaluate] must be true or false, got 'true'; write it "
         "without quotation marks."),
        ('exclude = 3', 'shiftproof.toml: exclude must be a list of text, got 3; write exclude = ["one", "two"].'),
        ('models = ["lr", "nb"]', "shiftproof.toml: models must be text, got ['lr', 'nb']; write models "
         '= "lr,nb".'),
        ('target = true', 'shiftproof.toml: target must be text, got true; write target = "one".'),
    ],
)  # fmt: skip
def test_files_that_do_not_fit(command: Command, text: str, sentence: str) -> None:
    config(text)
    code, out, err = command("evaluate", "rows.csv", "--target", "label", "--models", "nb")
    assert (code, out) == (2, "")
    # Python words what is wrong with TOML in its own way.
    assert err == f"shiftproof: {sentence}\n" or "not valid TOML" in err


def test_a_file_that_is_not_there(command: Command) -> None:
    code, _, err = command("evaluate", "rows.csv", "--target", "label", "--config", "none.toml")
    assert (code, err) == (2, "shiftproof: none.toml: there is no such file; --config must name a TOML file.\n")


@pytest.mark.parametrize("text", ['"unsure, shift"', '["unsure", "shift"]', '["unsure,shift"]'])
def test_conditions_may_be_a_list_or_joined_by_commas(text: str) -> None:
    config(f"fail-on = {text}")
    found = read_config(None, "audit", {"audit": {"fail-on": Option("fail_on", list)}})
    assert found is not None
    assert found.values == {"fail-on": ["unsure", "shift"]}


def test_underscores_numbers_and_lists_of_one(command: Command) -> None:
    config('fail_on = "shift"\nexclude = "z"\n[quantify]\nscore-column = ["p"]\n[evaluate]\nlevel = "high"')
    code, _, err = command("detect", "rows.csv", "other.csv", "--no-multivariate", "--target", "label")
    assert (code, err) == (
        0,
        "note: shiftproof.toml sets --exclude, --fail-on; options on the command line take precedence.\n",
    )
    options = {"quantify": {"score-column": Option("score_column", str), "level": Option("level", float)}}
    config('level = 1\n[quantify]\nscore_column = ["p"]')
    found = read_config(None, "quantify", options)
    assert found is not None
    assert found.values == {"score-column": "p", "level": 1.0}
    config("[quantify]\nscore_column = 2010-01-01")
    found = read_config(None, "quantify", options)
    assert found is not None
    assert found.values == {"score-column": "2010-01-01"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('models = "evil:x"', "models = 'evil:x' lets code run"),
        ('[evaluate]\nmodels = "lr,evil:x"', "models = 'lr,evil:x' lets code run"),
        ('trust = "evil.Model"', "trust = ['evil.Model'] lets code run"),
        ('out = "/elsewhere/page.html"', "out = '/elsewhere/page.html' writes outside this folder"),
        ('out = "../page.html"', "out = '../page.html' writes outside this folder"),
        ('json = "link/found.json"', "json = 'link/found.json' writes outside this folder"),
    ],
)
def test_a_file_that_nobody_named_may_not_run_code_or_write_elsewhere(
    command: Command, text: str, sentence: str
) -> None:
    Path("evil.py").write_text("raise SystemExit(99)")
    Path("link").symlink_to(Path.cwd().parent)
    config(text)
    code, out, err = command("evaluate", "rows.csv", "--target", "label")
    assert (code, out) == (2, "")
    assert err == (
        f"shiftproof: shiftproof.toml: {sentence}, which a file may do only if --config names it; if you trust the "
        "file, pass --config shiftproof.toml.\n"
    )


@pytest.mark.parametrize("line", ['token-file = "known.txt"', 'allow-host = ["evil.example"]', "write = true"])
def test_a_file_that_nobody_named_may_not_open_the_dashboard(command: Command, line: str) -> None:
    config(f"[monitor.serve]\n{line}")
    code, out, err = command("monitor", "serve", "m.db")
    assert (code, out) == (2, "")
    assert "lets others into the dashboard, which a file may do only if --config names it" in err


def test_a_file_that_nobody_named_may_write_to_its_folder() -> None:
    config('out = "pages/page.html"\njson = "-"\nmodels = "lr,mine.skops"')
    options = {"out": Option("out", str, True), "json": Option("json", str, True), "models": Option("models", str)}
    found = read_config(None, "evaluate", {"evaluate": options})
    assert found is not None
    assert found.values == {"out": "pages/page.html", "json": "-", "models": "lr,mine.skops"}


def test_a_named_file_may_run_code_and_write_anywhere(tmp_path: Path) -> None:
    config(f'out = "{tmp_path.parent}/page.html"\nmodels = "mine:x"\ntrust = ["a.B"]', "job.toml")
    options = {"out": Option("out", str, True), "models": Option("models", str), "trust": Option("trust", list)}
    found = read_config(Path("job.toml"), "evaluate", {"evaluate": options})
    assert found is not None
    assert found.values == {"out": f"{tmp_path.parent}/page.html", "models": "mine:x", "trust": ["a.B"]}


def test_a_file_that_is_nested_too_deep(command: Command) -> None:
    config("target = " + "[" * 100_000)
    code, out, err = command("evaluate", "rows.csv", "--target", "label")
    assert (code, out) == (2, "")
    assert err.startswith("shiftproof: shiftproof.toml: not valid TOML (")


def test_a_choice_that_does_not_exist_is_named(command: Command) -> None:
    config('assume = "weak"')
    code, _, err = command("audit", "old.csv", "new.csv", "--target", "label")
    assert code == 2
    assert err.endswith("\nshiftproof: --assume must be one of 'natural', 'no drift', 'prior shift'; got 'weak'.\n")
