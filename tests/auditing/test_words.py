"""Sentences of an audit, by hand: the order of models, a refusal, and the baseline."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

from shiftproof.auditing._words import order_text, refused_text, shown_changes


def ranked(estimates: dict[str, float], measure: str = "accuracy") -> Any:
    """Return what `order_text` reads of an audit: the ranking, and the estimate of each model."""
    of = {name: SimpleNamespace(estimate=value) for name, value in estimates.items()}
    performance = SimpleNamespace(interval=lambda name, _: of[name])
    return SimpleNamespace(performance=performance, measure=measure, selection=SimpleNamespace(ranking=tuple(of)))


def test_order_text_explains_an_order_that_differs_from_that_of_the_estimates() -> None:
    why = "the ranking uses a simpler estimate, because the full correction makes comparisons noisy."
    assert order_text(ranked({"lr": 0.75, "nb": 0.74, "forest": 0.76})) == (
        f"lr is ranked above forest although its estimate is worse: {why}"
    )
    assert order_text(ranked({"lr": 0.75, "nb": 0.73, "forest": 0.74})) == (
        f"nb is ranked above forest although its estimate is worse: {why}"
    )
    assert order_text(ranked({"lr": 0.25, "nb": 0.24}, "error")).startswith("lr is ranked above nb")
    assert order_text(ranked({"lr": 0.76, "forest": 0.75})) == ""
    assert order_text(ranked({"lr": 0.24, "forest": 0.25}, "error")) == ""
    assert order_text(ranked({"lr": math.nan, "forest": math.nan})) == ""


def test_shown_changes_says_which_of_the_shifted_features_are_shown() -> None:
    audit: Any = SimpleNamespace(detection=SimpleNamespace(features=tuple("abcdefgh")))
    assert shown_changes(audit, 6) == 'These are the 6 most important of 8 changes; all are under "Every feature".'
    assert shown_changes(audit, 8) == ""
    fewer = shown_changes(audit, 9)
    assert fewer.startswith("Only ")
    assert fewer.endswith(" changed enough to matter.")
    without: Any = SimpleNamespace(detection=None)
    assert shown_changes(without, 0) == ""


def test_refused_text_says_what_the_validated_figure_applies_to() -> None:
    audit: Any = SimpleNamespace(
        deployed=True,
        validated=0.92,
        measure="accuracy",
        best="lr",
        judged_by_accuracy=False,
        refused=True,
        shift=SimpleNamespace(refused=True),
    )
    assert refused_text(audit) == "The figure on the labelled data applies only to data like the labelled rows."
    audit.shift.refused = False
    # Then the headline does not have the figure.
    assert refused_text(audit) == (
        "On the labelled data, the accuracy of lr is 92.0%. That applies only to data like the labelled rows."
    )
