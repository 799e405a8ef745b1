"""Sentences of an audit, by hand: the order of models, a refusal, and the baseline."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

from shiftproof.auditing._words import order_text, refused_text


def ranked(estimates: dict[str, float], measure: str = "accuracy") -> Any:
    """Return what `order_text` reads of an audit: the ranking, and the estimate of each model."""
    of = {name: SimpleNamespace(estimate=value) for name, value in estimates.items()}
    performance = SimpleNamespace(interval=lambda name, _: of[name])
    return SimpleNamespace(performance=performance, measure=measure, selection=SimpleNamespace(ranking=tuple(of)))


def test_order_text_explains_an_order_that_differs_from_that_of_the_estimates() -> None:
    assert order_text(ranked({"lr": 0.75, "forest": 0.76})) == (
        "The ranking compares models with each other; estimates judge each model alone, so their order may differ."
    )
    assert order_text(ranked({"lr": 0.76, "forest": 0.75})) == ""
    assert order_text(ranked({"lr": 0.24, "forest": 0.25}, "error")) == ""
    assert order_text(ranked({"lr": math.nan, "forest": math.nan})) == ""


def test_refused_text_of_a_deployed_model_names_the_model_and_its_figure() -> None:
    audit: Any = SimpleNamespace(
        deployed=True,
        validated=0.92,
        measure="accuracy",
        best="lr",
        judged_by_accuracy=False,
        shift=SimpleNamespace(refused=True),
    )
    assert refused_text(audit) == (
        "On the labelled data lr has 92.0% accuracy. That applies to data like the labelled rows; accuracy on the new "
        "data cannot be estimated."
    )
