"""Columns that would only mislead are set aside: identifiers, text, and dates that are later in the new data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from shiftproof import ColumnsLeftOut
from shiftproof.case import Aside, Case
from shiftproof.case._aside import columns_aside, warn_of_columns_aside
from shiftproof.panel import Panel, cross_fit, default_models

OURS = default_models(only=["nb"])
N = 60


def table(first: str, *, ids: int, n: int = N) -> pd.DataFrame:
    texts = [f"the {number} guest came {number * 7 % 11} days late {ids}" for number in range(n)]
    return pd.DataFrame(
        {
            "id": np.arange(ids, ids + n),
            "key": [f"k{ids + number}" for number in range(n)],
            "memo": texts,
            "day": pd.date_range(first, periods=n),
            "age": np.arange(n) % 9,
        }
    )


OLD, NEW = table("2024-01-01", ids=0), table("2024-06-01", ids=500)


def test_identifiers_text_and_later_dates_are_set_aside_for_models_of_the_package() -> None:
    aside = {"id": "identifier", "key": "identifier", "memo": "text", "day": "later in the new data"}
    assert columns_aside(OURS, OLD, NEW) == columns_aside(list(OURS.values()), OLD, NEW) == aside
    assert columns_aside(OURS["nb"], OLD, NEW, hidden=["id"], kinds={"day": "date"}) == {
        "key": "identifier",
        "memo": "text",
    }


def test_nothing_is_set_aside_for_models_that_may_need_every_column() -> None:
    assert columns_aside({"mine": LogisticRegression()}, OLD, NEW) == {}
    assert columns_aside({**OURS, "mine": LogisticRegression()}, OLD, NEW) == {}
    assert columns_aside(None, OLD, NEW) == columns_aside({}, OLD, NEW) == {}


def test_the_same_columns_are_set_aside_for_scores_alone() -> None:
    scores = np.linspace(0.1, 0.9, N)
    panel = Panel.from_scores(np.arange(N) % 2, {"m": scores}, new={"m": scores})
    assert columns_aside(panel, OLD, NEW) == columns_aside(OURS, OLD, NEW)


@pytest.mark.parametrize(
    ("first", "aside"),
    [("2024-03-01", True), ("2024-02-15", True), ("2024-01-20", False), ("2023-12-31", False), ("2020-01-01", False)],
)
def test_dates_are_set_aside_if_most_are_later_and_none_is_earlier(first: str, aside: bool) -> None:
    found = columns_aside(OURS, OLD[["day", "age"]], table(first, ids=0)[["day", "age"]])
    assert found == ({"day": "later in the new data"} if aside else {})


def test_dates_against_text_or_gaps_are_not_set_aside() -> None:
    text = NEW[["day", "age"]].assign(day="soon")
    empty = OLD[["day", "age"]].assign(day=pd.Series([pd.NaT] * len(OLD), index=OLD.index))
    assert columns_aside(OURS, OLD[["day", "age"]], text) == {}
    assert columns_aside(OURS, empty, NEW[["day", "age"]]) == {}


def test_tables_of_nothing_else_and_what_is_no_table_keep_their_columns() -> None:
    assert columns_aside(OURS, OLD[["id", "day"]], NEW[["id", "day"]]) == {}
    assert columns_aside(OURS, ["some text"], ["more"]) == {}
    assert columns_aside(OURS, OLD, None) == {"id": "identifier", "key": "identifier", "memo": "text"}
    assert columns_aside(OURS, 3, NEW) == {}


@pytest.mark.parametrize(
    ("aside", "adjustable", "words"),
    [
        (
            {"id": "identifier"},
            True,
            "'id' (identifier); to use it anyway, pass kinds={'id': 'continuous'}; with it, the new data usually "
            "look too different to estimate anything.",
        ),
        (
            {"day": "later in the new data", "memo": "text"},
            True,
            "'day' (later in the new data), 'memo' (text); to use them anyway, pass kinds={'day': 'date', 'memo': "
            "'nominal'}; with them, the new data usually look too different to estimate anything.",
        ),
        ({"memo": "text"}, False, "'memo' (text)."),
    ],
)
def test_the_warning_names_the_columns_and_how_to_use_one(
    aside: dict[str, Aside], adjustable: bool, words: str
) -> None:
    with pytest.warns(ColumnsLeftOut) as caught:
        warn_of_columns_aside(aside, OLD, adjustable=adjustable)
    assert str(caught[0].message) == f"left out of tests and models: {words}"


def test_a_case_hides_them_from_models_and_comparisons_but_not_from_fitted_models() -> None:
    y = (np.arange(N) % 9 > 4).astype(int)
    with pytest.warns(ColumnsLeftOut):
        case = Case.of(OURS, OLD, y, NEW, purpose="a test", cv=3)
    assert [*case.panel.feature_names] == ["age"]
    assert list(case.tables.tested) == ["age"]
    assert set(case.tables.aside) == {"id", "key", "memo", "day"}
    fitted = {"nb": default_models(only=["nb"])["nb"].fit(OLD[["day", "age"]], y)}
    kept = Case.of(fitted, OLD[["day", "age"]], y, NEW[["day", "age"]], purpose="a test", cv="prefit")
    assert kept.tables.aside == {}


def test_columns_that_no_fitted_model_uses_are_set_aside() -> None:
    y = (np.arange(N) % 9 > 4).astype(int)
    of_age = make_pipeline(make_column_transformer(("passthrough", ["age"])), LogisticRegression())
    of_both = make_pipeline(make_column_transformer(("passthrough", ["id", "age"]), ("drop", ["key"])), GaussianNB())
    fitted = {"a": of_age.fit(OLD, y), "b": of_both.fit(OLD, y)}
    rest = {"key": "identifier", "memo": "text", "day": "later in the new data"}
    assert columns_aside(fitted, OLD, NEW, fitted=True) == rest
    assert columns_aside(fitted["a"], OLD, NEW, fitted=True) == {"id": "identifier", **rest}
    panel = cross_fit({"a": of_age}, OLD, y, cv=3)
    assert columns_aside(panel, OLD, NEW) == {"id": "identifier", **rest}
    # A model that was fitted on an array does not remember the names.
    assert columns_aside([GaussianNB().fit(OLD[["age"]].to_numpy(), y)], OLD, NEW, fitted=True) == {}
    # Nothing is compared.
    assert columns_aside(fitted, OLD, None, fitted=True) == columns_aside(panel, OLD, None) == {}
    # To be fitted again, it might learn from every column.
    assert columns_aside(fitted, OLD, NEW) == {}


@pytest.mark.parametrize(
    ("new", "aside"),
    [
        (["2024-03-01", "2024-03-02 10:00"], True),
        (["2024-01-03", "2024-03-02"], False),  # half of them are not later
        (["2024-03-01", "2023-12-31", "2024-03-02"], False),
        (["2024-03-01", "soon"], False),
        (["01.03.2024"], False),
    ],
)
def test_dates_that_a_reader_left_as_text_are_set_aside_too(new: list[str], aside: bool) -> None:
    days = [f"2024-01-{number % 9 + 1:02d}" for number in range(N)]
    old = pd.DataFrame({"day": days, "age": np.arange(N) % 9})
    later = pd.DataFrame({"day": new * 10, "age": np.arange(len(new) * 10) % 9})
    found = columns_aside(OURS, old, later)
    assert found == ({"day": "later in the new data"} if aside else {})
    if aside:
        with pytest.warns(ColumnsLeftOut, match=r"pass kinds=\{'day': 'nominal'\}"):
            warn_of_columns_aside(found, old, adjustable=True)
