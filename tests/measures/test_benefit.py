"""Cost and benefit: what decides is not what counts."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray

from shiftproof.core import InputError
from shiftproof.measures._benefit import Amount, Benefit
from shiftproof.measures._decisions import best_threshold

LONGER = int(os.environ.get("SIMULATIONS", "1"))
NOT_KNOWN = "the actual amount, which is not known before the decision"
HINT = "pass Amount(expected=..., actual='gift'), or Amount(known='gift') if it is known."
NAMED = "write TP, FP, FN or TN (true or false positives or negatives) and a number, as in FP=1,FN=5."
TABLE = {"predicted": [2.0, 10.0, 20.0, 0.5], "gift": [0.0, 15.0, 5.0, 0.0], "price": [100, 40, 500, 90]}
DONATION = Benefit(tp=Amount(expected="predicted", actual="gift", less=0.68), fp=-0.68)
FRAUD = Benefit(tp=Amount(known="price", less=90), fp=-90)


def test_mail_if_the_expected_gift_exceeds_the_stamp() -> None:
    p = np.array([0.33, 0.07, 0.04, 0.9])
    mailed = DONATION.decide(p, TABLE)
    assert mailed.tolist() == (p * TABLE["predicted"] > 0.68).astype(int).tolist() == [0, 1, 1, 0]


def test_investigate_if_the_expected_recovery_exceeds_the_overhead() -> None:
    p = np.array([0.95, 0.99, 0.1, 0.99])
    assert FRAUD.decide(p, TABLE).tolist() == (p * TABLE["price"] > 90).astype(int).tolist()


def test_the_total_is_the_sum_by_hand() -> None:
    total = DONATION.total([0, 1, 1, 0], [0, 1, 1, 1], TABLE)
    assert total.estimate == pytest.approx((15 - 0.68) + (5 - 0.68) - 0.68)
    assert DONATION.mean([0, 1, 1, 0], [0, 1, 1, 1], TABLE).estimate == pytest.approx(total.estimate / 4)
    assert FRAUD.total([1, 1, 0, 0], [1, 0, 1, 0], TABLE).estimate == 10 + 0 - 90 + 0


def test_four_constants() -> None:
    benefit = Benefit(tp=5, fp=-2, fn=-3, tn=1)
    assert benefit.each([1, 0, 1, 0], [1, 1, 0, 0]).tolist() == [5, -2, -3, 1]
    # positive iff p (5 + 3) > (1 - p) (1 + 2), that is p > 3/11
    assert benefit.decide([0.27, 0.28]).tolist() == [0, 1]


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, lambda t: pl.DataFrame(t).to_arrow()])
def test_tables_of_any_library(make: Callable[[Any], Any]) -> None:
    table = make(TABLE)
    assert DONATION.total([0, 1, 1, 0], [1] * 4, table).estimate == pytest.approx(20 - 4 * 0.68)
    by_function = Benefit(tp=Amount(known=lambda t: t["price"] - 90), fp=-90)
    np.testing.assert_array_equal(by_function.decide([0.5] * 4, table), FRAUD.decide([0.5] * 4, table))


def test_arrays_need_no_table() -> None:
    benefit = Benefit(tp=Amount(expected=np.array([2.0, 10.0]), actual=[0.0, 15.0], less=0.68), fp=-0.68)
    assert benefit.decide([0.3, 0.1]).tolist() == [0, 1]
    assert benefit.total([0, 1], [0, 1]).estimate == pytest.approx(14.32)


def test_amounts_may_be_missing_where_they_do_not_apply() -> None:
    table = pd.DataFrame({"gift": pd.array([None, 15, None], dtype="Int64"), "predicted": [1.0, 2.0, 3.0]})
    assert DONATION.total([0, 1, 0], [1, 1, 1], table).estimate == pytest.approx(15 - 3 * 0.68)
    with pytest.raises(InputError) as caught:
        DONATION.total([1, 1, 0], [1, 1, 1], table)
    assert str(caught.value) == (
        "tp must be finite wherever it applies, got nan; fill the amount of row 0 or leave the row out."
    )


@pytest.mark.parametrize(
    "cell",
    ["gift", np.array([0.0, 15.0, 5.0, 0.0]), lambda t: t["gift"] - 0.68, Amount(actual="gift")],
    ids=["column", "array", "function", "amount"],
)
def test_deciding_on_the_actual_amount_is_refused(cell: Any) -> None:
    benefit = Benefit(tp=cell, fp=-0.68)
    assert benefit.total([0, 1, 1, 0], [0, 1, 0, 0], TABLE).estimate > 14  # it may count
    with pytest.raises(InputError, match=rf"^tp uses .*, {NOT_KNOWN}; pass Amount"):
        benefit.decide([0.5] * 4, TABLE)


def test_the_refusal_word_for_word() -> None:
    with pytest.raises(InputError) as caught:
        Benefit(tp="gift", fp=-0.68).decide([0.5] * 4, TABLE)
    assert str(caught.value) == f"tp uses 'gift', {NOT_KNOWN}; {HINT}"


@pytest.mark.parametrize("value", ["gift", [0.0, 15.0]])
def test_the_actual_amount_is_not_expected(value: Any) -> None:
    with pytest.raises(InputError, match=rf"^expected uses .*, {NOT_KNOWN}; pass Amount"):
        Amount(expected=value, actual=value)


def test_the_actual_amount_under_another_name_is_refused() -> None:
    leak = {**TABLE, "guess": TABLE["gift"]}
    with pytest.raises(InputError, match=rf"^tp uses 'gift', {NOT_KNOWN}"):
        Benefit(tp=Amount(expected="guess", actual="gift")).decide([0.5] * 4, leak)
    peeking = Benefit(tp=Amount(expected=lambda t: t["gift"] / 2, actual="gift"))
    with pytest.raises(InputError, match=rf"^a benefit uses 'gift', {NOT_KNOWN}"):
        peeking.decide([0.5] * 4, leak)


def test_deciding_needs_no_actual_amounts() -> None:
    assert DONATION.decide([0.5], {"predicted": [3.0]}).tolist() == [1]


def test_costs_are_losses() -> None:
    benefit = Benefit.from_cost("FP=1,FN=5")
    assert (benefit.tp, benefit.fp, benefit.fn, benefit.tn) == (0, -1, -5, 0)
    assert benefit.decide([0.16, 0.17]).tolist() == [0, 1]  # from 1/6 on
    spaced = Benefit.from_cost(" fn = 2.5 , tp = -3 ")
    assert (spaced.tp, spaced.fn) == (3, -2.5)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("FX=1", f"the cost 'FX=1' cannot be read; {NAMED}"),
        ("", f"the cost '' cannot be read; {NAMED}"),
        ("FP=1;FN=2", "the cost of FP must be a finite number, got '1;FN=2'; write FP=1,FN=5."),
        ("FN=inf", "the cost of FN must be a finite number, got 'inf'; write FP=1,FN=5."),
        ("FP=1,fp=2", "each cost must be given once, got 'FP=1,fp=2'; FP is named twice."),
        (5, f"the cost 5 cannot be read; {NAMED}"),
    ],
)
def test_costs_that_cannot_be_read(text: Any, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        Benefit.from_cost(text)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: DONATION.decide([0.5] * 4),
            "the column 'predicted' needs a table; pass the rows as table=.",
        ),
        (
            lambda: DONATION.decide([0.5], TABLE),
            "table must have one row per decision, that is 1, got 4; pass both for the same rows.",
        ),
        (
            lambda: Benefit(tp=1).decide([1.2]),
            "probabilities must lie between 0 and 1, got 1.2; "
            "turn decision values into probabilities first, or divide percentages by 100.",
        ),
        (
            lambda: Benefit(tp=Amount(known=[1.0, 2.0])).decide([0.5]),
            "tp must have one amount per row, that is 1, got shape (2,); pass it for the same rows.",
        ),
        (
            lambda: Benefit(tp=Amount(known=[np.nan])).decide([0.5]),
            "the expected tp must be finite, got nan; fill the amount of row 0.",
        ),
        (
            lambda: Benefit(tp=Amount(known="job")).decide([0.5], {"job": ["cook"]}),
            "column 'job' must hold numbers, got text; give amounts.",
        ),
        (
            lambda: Benefit(tp=Amount(known=["a"])).decide([0.5]),
            "tp must be numbers, got ['a']; give a number, a column, an array or a function of the columns.",
        ),
        (
            lambda: Benefit(tp=Amount(expected=1.0)).total([1], [1]),
            "tp must have an actual amount to count, got Amount(expected=1.0); give actual= too.",
        ),
        (
            lambda: Benefit(fn=None),
            "fn must be a number, a column, an array, a function or an Amount, got None; 0 means no benefit.",
        ),
        (
            Amount,
            "an Amount must have known, or expected and actual, got none; "
            "pass known= if the amount is known before the decision; otherwise pass expected= and actual=.",
        ),
        (
            lambda: Amount(known=1, less=np.nan),
            "less must be a finite number, got nan; give the cost of acting, such as 0.68.",
        ),
        (
            lambda: Benefit(tp=1).total([1, 0], [1]),
            "decisions must have one value per row of y, that is 2, got 1; pass both for the same rows.",
        ),
        (
            lambda: Benefit(tp=1).total([1, 0], [1, 3]),
            "decisions must hold 0 and 1 only, got 3; give 1 for the positive class, or its code as positive=.",
        ),
    ],
)
def test_refusals_in_words(call: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == sentence


def test_three_classes() -> None:
    matrix = [[1, -1, -4], [-1, 1, -1], [-9, -1, 1]]
    benefit = Benefit.matrix(matrix, classes=["low", "mid", "high"])
    p = np.array([[0.6, 0.2, 0.2], [0.95, 0.03, 0.02], [0.0, 0.1, 0.9]])
    assert benefit.decide(p).tolist() == ["mid", "low", "high"]
    assert benefit.each(["low", "high", "high"], ["mid", "low", "high"]).tolist() == [-1, -9, 1]
    assert benefit.total(["low", "high", "high"], ["mid", "low", "high"]).estimate == -9
    assert benefit.mean(["low", "high", "high"], ["mid", "low", "high"]).estimate == -3
    assert Benefit.matrix(matrix).decide(p).tolist() == [1, 0, 2]


def test_two_classes_as_a_matrix_decide_alike() -> None:
    p = np.linspace(0, 1, 23)
    cells, matrix = Benefit(tp=5, fp=-2, fn=-3, tn=1), Benefit.matrix([[1, -2], [-3, 5]])
    np.testing.assert_array_equal(cells.decide(p), matrix.decide(np.column_stack([1 - p, p])))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: Benefit.matrix([[1, 2, 3], [1, 2, 3]]),
            "matrix must have as many columns as rows, got shape (2, 3); rows are actual classes, columns decisions.",
        ),
        (
            lambda: Benefit.matrix([[1, 2], [1, 2]], classes=["a", "a"]),
            "classes must be 2 different labels, got ['a', 'a']; name each row once.",
        ),
        (
            lambda: Benefit.matrix([[1, 2], [1, 2]]).decide([[0.1, 0.2, 0.7]]),
            "probabilities must have 2 columns, got 3; give one per class, in order.",
        ),
        (
            lambda: Benefit.matrix([[1, 2], [1, 2]], classes=["a", "b"]).total(["a", "c"], ["a", "b"]),
            "y must hold the classes 'a' and 'b', got 'c'; check it.",
        ),
    ],
)
def test_matrices_refuse_in_words(call: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == sentence


def test_weights_multiply_the_total() -> None:
    benefit, y, called = Benefit(tp=5, fp=-2), [1, 0, 1, 0], [1, 1, 0, 0]
    assert benefit.total(y, called, sample_weight=[2, 3, 1, 0]).estimate == 10 - 6
    assert benefit.mean(y, called, sample_weight=[2, 3, 1, 0]).estimate == pytest.approx(4 / 6)


def test_odd_numbers_of_rows() -> None:
    one = Benefit(tp=5).total([1], [1])
    assert (one.estimate, one.low, one.high, one.method) == (5, -np.inf, np.inf, "one row, no spread")
    same = Benefit(tp=5).total([1, 1], [1, 1])
    assert (same.low, same.high, same.method) == (10, 10, "constant")


def gifts(rng: np.random.Generator, n: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Draw donors: who gives more gives less often. Return p, expected gift, y, gift."""
    wealth = rng.normal(size=n)
    p = 1 / (1 + np.exp(2.2 + 0.8 * wealth + 0.5 * rng.normal(size=n)))
    expected = np.exp(1.0 + 0.9 * wealth)
    y = rng.uniform(size=n) < p
    return p, expected, y, np.where(y, expected * rng.gamma(4, 0.25, n), 0.0)


def test_deciding_by_expected_benefit_beats_the_best_threshold() -> None:
    gains = []
    for seed in range(20 * LONGER):
        p, expected, y, gift = gifts(np.random.default_rng(seed), 4000)
        benefit = Benefit(tp=Amount(expected=expected, actual=gift, less=0.68), fp=-0.68)
        by_hand = float((gift - 0.68)[p * expected > 0.68].sum())
        mine = benefit.total(y, benefit.decide(p)).estimate
        assert mine == pytest.approx(by_hand)
        # the rival may even choose its threshold on the very rows it is valued on
        gains.append(mine - best_threshold(y, p, benefit, n_resamples=50, random_state=0).apparent)
    assert np.mean(gains) > 3 * np.std(gains) / np.sqrt(len(gains))


def test_benefit_matrix_matches_named_columns() -> None:
    matrix = Benefit.matrix([[1, 0], [0, 1]], classes=["no", "yes"])
    assert matrix.decide(pd.DataFrame({"yes": [0.9], "no": [0.1]})).tolist() == ["yes"]


def test_amounts_are_finite() -> None:
    with pytest.raises(InputError, match=r"^tp must be finite, got nan; 0 means no benefit\.$"):
        Benefit(tp=np.nan)
