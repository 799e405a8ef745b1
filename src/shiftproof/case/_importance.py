"""How much a model relies on features: how far its probabilities move if the values of one are shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.case._threads import in_one_thread
from shiftproof.core import Codes, Rows

if TYPE_CHECKING:
    from shiftproof.case._case import Case
    from shiftproof.panel import Panel

# So many labelled rows give the mean movement to within a tenth of itself.
_ROWS = 500
# A page shows six features; these are enough to choose them from.
_FEATURES = 20
# Copies of the rows are scored together up to so many cells, as calls of a model cost more than rows.
_CELLS = 4_000_000


@in_one_thread
def feature_importance(case: Case, model: str, features: Sequence[str]) -> dict[str, float]:
    """Measure how much a model relies on features, without fitting anything.

    The values of one feature are shuffled among labelled rows, which are scored by the models that never saw them. The
    importance is the mean distance between the probabilities before and after: 0 if the model ignores the feature. It
    needs no labels, and shows reliance on a feature also where shuffling costs no accuracy, as with a rare class.

    Parameters
    ----------
    case : Case
        With models; scores alone cannot be asked again.
    model : str
        Its name.
    features : sequence of str
        Those to measure, at most 20; others than the model's are left out.

    Returns
    -------
    dict of str to float
        From 0 to 1 by feature; empty if the models or their features are not available.
    """
    panel = case.panel
    known = [name for name in features if name in panel.feature_names][:_FEATURES]
    if not panel.fold_scorers.get(model) or case.tables.not_compared or not known:
        return {}
    rng = np.random.default_rng(case.seed)
    # Of several repeats the first is enough; the first block in time was never tested.
    tested = np.flatnonzero(panel.folds[0] >= 0)
    rows = np.sort(rng.choice(tested, min(_ROWS, len(tested)), replace=False))
    return _movements(panel, model, _rows_of(case, rows), folds=panel.folds[0, rows], features=known, rng=rng)


def _rows_of(case: Case, rows: Rows) -> Any:
    # Imported where models need it: comparing two tables takes no scikit-learn.
    from shiftproof.panel import as_features, match_columns, take

    panel, features = case.panel, as_features(take(case.tables.X, rows))
    return match_columns(panel.feature_names, panel.named, features, "X")


def _movements(
    panel: Panel, model: str, data: Any, *, folds: Codes, features: Sequence[str], rng: np.random.Generator
) -> dict[str, float]:
    """Shuffle one feature after another, and measure how far the probabilities move."""
    order = rng.permutation(len(folds))
    apart = np.zeros(len(features))
    for fold in np.unique(folds).tolist():
        rows, score = np.flatnonzero(folds == fold), panel.fold_scorers[model][0][fold]
        together = max(_CELLS // (len(rows) * data.shape[1]), 1)
        for first in range(0, len(features), together):
            part = slice(first, first + together)
            places = [panel.feature_names.index(name) for name in features[part]]
            copies = _copies(data, places, rows=rows, shuffled=order[rows])
            try:
                scores = score(copies).reshape(len(places) + 1, len(rows), -1)
            except Exception:
                # A model may refuse rows that never occurred; then the features are sorted by their change alone.
                return {}
            # Half of the sum over classes: the largest change of the probability of any set of classes.
            apart[part] += 0.5 * np.abs(scores[1:] - scores[0]).sum(axis=(1, 2))
    return dict(zip(features, (apart / len(folds)).tolist(), strict=True))


def _copies(data: Any, places: Sequence[int], *, rows: Rows, shuffled: Rows) -> Any:
    """Return these rows as they are, then a copy for each of these columns, whose values are those of other rows."""
    from shiftproof.panel import take

    as_is = np.tile(rows, len(places) + 1)
    # All columns at once, as a wide table has thousands of them; then the few that are shuffled.
    copies = take(data, as_is)
    for copy, place in enumerate(places, 1):
        taken = as_is.copy()
        taken[copy * len(rows) : (copy + 1) * len(rows)] = shuffled
        if hasattr(data, "iloc"):
            # As a whole column, which keeps its type.
            copies.isetitem(place, data.iloc[taken, place].array)
        else:
            copies[:, place] = data[taken, place]
    return copies
