"""A page without the cells of the user's data."""

from __future__ import annotations

from dataclasses import replace

from shiftproof.core import Phrase, Sensitive
from shiftproof.reporting._page import Figure, Page
from shiftproof.reporting._walk import rewritten

_HIDDEN = "categories, extreme values, dates, periods, file names and error messages"


def redacted(page: Page) -> Page:
    """Return the page with everything sensitive replaced, for readers who may not see the data.

    Names of columns, models and classes stay. Charts that show values are drawn without them.

    Examples
    --------
    >>> page = Page(title="A page", verdict="Shifted", tone="bad", summary=Phrase("New: ", Sensitive("Smith"), "."))
    >>> redacted(page).summary
    'New: (hidden).'
    """
    hidden = rewritten(page, _without_cells)
    return replace(hidden, facts={**hidden.facts, "hidden": _HIDDEN})


def _without_cells(value: object) -> object:
    if isinstance(value, Sensitive):
        return value.instead
    if isinstance(value, Phrase):
        return value.redacted()
    if isinstance(value, Figure):
        # A chart without a redacted version shows no cells. A redacted page cannot be turned back.
        words = rewritten(value.words, _without_cells)
        return replace(value, words=words, draw=value.draw_redacted or value.draw, draw_redacted=None)
    return value
