"""The shortcut of the simulation is equation 3 of the paper, and ReverseTesting runs inside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shiftproof.experiments import DataSources
from shiftproof.experiments._boolean_worlds import (
    ESTIMATES,
    compare_estimates,
    equation_three,
    learnt,
    make_worlds,
    noisy,
    reverse_testing_worlds,
)


def kl(p: Any, q: Any) -> float:
    return float((p * np.log(p / q)).sum())


def test_the_distances_are_those_of_equation_3() -> None:
    rng = np.random.default_rng(0)
    world = make_worlds(3, 1.5, 20, rng)
    a, b = noisy(world, 0.7, rng), noisy(world, 0.5, rng)
    found = compare_estimates(world, a, b)

    def joint(weights: Any, positive: Any) -> Any:
        return np.concatenate([weights * positive, weights * (1 - positive)])

    for at in range(20):
        p, q, truth = world.p[at], world.q[at], world.truth[at]
        under_p = [kl(joint(p, truth), joint(p, each[at])) for each in (a, b)]
        under_q = [kl(joint(q, truth), joint(p, each[at])) for each in (a, b)]
        assert found.holds[at] == ((under_p[1] < under_p[0]) == (under_q[1] < under_q[0]))
        assert found.ratio[at] == pytest.approx(max(under_p) / min(under_p))


def test_without_a_selection_it_always_holds() -> None:
    rng = np.random.default_rng(0)
    world = make_worlds(4, 0.0, 200, rng)
    np.testing.assert_allclose(world.p, world.q)
    assert world.worth == pytest.approx(1)
    found = compare_estimates(world, noisy(world, 0.5, rng), noisy(world, 0.5, rng))
    assert found.holds.mean() > 0.99


def test_estimates_learn_from_the_sample() -> None:
    rng = np.random.default_rng(0)
    world = make_worlds(2, 0.5, 50, rng)
    by_cell, bayes = learnt(world, 1_000_000, rng)
    assert np.average(np.abs(by_cell - world.truth), weights=world.p) < 0.005
    assert np.average(np.abs(bayes - world.truth), weights=world.p) > 0.02


@pytest.mark.parametrize("estimates", ESTIMATES)
def test_the_claim_of_999_in_1000_does_not_hold(estimates: str) -> None:
    rows = equation_three(DataSources(), k=4, skew=3.0, estimates=estimates, count=200)
    assert len(rows) == 4
    assert rows["holds"].between(0.4, 0.999).all()
    assert rows["worth"].between(0, 1).all()


def test_reverse_testing_is_asked_in_every_world() -> None:
    rows = reverse_testing_worlds(DataSources(), k=3, skew=2.0, n=60, count=12)
    assert len(rows) == 12
    assert {*rows["verdict"]} <= {"cells", "bayes", ""}
    assert {*rows["nearer under Q"]} <= {"cells", "bayes", ""}
    assert (rows["verdict"] != "").any()
