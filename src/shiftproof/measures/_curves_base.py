"""The base of all curves: checked inputs, one sort, tied scores in blocks, intervals for whole arrays."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from shiftproof.core import Argument, Floats, Phrase, Result, check_fraction, check_vector, fault, plain_fields

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class Curve(Result):
    """Numbers computed once that know how to draw themselves."""

    def to_dict(self) -> dict[str, Any]:
        """Return every field as plain values that ``json.dumps`` accepts."""
        return plain_fields(self)

    @abstractmethod
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the curve on `ax`, or on fresh axes, and return the axes."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Scored:
    """Labels, scores and weights that fit together; rows without weight are left out."""

    y: Flags
    scores: Floats
    weights: Floats

    @property
    def total(self) -> float:
        """The sum of all weights."""
        return float(self.weights.sum())

    @property
    def positives(self) -> float:
        """The sum of the positives' weights."""
        return float(self.weights[self.y].sum())

    def take(self, rows: NDArray[Any]) -> Scored:
        """Keep these rows."""
        return Scored(y=self.y[rows], scores=self.scores[rows], weights=self.weights[rows])

    def need_both(self, purpose: str) -> None:
        """Refuse rows of a single class."""
        positives = int(self.y.sum())
        negatives = len(self.y) - positives
        if not positives or not negatives:
            got = f"{positives or 'no'} positive and {negatives or 'no'} negative rows"
            raise fault("y", "hold both classes", Phrase(got), f"{purpose} needs positives and negatives")

    def need_positives(self, figure: str) -> None:
        """Refuse rows without a positive."""
        if not self.y.any():
            raise fault(
                "y", "hold a positive", Phrase(f"{len(self.y)} negative rows"), f"without one there is no {figure}"
            )


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranked:
    """Rows by falling score; rows with one score form a block.

    Parameters
    ----------
    order : ndarray of int of shape (n,)
        The rows from the highest score to the lowest.
    block : ndarray of int of shape (n,)
        Of each row in that order: its block.
    thresholds : ndarray of shape (n_blocks,)
        The distinct scores, falling.
    rows, hits : ndarray of shape (n_blocks,)
        The weight of all rows, and of the positives, down to the end of each block.
    """

    order: NDArray[np.intp]
    block: NDArray[np.intp]
    thresholds: Floats
    rows: Floats
    hits: Floats

    @property
    def misses(self) -> Floats:
        """The weight of the negatives down to the end of each block."""
        return self.rows - self.hits


def rank(scored: Scored) -> Ranked:
    """Sort by falling score and add up the weights block by block."""
    # Stable: tied rows keep their order, and results do not depend on the platform.
    order = np.argsort(-scored.scores, kind="stable")
    falling = scored.scores[order]
    # The last row of each block of tied scores.
    last = np.append(np.flatnonzero(np.diff(falling)), len(falling) - 1)
    block = np.zeros(len(falling), dtype=np.intp)
    block[last[:-1] + 1] = 1
    weights = scored.weights[order]
    return Ranked(
        order=order,
        block=np.cumsum(block),
        thresholds=falling[last],
        rows=np.cumsum(weights)[last],
        hits=np.cumsum(weights * scored.y[order])[last],
    )


def check_scored(
    y: ArrayLike, scores: ArrayLike, *, sample_weight: ArrayLike | None = None, positive: int | None = None
) -> Scored:
    """Check that labels, scores and weights fit together.

    Parameters
    ----------
    y : array-like of shape (n,)
        0 and 1, or integer codes with `positive`.
    scores : array-like of shape (n,)
        Finite; the higher, the more likely positive.
    sample_weight : array-like of shape (n,), optional
        At least 0; one each if not given.
    positive : int, optional
        The code of the positive class.

    Returns
    -------
    Scored
    """
    labels = check_labels(y, positive=positive)
    values = check_vector(scores, "scores")
    same_length(values, "scores", len(labels))
    weights = check_weights(sample_weight, len(labels))
    scored = Scored(y=labels, scores=values, weights=weights)
    # A row without weight would still add a point to a curve.
    return scored if weights.all() else scored.take(weights > 0)


def check_labels(y: ArrayLike, *, positive: int | None = None, name: str = "y") -> Flags:
    """Return which rows are positive."""
    codes = check_vector(y, name)
    if positive is not None:
        return np.asarray(codes == positive)
    strange = (codes != 0) & (codes != 1)
    if strange.any():
        hint = Phrase("give 1 for the positive class, or its code as ", Argument("positive", ...))
        raise fault(name, "hold 0 and 1 only", Phrase(f"{codes[strange][0]:g}"), hint)
    return np.asarray(codes == 1)


def check_weights(sample_weight: ArrayLike | None, n: int) -> Floats:
    """Return one weight per row, at least 0 and not all 0."""
    if sample_weight is None:
        return np.ones(n)
    weights = check_vector(sample_weight, "sample_weight")
    same_length(weights, "sample_weight", n)
    if (weights < 0).any():
        raise fault("sample_weight", "be at least 0", float(weights.min()), "leave rows out with weight 0")
    if not weights.any():
        raise fault("sample_weight", "be above 0 somewhere", 0.0, "leave it out to weight all rows equally")
    return weights


def same_length(values: NDArray[Any], name: str, n: int) -> None:
    """Refuse values that are not one per row of y."""
    if len(values) != n:
        raise fault(name, f"have one value per row of y, that is {n}", len(values), "pass both for the same rows")


def quantile(level: float) -> float:
    """Return the two-sided normal quantile of a level such as 0.95."""
    return -float(special.ndtri((1 - check_fraction(level, "level", hint="0.95 means 95%")) / 2))


def wilson_ends(rate: ArrayLike, n: ArrayLike, z: float) -> tuple[Floats, Floats]:
    """Give Wilson's intervals of many rates at once; `n` may be fractional."""
    rate, n = np.asarray(rate, dtype=np.float64), np.asarray(n, dtype=np.float64)
    weight, pull = n / (n + z * z), z * z / (n + z * z)
    centre = weight * rate + pull / 2
    half = z * np.sqrt(weight * rate * (1 - rate) + pull / 4) / np.sqrt(n + z * z)
    # Rounding may push an end past the estimate at rates of 0 and 1.
    return np.minimum(np.maximum(centre - half, 0.0), rate), np.maximum(np.minimum(centre + half, 1.0), rate)
