"""An audit with the time of the labelled rows replays the past, and its intervals follow."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from tests.auditing.cases import tables

from shiftproof.auditing import Audit, audit
from shiftproof.auditing._past import replay_past
from shiftproof.auditing._question import Question
from shiftproof.backtesting import Backtest
from shiftproof.case import DecisionOptions, Fitting, Running
from shiftproof.core import InputError
from shiftproof.panel import Panel, cross_fit
from shiftproof.selection import points_apart

MONTHS = np.repeat(pd.date_range("2020-01-01", periods=6, freq="MS"), 60)
MODEL = {"lr": LogisticRegression()}


@pytest.fixture(scope="module")
def replayed() -> Audit:
    X, y, X_new, _ = tables("prior", n=360, m=200)
    X, X_new = X.assign(when=MONTHS), X_new.assign(when=pd.Timestamp("2020-07-01"))
    return audit(MODEL, X, y, X_new, time="when", every="month", quick=True, progress=False)


def test_the_reason_says_how_often_intervals_were_right(replayed: Audit) -> None:
    assert replayed.past is not None
    covered, total = replayed.past.counts("lr")
    estimated = replayed.performance.estimates["lr"]["accuracy"]
    assert estimated.without_past is not None
    intervals = (estimated.interval, estimated.without_past)
    widths = (points_apart(interval.low, interval.high) for interval in intervals)
    sentence = (
        f"In {covered} of {total} past months the interval contained the actual accuracy. "
        "Adjusted to these results, the interval is {:.1f} points wide instead of {:.1f} points."
    ).format(*widths)
    assert total == 4
    assert any(sentence in str(reason.words) for reason in replayed.reasons)
    assert replayed.performance.history is replayed.past.record


def test_the_time_is_no_feature(replayed: Audit) -> None:
    assert replayed.evaluation.panel.feature_names == ("one", "two", "three")
    assert replayed.detection is not None
    assert "when" not in {row.feature for row in replayed.detection.rows}


def test_fits_of_the_past_are_counted(replayed: Audit) -> None:
    # Six fits for each of four periods, and six for the audit itself.
    assert replayed.fits == 30
    assert replayed.stages[0].name == "replaying the past"


def test_the_page_and_the_json_have_the_past(replayed: Audit) -> None:
    past = next(section for section in replayed.to_page().sections if section.anchor == "past")
    assert past.sections[0].title == "Estimated and actual"
    assert replayed.to_dict()["past"]["drift"]["accuracy"] == pytest.approx(
        replayed.performance.history.factor("accuracy")
    )


def past_of(models: object, X: object, y: object = None) -> Backtest:
    question = Question(
        *(models, X, y, None),
        decisions=DecisionOptions(),
        kinds=None,
        exclude=None,
        assume="natural",
        fitting=Fitting(),
        running=Running(random_state=0, n_jobs=None, progress=False),
    )
    return replay_past(question, np.arange(180), every=None, periods=3, measure="accuracy", level=0.9)


def test_models_of_a_panel_are_cloned_and_fitted_again() -> None:
    X, y, _, _ = tables("none", n=180, m=20)
    assert past_of(cross_fit(MODEL, X, y, cv=3), X).fits == 6


def test_scores_of_a_deployed_model_are_replayed() -> None:
    X, y, _, _ = tables("none", n=180, m=20)
    scores = LogisticRegression().fit(X[:60], y[:60]).predict_proba(X)[:, 1]
    assert past_of(Panel.from_scores(y, {"p": scores}), None).names == ("p",)


def test_a_length_of_periods_needs_a_time() -> None:
    X, y, X_new, _ = tables("none", n=60, m=40)
    with pytest.raises(InputError) as error:
        audit(MODEL, X, y, X_new, periods=4)
    assert str(error.value) == "periods must come with time, got 4; say when each labelled row was observed."
