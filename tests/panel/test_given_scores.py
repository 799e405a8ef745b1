"""Probabilities without models are checked, and belong to the class that was named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.panel.cases import error_of

import shiftproof as sp
from shiftproof.core import InputError
from shiftproof.panel import Panel

CHURN = ["churned", "stayed", "churned", "stayed"]


def test_scores_of_two_classes_are_those_of_the_second() -> None:
    panel = Panel.from_scores(["b", "a", "b"], {"m": [0.9, 0.2, 0.6], "n": np.full((3, 2), 0.5)}, new={"m": [0.25]})
    assert panel.names == ("m", "n")
    np.testing.assert_allclose(panel.out_of_fold["m"], [[0.1, 0.9], [0.8, 0.2], [0.4, 0.6]])
    assert panel.new_scores["m"].tolist() == [[0.75, 0.25]]
    assert panel.models == panel.fold_models == {}
    assert panel.tested.all()
    assert panel.summary() == "2 models (m, n) on 3 rows: 'a' 1, 'b' 2."
    assert not panel.out_of_fold["m"].flags.writeable


def test_scores_of_more_classes_have_a_column_each() -> None:
    scores = np.array([[0.2, 0.3, 0.5], [1, 0, 0], [0, 1, 0]])
    panel = Panel.from_scores(["x", "y", "z"], {"m": scores})
    np.testing.assert_array_equal(panel.out_of_fold["m"], scores)
    assert scores.flags.writeable
    assert panel.predictions("m").tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (
            {"m": [0.5, 1.5]},
            "scores['m'] must lie between 0 and 1, got 1.5; "
            "turn decision values into probabilities first, or divide percentages by 100.",
        ),
        (
            {"m": [0.5, np.nan]},
            "scores['m'] must have a value in every row, but 1 of 2 is missing; drop these rows.",
        ),
        ({"m": ["a", "b"]}, "scores['m'] must be probabilities, got ['a', 'b']; pass numbers from 0 to 1."),
        (
            {"m": [0.5]},
            "scores['m'] must have one row per label, got 1 for 2 labels; pass scores and labels of the same rows.",
        ),
        (
            {"m": [[0.5, 0.4], [0.5, 0.5]]},
            "scores['m'] must have rows that sum to 1, got 0.9; divide each row by its sum, if they should.",
        ),
        (
            {"m": [[0.5, 0.4, 0.1], [0.5, 0.5, 0]]},
            "scores['m'] must have 2 columns, got shape (2, 3); one for each of 'a' and 'b'.",
        ),
        (
            {},
            "scores must be a dict that maps names to probabilities, with at least one entry, got {}; "
            "write {'name': probabilities}.",
        ),
    ],
)
def test_sentences_about_scores(scores: Any, words: str) -> None:
    assert error_of(lambda: Panel.from_scores(["a", "b"], scores)) == words


def test_from_scores_refuses_scores_and_weights_whose_index_contradicts_that_of_y() -> None:
    y, other = pd.Series([0, 1, 0, 1]), pd.Series([0.1, 0.9, 0.2, 0.8], index=[3, 2, 1, 0])
    way_out = "if the rows already correspond by position."
    for name, scores, weights in (("scores['m']", other, None), ("sample_weight", other.to_numpy(), other)):
        with pytest.raises(InputError) as error:
            Panel.from_scores(y, {"m": scores}, sample_weight=weights)
        assert str(error.value) == (
            f"{name} must have its rows in the same order as y, got the same index in a different order; "
            f"pass {name}.loc[y.index], or {name}.to_numpy() {way_out}"
        )


def test_from_scores_refuses_new_scores_whose_indexes_contradict_each_other() -> None:
    first, second = pd.Series([0.1, 0.9]), pd.Series([0.1, 0.9], index=[1, 0])
    with pytest.raises(
        InputError, match=r"^new\['b'\] must have its rows in the same order as new\['a'\], got the same index"
    ):
        Panel.from_scores([0, 1], {"a": [0.1, 0.9], "b": [0.1, 0.9]}, new={"a": first, "b": second})
    with pytest.raises(
        InputError, match=r"^sample_weight must have its rows in the same order as scores\['a'\], got the same"
    ):
        Panel.from_scores([0, 1], {"a": first}, sample_weight=second)


def test_from_scores_refuses_masked_scores() -> None:
    with pytest.raises(InputError) as error:
        Panel.from_scores([0, 1], {"m": np.ma.array([0.1, 0.9], mask=[False, True])})
    assert str(error.value) == "scores['m'] must have a value in every row, but 1 of 2 is missing; drop these rows."


def test_one_column_of_scores_belongs_to_pos_label() -> None:
    of_churned = {"m": [0.9, 0.2, 0.7, 0.4]}
    expected = [[0.9, 0.1], [0.2, 0.8], [0.7, 0.3], [0.4, 0.6]]
    panel = Panel.from_scores(CHURN, of_churned, new={"m": [0.9]}, pos_label="churned")
    np.testing.assert_allclose(panel.out_of_fold["m"], expected)
    assert panel.new_scores["m"][0, 0] == 0.9
    # The class is known, so either may be the positive one.
    assert (panel.positive("churned"), panel.positive("stayed")) == (0, 1)
    assert error_of(lambda: Panel.from_scores(CHURN, of_churned, pos_label="left")) == (
        "pos_label must be one of 'churned' and 'stayed', got 'left'; labels must match exactly."
    )


@pytest.mark.parametrize(
    "sides",
    [
        {"scores": {"m": [0.9, 0.2, 0.7, 0.4]}},
        {"scores": {"m": np.full((4, 2), 0.5)}, "new": {"m": [0.9]}},
        {"scores": {"m": pd.Series([0.9, 0.2, 0.7, 0.4], name="p")}},
    ],
    ids=["labelled", "new", "a column of another name"],
)
def test_positive_class_is_refused_that_scores_of_one_column_may_not_be_meant_for(sides: dict[str, Any]) -> None:
    panel = Panel.from_scores(CHURN, **sides)
    assert panel.positive("stayed") == panel.positive() == 1
    assert error_of(lambda: panel.positive("churned")) == (
        "pos_label must be 'stayed', the class that the scores are assumed to be for, got 'churned'; name the class of "
        "the scores in Panel.from_scores(..., pos_label=...)."
    )


@pytest.mark.parametrize("verb", [sp.evaluate, sp.select, sp.estimate_performance, sp.quantify, sp.audit])
def test_verbs_refuse_another_positive_class_than_that_of_the_scores(verb: Any) -> None:
    panel = Panel.from_scores(CHURN * 10, {"m": [0.9, 0.2, 0.7, 0.4] * 10}, new={"m": [0.9, 0.1] * 10})
    assert error_of(lambda: verb(panel, pos_label="churned")).startswith(
        "pos_label must be 'stayed', the class that the scores are assumed"
    )


def test_scores_named_after_a_class_are_of_that_class() -> None:
    by_class = {"stayed": [0.1, 0.8, 0.3, 0.6], "churned": [0.9, 0.2, 0.7, 0.4]}
    expected = Panel.from_scores(CHURN, {"m": by_class["churned"]}, pos_label="churned").out_of_fold["m"]
    for scores in (by_class, pd.DataFrame(by_class), pd.Series(by_class["churned"], name="churned")):
        np.testing.assert_allclose(Panel.from_scores(CHURN, {"m": scores}).out_of_fold["m"], expected)
    wrong = pd.Series(by_class["churned"], name="churned")
    assert error_of(lambda: Panel.from_scores(CHURN, {"m": wrong}, pos_label="stayed")) == (
        "scores['m'] must be the probability of 'stayed', got a column named 'churned'; "
        "rename it, or pass the scores of the right class."
    )


def test_pos_label_is_for_two_classes_only() -> None:
    scores = {"m": np.full((3, 3), 1 / 3)}
    assert error_of(lambda: Panel.from_scores(["a", "b", "c"], scores, pos_label="b")) == (
        "pos_label must be left out for more than two classes, got 'b'; pass pos_label to the function that gets the "
        "panel."
    )


def test_from_scores_refuses_scores_without_rows_and_new_that_is_no_dict() -> None:
    new: Any = 5
    assert error_of(lambda: Panel.from_scores([0, 1], {"m": [0.1, 0.9]}, new=new)) == (
        "new must be a dict that maps names to probabilities, got 5; write {'name': probabilities}."
    )
    assert error_of(lambda: Panel.from_scores([0, 1], {"m": [0.1, 0.9]}, new={"m": []})) == (
        "new['m'] must hold at least one row, got shape (0,); check the filter or the file."
    )
    ragged = {0: [0.1, 0.2], 1: [0.9]}
    assert error_of(lambda: Panel.from_scores([0, 1], {"m": ragged})) == (
        "scores['m'] must have columns of the same length, one for each class, got {0: [0.1, 0.2], 1: [0.9]}; "
        "write {label: column, ...}."
    )
    same: Any = {1: [0.1, 0.9], "1": [0.1, 0.9]}
    assert error_of(lambda: Panel.from_scores([0, 1], same)) == (
        "scores must have names that differ as text, got 1 and '1'; rename one of them."
    )
