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
    every = ["scores", "changes", "kind", "together", "sizes", "features", "groups", "tests"]
    assert ids == [name for name in every if name in ids]
    assert set(every) - {"groups"} <= set(ids)


def test_only_scores_and_what_changed_are_open(plain: Page) -> None:
    assert [section.anchor for section in plain.sections if not section.folded] == ["scores", "changes"]


def test_what_changed_is_said_in_words_of_six_features(plain: Page) -> None:
    changes = part(plain, "changes")
    assert changes.columns == ("feature", "what happened", "frequency of values")
    happened = {str(row[0]): str(row[1]) for row in changes.rows}
    assert len(happened) == 6
    assert re.fullmatch(r"higher: median 5.* before, 6.* now", happened["income"])
    assert re.fullmatch(r"'(Oslo|Secretville.*)' is (more|less) frequent: .+% before, .+% now", happened["town"])
    assert re.fullmatch(r"missing: \d.*% before, \d.*% now", happened["holes"])
    assert happened["since"] == "later than before"


def test_internal_names_are_not_on_the_page(plain: Page) -> None:
    html = render(plain)
    for name in ("p_none", "p_prevalence", "largest_change", "correlation_change", "blocks", "new above old", "phi"):
        assert name not in html


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
    changes, features = part(page, "changes"), part(page, "features")
    assert (len(changes.rows), len(features.figures)) == (6, 24)
    assert (changes.folded, features.folded) == (False, True)
    assert str(features.text).endswith('The other 6 are listed under "Every test".')


def test_the_table_sorts_and_has_words_and_small_pictures(plain: Page) -> None:
    tests = part(plain, "tests")
    assert tests.sortable
    assert [str(column) for column in tests.columns[:5]] == [
        "feature",
        "what happened",
        "before, now",
        "type",
        "verdict",
    ]
    cells = {(row[0], row[5]): row[1:3] for row in tests.rows}
    pictures = [drawn for (_, effect), (_, drawn) in cells.items() if effect in ("KS", "Hellinger")]
    assert all(isinstance(drawn, Drawing) and not drawn.words for drawn in pictures)
    words, drawn = cells["holes", "change in the share of missing values"]
    assert (str(words).startswith("missing "), drawn) == (True, "")
    assert str(cells["income", "KS"][0]).startswith("higher: median ")


def test_columns_without_content_are_left_out() -> None:
    old, new = {"x": RNG.normal(0, 1, 60)}, {"x": RNG.normal(0, 1, 60)}
    columns = part(sp.detect(old, new, multivariate=False).to_page(), "tests").columns
    assert not {"missing before", "missing now", "note"} & {str(column) for column in columns}


def test_many_categories_are_one_in_a_small_picture() -> None:
    old, new = ({"x": np.repeat([f"c{at}" for at in range(40)], times)} for times in (3, 4))
    (row,) = part(sp.detect(old, new, kinds={"x": "nominal"}, multivariate=False).to_page(), "tests").rows
    assert isinstance(row[2], Drawing)
    assert len(row[2].svg) < 600


def test_many_unseen_values_are_said_in_words() -> None:
    old, new = {"x": ["a", "b"] * 50}, {"x": ["a", "b"] * 35 + [f"c{row}" for row in range(30)]}
    (row,) = part(sp.detect(old, new, multivariate=False).to_page(), "tests").rows
    assert str(row[1]) == "30% of the values never occurred before"


def words(page: Page) -> str:
    return unescape(render(page))


SECRETS = ["Oslo", "Rome", "Bern", "Secretville", "semicolon", "1987", "60000", "70000", "new values"]


def test_a_redacted_page_tells_no_values(plain: Page, redacted: Page) -> None:
    told, kept = words(plain), words(redacted)
    assert {"Oslo", "Secretville", "new values", "60000", "1987"} <= {each for each in SECRETS if each in told}
    assert [secret for secret in SECRETS if secret in kept] == []
    assert "category 1" in kept


def test_axes_of_a_redacted_page_have_no_numbers(redacted: Page) -> None:
    charts = [figure.draw() for name in ("features", "scores") for figure in part(redacted, name).figures]
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
