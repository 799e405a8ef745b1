"""Decisions of both sides: by likelihood, threshold and benefit, each by hand."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.selection.cases import candidates_of, random_posterior

from shiftproof import InputError
from shiftproof.case._candidates import Candidates
from shiftproof.case._decisions import Rule, profit_sides, sides_of
from shiftproof.core import Floats
from shiftproof.measures import Amount, Benefit

NO_YES = np.array(["no", "yes"])


def pair(p: list[float]) -> Floats:
    return np.column_stack([1 - np.array(p), p])


def candidates(old: Floats, new: Floats, codes: list[int]) -> Candidates:
    return candidates_of(np.array(codes, dtype=np.int64), {"a": old}, {"a": new})


@pytest.mark.parametrize(
    ("threshold", "positive", "expected"),
    [
        (None, 1, [0, 0, 0, 1]),
        (0.3, 1, [0, 1, 1, 1]),
        (0.5, 1, [0, 0, 1, 1]),
        (0.5, 0, [0, 0, 0, 1]),
        (0.25, 0, [0, 0, 0, 1]),
        (0.85, 0, [0, 1, 1, 1]),
    ],
)
def test_decisions_by_hand(threshold: float | None, positive: int, expected: list[int]) -> None:
    said = pair([0.1, 0.3, 0.5, 0.9])
    rule = Rule(classes=NO_YES, positive=positive, threshold=threshold)
    found = sides_of(candidates(said, said[::-1], [0, 1, 0, 1]), rule)["a"]
    assert found.actual.decisions.tolist() == found.expected.decisions.tolist() == expected
    assert found.new.decisions.tolist() == expected[::-1]
    assert found.actual.positive == found.new.positive == positive
    assert found.actual.worth is None


def test_likeliest_of_three_classes() -> None:
    said = random_posterior(np.random.default_rng(0), 20, 3)
    found = sides_of(candidates(said, said, [0] * 20), Rule(classes=np.arange(3), positive=0))["a"]
    assert found.new.decisions.tolist() == [max(range(3), key=lambda code: row[code]) for row in said.tolist()]


@given(
    p=st.floats(0.01, 0.99),
    cells=st.tuples(*[st.integers(-20, 20)] * 4),
    positive=st.integers(0, 1),
)
def test_expected_benefit_decides(p: float, cells: tuple[int, int, int, int], positive: int) -> None:
    tp, fp, fn, tn = cells
    said = pair([p]) if positive else pair([1 - p])
    benefit = Benefit(tp=tp, fp=fp, fn=fn, tn=tn)
    rule = Rule(classes=NO_YES, positive=positive, benefit=benefit)
    found = profit_sides(candidates(np.repeat(said, 2, axis=0), said, [0, 1]), rule)["a"]
    acting, leaving = p * tp + (1 - p) * fp, p * fn + (1 - p) * tn
    if abs(acting - leaving) < 1e-9:
        return
    called = acting > leaving
    assert (found.new.decisions[0] == positive) == called
    assert found.new.worth is not None
    brings = {positive: tp if called else fn, 1 - positive: fp if called else tn}
    assert found.new.worth[0].tolist() == [brings[0], brings[1]]
    assert found.actual.worth is not None
    assert found.actual.worth.tolist() == [[brings[0], brings[1]]] * 2


def test_actual_amounts_count_and_expected_ones_decide() -> None:
    # A letter costs 1; who gives, gives what is known afterwards only.
    table = {"expected": [10.0, 10.0, 2.0, 10.0], "gift": [25.0, np.nan, np.nan, 3.0]}
    new_table = {"expected": [20.0, 1.0]}
    benefit = Benefit(tp=Amount(expected="expected", actual="gift", less=1), fp=-1)
    rule = Rule(classes=NO_YES, positive=1, benefit=benefit, table=table, new_table=new_table)
    found = profit_sides(candidates(pair([0.3, 0.3, 0.3, 0.05]), pair([0.2, 0.2]), [1, 0, 0, 1]), rule)["a"]
    # p times expected amount: 3, 3, 0.6 and 0.5 against 1; new 4 and 0.2.
    assert found.expected.decisions.tolist() == found.actual.decisions.tolist() == [1, 1, 0, 0]
    assert found.new.decisions.tolist() == [1, 0]
    assert found.actual.worth is not None
    assert found.expected.worth is not None
    assert found.new.worth is not None
    assert found.expected.worth.tolist() == [[-1, 9], [-1, 9], [0, 0], [0, 0]]
    assert found.new.worth.tolist() == [[-1, 19], [0, 0]]
    # The class that came brings the amount that came.
    assert found.actual.worth[np.arange(4), [1, 0, 0, 1]].tolist() == [24, -1, 0, 0]
    assert found.actual.worth[0, 0] == -1


def test_amounts_known_beforehand_count_on_both_sides() -> None:
    benefit = Benefit(tp=Amount(known="amount"), fp=-10)
    rule = Rule(
        classes=NO_YES,
        positive=1,
        benefit=benefit,
        table={"amount": [100.0, 5.0]},
        new_table={"amount": [5.0, 5.0, 100.0]},
    )
    found = profit_sides(candidates(pair([0.2, 0.2]), pair([0.2, 0.9, 0.2]), [1, 0]), rule)["a"]
    assert found.actual.decisions.tolist() == [1, 0]
    assert found.new.decisions.tolist() == [0, 1, 1]
    assert found.new.worth is not None
    assert found.new.worth.tolist() == [[0, 0], [-10, 5], [-10, 100]]


@pytest.mark.parametrize(("positive", "other"), [(0, 1), (1, 0), (2, 0)])
def test_benefit_of_one_of_three_classes(positive: int, other: int) -> None:
    said = np.full((2, 3), 0.1)
    said[0, positive] = 0.8
    said[1, other] = 0.8
    rule = Rule(classes=np.array(list("abc")), positive=positive, benefit=Benefit(tp=4, fp=-2, fn=-3, tn=1))
    found = profit_sides(candidates(said, said, [positive, other]), rule)["a"].new
    assert found.decisions[0] == positive
    assert found.decisions[1] != positive
    assert found.worth is not None
    expected = [[-2.0] * 3, [1.0] * 3]
    expected[0][positive], expected[1][positive] = 4.0, -3.0
    assert found.worth.tolist() == expected


MATRIX = [[1, -1, -4], [-1, 1, -1], [-9, -1, 1]]


def test_matrix_by_hand() -> None:
    labels = ["low", "mid", "high"]
    benefit = Benefit.matrix(MATRIX, classes=labels)
    ours = np.array(sorted(labels))
    said = random_posterior(np.random.default_rng(1), 30, 3)
    rule = Rule(classes=ours, positive=0, benefit=benefit)
    found = profit_sides(candidates(said, said[:7], [0] * 30), rule)["a"]
    brings = {(was, called): MATRIX[labels.index(was)][labels.index(called)] for was in labels for called in labels}
    for row in range(7):
        expected = {called: sum(said[row, at] * brings[was, called] for at, was in enumerate(ours)) for called in ours}
        called = max(expected, key=lambda label: expected[label])
        assert ours[found.new.decisions[row]] == called
        assert found.new.worth is not None
        assert found.new.worth[row].tolist() == [brings[was, called] for was in ours]
    assert found.actual is found.expected
    assert found.actual.decisions[:7].tolist() == found.new.decisions.tolist()


def test_unnamed_matrix_is_in_the_order_of_the_classes() -> None:
    said = pair([0.2, 0.05])
    rule = Rule(classes=NO_YES, positive=1, benefit=Benefit.matrix([[0, -1], [0, 9]]))
    found = profit_sides(candidates(said, said, [0, 1]), rule)["a"]
    assert found.new.decisions.tolist() == [1, 0]
    assert found.new.worth is not None
    assert found.new.worth.tolist() == [[-1, 9], [0, 0]]


def test_matrix_of_numbered_classes_goes_by_their_names() -> None:
    said = pair([0.2, 0.05])
    rule = Rule(classes=np.array([0, 1]), positive=1, benefit=Benefit.matrix([[9, 0], [-1, 0]], classes=[1, 0]))
    assert profit_sides(candidates(said, said, [0, 1]), rule)["a"].new.decisions.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("matrix", "classes", "told"),
    [
        (np.eye(2), ["no", "maybe"], "the classes of benefit must be those of y, 'no' and 'yes', got ['no', 'maybe']"),
        (np.eye(3), None, "the classes of benefit must be those of y, 'no' and 'yes', got [0, 1, 2]"),
    ],
)
def test_matrix_of_other_classes_is_refused(matrix: Any, classes: Any, told: str) -> None:
    rule = Rule(classes=NO_YES, positive=1, benefit=Benefit.matrix(matrix, classes=classes))
    with pytest.raises(InputError, match=f"^{re.escape(told)}; name each once\\.$"):
        profit_sides(candidates(pair([0.5]), pair([0.5]), [0]), rule)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"threshold": 1.5}, "threshold must be a number strictly between 0 and 1, got 1.5; 0.5 is usual."),
        ({"threshold": True}, "threshold must be a number strictly between 0 and 1, got True; 0.5 is usual."),
    ],
)
def test_wrong_rules_are_told(given: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        Rule(classes=NO_YES, positive=1, **given)


def test_threshold_is_for_two_classes() -> None:
    told = (
        "threshold must be left out for more than two classes, got 0.5; leave it out to predict the most likely class."
    )
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        Rule(classes=np.arange(3), positive=1, threshold=0.5)
