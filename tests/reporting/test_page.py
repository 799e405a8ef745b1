from __future__ import annotations

from dataclasses import replace

import pytest

from shiftproof.core import InputError
from shiftproof.reporting import Page, Reason, Section
from shiftproof.reporting._page import check_page, every_section

PAGE = Page(title="The title", verdict="The verdict", tone="good", summary="The summary.")
INNER = Section(title="Inner", id="inner")


def said(page: Page) -> str:
    with pytest.raises(InputError) as caught:
        check_page(page)
    return str(caught.value)


def test_titles_by_id_in_reading_order() -> None:
    page = replace(
        PAGE, sections=[Section(title="A", id="a", sections=[INNER]), Section(title="B"), Section(title="B")]
    )
    assert check_page(page) == {"a": "A", "inner": "Inner"}
    assert [section.title for section in every_section(page)] == ["A", "Inner", "B", "B"]


@pytest.mark.parametrize("name", ["a", "how-we-know", "labels"])
def test_ids_that_are_anchors(name: str) -> None:
    assert check_page(replace(PAGE, sections=[Section(title="A", id=name)])) == {name: "A"}


@pytest.mark.parametrize("name", ["A", "a b", "a-", "-", "1", "a_b", '"><script>', "a\n", "ä"])
def test_other_ids_are_refused(name: str) -> None:
    sentence = f"id must be small letters, with hyphens between, got {name!r}; write it like 'how-we-know'."
    assert said(replace(PAGE, sections=[Section(title="A", id=name)])) == sentence


def test_an_id_is_unique_on_a_page() -> None:
    page = replace(PAGE, sections=[Section(title="A", id="a", sections=[INNER]), INNER])
    assert said(page) == "ids must be unique on a page, got 'inner' twice; rename one."


def test_sections_nest_once() -> None:
    page = replace(PAGE, sections=[Section(title="A", sections=[Section(title="B", sections=[INNER])])])
    assert said(page) == "sections must hold none of their own below the second level, got 'B'; put them beside it."


def test_a_reason_links_to_a_section() -> None:
    page = replace(PAGE, sections=[Section(title="A", id="a")], reasons=[Reason("Because.", "b")])
    assert said(page) == "section must be the id of a section, got 'b'; choose one of a."
    assert check_page(replace(page, reasons=[Reason("Because.", "a")]))


@pytest.mark.parametrize("row", [["x"], ["x", 1, 2]])
def test_a_row_has_a_cell_for_each_column(row: list[object]) -> None:
    page = replace(PAGE, sections=[Section(title="Rows", columns=["a", "b"], rows=[["x", 1], row])])
    assert said(page) == f"rows must have 2 cells, as many as columns, got {len(row)}; look at 'Rows'."
