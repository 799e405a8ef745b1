"""A chart as a file of its own, which follows the reader's light or dark theme."""

from __future__ import annotations

from html import escape

from shiftproof.plots._style import CURRENT, INK, QUIET, REFERENCE

_PAPER, _DARK_PAPER = "#ffffff", "#14191d"
# The colours that pages use in dark mode.
_DARK = {REFERENCE: "#7fb2d9", CURRENT: "#f08a63", QUIET: "#7b8891", INK: "#e6ebee", _PAPER: _DARK_PAPER}


def as_picture(svg: str, words: str) -> str:
    """Return a chart as a complete SVG file with alternative text, light or dark as the reader's system is.

    Parameters
    ----------
    svg : str
        A chart as `drawn_svg` returns it.
    words : str
        What it shows, for screen readers.
    """
    dark = "".join(
        f'[{what}="{light}"] {{ {what}: {colour}; }} ' for light, colour in _DARK.items() for what in ("fill", "stroke")
    )
    style = (
        f"svg {{ background: {_PAPER}; }} text:not([fill]) {{ fill: {INK}; }} "
        f"@media (prefers-color-scheme: dark) {{ svg {{ background: {_DARK_PAPER}; }} "
        f"text:not([fill]) {{ fill: {_DARK[INK]}; }} {dark}}}"
    )
    root, rest = svg.split(">", 1)
    text = escape(words)
    return f'{root} role="img" aria-label="{text}">\n<desc>{text}</desc>\n<style>{style}</style>{rest}'
