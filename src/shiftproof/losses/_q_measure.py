"""Q-measure: quantification and classification in one score."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from shiftproof.core import Floats, Phrase, fault
from shiftproof.losses._inputs import ContingencyTables, Values, check_tables
from shiftproof.losses._prevalence import nas
from shiftproof.losses._tables import (
    CLASSIFICATION,
    QUANTIFICATION,
    ClassificationScore,
    QuantificationScore,
    chosen,
    evaluate,
    recall,
)


def q_measure(
    tp: ArrayLike,
    fp: ArrayLike,
    fn: ArrayLike,
    tn: ArrayLike,
    beta: float = 2,
    *,
    classification: ClassificationScore | Callable[..., Any] = recall,
    quantification: QuantificationScore | Callable[..., Any] = nas,
) -> Values:
    r"""Return the weighted harmonic mean of a classification and a quantification score (eq. 6.2): 1 is best.

    .. math:: Q_\beta = (1 + \beta^2)\,\frac{c\,q}{\beta^2 c + q}

    Even a poor classifier is a perfect quantifier if its errors cancel. If either score is 0, so is the mean. Only the
    limits of beta ignore one of the scores: :math:`Q_0 = c` and :math:`Q_\infty = q`.

    Parameters
    ----------
    tp, fp, fn, tn : float or array-like
        The cells of the contingency tables, arrays of one shape; a number next to arrays applies to all tables.
    beta : float
        At least 0, ``math.inf`` allowed. Above 1, quantification has more weight; below 1, classification.
    classification : {"accuracy", "f1", "g_mean", "precision", "recall", "specificity"} or callable
        The score c, by default recall. Precision is 0 if nothing is called positive.
    quantification : {"nas", "nss"} or callable
        The score q, by default :func:`nas`.

    Returns
    -------
    float or ndarray
        From 0 to 1, in the shape of the counts.

    Notes
    -----
    A callable with two arguments gets the true and the estimated prevalence of all tables; with four arguments, it gets
    TP, FP, FN and TN, as flat arrays. It returns one score per table, from 0 to 1, and 1 if there are no errors.

    Examples
    --------
    >>> round(q_measure(30, 10, 20, 40, beta=1), 4)  # recall 0.6, NAS 0.8
    0.6857
    >>> q_measure(0, 50, 50, 50)  # a perfect quantifier that finds no positive at all (Table 6.1)
    0.0
    >>> q_measure([50, 40], [0, 10], [0, 10], [100, 90], classification="f1").round(3)
    array([1.   , 0.952])
    """
    tables = check_tables(tp, fp, fn, tn)
    _check_beta(beta)
    c = _score(classification, tables, "classification", CLASSIFICATION)
    q = _score(quantification, tables, "quantification", QUANTIFICATION)
    if beta == 0 or math.isinf(beta):
        return tables.in_form(q if beta else c)
    # The square of a large beta overflows; beta/whole and 1/whole are at most 1.
    whole = math.hypot(1.0, beta)
    below = (beta / whole) ** 2 * c + (1 / whole) ** 2 * q
    return tables.in_form(np.divide(c * q, below, out=np.zeros_like(below), where=below > 0))


def _check_beta(beta: float) -> None:
    real = isinstance(beta, numbers.Real) and not isinstance(beta, bool)
    if not real or not beta >= 0:
        raise fault("beta", "be a number of at least 0", beta, "2 favours quantification, 0.5 favours classification")


def _score(what: Any, tables: ContingencyTables, name: str, known: Mapping[str, Callable[..., Any]]) -> Floats:
    function = chosen(what, name, known)
    values = evaluate(function, tables, name)
    outside = ~((values >= 0) & (values <= 1))
    if outside.any():
        raise fault(name, "give scores from 0 to 1", float(values[outside][0]), "rescale it, 1 being best")
    # A loss, or a score on another scale, would pass the check above.
    best = float(evaluate(function, tables.without_errors(), name)[0])
    if not math.isclose(best, 1.0):
        raise fault(name, "be 1 for a table without errors", Phrase(f"{best:g}"), "subtract a loss from 1")
    return values
