"""The page of an evaluation."""

from __future__ import annotations

import numpy as np
from tests.evaluation.cases import evaluation

import shiftproof as sp
from shiftproof.evaluation._page import evaluation_page, evaluation_sections


def test_evaluation_sections_compare_every_model_with_the_best() -> None:
    result = evaluation(measure="accuracy")
    ranking = evaluation_sections(result).ranking
    assert ranking.columns == ("good against", "difference", "p-value", "test")
    test = result.comparisons["fair"]
    assert test is not None
    assert list(ranking.rows) == [("fair", str(test.difference), "<0.001", test.method)]


def test_evaluation_sections_describe_the_profit() -> None:
    rows = evaluation_sections(evaluation(benefit=sp.Benefit(tp=5, fp=-1))).measures.rows
    meanings = {row[1]: row[-1] for row in rows}
    assert meanings["profit"] == "mean benefit per row, deciding by expected benefit"
    assert "" not in meanings.values()


def test_evaluation_sections_have_no_curves_with_three_classes() -> None:
    y = np.tile([0, 1, 2], 40)
    scores = np.where(y[:, None] == np.arange(3), 0.6, 0.2)
    sections = evaluation_sections(sp.evaluate(sp.Panel.from_scores(y, {"m": scores})))
    assert sections.curves is None
    assert evaluation_sections(evaluation()).curves is not None


def test_evaluation_page_states_the_best_model_and_the_rows() -> None:
    page = evaluation_page(evaluation(measure="accuracy"), "Models")
    assert str(page.verdict).startswith("good: accuracy 90.0% (")
    assert (page.facts["rows"], page.facts["classes"]) == ("200", "0, 1")
