"""How results look in a terminal."""

from __future__ import annotations

import json
import re
import shlex
import sys
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from shiftproof.detection import Detection, FeatureShift

STYLES = {"shifted": "bold red", "negligible": "yellow", "no shift": "green", "cannot say": "dim"}
_BAR = 12
# Narrower terminals get fewer columns, so that the names of the features stay.
_NARROW = 72

# Control characters would steer the terminal, and marks of direction would turn the line around.
_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_KINDS = re.compile(r"kinds=\{'(.+?)': '(\w+)'\}")
_ARGUMENTS = re.compile(r"^(?:kinds\[('.+?')\]|(alpha|exclude|kind)s?\b)")
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
    >>> as_options("alpha must lie between 0 and 1")
    '--alpha must lie between 0 and 1'
    """
    words = _KINDS.sub(lambda found: f"--kind {shlex.quote('='.join(found.groups()))}", words)
    return _ARGUMENTS.sub(lambda found: f"--kind for {found[1]}" if found[1] else f"--{found[2]}", words)


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
        console.print(_text(console, f"… and {len(result.rows) - most} more tests; --all shows them.", "dim"))
    for row in result.rows[:most]:
        if row.note:
            console.print(_text(console, f"{row.label}: {row.note}", "dim"))
    console.print()
    verdict = _text(console, result.verdict.upper(), STYLES[result.verdict])
    console.print(verdict, _text(console, result.summary()), sep="  ")


def _cells(console: Console, row: FeatureShift) -> tuple[Text, ...]:
    known = row.effect == row.effect
    filled = min(round(row.effect * _BAR), _BAR) if known else 0
    bar = "" if console.width < _NARROW else "█" * filled + "·" * (_BAR - filled) + " "
    name = {"ks": "KS", "chi-square": "Hellinger", "missing": "missing", "infinite": "infinite"}.get(row.test, "")
    size = _text(console, bar, STYLES[row.verdict])
    size.append_text(_text(console, f"{row.effect:.2f} {name}" if known else "–"))
    q = "–" if row.q_value != row.q_value else "<1e-16" if row.q_value < 1e-16 else f"{row.q_value:.2g}"
    missing = f"{row.missing_reference:.0%} → {row.missing_current:.0%}"
    quiet = row.missing_reference == row.missing_current == 0
    return (
        _text(console, row.label),
        _text(console, row.kind, "dim"),
        size,
        _text(console, q),
        _text(console, "–" if quiet else missing, "dim" if quiet else ""),
        _text(console, row.verdict, STYLES[row.verdict]),
    )


def _text(console: Console, words: str, style: str = "") -> Text:
    words = tame(words)
    return Text(words.translate(_ASCII) if console.options.ascii_only else words, style)
