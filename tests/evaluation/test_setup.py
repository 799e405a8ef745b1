"""How the models of a panel are measured."""

from __future__ import annotations

import numpy as np
import pytest
from tests.evaluation.cases import FAIR, GOOD, Y, panel

import shiftproof as sp
from shiftproof.core import InputError, as_table
from shiftproof.evaluation._setup import Setup, take_rows


def test_estimates_are_those_of_all_tested_rows() -> None:
    estimates = Setup(panel=panel()).estimates("fair", ["accuracy", "brier"])
    assert estimates["accuracy"].estimate == pytest.approx(((FAIR > 0.5) == Y).mean())
    assert estimates["brier"].estimate == pytest.approx(((FAIR - Y) ** 2).mean())
    assert estimates["accuracy"].level == 0.9


def test_fold_values_are_those_of_the_rows_of_each_fold() -> None:
    expected = [((FAIR[40 * fold :][:40] > 0.5) == Y[40 * fold :][:40]).mean() for fold in range(5)]
    assert Setup(panel=panel()).fold_values("fair", "accuracy").tolist() == pytest.approx(expected)


def test_profit_decides_each_row_by_its_expected_benefit() -> None:
    benefit = sp.Benefit(tp=10, fp=-1)
    setup = Setup(panel=panel(), benefit=benefit)
    acted = GOOD * 10 > 1 - GOOD
    gains = np.where(acted, np.where(Y == 1, 10.0, -1.0), 0.0)
    assert setup.profit("good").estimate == pytest.approx(gains.mean())
    expected = [gains[40 * fold :][:40].mean() for fold in range(5)]
    assert setup.fold_values("good", "profit").tolist() == pytest.approx(expected)


def test_profit_of_a_matrix_follows_the_names_of_its_classes() -> None:
    # Row: the truth; column: the decision. The classes stand in the other order than in the panel.
    matrix = sp.Benefit.matrix([[10, 0], [-1, 0]], classes=[1, 0])
    assert Setup(panel=panel(), benefit=matrix).profit("good").estimate == pytest.approx(
        Setup(panel=panel(), benefit=sp.Benefit(tp=10, fp=-1)).profit("good").estimate
    )


def test_profit_refuses_a_matrix_of_other_classes() -> None:
    setup = Setup(panel=panel(), benefit=sp.Benefit.matrix([[1, 0], [0, 1]], classes=["a", "b"]))
    with pytest.raises(InputError) as caught:
        setup.profit("good")
    assert str(caught.value) == "the classes of benefit must be those of y, 0 and 1, got ['a', 'b']; name each once."


def test_take_rows_copies_only_where_rows_are_left_out() -> None:
    table = as_table({"price": [1.0, 2.0, 3.0]})
    assert take_rows(None, np.array([True])) is None
    assert take_rows({"price": [1.0, 2.0, 3.0]}, np.ones(3, dtype=bool)).names == table.names
    assert take_rows(table, np.array([True, False, True])) == {"price": [1.0, 3.0]}
    with pytest.raises(
        InputError, match=r"^table must have one row per label, 2, got 3; pass rows in the same order as X"
    ):
        take_rows(table, np.array([True, False]))
