"""What decisions are worth, as arrays that are cheap to send to worker processes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

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
    def of(
        cls, benefit: Any, classes: NDArray[Any], positive: int, *, n: int, table: object, name: str = "table"
    ) -> Worth:
        """Look up the expected amounts of n rows; errors call the table by its name."""
        if isinstance(benefit, BenefitMatrix):
            matrix = ordered_matrix(benefit, classes.tolist())
            return cls(amounts=matrix[None], codes=np.arange(len(classes)), positive=positive)
        tp, fp, fn, tn = benefit.foreseen(n, table, name=name)
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


@dataclass(frozen=True, eq=False, kw_only=True)
class Payoff:
    """What decides on new rows, and what each decision brought on labelled rows, of shape (n, d)."""

    new: Worth
    actual: Floats

    def decide(self, probabilities: Floats) -> Codes:
        """Decide each new row by its expected worth, and return the class that the decision is for."""
        return np.asarray(self.new.codes[self.new.choose(probabilities)])

    def total(self, codes: Codes) -> float:
        """Return what these decisions for the labelled rows brought, all in all."""
        chosen = codes if self.actual.shape[1] > 2 else (codes == self.new.codes[1]).astype(np.int64)
        return float(self.actual[np.arange(len(self.actual)), chosen].sum())

    def of_rows(self, rows: NDArray[np.intp]) -> Payoff:
        """Return the payoff with some of the labelled rows."""
        return replace(self, actual=self.actual[rows])

    def of_new_rows(self, rows: NDArray[np.intp]) -> Payoff:
        """Return the payoff with some of the new rows."""
        amounts = self.new.amounts
        # A matrix that is the same for all rows is kept once.
        return self if len(amounts) == 1 else replace(self, new=replace(self.new, amounts=amounts[rows]))


@dataclass(frozen=True, eq=False, kw_only=True)
class AmountTables:
    """Where a benefit finds the columns of labelled and of new rows."""

    labelled: object
    new: object
    n_new: int

    def columns(self, side: Literal["labelled", "new"]) -> object:
        """Return a table; None of texts and sparse matrices, which have no columns with amounts."""
        table = getattr(self, side)
        return None if sparse.issparse(table) or is_texts(table) else table


def make_payoff(
    benefit: Any,
    classes: NDArray[Any],
    codes: NDArray[np.int64],
    *,
    tables: AmountTables,
    pos_label: Any,
    features: tuple[str, ...],
) -> Payoff:
    """Look up expected amounts of the new rows and actual amounts of the labelled rows.

    Examples
    --------
    >>> from shiftproof.measures import Benefit
    >>> tables = AmountTables(labelled=None, new=None, n_new=2)
    >>> benefit, classes = Benefit(tp=10, fp=-1), np.array([0, 1])
    >>> payoff = make_payoff(benefit, classes, np.array([0, 1, 1]), tables=tables, pos_label=None, features=())
    >>> payoff.decide(np.array([[0.8, 0.2], [0.95, 0.05]]))
    array([1, 0])
    >>> payoff.total(np.array([1, 1, 0]))
    9.0
    """
    if isinstance(benefit, BenefitMatrix):
        new = Worth.of(benefit, classes, 0, n=tables.n_new, table=None)
        return Payoff(new=new, actual=new.amounts[0][codes])
    check_benefit(benefit, n_classes=len(classes), pos_label=pos_label, features=features)
    positive = _positive(classes.tolist(), pos_label)
    yes, no = benefit.outcomes(codes, tables.columns("labelled"), positive=positive)
    new = Worth.of(benefit, classes, positive, n=tables.n_new, table=tables.columns("new"), name="new_table")
    return Payoff(new=new, actual=np.column_stack([no, yes]))


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
