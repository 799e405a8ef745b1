"""How a rival asks for folds, and which panels meet its plan."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut
from sklearn.naive_bayes import GaussianNB

from shiftproof import InputError
from shiftproof.panel import Panel, cross_fit
from shiftproof.selection import CrossFitPlan, Guess, Rival

TEN_BY_FIVE = CrossFitPlan(folds=10, repeats=5)


def fitted(plan: CrossFitPlan) -> Panel:
    y = np.arange(24) % 2
    return cross_fit(GaussianNB(), np.random.default_rng(0).normal(size=(24, 1)) + y[:, None], y, **plan.fitting(y))  # type: ignore[arg-type]


def test_fitting_never_asks_for_more_folds_than_rows() -> None:
    assert TEN_BY_FIVE.fitting([0, 1] * 2) == {"cv": 4, "repeats": 5}
    assert isinstance(CrossFitPlan().fitting([0, 1])["cv"], LeaveOneOut)


@pytest.mark.parametrize("plan", [CrossFitPlan(), CrossFitPlan(folds=3, repeats=2), CrossFitPlan(held_out=0.3)])
def test_is_met_by_the_panel_that_the_plan_makes_and_no_other(plan: CrossFitPlan) -> None:
    panel = fitted(plan)
    assert plan.is_met(panel)
    assert not TEN_BY_FIVE.is_met(panel)


def test_check_names_the_plan_and_what_the_panel_has() -> None:
    rival = Rival(name="mine", guess=lambda _: Guess(accuracies=np.zeros(1)), description="", plan=TEN_BY_FIVE)
    with pytest.raises(InputError, match="'mine' needs models fitted with 10 folds, 5 times, got 3 folds; pass"):
        rival.check(fitted(CrossFitPlan(folds=3)))


def test_check_accepts_any_panel_without_a_plan() -> None:
    rival = Rival(name="mine", guess=lambda _: Guess(accuracies=np.zeros(1)), description="")
    rival.check(Panel.from_scores([0, 1], {"old": [0.2, 0.9]}))
