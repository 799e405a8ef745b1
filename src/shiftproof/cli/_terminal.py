"""The two consoles, and what all results in a terminal are made of."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from shiftproof.cli._words import in_terminal
from shiftproof.core import Phrase, tame

#: Narrower terminals get fewer columns, so that the names of the features stay.
NARROW = 72
_BAR = 12
# The names of the models, which fold, leave room for the measures.
_MODEL_WIDTH = 32
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


def show_note(console: Console, words: str | Phrase) -> None:
    """Print something that was understood, but that the user should look at."""
    console.print(Text.assemble(("note:", "yellow"), " ", tame(in_terminal(words))), soft_wrap=True)


def show_line(console: Console, head: str, words: str, style: str = "bold") -> None:
    """Print a sentence behind what it is about."""
    console.print(Text.assemble((head, style), ": ", text(console, words)))


def plain_table() -> Table:
    """Make a table without lines."""
    return Table(box=None, pad_edge=False, header_style="bold", collapse_padding=True)


def sized(console: Console, size: float, words: str, style: str) -> Text:
    """Write a size behind a bar, where there is room for one."""
    filled = min(round(size * _BAR), _BAR) if size == size else 0
    bar = "" if console.width < NARROW else "█" * filled + "·" * (_BAR - filled) + " "
    return text(console, bar, style).append_text(text(console, words))


def text(console: Console, words: str, style: str = "") -> Text:
    """Make text safe for a terminal, in the characters that it knows."""
    words = tame(words)
    return Text(words.translate(_ASCII) if console.options.ascii_only else words, style)


def show_columns(console: Console, names: list[Text], cells: Mapping[str, list[str]], *, head: str = "model") -> None:
    """Print models, or what the head says, by columns, in as many tables as the width asks for."""
    models = min(max(cell_len(head), *(name.cell_len for name in names)), _MODEL_WIDTH)
    for part in _side_by_side({name: [name, *column] for name, column in cells.items()}, console.width - models):
        table = plain_table()
        table.add_column(head, overflow="fold", min_width=min(models, console.width // 3), max_width=_MODEL_WIDTH)
        for column in part:
            table.add_column(column, overflow="fold")
        for at, model in enumerate(names):
            table.add_row(model, *(text(console, cells[column][at], str(model.style)) for column in part))
        console.print(table)
        console.print()


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
