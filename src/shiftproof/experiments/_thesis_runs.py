"""The runs behind chapters 5 and 6 of the thesis: 24 problems, each method on ten folds at eleven prevalences.

Rates are nested, as in the thesis: whatever a method learns for a fold, it learns from the other folds alone.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.svm import SVC

from shiftproof import quantification as sq
from shiftproof.core import MethodCaution
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
#: So many steps libsvm is given for one fit; they take about a second.
LIBSVM_STEPS = 300_000
FOLDS = 10
OURS = "Combined"
#: The losses of chapter 6: the weight of NAS in Q, infinite for NAS alone.
BETAS = {"Q0.5": 0.5, "Q1": 1.0, "Q2": 2.0, "NAS": np.inf}
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
    """The linear support vector machine of libsvm, whose scores are its decisions, squeezed into 0 … 1.

    Where libsvm does not end, and to choose C, it is solved by `StructuredClassifier`. Where libsvm ends it is kept:
    if no weights are best, its scores still rank the rows, by the weights at which it stops.

    Parameters
    ----------
    tune : bool
        Whether to choose C anew by the geometric mean of both recalls, over two times five folds (sec. 5.2.4); else it
        is 1.
    random_state : int
        The seed of these folds.
    """

    def __init__(self, *, tune: bool = False, random_state: int = 0) -> None:
        self.tune = tune
        self.random_state = random_state

    def fit(self, X: Array, y: Array) -> Margin:
        """Fit it, with C chosen first if `tune` is true."""
        self.classes_ = np.unique(y)
        self.C_ = self._best_cost(X, y) if self.tune else 1.0
        self.line_ = libsvm_line(X, y, self.C_) or hinge_line(X, y, self.C_)
        return self

    def _best_cost(self, X: Array, y: Array) -> float:
        """Return the C with the highest mean of geometric means; the lowest of those that tie."""
        folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=self.random_state)
        means = np.zeros(len(COSTS))
        # A fit of small tables takes less time than the checks of its arguments.
        with config_context(assume_finite=True, skip_parameter_validation=True):
            for train, test in folds.split(X, y):
                X_train, y_train, X_test, y_test = X[train], y[train], X[test], y[test]
                for place, cost in enumerate(COSTS):
                    means[place] += g_mean(y_test, hinge_line(X_train, y_train, cost).decisions(X_test) > 0)
        return COSTS[int(means.argmax())]

    def predict_proba(self, X: Array) -> Array:
        """Give scores of at least 1/2 exactly where the decision is positive."""
        decision = self.line_.decisions(X)
        positive = (1 + decision / (1 + np.abs(decision))) / 2
        return np.column_stack([1 - positive, positive])

    def predict(self, X: Array) -> Array:
        """Give the classes."""
        return np.asarray(self.classes_[(self.predict_proba(X)[:, 1] >= 0.5).astype(int)])


class Line(NamedTuple):
    """A linear classifier of two classes."""

    weights: Array
    intercept: float

    def decisions(self, X: Array) -> Array:
        """Return what is above 0 for the positive class."""
        return np.asarray(X @ self.weights + self.intercept)


def libsvm_line(X: Array, y: Array, cost: float) -> Line | None:
    """Return the line that libsvm finds; None if it does not end: columns that are not scaled can take it hours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = SVC(kernel="linear", C=cost, max_iter=LIBSVM_STEPS).fit(X, y)
    return None if fitted.fit_status_ else Line(fitted.coef_[0], float(fitted.intercept_[0]))


def hinge_line(X: Array, y: Array, cost: float) -> Line:
    """Return the line with the least hinge loss, which libsvm approaches.

    Its intercept is the weight of a large column, which is small: so it costs nothing, as in libsvm.
    """
    columns = np.column_stack([X, np.full(len(X), 100.0)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MethodCaution)
        fitted = sq.StructuredClassifier("error", C=cost).fit(columns, y)
    weights = fitted.coef_[0]
    return Line(weights[:-1], float(100 * weights[-1] + fitted.intercept_[0]))


def libsvm_agreement(sources: DataSources, problem: str) -> pd.DataFrame:
    """Return for each C whether libsvm ends, and then the share of rows that both lines put on the same side."""
    X, y = load_problem(sources, problem)
    rows = []
    for cost in COSTS:
        theirs, ours = libsvm_line(X, y, cost), hinge_line(X, y, cost)
        same = None if theirs is None else float(((theirs.decisions(X) > 0) == (ours.decisions(X) > 0)).mean())
        rows.append((cost, same))
    return pd.DataFrame(rows, columns=["C", "agree"]).astype(float)


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
    return estimates(quantifiers, *load_problem(sources, problem), seed=cell_seed(problem, seed))


def machine_estimates(sources: DataSources, problem: str, seed: int, tune: bool) -> pd.DataFrame:
    """Run Forman's methods, all with the scores of one linear machine: C is tuned in chapter 5, and 1 in chapter 6."""
    random = cell_seed(problem, seed)
    margin = Margin(tune=tune, random_state=random)
    quantifiers: dict[str, Any] = {
        "BL": sq.TrainingPrevalence(margin),
        "CC": sq.ClassifyAndCount(margin),
        "AC": sq.AdjustedCount(margin),
        "Max": sq.ThresholdMax(margin),
        "X": sq.ThresholdX(margin),
        "T50": sq.Threshold50(margin),
        "MS": sq.MedianSweep(margin),
    }
    return estimates(quantifiers, *load_problem(sources, problem), seed=random)


def structured_estimates(sources: DataSources, problem: str, seed: int, cost: str) -> pd.DataFrame:
    """Run the four machines of chapter 6, which minimise a loss of the whole confusion table.

    Parameters
    ----------
    cost : {"equation 6.6", "per row"}
        Whether C is 1 in eq. 6.6, or for each row as in other machines.
    """
    X, y = load_problem(sources, problem)
    # Of the rows that nine of ten folds have.
    C = cost_of_equation_6_6(round(len(y) * (1 - 1 / FOLDS))) if cost == "equation 6.6" else 1.0
    quantifiers = {name: sq.StructuredSVM("q", beta=beta, C=C, scale=False) for name, beta in BETAS.items()}
    return estimates(quantifiers, X, y, seed=cell_seed(problem, seed), nested=False)


def cost_of_equation_6_6(n: int) -> float:
    """Return the C of `StructuredSVM` on n rows with which it solves eq. 6.6 with C' = 1.

    Equation 6.6 is ``|w|^2 / 2 + C' max(loss - 2 M)``, M being the sum of the misclassified margins. With w = v / (2 n)
    it is ``(|v|^2 / 2 + 4 n^2 C' max(loss - M / n)) / (4 n^2)``, so C = 4 n C'.
    """
    return 4.0 * n


def combined_estimates(sources: DataSources, problem: str, seed: int) -> pd.DataFrame:
    """Run our default, which takes no part in the ranks."""
    return estimates({OURS: sq.Combined()}, *load_problem(sources, problem), seed=cell_seed(problem, seed))


def reversed_estimates(sources: DataSources, problem: str, seed: int) -> pd.DataFrame:
    """Run T50 with the classes as they are, and with the other class as the positive one (sec. 5.2.1)."""
    X, y = load_problem(sources, problem)
    quantifiers = {"T50": sq.Threshold50(Margin())}
    as_they_are, other = (estimates(quantifiers, X, labels, seed=cell_seed(problem, seed)) for labels in (y, 1 - y))
    return pd.concat([as_they_are, other.assign(method="T50, reversed")], ignore_index=True)


def estimates(quantifiers: dict[str, Any], X: Array, y: Array, *, seed: int, nested: bool = True) -> pd.DataFrame:
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
