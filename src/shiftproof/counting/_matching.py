"""Mix the classes' distributions of scores until they match the sample's: histograms, or distribution functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shiftproof.core import Argument, Floats, Phrase, check_count, fault
from shiftproof.counting._kernels import histograms, interpolated, topsoe_minima
from shiftproof.counting._learned import Binary, Lesson, OneVsRest, learn_parts
from shiftproof.counting._samples import Labelled, Places, Samples

HELLINGER_BINS = tuple(range(10, 111, 10))
TOPSOE_BINS = (*range(2, 21, 2), 30)
NO_GAP = "the class has the same histogram as the others, so the plain count is returned"

_GRID = np.arange(101) / 100
# Distances nearer to each other than this are the same.
_EQUAL = 1e-12
_MOST_STEPS = 60
# Samples whose histograms are held at once.
_CHUNK = 4096


@dataclass(frozen=True, eq=False)
class Histograms:
    """The shares of the other classes' rows and of the class's in equal bins from 0 to 1, shape (b,)."""

    negative: Floats
    positive: Floats


@dataclass(frozen=True, eq=False)
class Match:
    """The median over numbers of bins of the share whose mixture is nearest to the sample.

    Parameters
    ----------
    pairs : tuple of Histograms
        One for each number of bins.
    nearest : function of Histograms and the samples' histograms, shape (S, b)
        Gives the best shares, shape (S,).
    """

    pairs: tuple[Histograms, ...]
    nearest: Callable[[Histograms, Floats], Floats]

    def share(self, scores: Floats, samples: Samples) -> Floats:
        """Give the best share in each sample."""
        # One column for each number of bins; the median over them is the estimate (Maletzke et al. 2019).
        estimates = np.empty((samples.n_samples, len(self.pairs)))
        for place, pair in enumerate(self.pairs):
            bins = _bins(scores, len(pair.positive))
            for start in range(0, samples.n_samples, _CHUNK):
                bounds = samples.offsets[start : start + _CHUNK + 1]
                shares = histograms(bins, len(pair.positive), samples.rows, bounds)
                estimates[start : start + _CHUNK, place] = self.nearest(pair, shares)
        return np.asarray(np.median(estimates, axis=1))


@dataclass(frozen=True, eq=False)
class Energy:
    """The share is the mean of a function of the score that is linear between labelled scores.

    Parameters
    ----------
    scores, values : arrays of shape (n,)
        Labelled scores, rising, and the function there; beyond them it is level.
    """

    scores: Floats
    values: Floats

    def share(self, scores: Floats, samples: Samples) -> Floats:
        """Give the share whose mixture is nearest to each sample."""
        return samples.means(interpolated(scores, self.scores, self.values))


def nearest_by_hellinger(pair: Histograms, samples: Floats) -> Floats:
    """Give the share, out of 0, 0.01, …, 1, with the least Hellinger distance; the mean of equally near ones.

    Examples
    --------
    >>> pair = Histograms(np.array([0.75, 0.25]), np.array([0.25, 0.75]))
    >>> nearest_by_hellinger(pair, np.array([[0.5, 0.5], [0.1, 0.9]]))
    array([0.5, 1. ])
    """
    mixed = np.outer(1 - _GRID, pair.negative) + np.outer(_GRID, pair.positive)
    # The distance falls as this coefficient grows: all samples and all shares are one product of matrices.
    affinity = np.sqrt(samples) @ np.sqrt(mixed).T
    best = affinity >= affinity.max(axis=1, keepdims=True) - _EQUAL
    return np.asarray(best @ _GRID / best.sum(axis=1))


def nearest_by_topsoe(pair: Histograms, samples: Floats) -> Floats:
    """Give the share with the least Topsøe distance, which is convex in the share.

    Examples
    --------
    >>> pair = Histograms(np.array([0.75, 0.25]), np.array([0.25, 0.75]))
    >>> nearest_by_topsoe(pair, np.array([[0.5, 0.5], [0.1, 0.9]])).round(6)
    array([0.5, 1. ])
    """
    return np.asarray(topsoe_minima(samples, pair.negative, pair.positive, _MOST_STEPS))


def learn_hellinger_matching(labelled: Labelled, *, bins: Sequence[int] = HELLINGER_BINS) -> OneVsRest:
    """Learn each class's histograms (HDy; González-Castro, Alaiz-Rodríguez and Alegre 2013).

    Parameters
    ----------
    labelled : Labelled
        The scores to learn from.
    bins : sequence of int
        Into how many equal bins to cut the scores; the median over all these is the estimate.
    """
    return _learn(labelled, bins, nearest_by_hellinger)


def learn_distribution_matching(labelled: Labelled, *, bins: Sequence[int] = TOPSOE_BINS) -> OneVsRest:
    """Learn each class's histograms, to be matched by Topsøe's distance (DyS; Maletzke et al. 2019).

    Parameters
    ----------
    labelled : Labelled
        The scores to learn from.
    bins : sequence of int
        Into how many equal bins to cut the scores; the median over all these is the estimate.
    """
    if bins is not TOPSOE_BINS:
        return _learn(labelled, bins, nearest_by_topsoe)
    # Once for the default method and for itself: histograms of many rows take a while.
    return labelled.once(TOPSOE_BINS, lambda: _learn(labelled, bins, nearest_by_topsoe))


def learn_energy_matching(labelled: Labelled) -> OneVsRest:
    r"""Learn each class's distribution function (EDy).

    The distance is that of Kawakubo, du Plessis and Sugiyama (2016), taken on scores. Half the squared energy distance
    of two distributions on a line is :math:`\int (F - G)^2` (Székely). Of the mixtures :math:`q F_1 + (1 - q) F_0` the
    nearest to a sample's F has

    .. math:: q = \frac{\int (F - F_0)(F_1 - F_0)}{\int (F_1 - F_0)^2}.

    Parameters
    ----------
    labelled : Labelled
        The scores to learn from.
    """
    return learn_parts(labelled, _energy)


def _learn(labelled: Labelled, bins: Sequence[int], nearest: Callable[[Histograms, Floats], Floats]) -> OneVsRest:
    if isinstance(bins, (int, str)):
        raise fault("bins", "be a sequence of numbers of bins", bins, Phrase("write ", Argument("bins", [bins])))
    sizes = [check_count(size, "bins", least=2) for size in bins]
    if not sizes:
        raise fault("bins", "name at least one number of bins", 0, "leave it out to use the usual ones")

    def learn(binary: Binary) -> Lesson:
        pairs = tuple(pair for size in sizes if (pair := _pair(binary, size)) is not None)
        return (Match(pairs, nearest), "") if pairs else (None, NO_GAP)

    return learn_parts(labelled, learn)


def _pair(binary: Binary, size: int) -> Histograms | None:
    """Give both histograms, or None where they are the same and tell nothing."""
    # One pass counts both sides: the class's bins come after those of the others.
    bins = _bins(binary.scores, size) + size * binary.positive
    counts = np.bincount(bins, binary.weights, minlength=2 * size).reshape(2, size)
    negative, positive = (side / side.sum() for side in counts)
    return None if np.abs(positive - negative).max() < _EQUAL else Histograms(negative, positive)


def _bins(scores: Floats, size: int) -> Places:
    """Place scores from 0 to 1 in equal bins; 1 is in the last."""
    return np.minimum((scores * size).astype(np.intp), size - 1)


def _energy(binary: Binary) -> Lesson:
    knots = np.unique(binary.scores)
    above, below = (
        _below(binary.scores[side], binary.weights[side], knots) for side in (binary.positive, ~binary.positive)
    )
    apart, steps = above - below, np.append(np.diff(knots), 0.0)
    whole = float(steps @ apart**2)
    # F1 = F0: every mixture is equally near.
    if whole < _EQUAL:
        return None, NO_GAP
    # A row with score s adds the integral of F1 - F0 from s on.
    beyond = np.cumsum((steps * apart)[::-1])[::-1]
    return Energy(knots, (beyond - float(steps @ (below * apart))) / whole), ""


def _below(scores: Floats, weights: Floats, knots: Floats) -> Floats:
    """Give the share of the weights of rows with scores of at most each knot; every score is a knot."""
    totals = np.bincount(np.searchsorted(knots, scores), weights, minlength=len(knots))
    return np.asarray(np.cumsum(totals) / weights.sum())
