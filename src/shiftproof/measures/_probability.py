"""How good the probabilities themselves are: Brier score, log loss, calibration error."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from shiftproof.core import Floats, Interval, check_count, counted, generator
from shiftproof.measures._ends import Ends, around, logit_ends, student
from shiftproof.measures._scores import IntervalPlan, Scores, kish
from shiftproof.stats import wilson

# Ten bins are usual, and what published calibration errors have.
_BINS = 10


def brier(scores: Scores, plan: IntervalPlan) -> Interval:
    r"""Give the mean squared error of the probabilities.

    With two classes :math:`(p - y)^2` of the positive class, from 0 to 1; with more the sum over the classes
    :math:`\sum_c (p_c - 1[y = c])^2`, from 0 to 2, as in Brier (1950). The interval is that of a mean, on the
    logit scale of the range, with Student's t.

    Examples
    --------
    >>> p = np.array([0.1, 0.9, 0.8, 0.3])
    >>> round(brier(Scores.of([0, 1, 1, 0], np.column_stack([1 - p, p])), IntervalPlan()).estimate, 6)
    0.0375
    """
    if scores.n_classes == 2:
        losses = (scores.probabilities[:, scores.positive] - (scores.y == scores.positive)) ** 2
        most = 1.0
    else:
        hit = scores.y[:, np.newaxis] == np.arange(scores.n_classes)
        losses, most = ((scores.probabilities - hit) ** 2).sum(axis=1), 2.0
    mean, variance, df = _mean(losses, scores)
    rate = min(mean / most, 1.0)
    if 0 < rate < 1 and variance > 0:
        low, high = logit_ends(rate, variance / most**2, df, plan.level)
        ends, method = (most * low, most * high), "mean on the logit scale"
    else:  # all losses equal, or one row: the interval of a rate over as many rows
        size = kish(scores.weights) / scores.inflation
        part = wilson(rate * size, size, level=plan.level)
        ends, method = (most * part.low, most * part.high), "wilson"
    return around(mean, ends, plan, method, remarks=scores.remarks, limits=(0.0, most))


def log_loss(scores: Scores, plan: IntervalPlan) -> Interval:
    r"""Give the mean of :math:`-\log p_y`, the negative log-likelihood per row in nats.

    Probabilities are kept away from 0 and 1 by the spacing of doubles, as in scikit-learn. The interval is that of a
    mean, on the log scale, with Student's t; one confident and wrong row costs 36 and widens it greatly.

    Examples
    --------
    >>> p = np.array([0.5, 0.5])
    >>> print(log_loss(Scores.of([0, 1], np.column_stack([1 - p, p])), IntervalPlan()))
    0.693 [0.693, 0.693]
    """
    # A certain and wrong row would make the mean infinite.
    tiny = np.finfo(np.float64).eps
    given = scores.probabilities[np.arange(len(scores.y)), scores.y]
    mean, variance, df = _mean(-np.log(np.clip(given, tiny, 1 - tiny)), scores)
    ends: Ends = (mean, mean)
    if math.isnan(variance):
        ends = (0.0, math.inf)
    elif variance > 0:
        step = student(plan.level, df) * math.sqrt(variance) / mean
        ends = (mean * math.exp(-step), mean * math.exp(step) if step < 700 else math.inf)
    return around(mean, ends, plan, "mean on the log scale", remarks=scores.remarks, limits=(0.0, math.inf))


def calibration_error(scores: Scores, plan: IntervalPlan, *, n_bins: int = _BINS) -> Interval:
    r"""Give the expected calibration error: by how much probabilities miss the rates, on average.

    .. math:: ECE = \sum_b \frac{n_b}{n} |\bar y_b - \bar p_b|

    over ``n_bins`` bins of equal mass; tied probabilities share a bin. With two classes p is the positive
    class's probability and y whether the row is positive; with more, p is the probability of the decided class
    and y whether the decision is right.

    The average of absolute gaps is above 0 even for a calibrated model, so neither a bootstrap nor a standard
    error gives its interval. Here the bins' true gaps are taken as the observed ones times some t; the ends are
    the calibration errors :math:`t \cdot ECE` for which an ECE as large, or as small, as the one observed is just
    still plausible given the bins' sampling errors. The lower end is 0 where a calibrated model (t = 0) could
    have done as badly by chance. The upper end is at least the estimate, which errs upwards.

    Examples
    --------
    >>> p = np.repeat([0.2, 0.8], 50)
    >>> y = np.concatenate([np.repeat([0, 1], [35, 15]), np.repeat([0, 1], [10, 40])])
    >>> interval = calibration_error(Scores.of(y, np.column_stack([1 - p, p])), IntervalPlan())
    >>> round(interval.estimate, 3), interval.low
    (0.05, 0.0)
    """
    n_bins = check_count(n_bins, "n_bins", least=1, hint="10 is usual")
    masses, gaps, errors = _bins(scores, n_bins)
    value = float(masses @ np.abs(gaps))
    noise = errors * generator(plan.random_state).standard_normal((plan.n_resamples, len(gaps)))
    ends = _inverted(masses, gaps, noise, plan.level)
    if scores.inflation > 1:
        # With more noise a small ECE implies smaller gaps, so more noise need not give a wider interval.
        wide = _inverted(masses, gaps, math.sqrt(scores.inflation) * noise, plan.level)
        ends = min(ends[0], wide[0]), max(ends[1], wide[1])
    return around(
        value, ends, plan, f"simulation, {counted(len(gaps), 'bin')} with equally many rows", remarks=scores.remarks
    )


def calibration_value(scores: Scores) -> float:
    """Return the expected calibration error over ten bins, without the simulation that its interval needs.

    Examples
    --------
    >>> calibration_value(Scores.of([0, 1, 1, 1], [[0.5, 0.5]] * 4))
    0.25
    """
    masses, gaps, _ = _bins(scores, _BINS)
    return float(masses @ np.abs(gaps))


def _inverted(masses: Floats, gaps: Floats, noise: Floats, level: float) -> Ends:
    """Find the multiples of the gaps whose ECE, with this noise, makes the one observed just plausible."""
    value, tail = float(masses @ np.abs(gaps)), (1 - level) / 2
    if value == 0:
        # No gap was observed, so all the error is in the upper tail.
        return 0.0, float(np.quantile(np.abs(noise) @ masses, level))

    def drawn(t: float) -> Floats:
        values: Floats = np.abs(t * gaps + noise) @ masses
        return values

    low = 0.0
    if np.mean(drawn(0.0) >= value) <= tail:
        low = _crossing(lambda t: bool(np.mean(drawn(t) >= value) > tail), 0.0, 1.0)
    # Beyond 1 plus the largest noise every ECE drawn is above the one observed.
    widest = 1 + float((np.abs(noise) @ masses).max()) / value
    high = _crossing(lambda t: bool(np.mean(drawn(t) <= value) <= tail), 0.0, widest)
    return low * value, high * value


def _bins(scores: Scores, n_bins: int) -> tuple[Floats, Floats, Floats]:
    """Give the mass, the gap and its standard error of each bin."""
    if scores.n_classes == 2:
        p, y = scores.probabilities[:, scores.positive], scores.y == scores.positive
    else:
        p, y = scores.probabilities.max(axis=1), scores.decisions == scores.y
    distinct, place = np.unique(p, return_inverse=True)
    w = scores.weights / scores.weights.sum()
    mass = np.bincount(place, w, minlength=len(distinct))
    middle = mass.cumsum() - mass / 2  # all rows of one probability go into the bin of their middle
    _, bins = np.unique(np.minimum((n_bins * middle).astype(np.intp), n_bins - 1)[place], return_inverse=True)
    masses: Floats = np.bincount(bins, w).astype(np.float64)
    gaps = np.bincount(bins, w * (y - p)) / masses
    sizes = masses**2 / np.bincount(bins, w**2)
    # Half a case of each class: a bin without positives may still have a rate above 0.
    rates = (np.bincount(bins, w * y) / masses * sizes + 0.5) / (sizes + 1)
    return masses, gaps, np.sqrt(rates * (1 - rates) / sizes)


def _crossing(reached: Callable[[float], bool], start: float, stop: float) -> float:
    """Find by bisection where a condition that holds from some point on begins to hold."""
    # Forty halvings: beyond the precision of the simulation.
    for _ in range(40):
        middle = (start + stop) / 2
        start, stop = (start, middle) if reached(middle) else (middle, stop)
    return stop


def _mean(losses: Floats, scores: Scores) -> tuple[float, float, float]:
    """Give the weighted mean, its variance (NaN for one row) and the degrees of freedom."""
    mean, w = scores.mean(losses), scores.weights / scores.weights.sum()
    size = kish(w)
    if size - 1 < 1e-9:
        return mean, math.nan, math.nan
    variance = float(w**2 @ (losses - mean) ** 2) * size / (size - 1) * scores.inflation
    return mean, variance, size - 1
