"""Scores of the other class are noticed by their AUC."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from shiftproof.core import ScoresReversed
from shiftproof.panel import Panel, warn_reversed

RNG = np.random.default_rng(0)
TRUTH = np.arange(80) % 2
OF_CHURNED = np.clip(0.5 + 0.2 * TRUTH + 0.2 * RNG.normal(size=80), 0, 1)
LABELS = np.where(TRUTH == 1, "churned", "stayed")


def test_warn_reversed_asks_whose_probabilities_these_are() -> None:
    panel = Panel.from_scores(LABELS, {"m": OF_CHURNED})
    with pytest.warns(ScoresReversed, match=r"^'m' ranks the classes in reverse \(AUC 0\.\d\d\): .* of 'stayed'\?"):
        warn_reversed(panel)
    with pytest.warns(ScoresReversed, match=r"of 'churned'\? If they are those of 'stayed', pass pos_label='stayed'"):
        warn_reversed(Panel.from_scores(LABELS, {"m": 1 - OF_CHURNED}, pos_label="churned"), "churned")


def test_warn_reversed_is_silent_about_chance_right_scores_and_more_classes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_reversed(Panel.from_scores(LABELS, {"m": OF_CHURNED}, pos_label="churned"))
        warn_reversed(Panel.from_scores(LABELS, {"m": RNG.uniform(size=80)}))
        warn_reversed(Panel.from_scores(["a", "b", "c"], {"m": np.eye(3)[::-1]}))
