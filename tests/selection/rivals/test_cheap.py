"""Estimates of other methods beside ours: those that fit nothing more."""

from __future__ import annotations

import numpy as np
import pytest

from shiftproof.case import Case, DecisionOptions
from shiftproof.panel import Panel
from shiftproof.selection import RIVALS
from shiftproof.selection.rivals._cheap import cheap_guesses


@pytest.fixture(scope="module")
def panel() -> Panel:
    rng = np.random.default_rng(0)
    y, y_new = np.arange(200) % 2, np.arange(100) % 2
    old, new = (1 / (1 + np.exp(-2 * (codes - 0.5) - rng.normal(size=len(codes)))) for codes in (y, y_new))
    return Panel.from_scores(y, {"a": old, "b": 1 - old}, new={"a": new, "b": 1 - new})


def test_cheap_guesses_need_no_folds_of_their_own(panel: Panel) -> None:
    guesses = cheap_guesses(Case.of(panel, purpose="testing"))
    assert list(guesses) == ["a", "b"]
    assert all(RIVALS[name].plan is None for name in guesses["a"])
    assert guesses["a"]["cross-validation"] == pytest.approx(np.mean((panel.out_of_fold["a"][:, 1] > 0.5) == panel.y))
    # The second model decides the opposite of the first, so every method that sees that prefers the first.
    assert all(guesses["a"][name] > guesses["b"][name] for name in ("cross-validation", "corrected pool"))


def test_cheap_guesses_know_no_threshold(panel: Panel) -> None:
    assert cheap_guesses(Case.of(panel, purpose="testing", options=DecisionOptions(threshold=0.3))) == {}
