"""Bootstrap intervals of any statistic: percentile and BCa, in memory that does not grow with the resamples."""

from __future__ import annotations

import inspect
import math
import numbers
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from shiftproof.core import Interval, Phrase, Seed, check_choice, check_count, check_fraction, fault, generator, listed

BootstrapMethod = Literal["bca", "percentile"]

# Values of each array in memory at a time, about a million.
_BATCH_VALUES = 2**20
# The jackknife leaves out one row at a time, or one of at most this many groups of rows.
_MOST_GROUPS = 1000


def bootstrap(
    data: ArrayLike | tuple[ArrayLike, ...],
    statistic: Callable[..., Any],
    *,
    level: float = 0.95,
    method: BootstrapMethod = "bca",
    n_resamples: int = 2000,
    random_state: Seed = None,
    limits: tuple[float, float] | None = None,
    vectorized: bool = True,
) -> Interval:
    r"""Return the bootstrap interval of a statistic.

    The rows of the data are drawn with replacement, and the statistic is computed on each resample. The ends of
    ``"percentile"`` are the quantiles :math:`\alpha/2` and :math:`1 - \alpha/2` of these values; those of
    ``"bca"`` are the quantiles

    .. math:: \Phi\Big(z_0 + \frac{z_0 \pm z}{1 - a (z_0 \pm z)}\Big),

    where :math:`z_0` is the normal quantile of the share of values below the estimate and a, a sixth of the
    skewness of the jackknife's influences, measures how the spread changes with the parameter (Efron 1987).

    Parameters
    ----------
    data : array-like of shape (n, ...), or tuple of such
        One array, or several whose rows belong together, such as labels and predictions.
    statistic : callable
        Called as ``statistic(*arrays, axis=1)`` with arrays of shape (n_batch, n, ...): axis 0 counts resamples
        and axis 1 rows. It returns n_batch numbers, as ``np.mean`` does.
    level : float
        The nominal coverage.
    method : {"bca", "percentile"}
        BCa corrects for bias and skewness. It is undefined if the statistic hardly varies. The interval is
        then the percentile one, and its method says so.
    n_resamples : int
        The number of resamples, at least 100.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed.
    limits : tuple of two floats, optional
        The range of the measure, such as ``(0, 1)``; the interval stays within it.
    vectorized : bool
        False to call ``statistic(*arrays)`` on one resample of shape (n, ...) at a time.

    Returns
    -------
    Interval
        With the statistic of the data as estimate. Resamples on which the statistic is not finite are left out
        and counted in the method.

    Notes
    -----
    With more than 1,000 rows, the jackknife leaves out up to 1,000 random groups of equal size instead of single rows;
    the error of a is then about 0.65 divided by the number of groups.

    Examples
    --------
    >>> waits = [3, 5, 7, 18, 43, 85, 91, 98, 100, 130, 230, 487]
    >>> print(bootstrap(waits, np.mean, random_state=0))
    108.083 [56.834, 213.738]

    The accuracy of predictions is a statistic of pairs:

    >>> y, predicted = np.tile([0, 1, 1, 0], 25), np.tile([0, 1, 0, 0], 25)
    >>> accuracy = lambda y, predicted, axis: (y == predicted).mean(axis)
    >>> print(bootstrap((y, predicted), accuracy, limits=(0, 1), random_state=0))
    0.750 [0.660, 0.830]
    """
    sample = _Sample.of(data, "data", statistic, vectorized)
    plan = _Plan.of(level, method, n_resamples, limits)
    rng = generator(random_state)
    estimate = sample.estimate()  # first, to fail early if the statistic does not fit
    return plan.interval(estimate, sample.replicates(plan.n_resamples, rng), lambda: sample.influences(rng))


def bootstrap_difference(
    first: ArrayLike | tuple[ArrayLike, ...],
    second: ArrayLike | tuple[ArrayLike, ...],
    statistic: Callable[..., Any],
    *,
    level: float = 0.95,
    method: BootstrapMethod = "bca",
    n_resamples: int = 2000,
    random_state: Seed = None,
    limits: tuple[float, float] | None = None,
    vectorized: bool = True,
) -> Interval:
    """Return the bootstrap interval of the difference of a statistic between two independent samples.

    Each sample is resampled on its own, with its own size. For paired samples use :func:`bootstrap` with a
    statistic of both.

    Parameters
    ----------
    first, second : array-like of shape (n, ...), or tuple of such
        The two samples; their sizes may differ.
    statistic : callable
        Computed on each sample, as in :func:`bootstrap`; the estimate is that of the first minus the second.
    level, method, n_resamples, random_state, vectorized
        As in :func:`bootstrap`.
    limits : tuple of two floats, optional
        The range of the difference, such as ``(-1, 1)``.

    Returns
    -------
    Interval
        The interval of the difference.

    Examples
    --------
    >>> print(bootstrap_difference([94, 197, 16, 38, 99, 141, 23], [52, 104, 146, 10, 51, 30, 40, 27, 46], np.mean,
    ...                            method="percentile", random_state=0))
    30.635 [-23.858, 84.071]
    """
    one, two = _Sample.of(first, "first", statistic, vectorized), _Sample.of(second, "second", statistic, vectorized)
    plan = _Plan.of(level, method, n_resamples, limits)
    rng = generator(random_state)
    estimate = one.estimate() - two.estimate()
    replicates, others = one.replicates(plan.n_resamples, rng), two.replicates(plan.n_resamples, rng)
    with np.errstate(invalid="ignore"):  # infinite in both samples: NaN, left out like any undefined value
        replicates = replicates - others
    return plan.interval(estimate, replicates, lambda: np.concatenate([one.influences(rng), -two.influences(rng)]))


@dataclass(frozen=True, eq=False)
class _Sample:
    """Rows that are drawn together, and what is computed on them."""

    arrays: tuple[NDArray[Any], ...]
    statistic: Callable[..., Any]
    vectorized: bool

    @classmethod
    def of(cls, data: object, name: str, statistic: Callable[..., Any], vectorized: bool) -> _Sample:
        """Check the caller's arguments."""
        arrays = tuple(_array(item, name) for item in (data if isinstance(data, tuple) else (data,)))
        sizes = [len(array) if array.ndim else 0 for array in arrays]
        if min(sizes, default=0) < 2:
            raise fault(name, "hold at least 2 rows", min(sizes, default=0), "one row has no spread to resample")
        if len(set(sizes)) > 1:
            raise fault(
                f"the arrays of {name}",
                "have the same length",
                Phrase(listed(sizes)),
                "their rows are resampled together",
            )
        if not callable(statistic):
            raise fault("statistic", "be a function", statistic, "np.mean is one")
        if vectorized and not _takes_axis(statistic, len(arrays)):
            hint = "add the parameter axis, or pass vectorized=False"
            raise fault("statistic", f"accept {len(arrays)} array{'s' * (len(arrays) > 1)} and axis", statistic, hint)
        return cls(arrays, statistic, vectorized)

    def estimate(self) -> float:
        """Compute the statistic of the data."""
        value = float(self._values(np.arange(len(self.arrays[0]))[np.newaxis])[0])
        if not math.isfinite(value):
            raise fault("statistic", "be finite on the data", value, "drop missing values, or choose another statistic")
        return value

    def replicates(self, n_resamples: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Compute the statistic of rows drawn with replacement."""
        n = len(self.arrays[0])
        batches = [self._values(rng.integers(n, size=(stop - start, n))) for start, stop in self._batches(n_resamples)]
        return np.concatenate(batches)

    def influences(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Compute by how much each row, or each group of rows, moves the statistic."""
        n = len(self.arrays[0])
        size = math.ceil(n / _MOST_GROUPS)
        n_groups = n // size
        # Neighbouring rows may be similar, so groups are drawn at random.
        order = rng.permutation(n) if size > 1 else np.arange(n)
        kept = np.arange(n - size)
        left_out = []
        for start, stop in self._batches(n_groups):
            gap = size * np.arange(start, stop)[:, np.newaxis]
            left_out.append(self._values(order[kept + size * (kept >= gap)]))
        values = np.concatenate(left_out)
        moved: NDArray[np.float64] = (values.mean() - values) * (n_groups - 1) / n_groups
        return moved

    def _batches(self, count: int) -> Iterator[tuple[int, int]]:
        step = max(1, _BATCH_VALUES // max(1, *(array.size for array in self.arrays)))
        return ((start, min(start + step, count)) for start in range(0, count, step))

    def _values(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Compute the statistic once for each row of ``rows``, which are row numbers of the data."""
        if not self.vectorized:
            return np.array([_number(self.statistic(*(array[row] for array in self.arrays))) for row in rows])
        values = np.asarray(self.statistic(*(array[rows] for array in self.arrays), axis=1))
        if values.shape != (len(rows),) or values.dtype.kind not in "fiub":
            hint = "work along axis, or pass vectorized=False"
            raise fault("statistic", "return one number per resample", values, hint)
        return values.astype(np.float64)


@dataclass(frozen=True)
class _Plan:
    """How to make an interval of replicates."""

    level: float
    method: str
    n_resamples: int
    limits: tuple[float, float]

    @classmethod
    def of(cls, level: float, method: BootstrapMethod, n_resamples: int, limits: object) -> _Plan:
        """Check the caller's arguments."""
        return cls(
            check_fraction(level, "level", hint="0.95 means 95%"),
            check_choice(method, "method", ("bca", "percentile")),
            check_count(n_resamples, "n_resamples", least=100, hint="2000 is usual"),
            (-math.inf, math.inf) if limits is None else _check_limits(limits),
        )

    def interval(
        self, estimate: float, replicates: NDArray[np.float64], influences: Callable[[], NDArray[np.float64]]
    ) -> Interval:
        """Make the interval; the influences are computed only if they are needed."""
        least, most = self.limits
        # A rate computed by the caller may leave its range by rounding.
        slack = 1e-9 * max(1.0, abs(estimate))
        if not least - slack <= estimate <= most + slack:
            raise fault("limits", f"hold the estimate {estimate:g}", self.limits, "give the range of the measure")
        defined = replicates[np.isfinite(replicates)]
        if 2 * len(defined) < len(replicates):
            rule = f"be finite on at least half of the {len(replicates)} resamples"
            raise fault("statistic", rule, len(defined), "collect more rows")
        tails = np.array([(1 - self.level) / 2, (1 + self.level) / 2])
        name, remarks = self.method, []
        if self.method == "bca":
            corrected = _bca_tails(tails, estimate, defined, influences)
            if corrected is None:
                name, remarks = "percentile", ["bca undefined"]
            else:
                tails = corrected
        if len(defined) < len(replicates):
            remarks.append(f"{len(replicates) - len(defined)} of {len(replicates)} resamples undefined")
        low, high = np.clip(np.quantile(defined, tails), least, most)
        return Interval(
            estimate=min(max(estimate, least), most),
            low=float(low),
            high=float(high),
            level=self.level,
            method=f"{name} ({'; '.join(remarks)})" if remarks else name,
        )


def _bca_tails(
    tails: NDArray[np.float64],
    estimate: float,
    replicates: NDArray[np.float64],
    influences: Callable[[], NDArray[np.float64]],
) -> NDArray[np.float64] | None:
    """Correct the tail probabilities for bias and skewness; None if that is undefined."""
    # Half of the replicates that equal the estimate count as below it, as for any discrete statistic.
    below = (np.mean(replicates < estimate) + np.mean(replicates <= estimate)) / 2
    if not 0 < below < 1 or replicates.min() == replicates.max():
        return None
    influence = influences()
    scale = np.abs(influence).max()
    if not 0 < scale < math.inf:
        return None
    influence = influence / scale  # tiny or huge ones must survive their third power
    acceleration = (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)
    shifted = special.ndtri(below) + special.ndtri(tails)
    shrink = 1 - acceleration * shifted
    if shrink.min() <= 0:
        return None
    corrected: NDArray[np.float64] = special.ndtr(special.ndtri(below) + shifted / shrink)
    return corrected


def _takes_axis(statistic: Callable[..., Any], n_arrays: int) -> bool:
    try:
        inspect.signature(statistic).bind(*range(n_arrays), axis=1)
    except TypeError:
        return False
    except ValueError:  # some built-in functions have no signature to ask
        return True
    return True


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise fault("statistic", "return one number", value, "reduce it to a float") from None


def _array(values: object, name: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError:
        raise fault(name, "have rows of the same shape", values, "give several arrays as a tuple") from None


def _check_limits(limits: object) -> tuple[float, float]:
    pair = limits if isinstance(limits, (tuple, list)) else ()
    if len(pair) != 2 or not all(isinstance(end, numbers.Real) for end in pair) or not pair[0] < pair[1]:
        raise fault("limits", "be two numbers, the lower first", limits, "(0, 1) fits a rate")
    return float(pair[0]), float(pair[1])
