"""What decisions bring, by hand: expected amounts decide, actual amounts count."""

from __future__ import annotations

import numpy as np
import pytest

from shiftproof import InputError
from shiftproof.case import make_payoff
from shiftproof.case._payoff import ordered_matrix
from shiftproof.measures import Benefit, BenefitMatrix

NO_YES = np.array(["no", "yes"])
CODES = np.array([0, 1, 1])
SURE = np.array([[0.8, 0.2], [0.8, 0.2], [1.0, 0.0]])


def test_total_acts_where_the_expected_gain_is_positive() -> None:
    # Acting pays from p > 1/11: the first two rows, of which one is positive.
    payoff = make_payoff(Benefit(tp=10, fp=-1), NO_YES, CODES, table=None, pos_label=None, features=())
    assert payoff.total(SURE) == 10 - 1


def test_total_for_another_positive_class() -> None:
    payoff = make_payoff(Benefit(tp=10, fp=-1), NO_YES, CODES, table=None, pos_label="no", features=())
    assert payoff.total(SURE) == 10 - 1 - 1


def test_of_rows_keeps_amounts_with_their_rows() -> None:
    payoff = make_payoff(Benefit(tp=10, fp=-1), NO_YES, CODES, table=None, pos_label=None, features=())
    assert payoff.of_rows(np.array([1])).total(SURE[[1]]) == 10


def test_make_payoff_refuses_an_unknown_positive_class() -> None:
    with pytest.raises(InputError, match="pos_label"):
        make_payoff(Benefit(tp=10, fp=-1), NO_YES, CODES, table=None, pos_label="maybe", features=())


def test_ordered_matrix_follows_the_classes_of_the_labels() -> None:
    benefit = BenefitMatrix(matrix=[[1, 2], [3, 4]], classes=["yes", "no"])
    assert ordered_matrix(benefit, ["no", "yes"]).tolist() == [[4, 3], [2, 1]]
    # Without names, rows and columns are in the order of the classes.
    assert ordered_matrix(BenefitMatrix(matrix=[[1, 2], [3, 4]]), ["no", "yes"]).tolist() == [[1, 2], [3, 4]]
    with pytest.raises(InputError, match="the classes of benefit must be those of y"):
        ordered_matrix(benefit, ["no", "maybe"])
