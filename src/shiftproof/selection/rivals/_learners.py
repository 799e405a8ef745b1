"""Learners whose probabilities are meant to be decided by (Zadrozny and Elkan 2001), as Fan and Davidson compare."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from shiftproof.core import Floats, check_count
from shiftproof.panel import ByTrees, MixedNaiveBayes, TablePreparer

# Random trees are half as deep as the table has columns, but not shallower than this.
_SHALLOWEST = 4


class CurtailedTree(ByTrees):
    """Unpruned decision tree that does not use leaves with too few rows.

    The probabilities of a row are the class shares in the deepest node on its path with at least `fewest` training
    rows; if there is none, the class shares of all rows (curtailment, Zadrozny and Elkan 2001).

    Parameters
    ----------
    fewest : int
        The minimum number of training rows of a node that is used; 200 as in the paper. Rows count by their weights.
    criterion : {"entropy", "gini", "log_loss"}
        The criterion for the quality of a split.
    random_state : int, RandomState or None
        The seed for choosing between equally good splits.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The sorted labels.
    tree_ : DecisionTreeClassifier
        The tree itself, with all its leaves.

    Examples
    --------
    >>> X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 0, 1, 0, 1]
    >>> CurtailedTree(fewest=3).fit(X, y).predict_proba([[0], [5]]).round(2).tolist()
    [[1.0, 0.0], [0.33, 0.67]]
    """

    def __init__(self, *, fewest: int = 200, criterion: str = "entropy", random_state: Any = None) -> None:
        self.fewest = fewest
        self.criterion = criterion
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CurtailedTree:
        """Grow the tree, and find for every node the node whose class shares it uses."""
        fewest = check_count(self.fewest, "fewest", least=1, hint="200 is usual")
        self.tree_ = DecisionTreeClassifier(criterion=self.criterion, random_state=self.random_state)
        # The names and the number of the columns are kept here; the values are checked by the tree.
        validate_data(self, X, skip_check_array=True)
        self.tree_.fit(X, column_or_1d(y, warn=True), sample_weight=sample_weight)
        self.n_features_in_ = self.tree_.n_features_in_
        self.classes_ = self.tree_.classes_
        inner = self.tree_.tree_
        speaker = np.arange(inner.node_count)
        enough = inner.weighted_n_node_samples >= fewest
        # A parent has a smaller number than its children, so that its own speaker is known.
        for node in range(inner.node_count):
            for child in (inner.children_left[node], inner.children_right[node]):
                if child >= 0 and not enough[child]:
                    speaker[child] = speaker[node]
        self._probabilities = inner.value[speaker, 0, :]
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the class shares of the node that is used for each row, of shape (m, k)."""
        check_is_fitted(self)
        probabilities: Floats = self._probabilities[self.tree_.apply(X)]
        return probabilities


class BinnedNaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Naive Bayes with probabilities calibrated by binning.

    The training rows are sorted by the score of naive Bayes, and cut into bins of equal size. The probability of a row
    is the share of positive training rows in its bin (binning, Zadrozny and Elkan 2001). With more than two classes,
    each class is compared with the rest, and the shares are divided by their sum.

    Parameters
    ----------
    bins : int
        The number of bins; 10 as in the paper. Rows with equal scores share a bin, so there may be fewer.
    smoothing, var_smoothing : float
        As in `shiftproof.panel.MixedNaiveBayes`.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The sorted labels.
    bayes_ : MixedNaiveBayes
        The model that ranks the rows.
    edges_, shares_ : list of ndarray
        For each class, or only for the second of two: the lowest score of each bin except the first, and the share of
        the class in each bin.

    Examples
    --------
    >>> model = BinnedNaiveBayes(bins=2).fit([[0], [1], [2], [3], [4], [5]], [0, 0, 1, 0, 1, 1])
    >>> model.predict_proba([[0], [9]]).round(2).tolist()
    [[0.67, 0.33], [0.33, 0.67]]
    """

    def __init__(self, *, bins: int = 10, smoothing: float = 1.0, var_smoothing: float = 1e-9) -> None:
        self.bins = bins
        self.smoothing = smoothing
        self.var_smoothing = var_smoothing

    def fit(self, X: Any, y: Any) -> BinnedNaiveBayes:
        """Fit naive Bayes, and count the classes in the bins of its scores."""
        bins = check_count(self.bins, "bins", least=1, hint="10 is usual")
        data = self._checked(X, reset=True)
        labels = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        check_consistent_length(data, labels)
        self.bayes_ = MixedNaiveBayes(smoothing=self.smoothing, var_smoothing=self.var_smoothing).fit(data, labels)
        self.classes_ = self.bayes_.classes_
        self.edges_, self.shares_ = [], []
        for label, scores in zip(self.classes_[-self._n_scores :], self._scores(data), strict=True):
            order = np.sort(scores)
            # Rows with equal scores share a bin, so that edges may coincide.
            edges = np.unique(order[np.arange(1, bins) * len(order) // bins])
            # No row lies below the lowest score.
            edges = edges[edges > order[0]]
            place = np.searchsorted(edges, scores, side="right")
            count = np.bincount(place, minlength=len(edges) + 1)
            self.edges_.append(edges)
            self.shares_.append(np.bincount(place, weights=labels == label, minlength=len(edges) + 1) / count)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the class shares of each row's bins, of shape (m, k)."""
        check_is_fitted(self)
        scores = self._scores(self._checked(X, reset=False))
        found = [
            shares[np.searchsorted(edges, own, side="right")]
            for edges, shares, own in zip(self.edges_, self.shares_, scores, strict=True)
        ]
        if len(found) == 1:
            return np.column_stack([1 - found[0], found[0]])
        shares = np.column_stack(found)
        total = shares.sum(axis=1, keepdims=True)
        # Where no bin has any row of its class, only the shares of all rows are left.
        return np.where(total > 0, shares / np.where(total > 0, total, 1.0), np.exp(self.bayes_.log_prior_))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row."""
        probabilities = self.predict_proba(X)
        labels: NDArray[Any] = self.classes_[np.argmax(probabilities, axis=1)]
        return labels

    @property
    def _n_scores(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _scores(self, data: Any) -> list[Floats]:
        """Return the log odds of each class against the rest; probabilities would be 1 too often to be ranked."""
        joint = self.bayes_.predict_joint_log_proba(data)
        places = range(len(self.classes_))[-self._n_scores :]
        return [joint[:, at] - special.logsumexp(np.delete(joint, at, axis=1), axis=1) for at in places]

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """Check numbers; a frame may have columns of categories and stays as it is."""
        if isinstance(X, pd.DataFrame):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        return validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class RandomTrees(ByTrees):
    """Trees with random splits; only the leaves use the classes (random decision trees, Fan et al. 2003).

    Each node splits a random column at a random value. The class shares of the leaves are averaged over the trees.
    Trees differ the most if they have half as many levels as there are columns.

    Parameters
    ----------
    n_trees : int
        The number of trees; 10 as in the paper.
    depth : int, optional
        The number of levels of each tree; by default half the number of columns, but at least 4, because with few
        columns the leaves would be too large.
    random_state : int, RandomState or None
        The seed of the splits.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The sorted labels.
    forest_ : ExtraTreesClassifier
        The trees.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(500, 10))
    >>> trees = RandomTrees(random_state=0).fit(X, X[:, 0] > 0)
    >>> trees.forest_.max_depth, len(trees.forest_.estimators_)
    (5, 10)
    """

    def __init__(self, *, n_trees: int = 10, depth: int | None = None, random_state: Any = None) -> None:
        self.n_trees = n_trees
        self.depth = depth
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RandomTrees:
        """Grow the trees."""
        # Finds the number of columns, if there are any; the values are checked by the trees.
        validate_data(self, X, skip_check_array=True)
        half = getattr(self, "n_features_in_", 0) // 2
        depth = max(half, _SHALLOWEST) if self.depth is None else self.depth
        self.forest_ = ExtraTreesClassifier(
            # One column drawn for each node, so that splits do not look at the classes.
            n_estimators=self.n_trees,
            max_features=1,
            max_depth=depth,
            random_state=self.random_state,
        )
        self.forest_.fit(X, column_or_1d(y, warn=True), sample_weight=sample_weight)
        self.n_features_in_ = self.forest_.n_features_in_
        self.classes_ = self.forest_.classes_
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the mean class shares of each row's leaves, of shape (m, k)."""
        check_is_fitted(self)
        probabilities: Floats = self.forest_.predict_proba(X)
        return probabilities


def cost_sensitive_models(*, random_state: Any = 0) -> dict[str, Pipeline]:
    """Return the four classifiers that Fan and Davidson (2006, section 6) use for decisions about money.

    Parameters
    ----------
    random_state : int, RandomState or None
        The random seed of the models that need one.

    Returns
    -------
    dict of str to Pipeline
        Unfitted pipelines; the first step is a `TablePreparer`, so they accept mixed tables with missing values.

    Examples
    --------
    >>> list(cost_sensitive_models())
    ['unpruned tree', 'curtailed tree', 'binned naive Bayes', 'random trees']
    """
    codes = TablePreparer(output="codes", impute=False)
    categories = TablePreparer(output="categories", impute=False)
    made: dict[str, tuple[TablePreparer, Any]] = {
        "unpruned tree": (codes, DecisionTreeClassifier(criterion="entropy", random_state=random_state)),
        "curtailed tree": (codes, CurtailedTree(random_state=random_state)),
        "binned naive Bayes": (categories, BinnedNaiveBayes()),
        "random trees": (codes, RandomTrees(random_state=random_state)),
    }
    return {name: Pipeline([("table", clone(table)), ("model", model)]) for name, (table, model) in made.items()}
