from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from shiftproof.core import InputError
from shiftproof.reporting import Page, Reason, Section, Sections
from shiftproof.reporting._page import check_page, every_section

PAGE = Page(title="The title", verdict="The verdict", tone="good", summary="The summary.")
INNER = Section(title="Inner", anchor="inner")


def wording(page: Page) -> str:
    with pytest.raises(InputError) as caught:
        check_page(page)
    return str(caught.value)


def test_every_section_is_in_reading_order() -> None:
    page = replace(
        PAGE, sections=[Section(title="A", anchor="a", sections=[INNER]), Section(title="B"), Section(title="B")]
    )
    check_page(page)
    assert [section.title for section in every_section(page)] == ["A", "Inner", "B", "B"]


@pytest.mark.parametrize("name", ["a", "how-we-know", "labels"])
def test_anchors_of_small_letters_and_hyphens(name: str) -> None:
    check_page(replace(PAGE, sections=[Section(title="A", anchor=name)]))


@pytest.mark.parametrize("name", ["A", "a b", "a-", "-", "1", "a_b", '"><script>', "a\n", "ä"])
def test_other_anchors_are_refused(name: str) -> None:
    sentence = f"anchor must be lower-case letters, with hyphens in between, got {name!r}; write it like 'how-we-know'."
    assert wording(replace(PAGE, sections=[Section(title="A", anchor=name)])) == sentence


def test_an_anchor_is_unique_on_a_page() -> None:
    page = replace(PAGE, sections=[Section(title="A", anchor="a", sections=[INNER]), INNER])
    assert wording(page) == "anchors must be unique on a page, got 'inner' twice; rename one."


def test_sections_nest_once() -> None:
    page = replace(PAGE, sections=[Section(title="A", sections=[Section(title="B", sections=[INNER])])])
    assert wording(page) == "sections must hold none of their own below the second level, got 'B'; put them beside it."


def test_a_reason_links_to_a_section_of_the_page() -> None:
    shown, other = Section(title="A", anchor="a"), Section(title="B", anchor="b")
    page = replace(PAGE, sections=[shown], reasons=[Reason("Because.", other)])
    sentence = "section must be on the page and have an anchor, got 'B'; add it to the page's sections."
    assert wording(page) == sentence
    check_page(replace(page, reasons=[Reason("Because.", shown)]))
    nameless = Section(title="B")
    assert wording(replace(page, sections=[nameless], reasons=[Reason("Because.", nameless)])) == sentence


@dataclass(frozen=True, kw_only=True)
class Named(Sections):
    first: Section
    second: Section | None
    third: Section


def test_named_sections_come_in_order_without_those_that_are_none() -> None:
    first, third = Section(title="1"), Section(title="3")
    assert list(Named(first=first, second=None, third=third)) == [first, third]


@pytest.mark.parametrize("row", [["x"], ["x", 1, 2]])
def test_a_row_has_a_cell_for_each_column(row: list[object]) -> None:
    page = replace(PAGE, sections=[Section(title="Rows", columns=["a", "b"], rows=[["x", 1], row])])
    assert wording(page) == f"rows must have 2 cells, as many as columns, got {len(row)}; look at 'Rows'."
