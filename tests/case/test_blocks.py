"""Numbers that are made for some rows at a time are those of all rows."""

from __future__ import annotations

import numpy as np
import pytest
from tests.selection.cases import two_models

from shiftproof.case import Prospect, Rule
from shiftproof.case._blocks import ClassWeights, Mixed, OneHot, Tilted, equal_weights, one_hot
from shiftproof.core import _blocks

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, 50)
POSTERIOR = RNG.dirichlet(np.ones(3), 50)
RATIO = np.array([0.5, 1.0, 2.5])


def test_one_hot_has_one_in_the_column_of_the_class() -> None:
    labels = OneHot(CODES, 3)
    assert len(labels) == 50
    assert labels[:].tolist() == np.eye(3)[CODES].tolist()
    assert labels[10:13].tolist() == one_hot(CODES[10:13], 3).tolist()


def test_tilted_is_bayes_rule_with_other_proportions() -> None:
    by_hand = POSTERIOR * RATIO / (POSTERIOR * RATIO).sum(axis=1, keepdims=True)
    tilted = Tilted(POSTERIOR, RATIO)
    assert len(tilted) == 50
    assert tilted[:] == pytest.approx(by_hand)
    assert tilted[np.array([3, 1])] == pytest.approx(by_hand[[3, 1]])


def test_class_weights_add_up_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    base = RNG.random(50)
    by_hand = base * RATIO[CODES] / (base * RATIO[CODES]).sum()
    monkeypatch.setattr(_blocks, "_ROWS", 7)
    weights = ClassWeights.of(base, CODES, RATIO)
    assert len(weights) == 50
    assert weights[:] == pytest.approx(by_hand)
    assert weights[5:9] == pytest.approx(by_hand[5:9])


def test_mixed_is_the_weighted_mean() -> None:
    mixed = Mixed([POSTERIOR, Tilted(POSTERIOR, RATIO)], [0.25, 0.75])
    assert len(mixed) == 50
    assert mixed[:] == pytest.approx(0.25 * POSTERIOR + 0.75 * Tilted(POSTERIOR, RATIO)[:])


def test_equal_weights_take_no_memory() -> None:
    weights = equal_weights(10**9)
    assert (len(weights), weights.strides) == (10**9, (0,))
    assert equal_weights(4).tolist() == [0.25] * 4


@pytest.mark.parametrize("measure", ["accuracy", "precision", "recall", "f1", "auc", "brier"])
def test_estimates_do_not_depend_on_the_size_of_blocks(monkeypatch: pytest.MonkeyPatch, measure: str) -> None:
    candidates, _ = two_models(np.random.default_rng(0), 300, 200, np.array([0.5, 0.5]))

    def estimate() -> list[object]:
        prospect = Prospect(candidates, Rule(classes=np.arange(2), positive=1))
        found = prospect.estimate(measure)
        noise = prospect.open_labels(measure, "sharp").noise
        return [found.said, found.correction, found.covariances(), prospect.units(measure), noise]

    whole = estimate()
    monkeypatch.setattr(_blocks, "_ROWS", 13)
    for one, other in zip(whole, estimate(), strict=True):
        assert other == pytest.approx(one, rel=1e-10, abs=1e-14)
