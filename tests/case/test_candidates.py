"""What selecting starts from: tested rows only, clipped weights, scores of both kinds, and tables that do not match."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from tests.selection.cases import candidates_of, gathered, posterior_of, shift_kind, world

from shiftproof import InputError
from shiftproof.case._candidates import Candidates
from shiftproof.core import Failure
from shiftproof.panel import Panel, cross_fit
from shiftproof.shift import ShiftKind, kind_of_shift

HALVES = np.array([0.5, 0.5])


def partly_tested() -> Panel:
    """Give a panel of two repeats, where row 0 was never tested and row 3 once."""
    folds = np.array([[-1, 0, 0, 1, 1], [-1, 0, 1, -1, 0]])
    p = np.array([[np.nan, 0.1, 0.2, 0.3, 0.4], [np.nan, 0.3, 0.4, np.nan, 0.6]])
    repeats = np.stack([1 - p, p], axis=2)
    mean = np.vstack([[[np.nan, np.nan]], np.nanmean(repeats[:, 1:], axis=0)])
    return Panel(
        classes_=np.array(["no", "yes"]),
        y=np.array([0, 1, 0, 1, 1]),
        out_of_fold={"a": mean},
        fold_probabilities={"a": repeats},
        folds=folds,
        fingerprint="-",
        origin="cross-fitted",
        sample_weight=np.array([9.0, 1.0, 2.0, 3.0, 4.0]),
    )


def test_rows_never_tested_are_left_out() -> None:
    weights = np.array([0.6, 0.1, 0.1, 0.1, 0.1])
    scores = np.full((5, 2), 0.5)
    shift = shift_kind(5, 3, HALVES, weights=weights, scores=(np.vstack([[np.nan] * 2, scores[1:]]), scores[:3]))
    new = {"a": np.full((3, 2), 0.5)}
    found = Candidates.of(partly_tested(), new, new, shift)
    assert found.names == ("a",)
    assert (found.n, found.m, found.k) == (4, 3, 2)
    assert found.among_all(np.arange(4)).tolist() == [1, 2, 3, 4]
    assert found.codes.tolist() == [1, 0, 1, 1]
    assert found.labels[:].tolist() == [[0, 1], [1, 0], [0, 1], [0, 1]]
    # Of two repeats the first that tested the row; their mean would be another model's.
    assert found.old["a"][:, 1] == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert found.base == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert found.prevalence == pytest.approx([0.2, 0.8])
    assert found.weights == pytest.approx([0.1, 0.2, 0.3, 0.4])
    # The forest was asked of every row that is left.
    assert found.reference is not None
    assert len(found.reference[0]) == 4


@given(n=st.integers(2, 60), seed=st.integers(0, 1000), uneven=st.floats(0.02, 5))
def test_weights_are_clipped_at_ten_times_their_share(n: int, seed: int, uneven: float) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(n, uneven))
    p = np.full((n, 2), 0.5)
    found = candidates_of(np.arange(n) % 2, {"a": p}, {"a": p}, weights=weights).weights
    assert found.sum() == pytest.approx(1)
    clipped = np.array([min(each, 10 / n) for each in weights])
    assert found == pytest.approx(clipped / clipped.sum())


def test_weights_of_rows_count_beside_those_of_the_shift() -> None:
    p = np.full((4, 2), 0.5)
    base, weights = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.4, 0.4, 0.1, 0.1])
    found = candidates_of(np.arange(4) % 2, {"a": p}, {"a": p}, base=base, weights=weights).weights
    assert found == pytest.approx(np.array([4, 8, 3, 4]) / 19)


def test_weights_of_a_few_drawn_rows_are_clipped_at_ten_times_their_own_mean() -> None:
    n, drawn = 1000, np.arange(0, 1000, 50)
    weights = np.array([0.55, *np.full(19, 0.45 / 19)])
    shift = shift_kind(n, 2, HALVES)
    shift = replace(shift, drawn=replace(shift.drawn, rows=drawn, scores=np.full((20, 2), np.nan), weights=weights))
    p = np.full((n, 2), 0.5)
    found = candidates_of(np.arange(n) % 2, {"a": p}, {"a": p}, shift=shift).weights
    # Of 20 rows the mean is 1/20: one weight is cut to 10/20, not every weight to 10/1000.
    assert np.flatnonzero(found).tolist() == drawn.tolist()
    assert found[drawn] == pytest.approx(np.array([0.5, *weights[1:]]) / 0.95)


def test_weights_that_are_nothing_leave_the_rows_as_they_are() -> None:
    p = np.full((4, 2), 0.5)
    found = candidates_of(np.arange(4) % 2, {"a": p}, {"a": p}, weights=np.zeros(4))
    assert found.weights == pytest.approx(np.full(4, 0.25))


def scored(n: int = 120, m: int = 80) -> tuple[Panel, Any, Any]:
    """Give a panel of scores with the features behind them."""
    rng = np.random.default_rng(1)
    codes, x = world(rng, n, HALVES)
    _, x_new = world(rng, m, HALVES)
    old, new = posterior_of(x, HALVES)[:, 1], posterior_of(x_new, HALVES)[:, 1]
    return Panel.from_scores(codes, {"a": old}, new={"a": new}), x, x_new


def test_panel_of_scores_with_features() -> None:
    panel, x, x_new = scored()
    found, notes = gathered(panel, x, x_new)
    assert notes == ()
    assert found.new["a"] == pytest.approx(panel.new_scores["a"])
    assert found.comparable["a"] is found.new["a"]
    alone = kind_of_shift(x, panel.y, x_new, random_state=0)
    assert found.shift.kind == alone.kind
    assert found.shift.weights == pytest.approx(alone.weights)


def test_panel_of_scores_alone_is_compared_by_its_scores() -> None:
    panel, x, _ = scored()
    found, notes = gathered(panel, None, None)
    why = "only scores were given, no features to compare"
    assert notes == (f"the type of shift was determined from the scores alone: {why}",)
    assert (found.shift.n_reference, found.shift.n_current) == (120, 80)
    _, notes = gathered(panel, x, None)
    assert notes[0].endswith("only scores of the new data were given, no features to compare")


def test_features_that_cannot_be_compared_leave_the_scores() -> None:
    panel, _, _ = scored()
    x, x_new = {"text": ["same"] * 120}, {"other": ["same"] * 80}
    _, notes = gathered(panel, x, x_new)
    assert notes[0].startswith("the type of shift was determined from the scores alone: ")


def test_a_shift_that_is_known_is_not_asked_for_again() -> None:
    panel, _, _ = scored()
    shift = shift_kind(120, 80, HALVES)
    found, notes = gathered(panel, None, None, shift=shift)
    assert found.shift is shift
    assert notes == ()


@pytest.fixture(scope="module")
def fitted() -> tuple[Panel, pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(2)
    codes, x = world(rng, 120, HALVES)
    _, x_new = world(rng, 60, HALVES)
    frame, new = (pd.DataFrame(each, columns=["u", "v"]) for each in (x, x_new))
    return cross_fit({"line": LogisticRegression(), "bayes": GaussianNB()}, frame, codes, cv=3), frame, new


def known(panel: Panel, m: int) -> ShiftKind:
    return shift_kind(len(panel.y), m, HALVES)


def test_models_score_new_rows_in_both_ways(fitted: tuple[Panel, pd.DataFrame, pd.DataFrame]) -> None:
    panel, x, x_new = fitted
    found, notes = gathered(panel, x, x_new, shift=known(panel, 60))
    assert notes == ()
    for name, model in (("line", LogisticRegression()), ("bayes", GaussianNB())):
        assert found.new[name] == pytest.approx(model.fit(x, panel.y).predict_proba(x_new))
        # Each row by the model of some fold, which differs a little.
        assert found.comparable[name] == pytest.approx(found.new[name], abs=0.25)
        assert found.comparable[name].tolist() != found.new[name].tolist()


def test_rows_before_the_first_block_take_no_part() -> None:
    rng = np.random.default_rng(3)
    codes, x = world(rng, 100, HALVES)
    panel = cross_fit({"bayes": GaussianNB()}, x, codes, cv=4, time=np.arange(100))
    found, _ = gathered(panel, x, x[:30], shift=shift_kind(100, 30, HALVES))
    assert 0 < found.n < 100
    rows = found.among_all(np.arange(found.n))
    assert rows.min() > 0
    assert found.codes.tolist() == codes[rows].tolist()
    assert not np.isnan(found.old["bayes"]).any()
    assert found.base.sum() == pytest.approx(1)


def test_models_that_failed_are_told() -> None:
    panel, _, _ = scored()
    failed = replace(panel, failures={"net": Failure("RuntimeError", "it did not converge")})
    _, notes = gathered(failed, None, None, shift=shift_kind(120, 80, HALVES))
    assert notes == ("'net' was left out: RuntimeError: it did not converge",)


def refused(told: str, *given: Any, **named: Any) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(told)}$"):
        gathered(*given, **named)


def test_tables_that_do_not_match_are_told(fitted: tuple[Panel, pd.DataFrame, pd.DataFrame]) -> None:
    panel, x, x_new = scored()
    told = "new scores and X_new must have the same number of rows, got 80 and 81; align them."
    refused(told, panel, x, np.vstack([x_new, x_new[:1]]))
    told = "shift must be about these tables, got one of 120 and 79 rows for 120 and 80; leave it out."
    refused(told, panel, x, x_new, shift=shift_kind(120, 79, HALVES))
    told = "shift must be about these tables, got one of 1,200 and 80 rows for 120 and 80; leave it out."
    refused(told, panel, x, x_new, shift=shift_kind(1200, 80, HALVES))
    models, frame, _ = fitted
    told = "X_new must hold at least one row, got 0; check the filter or the file it came from."
    refused(told, models, frame, frame[:0])
    refused("X_new is missing; pass the new rows.", models, frame, None)


def test_every_model_needs_scores_of_new_rows() -> None:
    y, p = [0, 1, 0, 1], [0.1, 0.9, 0.4, 0.6]
    uneven = Panel.from_scores(y, {"a": p, "b": p}, new={"a": p, "b": p[:3]})
    refused("new scores and X_new must have the same number of rows, got 3 and 4; align them.", uneven, None, None)
    lacking = Panel.from_scores(y, {"a": p, "b": p}, new={"a": p})
    told = "new must have scores of every model, got none of 'b'; give it to Panel.from_scores."
    refused(told, lacking, None, None)
    without = Panel.from_scores(y, {"a": p})
    with pytest.raises(InputError, match=r"^testing needs"):
        gathered(without, None, np.zeros((3, 2)))


def test_without_features_the_scores_are_compared(fitted: tuple[Panel, pd.DataFrame, pd.DataFrame]) -> None:
    panel, _, x_new = fitted
    found, notes = gathered(panel, None, x_new)
    assert found.m == len(x_new)
    assert notes == (
        "the type of shift was determined from the scores alone: only scores of the labelled data were given, no "
        "features to compare",
    )


def test_probabilities_are_calibrated_on_the_labelled_rows_by_weight() -> None:
    rng = np.random.default_rng(3)
    codes = (rng.random(400) < 0.5).astype(np.int64)
    sure = np.clip(codes * 0.3 + rng.normal(0.35, 0.2, 400), 0.01, 0.99)
    scores = np.column_stack([1 - sure, sure])
    plain = candidates_of(codes, {"a": scores}, {"a": scores})
    assert plain.calibrated["a"][:].mean(axis=0) == pytest.approx(plain.prevalence)
    base = np.where(codes == 1, 3.0, 1.0)
    weighted = candidates_of(codes, {"a": scores}, {"a": scores}, base=base / base.sum())
    calibrated = weighted.calibrated["a"]
    assert weighted.base @ calibrated[:] == pytest.approx(weighted.prevalence)
    assert len(calibrated) == 400
    assert calibrated[np.array([3, 5])] == pytest.approx(calibrated[:][[3, 5]])


def test_a_class_without_tested_rows_leaves_probabilities_as_they_are() -> None:
    scores = np.random.default_rng(4).dirichlet([2, 2, 1], 50)
    absent = candidates_of(np.arange(50) % 2, {"a": scores}, {"a": scores})
    assert absent.calibrated["a"][:] == pytest.approx(scores)
