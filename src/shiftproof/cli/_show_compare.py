"""How a comparison of methods looks in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from shiftproof.cli._terminal import text

if TYPE_CHECKING:
    from shiftproof.comparison import Comparison


def show_comparison(console: Console, found: Comparison) -> None:
    """Print one line per method, dim where it differs from the first, then the tests and the answer."""
    from shiftproof.reporting import print_section

    print_section(console, found.sections().ranks)
    console.print(text(console, found.summary()))
