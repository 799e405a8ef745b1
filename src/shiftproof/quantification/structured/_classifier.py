"""A linear classifier that minimises a loss of its whole contingency table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from shiftproof.core import Floats, MethodCaution, Phrase, check_count, fault, is_number, one_thread, shown, warn
from shiftproof.quantification.structured._losses import LossFunction, LossName, TableLoss, check_loss, make_loss
from shiftproof.quantification.structured._solver import Solution, solve

TOLERANCE = 1e-4
MOST_PLANES = 1000
# Squares of what is larger overflow when they are added up.
_LARGEST = 1e100
# With this C the weights hardly cost anything; so many planes tell whether they help then.
_LARGE_C, _FEW_PLANES = 1e6, 100


@dataclass(eq=False, repr=False)
class StructuredClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Minimise a loss of the whole contingency table by a linear classifier (SVM-multi; eq. 6.6).

    .. math:: \min_w \tfrac{1}{2} |w|^2 + C n \max_{p, q} \Big[\Delta(p, q) - \frac{M^+_p + M^-_q}{n}\Big]

    p and q are the numbers of positives and negatives on the wrong side, :math:`M^\pm_i` the sum of the i smallest
    margins of a class. The second of two classes is the positive one; of more, each in turn against the others. The
    intercept is the weight of a constant column. With ``loss="error"`` this is the usual support vector machine.

    Parameters
    ----------
    loss, beta, C, tolerance, most_planes
        As for `StructuredSVM`.

    Attributes
    ----------
    classes_ : ndarray of shape (k,)
        The sorted labels.
    coef_ : ndarray of shape (1, d) or (k, d)
        The weights; one row for two classes.
    intercept_ : ndarray of shape (1,) or (k,)
        The weights of the constant column.
    objective_, bound_ : ndarray of shape (1,) or (k,)
        The objective that was reached, and a lower bound of the least.
    n_planes_ : ndarray of shape (1,) or (k,)
        How many planes were cut.
    collapsed_ : ndarray of shape (1,) or (k,)
        Whether no weights are better than none.
    one_sided_ : ndarray of shape (1,) or (k,)
        Whether all rows are on the same side.
    search_ : str
        How the worst table was looked for.
    notes_ : tuple of str
        What went wrong; warnings say it, too.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> classifier = StructuredClassifier(loss="nas", C=10).fit(X, y)
    >>> classifier.predict([[0.5], [2.5]]).tolist()
    ['no', 'yes']
    """

    loss: LossName | LossFunction = "arithmetic"
    _: KW_ONLY
    beta: float = 2.0
    C: float = 1.0
    tolerance: float = TOLERANCE
    most_planes: int = MOST_PLANES

    def fit(self, X: Any, y: Any) -> StructuredClassifier:
        """Find the weights.

        Parameters
        ----------
        X : array of shape (n, d)
            Finite numbers.
        y : sequence of labels of length n
            Two classes or more.

        Returns
        -------
        StructuredClassifier
            Itself.
        """
        self.check()
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        classes, codes = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            hint = "add rows of another class, or use another column"
            raise fault("y", "contain at least two classes", Phrase(f"one class, {shown(classes.tolist()[0])}"), hint)
        largest = float(np.abs(X).max())
        if largest > _LARGEST:
            raise fault("X", f"be at most {_LARGEST:g} in size", largest, "use a larger unit")
        positive = [1] if len(classes) == 2 else range(len(classes))
        self.classes_ = classes
        # Products of a tall matrix with a vector are too short to share: threads would wait for each other.
        with one_thread("blas"):
            both = [self._solve(X, codes == code) for code in positive]
        solved, helped = [solution for solution, _ in both], [larger for _, larger in both]
        self.collapsed_ = np.array([self._at_zero(solution) for solution in solved])
        # Zero is then as good as asked, too, and says plainly what happened.
        weights = np.array([solution.weights for solution in solved]) * ~self.collapsed_[:, None]
        self.coef_, self.intercept_ = weights[:, :-1], weights[:, -1]
        reached = zip(solved, self.collapsed_, strict=True)
        self.objective_ = np.array([solution.at_zero if zero else solution.objective for solution, zero in reached])
        self.bound_ = np.array([solution.bound for solution in solved])
        self.n_planes_ = np.array([len(solution.planes.offsets) for solution in solved])
        called = (X @ self.coef_.T + self.intercept_ > 0).mean(axis=0)
        self.one_sided_ = (called == 0) | (called == 1)
        self.notes_ = tuple(self._notes(solved, called, helped))
        for words in self.notes_:
            warn(MethodCaution("", words))
        return self

    def check(self) -> None:
        """Refuse parameters that cannot be; `fit` does so first."""
        check_loss(self.loss, self.beta)
        for name, value, usual in (("C", self.C, 1), ("tolerance", self.tolerance, TOLERANCE)):
            if not is_number(value) or not 0 < value < math.inf:
                raise fault(name, "be a number above 0", value, f"{usual:g} is usual")
        check_count(self.most_planes, "most_planes", least=2, hint=f"{MOST_PLANES} is usual")

    def decision_function(self, X: object) -> Floats:
        """Return the decision values, shape (n,) for two classes: positive where the second is predicted."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        decisions = X @ self.coef_.T + self.intercept_
        return np.asarray(decisions[:, 0] if len(self.classes_) == 2 else decisions)

    def predict(self, X: object) -> NDArray[Any]:
        """Predict the second of two classes where the decision is above 0, the largest decision of more."""
        decisions = self.decision_function(X)
        codes = (decisions > 0).astype(np.intp) if decisions.ndim == 1 else decisions.argmax(axis=1)
        return np.asarray(self.classes_[codes])

    def predict_proba(self, X: object) -> Floats:
        """Return decisions as numbers from 0 to 1, shape (n, k), which are not calibrated probabilities.

        Of two classes the logistic function of the decision: at least 1/2 exactly where it is above 0. Of more the
        softmax.
        """
        decisions = self.decision_function(X)
        if decisions.ndim == 2:
            return np.asarray(softmax(decisions, axis=1))
        share = expit(decisions)
        # Rounding must not take a decision to the other side.
        share = np.where(decisions > 0, share, np.minimum(share, np.nextafter(0.5, 0)))
        return np.column_stack([1 - share, share])

    def _at_zero(self, solution: Solution) -> bool:
        """Whether no weights are as good as asked."""
        return solution.at_zero - solution.bound <= self.tolerance * solution.at_zero

    def _solve(self, X: Floats, positive: NDArray[np.bool_]) -> tuple[Solution, bool]:
        """Solve the problem of one class against the others, and say whether only a larger C gives any weights."""
        n, d = X.shape
        # Positives first; the products with vectors are fastest by column.
        signed = np.empty((n, d + 1), order="F")
        count = int(positive.sum())
        signed[:count, :d], signed[count:, :d] = X[positive], -X[~positive]
        signed[:count, d], signed[count:, d] = 1.0, -1.0
        loss = make_loss(self.loss, self.beta, count, n - count)
        self.search_ = loss.search
        solution = solve(signed, loss, C=self.C, tolerance=self.tolerance, most_planes=self.most_planes)
        return solution, self._helped(signed, loss, solution)

    def _helped(self, signed: Floats, loss: TableLoss, solution: Solution) -> bool:
        """Whether a large C gives weights where there are none; planes hold for every C."""
        if not self._at_zero(solution) or self.C >= _LARGE_C:
            return False
        # A hint for the user: is it C, or the loss itself, that leaves no weights?
        larger = solve(
            signed, loss, C=_LARGE_C, tolerance=self.tolerance, most_planes=_FEW_PLANES, planes=solution.planes
        )
        return larger.objective < (1 - self.tolerance) * larger.at_zero

    def _notes(self, solved: list[Solution], called: Floats, helped: list[bool]) -> Iterator[str]:
        """Say what went wrong, class by class."""
        labels = [shown(label) for label in self.classes_.tolist()]
        several = len(solved) > 1
        for place, (solution, share) in enumerate(zip(solved, called.tolist(), strict=True)):
            label = labels[place] if several else labels[1]
            prefix = f"class {label}: " if several else ""
            if self.collapsed_[place]:
                yield f"{prefix}{self._collapse(label, several, helped[place])}"
            elif self.one_sided_[place]:
                words = f"all rows are predicted as {label}" if share else f"no row is predicted as {label}"
                hint = "a correction based on scores, such as 'median sweep', may still work"
                yield (
                    f"{prefix}{words}, because the columns hardly separate it from the rest, or C is too small; {hint}"
                )
            if not solution.converged:
                gap = 1 - solution.bound / solution.objective
                hint = "scale the columns, or give a smaller C, a larger tolerance or more planes"
                got = f"{len(solution.planes.offsets)} planes the relative gap to the optimum may be {gap:.2g}"
                yield f"{prefix}after {got}, not {self.tolerance:g}; {hint}"

    def _collapse(self, label: str, several: bool, helped: bool) -> str:
        result = "every decision is 0" if several else f"no row is predicted as {label}"
        words = f"no weights are better than none, so {result}"
        if helped:
            return f"{words}, because C is too small for these columns; give a larger C"
        if self.loss in ("q", "f1"):
            # At 0 the worst tables are those without true positives; which these are depends on neither.
            rest = "whatever C" + " and beta" * (self.loss == "q")
            return f"{words}, with loss={self.loss!r} and {rest}; give loss='arithmetic' or loss='nas'"
        return f"{words}; add columns that separate it from the rest, or use another loss"
