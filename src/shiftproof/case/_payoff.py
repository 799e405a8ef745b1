"""What decisions on labelled rows are worth, as arrays that are cheap to send to worker processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from shiftproof.core import Floats, check_label, fault, is_texts, listed
from shiftproof.measures import BenefitMatrix, check_benefit


@dataclass(frozen=True, eq=False, kw_only=True)
class Payoff:
    """The expected and the actual worth of each decision, row by row.

    Parameters
    ----------
    worth : ndarray of shape (n or 1, c, d)
        What decision d is expected to bring in a row of class c.
    actual : ndarray of shape (n, d)
        What it actually brought.
    positive : int or None
        Where only one class against the rest counts, its place; c is then 2.
    """

    worth: Floats
    actual: Floats
    positive: int | None

    def total(self, probabilities: Floats) -> float:
        """Decide each row by expected worth, the first decision if equal, and return the total of the actual worth."""
        if self.positive is not None:
            p = probabilities[:, self.positive]
            probabilities = np.column_stack([1 - p, p])
        # (n, 1, c) @ (n or 1, c, d): one small product per row; a single matrix serves all.
        expected = np.matmul(probabilities[:, None, :], self.worth)[:, 0, :]
        return float(self.actual[np.arange(len(self.actual)), expected.argmax(axis=1)].sum())

    def of_rows(self, rows: NDArray[np.intp]) -> Payoff:
        """Return the payoff of some rows."""
        # A matrix that is the same for all rows is kept once.
        worth = self.worth if len(self.worth) == 1 else self.worth[rows]
        return Payoff(worth=worth, actual=self.actual[rows], positive=self.positive)


def make_payoff(
    benefit: Any,
    classes: NDArray[Any],
    codes: NDArray[np.int64],
    *,
    table: Any,
    pos_label: Any,
    features: tuple[str, ...],
) -> Payoff:
    """Look up all amounts of the labelled rows.

    Examples
    --------
    >>> from shiftproof.measures import Benefit
    >>> benefit = Benefit(tp=10, fp=-1)
    >>> payoff = make_payoff(benefit, np.array([0, 1]), np.array([0, 1, 1]), table=None, pos_label=None, features=())
    >>> payoff.total(np.array([[0.8, 0.2], [0.8, 0.2], [1.0, 0.0]]))
    9.0
    """
    if isinstance(benefit, BenefitMatrix):
        matrix = ordered_matrix(benefit, classes.tolist())
        return Payoff(worth=matrix[None], actual=matrix[codes], positive=None)
    check_benefit(benefit, n_classes=len(classes), pos_label=pos_label, features=features)
    positive = _positive(classes.tolist(), pos_label)
    # Texts and sparse matrices have no columns with amounts.
    held = None if sparse.issparse(table) or is_texts(table) else table
    n = len(codes)
    gains = [benefit.expected_gain(np.full(n, sure), held) for sure in (0.0, 1.0)]
    yes, no = benefit.outcomes((codes == positive).astype(int), held)
    worth = np.zeros((n, 2, 2))
    # Gains of acting over not acting, which is worth 0.
    worth[:, :, 1] = np.column_stack(gains)
    return Payoff(worth=worth, actual=np.column_stack([no, yes]), positive=positive)


def _positive(labels: list[Any], pos_label: object) -> int:
    return 1 if pos_label is None else check_label(pos_label, labels)


def ordered_matrix(benefit: BenefitMatrix, ours: list[Any]) -> Floats:
    """Return the matrix with rows and columns in the order of our classes."""
    theirs: list[Any] = benefit.classes.tolist()
    if theirs == list(range(len(ours))) and set(theirs) != set(ours):
        return np.asarray(benefit.matrix)  # unnamed: rows in the order of the classes
    if set(ours) != set(theirs):
        raise fault("the classes of benefit", f"be those of y, {listed(ours)}", theirs, "name each once")
    order = [theirs.index(label) for label in ours]
    return np.asarray(benefit.matrix[np.ix_(order, order)])
