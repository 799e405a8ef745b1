from __future__ import annotations

import math

import pytest

from shiftproof.backtesting._ages import losses_by_age

# Models of period 1, 2, 3, ... in their own period and in those after it: each period of age costs two points.
AGEING = {place: {"lr": [0.9 - 0.02 * age - 0.001 * (place % 2) for age in range(5 - place)]} for place in range(5)}


def test_losses_compare_models_on_the_same_period() -> None:
    ages = losses_by_age(AGEING, higher_is_better=True, level=0.9)
    assert [(age.age, age.n_periods) for age in ages] == [(1, 4), (2, 3), (3, 2)]
    assert [age.loss.estimate for age in ages] == pytest.approx([0.02, 0.04, 0.06], abs=0.002)
    assert ages[0].worth_a_refit


def test_a_loss_of_a_brier_score_is_a_rise() -> None:
    ages = losses_by_age(AGEING, higher_is_better=False, level=0.9)
    assert ages[0].loss.estimate == pytest.approx(-0.02, abs=0.002)
    assert not ages[0].worth_a_refit


def test_periods_without_a_value_are_left_out() -> None:
    values = {0: {"lr": [0.9, math.nan, 0.8]}, 1: {"lr": [0.9, 0.85]}, 2: {"lr": [0.9]}, 4: {"nb": [0.5]}}
    assert losses_by_age(values, higher_is_better=True, level=0.9) == ()


def test_nothing_fitted_has_no_ages() -> None:
    assert losses_by_age({}, higher_is_better=True, level=0.9) == ()
