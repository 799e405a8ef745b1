"""What right and wrong decisions are worth: expected amounts decide, actual amounts count."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shiftproof.core import (
    Argument,
    Floats,
    InputError,
    Interval,
    Phrase,
    Table,
    as_table,
    available_names,
    check_matrix,
    check_probabilities,
    check_vector,
    fault,
    is_number,
    listed,
    match_classes,
    score_array,
    shown,
    similar,
)
from shiftproof.measures._benefit_interval import mean_interval
from shiftproof.measures._curves_base import check_labels, check_weights, same_length

#: A number, the name of a column, an array with one value per row, or a function of the table's columns.
Value = float | str | ArrayLike | Callable[[Mapping[str, Floats]], ArrayLike]

_CELLS = ("tp", "fp", "fn", "tn")
_PER_CLASS = "give one row per case, one column per class"


@dataclass(frozen=True, eq=False, kw_only=True)
class Amount:
    """An amount that differs from row to row, and when it is known.

    Give either `known`, or `expected` and `actual`.

    Parameters
    ----------
    known : number, column name, array or function of the columns, optional
        An amount known before the decision. It is used for the decision and for the profit. Example: the amount of a
        card payment.
    expected : same types as `known`, optional
        An estimate made before the decision. It is used only for the decision. Example: what a donor is predicted to
        give.
    actual : same types as `known`, optional
        The actual amount. It is used only for the profit. Example: what the donor gave.
    less : float
        A cost that is always subtracted.

    Examples
    --------
    >>> Amount(expected="predicted_gift", actual="gift", less=0.68)
    Amount(expected='predicted_gift', actual='gift', less=0.68)
    """

    known: Any = None
    expected: Any = None
    actual: Any = None
    less: float = 0.0

    def __post_init__(self) -> None:
        if not _is_number(self.less):
            raise fault("less", "be a finite number", self.less, "give the cost of acting, such as 0.68")
        given = [name for name in ("known", "expected", "actual") if getattr(self, name) is not None]
        if not given or (self.known is not None and len(given) > 1):
            hint = "pass known= if the amount is known before the decision; otherwise pass expected= and actual="
            raise fault("an Amount", "have known, or expected and actual", Phrase(listed(given) or "none"), hint)
        # The same column under both names: decisions would look at the outcome.
        if self.expected is not None and _same(self.expected, self.actual):
            raise _refusal("expected", self.actual)

    def __repr__(self) -> str:
        parts = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if getattr(self, f.name) is not None]
        return f"Amount({', '.join(part for part in parts if part != 'less=0.0')})"


@dataclass(frozen=True, eq=False, kw_only=True)
class Benefit:
    r"""What each of the four outcomes of a decision is worth, per row.

    Parameters
    ----------
    tp, fp, fn, tn : number, column name, array, function of the columns, or Amount
        The benefit of a true positive, false positive, false negative and true negative; costs are negative. A number
        counts as known before the decision. Amounts that differ from row to row count in the profit. Decisions use them
        only if an :class:`Amount` declares them as known or expected before the decision: the actual amount is part of
        the outcome, and no decision can be based on it.

    Notes
    -----
    A function gets the table as a mapping from column names to float arrays, so ``lambda t: t["amount"] - 90`` works
    with tables of any library.

    Examples
    --------
    A letter costs 0.68. The gift of a donor is known only afterwards. Mail if and only if
    p * expected amount > 0.68:

    >>> table = {"predicted_gift": [2.0, 10.0, 20.0], "gift": [0.0, 15.0, 0.0]}
    >>> benefit = Benefit(tp=Amount(expected="predicted_gift", actual="gift", less=0.68), fp=-0.68)
    >>> benefit.decide([0.3, 0.1, 0.02], table)
    array([0, 1, 0])
    >>> benefit.total([0, 1, 0], [0, 1, 0], table).estimate
    14.32
    """

    tp: Any = 0.0
    fp: Any = 0.0
    fn: Any = 0.0
    tn: Any = 0.0

    def __post_init__(self) -> None:
        for cell in _CELLS:
            value = getattr(self, cell)
            # True would count as 1, and None as a missing amount.
            if isinstance(value, (bool, type(None))):
                raise fault(
                    cell, "be a number, a column, an array, a function or an Amount", value, "0 means no benefit"
                )
            if is_number(value) and not math.isfinite(value):
                raise fault(cell, "be finite", float(value), "0 means no benefit")

    @classmethod
    def from_cost(cls, text: str) -> Benefit:
        """Read losses such as ``"FP=1,FN=5"``; outcomes that are not named cost nothing.

        Parameters
        ----------
        text : str
            The outcomes TP, FP, FN and TN, in upper or lower case, with their losses.

        Returns
        -------
        Benefit
            With the losses as negative benefits.

        Examples
        --------
        >>> Benefit.from_cost("FP=1,FN=5")
        Benefit(tp=0.0, fp=-1.0, fn=-5.0, tn=0.0)
        """
        losses: dict[str, float] = {}
        for part in text.split(",") if isinstance(text, str) else [text]:
            match = re.fullmatch(r"\s*([A-Za-z]+)\s*=\s*(\S+)\s*", str(part))
            if match is None or match[1].lower() not in _CELLS:
                names = "TP, FP, FN or TN (true or false positives or negatives)"
                raise InputError(f"the cost {shown(part)} cannot be read; write {names} and a number, as in FP=1,FN=5")
            cell = match[1].lower()
            if cell in losses:
                raise fault("each cost", "be given once", text, f"{match[1].upper()} is named twice")
            losses[cell] = _loss(match[2], match[1].upper())
        # adding zero turns -0.0 into 0.0
        return cls(**{cell: 0.0 - loss for cell, loss in losses.items()})

    @staticmethod
    def matrix(matrix: ArrayLike, classes: Sequence[Any] | None = None) -> BenefitMatrix:
        """Make a benefit for several classes; see :class:`BenefitMatrix`."""
        return BenefitMatrix(matrix=matrix, classes=classes)

    def expected_gain(self, probabilities: ArrayLike, table: object = None) -> Floats:
        r"""Return the expected gain of calling each row positive instead of negative.

        .. math:: p\,(b_{TP} - b_{FN}) + (1 - p)\,(b_{FP} - b_{TN})

        Parameters
        ----------
        probabilities : array-like of shape (n,)
            Probabilities of the positive class.
        table : table of any library, optional
            The table with the columns that the benefit needs.

        Returns
        -------
        ndarray of shape (n,)
        """
        p = check_probabilities(check_vector(probabilities, "probabilities"), "probabilities")
        tp, fp, fn, tn = self.foreseen(len(p), table)
        return p * (tp - fn) + (1 - p) * (fp - tn)

    def foreseen(self, n: int, table: object = None, *, name: str = "table") -> tuple[Floats, Floats, Floats, Floats]:
        """Return the expected benefit of each of the four outcomes in each row, as known before the decision.

        Parameters
        ----------
        n : int
            The number of rows.
        table : table of any library, optional
            The table with the columns that the benefit needs; actual amounts are not used.
        name : str
            The name of the table in error messages.

        Returns
        -------
        tp, fp, fn, tn : ndarrays of shape (n,)
        """
        # Functions of the table must not see actual amounts either.
        columns = _Columns.of(table, n, hidden=self.actual_columns, name=name)
        tp, fp, fn, tn = (_deciding(getattr(self, cell), cell, columns, n) for cell in _CELLS)
        return tp, fp, fn, tn

    def decide(self, probabilities: ArrayLike, table: object = None) -> NDArray[np.int_]:
        """Call a row positive if this has the higher expected benefit.

        Parameters
        ----------
        probabilities : array-like of shape (n,)
            Probabilities of the positive class; good decisions need calibrated ones.
        table : table of any library, optional
            The table with the columns that the benefit needs. Columns named as actual amounts are not used.

        Returns
        -------
        ndarray of int of shape (n,)
            1 for positive.
        """
        return (self.expected_gain(probabilities, table) > 0).astype(np.int_)

    def outcomes(self, y: ArrayLike, table: object = None, *, positive: int | None = None) -> tuple[Floats, Floats]:
        """Return the actual benefit of each row if called positive, and if called negative.

        Parameters
        ----------
        y : array-like of shape (n,)
            0 and 1, or integer codes with `positive`.
        table : table of any library, optional
            The table with the columns that the benefit needs; an amount may be missing where it does not apply.
        positive : int, optional
            The code of the positive class.

        Returns
        -------
        yes, no : ndarray of shape (n,)
        """
        labels = check_labels(y, positive=positive)
        columns = _Columns.of(table, len(labels))
        tp, fp, fn, tn = (_counting(getattr(self, cell), cell, columns, len(labels)) for cell in _CELLS)
        yes, no = np.where(labels, tp, fp), np.where(labels, fn, tn)
        # An amount may be missing if it does not apply, such as the gift of a person who gives nothing.
        for values, names in ((yes, ("tp", "fp")), (no, ("fn", "tn"))):
            bad = np.flatnonzero(~np.isfinite(values))
            if len(bad):
                name = names[0] if labels[bad[0]] else names[1]
                hint = f"fill the amount of row {bad[0]} or leave the row out"
                raise fault(name, "be finite wherever it applies", float(values[bad[0]]), hint)
        return yes, no

    def each(self, y: ArrayLike, decisions: ArrayLike, table: object = None, *, positive: int | None = None) -> Floats:
        """Return the actual benefit of each row under these decisions.

        Parameters
        ----------
        y : array-like of shape (n,)
            0 and 1, or integer codes with `positive`.
        decisions : array-like of shape (n,)
            1 where a row was called positive, else 0.
        table : table of any library, optional
            The table with the columns that the benefit needs.
        positive : int, optional
            The code of the positive class.

        Returns
        -------
        ndarray of shape (n,)
        """
        yes, no = self.outcomes(y, table, positive=positive)
        called = check_labels(decisions, name="decisions")
        same_length(called, "decisions", len(yes))
        return np.where(called, yes, no)

    def total(
        self,
        y: ArrayLike,
        decisions: ArrayLike,
        table: object = None,
        *,
        level: float = 0.95,
        sample_weight: ArrayLike | None = None,
        positive: int | None = None,
    ) -> Interval:
        """Return the total of the actual benefits, with an interval for the same number of rows from the same source.

        Parameters
        ----------
        y, decisions, table, positive
            As in :meth:`each`.
        level : float
            The nominal coverage.
        sample_weight : array-like of shape (n,), optional
            How often each row counts.

        Returns
        -------
        Interval
        """
        values = self.each(y, decisions, table, positive=positive)
        return _total(values, sample_weight, level)

    def mean(
        self,
        y: ArrayLike,
        decisions: ArrayLike,
        table: object = None,
        *,
        level: float = 0.95,
        sample_weight: ArrayLike | None = None,
        positive: int | None = None,
    ) -> Interval:
        """Return the mean of the actual benefits per row; parameters as in :meth:`total`."""
        values = self.each(y, decisions, table, positive=positive)
        return _mean(values, sample_weight, level)

    @property
    def actual_columns(self) -> frozenset[str]:
        """The columns of actual amounts: part of the outcome, hidden from models and decisions."""
        cells = [getattr(self, cell) for cell in _CELLS]
        # A bare column is an actual amount: it is not declared as known beforehand.
        bare = [cell.actual if isinstance(cell, Amount) else cell for cell in cells]
        return frozenset(value for value in bare if isinstance(value, str))


@dataclass(frozen=True, eq=False, kw_only=True)
class BenefitMatrix:
    """What each decision is worth for each class, for two or more classes.

    Parameters
    ----------
    matrix : array-like of shape (k, k)
        One row per actual class and one column per class decided for.
    classes : sequence of k labels, optional
        The labels of the classes; 0 to k - 1 if not given.

    Examples
    --------
    >>> benefit = Benefit.matrix([[1, -1, -4], [-1, 1, -1], [-9, -1, 1]], classes=["low", "mid", "high"])
    >>> benefit.decide([[0.6, 0.2, 0.2]])
    array(['mid'], dtype='<U4')
    """

    matrix: Any
    classes: Any = None

    def __post_init__(self) -> None:
        hint = "rows are actual classes, columns decisions"
        matrix = check_matrix(self.matrix, "matrix", hint=hint).copy()
        if matrix.shape[0] != matrix.shape[1]:
            raise fault("matrix", "have as many columns as rows", Phrase(f"shape {matrix.shape}"), hint)
        classes = np.arange(len(matrix)) if self.classes is None else np.asarray(self.classes)
        if classes.shape != (len(matrix),) or len(np.unique(classes)) != len(matrix):
            raise fault("classes", f"be {len(matrix)} different labels", list(self.classes), "name each row once")
        # Frozen like the dataclass: a benefit is shared between results.
        for array in (matrix, classes):
            array.flags.writeable = False
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "classes", classes)

    def decide(self, probabilities: ArrayLike) -> NDArray[Any]:
        """Decide for the class with the largest expected benefit; if tied, the first.

        Parameters
        ----------
        probabilities : array-like of shape (n, k)
            Probabilities of the classes, in their order.

        Returns
        -------
        ndarray of shape (n,)
            Labels.
        """
        p = check_probabilities(check_matrix(probabilities, "probabilities", hint=_PER_CLASS), "probabilities")
        if p.shape[1] != len(self.matrix):
            raise fault("probabilities", f"have {len(self.matrix)} columns", p.shape[1], "give one per class, in order")
        names = score_array(probabilities, "probabilities")[1]
        if names is not None:
            p = p[:, match_classes(names, self.classes.tolist(), "probabilities")]
        chosen: NDArray[Any] = self.classes[np.argmax(p @ self.matrix, axis=1)]
        return chosen

    def each(self, y: ArrayLike, decisions: ArrayLike) -> Floats:
        """Return the benefit of each row; `y` and `decisions` are labels."""
        actual, called = self._codes(y, "y"), self._codes(decisions, "decisions")
        same_length(called, "decisions", len(actual))
        worth: Floats = self.matrix[actual, called]
        return worth

    def total(
        self, y: ArrayLike, decisions: ArrayLike, *, level: float = 0.95, sample_weight: ArrayLike | None = None
    ) -> Interval:
        """Return the total benefit with its interval, as :meth:`Benefit.total` does."""
        return _total(self.each(y, decisions), sample_weight, level)

    def mean(
        self, y: ArrayLike, decisions: ArrayLike, *, level: float = 0.95, sample_weight: ArrayLike | None = None
    ) -> Interval:
        """Return the mean benefit per row with its interval."""
        return _mean(self.each(y, decisions), sample_weight, level)

    def _codes(self, labels: ArrayLike, name: str) -> NDArray[np.intp]:
        values = np.asarray(labels)
        if values.ndim != 1 or not len(values):
            raise fault(
                name, "hold one label per row", Phrase(f"shape {values.shape}"), "pass a flat list that is not empty"
            )
        # Labels may be given in any order; searchsorted needs them sorted.
        order = np.argsort(self.classes)
        places = np.searchsorted(self.classes, values, sorter=order).clip(max=len(order) - 1)
        codes = order[places]
        strange = self.classes[codes] != values
        if strange.any():
            raise fault(
                name, f"hold the classes {listed(self.classes.tolist())}", values[strange][0].item(), "check it"
            )
        return np.asarray(codes, dtype=np.intp)


class _Columns(Mapping[str, Floats]):
    """The columns of a table as float arrays, some of them hidden."""

    def __init__(self, table: Table | None, hidden: frozenset[str], name: str) -> None:
        self.table, self.hidden, self.name = table, hidden, name

    @classmethod
    def of(cls, table: object, n: int, *, hidden: frozenset[str] = frozenset(), name: str = "table") -> _Columns:
        given = None if table is None else as_table(table, name)
        if given is not None and given.n_rows != n:
            hint = "pass both for the same rows"
            raise fault(name, f"have one row per decision, that is {n}", given.n_rows, hint)
        return cls(given, hidden, name)

    def __getitem__(self, name: str) -> Floats:
        if self.table is None:
            raise InputError(f"the column {shown(name)} needs a table; pass the rows as ", Argument(self.name, ...))
        if name in self.hidden:
            raise _refusal("a benefit", name)
        if name not in self.table.names:
            near = similar(name, self.table.names)
            hint = "" if near else f"; {available_names(self.table.names)}"
            needs = f" has no column {shown(name)}, which the benefit needs{hint}"
            raise InputError(Argument(self.name), needs, near=near)
        column = self.table.column(name)
        if column.family not in ("number", "boolean"):
            raise fault(f"column {shown(name)}", "hold numbers", column.contents, "give amounts")
        return column.floats()

    def __iter__(self) -> Iterator[str]:
        return iter([] if self.table is None else [name for name in self.table.names if name not in self.hidden])

    def __len__(self) -> int:
        return len(list(iter(self)))


def _deciding(cell: object, name: str, columns: _Columns, n: int) -> Floats:
    """Resolve the amounts that decide, and refuse those known only afterwards."""
    amount = cell if isinstance(cell, Amount) else Amount(known=cell) if _is_number(cell) else Amount(actual=cell)
    basis = amount.known if amount.known is not None else amount.expected
    if basis is None:
        raise _refusal(name, amount.actual)
    values = _resolve(basis, name, columns, n)
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise fault(f"the expected {name}", "be finite", float(values[row]), f"fill the amount of row {row}")
    if amount.actual is not None and _leaks(values, amount.actual, name, columns):
        raise _refusal(name, amount.actual)
    return values - amount.less


def _counting(cell: object, name: str, columns: _Columns, n: int) -> Floats:
    """Resolve the amounts that are counted."""
    amount = cell if isinstance(cell, Amount) else Amount(actual=cell)
    basis = amount.known if amount.known is not None else amount.actual
    if basis is None:
        raise fault(name, "have an actual amount to count", amount, Phrase("give ", Argument("actual", ...), " too"))
    return _resolve(basis, name, columns, n) - amount.less


def _leaks(values: Floats, actual: object, name: str, columns: _Columns) -> bool:
    """Return whether the expected amounts are the actual ones under another name."""
    # The actual amounts are needed here, to compare with them.
    seeing = _Columns(columns.table, frozenset(), columns.name)
    try:
        amounts = _resolve(actual, name, seeing, len(values))
    except (InputError, KeyError):  # no actual amounts, as it should be when deciding
        return False
    # A constant expectation may equal constant amounts without any leak.
    return len(np.unique(values)) > 1 and bool(np.array_equal(values, amounts))


def _resolve(value: Any, name: str, columns: _Columns, n: int) -> Floats:
    if isinstance(value, str):
        return columns[value]
    if callable(value):
        value = value(columns)
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise fault(
            name, "be numbers", value, "give a number, a column, an array or a function of the columns"
        ) from None
    if array.ndim == 0:
        return np.full(n, float(array))
    if array.shape != (n,):
        raise fault(
            name, f"have one amount per row, that is {n}", Phrase(f"shape {array.shape}"), "pass it for the same rows"
        )
    return array


def _refusal(name: str, actual: object) -> InputError:
    what = f"{name} uses {shown(actual)}, the actual amount, which is not known before the decision"
    written = shown(actual) if isinstance(actual, str) else "..."
    hint = f"pass Amount(expected=..., actual={written}), or Amount(known={written}) if it is known"
    return InputError(f"{what}; {hint}", argument=name)


def _same(one: object, other: object) -> bool:
    if _is_number(one) or other is None:
        return False
    if one is other or (isinstance(one, str) and isinstance(other, str)):
        return bool(one == other)
    # Two functions, or a function and a column, cannot be compared.
    if callable(one) or callable(other) or isinstance(one, str) or isinstance(other, str):
        return False
    return bool(np.array_equal(np.asarray(one), np.asarray(other)))


def _is_number(value: object) -> bool:
    return is_number(value) and math.isfinite(value)


def _loss(text: str, name: str) -> float:
    try:
        loss = float(text)
    except ValueError:
        loss = math.nan
    if not math.isfinite(loss):
        raise fault(f"the cost of {name}", "be a finite number", text, "write FP=1,FN=5")
    return loss


def _total(values: Floats, sample_weight: ArrayLike | None, level: float) -> Interval:
    # A weight of 2 means that a row counts twice, in the total and in its spread.
    return mean_interval(values * check_weights(sample_weight, len(values)), level=level, scale=float(len(values)))


def _mean(values: Floats, sample_weight: ArrayLike | None, level: float) -> Interval:
    weights = check_weights(sample_weight, len(values))
    mean = float(weights @ values / weights.sum())
    # a ratio of two sums, linearised
    return mean_interval(mean + weights * (values - mean) / weights.mean(), level=level)
