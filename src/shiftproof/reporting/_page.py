"""What a page is made of: plain values, no HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from shiftproof.core import InputError, fault

#: How a verdict is coloured.
Tone = Literal["good", "care", "bad", "unknown"]

_ANCHOR = re.compile("[a-z]+(-[a-z]+)*")


@dataclass(frozen=True)
class Drawing:
    """A tiny picture in the cell of a table.

    Parameters
    ----------
    svg : str
        The picture, one of ours such as `shiftproof.plots.sparkline` draws.
    words : str
        What it shows, for screen readers and for those who filter or sort by it.
    """

    svg: str
    words: str


@dataclass(frozen=True)
class Reason:
    """Why the verdict is what it is.

    Parameters
    ----------
    text : str
        One sentence.
    section : str
        The id of the section that shows it.
    """

    text: str
    section: str


@dataclass(frozen=True, kw_only=True)
class Section:
    """One part of a page: a heading, words, then figures, a table and the sections below it.

    Parameters
    ----------
    title : str
        The heading.
    id : str
        What links to it name, of small letters and hyphens; unique on a page. Nothing links to a section without.
    text : str
        One paragraph below the heading.
    figures : sequence of (description, svg)
        Charts, each with the words a screen reader says.
    grid : bool, default False
        Whether the charts are small and stand beside each other, as many as there is room for.
    columns, rows : sequences
        A table; cells are plain values, which are escaped, or a Drawing.
    sortable : bool, default False
        Whether readers may sort the table by its columns, and filter its rows by a word.
    sections : sequence of Section
        What belongs under this heading; those have none of their own.
    """

    title: str
    id: str = ""
    text: str = ""
    figures: Sequence[tuple[str, str]] = ()
    grid: bool = False
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    sortable: bool = False
    sections: Sequence[Section] = ()


@dataclass(frozen=True, kw_only=True)
class Page:
    """A whole page.

    Parameters
    ----------
    title : str
        What the page is about.
    verdict : str
        The answer, in a few words.
    tone : {"good", "care", "bad", "unknown"}
        Its colour.
    summary : str
        The answer in sentences.
    reasons : sequence of Reason
        Why, each with a link to the section that shows it.
    sections : sequence of Section
        In reading order.
    facts : mapping
        Sizes, settings and versions, at the end.
    """

    title: str
    verdict: str
    tone: Tone
    summary: str
    reasons: Sequence[Reason] = ()
    sections: Sequence[Section] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


def every_section(page: Page) -> Iterator[Section]:
    """Yield the sections in reading order, those of the second level after the one they belong to."""
    for section in page.sections:
        yield section
        yield from section.sections


def check_page(page: Page) -> dict[str, str]:
    """Refuse what cannot be linked to, nests too deep or is no table; return the titles by id."""
    titles: dict[str, str] = {}
    for section in every_section(page):
        if section.id and not _ANCHOR.fullmatch(section.id):
            raise fault("id", "be small letters, with hyphens between", section.id, "write it like 'how-we-know'")
        if section.id in titles:
            raise InputError(f"ids must be unique on a page, got {section.id!r} twice; rename one.")
        if section.id:
            titles[section.id] = section.title
        if uneven := [row for row in section.rows if len(row) != len(section.columns)]:
            rule = f"have {len(section.columns)} cells, as many as columns"
            raise fault("rows", rule, len(uneven[0]), f"look at {section.title!r}")
    for section in page.sections:
        if deep := [part.title for part in section.sections if part.sections]:
            raise fault("sections", "hold none of their own below the second level", deep[0], "put them beside it")
    for reason in page.reasons:
        if reason.section not in titles:
            raise fault("section", "be the id of a section", reason.section, f"choose one of {', '.join(titles)}")
    return titles
