"""Labels of new rows in `quantify`: a random sample of them gives the shares, whatever changed."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from tests.case.test_label_shares import judged

import shiftproof as sp
from shiftproof import InputError, LabelsOfOneClass
from shiftproof.case import BY_LABELS

QUIET: dict[str, Any] = {"resamples": 20, "progress": False}


def some(actual: NDArray[Any], rows: Any) -> dict[int, int]:
    return {int(row): int(actual[row]) for row in rows}


def test_labels_of_judged_items_alone_are_each_verdicts_share_times_the_rate_within_it() -> None:
    rng = np.random.default_rng(0)
    items, actual = judged(rng, 1000, 0.3, (0.85, 0.85))
    rows = rng.choice(1000, 100, replace=False)
    result = sp.quantify({"judge": "verdict"}, X_new=items, labels=some(actual, rows), **QUIET)
    verdict = items["verdict"].to_numpy()
    strata = [verdict == value for value in (0, 1)]
    of_sample = [actual[rows][verdict[rows] == value] for value in (0, 1)]
    textbook = sum(stratum.mean() * known.mean() for stratum, known in zip(strata, of_sample, strict=True))
    assert result.prevalence[1].estimate == pytest.approx(textbook, abs=1e-9)
    variance = sum(
        stratum.mean() ** 2 * known.var(ddof=1) / len(known) * (1 - len(known) / stratum.sum())
        for stratum, known in zip(strata, of_sample, strict=True)
    )
    assert result.errors[1].sampling == pytest.approx(np.sqrt(variance), rel=0.1)
    assert result.alone
    assert (result.method, result.tone) == (BY_LABELS, "good")
    assert (result.n_labels, result.n_labelled, result.n_new) == (100, 100, 1000)
    assert set(result.to_frame()["method"]) == {BY_LABELS}
    assert "The estimate rests on 100 labels of new rows." in result.summary()
    gaps = pd.Series(actual, dtype=float).where(items.index.isin(rows))
    for table, labels in ((items, gaps), (pl.from_pandas(items), gaps.tolist())):
        again = sp.quantify({"judge": "verdict"}, X_new=table, labels=labels, **QUIET)
        assert again.prevalence == result.prevalence
        assert again.classes == (0, 1)


Y = np.random.default_rng(3).integers(2, size=400)
X = np.random.default_rng(2).normal(size=(400, 3)) + 1.2 * Y[:, None]
ABC = ["a", "b", "c"]


def moved(share: float, rng: np.random.Generator, *, by: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Give 600 new rows with this share of class 1, of another kind of data if they are moved."""
    y_new = (np.arange(600) < share * 600).astype(int)
    return rng.normal(size=(600, 3)) + 1.2 * y_new[:, None] + by, y_new


def test_labels_of_new_rows_correct_what_the_models_cannot_see() -> None:
    rng = np.random.default_rng(4)
    new, y_new = moved(0.3, rng)
    y_new = 1 - y_new  # the link between features and label has changed
    rows = rng.choice(600, 150, replace=False)
    before = sp.quantify(LogisticRegression(), X, Y, new, **QUIET)
    result = sp.quantify(LogisticRegression(), X, Y, new, labels=some(y_new, rows), **QUIET)
    assert 0.7 not in before.prevalence[1]
    assert 0.7 in result.prevalence[1]
    assert not result.alone
    assert result.errors[1].drift == 0
    assert sum(result.estimate.values()) == pytest.approx(1)
    assert "The estimate was corrected with 150 labels of new rows." in result.summary()


def test_labels_estimate_what_is_refused_without_them() -> None:
    rng = np.random.default_rng(5)
    new, y_new = moved(0.8, rng, by=30.0)
    with pytest.warns(sp.ShiftproofWarning, match="no estimate of the class proportions"):
        assert sp.quantify(LogisticRegression(), X, Y, new, **QUIET).refused
    labels = some(y_new, rng.choice(600, 100, replace=False))
    result = sp.quantify(LogisticRegression(), X, Y, new, labels=labels, **QUIET)
    assert (result.refused, result.alone) == (False, True)
    assert 0.8 in result.prevalence[1]


@pytest.mark.parametrize("options", [{"assume": "prior shift"}, {"method": "adjusted count"}, {"check": False}])
def test_labels_of_all_rows_leave_nothing_to_estimate(options: dict[str, Any]) -> None:
    new, y_new = moved(0.37, np.random.default_rng(6))
    result = sp.quantify(LogisticRegression(), X, Y, new, labels=y_new, **options, **QUIET)
    assert (result.prevalence[1].low, result.prevalence[1].high) == pytest.approx((y_new.mean(), y_new.mean()))


def test_labels_of_three_classes_give_shares_that_add_up() -> None:
    rng = np.random.default_rng(7)
    y, y_new = rng.integers(3, size=500), rng.choice(3, p=[0.2, 0.2, 0.6], size=600)
    old, new = (np.eye(3)[codes] + rng.normal(scale=0.6, size=(len(codes), 3)) for codes in (y, y_new))
    result = sp.quantify(
        LogisticRegression(), old, y, new, labels=some(y_new, rng.choice(600, 90, replace=False)), **QUIET
    )
    assert sum(result.estimate.values()) == pytest.approx(1)
    assert all(np.mean(y_new == label) in result.prevalence[label] for label in result.classes)
    audit = sp.audit(
        LogisticRegression(), old, y, new, labels=some(y_new, range(0, 600, 6)), quick=True, progress=False
    )
    assert audit.new_baseline == audit.quantification.prevalence[audit.performance.baseline.label]


def test_labels_correct_a_period_that_has_enough_of_them() -> None:
    rng = np.random.default_rng(8)
    new, y_new = moved(0.5, rng)
    day = pd.DataFrame(new, columns=ABC).assign(day=np.arange(600) % 2)
    odd = [row for row in rng.choice(600, 200, replace=False) if row % 2]
    result = sp.quantify(
        LogisticRegression(),
        pd.DataFrame(X, columns=ABC),
        Y,
        day,
        by="day",
        labels=some(y_new, odd),
        **QUIET,
    )
    even_period, odd_period = result.periods
    assert y_new[1::2].mean() in odd_period.prevalence[1]
    assert odd_period.prevalence[1].method == "routed pool and labels"
    assert even_period.prevalence[1].method != "routed pool and labels"


def test_a_period_without_labels_is_refused_if_only_labels_show_anything() -> None:
    rng = np.random.default_rng(10)
    new, y_new = moved(0.5, rng, by=30.0)
    days = pd.DataFrame(new, columns=ABC).assign(day=np.arange(600) % 2)
    odd = [row for row in rng.choice(600, 200, replace=False) if row % 2]
    result = sp.quantify(
        LogisticRegression(), pd.DataFrame(X, columns=ABC), Y, days, by="day", labels=some(y_new, odd), **QUIET
    )
    course = result.over_time().query("label == 1").set_index("period")
    assert course.loc["0", ["estimate", "low", "high", "others_low", "others_high"]].isna().all()
    assert course.loc["1", "low"] < y_new[1::2].mean() < course.loc["1", "high"]
    assert "1 group cannot be estimated, because of too few labels." in result.summary()
    assert result.to_frame()[["others_low", "others_high"]].isna().all(axis=None)
    shown = result.sections().course
    assert shown is not None
    assert shown.rows[0][2] == "refused"


def test_labels_of_accepted_items_only_are_noted() -> None:
    items, actual = judged(np.random.default_rng(11), 1000, 0.6, (0.9, 0.7))
    accepted = np.flatnonzero(items["verdict"] == 1)[:80]
    result = sp.quantify({"judge": "verdict"}, X_new=items, labels=some(actual, accepted), **QUIET)
    assert "The new rows with labels differ from the other new rows in 'judge'" in result.summary()


def test_the_labels_of_all_rows_are_no_estimate() -> None:
    items, actual = judged(np.random.default_rng(12), 200, 0.6, (0.9, 0.7))
    words = sp.quantify({"judge": "verdict"}, X_new=items, labels=actual, **QUIET).summary()
    assert words == f"The label of every new row is known: {actual.mean():.1%} of 200 new rows are in class 1."


def test_few_labels_change_nothing_and_labels_of_one_class_warn() -> None:
    new, y_new = moved(0.5, np.random.default_rng(9))
    without = sp.quantify(LogisticRegression(), X, Y, new, **QUIET)
    few = sp.quantify(LogisticRegression(), X, Y, new, labels=some(y_new, range(9)), **QUIET)
    assert few.prevalence == without.prevalence
    assert few.n_labels == 0
    assert "9 labels of new rows could not be used" in few.summary()
    with pytest.warns(LabelsOfOneClass):
        sp.quantify(LogisticRegression(), X, Y, new, labels=some(y_new, range(50)), **QUIET)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"labels": ["a", "b", "c", "a"] * 250}, "labels must be of two classes, got 'a', 'b' and 'c'; recode them."),
        (
            {"X_new": pd.DataFrame({"verdict": [1] * 1000}), "labels": [0, 1] * 500},
            "models must name columns that vary, got the same score for all rows; without a verdict that varies, ",
        ),
        (
            {"labels": {0: 1}},
            "labels must hold at least 10 labels, got 1; label more rows drawn at random; no",
        ),
        ({"labels": {2000: 1}}, "labels must name rows of X_new, 0 to 999, got 2000; rows are counted from 0."),
        (
            {"labels": dict.fromkeys(range(20), 1)},
            "labels must be of two classes, got 1; label more",
        ),
        ({"models": {"judge": "verdcit"}, "labels": [0, 1] * 500}, "models must name columns of X_new with scores"),
        (
            {"models": LogisticRegression(), "labels": [0, 1] * 500},
            "labels of new rows alone need verdicts",
        ),
        (
            {"models": sp.quantification.AdjustedCount(), "labels": [0, 1] * 500},
            "labels must be left out with a quantif",
        ),
    ],
)
def test_bad_labels_get_a_sentence(arguments: dict[str, Any], message: str) -> None:
    items, _ = judged(np.random.default_rng(0), 1000, 0.3, (0.9, 0.9))
    given: dict[str, Any] = {"models": {"judge": "verdict"}, "X_new": items} | arguments
    with pytest.raises(InputError, match=re.escape(message)):
        sp.quantify(**given)
