"""How natural shifts weigh the routes, and what drift adds to an error."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from tests.selection.cases import shift_kind, two_models

from shiftproof.case import SOFT_MEASURES, Prospect, Rule, drifted, natural_weights
from shiftproof.case._drift import ALLOWANCES

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


def test_drifted_allows_more_the_more_routes_differ_and_estimates_move(prospect: Prospect) -> None:
    estimates, validated = prospect.estimate("accuracy"), np.array(list(prospect.validated("accuracy").values()))
    moved = partial(
        drifted, estimates, np.array([0, 0, 1.0]), measure="accuracy", units=np.ones(2), higher_is_better=True
    )
    near, far = moved(validated=validated), moved(validated=validated + 0.3)
    assert (far.allowance > near.allowance).all()
    assert (near.allowance >= ALLOWANCES["accuracy"].constant).all()
    assert far.values == pytest.approx(near.values)
    assert (far.centres < near.centres).all()
