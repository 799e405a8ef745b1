"""What an audit was asked about: columns that the replayed past must not use, and one case for all parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from tests.auditing.cases import tables

import shiftproof as sp
from shiftproof.auditing._question import QUICK_FOLDS, Question
from shiftproof.case import DecisionOptions, Fitting, Running


@pytest.fixture(scope="module")
def question() -> Question:
    X, y, X_new, _ = tables("none", n=90, m=60)
    days, later = pd.date_range("2020-01-01", periods=90), pd.date_range("2021-01-01", periods=60)
    return Question(
        *(sp.default_models(only=["lr"]), X.assign(day=days), y, X_new.assign(day=later)),
        decisions=DecisionOptions(),
        kinds=None,
        exclude=None,
        assume="natural",
        fitting=Fitting(),
        running=Running(random_state=0, n_jobs=None, progress=False),
    )


def test_past_leaves_out_dates_that_are_later_in_the_new_data(question: Question) -> None:
    assert question.excluded_in_past("other") == ["day"]
    assert replace(question, exclude=["x"]).excluded_in_past(None) == ["x", "day"]


def test_past_keeps_the_column_of_its_time(question: Question) -> None:
    assert question.excluded_in_past("day") is None
    assert replace(question, exclude=["x"]).excluded_in_past("day") == ["x"]


def test_case_has_half_the_folds_if_quick(question: Question) -> None:
    plain = replace(question, models=LogisticRegression(), exclude=["day"])
    cases = [plain.case(None, quick=quick) for quick in (True, False)]
    assert [len(np.unique(case.panel.folds)) for case in cases] == [QUICK_FOLDS, 10]
    assert {case.purpose for case in cases} == {"an audit"}
    assert replace(plain, assume="no drift").case(None, quick=True).assume == "no drift"


def test_past_takes_times_as_values(question: Question) -> None:
    assert question.excluded_in_past(pd.Series(["day", "other"])) == ["day"]
