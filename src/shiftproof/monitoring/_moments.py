"""The type of shift of a batch from stored moments: none, prior or unclear.

Under prior shift the mean of any function of a row is a mixture of its class means, with one set of weights. The
reference keeps, by class, sums and products of a few functions of every column together with those of the scores; a
batch brings its means, which follow from its counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import special

from shiftproof.case import prior_chance
from shiftproof.core import Codes, Floats, Table
from shiftproof.monitoring._cells import IntArray, NumberCells
from shiftproof.monitoring._reference import ReferenceColumn
from shiftproof.shift import Evidence, decide, quad, reason_sentences
from shiftproof.stats import cauchy_combination

# Legendre polynomials of the scores' ranks: of one score, and of each of several.
_DEGREE_OF_ONE, _DEGREE_OF_MORE = 4, 2
# Categories get a function of their own if they hold at least this share of the reference, and at most so many do.
_LEAST_SHARE, _MOST_LEVELS = 0.02, 10
# Directions with a smaller share of the largest variance are left out, as in `shift`.
_SMALLEST_SHARE = 1e-3
# Variances below this are rounding errors.
_NO_SPREAD = 1e-12
_ROUNDS = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class ColumnMoments:
    """Sums and products of the functions of one column, then those of the scores, by class.

    Attributes
    ----------
    functions : ndarray of shape (cells, b)
        The value of each function in every fine cell of the column.
    sums : ndarray of shape (k, b + s)
        Their sums over the rows of each class, those of the s functions of the scores last.
    products : ndarray of shape (k, b + s, b + s)
        Sums of the products.
    """

    functions: Floats
    sums: Floats
    products: Floats

    def plus(self, other: ColumnMoments) -> ColumnMoments:
        """Add the sums of other rows."""
        return replace(self, sums=self.sums + other.sums, products=self.products + other.products)

    def times(self, weight: float) -> ColumnMoments:
        """Let every row count as `weight` rows."""
        return replace(self, sums=weight * self.sums, products=weight * self.products)


@dataclass(frozen=True, eq=False, kw_only=True)
class ReferenceMoments:
    """What the type of shift is decided by.

    Attributes
    ----------
    rows : ndarray of shape (k,)
        Rows of each class; no whole numbers where seasons are weighted.
    scores : mapping of str to ndarray of shape (cells, degree)
        The functions of each column of scores.
    columns : mapping of str to ColumnMoments
        Those of every feature.
    """

    rows: Codes | Floats
    scores: Mapping[str, Floats]
    columns: Mapping[str, ColumnMoments]

    @classmethod
    def of(
        cls,
        reference: Mapping[str, ReferenceColumn],
        scores: Table,
        features: Table,
        codes: Codes,
        known: ReferenceMoments | None = None,
    ) -> ReferenceMoments:
        """Add up the rows of the reference; functions are those of `known`, if given."""
        return cls.by_part(reference, scores, features, codes, parts=[np.arange(len(codes))], known=known)[0]

    @classmethod
    def by_part(
        cls,
        reference: Mapping[str, ReferenceColumn],
        scores: Table,
        features: Table,
        codes: Codes,
        *,
        parts: Sequence[Codes],
        known: ReferenceMoments | None = None,
    ) -> list[ReferenceMoments]:
        """Add up parts of the reference, given by the numbers of their rows."""
        n_classes = len(next(iter(reference.values())).by_class)
        degree = _DEGREE_OF_ONE if len(scores.names) == 1 else _DEGREE_OF_MORE
        tables = {
            name: _legendre(reference[name].total, degree) if known is None else known.scores[name]
            for name in scores.names
        }
        of_scores = np.hstack([tables[name][reference[name].cells.codes(scores.column(name))] for name in scores.names])
        strata = [[part[codes[part] == code] for code in range(n_classes)] for part in parts]
        columns: list[dict[str, ColumnMoments]] = [{} for _ in parts]
        for name in features.names:
            column = reference[name]
            functions = _functions(column) if known is None else known.columns[name].functions
            both = np.hstack([functions[column.cells.codes(features.column(name))], of_scores])
            for of_part, by_class in zip(columns, strata, strict=True):
                of_part[name] = ColumnMoments(
                    functions=functions,
                    sums=np.array([both[rows].sum(axis=0) for rows in by_class]),
                    products=np.array([both[rows].T @ both[rows] for rows in by_class]),
                )
        numbers = [np.array([len(rows) for rows in by_class]) for by_class in strata]
        return [cls(rows=rows, scores=tables, columns=own) for rows, own in zip(numbers, columns, strict=True)]

    def plus(self, other: ReferenceMoments) -> ReferenceMoments:
        """Add the sums of other rows with the same functions."""
        joined = {name: moments.plus(other.columns[name]) for name, moments in self.columns.items()}
        return replace(self, rows=self.rows + other.rows, columns=joined)

    def times(self, weight: float) -> ReferenceMoments:
        """Let every row count as `weight` rows."""
        columns = {name: moments.times(weight) for name, moments in self.columns.items()}
        return replace(self, rows=(weight * self.rows).astype(np.float64), columns=columns)


@dataclass(frozen=True, kw_only=True)
class BatchShift:
    """The type of shift of a batch.

    Attributes
    ----------
    kind : {"none", "prior", "unclear"}
        The answer; `shiftproof audit`, which has the rows, can say more where it is unclear.
    reasons : tuple of str
        Why, in sentences.
    p_none, p_prior : float
        P-values of no shift at all, and of a change of nothing but the class proportions.
    """

    kind: Literal["none", "prior", "unclear"]
    reasons: tuple[str, ...]
    p_none: float
    p_prior: float

    @property
    def prior_weight(self) -> float | None:
        """How far only the class proportions changed, from 0 to 1, as in an audit; None where no shift is visible."""
        return None if self.kind == "none" else prior_chance(self.p_none, self.p_prior)


@dataclass(frozen=True, eq=False)
class _Block:
    """Functions of one column and of the scores: what a batch has, and the means and covariances of each class."""

    batch: Floats
    means: Floats
    covariances: Floats
    rows: Codes | Floats
    n_new: int

    @property
    def p_none(self) -> float:
        """The p-value of equal means."""
        n, share = round(float(self.rows.sum())), self.rows / self.rows.sum()
        mean, covariance = _mixture(self.means, self.covariances, share)
        return quad(self.batch - mean, covariance * (1 / n + 1 / self.n_new), max(n - 1, 1))

    def scatter(self, shares: Floats) -> Floats:
        """Return the covariance of the batch's means less the mixture of the class means."""
        inside = _mixture(self.means, self.covariances, shares)[1] / self.n_new
        return np.asarray(inside + np.tensordot(shares**2 / self.rows, self.covariances, axes=1))

    def explain(self, shares: Floats) -> tuple[Floats, Floats, float]:
        """Find the class proportions that explain the means best; their covariance, and the p-value of what is left."""
        variances, directions = np.linalg.eigh(self.scatter(shares))
        kept = variances > max(_SMALLEST_SHARE * float(variances[-1]), _NO_SPREAD)
        whiten = directions[:, kept] / np.sqrt(variances[kept])
        apart, off = (self.means[1:] - self.means[0]) @ whiten, (self.batch - self.means[0]) @ whiten
        start = (self.rows / self.rows.sum())[1:]
        # Scores that say nothing leave the class proportions where they were, with a standard error of 1.
        covariance = np.linalg.inv(apart @ apart.T + np.eye(len(apart)))
        others = np.clip(start + covariance @ apart @ (off - start @ apart), 0.0, 1.0)
        others = others / max(float(others.sum()), 1.0)
        left = off - others @ apart
        freedom = max(int(kept.sum()) - len(others), 1)
        estimate = np.append(1 - others.sum(), others)
        return estimate, covariance, float(special.chdtrc(freedom, left @ left))


def shift_of_batch(
    moments: ReferenceMoments, fine: Mapping[str, IntArray], *, unseen: Mapping[str, float], n_rows: int
) -> BatchShift:
    """Decide the type of shift of a batch from its counts.

    Parameters
    ----------
    moments : ReferenceMoments
        Of the reference.
    fine : mapping of str to ndarray of int
        The counts of the fine cells of every column.
    unseen : mapping of str to float
        The share of each feature's values that the reference never had.
    n_rows : int
        Rows of the batch.
    """
    evidence = _evidence(moments, fine, [*unseen.values()], n_rows)
    kind, reasons = decide(evidence)
    if kind == "covariate":
        reasons = ("shares cannot explain",)
    answers: dict[str, Literal["none", "prior"]] = {"none": "none", "prior": "prior"}
    return BatchShift(
        kind=answers.get(kind, "unclear"),
        reasons=reason_sentences(reasons, evidence),
        p_none=evidence.p_none,
        p_prior=evidence.p_prior,
    )


def _evidence(
    moments: ReferenceMoments, fine: Mapping[str, IntArray], unseen: Sequence[float], n_rows: int
) -> Evidence:
    """Test which types of shift agree with the counts of a batch."""
    of_scores = np.concatenate([fine[name] @ table / n_rows for name, table in moments.scores.items()])
    blocks = [_block(column, fine[name], of_scores, moments.rows, n_rows) for name, column in moments.columns.items()]
    score = _score_block(moments, of_scores, n_rows, blocks)
    training = moments.rows / moments.rows.sum()
    shares, covariance = training, np.zeros((len(training) - 1,) * 2)
    for _ in range(_ROUNDS):
        shares, covariance, p_score = score.explain(shares)
    # As in `shift`: each feature counts once, the score half as much as all features together.
    half = [1.0] * len(blocks) + [max(len(blocks) / 2, 1.0)]
    p_features = cauchy_combination([_alone(block, score).p_none for block in blocks] + [score.p_none], half)
    p_prevalence = _p_same(shares, covariance, moments.rows)
    return Evidence(
        p_none=cauchy_combination([p_features, p_prevalence], [2.0, 1.0]),
        p_prevalence=p_prevalence,
        p_prior=cauchy_combination([block.explain(shares)[2] for block in blocks] + [p_score], half),
        # Whether weights by features explain the batch cannot be tested without rows.
        p_covariate=1.0,
        gain=0.0,
        training=training,
        shares=shares,
        errors=np.sqrt(np.append(covariance.sum(), np.diag(covariance))),
        entropy=0.0,
        outside=0.0,
        correlation_change=0.0,
        new_values=max(unseen, default=0.0),
        mean_new_values=float(np.mean(unseen)) if unseen else 0.0,
        n_reference=round(float(moments.rows.sum())),
        n_current=n_rows,
    )


def _block(column: ColumnMoments, fine: IntArray, of_scores: Floats, rows: Codes | Floats, n_rows: int) -> _Block:
    batch = np.concatenate([fine @ column.functions / n_rows, of_scores])
    means = column.sums / rows[:, None]
    covariances = column.products / rows[:, None, None] - means[:, :, None] * means[:, None, :]
    return _Block(batch, means, covariances, rows, n_rows)


def _alone(block: _Block, score: _Block) -> _Block:
    """Leave the scores out of a feature's block."""
    b = len(block.batch) - len(score.batch)
    return _Block(block.batch[:b], block.means[:, :b], block.covariances[:, :b, :b], block.rows, block.n_new)


def _score_block(moments: ReferenceMoments, of_scores: Floats, n_rows: int, blocks: list[_Block]) -> _Block:
    s = len(of_scores)
    first = blocks[0]
    return _Block(of_scores, first.means[:, -s:], first.covariances[:, -s:, -s:], moments.rows, n_rows)


def _mixture(means: Floats, covariances: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Return mean and covariance of a mixture of the classes."""
    mean = shares @ means
    apart = means - mean
    return mean, np.tensordot(shares, covariances, axes=1) + (shares[:, None] * apart).T @ apart


def _p_same(shares: Floats, covariance: Floats, rows: Codes | Floats) -> float:
    """Test whether the class proportions are those of the reference (Wald)."""
    p = rows / rows.sum()
    total = covariance + (np.diag(p) - np.outer(p, p))[1:, 1:] / rows.sum()
    off = (shares - p)[1:]
    return float(special.chdtrc(len(off), off @ np.linalg.solve(total, off)))


def _functions(column: ReferenceColumn) -> Floats:
    """Return the functions of a column's cells: polynomials of ranks and missing, or indicators of frequent levels."""
    missing = np.zeros((len(column.total), 1))
    missing[0] = 1.0
    if isinstance(column.cells, NumberCells):
        return np.hstack([_legendre(column.total, 2), missing])
    frequent = np.argsort(-column.total, kind="stable")[: _MOST_LEVELS + 1]
    # The most frequent one follows from the others.
    chosen = [cell for cell in frequent[1:].tolist() if column.total[cell] >= _LEAST_SHARE * column.total.sum()]
    return np.hstack([missing, np.eye(len(column.total))[:, [cell for cell in chosen if cell]]])


def _legendre(total: IntArray, degree: int) -> Floats:
    """Return Legendre polynomials of the mid-rank of each cell; 0 where the value is missing."""
    present = total[1:]
    u = (np.cumsum(present) - present / 2) / max(int(present.sum()), 1)
    values = np.column_stack([special.eval_legendre(power, 2 * u - 1) for power in range(1, degree + 1)])
    return np.vstack([np.zeros(degree), values])
