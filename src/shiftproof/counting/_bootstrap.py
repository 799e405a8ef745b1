"""How sure is an estimated prevalence? Which prevalences could have given it, by resampling."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from shiftproof.core import Floats, Interval, check_count, check_fraction, one_thread
from shiftproof.counting._draws import ByClass
from shiftproof.counting._expectation import MANY_CLASSES
from shiftproof.counting._learned import Learned
from shiftproof.counting._method import Method
from shiftproof.counting._samples import Labelled, Places, RowScores, Samples

RESAMPLES = 200
# Resamples that tell how far to look, and whether that was far enough; and at how many prevalences of a class to look,
# of two classes and of more.
_FIRST, _PILOT, _PLACES, _FEW_PLACES = 40, 10, 9, 5
# How far to look beyond the estimate, in standard deviations.
_REACH = 4.0
# With more rows than this, resamples are smaller and what they vary by is scaled; neither a class nor a sample gets
# fewer rows than that. Of two classes, of more, and of many.
_MOST_ROWS, _FEWEST_ROWS = (5_000, 2_500, 2_500), (200, 50, 10)
# With more classes than this there are fewer resamples, in proportion: each looks at some prevalences of every class.
_ALL_RESAMPLES, _FEWEST_RESAMPLES = 4, 40
# By how much deviations are enlarged, of two classes and of more: how far estimates vary is itself estimated from few
# rows where classes overlap. Chosen by simulation among 1, 1.1, 1.15, 1.2 and 1.3 (docs/quantification.md).
_ENLARGED = (1.0, 1.1)
# Ends that differ by less are the same.
_CLOSE = 1e-9
BOOTSTRAP = "bootstrap"
#: What to say of intervals with more than 20 classes.
SPREAD_ONLY = (
    "with more than 20 classes, intervals show the spread of resampled estimates and are not corrected for bias"
)


def bootstrap_intervals(
    method: Method,
    labelled: Labelled,
    samples: Samples,
    *,
    learned: Learned | None = None,
    level: float = 0.9,
    resamples: int = RESAMPLES,
    rng: np.random.Generator,
    progress: bool | None = False,
) -> list[list[Interval]]:
    r"""Give the interval of each class in each sample: all prevalences that could have given the estimate, and itself.

    Labelled rows are drawn within their classes, as many as there are, and learnt from anew; sample rows are drawn,
    too. How much the estimate varies tells which prevalences come into question. At some of these, samples of the same
    size are drawn from the labelled rows, and estimated by what was learnt from resampled ones. The interval ends
    where the estimate would be one of the lowest or highest :math:`(1 - level)/2` of what is found there: so the
    estimator's bias, which a plain bootstrap would double, is corrected for. If no labelled row of a class is
    mistaken, a few drawn rows come from other classes (`ByClass.sample`).

    With more than 20 classes nothing is inverted: the interval is that of a normal distribution around the estimate,
    with the spread of the estimate over resamples.

    Parameters
    ----------
    method : Method
        What to learn.
    labelled, samples : Labelled, Samples
        The rows to resample.
    learned : Learned, optional
        What the method learnt from these labelled rows, where that is known.
    level : float
        The nominal coverage.
    resamples : int
        How often to learn anew; with k > 4 classes 4/k times that, but at least 40.
    rng : Generator
        What to draw with.
    progress : bool, optional
        Whether to show a bar; if None, after a second on a terminal.

    Returns
    -------
    list of S lists of k Intervals
        Their estimates are those of the rows as they are.

    Notes
    -----
    Of many rows a share of :math:`1/r` is drawn on both sides, and deviations from their mean are divided by
    :math:`\sqrt r` (Bickel, Götze and van Zwet 1997).
    """
    level = check_fraction(level, "level", hint="0.9 means 90%")
    resamples = check_count(resamples, "resamples", least=20, hint="200 is usual")
    resamples = min(resamples, max(_FEWEST_RESAMPLES, resamples * _ALL_RESAMPLES // labelled.n_classes))
    learned = method.learn(labelled) if learned is None else learned
    estimates, method = learned.estimate(samples), method.having(**learned.fixed_options)
    intervals: list[list[Interval]] = [[] for _ in estimates]
    thin = _thinning(labelled, samples)
    for r in np.unique(thin).tolist():
        members = np.flatnonzero(thin == r)
        source = _Source.of(method, labelled, r, progress)
        # Many small products of matrices: more threads would cost more time than they save.
        with one_thread():
            ends = source.ends(estimates[members], samples.take(members), level, resamples, rng)
        for sample, pairs in zip(members.tolist(), ends, strict=True):
            intervals[sample] = [
                _interval(float(share), *pair, level) for share, pair in zip(estimates[sample], pairs, strict=True)
            ]
    return intervals


@dataclass(frozen=True, eq=False)
class _Path:
    """Prevalences to look at: those of one class in rising order, the others in proportion to their estimates."""

    sample: int
    code: int
    estimate: float
    reach: float
    shares: Floats
    vectors: Floats
    size: int

    @classmethod
    def around(cls, estimates: Floats, sample: int, code: int, reach: float, size: int) -> _Path:
        """Look so far below and above the estimate."""
        estimate, k = float(estimates[sample, code]), estimates.shape[1]
        places = _PLACES if k == 2 else _FEW_PLACES
        shares = np.linspace(max(0.0, estimate - reach), min(1.0, estimate + reach), places)
        others = np.delete(estimates[sample], code)
        others = others / others.sum() if others.sum() > 0 else np.full(k - 1, 1 / (k - 1))
        vectors = np.insert(np.outer(1 - shares, others), code, shares, axis=1)
        return cls(sample, code, estimate, reach, shares, vectors, size)

    def too_short(self, ends: tuple[float, float]) -> bool:
        """Tell whether the interval may go on beyond what was looked at: the estimator is far off."""
        first, last = float(self.shares[0]), float(self.shares[-1])
        return (first > 0 and ends[0] <= first + _CLOSE) or (last < 1 and ends[1] >= last - _CLOSE)

    def wider(self, estimates: Floats) -> _Path:
        """Look three times as far."""
        return _Path.around(estimates, self.sample, self.code, 3 * self.reach, self.size)


@dataclass(frozen=True, eq=False)
class _Source:
    """Labelled rows to draw from, `drawn` of each class; samples are `thin` times smaller than they are.

    No labelled row of a class that is `never_mistaken` is taken for another class.
    """

    method: Method
    labelled: Labelled
    by_class: ByClass
    drawn: Places
    thin: float
    never_mistaken: NDArray[np.bool_]
    progress: bool | None

    @classmethod
    def of(cls, method: Method, labelled: Labelled, thin: float, progress: bool | None) -> _Source:
        counts = labelled.counts
        # More labelled rows than these vary so little beside a thinned sample that fewer do.
        size = _size_class(labelled)
        most = max(4 * _MOST_ROWS[size], _FEWEST_ROWS[size] * len(labelled.codes) / counts.min())
        drawn = np.maximum(1, np.round(counts * min(1 / thin, most / len(labelled.codes)))).astype(np.intp)
        mistaken = labelled.scores.decisions != labelled.codes
        never_mistaken = np.bincount(labelled.codes[mistaken], minlength=len(counts)) == 0
        # On the line of two classes' scores a row's own kernel says next to nothing.
        numbered = labelled if len(counts) == 2 else replace(labelled, scores=labelled.scores.numbered())
        return cls(method, numbered, ByClass.of(labelled), drawn, thin, never_mistaken, progress)

    def ends(
        self, estimates: Floats, samples: Samples, level: float, resamples: int, rng: np.random.Generator
    ) -> list[list[tuple[float, float]]]:
        """Give the ends of each class's interval in each sample."""
        spread = self.spread(samples, rng)
        if estimates.shape[1] > MANY_CLASSES:
            reach = float(special.ndtri((1 + level) / 2)) * spread
            return [list(zip(*pair, strict=True)) for pair in zip(estimates - reach, estimates + reach, strict=True)]
        paths = _paths(estimates, spread, samples)
        if estimates.shape[1] > 2:
            paths = self.widened(paths, estimates, level, rng)
        ends: dict[tuple[int, int], tuple[float, float]] = {}
        while paths:
            varied = self.simulated(paths, resamples, rng)
            for path, simulated in zip(paths, varied, strict=True):
                ends[path.sample, path.code] = _inverted(path, simulated, level)
            # Widened only where needed: most intervals end within four standard deviations.
            paths = [path.wider(estimates) for path in paths if path.too_short(ends[path.sample, path.code])]
        n, k = estimates.shape
        # Of two classes the first's interval is the second's, mirrored.
        if k == 2:
            ends |= {(s, 0): (1 - ends[s, 1][1], 1 - ends[s, 1][0]) for s in range(n)}
        return [[ends[s, code] for code in range(k)] for s in range(n)]

    def widened(self, paths: list[_Path], estimates: Floats, level: float, rng: np.random.Generator) -> list[_Path]:
        """Look farther where few resamples show that the interval goes on: with all of them that costs much more."""
        wide_enough: list[_Path] = []
        while paths:
            short: list[_Path] = []
            for path, varied in zip(paths, self.simulated(paths, _PILOT, rng), strict=True):
                is_short = path.too_short(_inverted(path, varied, level))
                (short if is_short else wide_enough).append(path)
            paths = [path.wider(estimates) for path in short]
        return wide_enough

    def size(self, n: int) -> int:
        """Return how many rows are drawn to stand for n."""
        return max(1, round(n / self.thin))

    def learned(self, times: int, rng: np.random.Generator) -> Iterator[Learned]:
        """Learn anew from labelled rows drawn within their classes."""
        from shiftproof.panel import Progress

        with Progress(times, self.progress, "simulating intervals") as bar:
            for _ in range(times):
                yield self.method.learn(self.labelled.take(self.by_class.draw(self.drawn, rng)))
                bar.step()

    def spread(self, samples: Samples, rng: np.random.Generator) -> Floats:
        """Give the standard deviations of the estimates over resampled labelled rows and samples, shape (S, k)."""
        sizes = np.array([self.size(int(n)) for n in samples.sizes], dtype=np.intp)
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        starts, lengths = np.repeat(samples.offsets[:-1], sizes), np.repeat(samples.sizes, sizes)
        varied = []
        for learned in self.learned(_FIRST, rng):
            rows = samples.rows[starts + (rng.random(len(starts)) * lengths).astype(np.intp)]
            varied.append(learned.estimate(_samples(samples.scores, rows, np.arange(len(rows)), bounds)))
        return np.asarray(np.std(varied, axis=0, ddof=1) / math.sqrt(self.thin))

    def simulated(self, paths: list[_Path], times: int, rng: np.random.Generator) -> list[Floats]:
        """Estimate samples drawn from the labelled rows at each path's prevalences: arrays of shape (times, t)."""
        sizes = np.concatenate([np.full(len(path.shares), self.size(path.size)) for path in paths])
        vectors = np.concatenate([path.vectors for path in paths])
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        varied = np.empty((times, *vectors.shape))
        for place, learned in enumerate(self.learned(times, rng)):
            counts = _counts(sizes, vectors, rng)
            drawn, places = self.by_class.samples(counts, rng, self.never_mistaken)
            varied[place] = learned.estimate(_samples(self.labelled.scores, drawn, places, bounds))
        # A sample that is r times smaller varies by the root of r more.
        mean, scale = varied.mean(axis=0), _ENLARGED[vectors.shape[1] > 2] / math.sqrt(self.thin)
        varied = mean + (varied - mean) * scale
        cuts = np.cumsum([len(path.shares) for path in paths])[:-1]
        return [part[:, :, path.code] for part, path in zip(np.split(varied, cuts, axis=1), paths, strict=True)]


def _counts(sizes: Places, vectors: Floats, rng: np.random.Generator) -> Places:
    """Give how many rows of each class make samples with these shares, shape (t, k); chance rounds to whole rows.

    The question is how many there are in the rows at hand, not in others like them, so the shares do not vary.
    """
    whole = np.floor(sizes[:, None] * vectors + 1e-9).astype(np.intp)
    rest = np.maximum(sizes[:, None] * vectors - whole, 0.0) + 1e-12
    return np.asarray(whole + rng.multinomial(sizes - whole.sum(axis=1), rest / rest.sum(axis=1, keepdims=True)))


def _samples(pool: RowScores, drawn: Places, places: Places, offsets: Places) -> Samples:
    """Give samples of a pool that is no larger than what was drawn from it: methods look at the whole pool."""
    if len(drawn) < len(pool):
        return Samples(pool.take(drawn), places, offsets)
    return Samples(pool, drawn[places], offsets)


def _thinning(labelled: Labelled, samples: Samples) -> Floats:
    """Give for each sample how many times fewer rows than there are make a resample: a power of two."""
    size = _size_class(labelled)
    most = np.maximum(samples.sizes, len(labelled.codes)) / _MOST_ROWS[size]
    least = np.minimum(samples.sizes, labelled.counts.min()) / _FEWEST_ROWS[size]
    return np.asarray(2 ** np.floor(np.log2(np.maximum(np.minimum(most, least), 1.0))))


def _size_class(labelled: Labelled) -> int:
    """Return 0 for two classes, 1 for more, 2 for many."""
    return int(labelled.n_classes > 2) + int(labelled.n_classes > MANY_CLASSES)


def _paths(estimates: Floats, spread: Floats, samples: Samples) -> list[_Path]:
    """Choose the prevalences to look at: of two classes the second decides."""
    k = estimates.shape[1]
    return [
        # A sample of few rows varies by more than its own resamples tell.
        _Path.around(estimates, s, code, max(_REACH * float(spread[s, code]), 1 / math.sqrt(size)) + 0.02, size)
        for s, size in enumerate(samples.sizes.tolist())
        for code in ([1] if k == 2 else range(k))
    ]


def _inverted(path: _Path, varied: Floats, level: float) -> tuple[float, float]:
    """Give the lowest and the highest share whose estimates have this one within their middle `level`.

    Estimates that differ by less than a tenth of a row are the same: at the ends, 0 and 1, rounding would decide.
    """
    shares, estimate, little = path.shares, path.estimate, 0.1 / path.size
    quantiles = np.quantile(varied, [(1 - level) / 2, (1 + level) / 2], axis=0)
    # Quantiles rise with the true share; where simulated ones do not, that is noise.
    lowest, highest = (np.asarray(optimize.isotonic_regression(curve).x) for curve in quantiles)
    low = _crossing(estimate - little, highest, shares)
    high = 1 - _crossing(1 - estimate - little, 1 - lowest[::-1], 1 - shares[::-1])
    return min(low, estimate), max(high, estimate)


def _crossing(estimate: float, curve: Floats, shares: Floats) -> float:
    """Give the lowest share where a rising curve has come up to the estimate.

    Examples
    --------
    >>> _crossing(0.5, np.array([0.1, 0.25, 0.75]), np.array([0.0, 0.25, 0.75]))
    0.5
    """
    above = np.flatnonzero(curve >= estimate)
    if not len(above):
        return float(shares[-1])
    place = int(above[0])
    if place == 0:
        return float(shares[0])
    part = (estimate - curve[place - 1]) / (curve[place] - curve[place - 1])
    return float(shares[place - 1] + min(part, 1.0) * (shares[place] - shares[place - 1]))


def _interval(estimate: float, low: float, high: float, level: float) -> Interval:
    # The ends were made for the estimate; rounding must not put it outside.
    low, high = min(max(low, 0.0), estimate), max(min(high, 1.0), estimate)
    return Interval(estimate=estimate, low=low, high=high, level=level, method=BOOTSTRAP)
