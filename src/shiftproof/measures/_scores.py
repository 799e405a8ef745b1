"""What every measure is computed from: labels, probabilities, decisions, weights and folds, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shiftproof.core import (
    Phrase,
    Seed,
    check_count,
    check_fraction,
    check_matrix,
    check_probabilities,
    check_vector,
    counted,
    fault,
    is_missing,
    match_classes,
    score_array,
)


@dataclass(frozen=True, kw_only=True)
class IntervalPlan:
    """How to compute an interval.

    Parameters
    ----------
    level : float
        The nominal coverage.
    n_resamples : int
        The number of resamples, for intervals that need them; at least 100.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of the resamples.

    Examples
    --------
    >>> IntervalPlan(level=0.9).n_resamples
    1000
    """

    level: float = 0.95
    n_resamples: int = 1000
    random_state: Seed = 0

    def __post_init__(self) -> None:
        check_fraction(self.level, "level", hint="0.95 means 95%")
        check_count(self.n_resamples, "n_resamples", least=100, hint="1000 is usual")


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores:
    """Labels, and a model's predicted probabilities.

    Made by :meth:`of`, which checks everything and leaves out rows of weight zero.

    Parameters
    ----------
    y : ndarray of shape (n,)
        The class codes, 0 to k - 1.
    probabilities : ndarray of shape (n, k)
        One column per class, each row adding up to 1.
    positive : int
        With two classes, the code of the positive class.
    threshold : float or None
        With two classes, a row is predicted positive if its probability is at least this; None means the more probable
        class.
    weights : ndarray of shape (n,)
        Positive weights, adding up to the effective number of rows.
    n_folds : int
        The number of models that scored the rows; 1 if one model, trained on other rows, scored all of them.
    weighted : bool
        Whether the weights differ.
    per_group : float
        The size of the group of dependent rows, averaged over the rows; 1 if all rows are independent.

    Examples
    --------
    >>> scores = Scores.of([0, 1, 1], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    >>> scores.decisions
    array([0, 0, 1])
    """

    y: NDArray[np.intp]
    probabilities: NDArray[np.float64]
    positive: int
    threshold: float | None
    weights: NDArray[np.float64]
    n_folds: int
    weighted: bool
    per_group: float = 1.0

    @classmethod
    def of(
        cls,
        y: ArrayLike,
        probabilities: ArrayLike,
        *,
        positive: int = 1,
        threshold: float | None = None,
        sample_weight: ArrayLike | None = None,
        folds: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Scores:
        """Check what the caller gave; :func:`shiftproof.measures.measure` describes it."""
        matrix = _check_probabilities(probabilities)
        codes = _check_codes(y, *matrix.shape)
        weights = _check_weights(sample_weight, len(codes))
        parts = np.zeros(1, dtype=np.intp) if folds is None else _check_along(folds, "folds", len(codes))
        # Rows of weight zero would count as rows in the degrees of freedom. Without any, nothing is copied.
        kept = slice(None) if weights.min() > 0 else weights > 0
        used = weights[kept]
        # In units of the effective number of rows (Kish): equal weights become ones.
        used = used * (used.sum() / (used @ used))
        return cls(
            y=codes[kept],
            probabilities=matrix[kept],
            positive=_check_positive(positive, matrix.shape[1]),
            threshold=_check_threshold(threshold),
            weights=used,
            n_folds=1 if parts.min() == parts.max() else len(np.unique(parts[kept])),
            weighted=bool(used.min() < used.max()),
            per_group=1.0 if groups is None else _rows_per_group(_check_along(groups, "groups", len(codes))[kept]),
        )

    @property
    def n_classes(self) -> int:
        """The number of columns of the probabilities."""
        return int(self.probabilities.shape[1])

    @property
    def targets(self) -> tuple[int, ...]:
        """The classes that a one-against-the-rest measure averages over: the positive one of two, or all."""
        return (self.positive,) if self.n_classes == 2 else tuple(range(self.n_classes))

    @cached_property
    def decisions(self) -> NDArray[np.intp]:
        """The predicted classes: by the threshold with two classes, otherwise the most probable; if tied, the first."""
        if self.n_classes != 2 or self.threshold is None:
            decided = self.probabilities.argmax(axis=1)
        else:
            positive = self.probabilities[:, self.positive] >= self.threshold
            decided = np.where(positive, self.positive, 1 - self.positive)
        codes: NDArray[np.intp] = decided.astype(np.intp, copy=False)
        return codes

    @property
    def inflation(self) -> float:
        r"""The factor for variances that corrects for dependent folds: 1 + k/(k - 1) with k folds, 1 with one model.

        Rows scored by k models with overlapping training sets vary together. Nadeau and Bengio (2003) replace
        the variance :math:`s^2/k` of a mean of k folds by :math:`(1/k + n_{test}/n_{train}) s^2`, here with
        :math:`n_{test}/n_{train} = 1/(k - 1)`. Rows of one group count as one, as if all had the same outcome.
        """
        # Both effects multiply: folds share models, groups share rows.
        return self.per_group * (1 + self.n_folds / (self.n_folds - 1) if self.n_folds > 1 else 1.0)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the text of an interval's method adds about weights and folds."""
        about_weights = ("kish effective size",) * self.weighted
        about_groups = ("a group counts as one row",) * (self.per_group > 1)
        return about_weights + about_groups + (f"nadeau-bengio over {self.n_folds} folds",) * (self.n_folds > 1)

    def size(self, rows: NDArray[np.bool_]) -> float:
        """Return the effective number of rows (Kish), divided by `inflation`."""
        return kish(self.weights[rows]) / self.inflation

    def share(self, part: NDArray[np.bool_], whole: NDArray[np.bool_]) -> float:
        """Return the share of ``part`` in the weight of ``whole``, which contains it."""
        return float(self.weights[part].sum() / self.weights[whole].sum())

    def mean(self, values: NDArray[Any]) -> float:
        """Return the weighted mean of one value per row."""
        return float(self.weights @ values / self.weights.sum())


def kish(weights: NDArray[np.float64]) -> float:
    r"""Give Kish's effective sample size :math:`(\sum w)^2 / \sum w^2`, 0 for no rows.

    Examples
    --------
    >>> kish(np.array([1.0, 1.0, 1.0])), kish(np.array([2.0, 1.0]))
    (3.0, 1.8)
    """
    return float(weights.sum() ** 2 / (weights @ weights)) if len(weights) else 0.0


def _check_probabilities(probabilities: ArrayLike) -> NDArray[np.float64]:
    if np.ndim(probabilities) == 1:
        hint = "give one column per class, as np.column_stack([1 - p, p])"
        raise fault("probabilities", "have one row per case and one column per class", Phrase("one dimension"), hint)
    matrix = check_matrix(probabilities, "probabilities", hint="give one row per case, one column per class")
    # The column names of a table are the classes.
    names = None if isinstance(probabilities, np.ndarray) else score_array(probabilities, "probabilities")[1]
    if names is not None:
        matrix = matrix[:, match_classes(names, range(len(names)), "probabilities")]
    if len(matrix) < 1 or matrix.shape[1] < 2:
        rule = "have at least 1 row and 2 columns"
        raise fault("probabilities", rule, Phrase(f"shape {matrix.shape}"), "give one column per class")
    return check_probabilities(matrix, "probabilities")


def _check_codes(y: ArrayLike, n: int, k: int) -> NDArray[np.intp]:
    # Codes that are whole numbers already need no look at every fraction.
    if isinstance(y, np.ndarray) and y.shape == (n,) and y.dtype == np.intp and y.min() >= 0 and y.max() < k:
        return y
    values = check_vector(y, "y")
    if len(values) != n:
        raise fault("y", f"have one value per row of probabilities, {n}", len(values), "give one label per row")
    wrong = values[(values != np.floor(values)) | (values < 0) | (values >= k)]
    if len(wrong):
        hint = "code the labels by their column of probabilities"
        raise fault("y", f"hold class codes from 0 to {k - 1}", float(wrong[0]), hint)
    return values.astype(np.intp)


def _check_weights(sample_weight: ArrayLike | None, n: int) -> NDArray[np.float64]:
    if sample_weight is None:
        return np.ones(n)
    weights = check_vector(sample_weight, "sample_weight")
    if len(weights) != n:
        raise fault("sample_weight", f"have one value per row, {n}", len(weights), "give one weight per row")
    if weights.min() < 0:
        raise fault("sample_weight", "not be negative", float(weights.min()), "use 0 to leave a row out")
    if weights.max() == 0:
        raise fault("sample_weight", "hold a positive weight", 0.0, "some row must count")
    scaled: NDArray[np.float64] = weights / weights.max()  # squares must neither over- nor underflow
    return scaled


def _check_along(values: ArrayLike, name: Literal["folds", "groups"], n: int) -> NDArray[Any]:
    """Return one fold or group per row, none missing."""
    array = np.asarray(values)
    if array.shape != (n,):
        hint = "give the fold that scored each" if name == "folds" else "give the group of each row"
        raise fault(name, f"have one {name[:-1]} per row, {n}", Phrase(f"shape {array.shape}"), hint)
    missing = sum(map(is_missing, array.tolist())) if array.dtype.kind in "fO" else 0
    if missing:
        got = Phrase(counted(missing, "missing value"))
        raise fault(name, "be known for every row", got, "drop these rows first")
    return array


def _rows_per_group(groups: NDArray[Any]) -> float:
    """Give the size of a row's own group on average."""
    # Over rows, not groups: a large group holds many rows with the same outcome.
    _, sizes = np.unique(groups, return_counts=True)
    return float((sizes.astype(np.float64) ** 2).sum() / sizes.sum())


def _check_positive(positive: object, k: int) -> int:
    code = check_count(positive, "positive", hint="give the column of the positive class")
    if k == 2 and code > 1:
        raise fault("positive", "be 0 or 1", positive, "give the column of the positive class")
    return code


def _check_threshold(threshold: float | None) -> float | None:
    if threshold is None:
        return None
    value = check_vector([threshold], "threshold")[0]
    if not 0 <= value <= 1:
        raise fault("threshold", "lie between 0 and 1", threshold, "0.5 is usual")
    return float(value)
