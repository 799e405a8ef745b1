"""What decisions bring, by hand: expected amounts decide, actual amounts count."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from shiftproof import InputError
from shiftproof.case import AmountTables, Payoff, make_payoff
from shiftproof.case._payoff import ordered_matrix
from shiftproof.measures import Amount, Benefit, BenefitMatrix

NO_YES = np.array(["no", "yes"])
CODES = np.array([0, 1, 1])
NEW = AmountTables(labelled=None, new=None, n_new=3)
SURE = np.array([[0.8, 0.2], [0.8, 0.2], [1.0, 0.0]])


def payoff(benefit: Benefit | BenefitMatrix, tables: AmountTables = NEW, pos_label: str | None = None) -> Payoff:
    return make_payoff(benefit, NO_YES, CODES, tables=tables, pos_label=pos_label, features=())


def test_new_rows_are_decided_by_expected_and_labelled_rows_counted_by_actual_amounts() -> None:
    # Acting pays from p > 1/11.
    paid = payoff(Benefit(tp=10, fp=-1))
    assert paid.decide(SURE).tolist() == [1, 1, 0]
    assert paid.total(np.array([1, 1, 0])) == 10 - 1
    gift = Benefit(tp=Amount(expected="likely", actual="gift", less=1), fp=-1)
    tables = AmountTables(labelled={"gift": [np.nan, 7.0, 9.0]}, new={"likely": [2.0, 8.0, 8.0]}, n_new=3)
    found = payoff(gift, tables)
    assert found.decide(SURE).tolist() == [0, 1, 0]
    assert found.total(np.array([0, 1, 1])) == 6 + 8


def test_another_positive_class_and_a_matrix() -> None:
    other = payoff(Benefit(tp=10, fp=-1), pos_label="no")
    assert other.decide(SURE).tolist() == [0, 0, 0]
    assert other.total(np.zeros(3, dtype=int)) == 10 - 1 - 1
    matrix = payoff(BenefitMatrix(matrix=[[0, -1], [0, 10]], classes=["no", "yes"]))
    assert matrix.decide(SURE).tolist() == [1, 1, 0]
    assert matrix.total(np.array([1, 1, 0])) == 10 - 1


def test_of_three_classes_the_decisions_of_a_matrix_are_classes() -> None:
    classes, codes = np.array(["a", "b", "c"]), np.array([0, 1, 2])
    tables = AmountTables(labelled=None, new=None, n_new=1)
    paid = make_payoff(
        BenefitMatrix(matrix=np.diag([1, 2, 4])), classes, codes, tables=tables, pos_label=None, features=()
    )
    assert paid.decide(np.array([[0.5, 0.3, 0.2]])).tolist() == [2]
    assert paid.total(np.array([0, 2, 2])) == 1 + 0 + 4
    one = make_payoff(Benefit(tp=3, fp=-1), classes, codes, tables=tables, pos_label="c", features=())
    assert one.total(np.array([2, 0, 2])) == -1 + 3


def test_rows_keep_their_amounts() -> None:
    tables = AmountTables(labelled={"gift": [5.0, 7.0, 9.0]}, new={"likely": [2.0, 8.0, 8.0]}, n_new=3)
    paid = payoff(Benefit(tp=Amount(expected="likely", actual="gift")), tables)
    assert paid.of_rows(np.array([2])).total(np.array([1])) == 9
    fined = payoff(Benefit(tp=Amount(expected="likely", actual="gift"), fp=-1), tables)
    assert fined.of_new_rows(np.array([0, 2])).decide(SURE[:2]).tolist() == [0, 1]
    constant = payoff(BenefitMatrix(matrix=np.eye(2)))
    assert constant.of_new_rows(np.array([0])) is constant


def test_texts_have_no_columns_of_amounts() -> None:
    tables = AmountTables(labelled=["a text"], new=sparse.csr_matrix(np.eye(2)), n_new=2)
    assert tables.columns("labelled") is None
    assert tables.columns("new") is None
    with pytest.raises(InputError, match="the column 'gift' needs a table; pass the rows as table="):
        payoff(Benefit(tp=Amount(expected="likely", actual="gift")), tables)


def test_make_payoff_refuses_an_unknown_positive_class() -> None:
    with pytest.raises(InputError, match="pos_label"):
        payoff(Benefit(tp=10, fp=-1), pos_label="maybe")


def test_ordered_matrix_follows_the_classes_of_the_labels() -> None:
    benefit = BenefitMatrix(matrix=[[1, 2], [3, 4]], classes=["yes", "no"])
    assert ordered_matrix(benefit, ["no", "yes"]).tolist() == [[4, 3], [2, 1]]
    # Without names, rows and columns are in the order of the classes.
    assert ordered_matrix(BenefitMatrix(matrix=[[1, 2], [3, 4]]), ["no", "yes"]).tolist() == [[1, 2], [3, 4]]
    with pytest.raises(InputError, match="the classes of benefit must be those of y"):
        ordered_matrix(benefit, ["no", "maybe"])
