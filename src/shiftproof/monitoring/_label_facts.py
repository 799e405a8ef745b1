"""What labels say of a batch: which of them are a random sample, and how far the estimate was off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, ndtri

from shiftproof.core import Floats, Interval, Note
from shiftproof.monitoring._performance import LEVEL
from shiftproof.monitoring._sample import KeptSample
from shiftproof.monitoring._score_order import order_notes
from shiftproof.monitoring.alarms import LabelFacts
from shiftproof.stats import wilson

if TYPE_CHECKING:
    from shiftproof.monitoring._baseline import Baseline
    from shiftproof.monitoring.store import ComparisonRecord

#: Fewer labels than this are not compared with an interval, unless they are of all rows.
FEWEST_LABELS = 10
# Three right of three may be one wrong of four: what no surprise in n labels leaves open, times n squared.
_SURPRISE = 2.5
# How a row's residual scatters starts from what the confidence says, which counts as so many labels.
_EXPECTED_SCATTER = 2
# Accuracies that an interval allows are averaged over so many points. Shares are equal up to rounding.
_POINTS, _ROUNDING = 200, 1e-9


@dataclass(frozen=True, eq=False)
class LabelledSample:
    """The kept rows of a batch, beside the labels that are known.

    Attributes
    ----------
    sample : KeptSample
        The rows.
    codes : mapping of int to int
        By row, the place of its class.
    baseline : Baseline
        Whose calibration turns scores into confidence.
    """

    sample: KeptSample
    codes: Mapping[int, int]
    baseline: Baseline

    @cached_property
    def n_used(self) -> int:
        """How many rows of the random order have labels before the first that has none.

        These are a random sample whatever made somebody label other rows: where a row is in the random order says
        nothing about its label. Later labels wait for the gap to be filled.
        """
        gaps = (place for place, row in enumerate(self.sample.rows.tolist()) if row not in self.codes)
        return next(gaps, len(self.sample))

    def next_places(self, count: int) -> list[int]:
        """Return the places of the next rows in the random order that have no label."""
        rows = enumerate(self.sample.rows.tolist())
        return [place for place, row in rows if row not in self.codes][:count]

    def order_notes(self) -> tuple[Note, ...]:
        """Say whether all labels agree better with the scores in another order, however rows were chosen."""
        scores, rows = self.baseline.scores, self.sample.rows.tolist()
        known = [place for place, row in enumerate(rows) if row in self.codes]
        if scores is None or not known:
            return ()
        codes = np.array([self.codes[rows[place]] for place in known])
        return order_notes(scores, scores.of_both(self.sample.scores[known].astype(np.float64)), codes)

    @cached_property
    def right(self) -> NDArray[np.bool_]:
        """Which of the used rows the model got right."""
        actual = [self.codes[row] for row in self.sample.rows[: self.n_used].tolist()]
        return np.asarray(self.sample.answers[: self.n_used] == np.array(actual, np.int64))

    @property
    def shares(self) -> list[Interval]:
        """The class proportions by the used labels, in the order of the classes; empty without any."""
        if not self.n_used or self.baseline.scores is None:
            return []
        actual = [self.codes[row] for row in self.sample.rows[: self.n_used].tolist()]
        counts = np.bincount(actual, minlength=len(self.baseline.scores.classes))
        return [sample_share(int(count), self.n_used, self.sample.n_rows) for count in counts]

    @cached_property
    def _residuals(self) -> tuple[Floats, Floats]:
        """Of the used rows, the expected probability of being right, and that minus what is true."""
        baseline, sample, n = self.baseline, self.sample, self.n_used
        if baseline.scores is None or baseline.performance is None:
            raise ValueError("labels can only be used if the baseline has scores and labels")
        columns = sample.scores[:n].astype(np.float64)
        probabilities = baseline.scores.of_both(columns)
        calibrated = baseline.performance.calibration(probabilities)
        confidence = np.take_along_axis(calibrated, sample.answers[:n, None], axis=1)[:, 0]
        # Moved by as much as the estimate of the whole batch is away from its mean confidence.
        expected = confidence + (sample.grounds.value - sample.grounds.confidence)
        return expected, expected - self.right

    def facts(self, first: int, *, age: int, counts: bool) -> LabelFacts | None:
        """Return what the labels from a place of the random order on add to the alarms; None if there are none."""
        if first >= self.n_used:
            return None
        expected, off = (values[first:] for values in self._residuals)
        return LabelFacts(
            right=int(self.right[first:].sum()),
            labelled=self.n_used - first,
            residual=float(off.mean()),
            row_variance=_row_variance(expected, off),
            age=age,
            counts=counts,
            above=self.sample.grounds.above,
        )

    def comparison(self, batch: int, place: int, given: Interval, arrived: datetime) -> ComparisonRecord:
        """Return the estimate beside what the labels say; `given` is the interval that was given before them."""
        from shiftproof.monitoring.store import ComparisonRecord

        expected, off = self._residuals
        grounds, n_rows, right = self.sample.grounds, self.sample.n_rows, int(self.right.sum())
        enough = self.n_used >= min(FEWEST_LABELS, n_rows)
        return ComparisonRecord(
            batch=batch,
            place=place,
            n_rows=n_rows,
            arrived=arrived,
            n_labels=len(self.codes),
            n_used=self.n_used,
            n_right=right,
            residual=float(off.mean()) if self.n_used else 0.0,
            row_variance=_row_variance(expected, off) if self.n_used else 0.0,
            estimate=given.estimate,
            low=given.low,
            high=given.high,
            level=given.level,
            unlearnt=grounds.value,
            sampling=grounds.sampling,
            allowance=grounds.allowance,
            above=grounds.above,
            contained=is_contained(given, right, self.n_used, n_rows) if enough else None,
        )


def _row_variance(expected: Floats, off: Floats) -> float:
    """Return by how much the residual of one row scatters."""
    n = len(off)
    doubt = float(np.mean(np.clip(expected * (1 - expected), 0.0, None)))
    observed = float(off.var(ddof=1)) if n > 1 else 0.0
    scatter = ((n - 1) * observed + _EXPECTED_SCATTER * doubt) / (n - 1 + _EXPECTED_SCATTER)
    return max(scatter, _SURPRISE / n)


def sample_share(marked: int, labelled: int, n_rows: int) -> Interval:
    """Return a share of a batch's rows by the labels of a random sample alone, with Wilson's interval.

    Examples
    --------
    >>> print(sample_share(15, 20, 5000))
    0.750 [0.568, 0.872]
    >>> print(sample_share(75, 100, 100))
    0.750 [0.750, 0.750]
    """
    rate = marked / labelled
    if labelled >= n_rows:
        return Interval(estimate=rate, low=rate, high=rate, level=LEVEL, method="labels of all rows")
    # Finite population: the sample says as much as a larger one of an endless population.
    worth = labelled * (n_rows - 1) / (n_rows - labelled)
    known = wilson(rate * worth, worth, level=LEVEL)
    return Interval(estimate=rate, low=known.low, high=known.high, level=LEVEL, method="labels, Wilson")


def is_contained(given: Interval, right: int, labelled: int, n_rows: int) -> bool:
    """Return whether an interval contains the actual accuracy of a batch, as far as the labels of a sample can say.

    If the interval is right, the actual accuracy lies around the estimate as its two sides say, and the number of right
    answers in the sample is hypergeometric. The interval is wrong if so few or so many would be as unlikely as an
    accuracy outside it. With labels of all rows that is the plain comparison.

    Examples
    --------
    >>> given = Interval(estimate=0.8, low=0.75, high=0.85, level=0.9, method="made")
    >>> [is_contained(given, right, 20, 500) for right in (10, 13, 16)]
    [False, True, True]
    """
    if labelled >= n_rows:
        return bool(given.low - _ROUNDING <= right / n_rows <= given.high + _ROUNDING)
    tail = (1 - given.level) / 2
    z = ndtri((np.arange(_POINTS) + 0.5) / _POINTS)
    side = np.where(z < 0, given.estimate - given.low, given.high - given.estimate) / ndtri(1 - tail)
    accuracy = np.clip(given.estimate + z * side, 0, 1)
    chances = _hypergeometric(np.arange(right + 1), np.rint(accuracy * n_rows)[:, None], labelled, n_rows).mean(axis=0)
    # Half of the observed number itself counts for either tail, so that few labels are neither strict nor lenient.
    below = float(chances.sum() - chances[-1] / 2)
    return tail <= below <= 1 - tail


def _hypergeometric(drawn: NDArray[Any], marked: NDArray[Any], labelled: int, n_rows: int) -> Floats:
    """Return the probabilities that so many of the labelled rows are marked, if so many of all rows are."""
    others, rest = n_rows - marked, labelled - drawn
    possible = (drawn <= marked) & (rest <= others)
    logs = _log_choose(marked, drawn) + _log_choose(others, rest) - _log_choose(n_rows, labelled)
    return np.exp(np.where(possible, logs, -np.inf))


def _log_choose(n: Any, k: Any) -> Any:
    # What is not possible is left out by the caller.
    return -np.log1p(n) - betaln(np.maximum(n - k, 0) + 1, k + 1)
