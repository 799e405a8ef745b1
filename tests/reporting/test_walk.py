"""Every part of a page is walked."""

from __future__ import annotations

from dataclasses import dataclass

from shiftproof.reporting._walk import rewritten


@dataclass(frozen=True)
class Part:
    name: str
    parts: tuple[object, ...] = ()


def shout(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def test_rewritten_walks_fields_mappings_and_sequences() -> None:
    before = Part("a", ({"b": ["c", 1.5]}, Part("d"), None))
    assert rewritten(before, shout) == Part("A", ({"B": ("C", 1.5)}, Part("D"), None))


def test_rewritten_does_not_walk_what_was_changed() -> None:
    assert rewritten(Part("a"), lambda value: Part("b") if isinstance(value, Part) else shout(value)) == Part("b")
