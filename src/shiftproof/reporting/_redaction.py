"""A page without the cells of the user's data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast

from shiftproof.core import Phrase, Sensitive
from shiftproof.reporting._page import Figure, Page

_Value = TypeVar("_Value")
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
    hidden = _without_cells(page)
    return replace(hidden, facts={**hidden.facts, "hidden": _HIDDEN})


def _without_cells(value: _Value) -> _Value:
    """Walk every field of every part, so that a field that is added later cannot be forgotten."""
    return cast("_Value", _walk(value))


def _walk(value: object) -> object:
    if isinstance(value, Sensitive):
        return value.instead
    if isinstance(value, Phrase):
        return value.redacted()
    if isinstance(value, Figure):
        # A chart without a redacted version shows no cells. A redacted page cannot be turned back.
        return Figure(_without_cells(value.words), value.draw_redacted or value.draw)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{part.name: _walk(getattr(value, part.name)) for part in fields(value)})
    if isinstance(value, Mapping):
        return {_walk(key): _walk(item) for key, item in value.items()}
    # A string is a sequence of strings, which would be walked forever.
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(map(_walk, value))
    return value
