from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from shiftproof import Panel
from shiftproof.core import InputError, as_table
from shiftproof.monitoring._scores import ScoreColumns, given_scores, panel_scores

TABLE = as_table({"p": [0.2, 0.6, 1.0], "q": [0.8, 0.4, 0.0], "t": ["a", "b", "c"]})


def test_given_scores_by_column_name_belong_to_the_second_class() -> None:
    columns, values = given_scores("p", TABLE, ("no", "yes"), None)
    assert columns == ScoreColumns(names=("p",), classes=("no", "yes"), positive=1)
    assert values.tolist() == [[0.8, 0.2], [0.4, 0.6], [0.0, 1.0]]
    assert columns.read(TABLE, "batch").tolist() == values.tolist()
    assert columns.columns_of(values)["p"].tolist() == [0.2, 0.6, 1.0]


def test_given_scores_of_the_first_class() -> None:
    columns, values = given_scores("p", TABLE, ("no", "yes"), "no")
    assert values[0].tolist() == [0.2, 0.8]
    assert columns.columns_of(values)["p"].tolist() == [0.2, 0.6, 1.0]


def test_given_scores_of_several_columns_and_arrays() -> None:
    columns, values = given_scores(["q", "p"], TABLE, ("no", "yes"), None)
    assert columns.names == ("q", "p")
    assert values[1].tolist() == [0.4, 0.6]
    columns, _ = given_scores(np.array([0.1, 0.2, 0.3]), TABLE, (), None)
    assert columns.names == ("score",)
    three = np.full((3, 3), 1 / 3)
    assert given_scores(three, TABLE, ("a", "b", "c"), None)[0].names == ("score a", "score b", "score c")
    frame = pd.DataFrame({"b": [0.1] * 3, "a": [0.9] * 3})
    assert given_scores(frame, TABLE, ("a", "b"), None)[1][0].tolist() == [0.9, 0.1]
    assert given_scores(pd.Series([0.1] * 3, name="risk"), TABLE, (), None)[0].names == ("risk",)


@pytest.mark.parametrize(
    ("scores", "classes", "message"),
    [
        ("pp", (), "scores must name columns of the reference; got 'pp'. Did you mean 'p'?"),
        ("t", (), "reference['t'] must hold probabilities"),
        (
            [0.1, 0.2],
            (),
            "scores must have one row per row of the reference, got 2 for 3; pass the scores of the same rows.",
        ),
        (
            [0.1, None, 0.3],
            (),
            "scores must have a value in every row, got 1 row without one; drop such rows first.",
        ),
        ([0.1, 7.0, 0.3], (), "scores must lie between 0 and 1, got 7"),
        (
            np.zeros((3, 1, 1)),
            (),
            "scores must have one or two dimensions, got shape (3, 1, 1); pass one column per class.",
        ),
        ([0.1, 0.2, 0.3], ("a", "b", "c"), "scores must have 3 columns, got 1; one for each of 'a', 'b' and 'c'."),
    ],
)
def test_given_scores_refuses(scores: Any, classes: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        given_scores(scores, TABLE, classes, None)


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (("no", "yes"), "pos_label must be one of 'no' and 'yes', got 'x'; labels must match exactly."),
        ((), "pos_label must be left out without labels, got 'x'; pass labels, or leave it out."),
    ],
)
def test_given_scores_refuses_an_unknown_class(classes: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        given_scores("p", TABLE, classes, "x")


def test_read_refuses_a_batch_without_scores() -> None:
    with pytest.raises(InputError, match=r"^the batch has no score column 'risk'; available: 'p', 'q', 't'\.$"):
        ScoreColumns(names=("risk",)).read(TABLE, "batch")


def test_panel_scores_need_one_model_and_the_same_rows() -> None:
    panel = Panel.from_scores([0, 1, 1], {"old": [0.2, 0.9, 0.8], "new": [0.1, 0.5, 0.6]})
    columns, values, codes = panel_scores(panel, "new", 3)
    assert columns.names == ("new",)
    assert values[:, 1].tolist() == [0.1, 0.5, 0.6]
    assert codes.tolist() == [0, 1, 1]
    for model, rows, message in (
        (None, 3, "scores must name one model of the panel, got None; choose one of 'old' and 'new'."),
        ("nw", 3, "scores must name one model of the panel; got 'nw'. Did you mean 'new'?"),
        (
            "new",
            4,
            "reference must have the rows that the panel was made from, got 4 for 3; pass the table that was given "
            "to cross_fit.",
        ),
    ):
        with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
            panel_scores(panel, model, rows)
