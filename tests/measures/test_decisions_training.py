"""Cost-sensitive weights and resampling, and amounts predicted out of fold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeRegressor

from shiftproof.core import InputError
from shiftproof.measures._benefit import Amount, Benefit
from shiftproof.measures._decisions_training import cost_resample, cost_weights, fit_expected


def test_cost_weights_and_cost_resample_make_one_half_the_best_threshold() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20000, 1))
    y = (rng.uniform(size=20000) < 1 / (1 + np.exp(2 - 1.5 * x[:, 0]))).astype(int)
    benefit = Benefit.from_cost("FP=1,FN=5")
    weights = cost_weights(y, benefit)
    assert weights.mean() == pytest.approx(1)
    assert weights[y == 1][0] == pytest.approx(5 * weights[y == 0][0])
    blind, minding = LogisticRegression(C=1e6), LogisticRegression(C=1e6)
    expected = benefit.decide(blind.fit(x, y).predict_proba(x)[:, 1])
    np.testing.assert_array_less((minding.fit(x, y, sample_weight=weights).predict(x) != expected).mean(), 0.02)
    kept = cost_resample(y, benefit, random_state=0)
    assert len(np.unique(kept)) == len(kept)
    assert y[kept].sum() == y.sum()
    assert (y[kept] == 0).sum() == pytest.approx((y == 0).sum() / 5, rel=0.05)
    np.testing.assert_array_less((minding.fit(x[kept], y[kept]).predict(x) != expected).mean(), 0.03)


def test_cost_weights_use_actual_amounts() -> None:
    benefit = Benefit(tp=Amount(actual="gift", less=0.68), fp=-0.68)
    weights = cost_weights([1, 0, 1], benefit, table={"gift": [10.68, np.nan, 2.68]})
    assert weights == pytest.approx(np.array([10, 0.68, 2]) * 3 / 12.68)


def test_fit_expected_never_learns_from_the_row_it_predicts() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    y = (rng.uniform(size=300) < 0.4).astype(int)
    gift = np.where(y == 1, 5 + x[:, 0] + 0.1 * rng.normal(size=300), np.nan)
    expected = fit_expected(LinearRegression(), x, gift, y, random_state=0).labelled
    assert np.corrcoef(expected, 5 + x[:, 0])[0, 1] > 0.99
    # had a row been seen, moving its amount far away would move its own prediction most
    row = int(np.flatnonzero(y)[0])
    moved = gift.copy()
    moved[row] += 1000
    after = fit_expected(LinearRegression(), x, moved, y, random_state=0).labelled
    assert after[row] == expected[row]
    assert (after != expected).mean() > 0.5
    benefit = Benefit(tp=Amount(expected=expected, actual=gift, less=0.68), fp=-0.68)
    assert benefit.decide(np.full(300, 0.4)).mean() > 0.9


@pytest.mark.parametrize("library", [np.asarray, np.ndarray.tolist, pd.DataFrame, pl.DataFrame])
def test_fit_expected_serves_new_rows_and_leaves_large_amounts_out(library: Any) -> None:
    rng = np.random.default_rng(1)
    x, new = rng.normal(size=(400, 2)), rng.normal(size=(50, 2))
    y = (rng.uniform(size=400) < 0.3).astype(int)
    gift = np.where(y == 1, 20 + 3 * x[:, 0], np.nan)
    huge = np.flatnonzero(y)[:5]
    gift[huge] = 1000.0
    expected = fit_expected(LinearRegression(), library(x), gift, y, most_amount=50, random_state=0)
    np.testing.assert_allclose(expected.labelled, 20 + 3 * x[:, 0])
    np.testing.assert_allclose(expected.predict(library(new)), 20 + 3 * new[:, 0])
    assert (expected.n_learnt, expected.n_above) == (int(y.sum()) - 5, 5)
    without = fit_expected(LinearRegression(), library(x), gift, y, random_state=0)
    assert without.n_above == 0
    assert without.predict(library(new)).mean() > 40


def test_fit_expected_keeps_groups_apart() -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), 10)
    amounts = 10 + 5 * rng.normal(size=60)[groups]
    X, y = np.column_stack([groups.astype(float), rng.normal(size=600)]), np.tile([0, 1], 300)
    known = fit_expected(DecisionTreeRegressor(random_state=0), X, amounts, y, random_state=0).labelled
    unknown = fit_expected(DecisionTreeRegressor(random_state=0), X, amounts, y, groups=groups, random_state=0).labelled
    assert np.corrcoef(known, amounts)[0, 1] > 0.7
    assert abs(np.corrcoef(unknown, amounts)[0, 1]) < 0.4


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: cost_weights([0, 1], Benefit(tp=-1)),
            "being right must not be worth less than being wrong, but in row 1 tp is below fn; "
            "a wrong decision would pay there; leave the row out or change its label.",
        ),
        (
            lambda: cost_weights([0, 1], Benefit()),
            "the right decision must be worth more than the wrong one somewhere; all weights would be 0.",
        ),
        (
            lambda: fit_expected(LinearRegression(), np.zeros((4, 1)), [1, 1, 0, 0], [1, 1, 0, 0], cv=3),
            "cv must be at most 2, the rows of the rarer class, got 3; use fewer folds.",
        ),
        (
            lambda: fit_expected(LinearRegression(), np.zeros((4, 1)), [9, 9, 0, 0], [1, 1, 0, 0], cv=2, most_amount=5),
            "most_amount must leave positives to train on in every fold, got 5; use a larger one.",
        ),
        (
            lambda: fit_expected(
                LinearRegression(), np.zeros((4, 1)), [9, 9, 0, 0], [1, 1, 0, 0], cv=2, most_amount=np.nan
            ),
            "most_amount must be a number, got nan; 50 leaves out larger amounts.",
        ),
    ],
)
def test_refusals_in_words(call: Any, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == sentence


def test_cost_resample_keeps_every_row_where_all_weigh_the_same() -> None:
    kept = cost_resample([0, 1, 1, 0], Benefit(tp=1, tn=1), random_state=0)
    assert kept.tolist() == [0, 1, 2, 3]
