from __future__ import annotations

import re
from importlib.resources import files
from xml.etree import ElementTree as ET

from shiftproof.plots import as_picture
from shiftproof.plots._picture import _DARK, _DARK_PAPER

CHART = '<svg width="9pt" xmlns="http://www.w3.org/2000/svg"><path stroke="#1f2a33"/></svg>\n'


def test_as_picture_is_a_file_with_alternative_text_and_a_dark_theme() -> None:
    text = as_picture(CHART, "5 < 6 & so")
    root = ET.fromstring(text)  # noqa: S314 - our own
    assert (root.get("role"), root.get("aria-label")) == ("img", "5 < 6 & so")
    assert root.findtext("{http://www.w3.org/2000/svg}desc") == "5 < 6 & so"
    assert "@media (prefers-color-scheme: dark) { svg { background: #14191d; }" in text
    assert '[stroke="#1f2a33"] { stroke: #e6ebee; }' in text


def test_dark_colours_are_those_of_pages() -> None:
    style = (files("shiftproof.reporting") / "templates" / "page.css.j2").read_text(encoding="utf-8")
    dark = re.search(r"prefers-color-scheme: dark\) \{ :root \{(.*?)\}", style, flags=re.DOTALL)
    assert dark is not None
    for colour in (*_DARK.values(), _DARK_PAPER):
        assert colour in dark[1]
