"""Tests by ranks: several methods over the same data sets, or two methods in pairs.

A table has one row per block (a data set, a fold, a bootstrap) and one column per method.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from shiftproof.core import (
    Phrase,
    check_choice,
    check_count,
    check_fraction,
    check_matrix,
    check_vector,
    counted,
    fault,
)
from shiftproof.stats._result import TestResult

Alternative = Literal["two-sided", "greater", "less"]
PostHoc = Literal["nemenyi", "bonferroni-dunn", "single"]
Spread = Literal["observed", "ranks"]
ZeroMethod = Literal["wilcox", "pratt", "zsplit"]

# As in SciPy: without ties up to 50 differences, with ties or zeros up to 13.
_LARGEST_EXACT = 50
_LARGEST_EXACT_TIED = 13

_ALTERNATIVES = ("two-sided", "greater", "less")
_ZERO_METHODS = ("wilcox", "pratt", "zsplit")
_ALL_TIED = "all methods are tied in every block"
_ALL_ZERO = "all differences are zero"


def rank_rows(losses: ArrayLike, *, ascending: bool = True) -> NDArray[np.float64]:
    """Rank the methods within each block; ties share the average of their ranks.

    Parameters
    ----------
    losses : array-like of shape (n_blocks, n_methods)
        One row per block, one column per method.
    ascending : bool
        Whether the smallest value gets rank 1 (losses); False for scores, where the largest does.

    Returns
    -------
    ndarray of shape (n_blocks, n_methods)
        Ranks from 1 to ``n_methods``.

    Examples
    --------
    >>> rank_rows([[0.1, 0.3, 0.2], [0.5, 0.5, 0.4]])
    array([[1. , 3. , 2. ],
           [2.5, 2.5, 1. ]])
    """
    from scipy.stats import rankdata

    values = check_matrix(losses, "losses")
    ranks: NDArray[np.float64] = rankdata(values if ascending else -values, axis=1)
    return ranks


def friedman(table: ArrayLike, *, ranked: bool = False, spread: Spread = "observed") -> TestResult:
    r"""Test whether the methods differ in their ranks (Friedman 1937), corrected for ties.

    With :math:`a_{ij}` the rank of method j in block i minus the mean rank of its block,

    .. math:: \chi^2_F = (k - 1) \frac{\sum_j (\sum_i a_{ij})^2}{\sum_{ij} a_{ij}^2},

    to be compared with :math:`\chi^2` of k - 1 degrees of freedom; without ties this is eq. 4.2 of Barranquero
    (2013), :math:`\frac{12 N}{k (k + 1)} [\sum_j R_j^2 - k (k + 1)^2 / 4]`, with :math:`R_j` the mean rank of method j.
    Bootstraps of one set of predictions are not independent blocks: p goes to 0 as their number grows.

    Parameters
    ----------
    table : array-like of shape (n_blocks, n_methods)
        Losses or scores; at least two blocks and two methods.
    ranked : bool
        Whether the table already holds ranks, such as a data set's mean ranks over several prevalences.
    spread : {"observed", "ranks"}
        How much ranks vary by chance: as much as the ranks in the table ("observed"), or as much as ranks 1 to k
        without ties ("ranks"). "ranks" is eq. 4.2 as printed. Mean ranks of a data set vary less than ranks, so "ranks"
        finds fewer differences.

    Returns
    -------
    TestResult
        If all values within every block are tied, the statistic is 0 and p is 1, with a note.

    Examples
    --------
    >>> result = friedman([[0.1, 0.2, 0.3], [0.2, 0.3, 0.5], [0.1, 0.4, 0.3], [0.3, 0.4, 0.6]])
    >>> result.statistic, round(result.p_value, 4)
    (6.5, 0.0388)
    """
    between, total, (_, k) = _rank_spread(table, ranked, spread)
    method = "friedman, chi-square" if spread == "observed" else "friedman, chi-square (spread of ranks)"
    if total == 0:
        return TestResult(statistic=0.0, p_value=1.0, method=method, note=_ALL_TIED)
    statistic = (k - 1) * between / total
    return TestResult(statistic=statistic, p_value=float(special.chdtrc(k - 1, statistic)), method=method)


def iman_davenport(table: ArrayLike, *, ranked: bool = False, spread: Spread = "observed") -> TestResult:
    r"""Test whether the methods differ in their ranks, by the F statistic of Iman and Davenport (1980).

    With :math:`\chi^2_F` of :func:`friedman`, N blocks and k methods,

    .. math:: F_F = \frac{(N - 1) \chi^2_F}{N (k - 1) - \chi^2_F}

    (eq. 4.3 of Barranquero 2013) with k - 1 and (k - 1)(N - 1) degrees of freedom. If every block has the
    same ranks, F is infinite, and p is the exact probability that all blocks agree with the first by chance.

    Parameters
    ----------
    table : array-like of shape (n_blocks, n_methods)
        Losses or scores; at least two blocks and two methods.
    ranked : bool
        Whether the table already holds ranks.
    spread : {"observed", "ranks"}
        As in :func:`friedman`.

    Returns
    -------
    TestResult
        If all values within every block are tied, the statistic is 0 and p is 1, with a note.

    Examples
    --------
    >>> result = iman_davenport([[0.1, 0.2, 0.3], [0.2, 0.3, 0.5], [0.1, 0.4, 0.3], [0.3, 0.4, 0.6]])
    >>> round(result.statistic, 4), round(result.p_value, 4)
    (13.0, 0.0066)
    """
    between, total, (n, k) = _rank_spread(table, ranked, spread)
    method = "iman-davenport, F" if spread == "observed" else "iman-davenport, F (spread of ranks)"
    if total == 0:
        return TestResult(statistic=0.0, p_value=1.0, method=method, note=_ALL_TIED)
    residual = n * total - between
    # Ranks are multiples of 1/2, so the residual is exact; given mean ranks are rounded.
    if residual <= 1e-13 * n * total:
        note = "every block ranks the methods the same way"
        return TestResult(statistic=math.inf, p_value=_all_alike(table, ranked), method=method, note=note)
    statistic = (n - 1) * between / residual
    p_value = float(special.fdtrc(k - 1, (k - 1) * (n - 1), statistic))
    return TestResult(statistic=statistic, p_value=p_value, method=method)


def critical_value(k: int, *, alpha: float = 0.05, test: PostHoc = "nemenyi") -> float:
    r"""Return the critical value of a post-hoc test of k methods, in standard errors of a rank difference.

    Nemenyi (every method against every other): the upper ``alpha`` quantile of the range of k standard normal
    variables, divided by :math:`\sqrt 2`. Bonferroni-Dunn (every method against one): the normal quantile
    :math:`z_{1 - \alpha / (2 (k - 1))}`. A single pair that was chosen beforehand: :math:`z_{1 - \alpha / 2}`; its
    p-values can be adjusted, for example by `holm`. Barranquero (2013), Table 4.2, has the first two for k up to 10;
    its Bonferroni-Dunn entry for k = 9 at 0.05, 2.724, is a misprint of the 2.734 given here.

    Parameters
    ----------
    k : int
        The number of methods, at least 2.
    alpha : float
        The probability of finding any difference where there is none.
    test : {"nemenyi", "bonferroni-dunn", "single"}
        All pairs, all against one, or one pair.

    Returns
    -------
    float
        Two methods differ if their mean ranks are more than this many standard errors apart.

    Examples
    --------
    >>> round(critical_value(10), 3), round(critical_value(9, test="bonferroni-dunn"), 3)
    (3.164, 2.734)
    """
    k = check_count(k, "k", least=2, hint="compare two or more methods")
    # Levels beyond these limits make no practical difference, and within them nothing under- or overflows.
    alpha = min(max(check_fraction(alpha, "alpha"), 1e-200), 1 - 1e-9)
    check_choice(test, "test", tuple(_CRITICAL_VALUES))
    return _CRITICAL_VALUES[test](k, alpha)


def critical_difference(k: int, n: int, *, alpha: float = 0.05, test: PostHoc = "nemenyi") -> float:
    r"""Return the difference between two mean ranks from which two methods differ significantly.

    .. math:: CD = q_\alpha \sqrt{\frac{k (k + 1)}{6 N}}

    with :math:`q_\alpha` of :func:`critical_value` (eq. 4.4 of Barranquero 2013).

    Parameters
    ----------
    k : int
        The number of methods, at least 2.
    n : int
        The number of independent blocks N: data sets, not tests done on them.
    alpha : float
        The probability of finding any difference where there is none.
    test : {"nemenyi", "bonferroni-dunn", "single"}
        All pairs, all against one, or one pair.

    Returns
    -------
    float
        In ranks.

    Examples
    --------
    >>> round(critical_difference(10, 24), 3)
    2.765
    """
    n = check_count(n, "n", least=2, hint="give the number of data sets in the comparison")
    q = critical_value(k, alpha=alpha, test=test)
    return q * math.sqrt(k * (k + 1) / (6 * n))


def post_hoc_p_value(difference: float, k: int, n: int, *, test: PostHoc = "nemenyi") -> float:
    r"""Return the p-value of the difference between two of k mean ranks over n blocks, adjusted for all comparisons.

    With :math:`z = |R_i - R_j| / \sqrt{k (k + 1) / (6 N)}` (eq. 4.5 of Barranquero 2013), Nemenyi's p-value is the
    probability that the range of k standard normal variables exceeds :math:`z \sqrt 2`. Bonferroni-Dunn's is the
    two-sided normal tail times k - 1, and that of a single pair is this tail alone. The p-value is at most ``alpha``
    exactly if the difference reaches :func:`critical_difference`.

    Parameters
    ----------
    difference : float
        The difference of two mean ranks, of any sign.
    k : int
        The number of methods, at least 2.
    n : int
        The number of independent blocks.
    test : {"nemenyi", "bonferroni-dunn", "single"}
        All pairs, all against one, or one pair.

    Returns
    -------
    float
        At most 1.

    Examples
    --------
    >>> round(post_hoc_p_value(critical_difference(10, 24), 10, 24), 6)
    0.05
    """
    k = check_count(k, "k", least=2, hint="compare two or more methods")
    n = check_count(n, "n", least=2, hint="give the number of data sets in the comparison")
    check_choice(test, "test", tuple(_CRITICAL_VALUES))
    z = abs(float(check_vector([difference], "difference")[0])) / math.sqrt(k * (k + 1) / (6 * n))
    if test == "nemenyi":
        return min(_range_tail(z * math.sqrt(2), k), 1.0)
    comparisons = k - 1 if test == "bonferroni-dunn" else 1
    return min(2 * comparisons * float(special.ndtr(-z)), 1.0)


def wilcoxon(
    x: ArrayLike,
    y: ArrayLike | None = None,
    *,
    zero_method: ZeroMethod = "wilcox",
    alternative: Alternative = "two-sided",
) -> TestResult:
    r"""Test whether paired differences are symmetric about zero (Wilcoxon's signed-rank test).

    The absolute differences are ranked, and :math:`R^+` adds up the ranks :math:`r_i` of the positive ones. The p-value
    counts sign patterns (up to 50 differences without ties or zeros, 13 with them) or treats :math:`R^+` as normal with
    mean :math:`\sum r_i / 2` and variance :math:`\sum r_i^2 / 4`, which corrects for ties, without a continuity
    correction.

    Parameters
    ----------
    x : array-like of shape (n,)
        Differences, or the first of the paired samples.
    y : array-like of shape (n,), optional
        The second sample; the differences are ``x - y``.
    zero_method : {"wilcox", "pratt", "zsplit"}
        Leave zero differences out before ranking, after ranking, or share their ranks between both signs.
    alternative : {"two-sided", "greater", "less"}
        Whether ``x`` differs from, is above, or is below ``y``.

    Returns
    -------
    TestResult
        The statistic is the smaller of :math:`R^+` and :math:`R^-` if two-sided, otherwise :math:`R^+`. If all
        differences are zero, the statistic is 0 and p is 1, with a note.

    Examples
    --------
    >>> result = wilcoxon([1.1, 2.3, -0.4, 3.2, 0.9, 2.8])
    >>> result.statistic, result.p_value, result.method
    (1.0, 0.0625, 'wilcoxon signed-rank, exact')
    """
    differences = _differences(x, y)
    check_choice(zero_method, "zero_method", _ZERO_METHODS)
    check_choice(alternative, "alternative", _ALTERNATIVES)
    n, n_zeros = len(differences), int((differences == 0).sum())
    if n_zeros == n:
        return TestResult(statistic=0.0, p_value=1.0, method="wilcoxon signed-rank, exact", note=_ALL_ZERO)
    ranks, signs = _signed_ranks(differences, zero_method)
    r_plus = float(ranks @ (1 + signs)) / 2  # a zero that is not left out gives half its rank
    r_minus = float(ranks @ (1 - signs)) / 2
    tied = n_zeros > 0 or len(np.unique(ranks)) < n
    if n <= (_LARGEST_EXACT_TIED if tied else _LARGEST_EXACT):
        how, (below, above) = "exact", _exact_tails(ranks[signs != 0], ranks[signs > 0])
    else:
        z = (r_plus - r_minus) / math.sqrt(float(ranks @ ranks))
        how, below, above = "normal approximation", float(special.ndtr(z)), float(special.ndtr(-z))
    return TestResult(
        statistic=min(r_plus, r_minus) if alternative == "two-sided" else r_plus,
        p_value=_p_value(below, above, alternative),
        method=f"wilcoxon signed-rank, {how}",
        note=_about_zeros(n_zeros, "shared out" if zero_method == "zsplit" else "left out"),
    )


def sign_test(x: ArrayLike, y: ArrayLike | None = None, *, alternative: Alternative = "two-sided") -> TestResult:
    r"""Test exactly whether paired differences are above zero as often as below.

    The number of positive differences is Binomial(m, 1/2), where m differences are not zero; the two-sided p-value is
    twice the smaller tail, at most 1.

    Parameters
    ----------
    x : array-like of shape (n,)
        Differences, or the first of the paired samples.
    y : array-like of shape (n,), optional
        The second sample; the differences are ``x - y``.
    alternative : {"two-sided", "greater", "less"}
        Whether ``x`` differs from, is above, or is below ``y``.

    Returns
    -------
    TestResult
        The statistic is the number of positive differences; the note counts the zeros left out.

    Examples
    --------
    >>> result = sign_test([1, 2, 3, 4, 5, 6, 7, 8, -1, -2, 0])
    >>> result.statistic, round(result.p_value, 6), result.note
    (8.0, 0.109375, '1 zero difference left out')
    """
    differences = _differences(x, y)
    check_choice(alternative, "alternative", _ALTERNATIVES)
    positive, negative = int((differences > 0).sum()), int((differences < 0).sum())
    if positive + negative == 0:
        return TestResult(statistic=0.0, p_value=1.0, method="sign test, exact", note=_ALL_ZERO)
    # P(X <= s) of Binomial(m, 1/2) is the same as P(X >= m - s).
    below, above = (float(special.bdtr(count, positive + negative, 0.5)) for count in (positive, negative))
    return TestResult(
        statistic=float(positive),
        p_value=_p_value(below, above, alternative),
        method="sign test, exact",
        note=_about_zeros(len(differences) - positive - negative, "left out"),
    )


def _rank_spread(table: ArrayLike, ranked: bool, spread: Spread) -> tuple[float, float, tuple[int, int]]:
    """Return the squared column sums of the centred ranks, their squared entries, and the table's shape."""
    check_choice(spread, "spread", ("observed", "ranks"))
    values = check_matrix(table, "table")
    n, k = values.shape
    if min(n, k) < 2:
        raise fault(
            "table",
            "have at least 2 rows and 2 columns",
            Phrase(f"{counted(n, 'row')} and {counted(k, 'column')}"),
            "one row per block, one column per method",
        )
    ranks = values if ranked else rank_rows(values)
    # The mean of k ranks is known; computing it would cost the exactness of half integers.
    centred = ranks - (ranks.mean(axis=1, keepdims=True) if ranked else (k + 1) / 2)
    between, total = float((centred.sum(axis=0) ** 2).sum()), float((centred**2).sum())
    if total <= 1e-24 * float((ranks**2).sum()):  # given ranks that differ only by rounding
        return 0.0, 0.0, (n, k)
    # The squares of 1 to k about their mean add up to k (k^2 - 1) / 12.
    return between, n * k * (k * k - 1) / 12 if spread == "ranks" else total, (n, k)


def _all_alike(table: ArrayLike, ranked: bool) -> float:
    """Give the probability that blocks which order the same ranks by chance all have the order of the first."""
    values = check_matrix(table, "table")
    _, tied = np.unique(values[0].round(9) if ranked else rank_rows(values[:1]), return_counts=True)
    orders = math.factorial(values.shape[1]) // math.prod(map(math.factorial, tied.tolist()))
    return math.exp(-(len(values) - 1) * math.log(orders))


def _nemenyi_value(k: int, alpha: float) -> float:
    # A single pair has a smaller quantile; the union bound over all pairs is above it.
    low, high = -special.ndtri(alpha / 2), -special.ndtri(alpha / (k * (k - 1)))
    if k == 2:
        return float(low)

    def excess(q: float) -> float:
        return math.log(_range_tail(q * math.sqrt(2), k) / alpha)

    return float(optimize.brentq(excess, low, high * (1 + 1e-9), xtol=1e-12))


def _range_tail(width: float, k: int) -> float:
    r"""Give the probability that k standard normal variables spread wider than ``width``.

    With the smallest at z, the k - 1 others are above it, and not all within the width:
    :math:`\int k \varphi(z) S(z)^{k-1} [1 - (1 - S(z + w)/S(z))^{k-1}] dz`, where S = 1 - Phi. All terms are
    positive, so small tails keep their digits; the trapezoid rule is exact to rounding for such bell shapes.
    """
    step = 0.02
    z = np.arange(-40, 10, step)
    log_survival = special.log_ndtr(-z)
    beyond = np.exp(special.log_ndtr(-z - width) - log_survival)
    with np.errstate(divide="ignore"):  # far below, the others are always beyond: log 0 is the right limit
        some_beyond = -np.expm1((k - 1) * np.log1p(-beyond))
    smallest = k * np.exp((k - 1) * log_survival - z * z / 2) / math.sqrt(2 * math.pi)
    return float(step * (smallest @ some_beyond))


def _bonferroni_dunn_value(k: int, alpha: float) -> float:
    return -float(special.ndtri(alpha / (2 * (k - 1))))


def _single_value(_: int, alpha: float) -> float:
    return -float(special.ndtri(alpha / 2))


_CRITICAL_VALUES = {"nemenyi": _nemenyi_value, "bonferroni-dunn": _bonferroni_dunn_value, "single": _single_value}


def _differences(x: ArrayLike, y: ArrayLike | None) -> NDArray[np.float64]:
    first = check_vector(x, "x")
    if y is None:
        return first
    second = check_vector(y, "y")
    if len(first) != len(second):
        got = Phrase(f"{len(first):,} and {len(second):,} values")
        raise fault("x and y", "have the same length", got, "a paired test needs both values of every pair")
    with np.errstate(over="ignore"):  # an infinite difference is still the largest one
        return first - second


def _signed_ranks(
    differences: NDArray[np.float64], zero_method: ZeroMethod
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ranks of the absolute differences that take part, and their signs."""
    from scipy.stats import rankdata

    signs = np.sign(differences)
    if zero_method == "wilcox":
        differences, signs = differences[signs != 0], signs[signs != 0]
    ranks = rankdata(np.abs(differences))
    if zero_method == "pratt":
        ranks, signs = ranks[signs != 0], signs[signs != 0]
    return ranks, signs


def _exact_tails(ranks: NDArray[np.float64], positive: NDArray[np.float64]) -> tuple[float, float]:
    """Count the sign patterns whose positive ranks sum to at most, and to at least, the observed sum."""
    doubled = (2 * ranks).astype(int)  # ranks are multiples of 1/2
    patterns = np.zeros(doubled.sum() + 1)  # how many patterns give each sum
    patterns[0] = 1
    for rank in doubled:
        patterns[rank:] += patterns[:-rank]
    observed = int(2 * positive.sum())
    everything = 2.0 ** len(ranks)
    return float(patterns[: observed + 1].sum() / everything), float(patterns[observed:].sum() / everything)


def _p_value(below: float, above: float, alternative: Alternative) -> float:
    return {"less": below, "greater": above, "two-sided": min(1.0, 2 * min(below, above))}[alternative]


def _about_zeros(n_zeros: int, fate: str) -> str:
    return f"{n_zeros} zero difference{'s' * (n_zeros != 1)} {fate}" if n_zeros else ""
