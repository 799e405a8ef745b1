"""A chart as a file of its own, which follows the reader's light or dark theme as pages do."""

from __future__ import annotations

import re
from html import escape
from importlib.resources import files

from shiftproof.reporting._render import _THEME

_ROOT = re.compile(r":root \{(.*?)\}", flags=re.DOTALL)
_VARIABLE = re.compile(r"(--[a-z]+): (#[0-9a-f]+)")
# What is drawn white is a gap, in which the page shows.
_GAP = {"#ffffff": "var(--paper)"}


def as_picture(svg: str, words: str) -> str:
    """Return a chart as a complete SVG file with alternative text, light or dark as the reader's system is.

    Parameters
    ----------
    svg : str
        A chart of ours.
    words : str
        What it shows, for screen readers.
    """
    # The third block is for print.
    light, dark, *_ = (dict(_VARIABLE.findall(block)) for block in _ROOT.findall(_page_style()))
    # Attributes keep the light colours, for programs that read no styles.
    recoloured = "".join(
        f'[{what}="{colour}"] {{ {what}: {dark[variable[4:-1]]}; }} '
        for colour, variable in (_THEME | _GAP).items()
        for what in ("fill", "stroke")
    )
    style = (
        f"svg {{ background: {light['--paper']}; }} text:not([fill]) {{ fill: {light['--ink']}; }} "
        f"@media (prefers-color-scheme: dark) {{ svg {{ background: {dark['--paper']}; }} "
        f"text:not([fill]) {{ fill: {dark['--ink']}; }} {recoloured}}}"
    )
    root, rest = svg.split(">", 1)
    text = escape(words)
    return f'{root} role="img" aria-label="{text}">\n<desc>{text}</desc>\n<style>{style}</style>{rest}'


def _page_style() -> str:
    return (files("shiftproof.reporting") / "templates" / "page.css.j2").read_text(encoding="utf-8")
