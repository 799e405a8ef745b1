"""The page of a detection, as large as they come."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.browser.conftest import Open

import shiftproof as sp
from shiftproof.reporting import Page, render

FEATURES, MODELS, ROWS = 500, 7, 250
LARGEST, SLOWEST = 3_000_000, 2.0


def table(rng: np.random.Generator, moved: float) -> pd.DataFrame:
    numbers = {f"feature {at} of many": rng.normal(moved * (at % 3 == 0), 1.0, ROWS) for at in range(FEATURES * 4 // 5)}
    categories = {f"kind{at}": rng.choice(list("abcdefghijkl"), ROWS) for at in range(FEATURES // 5)}
    return pd.DataFrame(numbers | categories)


@pytest.fixture(scope="module")
def large() -> Page:
    rng = np.random.default_rng(0)
    old, new = ({f"model {at}": rng.beta(2.0, shape, ROWS) for at in range(MODELS)} for shape in (5.0, 3.0))
    return sp.detect(table(rng, 0.0), table(rng, 0.6), old, new, multivariate=False).to_page()


def test_five_hundred_features_fit_a_mail_and_open_at_once(open_page: Open, large: Page) -> None:
    assert len(render(large).encode()) < LARGEST
    seconds = []
    for _ in range(2):  # the first one also warms the browser up
        shown, _ = open_page(large)
        seconds.append(shown.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd") / 1000)
    assert min(seconds) < SLOWEST
    assert shown.locator("#tests tbody tr").count() == FEATURES
    assert shown.locator("#features figure").count() == 24
    assert shown.locator("#tests .spark").count() == FEATURES
    shown.get_by_label("Show rows with").fill("kind7")
    assert shown.get_by_role("status").inner_text() == "11 of 500 rows"
    shown.get_by_role("button", name="size", exact=True).click()
    sizes = [float(text) for text in shown.locator("#tests tbody tr:visible td:nth-child(6)").all_inner_texts()]
    assert sizes == sorted(sizes)


def test_it_fits_a_phone(open_page: Open, large: Page) -> None:
    shown, _ = open_page(large, width=390)
    assert shown.evaluate("document.scrollingElement.scrollWidth") <= 390
    assert shown.locator("#features svg").first.evaluate("each => each.getBoundingClientRect().width") > 300
