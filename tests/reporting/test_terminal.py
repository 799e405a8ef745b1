"""Sections in a terminal: in its width, in its characters, and with nothing that steers it."""

from __future__ import annotations

import io

from rich.console import Console

from shiftproof.core import Sensitive
from shiftproof.reporting import Bar, Detail, Drawing, Section, print_section, print_verdict


def terminal(width: int, *, encoding: str = "utf-8", colour: bool = False) -> Console:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
    return Console(file=stream, width=width, force_terminal=colour, color_system="standard" if colour else None)


def printed(console: Console) -> list[str]:
    stream = console.file
    assert isinstance(stream, io.TextIOWrapper)
    assert isinstance(stream.buffer, io.BytesIO)
    return [line.rstrip() for line in stream.buffer.getvalue().decode(stream.encoding).splitlines()]


SECTION = Section(
    title="Shares",
    text="Words below.",
    columns=("class", "share", Detail("more"), "interval"),
    rows=[("yes", Bar(0.5, "50%", "good"), 1, "40% – 60%"), ("no", Bar(0.25, "25%"), 2, None)],
    faint=[1],
)


def test_print_section_has_bars_and_no_details() -> None:
    console = terminal(80)
    print_section(console, SECTION)
    assert printed(console) == [
        "class share            interval",
        "yes   ██████······ 50% 40% – 60%",
        "no    ███········· 25% –",
        "",
        "Words below.",
        "",
    ]


def test_print_section_without_its_text() -> None:
    console = terminal(80)
    print_section(console, SECTION, text=False)
    assert "Words below." not in printed(console)


def test_a_narrow_terminal_has_no_bars_and_more_tables() -> None:
    console = terminal(16)
    print_section(console, SECTION, text=False)
    lines = printed(console)
    assert max(map(len, lines)) <= 16
    assert [line for line in lines if line.startswith("class")] == ["class share", "class interval"]
    assert "█" not in "".join(lines)


def test_a_terminal_without_unicode_gets_ascii() -> None:
    console = terminal(80, encoding="ascii")
    print_section(console, SECTION)
    assert "yes   ######...... 50% 40% - 60%" in printed(console)


def test_numbers_stand_right_and_faint_rows_are_dim() -> None:
    console = terminal(80, colour=True)
    rows = [("a", "1.00", Drawing("<svg></svg>", "lower")), ("b", "10.00", "")]
    print_section(console, Section(title="", columns=("name", "rank", Detail("picture")), rows=rows, faint=[1]))
    lines = printed(console)
    assert lines[1] == "a     1.00"
    assert "\x1b[2mb" in lines[2]


def test_text_that_steers_the_terminal_is_tamed() -> None:
    console = terminal(80)
    print_section(console, Section(title="", columns=("\x1b[31mname",), rows=[("[bold]x\x1b[2J",), (Sensitive("y"),)]))
    assert "\x1b" not in "".join(printed(console))
    assert "[bold]x�[2J" in "\n".join(printed(console))


def test_print_verdict_numbers_the_reasons() -> None:
    console = terminal(80)
    print_verdict(console, "Do not trust", "bad", ["One.", "Two."])
    assert printed(console) == ["Do not trust", "", "1. One.", "2. Two.", ""]


def test_print_section_cuts_cells_that_would_fill_the_screen() -> None:
    console = terminal(80)
    print_section(console, Section(title="", columns=("name",), rows=[("x" * 10_000,)]))
    assert len(printed(console)) < 15
