"""Profit over the list and over thresholds, and the best cut without optimism."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shiftproof.core import (
    Floats,
    Interval,
    Seed,
    check_count,
    check_fraction,
    check_probabilities,
    check_vector,
    fault,
    generator,
)
from shiftproof.measures._benefit import Benefit
from shiftproof.measures._benefit_checks import check_two_class_benefit
from shiftproof.measures._benefit_interval import mean_ends
from shiftproof.measures._curves_base import (
    Curve,
    Ranked,
    check_scored,
    check_weights,
    quantile,
    rank,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, kw_only=True)
class ProfitCurve(Curve):
    """The total benefit of calling the first part of a ranked list positive.

    Parameters
    ----------
    share, thresholds : ndarray of shape (n_points,)
        Shares of the list from 0 to 1, one per distinct score, and the lowest score in each share.
    profit, low, high : ndarray of shape (n_points,)
        The total actual benefit and, point by point, its interval. The highest point of the curve is too
        optimistic, because it was chosen on these rows; see :func:`best_list_size`.
    level : float
        The nominal coverage.
    """

    share: Floats
    thresholds: Floats
    profit: Floats
    low: Floats
    high: Floats
    level: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row per point."""
        import pandas as pd

        names = ("share", "profit", "low", "high")
        return pd.DataFrame({"threshold": self.thresholds} | {name: getattr(self, name) for name in names})

    def summary(self) -> str:
        """Return the profit of calling no row, all rows and the best part of the list positive, in one sentence."""
        top = int(np.argmax(self.profit))
        return (
            f"Calling nobody positive brings {self.profit[0]:.2f}; calling everybody positive brings "
            f"{self.profit[-1]:.2f}. The best cut calls the first {100 * self.share[top]:.1f}% positive and brings "
            f"{self.profit[top]:.2f}, measured on the rows used to choose it."
        )

    def plot(
        self, ax: Axes | None = None, *, name: str = "model", over: Literal["share", "threshold"] = "share"
    ) -> Axes:
        """Draw the profit over the share of the list or over the threshold."""
        from shiftproof.plots import profit_lines

        along = self.share if over == "share" else self.thresholds
        return profit_lines({name: (along, self.profit, self.low, self.high)}, over=over, ax=ax)


@dataclass(frozen=True, eq=False, kw_only=True)
class NetBenefitCurve(Curve):
    """A decision curve: the net benefit for each probability from which one would act.

    Parameters
    ----------
    thresholds : ndarray of shape (n_points,)
        Probabilities from which one would act.
    net_benefit, low, high : ndarray of shape (n_points,)
        TP/n - FP/n * t/(1 - t) with its interval.
    treat_all : ndarray of shape (n_points,)
        The same for acting always; acting never is 0.
    level : float
        The nominal coverage.
    """

    thresholds: Floats
    net_benefit: Floats
    low: Floats
    high: Floats
    treat_all: Floats
    level: float

    def to_frame(self) -> pd.DataFrame:
        """Return one row per threshold."""
        import pandas as pd

        names = ("net_benefit", "low", "high", "treat_all")
        return pd.DataFrame({"threshold": self.thresholds} | {name: getattr(self, name) for name in names})

    def summary(self) -> str:
        """Return where the model beats acting always and acting never, in one sentence."""
        better = self.thresholds[self.net_benefit > np.maximum(self.treat_all, 0.0)]
        if not len(better):
            return "At every threshold, always acting or never acting is at least as good as the model."
        return (
            f"The model is better than both always acting and never acting at thresholds from {better.min():g} to "
            f"{better.max():g}."
        )

    def plot(self, ax: Axes | None = None, *, name: str = "model") -> Axes:
        """Draw the curve between acting always and never."""
        from shiftproof.plots import decision_lines

        return decision_lines(self.thresholds, {name: (self.net_benefit, self.low, self.high)}, self.treat_all, ax=ax)


@dataclass(frozen=True, kw_only=True)
class BestCut:
    """Where to cut a ranked list, and what that is worth.

    Parameters
    ----------
    threshold : float
        Rows with at least this score are called positive; infinity calls no row positive.
    share : float
        The part of the list called positive.
    profit : Interval
        The estimated total benefit for equally many new rows: cuts are chosen on resamples and tested on the rows left
        out.
    apparent : float
        The total benefit on the same rows that the cut was chosen on; too optimistic.
    """

    threshold: float
    share: float
    profit: Interval
    apparent: float

    @property
    def optimism(self) -> float:
        """How much too high the apparent profit is."""
        return self.apparent - self.profit.estimate


def profit_curve(
    y: ArrayLike,
    scores: ArrayLike,
    benefit: Benefit,
    *,
    table: object = None,
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    positive: int | None = None,
) -> ProfitCurve:
    """Compute the total actual benefit for every list share and threshold.

    Parameters
    ----------
    y : array-like of shape (n,)
        0 and 1, or integer codes with `positive`.
    scores : array-like of shape (n,)
        The list is sorted by falling score; any score, such as ``benefit.expected_gain(...)``.
    benefit : Benefit
        What the outcomes are worth.
    table : table of any library, optional
        The table that the benefit's columns and functions use.
    level : float
        The nominal coverage.
    sample_weight : array-like of shape (n,), optional
        How often each row counts.
    positive : int, optional
        The code of the positive class.

    Returns
    -------
    ProfitCurve

    Examples
    --------
    >>> curve = profit_curve([1, 0, 1, 0], [0.9, 0.7, 0.6, 0.1], Benefit(tp=5, fp=-2))
    >>> curve.profit
    array([0., 5., 3., 8., 6.])
    """
    check_fraction(level, "level", hint="0.95 means 95%")
    scored = check_scored(y, scores, positive=positive)
    weights = check_weights(sample_weight, len(scored.y))
    yes, no = check_two_class_benefit(benefit).outcomes(y, table, positive=positive)
    ranked, n = rank(scored), len(weights)
    yes, no = (weights * yes)[ranked.order], (weights * no)[ranked.order]
    low, high = _ends(yes, no, ranked, level)
    # Before the first row nothing is called positive.
    weight = np.append(0.0, _ends_of_blocks(weights[ranked.order], ranked))
    return ProfitCurve(
        share=weight / weight[-1],
        thresholds=np.append(np.inf, ranked.thresholds),
        profit=float(no.sum()) + np.append(0.0, _ends_of_blocks(yes - no, ranked)),
        low=n * low,
        high=n * high,
        level=level,
    )


def net_benefit_curve(
    y: ArrayLike,
    probabilities: ArrayLike,
    *,
    thresholds: ArrayLike | None = None,
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    positive: int | None = None,
) -> NetBenefitCurve:
    r"""Compute a decision curve (Vickers and Elkin 2006).

    Acting at probabilities of at least t implies that a false positive costs t/(1 - t) times the benefit of a true
    positive:

    .. math:: \text{net benefit}(t) = \frac{TP}{n} - \frac{FP}{n}\,\frac{t}{1 - t}

    Parameters
    ----------
    y : array-like of shape (n,)
        0 and 1, or integer codes with `positive`.
    probabilities : array-like of shape (n,)
        Of the positive class.
    thresholds : array-like, optional
        Strictly between 0 and 1; 0.01 to 0.99 if not given.
    level : float
        The nominal coverage, point by point.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.
    positive : int, optional
        The code of the positive class.

    Returns
    -------
    NetBenefitCurve

    Examples
    --------
    >>> curve = net_benefit_curve([1, 0, 1, 0], [0.9, 0.7, 0.6, 0.1], thresholds=[0.2, 0.5])
    >>> curve.net_benefit, curve.treat_all
    (array([0.4375, 0.25  ]), array([0.375, 0.   ]))
    """
    z = quantile(level)
    scored = check_scored(y, probabilities, sample_weight=sample_weight, positive=positive)
    check_probabilities(scored.scores, "probabilities")
    wanted = np.linspace(0.01, 0.99, 99) if thresholds is None else check_vector(thresholds, "thresholds")
    if ((wanted <= 0) | (wanted >= 1)).any():
        raise fault(
            "thresholds", "lie strictly between 0 and 1", float(wanted[(wanted <= 0) | (wanted >= 1)][0]), "drop it"
        )
    ranked, odds = rank(scored), wanted / (1 - wanted)
    # Thresholds fall; searchsorted needs them to rise.
    taken = np.searchsorted(-ranked.thresholds, -wanted, side="right")
    hits, misses = (np.append(0.0, part)[taken] / scored.total for part in (ranked.hits, ranked.misses))
    net = hits - odds * misses
    # Kish's effective number of rows.
    n = scored.total**2 / float((scored.weights**2).sum())
    # a row counts 1, minus the odds, or 0
    reach = z * np.sqrt(np.maximum(hits + odds**2 * misses - net**2, 0.0) / n)
    rate = scored.positives / scored.total
    return NetBenefitCurve(
        thresholds=wanted,
        net_benefit=net,
        low=net - reach,
        high=net + reach,
        treat_all=rate - (1 - rate) * odds,
        level=level,
    )


def best_threshold(
    y: ArrayLike,
    scores: ArrayLike,
    benefit: Benefit,
    *,
    table: object = None,
    level: float = 0.95,
    n_resamples: int = 200,
    random_state: Seed = None,
    positive: int | None = None,
) -> BestCut:
    """Find the threshold with the largest total benefit, and estimate that benefit without optimism.

    The largest of many profits is too optimistic. So the choice is repeated on bootstrap resamples, and each time its
    benefit is computed on the rows that the resample left out. The interval is for the total of these benefits.

    Parameters
    ----------
    y : array-like of shape (n,)
        0 and 1, or integer codes with `positive`.
    scores : array-like of shape (n,)
        Any scores; a row is called positive if its score is at least the threshold.
    benefit : Benefit
        What the outcomes are worth.
    table : table of any library, optional
        The table that the benefit's columns and functions use.
    level : float
        The nominal coverage.
    n_resamples : int
        The number of resamples on which the choice is repeated, at least 50.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed.
    positive : int, optional
        The code of the positive class.

    Returns
    -------
    BestCut

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(size=500)
    >>> best = best_threshold(rng.uniform(size=500) < p, p, Benefit(tp=3, fp=-2), random_state=0)
    >>> round(best.threshold, 2), best.optimism > 0
    (0.42, True)
    """
    check_fraction(level, "level", hint="0.95 means 95%")
    trial = _Trial.of(y, scores, benefit, table, positive)
    return trial.best("threshold", level, check_count(n_resamples, "n_resamples", least=50), random_state)


def best_list_size(
    y: ArrayLike,
    scores: ArrayLike,
    benefit: Benefit,
    *,
    table: object = None,
    level: float = 0.95,
    n_resamples: int = 200,
    random_state: Seed = None,
    positive: int | None = None,
) -> BestCut:
    """Find the share of the ranked list with the largest total benefit, and estimate it without optimism.

    This works like :func:`best_threshold`, but a share of the list is chosen, such as the first 12%, and applied to the
    rows left out.

    Parameters
    ----------
    y, scores, benefit, table, level, n_resamples, random_state, positive
        As in :func:`best_threshold`; tied scores count in part.

    Returns
    -------
    BestCut

    Examples
    --------
    >>> benefit = Benefit(tp=5, fp=-1)
    >>> best = best_list_size([1, 1, 0, 0] * 50, [0.9, 0.8, 0.3, 0.1] * 50, benefit, random_state=0)
    >>> best.share
    0.5
    """
    check_fraction(level, "level", hint="0.95 means 95%")
    trial = _Trial.of(y, scores, benefit, table, positive)
    return trial.best("share", level, check_count(n_resamples, "n_resamples", least=50), random_state)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Trial:
    """Rows by falling score, and the benefit of each if called positive and if not."""

    ranked: Ranked
    taken: Floats
    left: Floats

    @classmethod
    def of(cls, y: ArrayLike, scores: ArrayLike, benefit: Benefit, table: object, positive: int | None) -> _Trial:
        scored = check_scored(y, scores, positive=positive)
        if len(scored.y) < 2:
            raise fault("y", "hold at least 2 rows to choose a cut", len(scored.y), "add observations")
        yes, no = check_two_class_benefit(benefit).outcomes(y, table, positive=positive)
        ranked = rank(scored)
        return cls(ranked=ranked, taken=yes[ranked.order], left=no[ranked.order])

    def best(self, kind: str, level: float, n_resamples: int, random_state: Seed) -> BestCut:
        worth = np.append(0.0, _ends_of_blocks(self.taken - self.left, self.ranked))
        # Of equal totals the shortest list: acting on fewer rows is never worse.
        cut = int(np.argmax(worth))
        n = float(len(self.taken))
        mean, deviation, skewness = self._out_of_bag(kind, n_resamples, generator(random_state))
        low, high = mean_ends(mean, deviation, skewness, n, level=level)
        return BestCut(
            threshold=float(np.append(np.inf, self.ranked.thresholds)[cut]),
            share=float(np.append(0.0, self.ranked.rows)[cut] / self.ranked.rows[-1]),
            profit=Interval(
                estimate=n * mean,
                low=n * float(low),
                high=n * float(high),
                level=level,
                method="out of bag, t, skewness removed",
            ),
            apparent=float(self.left.sum() + worth[cut]),
        )

    def _out_of_bag(self, kind: str, n_resamples: int, rng: np.random.Generator) -> tuple[float, float, float]:
        """Give mean, deviation and skewness of a row's benefit when the cut is chosen without it."""
        block, n, n_blocks = self.ranked.block, len(self.taken), len(self.ranked.thresholds)
        gain = self.taken - self.left
        sums, times = np.zeros((3, n)), np.zeros(n)
        # centred, to avoid cancellation in the powers
        centre = float((self.taken + self.left).mean()) / 2
        for _ in range(n_resamples):
            # A bootstrap resample leaves out each row with probability 1/e.
            drawn = np.bincount(rng.integers(n, size=n), minlength=n)
            out = drawn == 0
            cut = int(np.argmax(np.append(0.0, np.cumsum(np.bincount(block, drawn * gain, minlength=n_blocks)))))
            if kind == "threshold":
                # A threshold applies to other rows unchanged.
                inside = (block < cut).astype(np.float64)
            else:
                # A share is taken of the list of the rows left out.
                share = float(drawn[block < cut].sum()) / n
                inside = _inside(block, np.bincount(block[out], minlength=n_blocks), share)
            value = out * (self.left + inside * gain - centre)
            sums += np.array([value, value**2, value**3])
            times += out
        # a row that is in every resample (tiny tables only) has no unbiased value; the spread is that of one turn,
        # since the mean over many turns hides how far a single cut can go wrong
        first, second, third = (float((power[times > 0] / times[times > 0]).mean()) for power in sums)
        deviation = math.sqrt(max(second - first**2, 0.0) * n / (n - 1))
        skewness = (third - 3 * first * second + 2 * first**3) / deviation**3 if deviation > 1e-12 else 0.0
        return first + centre, deviation, skewness


def _inside(block: NDArray[np.intp], sizes: NDArray[Any], share: float) -> Floats:
    """Give the part of each row in the first `share` of a list of blocks of these sizes."""
    end = np.cumsum(sizes)
    room = share * end[-1] - (end - sizes)
    part: Floats = np.clip(room / np.maximum(sizes, 1), 0.0, 1.0)[block]
    return part


def _ends_of_blocks(values: Floats, ranked: Ranked) -> Floats:
    """Add up down to the end of each block; `values` are in ranked order."""
    return np.cumsum(np.bincount(ranked.block, weights=values, minlength=len(ranked.thresholds)))


def _ends(yes: Floats, no: Floats, ranked: Ranked, level: float) -> tuple[Floats, Floats]:
    """Give the interval of the mean benefit at every cut, from running sums of powers."""
    n = len(yes)
    if n == 1:
        return np.full(2, -np.inf), np.full(2, np.inf)
    # centred, to avoid cancellation in the powers
    centre = float((yes + no).mean()) / 2
    sums = []
    for power in (1, 2, 3):
        if_yes, if_no = (yes - centre) ** power, (no - centre) ** power
        sums.append((float(if_no.sum()) + np.append(0.0, _ends_of_blocks(if_yes - if_no, ranked))) / n)
    first, second, third = sums
    # Rounding may make the variance of equal values negative.
    variance = np.maximum(second - first**2, 0.0)
    deviation = np.sqrt(variance * n / (n - 1))
    cubes = third - 3 * first * second + 2 * first**3
    skewness = np.divide(cubes, deviation**3, out=np.zeros_like(cubes), where=deviation > 1e-12)
    low, high = mean_ends(first, deviation, skewness, n, level=level)
    return low + centre, high + centre
