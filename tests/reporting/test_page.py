from __future__ import annotations

import errno
import math
import os
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiftproof import plots
from shiftproof.core import InputError
from shiftproof.reporting import Page, Section, Tone, cell, render, save, write_whole

HOSTILE = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>&amp;{{ 7*7 }}{% raw %}"
PAGE = Page(title="The title", verdict="The verdict", tone="good", summary="The summary.")


class Reader(HTMLParser):
    """Read a page as a browser does: tags with their attributes, and the text of each kind of element."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open = tag
        self.texts.append((tag, ""))

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            tag, before = self.texts[-1]
            self.texts[-1] = (tag, before + data)

    def all(self, tag: str) -> list[str]:
        return [text for name, text in self.texts if name == tag]

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def chart(categories: list[str]) -> str:
    ax = plots.own_figure(size=(4.0, 2.0)).subplots()
    counts = np.arange(1, len(categories) + 1)
    return plots.svg(plots.category_pair(categories, counts, counts[::-1], ax=ax), name="chart")


def hostile_page() -> Page:
    section = Section(
        title=HOSTILE, text=HOSTILE, figures=[(HOSTILE, chart([HOSTILE]))], columns=[HOSTILE], rows=[[HOSTILE]]
    )
    return Page(
        title=HOSTILE, verdict=HOSTILE, tone="bad", summary=HOSTILE, sections=[section], facts={HOSTILE: HOSTILE}
    )


def test_hostile_text_is_text_everywhere() -> None:
    page = Reader(render(hostile_page()))
    places = ["title", "h1", "strong", "th", "td", "dt", "dd"]
    assert {place: page.all(place) for place in places} == {place: [HOSTILE] for place in places}
    assert page.all("p") == [HOSTILE, HOSTILE]
    assert page.all("h2") == [HOSTILE, "About this page"]
    assert [figure["aria-label"] for figure in page.attributes("figure")] == [f"{HOSTILE}: chart"]
    assert [div.get("aria-label") for div in page.attributes("div")] == [None, HOSTILE, HOSTILE]


def test_hostile_text_makes_no_element_and_no_attribute() -> None:
    page = Reader(render(hostile_page()))
    harmless = Reader(render(replace(hostile_page(), title="", verdict="", summary="")))
    assert not {"script", "img", "link", "iframe", "object"} & {tag for tag, _ in page.tags}
    assert [tag for tag, _ in page.tags] == [tag for tag, _ in harmless.tags]
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]


def test_a_hostile_tone_stays_inside_its_attribute() -> None:
    tone: Any = HOSTILE
    assert Reader(render(replace(PAGE, tone=tone))).attributes("div")[0]["class"] == f"verdict {HOSTILE}"


@settings(max_examples=40)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_any_text_is_read_back(text: str) -> None:
    page = Reader(render(replace(PAGE, verdict=text)))
    assert page.all("strong") == [text]


def test_the_page_needs_no_network() -> None:
    page = render(hostile_page())
    read = Reader(page)
    fetching = {"src", "srcset", "poster", "data", "action", "background"}
    assert not [name for _, attributes in read.tags for name in attributes if name in fetching]
    links = [value for _, found in read.tags for name, value in found.items() if name.endswith("href")]
    assert all(link is not None and link.startswith("#") for link in links)
    assert "@import" not in page
    assert all(address.startswith("#") for address in re.findall(r"url\(([^)]*)\)", page))
    # What is left of addresses are the names of XML vocabularies, which nobody fetches.
    tags = re.sub(r'(xmlns(:\w+)?|rdf:resource)="[^"]*"', "", page)
    assert "http:" not in tags
    assert "https:" not in tags


def test_the_same_page_is_the_same_text() -> None:
    assert render(hostile_page()) == render(hostile_page())


@pytest.mark.parametrize("tone", get_args(Tone))
def test_tones(tone: Tone) -> None:
    page = render(replace(PAGE, tone=tone))
    assert f'<div class="verdict {tone}"><strong>The verdict</strong><p>The summary.</p></div>' in page
    assert f".{tone} {{ border-color: var(--{tone}); }} .{tone} strong {{ color: var(--{tone}); }}" in page


def variables(page: str) -> list[dict[str, str]]:
    """Return the colours of the light and the dark theme."""
    light, dark = re.findall(r":root \{(.*?)\}", page, flags=re.DOTALL)
    return [dict(re.findall(r"--(\w+): (#\w+)", theme)) for theme in (light, dark)]


def test_dark_mode_redefines_every_colour() -> None:
    page = render(PAGE)
    assert "@media (prefers-color-scheme: dark) { :root {" in page
    assert "color-scheme: light dark" in page
    light, dark = variables(page)
    assert light.keys() == dark.keys()
    assert not [name for name in light if light[name] == dark[name]]
    assert set(re.findall(r"var\(--(\w+)\)", page)) <= light.keys()


def brightness(colour: str) -> float:
    """Return the relative luminance that WCAG defines."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["ink", "soft", *get_args(Tone)])
@pytest.mark.parametrize("behind", ["paper", "panel"])
def test_words_can_be_read_on_their_background(theme: int, name: str, behind: str) -> None:
    colours = variables(render(PAGE))[theme]
    dim, bright = sorted(brightness(colours[one]) for one in (name, behind))
    assert (bright + 0.05) / (dim + 0.05) >= 4.5


def test_charts_take_the_colours_of_the_theme() -> None:
    drawn = chart(["a", "b"])
    page = render(replace(PAGE, sections=[Section(title="Charts", figures=[("A chart", drawn)])]))
    figure = page[page.index("<figure") : page.index("</figure>")]
    assert plots.REFERENCE in drawn
    assert plots.CURRENT in drawn
    assert not re.findall("#[0-9a-f]{6}", figure)
    assert {"var(--reference)", "var(--current)", "var(--ink)"} <= set(re.findall(r"var\(--\w+\)", figure))


@pytest.mark.parametrize("colour", ["#000000", plots.REFERENCE, plots.CURRENT.upper()])
def test_a_category_that_is_a_colour_stays_a_category(colour: str) -> None:
    drawn = chart([colour, "other"])
    page = Reader(render(replace(PAGE, sections=[Section(title="Charts", figures=[("A chart", drawn)])])))
    assert colour in [text.strip() for text in page.all("text")]


def test_charts_scroll_rather_than_shrink_until_nobody_can_read_them() -> None:
    figures = [("A chart", chart(["a"])), ("A picture", "<svg></svg>")]  # the chart is 4 inches wide: 288 points
    page = render(replace(PAGE, sections=[Section(title="Charts", figures=figures)]))
    read = Reader(page)
    assert [(figure["tabindex"], figure["role"]) for figure in read.attributes("figure")] == [("0", "region")] * 2
    charts = [div for div in read.attributes("div") if div.get("class") == "chart"]
    assert [(div["role"], div["aria-label"], div["style"]) for div in charts] == [
        ("img", "A chart", "min-width: 230pt"),
        ("img", "A picture", "min-width: 0pt"),
    ]
    assert "figure { margin: 1rem 0; overflow-x: auto; }" in page
    assert "@media print { main { max-width: none; } .chart { min-width: 0 !important; }" in page


def test_words_that_are_numbers_stand_right_but_not_as_names() -> None:
    rows = [["3", "<1e-16", "2.5%", "0.012", "1e+05", "-3"], ["4", "KS", "", "a 3", "3-4", "2024-01-01"]]
    page = Reader(render(replace(PAGE, sections=[Section(title="Rows", columns=list("abcdef"), rows=rows)])))
    assert [found.get("class") for found in page.attributes("td")] == [None, *["number"] * 5, *[None] * 6]


def test_a_section_shows_only_what_it_has() -> None:
    page = Reader(render(replace(PAGE, sections=[Section(title="Empty", columns=["a", "b"])])))
    assert page.all("h2") == ["Empty"]
    assert page.all("p") == ["The summary."]
    assert not {"table", "figure", "dl"} & {tag for tag, _ in page.tags}


def test_tables_have_a_head_and_numbers_stand_right() -> None:
    section = Section(title="Rows", columns=["name", "size", "known"], rows=[["age", 0.25, True], ["job", 3, None]])
    page = Reader(render(replace(PAGE, sections=[section])))
    assert page.all("th") == ["name", "size", "known"]
    assert page.all("td") == ["age", "0.250", "yes", "job", "3", ""]
    assert [found.get("class") for found in page.attributes("td")] == [None, "number", None, None, "number", None]


def test_facts_close_the_page() -> None:
    page = Reader(render(replace(PAGE, facts={"rows": "1,000", "rate": 0.05, "note": None})))
    assert page.all("h2") == ["About this page"]
    assert list(zip(page.all("dt"), page.all("dd"), strict=True)) == [
        ("rows", "1,000"),
        ("rate", "0.050"),
        ("note", ""),
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ""),
        (math.nan, ""),
        (np.float64("nan"), ""),
        (True, "yes"),
        (False, "no"),
        (0, "0"),
        (1234567, "1234567"),
        (0.0, "0.000"),
        (0.05, "0.050"),
        (-0.12349, "-0.123"),
        (0.001, "0.001"),
        (0.00099, "0.00099"),
        (3e-12, "3e-12"),
        (99999.0, "99999.000"),
        (123456.0, "1.2e+05"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (np.float64(0.5), "0.500"),
        ("", ""),
        ("text", "text"),
        ("<b>", "<b>"),
        (("a", 1), "('a', 1)"),
        (Path("a"), "a"),
    ],
)
def test_cells(value: Any, expected: str) -> None:
    assert cell(value) == expected


def test_saving_gives_the_page_and_its_place(tmp_path: Path) -> None:
    place = save(PAGE, str(tmp_path / "new" / "folder" / "page.html"))
    assert place == tmp_path / "new" / "folder" / "page.html"
    assert place.read_text(encoding="utf-8") == render(PAGE)
    assert list(place.parent.iterdir()) == [place]


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    write_whole(target, "old and longer")
    assert write_whole(target, "new") == target
    assert target.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [target]


def test_text_is_written_as_utf_8_with_its_own_line_ends(tmp_path: Path) -> None:
    assert write_whole(tmp_path / "a", "é🙂\n\r\n").read_bytes() == "é🙂\n\r\n".encode()


def test_half_a_surrogate_pair_is_written_as_its_escape(tmp_path: Path) -> None:
    assert write_whole(tmp_path / "a", '"\ud800"').read_bytes() == rb'"\ud800"'


def test_a_long_name_is_no_hindrance(tmp_path: Path) -> None:
    assert write_whole(tmp_path / ("x" * 250 + ".html"), "text").read_bytes() == b"text"


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, OSError(28, "No space left on device")])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException] | OSError
) -> None:
    target = tmp_path / "page.html"
    write_whole(target, "old")

    def fail(half: Path, target: Path) -> None:
        assert half.read_bytes() == b"new"
        raise error

    monkeypatch.setattr(Path, "replace", fail)
    expected = InputError if isinstance(error, OSError) else error
    with pytest.raises(expected) as caught:
        write_whole(target, "new")
    if isinstance(error, OSError):
        sentence = f"the output {str(target)!r} cannot be written (No space left on device); choose another place."
        assert str(caught.value) == sentence
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        write_whole(tmp_path, "text")
    assert str(caught.value) == f"the output must be a file, got the folder {str(tmp_path)!r}; add a file name to it."
    assert list(tmp_path.iterdir()) == []


def test_a_place_inside_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a\n1\n")
    target = tmp_path / "rows.csv" / "page.html"
    with pytest.raises(InputError) as caught:
        write_whole(target, "text")
    assert (
        str(caught.value)
        == f"the output {str(target)!r} cannot be written (its folder is a file); choose another place."
    )


def test_an_unwritable_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()

    def locked(*_: object, **__: object) -> None:  # permissions do not stop the superuser
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "open", locked)
    with pytest.raises(InputError) as caught:
        write_whole(folder / "page.html", "text")
    sentence = f"the output {str(folder / 'page.html')!r} cannot be written (Permission denied); choose another place."
    assert str(caught.value) == sentence


@pytest.fixture
def private() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


@pytest.mark.usefixtures("private")
def test_what_is_private_stays_private(tmp_path: Path) -> None:
    assert write_whole(tmp_path / "page.html", "text").stat().st_mode & 0o777 == 0o600


def test_a_pipe_is_written_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_whole(pipe, "text")
    reader.join(timeout=10)
    assert received == [b"text"]
    assert pipe.is_fifo()
