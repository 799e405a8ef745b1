"""Tests of two learning schemes: which is better, by how much, and whether by more than chance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from shiftproof.core import (
    Interval,
    Phrase,
    check_choice,
    check_count,
    check_fraction,
    check_matrix,
    check_vector,
    fault,
    listed,
    p_words,
    shown,
)
from shiftproof.stats._ranks import wilcoxon

VCForm = Literal["vapnik", "printed"]

# As `wilcoxon` without ties: up to this many differences all sign patterns are counted.
_EXACT_UP_TO = 50


@dataclass(frozen=True, kw_only=True)
class SchemeComparison:
    """The difference between two schemes, A minus B, and whether it is more than chance.

    Parameters
    ----------
    difference : Interval
        How much higher A scores than B, with its interval.
    statistic : float
        The test statistic.
    p_value : float
        Two-sided, between 0 and 1.
    method : str
        The test.
    names : tuple of two str
        The names of A and B.
    higher_is_better : bool
        Whether the compared scores are better the higher they are; False for errors and losses.

    Examples
    --------
    >>> interval = Interval(estimate=0.012, low=0.003, high=0.021, level=0.95, method="corrected t")
    >>> result = SchemeComparison(difference=interval, statistic=2.7, p_value=0.0096, method="corrected resampled t")
    >>> print(result.sentence())
    A is better by 1.2 points [0.3, 2.1] (p = 0.0096).
    """

    difference: Interval
    statistic: float
    p_value: float
    method: str
    names: tuple[str, str] = ("A", "B")
    higher_is_better: bool = True

    def sentence(self, *, points: bool = True) -> str:
        """Return in one sentence which is better, or that there is no evidence.

        Parameters
        ----------
        points : bool
            Whether the scores are shares, written in percentage points; False for losses, written as plain numbers.

        Returns
        -------
        str
        """
        scale, digits, unit = (100.0, 1, " points") if points else (1.0, 3, "")
        better, worse = self.names
        gap, low, high = self.difference.estimate, self.difference.low, self.difference.high
        sign = 1.0 if self.higher_is_better else -1.0
        # The interval and the test agree: a p-value of exactly alpha is significant, except for rounding.
        significant = self.p_value < 1 - self.difference.level + 1e-12
        # Name the better one first, with a positive difference.
        if significant and gap * sign < 0:
            better, worse, sign = worse, better, -sign
        if sign < 0:
            gap, low, high = -gap, -high, -low
        ends = f"{gap * scale:.{digits}f}{unit} [{low * scale:.{digits}f}, {high * scale:.{digits}f}]"
        p = p_words(self.p_value)
        if significant:
            return f"{better} is better by {ends} ({p})."
        return f"There is no evidence that {better} and {worse} differ: {better} is ahead by {ends} ({p})."


def corrected_resampled_t(
    differences: ArrayLike,
    *,
    test_share: float | None = None,
    n_train: float | None = None,
    n_test: float | None = None,
    level: float = 0.95,
    names: tuple[str, str] = ("A", "B"),
    higher_is_better: bool = True,
) -> SchemeComparison:
    r"""Compare two schemes by repeated splits, corrected for overlapping training sets (Nadeau and Bengio 2003).

    .. math:: t = \frac{\bar d}{\sqrt{(1/J + n_{test}/n_{train}) s^2}}

    with J - 1 degrees of freedom, where the J differences have mean :math:`\bar d` and variance :math:`s^2`. The
    usual t test omits :math:`n_{test}/n_{train}` and finds a difference as soon as there are enough repeats.

    Parameters
    ----------
    differences : array-like of shape (J,)
        The score of A minus that of B on the same test part of each split, such as the 100 folds of ten times
        ten-fold cross-validation.
    test_share : float, optional
        The share of the rows in a test part, such as 0.1 for ten folds. Give it, or ``n_train`` and ``n_test``.
    n_train, n_test : float, optional
        The rows in a training and in a test part.
    level : float
        The nominal coverage of the interval.
    names : tuple of two str
        The names of A and B.
    higher_is_better : bool
        False if the differences are of errors or losses.

    Returns
    -------
    SchemeComparison
        If all differences are equal, the interval is that single value, and p is 1 if it is 0, otherwise 0.

    Examples
    --------
    >>> result = corrected_resampled_t([0.02, 0.01, 0.03, 0.0, 0.02, 0.04, 0.01, 0.02, 0.03, 0.02], test_share=0.1)
    >>> round(result.statistic, 3), round(result.p_value, 4)
    (3.77, 0.0044)
    >>> print(result.sentence())
    A is better by 2.0 points [0.8, 3.2] (p = 0.0044).
    """
    values = check_vector(differences, "differences", least=2)
    ratio = _test_ratio(test_share, n_train, n_test)
    check_fraction(level, "level", hint="0.95 means 95%")
    mean, df = float(values.mean()), len(values) - 1
    # 1/J is the variance of a mean; the ratio accounts for the correlation of differences that share training rows.
    error = math.sqrt((1 / len(values) + ratio) * float(values.var(ddof=1)))
    if error <= 1e-15 * abs(mean):  # all equal, except for rounding
        error = 0.0
    statistic = _ratio(mean, error)
    half = float(special.stdtrit(df, (1 + level) / 2)) * error
    return SchemeComparison(
        difference=Interval(
            estimate=mean, low=mean - half, high=mean + half, level=float(level), method="corrected resampled t"
        ),
        statistic=statistic,
        p_value=2 * float(special.stdtr(df, -abs(statistic))),
        method="corrected resampled t",
        names=names,
        higher_is_better=higher_is_better,
    )


def five_by_two_f(
    differences: ArrayLike,
    *,
    level: float = 0.95,
    names: tuple[str, str] = ("A", "B"),
    higher_is_better: bool = True,
) -> SchemeComparison:
    r"""Compare two schemes by five times two-fold cross-validation (Alpaydin 1999).

    .. math:: f = \frac{\sum_i \sum_j p_{ij}^2}{2 \sum_i s_i^2}, \quad
        s_i^2 = (p_{i1} - \bar p_i)^2 + (p_{i2} - \bar p_i)^2,

    with 10 and 5 degrees of freedom. The interval contains every :math:`\delta` that the test accepts if :math:`\delta`
    is subtracted from each difference. If the repeats disagree so much that the test accepts none, the interval is
    Dietterich's, :math:`\bar p \pm t_5 \sqrt{\sum s_i^2 / 5}`, and its method says so.

    Parameters
    ----------
    differences : array-like of shape (5, 2)
        The score of A minus that of B, per repeat and fold.
    level : float
        The nominal coverage of the interval.
    names : tuple of two str
        The names of A and B.
    higher_is_better : bool
        False if the differences are of errors or losses.

    Returns
    -------
    SchemeComparison

    Examples
    --------
    >>> result = five_by_two_f([[0.05, 0.03], [0.04, 0.06], [0.02, 0.04], [0.05, 0.05], [0.03, 0.04]])
    >>> round(result.statistic, 3), round(result.p_value, 4)
    (13.923, 0.0048)
    """
    hint = "pass five rows (repetitions) and two columns (folds)"
    table = check_matrix(differences, "differences", hint=hint)
    if table.shape != (5, 2):
        raise fault("differences", "have shape (5, 2)", Phrase(f"shape {table.shape}"), hint)
    check_fraction(level, "level", hint="0.95 means 95%")
    # s_i^2 of two values is half of their squared difference.
    squares = float(((table[:, 0] - table[:, 1]) ** 2).sum()) / 2
    mean = float(table.mean())
    statistic = _ratio(float((table**2).sum()), 2 * squares)
    critical = float(special.fdtri(10, 5, level))
    # sum (p_ij - delta)^2 = sum (p_ij - mean)^2 + 10 (mean - delta)^2 <= 2 F sum s_i^2, solved for |mean - delta|.
    room = (2 * critical * squares - float(((table - mean) ** 2).sum())) / 10
    method = "5x2cv F"
    if room < 0:
        room, method = float(special.stdtrit(5, (1 + level) / 2)) ** 2 * squares / 5, "5x2cv t"
    half = math.sqrt(room)
    return SchemeComparison(
        difference=Interval(estimate=mean, low=mean - half, high=mean + half, level=float(level), method=method),
        statistic=statistic,
        p_value=float(special.fdtrc(10, 5, statistic)),
        method="5x2cv F",
        names=names,
        higher_is_better=higher_is_better,
    )


def mcnemar(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    mid_p: bool = False,
    level: float = 0.95,
    names: tuple[str, str] = ("A", "B"),
) -> SchemeComparison:
    r"""Compare the accuracies of two models on the same rows with McNemar's exact test (1947).

    If the two models are equally good, a row that only one of them gets right is equally likely to be A's or B's. The
    interval of the difference of accuracies is Bonett and Price's (2012): with b rows that only A gets right, c rows
    that only B gets right, :math:`\tilde p = (b + 1)/(n + 2)` and :math:`\tilde q = (c + 1)/(n + 2)`,

    .. math:: \tilde p - \tilde q \pm z \sqrt{\frac{\tilde p + \tilde q - (\tilde p - \tilde q)^2}{n + 2}}.

    Parameters
    ----------
    correct_a, correct_b : array-like of shape (n,)
        Whether each model predicted each row correctly: booleans, or 0 and 1.
    mid_p : bool
        Whether to count the observed split only half, which is less conservative but no longer exact.
    level : float
        The nominal coverage of the interval.
    names : tuple of two str
        The names of A and B.

    Returns
    -------
    SchemeComparison
        The statistic is the number of rows that only A gets right. The interval comes from a normal approximation, so
        it may disagree with the test in close cases.

    Examples
    --------
    >>> a, b = np.repeat([1, 1, 0, 0], [60, 25, 9, 6]), np.repeat([1, 0, 1, 0], [60, 25, 9, 6])
    >>> print(mcnemar(a, b).sentence())
    A is better by 16.0 points [4.6, 26.8] (p = 0.009).
    """
    first, second = _truths(correct_a, "correct_a"), _truths(correct_b, "correct_b")
    if len(first) != len(second):
        got = Phrase(f"{len(first):,} and {len(second):,} values")
        raise fault("correct_a and correct_b", "have the same length", got, "judge the same rows with both")
    check_fraction(level, "level", hint="0.95 means 95%")
    n, only_a, only_b = len(first), int((first & ~second).sum()), int((second & ~first).sum())
    p_value = 1.0
    if only_a + only_b:
        # Twice the smaller tail of a fair coin.
        p_value = 2 * float(special.bdtr(min(only_a, only_b), only_a + only_b, 0.5))
        if mid_p:
            p_value -= _binomial_half(only_a, only_a + only_b)
    p, q = (only_a + 1) / (n + 2), (only_b + 1) / (n + 2)
    half = -float(special.ndtri((1 - level) / 2)) * math.sqrt((p + q - (p - q) ** 2) / (n + 2))
    estimate = (only_a - only_b) / n
    # The centre of Bonett and Price's interval is pulled towards 0; the estimate is not.
    low, high = min(max(p - q - half, -1.0), estimate), max(min(p - q + half, 1.0), estimate)
    return SchemeComparison(
        difference=Interval(estimate=estimate, low=low, high=high, level=float(level), method="bonett-price"),
        statistic=float(only_a),
        p_value=min(p_value, 1.0),
        method="mcnemar, mid-p" if mid_p else "mcnemar, exact",
        names=names,
    )


def signed_rank_comparison(
    differences: ArrayLike,
    *,
    level: float = 0.95,
    names: tuple[str, str] = ("A", "B"),
    higher_is_better: bool = True,
) -> SchemeComparison:
    r"""Compare two schemes over independent data sets by Wilcoxon's signed ranks.

    The estimate is Hodges and Lehmann's, the median of the averages :math:`(d_i + d_j)/2` of all pairs,
    :math:`i \le j`; the interval goes from the k-th smallest to the k-th largest of these averages, with k from the
    distribution of the signed-rank sum (exact for up to 50 differences).

    Parameters
    ----------
    differences : array-like of shape (n,)
        The score of A minus that of B on each data set. Folds of one data set are not independent: use
        :func:`corrected_resampled_t` for them.
    level : float
        The nominal coverage; with few differences the interval is the whole range of averages and covers less.
    names : tuple of two str
        The names of A and B.
    higher_is_better : bool
        False if the differences are of errors or losses.

    Returns
    -------
    SchemeComparison

    Examples
    --------
    >>> result = signed_rank_comparison([0.011, 0.023, -0.004, 0.032, 0.009, 0.028, 0.015, 0.021])
    >>> print(result.sentence())
    A is better by 1.8 points [0.5, 2.8] (p = 0.016).
    """
    values = check_vector(differences, "differences")
    check_fraction(level, "level", hint="0.95 means 95%")
    test = wilcoxon(values)
    rows, columns = np.triu_indices(len(values))
    # Halves before the sum, which could overflow.
    averages = np.sort(values[rows] / 2 + values[columns] / 2)
    cut, reached = _walsh_cut(len(values), level)
    method = "hodges-lehmann" if reached else "hodges-lehmann (too few differences for the level)"
    return SchemeComparison(
        difference=Interval(
            estimate=float(np.median(averages)),
            low=float(averages[cut]),
            high=float(averages[-1 - cut]),
            level=float(level),
            method=method,
        ),
        statistic=test.statistic,
        p_value=test.p_value,
        method=test.method,
        names=names,
        higher_is_better=higher_is_better,
    )


@dataclass(frozen=True, kw_only=True)
class VCBound:
    """An upper bound of the true error, valid for any distribution of the rows that does not change.

    Parameters
    ----------
    bound : float
        The bound itself; above 1 it is useless.
    empirical_error : float
        The error on the training rows.
    confidence : float
        The probability that the bound is valid, 1 - delta.
    assumption : str
        What must be true for the bound to be valid.
    """

    bound: float
    empirical_error: float
    confidence: float
    assumption: str

    def sentence(self) -> str:
        """Return the bound and its assumption in one sentence."""
        sure = f"With probability {self.confidence:.3g}"
        text = f"{sure} the true error is at most {self.bound:.3f} (training error {self.empirical_error:.3f})"
        if self.bound >= 1:
            text = f"The bound is uninformative: it is {self.bound:.3f} (training error {self.empirical_error:.3f})"
        return f"{text}, provided that {self.assumption}."


def vc_bound(empirical_error: float, n: int, h: float, *, delta: float = 0.05, form: VCForm = "vapnik") -> VCBound:
    r"""Bound the true error by the training error and the VC dimension (Vapnik 1998).

    .. math:: R \le R_{emp} + \sqrt{\frac{h (\log(2n/h) + 1) - \log(\delta/4)}{n}}

    with probability :math:`1 - \delta`, if training rows are drawn independently from the distribution that R refers
    to: under dataset shift, the bound is not valid.

    Parameters
    ----------
    empirical_error : float
        The share of training rows that are classified wrongly.
    n : int
        The number of training rows.
    h : float
        The VC dimension of the learner, such as d + 1 for linear rules on d features; at most n.
    delta : float
        The probability that the bound fails.
    form : {"vapnik", "printed"}
        The formula above, or that of Fan and Davidson (2006, section 3.2), who misplace the 1: :math:`h \log(2n/h + 1)`
        in place of :math:`h (\log(2n/h) + 1)`. Their value is smaller, and nobody has shown that it is a bound; use it
        only to reproduce the paper.

    Returns
    -------
    VCBound

    Examples
    --------
    >>> result = vc_bound(0.1, 10_000, 11)
    >>> round(result.bound, 4)
    0.199
    >>> print(result.sentence())
    With probability 0.95 the true error is at most 0.199 (training error 0.100), provided that training rows and
    future rows are drawn independently from one distribution that does not change (stationarity).
    """
    n = check_count(n, "n", least=1, hint="give the number of training rows")
    share = float(check_vector([empirical_error], "empirical_error")[0])
    if not 0 <= share <= 1:
        raise fault("empirical_error", "lie between 0 and 1", empirical_error, "give a share, not a count")
    dimension = float(check_vector([h], "h")[0])
    if not 0 < dimension <= n:
        raise fault("h", f"be above 0 and at most n = {n}", h, "with fewer rows than h, there is no bound")
    check_fraction(delta, "delta")
    check_choice(form, "form", ("vapnik", "printed"))
    ratio = 2 * n / dimension
    capacity = dimension * (math.log(ratio) + 1 if form == "vapnik" else math.log(ratio + 1))
    excess = math.sqrt((capacity - math.log(delta / 4)) / n)
    return VCBound(
        bound=share + excess,
        empirical_error=share,
        confidence=1 - float(delta),
        assumption="training rows and future rows are drawn independently from one distribution "
        "that does not change (stationarity)",
    )


def _test_ratio(test_share: float | None, n_train: float | None, n_test: float | None) -> float:
    if test_share is not None and n_train is None and n_test is None:
        share = check_fraction(test_share, "test_share", hint="0.1 for ten folds")
        return share / (1 - share)
    if test_share is not None or n_train is None or n_test is None:
        given = {"test_share": test_share, "n_train": n_train, "n_test": n_test}
        got = Phrase(listed([name for name, value in given.items() if value is not None]) or "none of them")
        hint = "test_share=0.1 is that of ten folds"
        raise fault("the split", "be given as test_share alone, or as n_train and n_test", got, hint)
    sizes = check_vector([n_train, n_test], "n_train and n_test")
    if sizes.min() <= 0:
        raise fault(
            "n_train and n_test",
            "be positive",
            Phrase(f"{shown(n_train)} and {shown(n_test)}"),
            "give the number of rows in one split",
        )
    return float(sizes[1] / sizes[0])


def _ratio(above: float, below: float) -> float:
    if below > 0:
        return above / below
    # Without spread any difference is infinitely many standard errors.
    return math.copysign(math.inf, above) if above else 0.0


def _truths(values: ArrayLike, name: str) -> NDArray[np.bool_]:
    given = check_vector(values, name)
    wrong = given[(given != 0) & (given != 1)]
    if len(wrong):
        raise fault(name, "hold only 0 and 1, or booleans", float(wrong[0]), "pass predictions == labels")
    truths: NDArray[np.bool_] = given == 1
    return truths


def _binomial_half(count: int, n: int) -> float:
    """Return the probability of ``count`` heads in n throws of a fair coin."""
    # In logarithms: binomial coefficients overflow from n = 1030 on.
    log = special.gammaln(n + 1) - special.gammaln(count + 1) - special.gammaln(n - count + 1)
    return float(np.exp(log - n * math.log(2)))


def _walsh_cut(n: int, level: float) -> tuple[int, bool]:
    """Return how many pair averages to leave out at each end, and whether that meets the level."""
    tail = (1 - level) / 2
    if n <= _EXACT_UP_TO:
        patterns = np.zeros(n * (n + 1) // 2 + 1)
        patterns[0] = 1
        # patterns[s]: sign patterns with a signed-rank sum of s; each rank is in the sum or not.
        for rank in range(1, n + 1):
            patterns[rank:] += patterns[:-rank].copy()
        reached = np.searchsorted(patterns.cumsum() / 2.0**n, tail, side="right")
        return max(int(reached) - 1, 0), bool(reached > 0)
    # The normal approximation of the signed-rank sum.
    centre, spread = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return max(int(centre + float(special.ndtri(tail)) * spread), 0), True
