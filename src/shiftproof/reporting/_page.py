"""A page from plain values: one self-contained HTML file, no network."""

from __future__ import annotations

import numbers
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from shiftproof import plots
from shiftproof.core import InputError

#: How a verdict is coloured.
Tone = Literal["good", "care", "bad", "unknown"]

# The charts' colours, and the page's names for them, which dark mode redefines.
_THEME = {
    plots.REFERENCE: "var(--reference)",
    plots.CURRENT: "var(--current)",
    plots.QUIET: "var(--quiet)",
    plots.INK: "var(--ink)",
    "#000000": "var(--ink)",
}
_TAG = re.compile("<[^<>]*>")
_COLOUR = re.compile("|".join(_THEME), flags=re.IGNORECASE)
_NUMBER = re.compile(r"[<>-]?\d+(\.\d+)?(e[+-]?\d+)?%?")
_WIDTH = re.compile(r'<svg [^>]*?\bwidth="([\d.]+)pt"')
# A chart's words are 8 points high; on a phone it scrolls rather than shrink further than to this part of its width.
_SHRINK = 0.8


@dataclass(frozen=True, kw_only=True)
class Section:
    """One part of a page: a heading, words, then a figure, a table or both.

    Parameters
    ----------
    title : str
        The heading.
    text : str
        One paragraph below it.
    figures : sequence of (description, svg)
        Charts, each with the words a screen reader says.
    columns, rows : sequences
        A table; cells are plain values and are escaped.
    """

    title: str
    text: str = ""
    figures: Sequence[tuple[str, str]] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()


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
    sections : sequence of Section
        In reading order.
    facts : mapping
        Sizes, settings and versions, at the end.
    """

    title: str
    verdict: str
    tone: Tone
    summary: str
    sections: Sequence[Section] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


def render(page: Page) -> str:
    """Return the page as HTML; every name and value in it is treated as hostile text."""
    environment = Environment(
        loader=PackageLoader("shiftproof.reporting", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["cell"] = cell
    environment.filters["themed"] = _themed
    environment.filters["narrowest"] = _narrowest
    environment.tests["numeric"] = _numeric
    return environment.get_template("page.html.j2").render(page=page)


def save(page: Page, path: str | Path) -> Path:
    """Write the page whole or not at all, and return where it is."""
    return write_whole(path, render(page))


def write_whole(path: str | Path, text: str) -> Path:
    """Write a text file so that nobody ever sees half of it."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"the output must be a file, got the folder {str(target)!r}; add a file name to it.")
    # Half of a surrogate pair is no UTF-8; its escape is read back by JSON and by people.
    data = text.encode("utf-8", errors="backslashreplace")
    try:
        if target.exists() and not target.is_file():  # a pipe or a device such as /dev/null is written, never replaced
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as error:
        reason = "its folder is a file" if isinstance(error, FileExistsError) else error.strerror
        raise InputError(f"the output {str(target)!r} cannot be written ({reason}); choose another place.") from None
    return target


def _replace(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with half.open("xb") as stream:
            stream.write(data)
        half.replace(target)
    finally:
        half.unlink(missing_ok=True)


def cell(value: Any) -> str:
    """Write one value of a table for people.

    Examples
    --------
    >>> cell(0.123456), cell(True), cell(None), cell(3e-12), cell(float("nan"))
    ('0.123', 'yes', '', '3e-12', '')
    """
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}" if value == 0 or 1e-3 <= abs(value) < 1e5 else f"{value:.2g}"
    return str(value)


def _numeric(value: Any) -> bool:
    """Tell what stands right in a table: numbers, and words such as "<1e-16" or "2.5%"."""
    if isinstance(value, str):
        return _NUMBER.fullmatch(value) is not None
    return isinstance(value, numbers.Number) and not isinstance(value, bool)


def _narrowest(svg: str) -> int:
    """Return the width in points below which the words of a chart are too small to read."""
    found = _WIDTH.match(svg)
    return round(_SHRINK * float(found[1])) if found else 0


def _themed(svg: str) -> Markup:
    """Let the page's theme colour a chart of ours."""

    def recolour(tag: re.Match[str]) -> str:  # and leave the text between tags alone: "#000000" may be a category
        return _COLOUR.sub(lambda found: _THEME[found.group().lower()], tag.group())

    return Markup(_TAG.sub(recolour, svg))  # noqa: S704 - our own SVG, text escaped by matplotlib
