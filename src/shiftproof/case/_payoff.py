"""What decisions are worth, as arrays that are cheap to send to worker processes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from shiftproof.case._soft import Decided
from shiftproof.core import Codes, Floats, check_label, fault, is_texts, listed
from shiftproof.measures import BenefitMatrix, check_benefit


@dataclass(frozen=True, eq=False, kw_only=True)
class Worth:
    """What each decision is expected to bring, row by row.

    Parameters
    ----------
    amounts : ndarray of shape (n or 1, k, d)
        What decision d is expected to bring in a row of class k; a single matrix serves all rows.
    codes : ndarray of shape (d,)
        The class that each decision is for.
    positive : int
        The code of the positive class.
    """

    amounts: Floats
    codes: Codes
    positive: int

    @classmethod
    def of(cls, benefit: Any, classes: NDArray[Any], positive: int, *, n: int, table: object) -> Worth:
        """Look up the expected amounts of n rows."""
        if isinstance(benefit, BenefitMatrix):
            matrix = ordered_matrix(benefit, classes.tolist())
            return cls(amounts=matrix[None], codes=np.arange(len(classes)), positive=positive)
        tp, fp, fn, tn = benefit.foreseen(n, table)
        # All classes but the positive one bring the same.
        amounts = np.repeat(np.column_stack([tn, fp])[:, None], len(classes), axis=1)
        amounts[:, positive] = np.column_stack([fn, tp])
        # Of several classes, any other will do for "not the positive one".
        return cls(amounts=amounts, codes=np.array([0 if positive else 1, positive]), positive=positive)

    def choose(self, probabilities: Floats) -> NDArray[np.intp]:
        """Choose the decision of the highest expected worth in each row, the first if equal."""
        # (n, 1, k) @ (n or 1, k, d): one small product per row.
        return np.asarray(np.matmul(probabilities[:, None, :], self.amounts)[:, 0, :].argmax(axis=1))

    def decided(self, probabilities: Floats) -> Decided:
        """Decide by expected worth."""
        chosen = self.choose(probabilities)
        every = np.broadcast_to(self.amounts, (len(chosen), *self.amounts.shape[1:]))
        worth = np.take_along_axis(every, chosen[:, None, None], axis=2)[:, :, 0]
        return Decided(probabilities=probabilities, decisions=self.codes[chosen], positive=self.positive, worth=worth)


@dataclass(frozen=True, eq=False)
class Payoff:
    """The expected worth of each decision, and the actual one, of shape (n, d)."""

    worth: Worth
    actual: Floats

    def total(self, probabilities: Floats) -> float:
        """Decide each row by expected worth, and return the total of the actual worth."""
        return float(self.actual[np.arange(len(self.actual)), self.worth.choose(probabilities)].sum())

    def of_rows(self, rows: NDArray[np.intp]) -> Payoff:
        """Return the payoff of some rows."""
        amounts = self.worth.amounts
        # A matrix that is the same for all rows is kept once.
        return Payoff(replace(self.worth, amounts=amounts if len(amounts) == 1 else amounts[rows]), self.actual[rows])


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
    n = len(codes)
    if isinstance(benefit, BenefitMatrix):
        worth = Worth.of(benefit, classes, 0, n=n, table=None)
        return Payoff(worth, worth.amounts[0][codes])
    check_benefit(benefit, n_classes=len(classes), pos_label=pos_label, features=features)
    positive = _positive(classes.tolist(), pos_label)
    # Texts and sparse matrices have no columns with amounts.
    columns = None if sparse.issparse(table) or is_texts(table) else table
    worth = Worth.of(benefit, classes, positive, n=n, table=columns)
    yes, no = benefit.outcomes(codes, columns, positive=positive)
    return Payoff(worth, np.column_stack([no, yes]))


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
