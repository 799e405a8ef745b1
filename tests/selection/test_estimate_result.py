"""What an estimate derives from its intervals, by hand: the ranking, the refusal, the actual values and the plan."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.selection.cases import decided, shift_kind

from shiftproof import InputError
from shiftproof.case import DriftRecord, OpenLabels
from shiftproof.core import Interval
from shiftproof.selection import Estimated, MajorityBaseline, Performance, history_text
from shiftproof.selection._estimate_result import REFUSED

M = 40
HALVES = np.array([0.5, 0.5])
SURE = np.tile([0.8, 0.2], (M, 1))


def estimated(value: float, *, method: str = "routed pool") -> Estimated:
    half = 0.1 if math.isfinite(value) else math.nan
    return Estimated(
        interval=Interval(estimate=value, low=value - half, high=value + half, level=0.9, method=method),
        validated=0.8,
        ways=dict.fromkeys(("none", "prior", "covariate"), value),
        spread=half / 1.645,
        # The label of a row of which 80% is sure has a standard deviation of 0.4.
        open_labels=OpenLabels("accuracy", decided(SURE), SURE),
    )


def performance(lr: Estimated, nb: Estimated, measure: str = "accuracy", **changed: Any) -> Performance:
    """Estimate two models: lr is sure of class 1 in the first half of the rows, nb in none."""
    first = np.where(np.arange(M) < M // 2, 0.9, 0.1)
    sides = {"lr": decided(np.column_stack([1 - first, first])), "nb": decided(np.tile([0.9, 0.1], (M, 1)))}
    usual: dict[str, Any] = {
        "estimates": {"lr": {measure: lr}, "nb": {measure: nb}},
        "shift": shift_kind(100, M, HALVES),
        "likely": {"none": 1.0, "prior": 0.0, "covariate": 0.0},
        "confidence": "high",
        "outside_range": None,
        "others": {},
        "shares": {"no": 0.5, "yes": 0.5},
        "assume": "natural",
        "training": {"no": 0.5, "yes": 0.5},
        "baseline": MajorityBaseline(
            label="no",
            validated=0.5,
            interval=Interval(estimate=0.5, low=0.4, high=0.6, level=0.9, method="routed pool"),
            beaten_by={"lr": 0.9, "nb": 0.9},
            validated_beaten_by={"lr": 0.9, "nb": 0.9},
            other_answers={"lr": 0.5, "nb": 0.0},
        ),
        "decided": {name: {measure: side} for name, side in sides.items()},
        "strata": np.arange(M) % 2,
        "labelled": np.zeros(0, dtype=np.intp),
        "positive": "yes",
        "level": 0.9,
        "n_labelled": 100,
        "n_new": M,
        "fits": 0,
    }
    return Performance(**(usual | changed))


def test_ranking_follows_the_measure() -> None:
    assert performance(estimated(0.7), estimated(0.6)).ranking == ("lr", "nb")
    assert performance(estimated(0.7), estimated(0.6), "brier").ranking == ("nb", "lr")


def test_ranking_puts_models_without_an_estimate_last() -> None:
    assert performance(estimated(math.nan, method="not defined"), estimated(0.6)).ranking == ("nb", "lr")


def test_refused_needs_every_estimate_refused() -> None:
    gone = estimated(math.nan, method=REFUSED)
    partly, wholly = performance(gone, estimated(0.6)), performance(gone, gone)
    assert (partly.refused, partly.any_refused) == (False, True)
    assert (wholly.refused, wholly.any_refused) == (True, True)
    assert performance(estimated(0.7), estimated(0.6)).refusal == ()


def test_truth_is_measured_by_the_same_decisions() -> None:
    actual = performance(estimated(0.7), estimated(0.6)).truth(["yes"] * 10 + ["no"] * (M - 10))
    assert [actual[name]["accuracy"] for name in ("lr", "nb")] == pytest.approx([0.75, 0.75])
    with pytest.raises(InputError, match="y_new has 2 labels for 40 new rows; pass one per row"):
        performance(estimated(0.7), estimated(0.6)).truth(["yes", "no"])


def test_truth_refuses_labels_whose_index_contradicts_that_of_the_new_rows() -> None:
    result = performance(estimated(0.7), estimated(0.6), index=pd.RangeIndex(M))
    labels = pd.Series(["yes"] * 10 + ["no"] * (M - 10))
    assert result.truth(labels.set_axis(labels.index + 100)) == result.truth(labels)
    with pytest.raises(InputError) as error:
        result.truth(labels[::-1])
    assert str(error.value) == (
        "y_new must have its rows in the same order as X_new, got the same index in a different order; pass "
        "y_new.loc[X_new.index], or y_new.to_numpy() if the rows already correspond by position."
    )


def test_plan_draws_only_rows_without_a_label() -> None:
    result = performance(estimated(0.7), estimated(0.6), labelled=np.arange(20))
    few, all_of_them = result.plan(10), result.plan(20)
    assert few.rows.min() >= 20
    assert all_of_them.rows.tolist() == list(range(20, M))
    assert few.width == pytest.approx(0.2)
    assert all_of_them.expected_width < few.expected_width


def test_interval_names_the_models_that_were_estimated() -> None:
    with pytest.raises(InputError, match="model must name a model"):
        performance(estimated(0.7), estimated(0.6)).interval("svm")


def test_the_summary_says_what_the_past_did_to_the_estimate() -> None:
    record = DriftRecord(squares={"accuracy": (1.0,) * 4}, covered={"accuracy": {"lr": (3, 4)}}, noun="month")
    shift = shift_kind(100, M, HALVES, kind="too different", correlation_change=0.3, familiar=True)
    without = Interval(estimate=0.7, low=0.5, high=0.8, level=0.9, method="made")
    known = replace(estimated(0.7), carried=-0.031, without_past=without)
    result = performance(known, estimated(0.6), history=record, shift=shift)
    assert history_text(result, "lr") == (
        "In 3 of 4 past months the interval contained the actual accuracy. Adjusted to these results, "
        "the interval is 20.0 points wide instead of 30.0 points. Past estimates were too low, so this one was raised "
        "by 3.1 points. The new data differ a lot from the labelled data, but no more than past months did."
    )


def test_a_correction_that_hardly_moves_the_estimate_is_not_mentioned() -> None:
    record = DriftRecord(squares={"accuracy": (1.0,) * 4}, covered={"accuracy": {"lr": (3, 4)}}, noun="month")
    result = performance(replace(estimated(0.7), carried=0.001), estimated(0.6), history=record)
    assert history_text(result, "lr") == "In 3 of 4 past months the interval contained the actual accuracy."
