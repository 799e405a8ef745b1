"""Probabilities of a deployed model, adapted to class proportions that have changed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from shiftproof.core import Floats, Phrase, check_probabilities, fault, score_array
from shiftproof.panel import with_odds

# Shares add up to 1 up to this.
_ROUNDING = 1e-6


def adapt_probabilities(probabilities: ArrayLike, training: Any, new: Any) -> Floats:
    r"""Adapt a model's probabilities to new class proportions, without refitting the model.

    If only the class proportions changed (prior shift), :math:`p'(c|x) \propto p(c|x)\,\pi'_c / \pi_c` (Saerens,
    Latinne and Decaestecker 2002, eq. 2.4).

    Parameters
    ----------
    probabilities : array-like of shape (m,) or (m, k)
        Probabilities of the positive class, or one column per class, from a model that was fitted on rows with the
        proportions `training`.
    training, new : float, or sequence of k floats
        The share of the positive class, or one share per class in the order of the columns: `training` among the rows
        that the model was fitted on, `new` among the new rows. `quantify` can estimate `new`.

    Returns
    -------
    ndarray of the shape of `probabilities`

    Examples
    --------
    A model was fitted on rows of which 20% are positive, and is used where 50% are:

    >>> adapt_probabilities([0.2, 0.5, 0.9], training=0.2, new=0.5).round(2)
    array([0.5 , 0.8 , 0.97])
    """
    values = score_array(probabilities, "probabilities")[0]
    if values.ndim not in (1, 2):
        got = Phrase(f"shape {values.shape}")
        raise fault("probabilities", "have one or two dimensions", got, "give one row per row of the new data")
    flat = values.ndim == 1
    checked = check_probabilities(np.column_stack([1 - values, values]) if flat else values, "probabilities")
    old, current = (_shares(shares, name, checked.shape[1]) for shares, name in ((training, "training"), (new, "new")))
    if (old == 0).any():
        hint = "a model says nothing about a class that it has not seen"
        raise fault("training", "be above 0 for every class", old.tolist(), hint)
    possible = (checked * current).sum(axis=1) > 0
    if not possible.all():
        row = int(np.flatnonzero(~possible)[0])
        hint = "the new proportions rule out every class that the model considers possible for this row"
        raise fault("probabilities", "be above 0 for a class of the new rows", Phrase(f"none in row {row}"), hint)
    adapted = with_odds(checked, current / old)
    return np.asarray(adapted[:, 1] if flat else adapted)


def _shares(shares: Any, name: str, k: int) -> Floats:
    given = np.asarray(shares, dtype=np.float64) if not isinstance(shares, str) else np.empty((0, 0))
    if given.ndim == 0 and k == 2:
        given = np.array([1 - float(given), float(given)])
    rule = "be the share of class 1, or two shares" if k == 2 else f"be {k} shares, one for each class,"
    if given.shape != (k,) or not (given >= 0).all() or abs(float(given.sum()) - 1) > _ROUNDING:
        raise fault(name, f"{rule} that add up to 1", shares, "0.2 means 20%")
    return given
