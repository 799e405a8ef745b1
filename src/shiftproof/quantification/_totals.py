"""How much do the rows of each class cost together? Totals of an amount that every row carries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from shiftproof.core import Codes, Floats, Interval, check_count, check_fraction, check_vector, fault, generator
from shiftproof.quantification._quantifier import Quantifier

RESAMPLES = 500


def class_totals(
    quantifier: Quantifier, X: object, amounts: ArrayLike, *, level: float = 0.9, resamples: int = RESAMPLES
) -> dict[Any, Interval]:
    r"""Estimate the total of an amount, such as costs, over the rows of each class of unlabelled data (Forman 2008).

    The sum of amounts times scores is corrected as counts are in `ScaledProbabilityAverage`: with the mean scores
    :math:`M_{ji}` of class j on labelled rows of class i, and the amounts :math:`a_r` and scores :math:`s_{rj}` of the
    new rows, the totals t solve :math:`\sum_i M_{ji} t_i = \sum_r a_r s_{rj}`.

    Parameters
    ----------
    quantifier : Quantifier
        A fitted quantifier, whose scores are used.
    X : table
        Unlabelled rows.
    amounts : array-like of shape (n,)
        The amount of each row, such as its cost.
    level : float
        The nominal coverage.
    resamples : int
        Number of resamples.

    Returns
    -------
    dict of label to Interval
        The totals of the classes add up to that of all rows. The intervals are valid if only the class proportions
        changed and, within a class, amounts do not depend on the scores.

    Examples
    --------
    >>> from shiftproof.quantification import ProbabilityAverage
    >>> rng = np.random.default_rng(2)
    >>> y, y_new = rng.random(400) < 0.5, rng.random(300) < 0.2
    >>> X, X_new = (rng.normal(size=(len(of), 2)) + 1.5 * of[:, None] for of in (y, y_new))
    >>> amounts = np.where(y_new, 100.0, 20.0)
    >>> float(amounts[y_new].sum())
    6400.0
    >>> total = class_totals(ProbabilityAverage().fit(X, y), X_new, amounts)[True]
    >>> print(f"{total.estimate:,.0f}, from {total.low:,.0f} to {total.high:,.0f}")
    6,597, from 5,923 to 7,218
    """
    check_is_fitted(quantifier, "learned_")
    check_fraction(level, "level", hint="0.9 means 90%")
    check_count(resamples, "resamples", least=100, hint=f"{RESAMPLES} is usual")
    scores, labelled = quantifier.checked_scores(X).probabilities, quantifier.labelled_
    values = check_vector(amounts, "amounts")
    if len(values) != len(scores):
        raise fault("amounts", f"have {len(scores)} values, one per row of X", len(values), "pass one amount per row")
    known, codes, weights = labelled.scores.probabilities, labelled.codes, labelled.weights
    limits = float(values[values < 0].sum()), float(values[values > 0].sum())
    totals = _solved(_mean_scores(known, codes, weights), values @ scores).clip(*limits)
    sizes = np.abs(totals)
    shares = sizes / sizes.sum() if sizes.any() else np.full(len(sizes), 1 / len(sizes))
    rng, own = generator(quantifier.random_state), [np.flatnonzero(codes == code) for code in range(len(shares))]
    errors = np.empty((resamples, len(shares)))
    for error in errors:
        # New labelled rows, and new rows whose classes are known because they are drawn.
        rows = np.concatenate([rng.choice(of, len(of)) for of in own])
        drawn = rng.choice(len(shares), len(values), p=shares)
        picked = np.empty(len(values), dtype=np.intp)
        for code, of in enumerate(own):
            picked[drawn == code] = rng.choice(of, int((drawn == code).sum()))
        found = _solved(_mean_scores(known[rows], codes[rows], weights[rows]), values @ known[picked])
        error[:] = found - np.bincount(drawn, values, len(shares))
    highs, lows = np.quantile(errors, [(1 - level) / 2, (1 + level) / 2], axis=0)
    ends = zip((totals - lows).clip(*limits), (totals - highs).clip(*limits), strict=True)
    return {
        label: Interval(
            estimate=float(total), low=float(min(low, total)), high=float(max(high, total)), level=level,
            method="scaled probability average of amounts, bootstrap",
        )
        for label, total, (low, high) in zip(quantifier.classes_.tolist(), totals, ends, strict=True)
    }  # fmt: skip


def _mean_scores(scores: Floats, codes: Codes, weights: Floats) -> Floats:
    """Return the mean score of each class (rows) on the labelled rows of each class (columns)."""
    k = scores.shape[1]
    members = (codes[:, None] == np.arange(k)) * weights[:, None]
    return np.asarray(scores.T @ (members / members.sum(axis=0)))


def _solved(means: Floats, sums: Floats) -> Floats:
    # Least squares also where the scores do not tell two classes apart.
    return np.asarray(np.linalg.lstsq(means, sums)[0])
