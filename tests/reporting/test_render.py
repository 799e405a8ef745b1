from __future__ import annotations

import math
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiftproof import plots
from shiftproof.core import InputError, Phrase, Sensitive
from shiftproof.reporting import Detail, Drawing, Figure, Page, Reason, Section, Tone, cell, render, save
from shiftproof.reporting._render import prose

HOSTILE = "<script>alert('x')</script>\"><img src=x onerror=alert(1)>&amp;{{ 7*7 }}{% raw %}"
PAGE = Page(title="The title", verdict="The verdict", tone="good", summary="The summary.")


class Reader(HTMLParser):
    """Read a page as a browser does: tags with their attributes, and the text of each kind of element.

    The marks that isolate names of right-to-left scripts are read over.
    """

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "bdi":
            return
        self.tags.append((tag, dict(attrs)))
        self._open = tag
        self.texts.append((tag, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag != "bdi":
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


def as_figure(words: str, svg: str) -> Figure:
    return Figure(words, lambda: svg)


def hostile_page() -> Page:
    section = Section(
        title=HOSTILE,
        anchor="hostile",
        text=HOSTILE,
        figures=[as_figure(HOSTILE, chart([HOSTILE]))],
        columns=[HOSTILE] * 3,
        rows=[[HOSTILE, HOSTILE, Drawing(plots.sparkline([1, 2], [2, 1]), HOSTILE)]],
        sortable=True,
    )
    small = Section(
        title=HOSTILE, figures=[as_figure(HOSTILE, chart([HOSTILE]).replace("chart-", "small-"))], grid=True
    )
    return Page(
        title=HOSTILE,
        verdict=HOSTILE,
        tone="bad",
        summary=HOSTILE,
        reasons=[Reason(HOSTILE, section)],
        sections=[replace(section, sections=[small])],
        facts={HOSTILE: HOSTILE},
    )


def test_hostile_text_is_text_everywhere() -> None:
    page = Reader(render(hostile_page()))
    places = {"h1": 1, "strong": 1, "th": 4, "td": 2, "dt": 1, "dd": 1, "h3": 1, "caption": 1, "p": 3, "a": 2}
    places["span"] = 3
    for place, times in places.items():
        written = [text.strip() for text in page.all(place)]
        own = {"", "Skip to the details", "Show rows", f"of {HOSTILE}", "with"}
        assert set(written) - own == {HOSTILE}, place
        assert len(written) == times, place
    assert page.all("title")[0] == HOSTILE
    assert page.all("li") == [f"{HOSTILE} "]
    assert page.all("h2") == [HOSTILE, "About this page"]
    labels = [found["aria-label"] for _, found in page.tags if "aria-label" in found]
    told = [HOSTILE, f"{HOSTILE}: chart", f"{HOSTILE}: table"]
    assert labels == ["Reasons", told[1], HOSTILE, told[2], HOSTILE]


def test_hostile_text_makes_no_element_and_no_attribute() -> None:
    hostile = hostile_page()
    page = Reader(render(hostile))
    harmless = Reader(
        render(
            replace(hostile_page(), title="", verdict="", summary="-", reasons=[Reason("", hostile_page().sections[0])])
        )
    )
    assert not {"img", "link", "iframe", "object"} & {tag for tag, _ in page.tags}
    assert [attributes for tag, attributes in page.tags if tag == "script"] == [{}]
    assert [tag for tag, _ in page.tags] == [tag for tag, _ in harmless.tags]
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on") or name == "style"]


def policy(page: str) -> str:
    (found,) = (meta["content"] for meta in Reader(page).attributes("meta") if "http-equiv" in meta)
    assert found is not None
    return found


def hashed(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_our_style_and_our_script_only() -> None:
    page = render(hostile_page())
    (style,) = re.findall("<style>(.*?)</style>", page, flags=re.DOTALL)
    (script,) = re.findall("<script>(.*?)</script>", page, flags=re.DOTALL)
    assert policy(page) == (
        f"default-src 'none'; style-src {hashed(style)}; script-src {hashed(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    assert page.index("http-equiv") < page.index("<title>") < page.index("<style>")
    assert len(script) < 4096


def test_a_page_without_sortable_tables_has_no_script() -> None:
    page = render(PAGE)
    assert "<script" not in page
    assert "script-src 'none'" in policy(page)


def test_names_of_other_scripts_keep_to_themselves() -> None:
    text = "'שלום עולם' (0.42), a\u202eb and مرحبا."
    page = render(replace(PAGE, verdict=text))
    isolated = "&#39;<bdi>שלום עולם</bdi>&#39; (0.42), a<bdi>\u202eb</bdi> and <bdi>مرحبا</bdi>."
    assert f"<strong>{isolated}</strong>" in page
    assert Reader(page).all("strong") == [text]


def test_long_words_are_read_once() -> None:
    text = "ש" + "x" * 200_000 + "\u202e" + "y" * 200_000
    # A page cuts it; the filter itself must not take quadratic time.
    assert Reader(f"<strong>{prose(text)}</strong>").all("strong") == [text]


def test_a_name_of_another_script_cannot_bring_markup() -> None:
    page = render(replace(PAGE, verdict="ש<script>ש"))
    assert "<strong><bdi>ש&lt;script&gt;ש</bdi></strong>" in page


def test_headings_are_in_order_and_the_landmarks_are_there() -> None:
    inner = Section(title="Inner", anchor="inner")
    sections = [Section(title=name, anchor=name, sections=[replace(inner, anchor=f"{name}-inner")]) for name in "abcd"]
    folded = Section(title="Folded", anchor="folded", folded=True)
    read = Reader(render(replace(PAGE, sections=[*sections, folded, Section(title="no anchor")])))
    headings = [tag for tag, _ in read.tags if re.fullmatch(r"h\d", tag)]
    assert headings == ["h1", *["h2", "h3"] * 4, "h2", "h2"]
    assert [tag for tag, _ in read.tags if tag in ("main", "header", "nav")] == ["main", "header", "nav"]
    links = [link["href"] for link in read.attributes("a")]
    assert links == ["#_details", "#a", "#b", "#c", "#d"]
    assert {"_details", "a", "b", "c", "a-inner"} <= {found["id"] for _, found in read.tags if "id" in found}
    assert [section.get("id") for section in read.attributes("section")][-1] is None


def test_few_sections_need_no_navigation() -> None:
    assert not Reader(render(replace(PAGE, sections=[Section(title="A", anchor="a"), Section(title="B")]))).attributes(
        "nav"
    )


def test_reasons_lead_to_their_sections() -> None:
    section = Section(title="What changed", anchor="sizes")
    page = replace(PAGE, sections=[section], reasons=[Reason("Age moved.", section)])
    assert '<li>Age moved. <a href="#sizes">What changed</a></li>' in render(page)


def test_a_reason_that_leads_nowhere_is_refused() -> None:
    with pytest.raises(InputError, match="section must be on the page and have an anchor, got 'What changed'"):
        render(replace(PAGE, reasons=[Reason("Age moved.", Section(title="What changed", anchor="sizes"))]))


def test_small_charts_stand_in_a_grid_and_need_no_scrolling() -> None:
    figures = [as_figure("One", chart(["a"])), as_figure("Two", "<svg></svg>")]
    read = Reader(render(replace(PAGE, sections=[Section(title="Charts", figures=figures, grid=True)])))
    assert [figure.get("tabindex") for figure in read.attributes("figure")] == [None, None]
    assert [div["aria-label"] for div in read.attributes("div") if div.get("class") == "chart"] == ["One", "Two"]


def test_charts_of_one_section_are_told_apart() -> None:
    figures = [as_figure("One", "<svg></svg>"), as_figure("Two", "<svg></svg>")]
    read = Reader(render(replace(PAGE, sections=[Section(title="Charts", figures=figures)])))
    assert [each["aria-label"] for each in read.attributes("figure")] == ["Charts: chart 1", "Charts: chart 2"]


def test_sortable_tables_say_so_and_are_whole_without_a_script() -> None:
    section = Section(title="Rows", columns=["a", "b"], rows=[["x", 1], ["y", 2]], sortable=True)
    page = render(replace(PAGE, sections=[section]))
    read = Reader(page)
    assert [table.get("class") for table in read.attributes("table")] == ["stack sortable"]
    assert "hidden" in next(p for p in read.attributes("p") if p.get("class") == "filter")
    assert "button" not in {tag for tag, _ in read.tags}
    assert [span.get("role") for span in read.attributes("span")] == [None, "status"]


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
def test_render_colours_the_verdict_by_its_tone(tone: Tone) -> None:
    page = render(replace(PAGE, tone=tone))
    assert f'<div class="verdict {tone}">\n<strong>The verdict</strong>\n<p>The summary.</p>\n</div>' in page
    assert f".{tone} {{ border-color: var(--{tone}); }} .{tone} strong {{ color: var(--{tone}); }}" in page


def variables(page: str) -> list[dict[str, str]]:
    """Return the colours of the light and the dark theme."""
    light, dark = re.findall(r":root \{([^}]*--paper.*?)\}", page, flags=re.DOTALL)
    return [dict(re.findall(r"--(\w+): (#\w+)", theme)) for theme in (light, dark)]


def test_dark_mode_redefines_every_colour() -> None:
    page = render(PAGE)
    assert "@media screen and (prefers-color-scheme: dark) { :root {" in page  # paper is light
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
@pytest.mark.parametrize("name", ["ink", "soft", "link", *get_args(Tone)])
@pytest.mark.parametrize("behind", ["paper", "panel"])
def test_words_can_be_read_on_their_background(theme: int, name: str, behind: str) -> None:
    colours = variables(render(PAGE))[theme]
    dim, bright = sorted(brightness(colours[one]) for one in (name, behind))
    assert (bright + 0.05) / (dim + 0.05) >= 4.5


def test_charts_take_the_colours_of_the_theme() -> None:
    drawn = chart(["a", "b"])
    page = render(replace(PAGE, sections=[Section(title="Charts", figures=[as_figure("A chart", drawn)])]))
    figure = page[page.index("<figure") : page.index("</figure>")]
    assert plots.REFERENCE in drawn
    assert plots.CURRENT in drawn
    assert not re.findall("#[0-9a-f]{6}", figure)
    assert {"var(--reference)", "var(--current)", "var(--ink)"} <= set(re.findall(r"var\(--\w+\)", figure))


def test_gaps_between_cells_take_the_colour_of_the_paper() -> None:
    ax = plots.own_figure(size=(3.0, 3.0)).subplots()
    drawn = plots.svg(plots.order_matrix(["a", "b"], np.array([[0.5, 0.9], [0.1, 0.5]]), ax=ax), name="order")
    page = render(replace(PAGE, sections=[Section(title="Charts", figures=[as_figure("A chart", drawn)])]))
    figure = page[page.index("<figure") : page.index("</figure>")]
    assert 'stroke="#ffffff"' in drawn
    assert 'stroke="#ffffff"' not in figure
    assert 'fill="#ffffff"' in figure  # numbers on dark cells


@pytest.mark.parametrize("colour", ["#000000", plots.REFERENCE, plots.CURRENT.upper()])
def test_a_category_that_is_a_colour_stays_a_category(colour: str) -> None:
    drawn = chart([colour, "other"])
    page = Reader(render(replace(PAGE, sections=[Section(title="Charts", figures=[as_figure("A chart", drawn)])])))
    assert colour in [text.strip() for text in page.all("text")]


def test_charts_scroll_rather_than_shrink_until_nobody_can_read_them() -> None:
    figures = [
        as_figure("A chart", chart(["a"])),
        as_figure("A picture", "<svg></svg>"),
    ]  # the chart is 4 inches wide: 288 points
    page = render(replace(PAGE, sections=[Section(title="Charts", figures=figures)]))
    read = Reader(page)
    assert [(figure["tabindex"], figure["role"]) for figure in read.attributes("figure")] == [("0", "region")] * 2
    charts = [div for div in read.attributes("div") if (div.get("class") or "").startswith("chart")]
    assert [(div["role"], div["aria-label"], div["class"]) for div in charts] == [
        ("img", "A chart", "chart w271"),
        ("img", "A picture", "chart w0"),
    ]
    assert ".w271 { min-width: 271pt; }" in page
    assert "figure { margin: 1rem 0; overflow-x: auto; }" in page


@pytest.mark.parametrize(
    ("values", "side"),
    [
        (["<1e-16", "0.012"], "n"),
        (["2.5%", ""], "n"),
        (["1,234", "-3", "1e+05"], "n"),
        ([">99%", "<1%"], "n"),
        ([0.5, None, "refused", 0.25], "n"),
        ([True, False], None),
        (["KS", "3"], None),
        (["2024-01-01", "3-4"], None),
        (["", None], None),
    ],
)
def test_columns_of_numbers_stand_right(values: list[Any], side: str | None) -> None:
    section = Section(title="Rows", columns=["name", "value"], rows=[["a", value] for value in values])
    page = Reader(render(replace(PAGE, sections=[section])))
    # "s" keeps short cells on one line and does not align them.
    classes = [None if cell.get("class") == "s" else cell.get("class") for cell in page.attributes("td")]
    assert classes == [side] * len(values)
    assert [cell.get("class") for cell in page.attributes("th")] == [None, side, *[None] * len(values)]


def test_names_that_are_numbers_stand_left_but_numbers_do_not() -> None:
    for names, side in ((["3", "4"], None), ([3, 4], "n")):
        section = Section(title="Rows", columns=["name"], rows=[[name] for name in names])
        page = Reader(render(replace(PAGE, sections=[section])))
        assert [found.get("class") for found in page.attributes("th")] == [side] * 3


def test_a_section_shows_only_what_it_has() -> None:
    page = Reader(render(replace(PAGE, sections=[Section(title="Empty", columns=["a", "b"])])))
    assert page.all("h2") == ["Empty"]
    assert page.all("p") == ["The summary."]
    assert not {"table", "figure", "dl"} & {tag for tag, _ in page.tags}


def test_tables_have_a_head_and_numbers_stand_right() -> None:
    section = Section(title="Rows", columns=["name", "size", "known"], rows=[["age", 0.25, True], ["job", 3, None]])
    page = Reader(render(replace(PAGE, sections=[section])))
    assert page.all("th") == ["name", "size", "known", "age", "job"]
    assert [found["scope"] for found in page.attributes("th")] == ["col"] * 3 + ["row"] * 2
    assert page.all("td") == ["0.250", "yes", "3", ""]
    assert page.all("caption") == ["Rows"]


def test_a_folded_section_is_hidden_below_its_heading() -> None:
    section = Section(title="Long", anchor="long", text="Words.", columns=["a"], rows=[["x"]], folded=True)
    page = render(replace(PAGE, sections=[section]))
    read = Reader(page)
    assert [tag for tag, _ in read.tags if tag in ("details", "summary", "h2", "table")] == [
        "details", "summary", "h2", "table",
    ]  # fmt: skip
    # A browser opens a fold only for a target that is inside of it.
    assert page.index("</summary>") < page.index('id="long"') < page.index("<table")
    assert all("open" not in attributes for attributes in read.attributes("details"))
    # Older browsers need the script to open it where a link leads to it.
    assert len(read.attributes("script")) == 1


def test_a_cell_with_an_interval_does_not_break() -> None:
    section = Section(
        title="Rows", columns=["a", "b", "c"], rows=[["x", "0.836 [0.806, 0.865]", "in 3 words or many more"]]
    )
    cells = Reader(render(replace(PAGE, sections=[section]))).attributes("td")
    assert [found.get("class") for found in cells] == ["s", "s"]
    section = replace(section, rows=[["x", "no figure", "more than 24 characters long"]])
    cells = Reader(render(replace(PAGE, sections=[section]))).attributes("td")
    assert [found.get("class") for found in cells] == [None, None]


def test_the_head_says_what_the_page_is_about() -> None:
    page = Reader(render(replace(PAGE, head={"New data": Phrase(Sensitive("june.csv"), ", 10 rows")})))
    assert list(zip(page.all("dt"), page.all("dd"), strict=True)) == [("New data", "june.csv, 10 rows")]


def test_an_empty_summary_is_left_out() -> None:
    assert Reader(render(replace(PAGE, summary=""))).all("p") == []


def test_cells_name_their_columns_for_narrow_screens_unless_the_table_is_long() -> None:
    section = Section(title="Rows", columns=["name", Detail("low"), "size"], rows=[["a", 1, 2]])
    page = Reader(render(replace(PAGE, sections=[section])))
    assert [(cell["class"], cell["data-label"]) for cell in page.attributes("td")] == [
        ("n detail", "low"),
        ("n", "size"),
    ]
    assert [head.get("class") for head in page.attributes("th")] == [None, "n detail", "n", None]
    long = Reader(render(replace(PAGE, sections=[replace(section, rows=[["a", 1, 2]] * 61)])))
    assert [table.get("class") for table in long.attributes("table")] == [None]
    assert not [cell for cell in long.attributes("td") if "data-label" in cell]


def test_a_chart_and_its_table_may_stand_beside_each_other_below_their_key() -> None:
    section = Section(
        title="Both", figures=[as_figure("A chart", chart(["a"]))], columns=["a"], rows=[["x"]], beside=True,
        key=("before", "now"), new_sheet=True,
    )  # fmt: skip
    page = Reader(render(replace(PAGE, sections=[section])))
    assert [found["class"] for found in page.attributes("div") if "beside" in (found.get("class") or "")] == ["beside"]
    assert 'before <span class="now"></span> now' in " ".join(render(replace(PAGE, sections=[section])).split())
    assert [found.get("class") for found in page.attributes("section")] == ["sheet"]


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


def test_save_refuses_the_name_of_another_format(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"path must end in \.html, got .*; reports are HTML pages\."):
        save(PAGE, tmp_path / "report.pdf")
    assert not list(tmp_path.iterdir())
