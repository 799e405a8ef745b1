"""The example runs, and its shortcut is equation 3 of the paper."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PATH = Path(__file__).resolve().parents[2] / "examples" / "boolean_reverse_testing.py"


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    return runpy.run_path(str(PATH))


def kl(p: Any, q: Any) -> float:
    return float((p * np.log(p / q)).sum())


def test_the_distances_are_those_of_equation_3(example: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    world = example["make_worlds"](3, 1.5, 20, rng)
    a, b = example["noisy"](world, 0.7, rng), example["noisy"](world, 0.5, rng)
    found = example["compare"](world, a, b)

    def joint(weights: Any, positive: Any) -> Any:
        return np.concatenate([weights * positive, weights * (1 - positive)])

    for at in range(20):
        p, q, truth = world.p[at], world.q[at], world.truth[at]
        under_p = [kl(joint(p, truth), joint(p, each[at])) for each in (a, b)]
        under_q = [kl(joint(q, truth), joint(p, each[at])) for each in (a, b)]
        assert found.holds[at] == ((under_p[1] < under_p[0]) == (under_q[1] < under_q[0]))
        assert found.ratio[at] == pytest.approx(max(under_p) / min(under_p))


def test_without_a_selection_it_always_holds(example: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    world = example["make_worlds"](4, 0.0, 200, rng)
    np.testing.assert_allclose(world.p, world.q)
    assert world.worth == pytest.approx(1)
    found = example["compare"](world, example["noisy"](world, 0.5, rng), example["noisy"](world, 0.5, rng))
    assert found.holds.mean() > 0.99


def test_estimates_learn_from_the_sample(example: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    world = example["make_worlds"](2, 0.5, 50, rng)
    by_cell, bayes = example["learnt"](world.cells, example["drawn"](world, 1_000_000, rng))
    assert np.average(np.abs(by_cell - world.truth), weights=world.p) < 0.005
    assert np.average(np.abs(bayes - world.truth), weights=world.p) > 0.02


def test_reverse_testing_is_that_of_figure_3(example: dict[str, Any]) -> None:
    world = example["make_worlds"](3, 1.0, 30, np.random.default_rng(0))
    found = example["reverse_test"](world, 200, np.random.default_rng(1))
    rng = np.random.default_rng(1)
    labelled = example["drawn"](world, 200, rng)
    estimates = example["learnt"](world.cells, labelled)
    new = rng.multinomial(200, world.q / world.q.sum(axis=1, keepdims=True))
    for at in range(30):
        # One row at a time, as rows.
        rows = np.repeat(np.arange(16) % 8, labelled[at].ravel().astype(int))
        classes = np.repeat(np.arange(16) // 8, labelled[at].ravel().astype(int))
        table = np.zeros((2, 2))
        for i, estimate in enumerate(estimates):
            given = estimate[at] > 0.5
            counts = np.array([[new[at] * ~given, new[at] * given]], dtype=float)
            for j, judge in enumerate(example["learnt"](world.cells, counts)):
                table[i, j] = np.mean((judge[0, rows] > 0.5) == classes)
        first = table[0, 0] > table[1, 0] and table[0, 1] > table[1, 1]
        second = table[1, 0] > table[0, 0] and table[1, 1] > table[0, 1]
        assert found.decided[at] == (first or second)
        if first or second:
            winner = estimates[0 if first else 1][at] > 0.5
            loser = estimates[1 if first else 0][at] > 0.5
            right = [world.q[at] @ np.where(each, world.truth[at], 1 - world.truth[at]) for each in (winner, loser)]
            assert found.better[at] == (right[0] > right[1] + 1e-12)


def test_it_prints_what_it_finds(example: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    example["main"](["--quick"])
    told = capsys.readouterr().out
    assert "Noisy copies of the truth" in told
    assert told.count("Learnt from n rows of P") == 2
    assert "The paper's claim is around 99.9%." in told
    assert told.count("% of all draws") == 3
    assert told.count("ReverseTesting, n rows of P and of Q") == told.count("All settings: ") == 2
