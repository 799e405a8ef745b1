from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any, get_args

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from tests.comparison.cases import FOUR_TREES

from shiftproof.core import InputError
from shiftproof.stats._ranks import (
    Alternative,
    PostHoc,
    ZeroMethod,
    critical_difference,
    critical_value,
    friedman,
    iman_davenport,
    post_hoc_p_value,
    rank_rows,
    sign_test,
    wilcoxon,
)
from shiftproof.stats._result import TestResult

ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
ZERO_METHODS: tuple[ZeroMethod, ...] = get_args(ZeroMethod)
RankTest = Callable[..., TestResult]

# Table 4.2 of Barranquero (2013), k = 2 to 10; the entry he misprints as 2.724 is 2.734.
TABLE_4_2: dict[tuple[PostHoc, float], list[float]] = {
    ("nemenyi", 0.05): [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
    ("nemenyi", 0.10): [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
    ("bonferroni-dunn", 0.05): [1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.734, 2.773],
    ("bonferroni-dunn", 0.10): [1.645, 1.960, 2.128, 2.241, 2.326, 2.394, 2.450, 2.498, 2.539],
}

tables = st.integers(2, 7).flatmap(
    lambda k: hnp.arrays(np.float64, st.tuples(st.integers(2, 25), st.just(k)), elements=st.integers(0, 4))
)


# --- ranks


def test_ties_share_their_average_rank() -> None:
    assert rank_rows([[3, 1, 1], [5, 5, 5]]).tolist() == [[3, 1.5, 1.5], [2, 2, 2]]
    assert rank_rows([[3, 1, 1], [5, 4, 3]], ascending=False).tolist() == [[1, 2.5, 2.5], [1, 2, 3]]


@given(tables)
@settings(max_examples=50, deadline=None)
def test_every_row_of_ranks_has_the_same_sum(table: NDArray[np.float64]) -> None:
    k = table.shape[1]
    assert (rank_rows(table).sum(axis=1) == k * (k + 1) / 2).all()
    assert np.array_equal(rank_rows(table, ascending=False), k + 1 - rank_rows(table))


# --- Friedman, Iman and Davenport


def test_the_four_trees_of_demsar() -> None:
    # Demsar (2006), section 3.2.2.
    auc = FOUR_TREES.to_numpy()
    assert rank_rows(auc, ascending=False).mean(axis=0).round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    # He prints 9.28 and 3.69, without the correction for ties.
    uncorrected = 12 * 14 / (4 * 5) * ((rank_rows(auc).mean(axis=0) ** 2).sum() - 4 * 5**2 / 4)
    assert uncorrected == pytest.approx(9.28, abs=0.005)
    assert 13 * uncorrected / (14 * 3 - uncorrected) == pytest.approx(3.69, abs=0.005)
    assert friedman(auc).statistic == pytest.approx(scipy.stats.friedmanchisquare(*np.transpose(auc)).statistic)
    assert friedman(auc).statistic > uncorrected
    assert iman_davenport(auc).p_value < 0.05


@given(tables)
@settings(max_examples=100, deadline=None)
def test_friedman_agrees_with_scipy(table: NDArray[np.float64]) -> None:
    assume(table.shape[1] >= 3)
    assume((table != table[:, :1]).any())
    theirs = scipy.stats.friedmanchisquare(*table.T)
    ours = friedman(table)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-9)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9, abs=1e-9)
    assert ours.note == ""


@given(tables)
@settings(max_examples=100, deadline=None)
def test_iman_davenport_is_the_f_of_friedmans_statistic(table: NDArray[np.float64]) -> None:
    n, k = table.shape
    chi2 = friedman(table).statistic
    ours = iman_davenport(table)
    assert friedman(table, ranked=False).p_value == friedman(rank_rows(table)).p_value
    if n * (k - 1) - chi2 < 1e-9:
        orders = len(set(itertools.permutations(rank_rows(table)[0].tolist())))
        assert ours.statistic == math.inf
        assert ours.p_value == pytest.approx(orders ** -(n - 1.0))
        assert ours.note == "every block ranks the methods the same way"
        return
    f = (n - 1) * chi2 / (n * (k - 1) - chi2)
    assert ours.statistic == pytest.approx(f, rel=1e-9, abs=1e-9)
    assert ours.p_value == pytest.approx(scipy.stats.f.sf(f, k - 1, (k - 1) * (n - 1)), rel=1e-9, abs=1e-9)


@given(tables)
@settings(max_examples=50, deadline=None)
@pytest.mark.parametrize("test", [friedman, iman_davenport])
def test_only_the_order_within_blocks_matters(test: RankTest, table: NDArray[np.float64]) -> None:
    scales = 1 + np.arange(len(table))[:, np.newaxis]
    before = test(table)
    assert test(-(table**3) * scales - 7) == before
    assert test(table[::-1, ::-1]) == before
    ranked = test(rank_rows(table), ranked=True)
    assert (ranked.statistic, ranked.p_value) == pytest.approx((before.statistic, before.p_value), rel=1e-9)


def test_two_methods_give_the_square_of_the_sign_test() -> None:
    table = np.column_stack([np.arange(30), np.arange(30) + np.repeat([1, -1, 0], [18, 8, 4])])
    assert friedman(table).statistic == pytest.approx((18 - 8) ** 2 / (18 + 8), rel=1e-12)
    assert friedman(table).p_value == pytest.approx(2 * scipy.stats.norm.sf(10 / math.sqrt(26)), rel=1e-9)
    assert iman_davenport(table).p_value == pytest.approx(0.0477, abs=5e-4)


@pytest.mark.parametrize("test", [friedman, iman_davenport])
@pytest.mark.parametrize("ranked", [False, True])
def test_a_table_that_is_tied_throughout_says_so(test: RankTest, ranked: bool) -> None:
    result = test([[2.1, 2.1, 2.1], [0.3, 0.3, 0.3]], ranked=ranked)
    assert (result.statistic, result.p_value) == (0, 1)
    assert result.note == "all methods are tied in every block"


def test_blocks_that_all_agree_are_infinitely_clear_to_f() -> None:
    table = np.tile([1.0, 2.0, 3.0, 4.0], (6, 1))
    assert friedman(table).statistic == 18
    assert iman_davenport(table).statistic == math.inf
    assert iman_davenport(table).p_value == pytest.approx(1 / 24**5)
    third = table / 3 + 0.1  # given ranks that are not whole, with rounding
    assert iman_davenport(third, ranked=True).statistic == math.inf
    assert iman_davenport(third, ranked=True).p_value == pytest.approx(1 / 24**5)
    assert iman_davenport([[1e-12, 2e-12], [3.0, 4.0]]).p_value == pytest.approx(1 / 2)
    assert iman_davenport(np.tile(np.arange(300.0), (3, 1))).p_value == 0


def test_mean_ranks_are_taken_as_they_are() -> None:
    rng = np.random.default_rng(0)
    ranks = rank_rows(rng.random((24 * 11, 10))).reshape(24, 11, 10).mean(axis=1)
    # The spread of mean ranks is smaller than that of ranks, and the statistic allows for it.
    assert friedman(ranks, ranked=True).statistic == pytest.approx(
        9 * ((ranks - 5.5).sum(axis=0) ** 2).sum() / ((ranks - 5.5) ** 2).sum(), rel=1e-9
    )
    assert friedman(ranks, ranked=True).statistic != pytest.approx(friedman(ranks).statistic, rel=1e-3)


# --- critical values


@pytest.mark.parametrize(("test", "alpha"), TABLE_4_2)
def test_critical_values_are_those_of_table_4_2(test: PostHoc, alpha: float) -> None:
    ours = [critical_value(k, alpha=alpha, test=test) for k in range(2, 11)]
    np.testing.assert_allclose(ours, TABLE_4_2[test, alpha], rtol=0, atol=1e-3)


@pytest.mark.parametrize(("n", "printed"), [(24, 2.7654), (22, 2.8883)])
def test_critical_differences_are_those_of_chapters_5_and_6(n: int, printed: float) -> None:
    # Sections 5.3.2 and 6.3: Nemenyi at 5%, ten methods
    assert critical_difference(10, n, alpha=0.05, test="nemenyi") == pytest.approx(printed, abs=5e-4)


@given(st.integers(2, 200), st.floats(1e-4, 0.9))
@settings(max_examples=60, deadline=None)
def test_nemenyi_agrees_with_the_studentised_range(k: int, alpha: float) -> None:
    theirs = scipy.stats.studentized_range.sf(critical_value(k, alpha=alpha) * math.sqrt(2), k, np.inf)
    assert theirs == pytest.approx(alpha, abs=1e-9)


@pytest.mark.parametrize("alpha", [1e-150, 1e-30, 1e-12, 0.5, 0.999, 1 - 1e-9])
def test_small_levels_keep_their_digits(alpha: float) -> None:
    pair = scipy.stats.norm.isf(alpha / 2)
    assert critical_value(2, alpha=alpha) == pytest.approx(pair, rel=1e-12)
    # Far out the three pairs of three methods hardly ever exceed together.
    many = scipy.stats.norm.isf(alpha / 6)
    assert pair < critical_value(3, alpha=alpha) <= many
    if alpha < 1e-9:
        assert critical_value(3, alpha=alpha) == pytest.approx(many, rel=1e-6)


@pytest.mark.parametrize("test", get_args(PostHoc))
def test_any_level_and_any_number_of_methods_has_a_value(test: PostHoc) -> None:
    values = [critical_value(k, test=test) for k in (2, 3, 10, 100, 10_000, 1_000_000)]
    assert values == sorted(values)
    levels = [critical_value(7, alpha=alpha, test=test) for alpha in (1 - 1e-16, 0.5, 0.05, 1e-10, 1e-180, 5e-324)]
    assert levels == sorted(levels)
    assert all(0 <= value < math.inf for value in levels)


def test_the_difference_shrinks_with_the_root_of_the_blocks() -> None:
    assert critical_difference(5, 100) == pytest.approx(critical_difference(5, 25) / 2, rel=1e-12)
    few = critical_difference(5, 20, test="bonferroni-dunn")
    assert few < critical_difference(5, 20)


def test_nemenyi_finds_a_difference_among_equal_methods_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    ranks = rng.permuted(np.broadcast_to(np.arange(1.0, 7), (4000, 50, 6)), axis=2).mean(axis=1)
    share = np.mean(np.ptp(ranks, axis=1) > critical_difference(6, 50))
    assert share == pytest.approx(0.05, abs=0.015)


# --- Wilcoxon


@given(st.integers(1, 60), st.integers(0, 2**32 - 1), st.sampled_from(ALTERNATIVES))
@settings(max_examples=80, deadline=None)
def test_wilcoxon_without_ties_agrees_with_scipy(n: int, seed: int, alternative: Alternative) -> None:
    x, y = np.random.default_rng(seed).normal(size=(2, n))
    theirs = scipy.stats.wilcoxon(x, y, alternative=alternative)
    ours = wilcoxon(x, y, alternative=alternative)
    assert ours.statistic == theirs.statistic
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9, abs=1e-12)
    assert ours.method == f"wilcoxon signed-rank, {'exact' if n <= 50 else 'normal approximation'}"
    assert ours.note == ""


@given(
    hnp.arrays(np.float64, st.integers(14, 80), elements=st.integers(-4, 6)),
    st.sampled_from(ZERO_METHODS),
    st.sampled_from(ALTERNATIVES),
)
@settings(max_examples=150, deadline=None)
def test_wilcoxon_with_ties_agrees_with_scipy(
    d: NDArray[np.float64], zero_method: ZeroMethod, alternative: Alternative
) -> None:
    assume(d.any())
    # by name: older versions of scipy take the exact law in spite of ties
    theirs = scipy.stats.wilcoxon(d, zero_method=zero_method, alternative=alternative, method="approx")
    ours = wilcoxon(d, zero_method=zero_method, alternative=alternative)
    assert ours.statistic == theirs.statistic
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9, abs=1e-12)
    assert ours.method == "wilcoxon signed-rank, normal approximation"


@given(
    hnp.arrays(np.float64, st.integers(1, 7), elements=st.integers(-3, 4)),
    st.sampled_from(ZERO_METHODS),
    st.sampled_from(ALTERNATIVES),
)
@settings(max_examples=80, deadline=None)
def test_few_tied_differences_are_counted_over_all_signs(
    d: NDArray[np.float64], zero_method: ZeroMethod, alternative: Alternative
) -> None:
    assume(d.any())

    def r_plus(signs: tuple[int, ...]) -> float:
        return wilcoxon(np.abs(d) * signs, zero_method=zero_method, alternative="greater").statistic

    everything = np.array([r_plus(signs) for signs in itertools.product((-1, 1), repeat=len(d))])
    observed = wilcoxon(d, zero_method=zero_method, alternative="greater").statistic
    tails = {"less": float(np.mean(everything <= observed)), "greater": float(np.mean(everything >= observed))}
    tails["two-sided"] = min(1.0, 2 * min(tails["less"], tails["greater"]))
    ours = wilcoxon(d, zero_method=zero_method, alternative=alternative)
    assert ours.p_value == pytest.approx(tails[alternative], rel=1e-12)
    assert ours.method == "wilcoxon signed-rank, exact"


@given(hnp.arrays(np.float64, st.integers(1, 40), elements=st.integers(-9, 9)), st.sampled_from(ZERO_METHODS))
@settings(max_examples=80, deadline=None)
def test_turning_the_pairs_turns_the_alternative(d: NDArray[np.float64], zero_method: ZeroMethod) -> None:
    tests: list[RankTest] = [partial(wilcoxon, zero_method=zero_method), sign_test]
    for test in tests:
        assert test(d).p_value == pytest.approx(test(-d).p_value, rel=1e-12)
        assert test(d, alternative="greater").p_value == pytest.approx(test(-d, alternative="less").p_value, rel=1e-12)
        assert 0 <= test(d).p_value <= 1


@pytest.mark.parametrize("test", [wilcoxon, sign_test])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [1, 100])
def test_no_difference_at_all_is_no_evidence(test: RankTest, alternative: Alternative, n: int) -> None:
    result = test(np.ones(n), np.ones(n), alternative=alternative)
    assert (result.statistic, result.p_value, result.note) == (0, 1, "all differences are zero")


def test_zeros_are_counted_in_the_note() -> None:
    assert wilcoxon([0, 1, 2, 3]).note == "1 zero difference left out"
    assert wilcoxon([0, 0, 2, 3], zero_method="pratt").note == "2 zero differences left out"
    assert wilcoxon([0, 0, 2, 3], zero_method="zsplit").note == "2 zero differences shared out"
    assert sign_test([0, 0, 2, 3]).note == "2 zero differences left out"


def test_differences_too_large_for_a_float_are_still_ranked() -> None:
    x = [1e308, 1e308, 1.0]
    assert wilcoxon(x, [-1e308, -1e308, 0.0]).p_value == wilcoxon([2, 2, 1]).p_value
    assert sign_test(x, [-1e308, -1e308, 2.0]).statistic == 2


# --- the sign test


@given(st.integers(0, 2000), st.integers(0, 2000), st.integers(0, 5), st.sampled_from(ALTERNATIVES))
@settings(max_examples=100, deadline=None)
def test_the_sign_test_is_the_binomial_test(positive: int, negative: int, zeros: int, alternative: Alternative) -> None:
    assume(positive + negative > 0)
    theirs = scipy.stats.binomtest(positive, positive + negative, alternative=alternative)
    ours = sign_test(np.repeat([1.5, -2.0, 0.0], [positive, negative, zeros]), alternative=alternative)
    assert ours.statistic == positive
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9, abs=1e-300)
    assert ours.method == "sign test, exact"


# --- calibration: P(p <= a) under the null


def assert_calibrated(p: NDArray[np.float64], *, slack: float = 0.0) -> None:
    """Assert that p-values fall below a with probability a, up to four Monte-Carlo standard errors."""
    for a in (0.01, 0.05, 0.1):
        error = 4 * math.sqrt(a * (1 - a) / len(p))
        assert np.mean(p <= a) == pytest.approx(a, abs=error + slack)


def test_the_printed_formula_of_averaged_ranks() -> None:
    # Equations 4.2 and 4.3 of Barranquero (2013), with the mean ranks of data sets over three prevalences.
    rng = np.random.default_rng(0)
    ranks = np.mean([rank_rows(rng.random((24, 5)) + np.arange(5) / 20) for _ in range(3)], axis=0)
    n, k = ranks.shape
    mean = ranks.mean(axis=0)
    printed = 12 * n / (k * (k + 1)) * ((mean**2).sum() - k * (k + 1) ** 2 / 4)
    found = friedman(ranks, ranked=True, spread="ranks")
    assert found.statistic == pytest.approx(printed)
    assert found.p_value == pytest.approx(scipy.stats.chi2.sf(printed, k - 1))
    assert found.method == "friedman, chi-square (spread of ranks)"
    f = iman_davenport(ranks, ranked=True, spread="ranks")
    assert f.statistic == pytest.approx((n - 1) * printed / (n * (k - 1) - printed))
    # The averages vary less than ranks, which the default uses.
    assert friedman(ranks, ranked=True).statistic > 1.5 * printed
    # Ranks without ties have this spread exactly.
    table = rng.random((24, 5))
    assert friedman(table, spread="ranks").statistic == pytest.approx(friedman(table).statistic)


def test_a_single_pair_is_not_adjusted() -> None:
    assert critical_value(7, test="single") == pytest.approx(1.959964, abs=1e-6)
    assert post_hoc_p_value(critical_difference(7, 20, test="single"), 7, 20, test="single") == pytest.approx(0.05)
    assert post_hoc_p_value(0.9, 7, 20, test="bonferroni-dunn") == pytest.approx(
        min(6 * post_hoc_p_value(0.9, 7, 20, test="single"), 1)
    )


@pytest.mark.parametrize(("n", "k", "times"), [(30, 4, 3000), (300, 6, 1500), (5000, 3, 600)])
def test_friedman_and_iman_davenport_are_calibrated(n: int, k: int, times: int) -> None:
    rng = np.random.default_rng(n)
    p = np.empty((2, times))
    for at in range(times):
        ranks = rank_rows(rng.random((n, k)))
        p[:, at] = friedman(ranks, ranked=True).p_value, iman_davenport(ranks, ranked=True).p_value
    for row in p:
        assert_calibrated(row, slack=0.002)


def test_friedman_is_calibrated_with_ties() -> None:
    rng = np.random.default_rng(2)
    p = [friedman(rng.integers(0, 4, (60, 5))).p_value for _ in range(3000)]
    assert_calibrated(np.array(p), slack=0.002)


@pytest.mark.parametrize(("n", "times"), [(30, 3000), (51, 3000), (300, 2000), (5000, 1000)])
def test_wilcoxon_is_calibrated(n: int, times: int) -> None:
    rng = np.random.default_rng(n)
    p = np.array([wilcoxon(rng.standard_t(3, n)).p_value for _ in range(times)])
    assert_calibrated(p, slack=0.001)


def test_wilcoxon_is_calibrated_with_ties_and_zeros() -> None:
    rng = np.random.default_rng(3)
    for zero_method in ("wilcox", "pratt"):
        p = [wilcoxon(rng.integers(-5, 6, 40), zero_method=zero_method).p_value for _ in range(2000)]
        assert_calibrated(np.array(p), slack=0.003)


@pytest.mark.parametrize("n", [30, 100, 1000, 5000])
def test_the_sign_test_never_exceeds_its_level_and_nears_it(n: int) -> None:
    # exactly, over all counts of positive differences
    positive = np.arange(n + 1)
    p = np.array([sign_test(np.where(np.arange(n) < count, 1.0, -1.0)).p_value for count in positive])
    chance = scipy.stats.binom.pmf(positive, n, 0.5)
    for a in (0.01, 0.05, 0.1):
        assert a - 0.7 * math.sqrt(a / n) <= chance[p <= a].sum() <= a


# --- p-values of differences of mean ranks


@pytest.mark.parametrize("k", [2, 3, 6, 10, 40])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("test", get_args(PostHoc))
def test_p_is_alpha_at_the_critical_difference(k: int, alpha: float, test: PostHoc) -> None:
    limit = critical_difference(k, 24, alpha=alpha, test=test)
    assert post_hoc_p_value(limit, k, 24, test=test) == pytest.approx(alpha, rel=1e-9)
    assert post_hoc_p_value(-limit, k, 24, test=test) == post_hoc_p_value(limit, k, 24, test=test)


@pytest.mark.parametrize("k", [2, 4, 9])
def test_nemenyi_p_is_that_of_the_studentised_range(k: int) -> None:
    for difference in (0.0, 0.3, 1.0, 2.0):
        q = difference / math.sqrt(k * (k + 1) / (6 * 15)) * math.sqrt(2)
        expected = scipy.stats.studentized_range.sf(q, k, np.inf)
        assert post_hoc_p_value(difference, k, 15) == pytest.approx(expected, abs=1e-11)


def test_bonferroni_dunn_p_is_the_normal_tail_times_the_comparisons() -> None:
    z = 1.5 / math.sqrt(5 * 6 / (6 * 20))
    assert post_hoc_p_value(1.5, 5, 20, test="bonferroni-dunn") == pytest.approx(8 * scipy.stats.norm.sf(z))
    assert post_hoc_p_value(0.01, 5, 20, test="bonferroni-dunn") == 1


# --- what does not fit


@pytest.mark.parametrize("test", [friedman, iman_davenport])
@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (
            [[1, 2, 3]],
            "table must have at least 2 rows and 2 columns, got 1 row and 3 columns; one row per block, one column "
            "per method.",
        ),
        (
            [[1], [2]],
            "table must have at least 2 rows and 2 columns, got 2 rows and 1 column; one row per block, one column "
            "per method.",
        ),
        (
            np.empty((0, 3)),
            "table must have at least 2 rows and 2 columns, got 0 rows and 3 columns; one row per block, one column "
            "per method.",
        ),
        ([[1, math.nan], [1, 2]], "table must be finite, got nan; drop or fill the 1 missing or infinite value first."),
        (
            [["a", "b"], ["c", "d"]],
            "table must be numbers, got [['a', 'b'], ['c', 'd']]; convert text to numbers first.",
        ),
    ],
)
def test_a_bad_table_is_told_in_one_sentence(test: RankTest, table: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        test(table)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: critical_value(1),
            "k must be a whole number of at least 2, got 1; compare two or more methods.",
        ),
        (
            lambda: critical_value(2.5),  # type: ignore[arg-type]
            "k must be a whole number of at least 2, got 2.5; compare two or more methods.",
        ),
        (
            lambda: critical_difference(3, 1),
            "n must be a whole number of at least 2, got 1; give the number of data sets in the comparison.",
        ),
        (
            lambda: post_hoc_p_value(1, 3, 1),
            "n must be a whole number of at least 2, got 1; give the number of data sets in the comparison.",
        ),
        (
            lambda: critical_value(3, alpha=5),
            "alpha must be a number strictly between 0 and 1, got 5; 0.05 means 5%.",
        ),
        (
            lambda: critical_value(3, test="nemeny"),  # type: ignore[arg-type]
            "test must be one of 'nemenyi', 'bonferroni-dunn', 'single'; got 'nemeny'. Did you mean 'nemenyi'?",
        ),
        (
            lambda: wilcoxon([1, 2], [1, 2, 3]),
            "x and y must have the same length, got 2 and 3 values; a paired test needs both values of every pair.",
        ),
        (lambda: sign_test([]), "x must hold at least 1 value, got 0; add observations."),
        (
            lambda: wilcoxon([1, math.inf, math.nan]),
            "x must be finite, got inf; drop or fill the 2 missing or infinite values first.",
        ),
        (
            lambda: wilcoxon([1, 2], zero_method="prat"),  # type: ignore[arg-type]
            "zero_method must be one of 'wilcox', 'pratt', 'zsplit'; got 'prat'. Did you mean 'pratt'?",
        ),
        (
            lambda: sign_test([1, 2], alternative="bigger"),  # type: ignore[arg-type]
            "alternative must be one of 'two-sided', 'greater', 'less'; got 'bigger'.",
        ),
        (
            lambda: wilcoxon([1, 2], alternative=None),  # type: ignore[arg-type]
            "alternative must be one of 'two-sided', 'greater', 'less'; got None.",
        ),
        (
            lambda: rank_rows([1, 2]),
            "losses must have two dimensions, got shape (2,); pass one row per block, one column per method.",
        ),
    ],
)
def test_bad_arguments_are_told_in_one_sentence(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        call()


def test_rank_tests_do_not_change_their_arguments() -> None:
    table = np.array([[3.0, 1.0], [0.0, 2.0]])
    before = table.copy()
    friedman(table)
    friedman(table, ranked=True)
    wilcoxon(table[0], table[1])
    assert np.array_equal(table, before)
