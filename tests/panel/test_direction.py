"""Scores of the other class are noticed by their AUC."""

from __future__ import annotations

import numpy as np

from shiftproof.panel import Panel, reversed_models

RNG = np.random.default_rng(0)
TRUTH = np.arange(80) % 2
OF_CHURNED = np.clip(0.5 + 0.2 * TRUTH + 0.2 * RNG.normal(size=80), 0, 1)
LABELS = np.where(TRUTH == 1, "churned", "stayed")


def test_reversed_models_asks_whose_probabilities_these_are() -> None:
    (warning,) = reversed_models(Panel.from_scores(LABELS, {"m": OF_CHURNED}))
    assert str(warning).startswith("'m' ranks the classes in reverse (AUC 0.")
    assert "are these the probabilities of 'stayed'?" in str(warning)
    (warning,) = reversed_models(Panel.from_scores(LABELS, {"m": 1 - OF_CHURNED}, pos_label="churned"), "churned")
    assert "of 'churned'? If they are those of 'stayed', pass pos_label='stayed'" in str(warning)


def test_reversed_models_is_empty_for_chance_right_scores_and_more_classes() -> None:
    assert reversed_models(Panel.from_scores(LABELS, {"m": OF_CHURNED}, pos_label="churned")) == []
    assert reversed_models(Panel.from_scores(LABELS, {"m": RNG.uniform(size=80)})) == []
    assert reversed_models(Panel.from_scores(["a", "b", "c"], {"m": np.eye(3)[::-1]})) == []
