"""The parts of a page: plain values, no HTML and no terminal codes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Literal

from shiftproof.core import Phrase, Text, fault

#: How a verdict is coloured.
Tone = Literal["good", "care", "bad", "unknown"]

# Names in links need no escaping, and no anchor of ours begins with "_", as those of the template do.
_ANCHOR = re.compile("[a-z]+(-[a-z]+)*")


@dataclass(frozen=True)
class Figure:
    """A chart that is drawn only when a page is rendered, so that a terminal need not draw it.

    Parameters
    ----------
    words : str, Sensitive or Phrase
        What it shows, for screen readers.
    draw : callable
        Returns the SVG.
    draw_redacted : callable, optional
        Returns the SVG without cells of the user's data; needed only where `draw` shows some.
    over_time : bool
        Whether time runs to the right: on a screen that is too narrow, the chart then opens at the latest time.
    """

    words: Text
    draw: Callable[[], str]
    draw_redacted: Callable[[], str] | None = None
    over_time: bool = False


@dataclass(frozen=True)
class Drawing:
    """A tiny picture in the cell of a table.

    Parameters
    ----------
    svg : str
        The picture, without any text, such as `shiftproof.plots.sparkline` draws.
    words : str, Sensitive or Phrase
        What it shows, for screen readers, and for filtering and sorting.
    axis : str, Sensitive or Phrase
        What its width spans, such as "18 to 70"; it stands below the picture.
    """

    svg: str
    words: Text
    axis: Text = ""


@dataclass(frozen=True)
class Bar:
    """A share or a size in the cell of a table, which a terminal draws as a bar before the words.

    Parameters
    ----------
    size : float
        From 0, no bar, to 1, the whole of it.
    words : str
        The size in words.
    tone : {"good", "care", "bad", "unknown"}
        The colour of the bar.
    """

    size: float
    words: str
    tone: Tone = "unknown"

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Detail:
    """The head of a column that terminals and phones leave out to save room."""

    name: Text

    def __str__(self) -> str:
        return str(self.name)


@dataclass(frozen=True, kw_only=True)
class Section:
    """One part of a page: a heading, words, then figures, a table and the sections below it.

    Parameters
    ----------
    title : str, Sensitive or Phrase
        The heading.
    anchor : str
        What links to it name, of small letters and hyphens; unique on a page. Nothing links to a section without.
    text : str, Sensitive or Phrase
        One paragraph below the heading.
    figures : sequence of Figure
        Charts.
    grid : bool, default False
        Whether the charts are small and stand beside each other, as many as there is room for.
    beside : bool, default False
        Whether the table stands beside the chart where there is room for both.
    key : pair of str, or empty
        What the colours of the reference and of the new data stand for in the charts and pictures.
    columns : sequence of str, Sensitive, Phrase or Detail
        The heads of a table.
    rows : sequence of sequences
        Cells are plain values, text, a Bar or a Drawing.
    hidden : int
        Rows of a long table that are left out after these; the page counts them.
    faint : collection of int
        Numbers of rows that matter less, such as models that are clearly worse.
    sortable : bool, default False
        Whether readers may sort the table by its columns, and filter its rows by a word.
    folded : bool, default False
        Whether everything below the heading is hidden until the reader opens it. A printer leaves it out until then.
    new_sheet : bool, default False
        Whether it begins a new sheet of paper in print.
    sections : sequence of Section
        What belongs under this heading; those have none of their own.
    """

    title: Text
    anchor: str = ""
    text: Text = ""
    figures: Sequence[Figure] = ()
    grid: bool = False
    beside: bool = False
    key: Sequence[str] = ()
    columns: Sequence[Text | Detail] = ()
    rows: Sequence[Sequence[object]] = ()
    hidden: int = 0
    faint: Collection[int] = ()
    sortable: bool = False
    folded: bool = False
    new_sheet: bool = False
    sections: Sequence[Section] = ()


@dataclass(frozen=True, kw_only=True)
class Sections:
    """Base of the named sections of a result: one field per section, in reading order, None where one is left out."""

    def __iter__(self) -> Iterator[Section]:
        values = (getattr(self, attribute.name) for attribute in fields(self))
        return (section for section in values if section is not None)


@dataclass(frozen=True)
class Reason:
    """Why the verdict is what it is.

    Parameters
    ----------
    text : str, Sensitive or Phrase
        One sentence.
    section : Section
        The section of the page that shows it, which must have an anchor.
    """

    text: Text
    section: Section


@dataclass(frozen=True, kw_only=True)
class Page:
    """A whole page.

    Parameters
    ----------
    title : str, Sensitive or Phrase
        What the page is about.
    verdict : str, Sensitive or Phrase
        The answer, in a few words.
    tone : {"good", "care", "bad", "unknown"}
        Its colour.
    summary : str, Sensitive or Phrase
        The answer in sentences; may be empty.
    reasons : sequence of Reason
        Why, each with a link to the section that shows it.
    sections : sequence of Section
        In reading order.
    head : mapping of str to plain values or text
        What the page is about, above the answer: files, rows, dates, models, when it was made.
    facts : mapping of str to plain values or text
        Settings and versions, folded at the end.
    """

    title: Text
    verdict: Text
    tone: Tone
    summary: Text = ""
    reasons: Sequence[Reason] = ()
    sections: Sequence[Section] = ()
    head: Mapping[str, object] = field(default_factory=dict)
    facts: Mapping[str, object] = field(default_factory=dict)


def every_section(page: Page) -> Iterator[Section]:
    """Yield the sections in reading order, those of the second level after the one they belong to."""
    for section in page.sections:
        yield section
        yield from section.sections


def check_page(page: Page) -> None:
    """Refuse anchors that cannot be linked to, sections that nest too deep, and rows that do not fit their columns."""
    anchors: set[str] = set()
    for section in every_section(page):
        if section.anchor and not _ANCHOR.fullmatch(section.anchor):
            rule = "be lower-case letters, with hyphens in between"
            raise fault("anchor", rule, section.anchor, "write it like 'how-we-know'")
        if section.anchor in anchors:
            raise fault("anchors", "be unique on a page", Phrase(f"{section.anchor!r} twice"), "rename one")
        if section.anchor:
            anchors.add(section.anchor)
        if uneven := [row for row in section.rows if len(row) != len(section.columns)]:
            rule = f"have {len(section.columns)} cells, as many as columns"
            raise fault("rows", rule, len(uneven[0]), f"look at {str(section.title)!r}")
    # Headings go down to the third level: the page, its sections, and theirs.
    for section in page.sections:
        if deep := [str(part.title) for part in section.sections if part.sections]:
            raise fault("sections", "hold none of their own below the second level", deep[0], "put them beside it")
    for reason in page.reasons:
        if reason.section.anchor not in anchors:
            title = str(reason.section.title)
            raise fault("section", "be on the page and have an anchor", title, "add it to the page's sections")
