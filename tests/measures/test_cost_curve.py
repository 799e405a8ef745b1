"""Cost curves, against the cost of every threshold."""

from __future__ import annotations

import numpy as np
import pytest

from shiftproof.core import InputError
from shiftproof.measures import cost_curve, roc_curve

RNG = np.random.default_rng(0)
Y = np.arange(400) % 3 == 0
SCORES = {"good": RNG.normal(size=400) + 2 * Y, "bad": RNG.normal(size=400) + 0.5 * Y}
CURVES = {name: roc_curve(Y, scores) for name, scores in SCORES.items()}


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize(("prevalence", "fp", "fn"), [(0.1, 1, 1), (0.5, 1, 4), (0.7, 3, 1), (0.02, 1, 1)])
def test_the_cost_is_that_of_the_best_threshold(name: str, prevalence: float, fp: float, fn: float) -> None:
    costs = []
    for threshold in [*SCORES[name], np.inf]:
        called = SCORES[name] >= threshold
        missed, false = (~called)[Y].mean(), called[~Y].mean()
        costs.append(
            (prevalence * fn * missed + (1 - prevalence) * fp * false) / (prevalence * fn + (1 - prevalence) * fp)
        )
    found = cost_curve(CURVES, points=2001).at(prevalence=prevalence, fp=fp, fn=fn)
    assert found[name] == pytest.approx(min(costs), abs=2e-4)


def test_no_cost_is_above_that_of_one_answer_and_the_better_model_is_named() -> None:
    curve = cost_curve(CURVES)
    x = curve.probability_cost
    for cost in curve.costs.values():
        assert (cost <= np.minimum(x, 1 - x) + 1e-12).all()
    assert set(curve.best[20:-20]) == {"good"}
    assert "'good' between" in curve.summary()
    assert curve.to_frame().columns.tolist() == ["probability_cost", "good", "bad", "best"]
    assert len(curve.plot().lines) == 3
    useless = cost_curve({"none": roc_curve(Y, np.zeros(400))})
    assert useless.summary().startswith("Lowest cost, by probability cost: no model;")


def test_what_are_no_curves_is_refused() -> None:
    with pytest.raises(InputError, match="curves must map names to ROC curves"):
        cost_curve({})
    with pytest.raises(InputError, match="points must be"):
        cost_curve(CURVES, points=1)
