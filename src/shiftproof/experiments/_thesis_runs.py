"""The runs behind chapters 5 and 6 of the thesis: 24 problems, each method on ten folds at eleven prevalences.

Rates are nested, as in the thesis: whatever a method learns for a fold, it learns from the other folds alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.svm import SVC, LinearSVC

from shiftproof import quantification as sq
from shiftproof.experiments._cells import cell_seed

if TYPE_CHECKING:
    from shiftproof.experiments._sources import DataSources

Array = NDArray[Any]

#: Table 5.2 as printed: size, attributes and positives of the 24 problems.
PROBLEMS = {
    "acute.a": (120, 6, 59),
    "acute.b": (120, 6, 50),
    "balance.1": (625, 4, 288),
    "balance.2": (625, 4, 49),
    "balance.3": (625, 4, 288),
    "cmc.1": (1473, 9, 629),
    "cmc.2": (1473, 9, 333),
    "cmc.3": (1473, 9, 511),
    "ctg.1": (2126, 22, 1655),
    "ctg.2": (2126, 22, 295),
    "ctg.3": (2126, 22, 176),
    "haberman": (306, 3, 81),
    "ionosphere": (351, 34, 126),
    "iris.1": (150, 4, 50),
    "iris.2": (150, 4, 50),
    "iris.3": (150, 4, 50),
    "sonar": (208, 60, 97),
    "spectf": (267, 44, 55),
    "tictactoe": (958, 9, 332),
    "transfusion": (748, 4, 178),
    "wdbc": (569, 30, 212),
    "wine.1": (178, 13, 59),
    "wine.2": (178, 13, 71),
    "wine.3": (178, 13, 48),
}
#: Scaled to mean 0 and standard deviation .5 (sec. 5.2.1).
SCALED = ("transfusion", "wine.1", "wine.2", "wine.3")
#: A second label of ctg, which gives away the first.
LEAK = "CLASS"
COSTS = (0.01, 0.1, 1.0, 10.0, 100.0)
FOLDS = 10
OURS = "Combined"
#: PWK-alpha at alpha = 1, which is PWK (Theorem 5.1).
ALPHA_1 = "PWKa at 1"


def source_of(problem: str) -> str:
    """Return the data set of a problem: three problems are made of the labels of one."""
    return "ctg" if problem.startswith("ctg") else problem


def load_problem(sources: DataSources, problem: str) -> tuple[Array, Array]:
    """Return the features of a problem as numbers, and 1 for its positive class, else 0."""
    table, label = sources.split(source_of(problem))
    if LEAK in table:
        y = (label.astype(str) == problem.partition(".")[2]).to_numpy()
        table = table.drop(columns=LEAK)
    else:
        y = (label == sorted(label.unique())[1]).to_numpy()
    X = table.to_numpy(dtype=np.float64)
    if problem in SCALED:
        X = 0.5 * (X - X.mean(axis=0)) / X.std(axis=0)
    return X, y.astype(np.int64)


class Margin(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A linear support vector machine whose scores are its decisions, squeezed into 0 … 1 but not calibrated.

    Parameters
    ----------
    library : {"liblinear", "libsvm"}
        The squared hinge by liblinear, or the hinge by libsvm.
    tune : bool
        Whether to choose C anew by the geometric mean of both recalls, over two times five folds (sec. 5.2.4); else it
        is 1.
    random_state : int
        The seed of these folds.
    """

    def __init__(self, library: str = "liblinear", *, tune: bool = False, random_state: int = 0) -> None:
        self.library = library
        self.tune = tune
        self.random_state = random_state

    def fit(self, X: Array, y: Array) -> Margin:
        """Fit it, with C chosen first if `tune` is true."""
        self.C_ = self._best_cost(X, y) if self.tune else 1.0
        self.machine_ = self._machine(self.C_).fit(X, y)
        self.classes_ = self.machine_.classes_
        return self

    def _machine(self, cost: float) -> Any:
        if self.library == "libsvm":
            return SVC(kernel="linear", C=cost)
        return LinearSVC(C=cost, dual=False, max_iter=10_000)

    def _best_cost(self, X: Array, y: Array) -> float:
        """Return the C with the highest mean of geometric means; the lowest of those that tie."""
        folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=self.random_state)
        means = np.zeros(len(COSTS))
        # A fit of small tables takes less time than the checks of its arguments.
        with config_context(assume_finite=True, skip_parameter_validation=True):
            for train, test in folds.split(X, y):
                X_train, y_train, X_test, y_test = X[train], y[train], X[test], y[test]
                for place, cost in enumerate(COSTS):
                    means[place] += g_mean(y_test, self._machine(cost).fit(X_train, y_train).predict(X_test))
        return COSTS[int(means.argmax())]

    def predict_proba(self, X: Array) -> Array:
        """Give scores of at least 1/2 exactly where the decision is positive."""
        decision = self.machine_.decision_function(X)
        positive = (1 + decision / (1 + np.abs(decision))) / 2
        return np.column_stack([1 - positive, positive])

    def predict(self, X: Array) -> Array:
        """Give the classes."""
        return np.asarray(self.classes_[(self.predict_proba(X)[:, 1] >= 0.5).astype(int)])


def g_mean(y: Array, predicted: Array) -> float:
    """Return the geometric mean of sensitivity and specificity.

    Examples
    --------
    >>> g_mean(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 0]))
    0.7071067811865476
    """
    right = y == predicted
    positive = y == 1
    if positive.all() or not positive.any():
        return 0.0
    return float(np.sqrt(right[positive].mean() * right[~positive].mean()))


def neighbour_estimates(sources: DataSources, problem: str, seed: int) -> pd.DataFrame:
    """Run the three methods of chapter 5 by nearest neighbours, tuned as in the thesis, and one of Theorem 5.1."""
    how: dict[str, Any] = {"scale": False, "rates": "cv", "tuning": "2x5", "random_state": cell_seed(problem, seed)}
    quantifiers = {
        "KNN": sq.NearestNeighbors(**how),
        "PWK": sq.ProportionWeightedNeighbors(**how),
        "PWKa": sq.ProportionWeightedNeighbors(alpha="tune", **how),
        ALPHA_1: sq.ProportionWeightedNeighbors(alpha=1, **how),
    }
    return _estimates(quantifiers, *load_problem(sources, problem), seed=cell_seed(problem, seed))


def machine_estimates(sources: DataSources, problem: str, seed: int, machine: str) -> pd.DataFrame:
    """Run Forman's methods, all with the scores of one linear machine.

    Parameters
    ----------
    machine : {"tuned", "liblinear", "libsvm"}
        Liblinear's with C tuned, for chapter 5; or with C = 1, for chapter 6, either library's.
    """
    random = cell_seed(problem, seed)
    library = "liblinear" if machine == "tuned" else machine
    margin = Margin(library, tune=machine == "tuned", random_state=random)
    quantifiers: dict[str, Any] = {
        "BL": sq.TrainingPrevalence(margin),
        "CC": sq.ClassifyAndCount(margin),
        "AC": sq.AdjustedCount(margin),
        "Max": sq.ThresholdMax(margin),
        "X": sq.ThresholdX(margin),
        "T50": sq.Threshold50(margin),
        "MS": sq.MedianSweep(margin),
    }
    return _estimates(quantifiers, *load_problem(sources, problem), seed=random)


def structured_estimates(sources: DataSources, problem: str, seed: int, cost: str) -> pd.DataFrame:
    """Run the four machines of chapter 6, which minimise a loss of the whole confusion table.

    Parameters
    ----------
    cost : {"per row", "whole"}
        C = 1 per row, as other support vector machines have it; or C = 1 for the loss as a whole, as eq. 6.6 has it.
    """
    X, y = load_problem(sources, problem)
    # Of the rows that nine of ten folds have.
    C = 1.0 if cost == "per row" else 1 / round(len(y) * (1 - 1 / FOLDS))
    quantifiers = {
        "Q0.5": sq.StructuredSVM("q", beta=0.5, C=C, scale=False),
        "Q1": sq.StructuredSVM("q", beta=1, C=C, scale=False),
        "Q2": sq.StructuredSVM("q", beta=2, C=C, scale=False),
        "NAS": sq.StructuredSVM("nas", C=C, scale=False),
    }
    return _estimates(quantifiers, X, y, seed=cell_seed(problem, seed), nested=False)


def combined_estimates(sources: DataSources, problem: str, seed: int) -> pd.DataFrame:
    """Run our default, which takes no part in the ranks."""
    return _estimates({OURS: sq.Combined()}, *load_problem(sources, problem), seed=cell_seed(problem, seed))


def reversed_estimates(sources: DataSources, problem: str, seed: int) -> pd.DataFrame:
    """Run T50 with the classes as they are, and with the other class as the positive one (sec. 5.2.1)."""
    X, y = load_problem(sources, problem)
    quantifiers = {"T50": sq.Threshold50(Margin())}
    as_they_are, other = (_estimates(quantifiers, X, labels, seed=cell_seed(problem, seed)) for labels in (y, 1 - y))
    return pd.concat([as_they_are, other.assign(method="T50, reversed")], ignore_index=True)


def _estimates(quantifiers: dict[str, Any], X: Array, y: Array, *, seed: int, nested: bool = True) -> pd.DataFrame:
    """Test methods on ten folds, each at 0, 10, … 100% positives. Folds and samples depend on the seed alone."""
    frame = sq.run_protocol(
        quantifiers,
        X,
        y,
        sq.ThesisProtocol(),
        cv=FOLDS,
        nested=nested,
        pos_label=1,
        random_state=seed,
        n_jobs=1,
        progress=False,
    )
    return frame[["fold", "prevalence", "method", "true", "estimated", "size"]].assign(share=y.mean())
