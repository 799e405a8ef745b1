from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from shiftproof.backtesting import Backtest
from shiftproof.backtesting._result import PastEstimate
from shiftproof.core import InputError, Interval


def estimate(low: float, high: float, actual: float, *, refused: bool = False) -> PastEstimate:
    interval = Interval(estimate=(low + high) / 2, low=low, high=high, level=0.9, method="routed pool")
    return PastEstimate(validated=0.8, interval=interval, actual=actual, refused=refused)


@pytest.mark.parametrize(
    ("one", "covered"),
    [
        (estimate(0.7, 0.9, 0.8), True),
        (estimate(0.7, 0.9, 0.9), True),
        (estimate(0.7, 0.9, 0.69), False),
        (estimate(0.7, 0.9, math.nan), None),
        (estimate(math.nan, math.nan, 0.8), None),
        (estimate(0.7, 0.9, 0.8, refused=True), None),
    ],
)
def test_covered(one: PastEstimate, covered: bool | None) -> None:
    assert one.covered is covered


def test_coverage_counts_each_period_once(result: Backtest) -> None:
    frame = result.to_frame()
    accuracy = frame[frame["measure"] == "accuracy"]
    assert result.coverage().estimate == pytest.approx(accuracy["covered"].astype(float).mean())
    lr = accuracy[accuracy["model"] == "lr"]
    assert result.counts("lr") == (int(lr["covered"].sum()), 3)
    assert result.coverage(model="lr").estimate == pytest.approx(lr["covered"].astype(float).mean())


def test_errors_and_width_are_means_over_periods(result: Backtest) -> None:
    frame = result.to_frame().query("model == 'nb' and measure == 'auc'")
    validated, estimated = result.errors("nb", "auc")
    assert validated == pytest.approx((frame["validated"] - frame["actual"]).abs().mean())
    assert estimated == pytest.approx((frame["estimate"] - frame["actual"]).abs().mean())
    assert result.width("nb", "auc") == pytest.approx((frame["high"] - frame["low"]).mean())


def test_the_best_model_has_the_best_actual_values(result: Backtest) -> None:
    frame = result.to_frame().query("measure == 'accuracy'")
    assert result.best == frame.groupby("model")["actual"].mean().idxmax()


def test_ages_are_measured_by_accuracy(result: Backtest) -> None:
    assert result.aged_by == "accuracy"
    assert {(one.model, one.age, one.n_periods) for one in result.ages} == {("lr", 1, 2), ("nb", 1, 2)}


def test_plain_values_are_json(result: Backtest) -> None:
    values = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert (values["best"], values["time"], values["window"]) == (result.best, "day", "expanding")
    assert [period["name"] for period in values["periods"]] == ["2020-03", "2020-04", "2020-05"]
    assert values["coverage"]["accuracy"]["lr"]["method"] == "wilson"


def test_unknown_names(result: Backtest) -> None:
    with pytest.raises(InputError, match=r"^model must be a model of the backtest, got 'rl'; available: 'lr', 'nb'\."):
        result.coverage(model="rl")
    with pytest.raises(InputError, match=r"^measure must be a model of the backtest"):
        result.plot(measure="f1")


def test_charts_have_one_place_per_period(result: Backtest) -> None:
    ax = result.plot("nb", "auc")
    assert [label.get_text() for label in ax.get_xticklabels()] == ["2020-03", "2020-04", "2020-05"]
    assert ax.get_ylabel() == "AUC of nb"
    assert result.plot_ages().get_xlabel() == "age in months"
    redacted = result.plot(redact=True)
    assert [label.get_text() for label in redacted.get_xticklabels()] == ["month 1", "month 2", "month 3"]


def test_nothing_estimated_has_no_coverage(result: Backtest) -> None:
    periods = [
        replace(
            period,
            estimates={
                model: {name: replace(one, refused=True) for name, one in measures.items()}
                for model, measures in period.estimates.items()
            },
        )
        for period in result.periods
    ]
    refused = replace(result, periods=tuple(periods))
    assert math.isnan(refused.coverage().estimate)
    assert refused.headline == "The accuracy could not be estimated in any past month."
