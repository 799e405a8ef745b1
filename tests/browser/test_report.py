"""The report of an audit: as large as they come, with hostile names, and as readers use it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.auditing.cases import audited
from tests.auditing.test_page import HOSTILE, hostile
from tests.browser.conftest import Open, Write

import shiftproof as sp
from shiftproof.reporting import Page

FEATURES, MODELS, ROWS = 500, 7, 250
LARGEST, SLOWEST = 3_000_000, 2.0
# In pixels: a page as it opens, and the width and height of a sheet of A4 within its margins.
TALLEST, SHEET = 4_000, (703, 1_032)


def table(rng: np.random.Generator, moved: float) -> pd.DataFrame:
    numbers = {f"feature {at} of many": rng.normal(moved * (at % 3 == 0), 1.0, ROWS) for at in range(FEATURES * 4 // 5)}
    categories = {f"kind{at}": rng.choice(list("abcdefghijkl"), ROWS) for at in range(FEATURES // 5)}
    return pd.DataFrame(numbers | categories)


@cache
def page_of(kind: str, *, verified: bool) -> Page:
    found, y_new = audited(kind)
    return found.to_page(verification=found.verify(y_new) if verified else None)


@pytest.fixture(scope="module")
def large() -> Page:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=ROWS)
    old = {f"model {at}": rng.beta(2.0 + 2 * y, 4.0) for at in range(MODELS)}
    new = {name: rng.beta(3.0, 3.0, ROWS) for name in old}
    panel = sp.Panel.from_scores(y, old, new=new)
    return sp.audit(panel, table(rng, 0.0), y, table(rng, 0.6)).to_page()


def test_five_hundred_features_fit_a_mail_and_open_at_once(open_page: Open, write_page: Write, large: Page) -> None:
    assert write_page(large).stat().st_size < LARGEST
    seconds = []
    for _ in range(2):  # the first one also warms the browser up
        shown, _ = open_page(large)
        seconds.append(shown.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd") / 1000)
    assert min(seconds) < SLOWEST
    assert shown.locator("#tests tbody tr").count() == FEATURES
    assert shown.locator("#changed .spark").count() == 6
    assert shown.locator("#features figure").count() == 24
    assert not shown.locator("#tests").is_visible()
    shown.get_by_role("heading", name="Every feature").click()
    assert shown.locator("#tests .spark").count() == FEATURES
    shown.locator("#tests").get_by_label("Show rows").fill("kind7")
    assert shown.locator("#tests").get_by_role("status").inner_text() == "11 of 500 rows"
    shown.locator("#tests").get_by_role("button", name="size", exact=True).click()
    sizes = [float(text) for text in shown.locator("#tests tbody tr:visible td:nth-child(7)").all_inner_texts()]
    assert sizes == sorted(sizes)


def test_it_fits_a_phone(open_page: Open, large: Page) -> None:
    shown, _ = open_page(large, width=390)
    assert shown.evaluate("document.scrollingElement.scrollWidth") <= 390
    inside = "all => all.every(each => each.getBoundingClientRect().right <= 390)"
    assert shown.locator("#expect svg, #expect td, #changed svg, #changed td").evaluate_all(inside)


@pytest.mark.parametrize("kind", ["none", "prior", "nonsense"])
def test_what_opens_is_short_and_the_answer_is_one_printed_page(open_page: Open, kind: str) -> None:
    for verified in (False, True):
        page = page_of(kind, verified=verified)
        shown, _ = open_page(page, width=1400)
        assert shown.evaluate("document.documentElement.scrollHeight") <= TALLEST
        shown, _ = open_page(page, width=SHEET[0])
        shown.emulate_media(media="print")
        assert shown.locator("#expect + section").evaluate("each => each.getBoundingClientRect().bottom") <= SHEET[1]
        assert not shown.locator(".folded").first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_report_is_accessible(open_page: Open, axe: Path, scheme: str) -> None:
    shown, _ = open_page(page_of("prior", verified=True), color_scheme=scheme, bypass_csp=True)
    shown.add_script_tag(path=axe)
    told = shown.evaluate("axe.run().then(found => found.violations.map(each => [each.impact, each.id]))")
    assert not [each for each in told if each[0] in ("serious", "critical")]


def test_reasons_lead_to_their_sections(open_page: Open) -> None:
    shown, _ = open_page(page_of("nonsense", verified=False))
    links = shown.locator(".verdict a")
    assert 1 <= links.count() <= 5
    for at in range(links.count()):
        place = links.nth(at).get_attribute("href")
        links.nth(at).click()
        assert shown.evaluate("location.hash") == place
        assert shown.locator(str(place)).is_visible()


def test_hostile_names_stay_text(open_page: Open) -> None:
    shown, heard = open_page(hostile()[0].to_page())
    assert not heard.dialogs
    # Folded sections have text, too.
    words = shown.text_content("main") or ""
    for name in HOSTILE:
        assert name[:40] in words
    assert shown.locator("main u, main i, main b").count() == 0
