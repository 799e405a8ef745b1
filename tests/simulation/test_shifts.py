from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.linear_model import LogisticRegression

from shiftproof.core import InputError
from shiftproof.simulation import joint_selection, mar, mcar, mnar, offset, prior_shift, soft_selection

numbers = hnp.arrays(np.float64, st.integers(2, 40), elements=st.floats(allow_nan=True, width=32))
shares = st.floats(0, 0.75)


@given(numbers, shares, st.sampled_from(["high", "low"]))
def test_the_rows_kept_are_the_lowest_or_the_highest(values: Any, share: float, tail: Any) -> None:
    table, rows = mar(values, 0, share, tail=tail)
    assert len(rows) == len(values) - round(share * len(values))
    np.testing.assert_array_equal(table, values[rows])
    assert (np.diff(rows) > 0).all()
    key = np.where(np.isnan(values), -np.inf, values)  # missing values count as the lowest
    dropped = np.setdiff1d(np.arange(len(values)), rows)
    if len(dropped):
        kept_first = (
            (key[rows].max() <= key[dropped].min()) if tail == "high" else (key[rows].min() >= key[dropped].max())
        )
        assert kept_first


def test_of_equal_values_the_rows_at_the_dropped_end_go_first() -> None:
    X = {"a": [1, 1, 1, 1]}
    assert mar(X, "a", 0.5)[1].tolist() == [0, 1]
    assert mar(X, "a", 0.5, tail="low")[1].tolist() == [2, 3]


@given(st.integers(2, 200), shares, st.integers(0, 99))
def test_a_share_is_dropped_at_random(n: int, share: float, seed: int) -> None:
    X = np.arange(n)
    table, rows = mcar(X, share, random_state=seed)
    assert len(rows) == n - round(share * n) == len(set(rows.tolist()))
    np.testing.assert_array_equal(table, rows)
    np.testing.assert_array_equal(mcar(X, share, random_state=seed)[1], rows)


def test_every_row_is_dropped_equally_often() -> None:
    times = np.zeros(20)
    for seed in range(2000):
        times[mcar(np.arange(20), 0.25, random_state=seed)[1]] += 1
    assert np.abs(times / 2000 - 0.75).max() < 5 * np.sqrt(0.75 * 0.25 / 2000)


def test_mnar_drops_the_same_rows_as_mar() -> None:
    X = np.random.default_rng(0).normal(size=(50, 3))
    table, rows = mnar(X, 1, 0.25)
    np.testing.assert_array_equal(rows, mar(X, 1, 0.25)[1])
    assert np.isnan(table[:, 1]).all()
    np.testing.assert_array_equal(table[:, [0, 2]], X[rows][:, [0, 2]])


@given(st.floats(-3, 3), st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20))
def test_an_offset_moves_by_standard_deviations(strength: float, values: list[float]) -> None:
    X = np.array(values)
    if X.min() == X.max():
        with pytest.raises(InputError, match=r"^feature 'x0' must have two different finite values, got fewer; a con"):
            offset(X, 0, strength)
        return
    table, rows = offset(X, 0, strength)
    np.testing.assert_allclose(table - X, strength * X.std(ddof=1), atol=1e-6, rtol=1e-6)
    assert len(rows) == len(X)


def test_large_numbers_do_not_overflow_the_standard_deviation() -> None:
    table, _ = offset(np.array([1e300, -1e300]), 0, 0.5)
    np.testing.assert_allclose(table, [1e300 + 2**-0.5 * 1e300, -1e300 + 2**-0.5 * 1e300])


def test_soft_selection_keeps_with_a_probability_that_rises_with_the_rank() -> None:
    X = np.arange(5)
    times = np.zeros(5)
    for seed in range(4000):
        times[soft_selection(X, 0, floor=0.2, random_state=seed)[1]] += 1
    np.testing.assert_allclose(times / 4000, [0.2, 0.4, 0.6, 0.8, 1.0], atol=0.04)
    low, high = soft_selection(np.arange(999), 0)[1], soft_selection(np.arange(999), 0, tail="high")[1]
    assert low.mean() > 600
    assert high.mean() < 400
    assert soft_selection(X, 0, floor=1)[1].tolist() == [0, 1, 2, 3, 4]


def test_joint_selection_keeps_by_rank_and_class_together() -> None:
    X, y = np.arange(5.0).repeat(4000), np.tile(["no", "yes"], 10_000)
    # Ranks from 0 to 1, of which equal values share the mean.
    rank = np.arange(0.1, 1, 0.2)
    chances = {"no": 1 - 0.8 * rank, "yes": 0.2 + 0.8 * rank}
    _, rows = joint_selection(X, y, 0, "yes", floor=0.2)
    for label, expected in chances.items():
        kept = np.bincount(X[rows][y[rows] == label].astype(int), minlength=5) / 2000
        np.testing.assert_allclose(kept, expected, atol=0.04)
    _, rows = joint_selection(X, y, 0, "yes", floor=0.2, tail="high", rest="kept")
    kept = np.bincount(X[rows][y[rows] == "yes"].astype(int), minlength=5) / 2000
    np.testing.assert_allclose(kept, chances["no"], atol=0.04)
    assert (y[rows] == "no").sum() == 10_000


def test_joint_selection_changes_the_link_between_feature_and_label() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=4000), "z": rng.normal(size=4000)})
    y = (rng.random(4000) < 1 / (1 + np.exp(-frame["x"].to_numpy()))).astype(int)

    def slope(table: pd.DataFrame, labels: Any) -> float:
        return float(LogisticRegression(C=1e6).fit(table[["x"]], labels).coef_[0, 0])

    table, rows = joint_selection(frame, y, "x", 1)
    assert slope(frame, y) == pytest.approx(1, abs=0.1)
    assert slope(table, y[rows]) > 2
    # By the feature alone the link stays as it was.
    soft, kept = soft_selection(frame, "x")
    assert slope(soft, y[kept]) == pytest.approx(1, abs=0.15)
    with pytest.raises(InputError) as error:
        joint_selection(frame, y, "x", 1, rest="lost")  # type: ignore[arg-type]
    assert str(error.value) == "rest must be one of 'opposite', 'kept'; got 'lost'."
    with pytest.raises(InputError) as error:
        joint_selection(frame, np.ones(4000, dtype=int), "x", 1)
    assert str(error.value) == (
        "y must contain at least two classes, got one class, 1; use soft_selection for rows of one class."
    )


def test_equal_values_have_equal_chances_in_a_soft_selection() -> None:
    X = np.repeat([0, 1], 10)
    times = np.zeros(20)
    for seed in range(2000):
        times[soft_selection(X, 0, floor=0.0, random_state=seed)[1]] += 1
    np.testing.assert_allclose(times / 2000, np.repeat([4.5 / 19, 14.5 / 19], 10), atol=0.05)


@given(st.integers(1, 60), st.integers(1, 60), st.floats(0.01, 0.99), st.integers(0, 9))
def test_priors_shift_by_dropping_one_class_only(negative: int, positive: int, share: float, seed: int) -> None:
    y = np.random.default_rng(0).permutation(np.repeat(["no", "yes"], [negative, positive]))
    X = np.arange(len(y))
    most = min(negative / (1 - share), positive / share)
    if np.rint([(1 - share) * most, share * most]).min() == 0:
        with pytest.raises(InputError, match=r"^prevalence must be possible with "):
            prior_shift(X, y, "yes", share, random_state=seed)
        return
    table, rows = prior_shift(X, y, "yes", share, random_state=seed)
    np.testing.assert_array_equal(table, X[rows])
    kept = int((y[rows] == "yes").sum())
    assert kept == positive or len(rows) - kept == negative
    # One row more or less of the class that is undersampled would not come nearer.
    odds = share / (1 - share)
    if kept < positive:
        assert abs(kept - odds * negative) <= 0.5 + 1e-9
    elif len(rows) - kept < negative:
        assert abs(len(rows) - kept - positive / odds) <= 0.5 + 1e-9


def test_priors_of_several_classes_are_one_against_the_rest() -> None:
    y = ["a"] * 10 + ["b"] * 20 + ["c"] * 30
    _, rows = prior_shift(np.arange(60), y, "b", 0.2)
    kept = [y[row] for row in rows]
    assert [kept.count(label) for label in "abc"] == [10, 10, 30]


def test_all_can_be_dropped_but_not_everything() -> None:
    X = {"a": [1, 2, 3]}
    assert mcar(X, 0)[1].tolist() == [0, 1, 2]
    assert mar(X, "a", 0)[0] == X
    for share in (1, 1.5, -0.1, float("nan"), "half", True, None):
        with pytest.raises(InputError, match=r"^share must be at least 0 and below 1, got .*; 0\.25 drops a quarter"):
            mcar(X, share)  # type: ignore[arg-type]
        with pytest.raises(InputError, match=r"^share must be at least 0 and below 1, got "):
            mar(X, "a", share)  # type: ignore[arg-type]
    with pytest.raises(InputError) as caught:
        mnar(X, "a", 0.9)
    assert str(caught.value) == "share must leave at least one of 3 rows, got 0.9; give a smaller one."


def test_bad_numbers_get_one_sentence() -> None:
    X = {"a": [1, 2, 3]}
    for strength in (float("inf"), float("nan"), "1", None, True):
        with pytest.raises(InputError, match=r"^strength must be a finite number, got .*; 1 moves by one standard"):
            offset(X, "a", strength)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^floor must be a number from 0 to 1, got -1; 0\.05 is usual\.$"):
        soft_selection(X, "a", floor=-1)
    with pytest.raises(InputError, match=r"^tail must be one of 'high', 'low'; got 'top'"):
        mar(X, "a", 0.5, tail="top")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^prevalence must be a number from 0 to 1, got 20; 0\.2 means 20%\.$"):
        prior_shift(X, [0, 1, 1], 1, 20)
    with pytest.raises(InputError) as caught:
        prior_shift(X, [0, 1, 1], 2, 0.5)
    assert str(caught.value) == "label must be one of 0 and 1, got 2; labels must match exactly."
    with pytest.raises(InputError, match=r"^y must have one label per row of X, got 2 for 3 rows; pass the labels of"):
        prior_shift(X, [0, 1], 1, 0.5)
    with pytest.raises(InputError) as caught:
        prior_shift(X, [0, 0, 1], 1, 0.02)
    expected = "prevalence must be possible with 1 rows of 1 and 2 others, got 0.02; choose one nearer"
    assert str(caught.value).startswith(expected)


def test_a_soft_selection_spares_at_least_one_row() -> None:
    for seed in range(20):
        table, rows = soft_selection(np.array([[3.0], [3.0]]), 0, floor=0.0, random_state=seed)
        assert len(table) == len(rows) >= 1
