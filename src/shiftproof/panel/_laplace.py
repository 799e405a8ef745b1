"""A decision tree with Laplace-smoothed leaves, whose probabilities are less extreme."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from shiftproof.core import Floats


class ByTrees(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier made of scikit-learn's trees, which take sparse and missing values; it gives `predict_proba`."""

    def predict(self, X: object) -> NDArray[Any]:
        """Return the most probable class of each row."""
        probabilities = self.predict_proba(X)
        labels: NDArray[Any] = self.classes_[np.argmax(probabilities, axis=1)]
        return labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


class LaplaceTree(ByTrees):
    r"""A probability-estimation tree: unpruned, with Laplace-smoothed leaves.

    A leaf with :math:`n` rows of which :math:`n_c` are of class c gives

    .. math:: p_c = \frac{n_c + m}{n + k m}

    for k classes and m = 1 (Provost and Domingos 2003): small pure leaves get less extreme probabilities, and
    rank below large ones.

    Parameters
    ----------
    smoothing : float
        m, the count added to each class in every leaf; 0 gives the plain tree.
    criterion : {"gini", "entropy", "log_loss"}
        What splits are judged by.
    max_depth : int, optional
        The largest depth; by default the tree grows until its leaves are pure or small.
    min_samples_leaf : int
        The fewest rows of a leaf.
    random_state : int, RandomState or None
        Decides between splits that are equally good.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The sorted labels.
    tree_ : DecisionTreeClassifier
        The tree itself.

    Examples
    --------
    >>> tree = LaplaceTree().fit([[0], [0], [0], [1], [1]], ["a", "a", "a", "b", "b"])
    >>> tree.predict_proba([[0], [1]]).tolist()
    [[0.8, 0.2], [0.25, 0.75]]
    """

    def __init__(
        self,
        *,
        smoothing: float = 1.0,
        criterion: str = "entropy",
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        random_state: object = None,
    ) -> None:
        self.smoothing = smoothing
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def fit(self, X: object, y: object, sample_weight: object = None) -> LaplaceTree:
        """Grow the tree and count the rows of each class in its leaves."""
        self.tree_ = DecisionTreeClassifier(
            criterion=self.criterion,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            random_state=self.random_state,
        )
        # The names and the number of the columns are kept here; the values are checked by the tree.
        validate_data(self, X, skip_check_array=True)
        self.tree_.fit(X, column_or_1d(y, warn=True), sample_weight=sample_weight)
        self.n_features_in_ = self.tree_.n_features_in_
        self.classes_ = self.tree_.classes_
        inner = self.tree_.tree_
        # Since scikit-learn 1.3 `value` holds shares, not counts.
        counts = inner.value[:, 0, :] * inner.weighted_n_node_samples[:, None]
        smoothed = counts + self.smoothing
        self._leaf_probabilities = smoothed / smoothed.sum(axis=1, keepdims=True)
        return self

    def predict_proba(self, X: object) -> Floats:
        """Return the smoothed class shares of each row's leaf, of shape (m, k)."""
        check_is_fitted(self)
        probabilities: Floats = self._leaf_probabilities[self.tree_.apply(X)]
        return probabilities
