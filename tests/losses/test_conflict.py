"""Figure 6.1 and Table 6.1: perfect quantifiers that find all of the positives, or none."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from shiftproof.core import InputError
from shiftproof.losses import PerfectQuantifiers, nas, perfect_quantifiers
from shiftproof.plots import own_figure

ROWS = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0]]


@pytest.fixture(scope="module")
def iris() -> PerfectQuantifiers:
    X, y = load_iris(return_X_y=True)
    # w1 points to class 1, w2 to class 3, the positive one
    return perfect_quantifiers(X[:, 2:], y == 2, {"w1": [-1, -1.03], "w2": [1, 1.27]})


def test_both_lines_of_figure_6_1_count_perfectly(iris: PerfectQuantifiers) -> None:
    for way, offset in zip(iris.directions, iris.offsets, strict=True):
        called = iris.X @ way > offset
        assert nas(float(iris.y.mean()), float(called.mean())) == 1


def test_the_first_has_the_table_6_1(iris: PerfectQuantifiers) -> None:
    first = iris.to_frame().to_dict("records")[0]
    assert first == {"name": "w1", "tp": 0, "fp": 50, "fn": 50, "tn": 50, "recall": 0, "nas": 1, "q_measure": 0}


def test_the_second_finds_most_and_is_preferred(iris: PerfectQuantifiers) -> None:
    frame = iris.to_frame().set_index("name")
    assert frame["fp"].tolist() == frame["fn"].tolist()
    assert frame.loc["w2", "recall"] == 0.94
    assert frame.loc["w2", "q_measure"] == pytest.approx(5 * 0.94 / (4 * 0.94 + 1))
    assert iris.summary() == (
        "Each line calls 50 of 150 rows positive, as many as there are: w1 finds 0; w2 finds 47 of them."
    )


def test_perfect_quantifiers_plot_draws_on_the_given_axes(iris: PerfectQuantifiers) -> None:
    ax = own_figure(size=(5, 4)).subplots()
    assert iris.plot(ax, features=("length", "width")) is ax
    assert ax.get_xlabel() == "length"
    json.dumps(iris.to_dict(), allow_nan=False)


def test_the_rows_given_are_kept_as_they_were() -> None:
    X = np.array(ROWS)
    found = perfect_quantifiers(X, [0, 0, 0, 1], {"w": [1, 0]})
    X[:] = 9
    assert found.X.tolist() == ROWS
    assert found.offsets.tolist() == [2.5]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ([[1.0], [2.0]], [0, 1], {"w": [1, 0]}),
            "X must have two columns, got 1; choose the two features to draw.",
        ),
        (
            (ROWS, [0, 1], {"w": [1, 0]}),
            "y must have as many values as X has rows, 4, got 2; give one label per row.",
        ),
        (
            (ROWS, [0, 1, 2, 1], {"w": [1, 0]}),
            "y must hold 0 and 1, got 0.0, 1.0 and 2.0; mark the positive rows with y == label.",
        ),
        ((ROWS, [0, 0, 0, 1], {}), "directions must name at least one line, got {}; {'w': [1, 0]} is one."),
        (
            (ROWS, [0, 0, 0, 1], {"w": [0, 0]}),
            "direction 'w' must hold two numbers that are not both 0, got [0.0, 0.0]; [1, 0] is one.",
        ),
        (
            (ROWS, [0, 0, 0, 1], {"w": [0, -1]}),
            "direction 'w' must set the 1 rows it puts first apart from the next, got rows that are tied; "
            "turn it a little.",
        ),
    ],
)
def test_bad_input_gets_one_sentence(arguments: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        perfect_quantifiers(*arguments)
