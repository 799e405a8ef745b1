"""Whether one model of a panel is better than another, or whether that is noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.measures import MEASURES, Plan, Scores, compare_auc
from shiftproof.panel import Panel
from shiftproof.stats import SchemeComparison, corrected_resampled_t, mcnemar


def compare_models(
    panel: Panel, first: str, second: str, *, by: str, positive: int = 1, threshold: float = 0.5, level: float = 0.95
) -> SchemeComparison | None:
    """Compare two models on the rows and folds that both were tested on.

    With folds, by the corrected resampled t test on the differences per fold. Where one deployed model scored all rows,
    by McNemar's test of the accuracies or by DeLong's of the AUCs; None for other measures then.
    """
    pair = (first, second)
    differences = fold_values(panel, first, by, positive, threshold) - fold_values(
        panel, second, by, positive, threshold
    )
    differences = differences[np.isfinite(differences)]
    better = MEASURES[by].higher_is_better
    if len(differences) > 1:
        share = 1 / len(np.unique(panel.folds[0][panel.folds[0] >= 0]))
        return corrected_resampled_t(differences, test_share=share, level=level, names=pair, higher_is_better=better)
    if by in ("accuracy", "error"):
        right = [_scores(panel, name, positive, threshold).decisions == panel.y[panel.tested] for name in pair]
        return mcnemar(right[0], right[1], level=level, names=pair)
    if by == "auc" and len(panel.classes_) == 2:
        truth = (panel.y[panel.tested] == positive).astype(int)
        one, two = (panel.out_of_fold[name][panel.tested, positive] for name in pair)
        return compare_auc(truth, one, two, level=level, names=pair)
    return None


def fold_values(panel: Panel, name: str, by: str, positive: int, threshold: float) -> NDArray[np.float64]:
    """Return the measure of one model in every fold of every repeat; NaN where it is undefined."""
    values = []
    for probabilities, folds in zip(panel.fold_probabilities[name], panel.folds, strict=True):
        for fold in np.unique(folds[folds >= 0]):
            rows = folds == fold
            scores = Scores.of(panel.y[rows], probabilities[rows], positive=positive, threshold=threshold)
            # the estimate alone counts here; few resamples keep the interval cheap
            values.append(MEASURES[by].function(scores, Plan(n_resamples=100)).estimate)
    return np.array(values, dtype=np.float64)


def _scores(panel: Panel, name: str, positive: int, threshold: float) -> Any:
    rows = panel.tested
    return Scores.of(panel.y[rows], panel.out_of_fold[name][rows], positive=positive, threshold=threshold)
