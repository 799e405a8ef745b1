"""Rewrite the parts of a page, whatever fields they have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast

_Value = TypeVar("_Value")


def rewritten(value: _Value, change: Callable[[object], object]) -> _Value:
    """Walk every field of every part, so that a field that is added later cannot be forgotten.

    Parameters
    ----------
    value : object
        A page or any part of it.
    change : callable
        Returns another value for those it knows, and the same value for those whose parts are walked.

    Examples
    --------
    >>> rewritten({"a": ("b", 1)}, lambda value: value.upper() if isinstance(value, str) else value)
    {'A': ('B', 1)}
    """
    return cast("_Value", _walk(value, change))


def _walk(value: object, change: Callable[[object], object]) -> object:
    changed = change(value)
    if changed is not value:
        return changed
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{part.name: _walk(getattr(value, part.name), change) for part in fields(value)})
    if isinstance(value, Mapping):
        return {_walk(key, change): _walk(item, change) for key, item in value.items()}
    # A string is a sequence of strings, which would be walked forever.
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(_walk(item, change) for item in value)
    return value
