"""Long tables and long texts on a page."""

from __future__ import annotations

from shiftproof.core import Phrase, Sensitive
from shiftproof.reporting import MOST_ROWS, Drawing, Figure, Page, Section, render
from shiftproof.reporting._limits import within_limits

LONG = "x" * 100_000


def page(*sections: Section) -> Page:
    return Page(
        title=LONG, verdict="Fine", tone="good", summary=Phrase("Cell ", Sensitive(LONG), "."), sections=sections
    )


def test_within_limits_cuts_a_long_table_and_counts_the_rest() -> None:
    rows = [[f"row {number}", number] for number in range(2_345)]
    (section,) = within_limits(page(Section(title="All", columns=("name", "n"), rows=rows))).sections
    assert (len(section.rows), section.hidden) == (MOST_ROWS, 1_345)
    assert (
        "The first 1,000 of 2,345 rows are shown; the JSON file and the result in Python have all of them."
        in render(page(Section(title="All", columns=("name", "n"), rows=rows)))
    )


def test_within_limits_cuts_texts_in_every_place_but_not_a_picture() -> None:
    drawing = Drawing("<svg>" + LONG + "</svg>", LONG)
    inner = Section(title=LONG, columns=("a",), rows=[[LONG]])
    chart = Figure(Phrase(Sensitive(LONG)), lambda: "<svg></svg>")
    outer = Section(
        title="All", columns=("name", "picture"), rows=[[Phrase("a ", Sensitive(LONG)), drawing]], figures=[chart],
        sections=[inner], text=LONG,
    )  # fmt: skip
    cut = within_limits(page(outer))
    assert len(str(cut.title)) == len(str(cut.sections[0].text)) == 5_000
    assert str(cut.summary) == f"Cell {'x' * 299}….", "what comes from a cell is a few words"
    name, picture = cut.sections[0].rows[0]
    assert len(str(name)) == 302
    assert isinstance(picture, Drawing)
    assert (picture.svg, len(str(picture.words))) == (drawing.svg, 300)
    assert len(str(cut.sections[0].sections[0].rows[0][0])) == 300
    assert len(str(cut.sections[0].figures[0].words)) == 300


def test_within_limits_keeps_short_pages_as_they_are() -> None:
    short = Page(title="A", verdict="B", tone="good", summary=Phrase("C ", Sensitive("d")), facts={"a": 1.5})
    assert within_limits(short) == short
