"""Cost-sensitive training: weights, resampling, and expected amounts of labelled and new rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shiftproof.core import (
    Floats,
    InputError,
    Seed,
    check_count,
    check_scored_rows,
    check_vector,
    fault,
    generator,
    is_number,
)
from shiftproof.measures._benefit import Benefit
from shiftproof.measures._benefit_checks import check_two_class_benefit
from shiftproof.measures._curves_base import check_labels, same_length


def cost_weights(y: ArrayLike, benefit: Benefit, *, table: object = None, positive: int | None = None) -> Floats:
    r"""Compute the weights that make a learner cost-sensitive.

    A positive has the weight :math:`b_{TP} - b_{FN}` and a negative :math:`b_{TN} - b_{FP}`: how much more the right
    decision is worth than the wrong one. With these weights, deciding at probability 1/2 maximises the benefit (Elkan
    2001, theorem 1).

    Parameters
    ----------
    y : array-like of shape (n,)
        0 and 1, or integer codes with `positive`.
    benefit : Benefit
        What the outcomes are worth; training rows are labelled, so actual amounts are used.
    table : table of any library, optional
        Where the benefit's columns and functions find their values.
    positive : int, optional
        The code of the positive class.

    Returns
    -------
    ndarray of shape (n,)
        At least 0, with mean 1; for ``sample_weight`` in ``fit``.

    Examples
    --------
    >>> cost_weights([1, 0, 0, 0], Benefit.from_cost("FP=1,FN=5"))
    array([2.5, 0.5, 0.5, 0.5])
    """
    labels = check_labels(y, positive=positive)
    yes, no = check_two_class_benefit(benefit).outcomes(y, table, positive=positive)
    stakes = np.where(labels, yes - no, no - yes)
    if (stakes < 0).any():
        row = int(np.flatnonzero(stakes < 0)[0])
        pair = "tp is below fn" if labels[row] else "tn is below fp"
        hint = "a wrong decision would pay there; leave the row out or change its label"
        raise InputError(f"being right must not be worth less than being wrong, but in row {row} {pair}; {hint}")
    if not stakes.any():
        raise InputError("the right decision must be worth more than the wrong one somewhere; all weights would be 0")
    # Mean 1, to keep the strength of a learner's penalty.
    return np.asarray(stakes / stakes.mean())


def cost_resample(
    y: ArrayLike,
    benefit: Benefit,
    *,
    table: object = None,
    random_state: Seed = None,
    positive: int | None = None,
) -> NDArray[np.intp]:
    """Draw rows in proportion to the benefit at stake, by rejection sampling without repeats.

    Each row is kept with probability weight / largest weight, with the weights of :func:`cost_weights`. Unlike drawing
    with replacement, this gives a learner independent rows (Zadrozny, Langford and Abe 2003). Draw several times and
    average the learners, because the samples are small.

    Parameters
    ----------
    y, benefit, table, positive
        As in :func:`cost_weights`.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed.

    Returns
    -------
    ndarray of int
        The rows kept, in their order.

    Examples
    --------
    >>> y = np.repeat([1, 0], [100, 900])
    >>> rows = cost_resample(y, Benefit.from_cost("FP=1,FN=9"), random_state=0)
    >>> int(y[rows].sum()), len(rows)
    (100, 183)
    """
    weights = cost_weights(y, benefit, table=table, positive=positive)
    chance = weights / weights.max()
    return np.flatnonzero(generator(random_state).uniform(size=len(chance)) < chance)


@dataclass(frozen=True, eq=False, kw_only=True)
class ExpectedAmounts:
    """The expected amount of each row if it is positive; made by :func:`fit_expected`.

    Attributes
    ----------
    labelled : ndarray of shape (n,)
        The expected amounts of the labelled rows, from regressors that never saw the row.
    regressor : estimator
        The regressor for new rows, fitted on all positives whose amount is not too large.
    n_learnt : int
        The number of positives that the regressor was fitted on.
    n_above : int
        The number of positives that were left out because their amount is too large.
    """

    labelled: Floats
    regressor: Any
    n_learnt: int
    n_above: int

    def predict(self, X_new: Any) -> Floats:
        """Return the expected amounts of new rows.

        Parameters
        ----------
        X_new : table or array of shape (m, d)
            New rows with the columns that the regressor was fitted on.

        Returns
        -------
        ndarray of shape (m,)
            For ``Amount(expected=...)``, or for the column that it names in ``new_table``.
        """
        found = np.asarray(self.regressor.predict(X_new), dtype=np.float64).ravel()
        check_scored_rows(len(found), X_new, "predict")
        return found


def fit_expected(
    regressor: object,
    X: object,
    amounts: ArrayLike,
    y: ArrayLike,
    *,
    cv: int = 5,
    groups: ArrayLike | None = None,
    most_amount: float | None = None,
    random_state: Seed = None,
    positive: int | None = None,
) -> ExpectedAmounts:
    """Predict every row's amount with a regressor that never saw the row; also fit one on all rows for new rows.

    The regressor is fitted on the positives of the other folds, because only positives have an amount. It predicts for
    all rows of the fold which amount they would have if they were positive. For new rows, it is fitted again on all
    positives.

    Parameters
    ----------
    regressor : estimator
        A scikit-learn compatible regressor; it is cloned.
    X : table or array of shape (n, d)
        The features that are known before the decision.
    amounts : array-like of shape (n,)
        The actual amounts; amounts of negatives are not used and may be missing.
    y : array-like of shape (n,)
        0 and 1, or integer codes with `positive`.
    cv : int
        The number of folds, stratified by y.
    groups : array-like of shape (n,), optional
        The group of each row, such as a customer; rows are predicted by a regressor that saw no row of their group.
    most_amount : float, optional
        Positives with a larger amount are left out of the training, so that a few large gifts do not raise all
        predictions; 50 in Fan and Davidson (2006, section 6). They still get a prediction.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of the folds.
    positive : int, optional
        The code of the positive class.

    Returns
    -------
    ExpectedAmounts
        With `labelled` for ``Amount(expected=...)``, and `predict(X_new)`.

    Notes
    -----
    Donors are not a random sample: amounts learnt from them are biased for people who rarely give (Zadrozny and Elkan
    2001). To correct most of this bias, add the probability of the positive class as a column of X.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = np.arange(40.0).reshape(-1, 1), np.tile([0, 1], 20)
    >>> gifts = np.where(y == 1, 2 * X[:, 0] + 1, np.nan)
    >>> expected = fit_expected(LinearRegression(), X, gifts, y, most_amount=50, random_state=0)
    >>> expected.labelled[:3].round(6)
    array([1., 3., 5.])
    >>> expected.predict([[100.0]]).round(6)
    array([201.])
    >>> expected.n_learnt, expected.n_above
    (12, 8)
    """
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_predict

    labels = check_labels(y, positive=positive)
    given = np.asarray(amounts, dtype=np.float64)
    same_length(given, "amounts", len(labels))
    check_vector(given[labels], "the amounts of the positives", least=2)
    counted = labels & (given <= _highest(most_amount))
    # Negatives have no amount to learn from, but need a prediction.
    pairs = [(train[counted[train]], test) for train, test in _folds(labels, cv, groups, random_state)]
    if any(not len(train) for train, _ in pairs):
        raise fault("most_amount", "leave positives to train on in every fold", most_amount, "use a larger one")
    # cross_val_predict refuses missing targets; those of negatives are never used.
    targets = np.where(labels, given, 0.0)
    predicted = np.asarray(cross_val_predict(regressor, X, targets, cv=pairs), dtype=np.float64)
    fitted = clone(regressor).fit(_rows(X, np.flatnonzero(counted)), given[counted])
    return ExpectedAmounts(
        labelled=predicted,
        regressor=fitted,
        n_learnt=int(counted.sum()),
        n_above=int((labels & ~counted).sum()),
    )


def _highest(most_amount: float | None) -> float:
    if most_amount is None:
        return math.inf
    if not is_number(most_amount) or math.isnan(most_amount):
        raise fault("most_amount", "be a number", most_amount, "50 leaves out larger amounts")
    return float(most_amount)


def _folds(labels: NDArray[np.bool_], cv: int, groups: ArrayLike | None, random_state: Seed) -> list[tuple[Any, Any]]:
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    folds = check_count(cv, "cv", least=2)
    fewest = int(min(labels.sum(), (~labels).sum()))
    if fewest < folds:
        raise fault("cv", f"be at most {fewest}, the rows of the rarer class", folds, "use fewer folds")
    seed = int(generator(random_state).integers(2**31))
    splitter = StratifiedKFold if groups is None else StratifiedGroupKFold
    return list(splitter(folds, shuffle=True, random_state=seed).split(np.zeros(len(labels)), labels, groups))


def _rows(X: Any, rows: NDArray[np.intp]) -> Any:
    """Take rows of a table or an array, as scikit-learn does within `cross_val_predict`."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return np.asarray(X)[rows] if isinstance(X, list | tuple) else X[rows]
