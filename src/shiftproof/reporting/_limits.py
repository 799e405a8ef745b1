"""Limits on the length of tables and texts, so that a browser opens any page at once."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from shiftproof.core import Phrase, Sensitive, shortened
from shiftproof.reporting._page import Drawing, Page, Section
from shiftproof.reporting._walk import rewritten

#: Longer tables are cut after so many rows; nobody reads on, and a page of 10,000 takes seconds to open.
MOST_ROWS = 1_000
# A cell of a table, and what comes from cells of the data, is a few words; a paragraph is no more than a screen.
_LONGEST_CELL, _LONGEST_TEXT = 300, 5_000


def within_limits(page: Page) -> Page:
    """Return the page with long tables and long texts cut.

    Examples
    --------
    >>> page = Page(title="A page", verdict="x" * 9_000, tone="good", summary="Fine.")
    >>> len(within_limits(page).verdict), within_limits(page).summary
    (5000, 'Fine.')
    """
    return rewritten(page, _cut)


def _cut(value: object) -> object:
    if isinstance(value, Section) and value.rows:
        cut_cell = partial(_cut_text, most=_LONGEST_CELL)
        # Cells have less room than paragraphs; the sections below are walked on their own.
        cells = tuple(tuple(rewritten(cell, cut_cell) for cell in row) for row in value.rows[:MOST_ROWS])
        hidden = value.hidden + len(value.rows) - len(cells)
        return replace(rewritten(replace(value, rows=()), _cut), rows=cells, hidden=hidden)
    return _cut_text(value, _LONGEST_TEXT)


def _cut_text(value: object, most: int) -> object:
    if isinstance(value, str):
        return shortened(value, most)
    if isinstance(value, Sensitive):
        return replace(value, text=shortened(value.text, _LONGEST_CELL))
    if isinstance(value, Phrase):
        return Phrase(*(rewritten(part, partial(_cut_text, most=most)) for part in value.parts))
    if isinstance(value, Drawing):
        # The picture is code of ours, and half of it would draw nothing.
        words, axis = (rewritten(text, partial(_cut_text, most=most)) for text in (value.words, value.axis))
        return Drawing(value.svg, words, axis)
    return value
