"""How natural shifts weigh the routes, and what drift adds to an error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.selection.cases import shift_kind, two_models

from shiftproof.case import SOFT_MEASURES, Prospect, Rule, drifted, natural_weights
from shiftproof.case._drift import ALLOWANCES, Drifted, natural_ranking_weights
from shiftproof.core import Floats
from shiftproof.shift import Kind

HALVES = np.array([0.5, 0.5])


@pytest.fixture(scope="module")
def prospect() -> Prospect:
    candidates, _ = two_models(np.random.default_rng(0), 300, 200, HALVES)
    return Prospect(candidates, Rule(classes=np.arange(2), positive=1), "natural")


def test_every_measure_has_an_allowance() -> None:
    assert set(ALLOWANCES) == set(SOFT_MEASURES)


def test_natural_weights_add_up_and_need_a_gain_for_the_prior_route(prospect: Prospect) -> None:
    routes = replace(prospect.routes, probabilities=np.array([0.2, 0.5, 0.3]))
    weak, clear = (
        natural_weights(routes, shift_kind(300, 200, HALVES, kind="prior", gain=gain)) for gain in (0.0, 20.0)
    )
    assert weak.sum() == pytest.approx(1)
    assert weak[1] < 0.1
    assert clear == pytest.approx([0.2, 0.5, 0.3])


def test_natural_weights_of_tables_too_different_use_neither_none_nor_prior(prospect: Prospect) -> None:
    shift = shift_kind(300, 200, HALVES, kind="too different")
    assert natural_weights(prospect.routes, shift).tolist() == [0, 0, 1]


def test_natural_ranking_weights_leave_out_the_covariate_route(prospect: Prospect) -> None:
    routes = replace(prospect.routes, probabilities=np.array([0.0, 0.0, 1.0]), least=0.02)
    covariate, too_different = (
        natural_ranking_weights(routes, shift_kind(300, 200, HALVES, kind=kind))
        for kind in ("covariate", "too different")
    )
    assert covariate == pytest.approx([0.96, 0.02, 0.02])
    assert too_different.tolist() == [1, 0, 0]


def moved(prospect: Prospect, kind: Kind, measure: str, by: float) -> tuple[Drifted, Floats]:
    """Estimate as if all figures on the labelled rows were higher by so much."""
    validated = np.array(list(prospect.validated(measure).values())) + by
    shift = shift_kind(300, 200, HALVES, kind=kind, gain=-99)
    routes = replace(prospect.routes, probabilities=np.array([0.0, 0.0, 1.0]))
    result = drifted(
        prospect.estimate(measure),
        routes,
        shift,
        measure=measure,
        validated=validated,
        units=np.ones(2),
        higher_is_better=True,
    )
    return result, validated


def test_drifted_allows_more_the_further_estimates_move(prospect: Prospect) -> None:
    (near, _), (far, _) = (moved(prospect, "covariate", "accuracy", by) for by in (0.0, 0.3))
    assert (far.allowance > near.allowance).all()
    assert (near.allowance >= ALLOWANCES["accuracy"].constant).all()
    assert far.values == pytest.approx(near.values)


def test_drifted_believes_half_of_an_improvement_on_tables_too_different(prospect: Prospect) -> None:
    whole, _ = moved(prospect, "covariate", "accuracy", -0.3)
    half, validated = moved(prospect, "too different", "accuracy", -0.3)
    assert half.values == pytest.approx((whole.values + validated) / 2)
    by_class, _ = moved(prospect, "too different", "f1", -0.3)
    assert by_class.values == pytest.approx(moved(prospect, "covariate", "f1", -0.3)[0].values)


def test_drifted_takes_a_loss_as_it_is(prospect: Prospect) -> None:
    assert moved(prospect, "too different", "accuracy", 0.3)[0].values == pytest.approx(
        moved(prospect, "covariate", "accuracy", 0.3)[0].values
    )
