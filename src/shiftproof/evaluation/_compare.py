"""Whether one model of a panel is better than another, or whether that is noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.evaluation._profit import row_profits, scores_of
from shiftproof.measures import MEASURES, IntervalPlan, Scores, compare_auc
from shiftproof.panel import Panel
from shiftproof.stats import SchemeComparison, corrected_resampled_t, mcnemar


def compare_models(
    panel: Panel,
    first: str,
    second: str,
    *,
    measure: str,
    positive: int = 1,
    threshold: float | None = None,
    level: float = 0.9,
    benefit: Any = None,
    table: Any = None,
) -> SchemeComparison | None:
    """Compare two models on the rows and folds that both were tested on.

    With folds, by the corrected resampled t test on the differences per fold. Where one deployed model scored all rows,
    by McNemar's test of the accuracies or by DeLong's of the AUCs; None for other measures, and for weighted rows.
    """
    pair = (first, second)
    values = [_fold_values(panel, name, measure, positive, threshold, benefit, table) for name in pair]
    differences = (values[0] - values[1])[np.isfinite(values[0] - values[1])]
    better = measure == "profit" or MEASURES[measure].higher_is_better
    if len(values[0]) > 1 and len(differences) > 1:
        n_train, n_test = np.mean(panel.fold_sizes, axis=0).tolist()
        return corrected_resampled_t(
            differences, n_train=n_train, n_test=n_test, level=level, names=pair, higher_is_better=better
        )
    if panel.sample_weight is not None or len(values[0]) > 1:
        return None
    if measure in ("accuracy", "error"):
        right = [scores.decisions == scores.y for scores in (_all(panel, name, positive, threshold) for name in pair)]
        return mcnemar(right[0], right[1], level=level, names=pair)
    if measure == "auc" and len(panel.classes_) == 2:
        truth = (panel.y[panel.tested] == positive).astype(int)
        one, two = (panel.out_of_fold[name][panel.tested, positive] for name in pair)
        return compare_auc(truth, one, two, level=level, names=pair)
    return None


def _all(panel: Panel, name: str, positive: int, threshold: float | None) -> Scores:
    return scores_of(panel, name, 0, positive, threshold)


def _fold_values(  # noqa: PLR0917 - one private step, seven facts
    panel: Panel, name: str, measure: str, positive: int, threshold: float | None, benefit: Any, table: Any
) -> NDArray[np.float64]:
    """Return the measure of one model in every fold of every repeat; NaN where it is undefined."""
    found = []
    for repeat, folds in enumerate(panel.folds):
        profits = None
        if measure == "profit":
            profits = row_profits(panel, name, repeat, benefit=benefit, table=table, positive=positive)
        for fold in np.unique(folds[folds >= 0]):
            rows = folds == fold
            weight = None if panel.sample_weight is None else panel.sample_weight[rows]
            if profits is not None:
                found.append(float(np.average(profits[rows], weights=weight)))
                continue
            probabilities = panel.fold_probabilities[name][repeat][rows]
            scores = Scores.of(
                panel.y[rows], probabilities, positive=positive, threshold=threshold, sample_weight=weight
            )
            # the estimate alone counts here; few resamples keep the interval cheap
            found.append(MEASURES[measure].function(scores, IntervalPlan(n_resamples=100)).estimate)
    return np.array(found, dtype=np.float64)
