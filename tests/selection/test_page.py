"""The pages of a selection and of estimates: what stands where, also where nothing can be said."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from shiftproof.core import Note, ShiftproofWarning
from shiftproof.panel import Panel, cross_fit
from shiftproof.reporting import Page, Section, render
from shiftproof.selection import Performance, Selection, estimate_performance, select
from shiftproof.selection._page import joint_page, performance_page, performance_sections, selection_page
from shiftproof.selection._words import called, cost_text, written

HOSTILE = "<b>tree</b> & co"
MODELS = {"lr": LogisticRegression(), "nb": GaussianNB(), HOSTILE: DecisionTreeClassifier(max_depth=3, random_state=0)}


def rows(n: int, seed: int, by: float = 0.0) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], [n // 2, n - n // 2]))
    X = rng.normal(size=(n, 3)) + y[:, None] * [1.5, 0.8, 0.0] + by
    return pd.DataFrame(X, columns=["a", "b", "c"]), y


@pytest.fixture(scope="module")
def panel() -> Panel:
    return cross_fit(MODELS, *rows(240, 0), cv=3)


@pytest.fixture(scope="module")
def found(panel: Panel) -> tuple[Selection, Performance]:
    (X, y), (X_new, _) = rows(240, 0), rows(150, 1)
    return select(panel, X, y, X_new), estimate_performance(panel, X, y, X_new)


@pytest.fixture(scope="module")
def far(panel: Panel) -> tuple[Selection, Performance]:
    (X, y), (X_new, _) = rows(240, 0), rows(150, 1, by=9.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShiftproofWarning)
        return (
            select(panel, X, y, X_new, reverse=False),
            estimate_performance(panel, X, y, X_new),
        )


def part(page: Page, title: str) -> Section:
    (section,) = (each for each in page.sections if each.title == title)
    return section


def test_a_selection_has_its_sections(found: tuple[Selection, Performance]) -> None:
    result, _ = found
    page = selection_page(result, "Which model to use")
    assert [each.title for each in page.sections] == [
        "Which model",
        "How certain is the order?",
        "What ReverseTesting says",
        "What other methods say",
        "How we know",
    ]
    assert (page.verdict, page.tone, str(page.summary)) == (result.headline, result.tone, result.summary())
    which = part(page, "Which model")
    assert [row[0] for row in which.rows] == list(result.ranking)
    assert [len(row) for row in which.rows] == [len(which.columns)] * 3
    assert which.columns[-1] == "ReverseTesting wins"
    assert which.rows[0][3] == written(result.scores[result.best], "accuracy")
    assert len(part(page, "What ReverseTesting says").figures) == 2
    how = {str(row[0]): str(row[1]) for row in part(page, "How we know").rows}
    assert how["type of shift"] == result.shift.kind
    assert how["cost"] == f"9 fits in {result.seconds:.1f} s, 9 of them for ReverseTesting"
    assert re.fullmatch(
        r".+ [\d.]+%(; .+ [<>]?[\d.]+%)+; shiftproof fits the helper forest itself",
        how["weight of each model in the average of all models"],
    )
    assert "in 40 trials" in how["trial runs on artificially shifted labelled rows: pairs of models ranked correctly"]
    assert page.facts["labelled rows"] == "240"


def test_others_say_whom_they_would_choose(found: tuple[Selection, Performance]) -> None:
    result, _ = found
    others = part(selection_page(result, ""), "What other methods say")
    assert others.columns == ("method", "would choose", *result.ranking)
    told = {row[0]: row for row in others.rows}
    best = max(result.validated, key=lambda name: result.validated[name])
    assert told["cross-validation"][1] == best
    assert set(told) == set(result.others["lr"])


def test_expectations_have_their_sections(found: tuple[Selection, Performance]) -> None:
    _, result = found
    page = performance_page(result, "What to expect")
    assert [each.title for each in page.sections] == [
        "What to expect",
        "Why",
        "What other methods say",
        "Which rows to label",
    ]
    expected = part(page, "What to expect")
    assert [row[1] for row in expected.rows] == [called(name) for name in result.measures for _ in range(3)]
    first = result.interval("lr")
    assert expected.rows[0] == (
        "lr",
        "accuracy",
        written(result.estimates["lr"]["accuracy"].validated, "accuracy"),
        written(first.estimate, "accuracy"),
        f"{written(first.low, 'accuracy')} to {written(first.high, 'accuracy')}",
    )
    assert "The 90% intervals are for" in str(expected.text)
    why = part(page, "Why")
    assert why.columns == ("if", "lr", "nb", HOSTILE)
    assert [row[0] for row in why.rows] == [
        "nothing changed",
        "only the class proportions changed",
        "the mix of inputs changed",
    ]
    assert str(part(page, "Which rows to label").text).startswith(result.plan().summary())
    of_nb = performance_sections(result, plan=result.plan(model="nb")).labels
    assert "the accuracy of nb" in str(of_nb.text)


def test_both_on_one_page(found: tuple[Selection, Performance]) -> None:
    page = joint_page(*found, "All")
    titles = [each.title for each in page.sections]
    assert titles[:2] == ["Which model", "What to expect"]
    assert len(set(titles)) == len(titles) == 8
    assert found[1].summary() in str(page.summary)
    # The headline and the figures on the labelled data are said once.
    assert found[0].headline not in str(page.summary)
    assert str(page.summary).count("On the labelled data") == 1
    assert cost_text(found[0]) in str(page.summary)
    # in the order of the ranking, and the plan is for the model to use
    assert part(page, "What to expect").rows[0][0] == found[0].best
    assert f"of {found[0].best}" in str(part(page, "Which rows to label").text)
    html = render(page)
    assert HOSTILE not in html
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))


def test_results_save_their_pages(found: tuple[Selection, Performance], tmp_path: Any) -> None:
    selection, performance = found
    for path in (selection.save(tmp_path / "which.html"), performance.save(tmp_path / "expected.html")):
        assert "What other methods say" in path.read_text(encoding="utf-8")


def test_a_refusal_is_on_top_and_says_what_would_help(far: tuple[Selection, Performance]) -> None:
    selection, performance = far
    page = performance_page(performance, "")
    assert (page.tone, performance.refused) == ("bad", True)
    assert str(page.verdict).startswith("No estimate: ")
    expected = part(page, "What to expect")
    assert str(expected.text).startswith("The validated figures apply only to ")
    assert expected.columns == ("model", "validated accuracy", "validated F1", "validated AUC", "validated Brier score")
    assert not expected.figures
    assert "What other methods say" not in [each.title for each in page.sections]
    why = part(page, "Why")
    assert why.columns == ("question", "answer", "value", "limit")
    assert "Do many new rows lack a similar labelled row?" in [row[0] for row in why.rows]
    assert "Without labels there is no estimate." in str(part(page, "Which rows to label").text)
    page = selection_page(selection, "")
    assert str(page.verdict).startswith("Best guess: ")
    which = part(page, "Which model")
    assert which.text == "Don't rely on this order: so far from the labelled data, it is a guess."
    assert which.columns == ("model", "rank", "validated")
    assert not which.figures
    assert [each.title for each in page.sections] == ["Which model", "What ReverseTesting says", "How we know"]
    assert str(part(page, "What ReverseTesting says").text).endswith("It was skipped: it is switched off.")
    both = joint_page(selection, performance, "")
    assert (both.tone, str(both.summary)) == ("bad", selection.summary())
    assert render(both)


def test_methods_that_do_not_say_how_sure_they_are(found: tuple[Selection, Performance]) -> None:
    result = found[0]
    silent = replace(
        result,
        method="importance weighting",
        beats=np.full_like(result.beats, np.nan),
        probabilities=dict.fromkeys(result.names, float("nan")),
        rehearsal=None,
    )
    page = selection_page(silent, "")
    assert "How certain is the order?" not in [each.title for each in page.sections]
    words = "Ranked with the method 'importance weighting', which does not say how certain the order is."
    assert part(page, "Which model").text == words
    assert part(page, "Which model").rows[0][4:6] == ("", "")
    assert len(part(page, "How we know").rows) < len(part(selection_page(result, ""), "How we know").rows)
    assert render(page)


def test_one_model_alone(found: tuple[Selection, Performance]) -> None:
    result = found[0]
    alone = replace(
        result,
        scores={"lr": 0.9},
        probabilities={"lr": 1.0},
        validated={"lr": 0.9},
        beats=np.array([[0.5]]),
        others={"lr": dict(result.others["lr"])},
        reverse=None,
        reverse_skipped=Note(code="ReverseTesting skipped", detail="one model"),
    )
    page = selection_page(alone, "")
    assert "How certain is the order?" not in [each.title for each in page.sections]
    assert render(page)


def test_labels_are_told(panel: Panel) -> None:
    (X, y), (X_new, y_new) = rows(240, 0), rows(150, 1)
    labels = dict(enumerate(y_new[:100].tolist()))
    result = estimate_performance(panel, X, y, X_new, labels=labels)
    page = performance_page(result, "")
    assert "the labels of 100 of them" in str(part(page, "What to expect").text)
    assert "combined with these" in str(part(page, "Why").text)
    page = performance_page(replace(result, labelled=np.arange(150)), "")
    assert str(part(page, "Which rows to label").text).startswith("Every new row already has a label")


@pytest.mark.parametrize(
    ("value", "measure", "words"),
    [(0.8768, "accuracy", "87.7%"), (0.8768, "brier", "0.877"), (-1234.5, "profit", "-1.23e+03"), (np.nan, "auc", "")],
)
def test_measures_are_written_as_people_read_them(value: float, measure: str, words: str) -> None:
    assert written(value, measure) == words
