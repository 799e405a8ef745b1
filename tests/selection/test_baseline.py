"""The baseline: always answering the most frequent class, whose share is its accuracy."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from shiftproof.case import DriftRecord
from shiftproof.selection import Performance, estimate_performance


def performance(
    share: float, new_share: float, *, labels: bool = False, far: float = 0.0, history: DriftRecord | None = None
) -> Performance:
    """Estimate a good model and one that always gives the same answer; the class proportions change."""
    rng = np.random.default_rng(0)
    y, y_new = (np.repeat(["no", "yes"], [300 - round(300 * part), round(300 * part)]) for part in (share, new_share))
    X, X_new = (rng.normal(size=(300, 2)) + 1.5 * (codes == "yes")[:, None] for codes in (y, y_new))
    models = {"lr": LogisticRegression(), "same": DummyClassifier()}
    known = dict(enumerate(y_new.tolist())) if labels else None
    return estimate_performance(
        models, X, y, X_new + far, labels=known, cv=3, history=history, random_state=0, progress=False
    )


@pytest.fixture(scope="module")
def shifted() -> Performance:
    return performance(0.2, 0.6)


def test_baseline_is_the_share_of_the_class_that_is_most_frequent_on_the_new_data(shifted: Performance) -> None:
    baseline = shifted.baseline
    assert baseline.label == "yes"
    assert baseline.validated == pytest.approx(0.2)
    assert not baseline.unbalanced
    assert baseline.interval.low < 0.6 < baseline.interval.high
    assert baseline.beaten_by["lr"] > 0.9
    # Always answering the class of the other 40% is probably worse.
    assert baseline.beaten_by["same"] < 0.2


def test_classes_are_unbalanced_in_either_table() -> None:
    labelled, new = performance(0.2, 0.4).baseline, performance(0.4, 0.1).baseline
    assert (labelled.label, labelled.unbalanced) == ("no", True)
    assert (new.label, new.unbalanced) == ("no", True)
    assert new.validated == pytest.approx(0.6)


def test_models_that_answer_alike_beat_the_baseline_half_of_the_time() -> None:
    baseline = performance(0.2, 0.4).baseline
    assert baseline.beaten_by["same"] == pytest.approx(0.5)
    assert baseline.beaten_by["lr"] > 0.99
    assert baseline.validated_beaten_by["same"] == pytest.approx(0.5)
    assert baseline.validated_beaten_by["lr"] > 0.9


def test_model_that_always_gives_one_answer_has_the_accuracy_of_the_baseline() -> None:
    found = performance(0.2, 0.4)
    assert found.baseline.other_answers["same"] == 0
    assert found.baseline.other_answers["lr"] > 0.1
    assert found.interval("same") == found.baseline.interval
    assert found.baseline.interval_of("error").estimate == pytest.approx(1 - found.baseline.interval.estimate)


def test_model_that_always_answers_another_class_has_that_class_as_its_accuracy(shifted: Performance) -> None:
    assert shifted.baseline.other_answers["same"] == 1
    assert shifted.interval("same").estimate == pytest.approx(1 - shifted.baseline.interval.estimate)
    assert shifted.interval("same").high == pytest.approx(1 - shifted.baseline.interval.low)


def test_errors_of_the_past_move_models_and_not_the_baseline() -> None:
    past = DriftRecord(squares={"accuracy": (9.0,) * 4}, errors={"accuracy": (4.0,) * 4})
    shifted, lowered = performance(0.2, 0.4), performance(0.2, 0.4, history=past)
    assert lowered.baseline.interval == shifted.baseline.interval
    assert lowered.interval("same") == shifted.interval("same")
    assert lowered.estimates["same"]["accuracy"].carried == 0
    assert lowered.interval("lr").estimate < shifted.interval("lr").estimate - 0.02
    assert lowered.baseline.beaten_by["same"] == pytest.approx(0.5)
    assert lowered.baseline.beaten_by["lr"] < shifted.baseline.beaten_by["lr"]


def test_summary_says_the_validated_baseline_alone_where_the_share_is_refused(shifted: Performance) -> None:
    always = "Always answering 'yes' is right for 20.0% of the labelled rows"
    new = r"would be right for \d\d\.\d% \(\d.*%\) of the new rows"
    assert re.search(rf"{re.escape(always)}, and {new}\.", shifted.summary())
    nothing = replace(shifted.baseline.interval, estimate=np.nan, low=np.nan, high=np.nan)
    without = replace(shifted, baseline=replace(shifted.baseline, interval=nothing))
    assert f"{always}. " in without.summary()


def test_baseline_with_all_labels_is_exact() -> None:
    interval = performance(0.2, 0.6, labels=True).baseline.interval
    assert (interval.low, interval.high) == pytest.approx((0.6, 0.6), abs=1e-4)


@pytest.mark.filterwarnings("ignore::shiftproof.ShiftproofWarning")
def test_baseline_of_data_too_different_is_refused() -> None:
    refused = performance(0.4, 0.4, far=20.0)
    assert refused.refused
    assert refused.baseline.interval.method == "refused"
    assert np.isnan(refused.baseline.beaten_by["lr"])
    assert refused.baseline.validated_beaten_by["lr"] > 0.99
    assert not refused.baseline.unbalanced
    assert json.loads(json.dumps(refused.baseline.to_dict(), allow_nan=False))["interval"]["low"] is None


def test_the_chance_of_a_model_that_gives_one_answer_counts_both_beliefs_about_its_share() -> None:
    found = performance(0.2, 0.4)
    one, share = found.estimates["same"]["accuracy"], found.baseline.interval
    assert one.belief is not None
    spread = share.width / 2 / 1.645
    # Half of it is the share's own interval, as of a normal distribution.
    low = float(stats.norm.cdf((one.validated - 0.05 - share.estimate) / spread))
    assert 0.5 * low - 0.01 <= found.loss_chance("same") <= 0.5 + 0.5 * low + 0.01
    whole = performance(0.2, 0.4, labels=True)
    assert whole.loss_chance("same") == 1
