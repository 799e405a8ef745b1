"""Parts of a page in a terminal, in tables that fit its width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shiftproof.core import shortened, tame
from shiftproof.reporting._page import Bar, Detail, Section, Tone
from shiftproof.reporting._render import cell, sides

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text as Styled

#: Narrower terminals get no bars, so that names and numbers stay.
NARROW = 72
_BAR = 12
# The names of the first column, which fold, leave room for the others.
_NAME_WIDTH = 32
# A longer cell would fill the screen.
_LONGEST_CELL = 300
_ASCII = str.maketrans("█·–→…", "#.->~")
STYLES: dict[Tone, str] = {"good": "bold green", "care": "bold yellow", "bad": "bold red", "unknown": "bold"}
_COLOURS: dict[Tone, str] = {"good": "green", "care": "yellow", "bad": "red", "unknown": ""}


def print_verdict(console: Console, verdict: str, tone: Tone, reasons: Sequence[str] = ()) -> None:
    """Print the answer in its colour, and the reasons for it."""
    from rich.table import Table

    console.print(styled(console, verdict, STYLES[tone]))
    console.print()
    if reasons:
        table = Table.grid(padding=(0, 1))
        for number, reason in enumerate(reasons, 1):
            table.add_row(f"{number}.", styled(console, reason))
        console.print(table)
        console.print()


def print_section(console: Console, section: Section, *, text: bool = True) -> None:
    """Print the table of a section, in as many parts as the width asks for, then its words.

    Parameters
    ----------
    console : Console
        Where to print.
    section : Section
        What to print; columns that are a `Detail` and charts are left out.
    text : bool, default True
        Whether to print the paragraph of the section.
    """
    if section.rows:
        _print_table(console, section)
    if text and str(section.text):
        console.print(styled(console, str(section.text), "dim"))
        console.print()


def styled(console: Console, words: str, style: str = "") -> Styled:
    """Make text safe for a terminal, in the characters that it knows."""
    from rich.text import Text as Styled

    words = tame(words)
    return Styled(words.translate(_ASCII) if console.options.ascii_only else words, style)


def _print_table(console: Console, section: Section) -> None:
    from rich.table import Table

    alignment = sides(section)
    kept = [place for place, column in enumerate(section.columns) if not isinstance(column, Detail)]
    styles = ["dim" if number in section.faint else "" for number in range(len(section.rows))]
    columns = {
        place: [_cell(console, row[place], style) for row, style in zip(section.rows, styles, strict=True)]
        for place in kept
    }
    names, heads = kept[0], {place: styled(console, str(section.columns[place])) for place in kept}
    widths = {place: max(text.cell_len for text in [heads[place], *columns[place]]) for place in kept}
    first = min(widths[names], _NAME_WIDTH)
    for part in _side_by_side({place: widths[place] for place in kept[1:]}, console.width - first):
        table = Table(box=None, pad_edge=False, header_style="bold", collapse_padding=True)
        table.add_column(heads[names], overflow="fold", min_width=min(first, console.width // 3), max_width=_NAME_WIDTH)
        for place in part:
            # Bars begin at one place, so that their lengths can be compared.
            bars = any(isinstance(row[place], Bar) for row in section.rows)
            right = alignment[place] == "right" and not bars
            table.add_column(heads[place], overflow="fold", justify="right" if right else "left")
        for texts in zip(*(columns[place] for place in [names, *part]), strict=True):
            table.add_row(*texts)
        console.print(table)
        console.print()


def _cell(console: Console, value: object, style: str) -> Styled:
    if not isinstance(value, Bar):
        return styled(console, shortened(cell(value), _LONGEST_CELL) or "–", style)
    colour = _COLOURS[value.tone]
    if console.width < NARROW:
        return styled(console, value.words, colour or style)
    filled = min(round(value.size * _BAR), _BAR) if value.size == value.size else 0
    bar = styled(console, "█" * filled + "·" * (_BAR - filled) + " ", colour)
    return bar.append_text(styled(console, value.words, style))


def _side_by_side(widths: dict[int, int], room: int) -> list[list[int]]:
    """Put columns into as few tables as have room for them, at least one in each; else one empty table."""
    tables: list[list[int]] = []
    left = 0
    for place, width in widths.items():
        if not tables or width + 1 > left:
            tables.append([])
            left = room
        tables[-1].append(place)
        left -= width + 1
    return tables or [[]]
