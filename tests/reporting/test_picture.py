from __future__ import annotations

from xml.etree import ElementTree as ET

from shiftproof.reporting import as_picture

CHART = '<svg width="9pt" xmlns="http://www.w3.org/2000/svg"><path stroke="#1f2a33"/></svg>\n'


def test_as_picture_is_a_file_with_alternative_text() -> None:
    root = ET.fromstring(as_picture(CHART, '5 < 6 & "so"'))  # noqa: S314 - our own
    assert (root.get("role"), root.get("aria-label")) == ("img", '5 < 6 & "so"')
    assert root.findtext("{http://www.w3.org/2000/svg}desc") == '5 < 6 & "so"'


def test_as_picture_has_the_dark_colours_of_pages() -> None:
    text = as_picture(CHART, "a line")
    assert "svg { background: #fff; } text:not([fill]) { fill: #1f2a33; }" in text
    assert "@media (prefers-color-scheme: dark) { svg { background: #14191d; }" in text
    assert '[stroke="#1f2a33"] { stroke: #e6ebee; }' in text
    assert '[stroke="#ffffff"] { stroke: #14191d; }' in text
