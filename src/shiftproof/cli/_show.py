"""How results look in a terminal."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from shiftproof.detection import Detection, FeatureShift
    from shiftproof.evaluation import Evaluation

STYLES = {"shifted": "bold red", "negligible": "yellow", "no shift": "green", "cannot say": "dim"}
_BAR = 12
# Narrower terminals get fewer columns, so that the names of the features stay.
_NARROW = 72
# The names of the models, which fold, leave room for the measures.
_MODEL_WIDTH = 32

# Control characters would steer the terminal, and marks of direction would turn the line around.
_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_KINDS = re.compile(r"""kinds=\{(['"])(.+?)\1: '(\w+)'\}""")
_EXCLUDE = re.compile(r"""exclude=\[(['"])(.+?)\1\]""")
# A sentence about an argument goes on so; a file may have the name of one.
_ARGUMENT = re.compile(r"^(?:kinds\[(?P<column>'.+?')\]|(?P<name>\w+))(?= must | names )")
_FOLDS = re.compile(r"(?<=; )cv=(\d+)(?= is the largest that works)")
_OPTIONS = {
    "X": "the table",
    "alpha": "--alpha",
    "benefit": "--cost",
    "by": "--by",
    "cv": "--folds",
    "exclude": "--exclude",
    "groups": "--groups",
    "kinds": "--kind",
    "level": "--level",
    "only": "--models",
    "pos_label": "--positive",
    "random_state": "--seed",
    "threshold": "--threshold",
    "time": "--time",
    "y": "--target",
}
_ASCII = str.maketrans("█·–→…", "#.->~")


def consoles() -> tuple[Console, Console]:
    """Return the console for results and the one for progress, on standard output and standard error."""
    return Console(soft_wrap=False), Console(stderr=True)


def write_json(result: dict[str, Any], where: str) -> None:
    """Write a result as JSON to a file, or to standard output for ``-``."""
    from shiftproof.reporting import write_whole

    # A file is UTF-8; a terminal or a pipe may be less.
    ascii_only = where == "-" and not (sys.stdout.encoding or "").lower().startswith("utf")
    text = json.dumps(result, indent=2, ensure_ascii=ascii_only, allow_nan=False) + "\n"
    if where == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_whole(where, text)


def tame(words: str) -> str:
    r"""Make text from elsewhere safe for a terminal.

    Examples
    --------
    >>> tame("\x1b[31mred")
    '�[31mred'
    """
    return _STEERING.sub("\N{REPLACEMENT CHARACTER}", words)


def as_options(words: str) -> str:
    """Call arguments by the names they have on the command line.

    Examples
    --------
    >>> as_options("pass kinds={'zip code': 'nominal'} to test it.")
    "pass --kind 'zip code=nominal' to test it."
    >>> as_options("pass exclude=['zip code'] to leave it out.")
    "pass --exclude 'zip code' to leave it out."
    >>> as_options("alpha must lie between 0 and 1")
    '--alpha must lie between 0 and 1'
    >>> as_options("cv must be at most 3, the rows of the rarest class 'a', got 10; cv=3 is the largest that works.")
    "--folds must be at most 3, the rows of the rarest class 'a', got 10; --folds 3 is the largest that works."
    """
    words = _KINDS.sub(lambda found: f"--kind {shlex.quote(f'{found[2]}={found[3]}')}", words)
    words = _EXCLUDE.sub(lambda found: f"--exclude {shlex.quote(found[2])}", words)
    return _ARGUMENT.sub(_option, _FOLDS.sub(r"--folds \1", words))


def _option(found: re.Match[str]) -> str:
    return f"--kind for {found['column']}" if found["column"] else _OPTIONS.get(found["name"], found["name"])


def show_note(console: Console, words: str) -> None:
    """Print something that was understood, but that the user should look at."""
    console.print(Text.assemble(("note:", "yellow"), " ", tame(as_options(words))), soft_wrap=True)


def show_detection(console: Console, result: Detection, *, most: int) -> None:
    """Print the table of tests, the verdict and the sentences."""
    narrow = console.width < _NARROW
    table = Table(box=None, pad_edge=False, header_style="bold", collapse_padding=True)
    table.add_column("feature", overflow="fold", min_width=8, max_width=32)
    if not narrow:
        table.add_column("kind", overflow="fold", max_width=32)
    table.add_column("size of change", no_wrap=True)
    table.add_column("q-value", justify="right", no_wrap=True)
    if not narrow:
        table.add_column("missing", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for row in result.rows[:most]:
        feature, kind, size, q_value, missing, verdict = _cells(console, row)
        table.add_row(
            *([feature, size, q_value, verdict] if narrow else [feature, kind, size, q_value, missing, verdict])
        )
    console.print(table)
    if len(result.rows) > most:
        hidden = len(result.rows) - most
        told = f"… and {hidden} more test{'s' * (hidden != 1)}; --all shows {'them' if hidden != 1 else 'it'}."
        console.print(_text(console, told, "dim"))
    for row in result.rows[:most]:
        if row.note:
            console.print(_text(console, f"{row.label}: {row.note}", "dim"))
    console.print()
    verdict = _text(console, result.verdict.upper(), STYLES[result.verdict])
    console.print(verdict, _text(console, result.summary()), sep="  ")


def _cells(console: Console, row: FeatureShift) -> tuple[Text, ...]:
    from shiftproof.reporting import chance, effect, share

    known = row.effect == row.effect
    filled = min(round(row.effect * _BAR), _BAR) if known else 0
    bar = "" if console.width < _NARROW else "█" * filled + "·" * (_BAR - filled) + " "
    name = {"ks": "KS", "chi-square": "Hellinger", "missing": "missing", "infinite": "infinite"}.get(row.test, "")
    size = _text(console, bar, STYLES[row.verdict])
    size.append_text(_text(console, f"{effect(row.effect)} {name}" if known else "–"))
    missing = f"{share(row.missing_reference) or '–'} → {share(row.missing_current) or '–'}"
    quiet = row.missing_reference == row.missing_current == 0
    return (
        _text(console, row.label),
        _text(console, row.kind, "dim"),
        size,
        _text(console, chance(row.q_value) or "–"),
        _text(console, "–" if quiet else missing, "dim" if quiet else ""),
        _text(console, row.verdict, STYLES[row.verdict]),
    )


def _text(console: Console, words: str, style: str = "") -> Text:
    words = tame(words)
    return Text(words.translate(_ASCII) if console.options.ascii_only else words, style)


#: The measures that are shown unless all are asked for.
MAIN_MEASURES = ("accuracy", "auc", "f1", "brier", "profit")


def show_evaluation(console: Console, result: Evaluation, *, everything: bool = False) -> None:
    """Print models by measures with their intervals, in as many tables as the width asks for, then the verdict."""
    computed = list(result.estimates[result.best])
    shown = [name for name in computed if everything or name in MAIN_MEASURES or name == result.by]
    shown.sort(key=lambda name: name != result.by)  # what ranks comes first
    cells = {
        name: [name.replace("_", " "), *(str(result.estimates[model][name]) for model in result.ranking)]
        for name in shown
    }
    names = [_text(console, model, "" if model in result.within_noise else "dim") for model in result.ranking]
    models = min(max(cell_len("model"), *(name.cell_len for name in names)), _MODEL_WIDTH)
    for part in _side_by_side(cells, console.width - models):
        table = Table(box=None, pad_edge=False, header_style="bold", collapse_padding=True)
        table.add_column("model", overflow="fold", min_width=min(models, console.width // 3), max_width=_MODEL_WIDTH)
        for name in part:
            table.add_column(cells[name][0], overflow="fold")
        for at, model in enumerate(names, 1):
            table.add_row(model, *(_text(console, cells[name][at], str(model.style)) for name in part))
        console.print(table)
        console.print()
    console.print(_text(console, result.summary()))


def _side_by_side(cells: Mapping[str, Iterable[str]], room: int) -> list[list[str]]:
    """Put columns into as few tables as have room for them, at least one column in each."""
    tables: list[list[str]] = []
    left = 0
    for name, column in cells.items():
        width = max(map(len, column)) + 1
        if not tables or width > left:
            tables.append([])
            left = room
        tables[-1].append(name)
        left -= width
    return tables
