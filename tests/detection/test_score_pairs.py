"""The scores that are compared: those given, and those of a panel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from tests.detection.cases import MOVED, NEW, OLD, Y, error_of, scores, task

import shiftproof as sp
from shiftproof.core import as_table
from shiftproof.detection._score_pairs import given_scores


def test_given_scores_of_three_classes_name_the_one_that_moved_most() -> None:
    rng = np.random.default_rng(0)
    old, new = rng.dirichlet([1, 1, 1], 300), rng.dirichlet([1, 1, 3], 200)
    (row,) = sp.detect(OLD, NEW, old, new).scores
    assert row.label == "class 2"
    assert row.p_value < 1e-6
    assert row.method == "Puri-Sen, 3 degrees of freedom"
    labels = np.array(["u", "v", "w"])[np.arange(300) % 3]
    assert sp.detect(OLD, NEW, old, new, reference_labels=labels).scores[0].label == "w"
    assert sp.detect(OLD, NEW, scores(OLD), scores(NEW), reference_labels=Y == 1).scores[0].label is True


def test_given_scores_with_columns_of_numbers_are_sorted_as_numbers() -> None:
    rng = np.random.default_rng(1)
    sizes = np.arange(1.0, 13.0)
    old, new = rng.dirichlet(sizes, 300), rng.dirichlet(sizes, 200)
    named = pd.DataFrame(old, columns=range(1, 13))
    (row,), (same,) = sp.detect(OLD, NEW, named, new).scores, sp.detect(OLD, NEW, old, new).scores
    assert (row.verdict, row.p_value) == (same.verdict, same.p_value)
    assert row.verdict != "shifted"
    # Names of several types have no order of their own.
    mixed = pd.DataFrame(old[:, :2] / old[:, :2].sum(axis=1, keepdims=True), columns=[1, "two"])
    assert sp.detect(OLD, NEW, mixed, np.full((200, 2), 0.5)).scores


def test_given_scores_may_be_a_column() -> None:
    old, new = OLD.assign(p=scores(OLD)), MOVED.assign(p=scores(MOVED))
    result = sp.detect(old, new, "p", "p")
    assert result.p_value == sp.detect(OLD, MOVED, scores(OLD), scores(MOVED)).p_value
    assert result.left_out == {"p": "score"}
    assert "Not tested" not in result.summary()


@pytest.mark.parametrize("cv", [5, "prefit"])
def test_panel_scores_compare_like_with_like(cv: Any) -> None:
    models = {"nb": GaussianNB(), "tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=0)}
    if cv == "prefit":
        other, labels = task(300, 9)
        models = {name: model.fit(other, labels) for name, model in models.items()}
    panel = sp.cross_fit(models, OLD, Y, cv=cv)
    quiet, loud = sp.detect(OLD, NEW, panel=panel), sp.detect(OLD, MOVED, panel=panel)
    assert quiet.p_value > 0.01
    assert {row.model for row in loud.scores if row.material} == {"nb", "tree"}
    assert loud.kind is not None
    assert ("within 5 blocks" in loud.scores[0].method) == (cv == 5)


def test_score_only_pairs_need_a_score_of_each_new_row() -> None:
    panel = sp.Panel.from_scores(Y, {"old": scores(OLD)}, new={"old": scores(MOVED)})
    result = sp.detect(OLD, MOVED, panel=panel)
    assert result.p_value == pytest.approx(sp.detect(OLD, MOVED, scores(OLD), scores(MOVED)).p_value)
    words = error_of(lambda: sp.detect(OLD, MOVED[:50], panel=panel))
    assert (
        words == "panel must have one score per row of the new data, got 200 of 'old' for 50 rows; pass "
        "the scores of the same rows."
    )
    empty = sp.Panel.from_scores(Y, {"old": scores(OLD)})
    assert "panel must include scores for the new rows, got none for 'old'" in error_of(
        lambda: sp.detect(OLD, MOVED, panel=empty)
    )


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((np.full(300, 0.5), None), {}, "current_scores must be given with reference_scores, got none"),
        ((None, np.full(200, 0.5)), {}, "reference_scores must be given with current_scores, got none"),
        ((np.full(300, 1.5), np.full(200, 0.5)), {}, "reference_scores must lie between 0 and 1, got 1.5"),
        (
            (np.full(299, 0.5), np.full(200, 0.5)),
            {},
            "reference_scores must have one row per row of the table, got 299",
        ),
        (
            (np.full(300, np.nan), np.full(200, 0.5)),
            {},
            "reference_scores must have a value in every row, got 300 rows",
        ),
        (
            (np.ma.array(np.full(300, 0.5), mask=np.arange(300) < 4), np.full(200, 0.5)),
            {},
            "reference_scores must have a value in every row, got 4 rows",
        ),
        (
            (np.full(300, 0.5), pd.Series(0.5, index=NEW.index[::-1])),
            {},
            "current_scores must have its rows in the same order as current, got the same index in a different order; "
            "pass current_scores.loc[current.index], or current_scores.to_numpy() if",
        ),
        (
            (None, None),
            {"reference_labels": pd.Series(Y, index=OLD.index[::-1])},
            "reference_labels must have its rows in the same order as reference, got the same index in a different "
            "order",
        ),
        (("p", "p"), {}, "reference_scores must name a column of the table, got 'p'; available: 'a', 'b'"),
        (
            ({"x": np.full(300, 0.5)}, {"y": np.full(200, 0.5)}),
            {},
            "current_scores must be for the same models as ref",
        ),
        (({}, {}), {}, "reference_scores must hold at least one model's scores, got {}"),
        ((["x"] * 300, ["y"] * 200), {}, "reference_scores must be probabilities"),
        (
            (np.full((300, 2), 0.9), np.full((200, 2), 0.9)),
            {},
            "reference_scores must have rows that sum to 1",
        ),
        (
            (np.full((300, 3), 1 / 3), np.full((200, 2), 0.5)),
            {},
            "current_scores must have as many columns as",
        ),
        (
            (np.full((300, 3), 1 / 3), np.full((200, 3), 1 / 3)),
            {"reference_labels": Y},
            "reference_labels must contain only the 3 classes that the scores have columns for, got 2: 0 and 1",
        ),
        (
            (np.full(300, 0.3), np.full(200, 0.3)),
            {"reference_labels": np.arange(300) % 3},
            "reference_scores must have 3 columns, one for each of 0, 1 and 2 in reference_labels, got 1",
        ),
        (
            (
                pd.DataFrame({"no": np.full(300, 0.4), "yes": np.full(300, 0.6)}),
                pd.DataFrame({"yes": np.full(200, 0.6), "nein": np.full(200, 0.4)}),
            ),
            {},
            "current_scores must have one column for each of the columns of reference_scores 'no' and 'yes', got 'yes' "
            "and 'nein'; name the columns after the columns of reference_scores, or pass an array with columns in that "
            "order.",
        ),
        (
            (pd.DataFrame({"p0": np.full(300, 0.4), "p1": np.full(300, 0.6)}), np.full((200, 2), 0.5)),
            {"reference_labels": Y},
            "reference_scores must have one column for each of the classes 0 and 1, got 'p0' and 'p1'; name the "
            "columns after the classes, or pass an array with columns in that order.",
        ),
        (
            (pd.Series(np.full(300, 0.4), name="no"), pd.Series(np.full(200, 0.4), name="yes")),
            {"reference_labels": np.where(Y, "yes", "no")},
            "current_scores must be for the same class as reference_scores, got 'no' in reference_scores and 'yes' "
            "in current_scores; score both for the same class.",
        ),
    ],
)
def test_given_scores_refuse_in_one_sentence(arguments: tuple[Any, ...], options: dict[str, Any], words: str) -> None:
    assert words in error_of(lambda: sp.detect(OLD, NEW, *arguments, **options))


def test_panel_scores_note_models_that_cannot_score_the_new_rows() -> None:
    panel = sp.cross_fit({"lr": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=3)}, OLD, Y, cv=5)
    result = sp.detect(OLD, NEW.assign(a=np.nan), panel=panel)
    assert [(row.model, row.verdict) for row in result.scores][-1] == ("lr", "cannot tell")
    assert "'lr' could not score the new rows: Input X contains NaN." in result.summary()
    assert "a" in result.features
    lost = sp.detect(OLD, NEW.drop(columns="c"), panel=panel)
    assert all(row.verdict == "cannot tell" for row in lost.scores)
    assert lost.features == ("c",)
    assert math.isnan(lost.p_value)
    assert "could not score" in str(lost.to_page().sections[0].rows[0][-1])


def test_given_scores_of_two_classes_keep_the_positive_column() -> None:
    table = as_table({"x": [1.0, 2.0]})
    both = np.array([[0.9, 0.1], [0.2, 0.8]])
    (pair,) = given_scores(both, both[::-1], table, table, ["no", "yes"])
    assert pair.labels == ("yes",)
    assert (pair.reference.tolist(), pair.current.tolist()) == ([[0.1], [0.8]], [[0.8], [0.1]])


@pytest.mark.parametrize("labels", [None, Y])
def test_given_scores_are_matched_by_the_names_of_their_columns(labels: Any) -> None:
    before, after = (np.column_stack([1 - scores(table), scores(table)]) for table in (OLD, MOVED))
    plain = sp.detect(OLD, MOVED, before, after, reference_labels=labels)
    in_order = pd.DataFrame(before, columns=["0", "1"])
    reversed_ = pd.DataFrame(after[:, ::-1], columns=["1", "0"])
    for sides in ((in_order, reversed_), (before, reversed_), (in_order.iloc[:, ::-1], after)):
        named = sp.detect(OLD, MOVED, *sides, reference_labels=labels)
        assert named.p_value == pytest.approx(plain.p_value, rel=1e-9)


def test_given_scores_of_one_column_are_of_the_class_that_it_is_named_after() -> None:
    before, after = (pd.Series(1 - scores(table), name="no") for table in (OLD, MOVED))
    (pair,) = given_scores(before, after, as_table(OLD), as_table(MOVED), np.where(Y, "yes", "no"))
    assert pair.labels == ("no",)


def test_given_scores_are_none_without_scores() -> None:
    table = as_table({"x": [1.0]})
    assert given_scores(None, None, table, table) == ()
