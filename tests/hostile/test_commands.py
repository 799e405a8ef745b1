"""Every command with every hostile file and option: the plain answer, or status 2 and one line on what is wrong."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer
from tests.hostile._call import losses, plain
from tests.hostile._files import BAD_FILES, SAME_FILES
from tests.hostile._verbs import every_nth, figures_of

from shiftproof import read
from shiftproof.cli import run
from shiftproof.cli._app import app

MODELS = ["--models", "tests.hostile._call:two_models"]
FITTING = ["--target", "y", *MODELS]
#: How each command is called; A, B and L stand for labelled rows, new rows and losses.
COMMANDS: dict[str, list[str]] = {
    "evaluate": ["A", *FITTING, "--folds", "2"],
    "stress": ["A", *FITTING, "--families", "base,mcar"],
    "detect": ["A", "B", "--target", "y", "--no-multivariate"],
    "select": ["A", "B", *FITTING, "--folds", "2", "--no-reverse"],
    "quantify": ["A", "B", *FITTING, "--folds", "2", "--no-check"],
    "audit": ["A", "B", *FITTING, "--folds", "2", "--quick", "--no-page"],
    "backtest": ["A", *FITTING, "--folds", "2", "--time", "a", "--periods", "3"],
    "compare": ["L"],
}
FILES = {"A": plain().X.assign(y=plain().y), "B": plain().new, "L": losses()}
# Of harmless files a command reads one after the other in turn: all of them are read by the same function.
QUICK_COMMANDS = ("evaluate", "detect", "compare")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")


class Run:
    """A run of a command: its status, and what it wrote."""

    def __init__(self, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        self.code = run(arguments)
        self.out, self.err = capsys.readouterr()

    def check_refusal(self, *patterns: str) -> None:
        """Check that bad input is one line on standard error, and status 2."""
        assert (self.code, self.out) == (2, "")
        assert self.err.startswith("shiftproof: ")
        assert self.err.count("\n") == 1
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", self.err), "control characters reach the terminal"
        for pattern in patterns:
            assert re.search(pattern, self.err), self.err


def write(folder: Path) -> dict[str, str]:
    """Write the plain files."""
    paths = {letter: folder / f"{letter}.csv" for letter in FILES}
    for letter, path in paths.items():
        FILES[letter].to_csv(path, index=False)
    return {letter: str(path) for letter, path in paths.items()}


def arguments(command: str, paths: dict[str, str]) -> list[str]:
    return [command, *(paths.get(word, word) for word in COMMANDS[command])]


def test_every_command_is_attacked() -> None:
    # The demo brings its own data; the commands of the monitor are attacked in tests/cli/test_monitor.py, and
    # `reproduce`, which reads data sets by name, in tests/cli/test_reproduce.py.
    names = {name for name in _parameters() if name not in ("demo", "monitor", "reproduce")}
    assert names == {*COMMANDS}


def _in_turn(commands: Iterable[str]) -> list[tuple[str, str]]:
    """Give every command some files, each others: one function reads them all, and is tried with all."""
    return [(command, name) for row, command in enumerate(commands) for name in every_nth(list(BAD_FILES), 4, row)]


def _names(path: str, name: str) -> str:
    if name == "a header alone":
        return "the file has a header but no rows; check how it was written"
    return "name is too long|: the file" if name == "a name of 5,000 letters" else re.escape(Path(path).name[:50])


@pytest.mark.parametrize(("command", "name"), _in_turn(COMMANDS))
def test_file_that_holds_no_table(command: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = write(tmp_path)
    letter = COMMANDS[command][0]
    (tmp_path / "bad").mkdir()
    paths[letter] = str(BAD_FILES[name](tmp_path / "bad", FILES["A"]))
    Run(arguments(command, paths), capsys).check_refusal(_names(paths[letter], name))


@pytest.mark.parametrize(("command", "name"), _in_turn(command for command, words in COMMANDS.items() if "B" in words))
def test_second_file_that_holds_no_table(
    command: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = write(tmp_path)
    (tmp_path / "bad").mkdir()
    paths["B"] = str(BAD_FILES[name](tmp_path / "bad", FILES["B"]))
    Run(arguments(command, paths), capsys).check_refusal(_names(paths["B"], name))


@pytest.mark.parametrize("name", SAME_FILES)
def test_read_takes_the_table_however_it_is_written(name: str, tmp_path: Path) -> None:
    paths = write(tmp_path)
    (tmp_path / "same").mkdir()
    path = SAME_FILES[name](tmp_path / "same", FILES["A"])
    pd.testing.assert_frame_equal(read(path), read(paths["A"]), check_dtype=False)


@pytest.mark.parametrize("name", BAD_FILES)
def test_read_refuses_what_holds_no_table(name: str, tmp_path: Path) -> None:
    from shiftproof import FileError, InputError

    path = BAD_FILES[name](tmp_path, FILES["A"])
    if name == "a header alone":
        assert not len(read(path))
        return
    with pytest.raises(InputError) as caught:
        read(path)
    assert isinstance(caught.value, FileError)
    assert "\n" not in str(caught.value)
    assert re.search(_names(str(path), name), str(caught.value))


_PLAIN: dict[str, tuple[float, ...]] = {}


def _figures(command: str, paths: dict[str, str], capsys: pytest.CaptureFixture[str]) -> tuple[float, ...]:
    made = Run([*arguments(command, paths), "--json", "-"], capsys)
    assert made.code == 0, made.err
    return tuple(figures_of(json.loads(made.out)))


@pytest.mark.parametrize(("command", "name"), [(QUICK_COMMANDS[i % 3], name) for i, name in enumerate(SAME_FILES)])
def test_answer_does_not_depend_on_how_the_file_is_written(
    command: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = write(tmp_path)
    if command not in _PLAIN:
        _PLAIN[command] = _figures(command, paths, capsys)
    (tmp_path / "same").mkdir()
    letter = COMMANDS[command][0]
    paths[letter] = str(SAME_FILES[name](tmp_path / "same", FILES[letter]))
    np.testing.assert_allclose(_figures(command, paths, capsys), _PLAIN[command], rtol=1e-9)


# --- options --------------------------------------------------------------------------------------------------------

#: Values that no option of this kind accepts, by what its help calls the value.
HOSTILE: dict[str, list[str]] = {
    "COL": ["zz", "", "a,b", "\x1b[31m"],
    "COLS": ["zz", "", "a,zz"],
    "COL=KIND": ["a", "=nominal", "zz=nominal", "a=nominl"],
    "natural|none": ["some", ""],
    "N": ["x", "-5", "1.5", "nan", "1e400"],
    "P": ["x", "-0.5", "2", "nan", "0"],
    "X": ["x", "-1", "nan"],
    "NAME": ["acuracy", "", "\x1b[31m"],
    "NAMES": ["lrr", "", ",", "no_such_module:models"],
    "METHOD": ["Z", ""],
    "HOW": ["mean", ""],
    "TEST": ["nemeny", ""],
    "LENGTH": ["fortnight", ""],
    "WHAT": ["nonsense", ""],
    "LABEL": ["maybe", ""],
    "DATE": ["tomorrow", ""],
    "FP=1,FN=5": ["FP", "FP=x", "FP=nan,FN=1", "XX=1", ""],
    "FILE": [".", "no/such/folder/\0.html"],
    "FILE|FOLDER": ["A.csv/page.html"],
    "FOLDER": ["A.csv"],
    "URL": ["nonsense", "dask://nowhere", ""],
    # Any text is a type's name, or a mark for missing values.
    "TYPE": [],
    "TEXT": [],
}
# What errors call what an option stands for.
NAMED = defaultdict(lambda: "^$", {"--cost": "FP|FN", "--labels": "is a folder"})
# What an option needs beside it to be looked at.
BESIDE = {"--every": ["--by", "c"], "--split": ["--time", "a"], "--time": ["--split", "0"]}


def _parameters() -> dict[str, list[Any]]:
    group: Any = typer.main.get_command(app)
    return {name: command.params for name, command in group.commands.items()}


def _options() -> Iterator[Any]:
    for row, (command, parameters) in enumerate(_parameters().items()):
        for parameter in parameters if command in COMMANDS else ():
            option = parameter.opts[-1]
            if not option.startswith("--") or parameter.is_flag:
                continue
            # A negative number of jobs leaves so many cores free.
            values = ["x", "0", "1.5"] if option == "--jobs" else HOSTILE[parameter.metavar]
            for value in every_nth(values, 2, row) if values else ():
                yield pytest.param(command, option, value, id=f"{command} {option} {value!r}")


@pytest.mark.parametrize(("command", "option", "value"), list(_options()))
def test_option_with_a_hostile_value(
    command: str, option: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = arguments(command, write(tmp_path))
    if option in words:
        place = words.index(option)
        words[place : place + 2] = []
    # The time of a split divides one file, so the second is left out.
    alone = command in ("evaluate", "backtest") or (command, option) == ("audit", "--every")
    beside = [] if alone else BESIDE.get(option, [])
    if option in ("--split", "--time") and beside:
        words = [word for word in words if not word.endswith("B.csv")]
    if option in ("--method-column", "--loss-column"):
        # Of a table with one row per loss.
        long = FILES["L"].melt("dataset", var_name="method", value_name="loss")
        long.to_csv(tmp_path / "L.csv", index=False)
    Run([*words, *beside, option, value], capsys).check_refusal(
        f"{option}|{option[2:].split('-', maxsplit=1)[0]}|{NAMED[option]}"
    )


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", ["--out", "--json"])
def test_output_that_is_an_input_is_refused(
    command: str, option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = write(tmp_path)
    letter = COMMANDS[command][0]
    before = Path(paths[letter]).read_bytes()
    words = [word for word in arguments(command, paths) if word != "--no-page"]
    Run([*words, option, paths[letter]], capsys).check_refusal(re.escape(option))
    assert Path(paths[letter]).read_bytes() == before


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "words",
    [["--no-such-option"], ["--seed"], ["surplus.csv", "more.csv", "most.csv"]],
    ids=["unknown", "bare", "surplus"],
)
def test_misuse_is_one_line(command: str, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Run([*arguments(command, write(tmp_path)), *words], capsys).check_refusal(
        r"see 'shiftproof|[Dd]id you mean|Possible"
    )


# --- words that attack the reader -----------------------------------------------------------------------------------

PAYLOADS = {
    "markup": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "quotes": "\"'><b onmouseover=alert(1)>",
    "escapes": "\x1b[31mred\x1b]0;title\x07",
    "bidi": "\u202egnp.exe\u2066",
    "line ends": "a\u2028b\u2029c\x85d",
    "rich markup": "[bold red]x[/bold red] [link=http://evil]y[/link]",
    "template": "{{7*7}} {% raw %} ${7*7}",
    "mathtext": r"$\frac{1}{$",
    "formula": "=cmd|' /C calc'!A0",
    "zero": "a\0b",
}


class _Tags(HTMLParser):
    """Collects tags and attributes as a browser sees them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)


def _named(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(**{name: table["a"] + place for place, name in enumerate(PAYLOADS.values())})


def _in_cells(table: pd.DataFrame) -> pd.DataFrame:
    cells = np.resize(np.array([*PAYLOADS.values()], dtype=object), len(table))
    return table.assign(c=cells)


def _as_labels(table: pd.DataFrame) -> pd.DataFrame:
    labels = np.resize(np.array([*PAYLOADS.values()], dtype=object), len(table))
    return table.assign(y=labels) if "y" in table else table


@pytest.mark.parametrize(("command", "change"), [("detect", _named), ("detect", _in_cells), ("evaluate", _as_labels)])
def test_words_of_the_data_stay_words(
    command: str,
    change: Callable[[pd.DataFrame], pd.DataFrame],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    paths = {letter: str(tmp_path / f"{letter}.parquet") for letter in "AB"}
    for letter, path in paths.items():
        change(FILES[letter]).to_parquet(path)
    page, facts = tmp_path / "page.html", tmp_path / "facts.json"
    made = Run([*arguments(command, paths), "--out", str(page), "--json", str(facts)], capsys)
    assert made.code == 0, made.err
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", made.out + made.err)
    seen = _Tags()
    seen.feed(page.read_text(encoding="utf-8"))
    assert not seen.tags & {"img", "b"}
    assert not [name for name in seen.attributes if name.startswith("on")]
    assert page.read_text(encoding="utf-8").count("<script") == 1
    json.loads(facts.read_text(encoding="utf-8"))


def _commands(group: Any, *words: str) -> Iterator[tuple[list[str], list[Any]]]:
    """Yield every command below a group, as words, with its parameters."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, *words, name)
        elif name not in ("demo", "reproduce"):  # these read no file, and take long
            yield [*words, name], command.params


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://bob:hunter2@127.0.0.1/db?table=d3",
        "https://bob:hunter2@example.org/calls.csv",
        "https://example.org/calls.csv?user=bob&password=hunter2",
        "duckdb://bob:hunter2@calls.db?table=a",
        "mysql://bob:x/@hunter2@example.org/db",
        "host=127.0.0.1 user=bob password='a hunter2' dbname=db",
        "Server=127.0.0.1;Database=db;Pwd=hunter2;",
    ],
)
def test_no_command_shows_the_password_of_an_address(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = write(tmp_path)
    for words, parameters in _commands(typer.main.get_command(app)):
        named = [one for one in parameters if one.param_type_name == "argument"]
        options = [one.opts[0] for one in parameters if one.param_type_name == "option" and not one.is_flag]
        calls = [[address] * len(named), *([*[paths["A"]] * len(named), option, address] for option in options)]
        for arguments in calls:
            run([*words, *arguments])
            assert "hunter2" not in "".join(capsys.readouterr()), [*words, *arguments]
