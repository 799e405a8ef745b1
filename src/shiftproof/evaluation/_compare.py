"""Whether one model of a panel is better than another, or whether that is noise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shiftproof.core import Floats
from shiftproof.evaluation._setup import Setup
from shiftproof.measures import MEASURES, compare_auc
from shiftproof.stats import SchemeComparison, corrected_resampled_t, mcnemar


def compare_with_best(setup: Setup, ranking: Sequence[str], measure: str) -> dict[str, SchemeComparison | None]:
    """Compare the best model with each other one; None where there is no test for the measure.

    With folds, by the corrected resampled t test on the differences per fold. Where one deployed model scored all rows,
    by McNemar's test of the accuracies or by DeLong's of the AUCs; None for other measures, and for weighted rows.
    """
    best, *others = ranking
    if not others:
        return {}
    values = {name: setup.fold_values(name, measure) for name in ranking}
    # One deployed model has one fold, and no variance between folds.
    if len(values[best]) == 1:
        return {name: _compared_whole(setup, (best, name), measure) for name in others}
    return {name: _compared_by_fold(setup, (best, name), measure, values[best] - values[name]) for name in others}


def _compared_by_fold(
    setup: Setup, pair: tuple[str, str], measure: str, differences: Floats
) -> SchemeComparison | None:
    # A fold without a positive row has no recall; the others still say something.
    defined = differences[np.isfinite(differences)]
    if len(defined) < 2:
        return None
    # Nadeau and Bengio (2003) correct by n_test / n_train; folds in time differ in size.
    n_train, n_test = np.mean(setup.panel.fold_sizes, axis=0).tolist()
    return corrected_resampled_t(
        defined,
        n_train=n_train,
        n_test=n_test,
        level=setup.level,
        names=pair,
        higher_is_better=measure == "profit" or MEASURES[measure].higher_is_better,
    )


def _compared_whole(setup: Setup, pair: tuple[str, str], measure: str) -> SchemeComparison | None:
    """Compare on all rows at once; both tests are of pairs of rows that count alike."""
    panel = setup.panel
    # McNemar and DeLong count rows, so neither is defined for weighted rows.
    if panel.sample_weight is not None:
        return None
    if measure in ("accuracy", "error"):
        scores = [setup.scores(name, 0) for name in pair]
        right, also_right = (of_model.decisions == of_model.y for of_model in scores)
        return mcnemar(right, also_right, level=setup.level, names=pair)
    if measure == "auc" and len(panel.classes_) == 2:
        truth = (panel.y[panel.tested] == setup.positive).astype(int)
        one, two = (panel.out_of_fold[name][panel.tested, setup.positive] for name in pair)
        return compare_auc(truth, one, two, level=setup.level, names=pair)
    return None
