"""The two consoles, and what is written to them besides results."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import IO, Any, cast

from rich.console import Console
from rich.text import Text

from shiftproof.core import tame

#: The value of --json that means standard output.
STANDARD_OUTPUT = Path("-")


class _Trimmed:
    """Standard output without blanks at the ends of lines, with which tables fill a terminal's width."""

    # Looked up each time, as rich does: a command replaces the stream.
    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stdout, name)

    def write(self, text: str) -> int:
        sys.stdout.write(re.sub(r" +(?=\n)", "", text))
        return len(text)


def consoles() -> tuple[Console, Console]:
    """Return the console for results and the one for progress, on standard output and standard error."""
    # Two streams, so that notes and bars never mix with a result that is piped elsewhere.
    results = Console(soft_wrap=False)
    if not results.is_terminal:
        results.file = cast("IO[str]", _Trimmed())
    return results, Console(stderr=True)


def write_json(result: dict[str, Any], where: Path) -> None:
    """Write a result as JSON to a file, or to standard output for ``-``."""
    from shiftproof.reporting import write_whole

    # A file is UTF-8; a terminal or a pipe may be less.
    ascii_only = where == STANDARD_OUTPUT and not (sys.stdout.encoding or "").lower().startswith("utf")
    text = json.dumps(result, indent=2, ensure_ascii=ascii_only, allow_nan=False) + "\n"
    if where == STANDARD_OUTPUT:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_whole(where, text)


def show_note(console: Console, words: str, head: str = "note") -> None:
    """Print something that the user should look at, though the command went on."""
    console.print(Text.assemble((f"{head}:", "yellow"), " ", tame(words)), soft_wrap=True)
