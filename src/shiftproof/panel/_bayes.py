"""Naive Bayes for tables of numbers and categories with missing cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from shiftproof.core import Floats, Phrase, fault
from shiftproof.panel._inputs import encode_labels


class MixedNaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Naive Bayes: normal numbers, smoothed categories, missing cells left out of the product.

    The log of the joint probability is

    .. math:: \log p(c) + \sum_{j} \log N(x_j; \mu_{cj}, \sigma^2_{cj}) + \sum_{l} \log \frac{n_{clx} + 1}{n_{cl} + v_l}

    over the number columns j and category columns l (with :math:`v_l` values) that are known in the row; on numbers
    alone it is scikit-learn's ``GaussianNB``, on categories alone its ``CategoricalNB``.

    Parameters
    ----------
    smoothing : float
        The count added to every category (Laplace's rule at 1).
    var_smoothing : float
        This share of the largest variance is added to all variances.

    Notes
    -----
    Columns of pandas' category type are categories, all others numbers. A category not seen in training counts as
    missing.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20.0, 30, 60, 70], "job": pd.Categorical(["a", "a", "b", None])})
    >>> model = MixedNaiveBayes().fit(table, ["no", "no", "yes", "yes"])
    >>> model.predict(table).tolist()
    ['no', 'no', 'yes', 'yes']
    """

    def __init__(self, *, smoothing: float = 1.0, var_smoothing: float = 1e-9) -> None:
        self.smoothing = smoothing
        self.var_smoothing = var_smoothing

    def fit(self, X: Any, y: object, sample_weight: object = None) -> MixedNaiveBayes:
        """Estimate means, variances and shares per class."""
        self.classes_, codes = encode_labels(y)
        frame = pd.DataFrame(X)
        self.n_features_in_ = frame.shape[1]
        self.categorical_ = [name for name in frame.columns if isinstance(frame[name].dtype, pd.CategoricalDtype)]
        self.numeric_ = [name for name in frame.columns if name not in self.categorical_]
        weights = np.ones(len(codes)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        # One row per class: the weight of each row of the table in it.
        member = np.where(codes == np.arange(len(self.classes_))[:, None], weights, 0.0)
        self.log_prior_ = np.log(member.sum(axis=1)) - np.log(weights.sum())
        self._fit_numbers(frame[self.numeric_].to_numpy(np.float64), member)
        self.tables_ = [self._log_shares(frame[name], member) for name in self.categorical_]
        # Arrays, since files of models hold no pandas objects.
        self.values_ = [np.asarray(frame[name].cat.categories, dtype=object) for name in self.categorical_]
        return self

    def _fit_numbers(self, numbers: Floats, member: Floats) -> None:
        known = ~np.isnan(numbers)
        filled = np.where(known, numbers, 0.0)
        weight = member @ known
        # A class without a single known value in a column gets the column's own mean and variance.
        overall = np.maximum(member.sum(axis=0) @ known, 1e-300)
        mean_all = (member.sum(axis=0) @ filled) / overall
        spread_all = (member.sum(axis=0) @ np.where(known, (numbers - mean_all) ** 2, 0.0)) / overall
        lowest = self.var_smoothing * spread_all.max(initial=0.0)
        some = np.maximum(weight, 1e-300)
        self.mean_ = np.where(weight > 0, (member @ filled) / some, mean_all)
        squares = [
            row @ np.where(known, (numbers - mean) ** 2, 0.0) for row, mean in zip(member, self.mean_, strict=True)
        ]
        variance = np.where(weight > 0, np.array(squares).reshape(weight.shape) / some, spread_all)
        self.variance_ = variance + (lowest if lowest > 0 else self.var_smoothing)

    def _log_shares(self, column: pd.Series[Any], member: Floats) -> Floats:
        """Return the log shares of the column's categories, of shape (k, values)."""
        codes = column.cat.codes.to_numpy()
        size = len(column.cat.categories)
        counts = np.array([np.bincount(codes + 1, weights=row, minlength=size + 1)[1:] for row in member])
        counts += self.smoothing
        shares: Floats = np.log(counts) - np.log(counts.sum(axis=1, keepdims=True)) if size else counts
        return shares

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Return the log of the joint probability of row and class, of shape (m, k)."""
        check_is_fitted(self)
        frame = pd.DataFrame(X)
        if frame.shape[1] != self.n_features_in_:
            hint = "give the columns that the model was fitted on"
            raise fault("X", f"have {self.n_features_in_} columns", Phrase(f"{frame.shape[1]}"), hint)
        numbers = frame[self.numeric_].to_numpy(np.float64)
        known = ~np.isnan(numbers)
        joint = np.tile(self.log_prior_, (len(frame), 1))
        for code, (mean, variance) in enumerate(zip(self.mean_, self.variance_, strict=True)):
            density = np.log(2 * np.pi * variance) + (numbers - mean) ** 2 / variance
            joint[:, code] -= 0.5 * np.where(known, density, 0.0).sum(axis=1)
        for name, values, shares in zip(self.categorical_, self.values_, self.tables_, strict=True):
            # The last column, which code -1 finds, is a missing cell: it changes nothing.
            lookup = np.hstack([shares, np.zeros((len(shares), 1))])
            joint += np.take(lookup, pd.Index(values).get_indexer(pd.Index(frame[name])), axis=1).T
        return joint

    def predict_proba(self, X: object) -> Floats:
        """Return probabilities of shape (m, k)."""
        joint = self.predict_joint_log_proba(X)
        # Shifted by the largest: many columns make joint probabilities too small for floats.
        odds = np.exp(joint - joint.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def predict(self, X: object) -> NDArray[Any]:
        """Return the likeliest class of each row."""
        labels: NDArray[Any] = self.classes_[self.predict_joint_log_proba(X).argmax(axis=1)]
        return labels
