"""Find models that rank two classes in reverse: their scores may be those of the other class."""

from __future__ import annotations

import math

import numpy as np

from shiftproof.core import ScoresReversed
from shiftproof.measures import MEASURES, IntervalPlan, Scores
from shiftproof.panel._panel import Panel

# One in a thousand models without any skill looks reversed at this level.
_LEVEL = 0.998
# Folds share training rows, so the AUC of a model without skill strays farther below 0.5 than its interval says: by at
# most 2.8 / sqrt(n) in 3,200 simulations, where n is twice the size of the smaller class.
_FOLD_FACTOR = 4.0
# Folds of few rows alone rank the rows of a model without skill in reverse: without a row, its class is rarer.
_LEAST_FOLD = 10


def reversed_models(panel: Panel, pos_label: object = None) -> list[ScoresReversed]:
    """Return a warning for each model whose AUC is below 0.5 by more than chance.

    `pos_label` is the class whose probabilities the caller means.
    """
    if len(panel.classes_) != 2:
        return []
    # Models of earlier rows only share no training rows with the rows they are tested on.
    independent = panel.deployed or panel.time_ordered
    lowest = 0.5 if independent else _lowest_by_chance(panel)
    positive = panel.positive(pos_label)
    # A slice copies nothing.
    tested = slice(None) if panel.tested.all() else panel.tested
    label, other = panel.classes_.tolist()[positive], panel.classes_.tolist()[1 - positive]
    weights = None if panel.sample_weight is None else panel.sample_weight[tested]
    groups = None if panel.groups is None else panel.groups[tested]
    warnings = []
    for name in panel.names:
        scores = Scores.of(panel.y[tested], panel.out_of_fold[name][tested], sample_weight=weights, groups=groups)
        area = MEASURES["auc"].function(scores, IntervalPlan(level=_LEVEL))
        # NaN where a class is missing is not below 0.5 either.
        if area.high < 0.5 and area.estimate < lowest:
            warnings.append(ScoresReversed(name, area.estimate, label, other, fitted=not panel.deployed))
    return warnings


def _lowest_by_chance(panel: Panel) -> float:
    """Return the lowest AUC that a cross-fitted model without skill may have; 0 if it may have any."""
    sizes = [n_test for _, n_test in panel.fold_sizes]
    if np.mean(sizes) < _LEAST_FOLD:
        return 0.0
    n = 2 * int(np.bincount(panel.y[panel.tested], minlength=2).min())
    # Rows of one group count as one.
    n = n if panel.groups is None else min(n, len(np.unique(panel.groups)))
    return 0.5 - _FOLD_FACTOR / math.sqrt(max(n, 1))
