"""Find scores that rank two classes in reverse: they may be probabilities of the other class."""

from __future__ import annotations

from shiftproof.core import ScoresReversed
from shiftproof.measures import MEASURES, IntervalPlan, Scores
from shiftproof.panel._panel import Panel

# One in a thousand models without any skill looks reversed at this level.
_LEVEL = 0.998


def reversed_models(panel: Panel, pos_label: object = None) -> list[ScoresReversed]:
    """Return a warning for each deployed model whose AUC is below 0.5 by more than chance.

    Cross-fitted models are left out: their classes are known by name, and folds alone push the AUC of a model without
    skill below 0.5. `pos_label` is the class whose probabilities the caller means.
    """
    if not panel.deployed or len(panel.classes_) != 2:
        return []
    positive = panel.positive(pos_label)
    label, other = panel.classes_.tolist()[positive], panel.classes_.tolist()[1 - positive]
    warnings = []
    for name in panel.names:
        scores = Scores.of(panel.y, panel.out_of_fold[name], sample_weight=panel.sample_weight, groups=panel.groups)
        area = MEASURES["auc"].function(scores, IntervalPlan(level=_LEVEL))
        # NaN where a class is missing is not below 0.5 either.
        if area.high < 0.5:
            warnings.append(ScoresReversed(name, area.estimate, label, other))
    return warnings
