from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

import shiftproof as sp
from shiftproof.backtesting import Backtest, backtest
from shiftproof.core import InputError, ModelsLeftOut

FITS: list[int] = []


class Counted(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Count the rows of every fit."""

    def fit(self, X: Any, y: Any) -> Counted:
        FITS.append(len(X))
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.model_.predict_proba(X)


class Broken(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fail in every fit."""

    def fit(self, X: Any, y: Any) -> Broken:  # noqa: ARG002 - as scikit-learn calls it
        raise ValueError("no luck")


def small(past: pd.DataFrame, models: Any = None, **options: Any) -> Backtest:
    models = LogisticRegression() if models is None else models
    settings = {"every": "month", "cv": 2, "measures": "accuracy", "start": 3, **options}
    return backtest(models, past[["a", "day"]], past["y"], "day", **settings)


def test_each_period_is_cross_fitted_once(past: pd.DataFrame) -> None:
    FITS.clear()
    result = small(past, Counted(), start=2, cv=3)
    # Three folds and one fit on all earlier rows, for each of the three periods; none for ages.
    assert sum(FITS) == 3 * (160 + 240 + 320)
    assert result.fits == len(FITS) == 12


def test_the_frame_has_the_columns_of_the_contract(result: Backtest) -> None:
    frame = result.to_frame()
    wanted = "period, model, measure, n, validated, estimate, low, high, level, actual, covered, refused"
    assert list(frame.columns)[:12] == wanted.split(", ")
    assert frame["period"].unique().tolist() == ["2020-03", "2020-04", "2020-05"]
    assert set(frame["n"]) == {80}
    assert frame.groupby("period")["n_before"].first().tolist() == [160, 240, 320]


def test_the_order_of_the_rows_does_not_matter(past: pd.DataFrame) -> None:
    order = np.random.default_rng(0).permutation(len(past))
    one, other = (small(rows).to_frame() for rows in (past, past.iloc[order].reset_index(drop=True)))
    pd.testing.assert_frame_equal(one, other)


def test_two_jobs_give_the_same(past: pd.DataFrame) -> None:
    import joblib

    with joblib.parallel_config(backend="threading"):
        parallel = small(past, n_jobs=2)
    pd.testing.assert_frame_equal(parallel.to_frame(), small(past).to_frame())


def test_scores_of_a_deployed_model_fit_nothing(past: pd.DataFrame) -> None:
    scores = 1 / (1 + np.exp(-past["a"].to_numpy()))
    panel = sp.Panel.from_scores(past["y"], {"old": scores})
    result = backtest(panel, None, None, past["day"], every="month")
    assert (result.fits, result.ages, result.names) == (0, (), ("old",))
    third = past["day"].dt.month == 3
    actual = float(((scores >= 0.5) == past["y"])[third].mean())
    assert result.replayed[0].estimates["old"]["accuracy"].actual == pytest.approx(actual)
    assert "The figure on earlier rows was off by" in result.summary()


def test_a_fitted_model_is_used_as_it_is(past: pd.DataFrame) -> None:
    model = LogisticRegression().fit(past[["a"]][:80], past["y"][:80])
    result = backtest({"old": model}, past[["a"]], past["y"], past["day"], every="month", cv="prefit", start=3)
    assert result.fits == 0
    rows = slice(240, 320)
    accuracy = model.score(past[["a"]][rows], past["y"][rows])
    assert result.replayed[0].estimates["old"]["accuracy"].actual == pytest.approx(accuracy)


def test_a_fitted_model_sees_neither_the_time_nor_excluded_columns(past: pd.DataFrame) -> None:
    model = LogisticRegression().fit(past[["a"]][:80], past["y"][:80])
    settings: dict[str, Any] = {"every": "month", "cv": "prefit", "start": 3}
    alone = backtest({"old": model}, past[["a"]], past["y"], past["day"], **settings)
    table = past[["a", "day"]].assign(noise=1.0)
    found = backtest({"old": model}, table, past["y"], "day", exclude=["noise"], **settings)
    assert found.to_frame()["actual"].tolist() == alone.to_frame()["actual"].tolist()


def test_a_period_without_a_class_has_no_auc(past: pd.DataFrame) -> None:
    late = past.assign(y=np.where(past["day"] >= "2020-05-01", 0, past["y"]))
    frame = small(late, measures=["accuracy", "auc"]).to_frame().set_index(["period", "measure"])
    assert frame["actual"].isna().tolist() == [False, False, False, True]
    assert frame["covered"].isna().tolist() == [False, False, False, True]


def test_gaps_are_named(past: pd.DataFrame) -> None:
    later = past["day"].where(past["day"] < "2020-05-01", past["day"] + pd.Timedelta(days=62))
    result = small(past.assign(day=later))
    assert [period.name for period in result.replayed] == ["2020-04", "2020-07"]
    assert "2 of 4 months could not be replayed: 2020-05 (no rows), 2020-06 (no rows)." in result.summary()


def test_rows_without_a_time_are_left_out(past: pd.DataFrame) -> None:
    undated = past.assign(day=past["day"].mask(np.arange(400) % 100 == 0))
    assert "4 rows without a time were left out." in small(undated).summary()


def test_a_model_that_fails_is_named_once(past: pd.DataFrame) -> None:
    with pytest.warns(ModelsLeftOut) as caught:
        result = small(past, {"lr": LogisticRegression(), "broken": Broken()})
    assert [str(one.message) for one in caught] == ["left out: 'broken' failed with ValueError: no luck."]
    assert result.names == ("lr",)
    assert "'broken' was left out: ValueError: no luck." in result.summary()


def test_every_period_that_fails_is_an_error(past: pd.DataFrame) -> None:
    with pytest.raises(InputError, match=r"^'Broken' failed with ValueError: no luck\.$"):
        small(past, Broken())


def test_groups_and_weights_are_cut_with_the_rows(past: pd.DataFrame) -> None:
    X = past[["a", "day"]].assign(customer=np.arange(400) // 4)
    result = backtest(
        LogisticRegression(),
        X,
        past["y"],
        "day",
        groups="customer",
        sample_weight=np.linspace(1, 2, 400),
        every="month",
        cv=2,
        measures="accuracy",
        start=4,
    )
    assert result.fits == 3


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"y": None}, "y is missing; pass models, X, y and time, or a Panel of scores."),
        (
            {"sample_weight": [1.0]},
            "sample_weight must have one entry per row, got 1; align it with X.",
        ),
        ({"level": 2}, "level must be a number strictly between 0 and 1, got 2; 0.9 means 90%."),
    ],
)
def test_bad_input(past: pd.DataFrame, change: dict[str, Any], sentence: str) -> None:
    arguments = {"models": LogisticRegression(), "X": past[["a"]], "y": past["y"], "time": past["day"], **change}
    with pytest.raises(InputError) as error:
        backtest(**arguments)
    assert str(error.value) == sentence


def test_a_panel_that_was_fitted_on_all_periods_is_refused(past: pd.DataFrame) -> None:
    panel = sp.cross_fit(LogisticRegression(), past[["a"]], past["y"], cv=2)
    with pytest.raises(InputError, match=r"pass the classifiers: the models of this panel were fitted on all periods"):
        backtest(panel, past[["a"]], past["y"], past["day"])


def test_settings_of_a_fit_are_refused_with_scores(past: pd.DataFrame) -> None:
    panel = sp.Panel.from_scores(past["y"], {"old": np.full(400, 0.5)})
    with pytest.raises(InputError, match=r"^cv must be left out with a Panel, got 5; the panel has its own"):
        backtest(panel, None, None, past["day"], cv=5)
