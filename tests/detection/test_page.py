"""The page of a detection: what stands where, and what a redacted one keeps to itself."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pandas as pd
import pytest

import shiftproof as sp
from shiftproof import reporting
from shiftproof.detection._scores import ScoreShift
from shiftproof.reporting import Drawing, Page, Section, render

RNG = np.random.default_rng(7)
ROWS = 400
HOSTILE = "<script>alert(1)</script>"


def table(moved: float, towns: list[str]) -> pd.DataFrame:
    start = np.datetime64("1987-06-05")
    return pd.DataFrame(
        {
            "income": RNG.normal(54_321 + 9_000 * moved, 3_210, ROWS),
            "town": RNG.choice(towns, ROWS),
            "since": start + RNG.integers(0, 300 + int(200 * moved), ROWS).astype("timedelta64[D]"),
            "quiet": RNG.normal(0, 1, ROWS),
            "holes": np.where(RNG.random(ROWS) < 0.05 + 0.2 * moved, np.nan, RNG.normal(0, 1, ROWS)),
            HOSTILE: RNG.normal(moved, 1, ROWS),
        }
    )


@pytest.fixture(scope="module")
def found() -> sp.Detection:
    towns = ["Oslo", "Rome", "Bern"]
    old, new = table(0.0, towns), table(1.0, [*towns[1:], "Secretville; with a semicolon: and a colon"])
    scores = RNG.beta(2, 5, ROWS), RNG.beta(3, 3, ROWS)
    labels = RNG.choice(["no", "yes"], ROWS)
    return sp.detect(old, new, {"one": scores[0]}, {"one": scores[1]}, reference_labels=labels)


@pytest.fixture(scope="module")
def plain(found: sp.Detection) -> Page:
    return found.to_page(title="The title")


@pytest.fixture(scope="module")
def redacted(found: sp.Detection) -> Page:
    return reporting.redacted(found.to_page(title="The title"))


def part(page: Page, name: str) -> Section:
    (section,) = (each for each in page.sections if each.anchor == name)
    return section


def test_sections_have_their_anchors(plain: Page) -> None:
    assert plain.title == "The title"
    ids = [section.anchor for section in plain.sections]
    every = ["scores", "sizes", "features", "together", "kind", "kind-evidence", "distributions", "groups", "tests"]
    assert ids == [name for name in every if name in ids]
    assert set(every) - {"groups"} <= set(ids)


def test_evidence_and_long_tables_are_folded_and_last(plain: Page) -> None:
    folded = [section.folded for section in plain.sections]
    assert folded == sorted(folded)
    assert [section.anchor for section in plain.sections if section.folded][-1] == "tests"
    assert not part(plain, "kind").folded


def test_every_feature_has_a_chart_of_its_own(found: sp.Detection, plain: Page) -> None:
    features = part(plain, "features")
    assert features.grid
    assert len(features.figures) == 6
    told = {str(figure.words).split(",")[0]: figure.draw() for figure in features.figures}
    assert told.keys() == found.records.keys()
    assert len({re.search(r'id="(feature-\d+)-figure_1"', svg)[1] for svg in told.values()}) == 6  # type: ignore[index]
    assert ">income · KS" in told["income"]


def test_six_features_are_shown_and_at_most_two_dozen_drawn() -> None:
    old, new = ({f"x{at}": RNG.normal(moved, 1, 60) for at in range(30)} for moved in (0, 2))
    page = sp.detect(old, new, multivariate=False).to_page()
    features, more = part(page, "features"), part(page, "more-features")
    assert (len(features.figures), len(more.figures)) == (6, 18)
    assert (features.folded, more.folded) == (False, True)
    assert len({str(figure.words) for figure in (*features.figures, *more.figures)}) == 24
    assert str(more.text).endswith("The other 6 are in the table of all tests.")


def test_the_table_sorts_and_has_small_pictures(plain: Page) -> None:
    tests = part(plain, "tests")
    assert tests.sortable
    assert tests.columns[:4] == ["feature", "old, new", "type", "verdict"]
    cells = {(row[0], row[4]): row[1] for row in tests.rows}
    assert all(isinstance(drawn, Drawing) for (_, effect), drawn in cells.items() if effect in ("KS", "Hellinger"))
    assert cells["holes", "change of the missing share"] == ""
    town = cells["town", "Hellinger"]
    assert isinstance(town, Drawing)
    assert re.fullmatch(r"'(Oslo|Secretville.*)' is (more|less) frequent", str(town.words))
    income = cells["income", "KS"]
    assert isinstance(income, Drawing)
    assert income.words in ("higher than before", "lower than before")


def test_columns_without_content_are_left_out() -> None:
    old, new = {"x": RNG.normal(0, 1, 60)}, {"x": RNG.normal(0, 1, 60)}
    columns = part(sp.detect(old, new, multivariate=False).to_page(), "tests").columns
    assert not {"missing before", "missing now", "note"} & set(columns)


def test_many_categories_are_one_in_a_small_picture() -> None:
    old, new = ({"x": np.repeat([f"c{at}" for at in range(40)], times)} for times in (3, 4))
    (row,) = part(sp.detect(old, new, kinds={"x": "nominal"}, multivariate=False).to_page(), "tests").rows
    assert isinstance(row[1], Drawing)
    assert len(row[1].svg) < 600


def test_a_picture_of_many_unseen_values_says_so() -> None:
    old, new = {"x": ["a", "b"] * 50}, {"x": ["a", "b"] * 35 + [f"c{row}" for row in range(30)]}
    (row,) = part(sp.detect(old, new, multivariate=False).to_page(), "tests").rows
    assert isinstance(row[1], Drawing)
    assert str(row[1].words) == "30% of the new values do not occur in the reference"


def words(page: Page) -> str:
    return unescape(render(page))


SECRETS = ["Oslo", "Rome", "Bern", "Secretville", "semicolon", "1987", "60000", "70000", "unseen in the reference"]


def test_a_redacted_page_tells_no_values(plain: Page, redacted: Page) -> None:
    told, kept = words(plain), words(redacted)
    assert {"Oslo", "Secretville", "unseen in the reference", "60000", "1987"} <= {
        each for each in SECRETS if each in told
    }
    assert [secret for secret in SECRETS if secret in kept] == []
    assert "category 1" in kept


def test_axes_of_a_redacted_page_have_no_numbers(redacted: Page) -> None:
    charts = [figure.draw() for name in ("features", "distributions") for figure in part(redacted, name).figures]
    assert len(charts) > 6
    numbers = {
        text for svg in charts for text in re.findall(r">([^<>]+)</text>", svg) if re.fullmatch(r"[\d.,−]+", text)
    }
    assert max(float(number) for number in numbers) <= 1  # shares


def test_a_redacted_page_still_tells_what_changed(plain: Page, redacted: Page) -> None:
    assert redacted.verdict == plain.verdict
    assert redacted.summary == str(plain.summary)
    assert [section.title for section in redacted.sections] == [section.title for section in plain.sections]
    assert "income" in words(redacted)


def test_a_redacted_page_does_not_say_what_a_model_choked_on() -> None:
    lost = ScoreShift(model="lr", label="", statistic=0.0, p_value=np.nan, note="Secretville is new", failed=True)
    found = sp.detect({"x": [1.0, 2.0] * 20}, {"x": [2.0, 1.0] * 20}, multivariate=False)
    rows = part(reporting.redacted(replace(found, scores=(lost,)).to_page()), "scores").rows
    assert rows[0][-1] == "could not score the new rows: (hidden)"


def test_hostile_names_are_text_on_the_page(plain: Page) -> None:
    html = render(plain)
    assert HOSTILE not in html
    assert unescape(html).count(HOSTILE) > 5
