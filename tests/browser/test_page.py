"""A page as readers meet it: with a pointer, a keyboard, a phone, a printer, a screen reader."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.browser.conftest import Open

from shiftproof import plots
from shiftproof.reporting import Drawing, Figure, Page, Reason, Section

if TYPE_CHECKING:
    from playwright.sync_api import Page as Shown

HOSTILE = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>'",
    "</title></style><script>alert(1)</script>",
    "x" * 300,
    "🙂👨‍👩‍👧",
    "مرحبا بالعالم (3)",
    "שלום",
    "a\u202eevil",
    "{{ 7*7 }} ${1}",
    "]]> &lt;b&gt; \x00\x1b",
]
COLUMNS = ("feature", "old, new", "size", "q-value", "missing", "note")
ROWS = [
    ("b10", 0.25, "0.012", "2.5%", "late"),
    ("b9", -1.5, "<1e-16", "", ""),
    ("A", 1200.0, "1e-16", "<0.1%", "early"),
    ("c", None, "3e-05", "10%", "Late"),
]


def chart(names: Sequence[str], name: str = "bars") -> str:
    sizes = np.linspace(0.1, 0.9, len(names)).tolist()

    def draw(ax: Any) -> Any:
        return plots.effect_bars(names, sizes, ["material"] * len(names), thresholds=[0.3] * len(names), ax=ax)

    return plots.drawn_svg(draw, (8.0, 1.1 + 0.26 * len(names)), name)


@cache
def page_of(*names: str) -> Page:
    picture = Drawing(plots.sparkline([1, 5, 3], [4, 2, 1]), "lower than before")
    table = Section(
        title="Every test",
        anchor="tests",
        text="Sort and filter.",
        columns=COLUMNS,
        rows=[(name, picture, *rest) for name, (_, *rest) in zip(names, ROWS * len(names), strict=False)],
        sortable=True,
    )
    small = [
        Figure(f"chart of {name}", partial(chart, [name], f"small-{number}")) for number, name in enumerate(names[:4])
    ]
    large = Figure(names[0], partial(chart, names))
    return Page(
        title=f"About {names[0]}",
        verdict=f"Do not trust {names[0]}",
        tone="bad",
        summary=f"{names[0]} changed most ({names[-1]} least).",
        reasons=[Reason(f"{name} moved by 0.3.", table) for name in names[:3]],
        sections=[
            Section(title="What changed", anchor="changed", text=names[0], figures=[large]),
            Section(title="Old against new", anchor="features", figures=small, grid=True),
            Section(title="Details", anchor="details", sections=[table]),
        ],
        facts={"rows": "1,000", names[0]: names[0]},
    )


PAGE = page_of(*(row[0] for row in ROWS))


def folded_page() -> Page:
    """Return a page whose reason leads to the second of two folded sections."""
    evidence = Section(title="Evidence", anchor="evidence", text="Many numbers.", folded=True)
    method = Section(title="The method", anchor="method", text="How it was done.", folded=True)
    return Page(
        title="A page",
        verdict="Shifted",
        tone="bad",
        summary="It changed.",
        reasons=[Reason("It was measured.", method)],
        sections=[Section(title="How we know", anchor="how", text="Evidence follows.", sections=[evidence, method])],
    )


def column(shown: Shown, at: int) -> list[str]:
    return [text.strip() for text in shown.locator(f"tbody tr:visible > :nth-child({at})").all_inner_texts()]


def sorts(shown: Shown) -> list[str]:
    return [str(head.get_attribute("aria-sort")) for head in shown.locator("thead th").all()]


def test_it_opens_in_silence_and_in_order(open_page: Open) -> None:
    shown, _ = open_page(PAGE)
    assert shown.title() == "About b10"
    assert column(shown, 1) == ["b10", "b9", "A", "c"]
    assert sorts(shown) == ["none"] * 6
    assert shown.evaluate("performance.getEntriesByType('resource').length") == 0


@pytest.mark.parametrize(
    ("head", "ascending", "descending"),
    [
        ("feature", ["A", "b9", "b10", "c"], ["c", "b10", "b9", "A"]),
        ("size", ["b9", "b10", "A", "c"], ["A", "b10", "b9", "c"]),
        ("q-value", ["b9", "A", "c", "b10"], ["b10", "c", "A", "b9"]),
        ("missing", ["A", "b10", "c", "b9"], ["c", "b10", "A", "b9"]),
        ("note", ["A", "b10", "c", "b9"], ["b10", "c", "A", "b9"]),
    ],
)
def test_sorting_by_a_click(open_page: Open, head: str, ascending: list[str], descending: list[str]) -> None:
    shown, _ = open_page(PAGE)
    button = shown.get_by_role("button", name=head)
    at = COLUMNS.index(head)
    for order, direction in ((ascending, "ascending"), (descending, "descending"), (["b10", "b9", "A", "c"], "none")):
        button.click()
        assert column(shown, 1) == order
        assert sorts(shown) == [direction if other == at else "none" for other in range(6)]


def test_sorting_by_the_keyboard(open_page: Open) -> None:
    shown, _ = open_page(PAGE)
    shown.get_by_role("button", name="feature").focus()
    shown.keyboard.press("Enter")
    assert (column(shown, 1), sorts(shown)[0]) == (["A", "b9", "b10", "c"], "ascending")
    shown.keyboard.press("Space")
    assert (column(shown, 1), sorts(shown)[0]) == (["c", "b10", "b9", "A"], "descending")
    shown.keyboard.press("Tab")
    shown.keyboard.press("Tab")
    shown.keyboard.press("Enter")
    assert sorts(shown) == ["none", "none", "ascending", "none", "none", "none"]


def test_filtering_leaves_what_matches_and_says_how_many(open_page: Open) -> None:
    shown, _ = open_page(PAGE)
    box, status = shown.get_by_label("Show rows"), shown.get_by_role("status")
    for asked, left, words in (
        ("LATE", ["b10", "c"], "2 of 4 rows"),
        ("late 10%", ["c"], "1 of 4 rows"),
        ("lower than", ["b10", "b9", "A", "c"], "4 of 4 rows"),
        ("nobody", [], "0 of 4 rows"),
        ("", ["b10", "b9", "A", "c"], "all 4 rows"),
    ):
        box.fill(asked)
        assert column(shown, 1) == left
        assert status.inner_text() == words


def test_a_filter_stays_when_the_order_changes(open_page: Open) -> None:
    shown, _ = open_page(PAGE)
    shown.get_by_label("Show rows").fill("late")
    shown.get_by_role("button", name="feature").click()
    shown.get_by_role("button", name="feature").click()
    assert column(shown, 1) == ["c", "b10"]


def test_without_a_script_everything_is_shown(open_page: Open) -> None:
    shown, _ = open_page(PAGE, java_script_enabled=False)
    assert column(shown, 1) == ["b10", "b9", "A", "c"]
    assert shown.locator("thead button").count() == 0
    assert not shown.locator(".filter").is_visible()


def test_links_lead_to_their_sections(open_page: Open) -> None:
    shown, _ = open_page(PAGE)
    shown.keyboard.press("Tab")
    assert shown.evaluate("document.activeElement.textContent") == "Skip to the details"
    shown.keyboard.press("Enter")
    assert shown.evaluate("document.activeElement.id") == "_details"
    links = [str(link.get_attribute("href")) for link in shown.locator("nav a, .reasons a").all()]
    assert links == ["#tests"] * 3 + ["#changed", "#features", "#details"]
    assert all(shown.locator(link).count() == 1 for link in links)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_link_opens_the_folded_section_that_it_leads_to(open_page: Open, scripts: bool) -> None:
    shown, _ = open_page(folded_page(), java_script_enabled=scripts)
    evidence, method = shown.get_by_text("Many numbers."), shown.get_by_text("How it was done.")
    assert (evidence.is_visible(), method.is_visible()) == (False, False)
    for _ in range(2):
        shown.get_by_role("link", name="The method").click()
        assert (evidence.is_visible(), method.is_visible()) == (False, True)
        # The reader closes it and follows the same link again, which does not change the address.
        shown.get_by_role("heading", name="The method").click()
        assert not method.is_visible()


def test_an_address_opens_the_folded_section_that_it_names(open_page: Open) -> None:
    shown, heard = open_page(folded_page())
    shown.goto(f"{shown.url}#method")
    assert shown.get_by_text("How it was done.").is_visible()
    heard.requests.clear()


def test_a_folded_section_opens_by_the_keyboard(open_page: Open) -> None:
    shown, _ = open_page(folded_page())
    shown.locator("summary").first.focus()
    shown.keyboard.press("Enter")
    assert shown.get_by_text("Many numbers.").is_visible()
    shown.keyboard.press("Space")
    assert not shown.get_by_text("Many numbers.").is_visible()


def test_print_shows_the_folded_sections_that_are_open(open_page: Open) -> None:
    shown, _ = open_page(folded_page())
    shown.get_by_role("link", name="The method").click()
    shown.emulate_media(media="print")
    assert shown.get_by_text("How it was done.").is_visible()
    assert not shown.get_by_role("heading", name="Evidence", exact=True).is_visible()
    assert not shown.get_by_text("Many numbers.").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_folded_sections_are_accessible(open_page: Open, axe: Path, scheme: str) -> None:
    shown, _ = open_page(folded_page(), color_scheme=scheme, bypass_csp=True)
    shown.add_script_tag(path=axe)
    assert shown.evaluate("axe.run().then(result => result.violations.map(rule => [rule.impact, rule.id]))") == []


@pytest.mark.parametrize("names", [[row[0] for row in ROWS], HOSTILE], ids=["plain", "hostile"])
def test_a_phone_scrolls_tables_and_not_the_page(open_page: Open, names: list[str]) -> None:
    shown, _ = open_page(page_of(*names), width=390)
    assert shown.evaluate("document.scrollingElement.scrollWidth") <= 390
    scrolling = ".scroll, figure[tabindex]"
    assert shown.locator(scrolling).evaluate_all("all => all.every(each => each.tabIndex === 0)")
    assert shown.locator(".grid figure").evaluate_all("all => all.every(each => each.scrollWidth <= each.clientWidth)")


@pytest.mark.parametrize("script", [True, False])
def test_a_phone_opens_a_chart_over_time_at_its_end(open_page: Open, script: bool) -> None:
    figures = [
        Figure("A chart", partial(chart, ["a", "b"], name), over_time=name == "late") for name in ("early", "late")
    ]
    page = Page(title="T", verdict="V", tone="good", summary="", sections=[Section(title="S", figures=figures)])
    shown, _ = open_page(page, width=390, java_script_enabled=script)
    for figure, side in zip(shown.locator("figure").all(), ("left", "right"), strict=True):
        outer, inner = figure.bounding_box(), figure.locator("svg").bounding_box()
        assert outer is not None
        assert inner is not None
        assert inner["width"] > outer["width"] + 50
        hidden = outer["x"] - inner["x"]
        assert hidden == pytest.approx(0 if side == "left" else inner["width"] - outer["width"], abs=2)


def test_dark_mode_is_dark(open_page: Open) -> None:
    shown, _ = open_page(PAGE)

    def colours() -> list[str]:
        script = "each => [getComputedStyle(each).backgroundColor, getComputedStyle(each).color]"
        bar = "each => getComputedStyle(each).fill"
        return [*shown.locator("body").evaluate(script), *shown.locator("figure path[fill^=var]").evaluate_all(
            f"all => [...new Set(all.map({bar}))]"
        )]  # fmt: skip

    light = colours()
    shown.emulate_media(color_scheme="dark")
    dark = colours()
    assert len(light) == len(dark) > 2
    assert not set(light) & set(dark)


def test_print_shows_all_in_light_colours(open_page: Open) -> None:
    shown, _ = open_page(page_of(*HOSTILE[:6]), width=700, color_scheme="dark")  # as wide as a sheet of A4
    shown.get_by_label("Show rows").fill("nobody")
    assert column(shown, 1) == []
    shown.emulate_media(media="print")
    assert len(column(shown, 1)) == 6
    assert not shown.locator(".filter").is_visible()
    assert not shown.locator("nav").is_visible()
    assert shown.locator("body").evaluate("each => getComputedStyle(each).backgroundColor") == "rgb(255, 255, 255)"
    fits = "all => all.every(each => each.scrollWidth <= document.body.clientWidth)"
    assert shown.locator("table, figure, .chart").evaluate_all(fits)
    assert len(shown.pdf()) > 10_000


def test_hostile_names_are_text(open_page: Open) -> None:
    shown, heard = open_page(page_of(*(f"name {at}" for at in range(len(HOSTILE)))))
    names = "() => [...document.querySelectorAll('*:not(bdi)')].map(each => each.localName).sort()"
    harmless = shown.evaluate(names)
    shown, heard = open_page(page_of(*HOSTILE))
    assert shown.evaluate(names) == harmless
    assert column(shown, 1)[:3] == HOSTILE[:3]
    assert shown.locator("figure title").first.evaluate("each => each.textContent").startswith(HOSTILE[0])
    shown.get_by_label("Show rows").fill("<script>")
    assert column(shown, 1) == [HOSTILE[0], HOSTILE[2]]
    shown.get_by_role("button", name="feature").click()
    assert heard.dialogs == []


def test_a_script_that_got_in_would_not_run(open_page: Open) -> None:
    shown, heard = open_page(PAGE)
    shown.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=alert(1) style=\"color:red\">')")
    shown.wait_for_timeout(100)
    assert heard.dialogs == []
    assert all("Content Security Policy" in said for said in heard.console)
    blocked = [
        directive for directive in ("script-src", "style-src", "img-src") if directive in " ".join(heard.console)
    ]
    assert blocked == ["script-src", "style-src", "img-src"]
    heard.console.clear()
    heard.requests.clear()  # asked for, and refused before it left


def test_pointing_at_a_bar_says_its_numbers(open_page: Open) -> None:
    shown, _ = open_page(PAGE)
    bar = shown.locator("#changed rect").filter(has=shown.locator("title")).first
    box = bar.bounding_box()
    assert box is not None
    where = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    said = shown.evaluate("([x, y]) => document.elementFromPoint(x, y).textContent", where)
    assert said == "b10: size 0.100, mark at 0.3; changed enough to matter"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("names", [[row[0] for row in ROWS], HOSTILE], ids=["plain", "hostile"])
def test_nothing_serious_bars_a_screen_reader(open_page: Open, axe: Path, scheme: str, names: list[str]) -> None:
    shown, _ = open_page(page_of(*names), color_scheme=scheme, bypass_csp=True)
    shown.add_script_tag(path=axe)
    found = shown.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
    told = [(each["id"], each["impact"], [node["html"][:200] for node in each["nodes"][:3]]) for each in found]
    assert [each for each in told if each[1] in ("serious", "critical")] == []


def test_a_screen_reader_hears_headings_and_the_table(open_page: Open) -> None:
    shown, _ = open_page(PAGE)
    heard = shown.locator("body").aria_snapshot()
    levels = [int(level) for level in re.findall(r"heading .*\[level=(\d)\]", heard)]
    assert levels == [1, 2, 2, 2, 3, 2]
    assert 'navigation "On this page"' in heard
    assert 'table "Every test"' in heard
    assert heard.count("rowheader") == 4
