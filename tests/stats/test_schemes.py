from __future__ import annotations

import math
import os
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from shiftproof.core import InputError, Interval
from shiftproof.stats._schemes import (
    SchemeComparison,
    corrected_resampled_t,
    five_by_two_f,
    mcnemar,
    signed_rank_comparison,
    vc_bound,
)

LONGER = int(os.environ.get("SIMULATIONS", "1"))


def _found(estimate: float, low: float, high: float, p_value: float, **given: Any) -> SchemeComparison:
    interval = Interval(estimate=estimate, low=low, high=high, level=0.95, method="m")
    return SchemeComparison(difference=interval, statistic=1.0, p_value=p_value, method="m", **given)


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (_found(0.012, 0.003, 0.021, 0.01), "A is better by 1.2 points [0.3, 2.1] (p = 0.01)."),
        (_found(-0.012, -0.021, -0.003, 0.01), "B is better by 1.2 points [0.3, 2.1] (p = 0.01)."),
        (
            _found(0.012, 0.003, 0.021, 1e-9, names=("forest", "tree"), higher_is_better=False),
            "tree is better by 1.2 points [0.3, 2.1] (p < 0.001).",
        ),
        (
            _found(-0.012, -0.021, -0.003, 0.01, names=("forest", "tree"), higher_is_better=False),
            "forest is better by 1.2 points [0.3, 2.1] (p = 0.01).",
        ),
        (
            _found(0.002, -0.01, 0.014, 0.7),
            "There is no evidence that A and B differ: A is ahead by 0.2 points [-1.0, 1.4] (p = 0.7).",
        ),
    ],
)
def test_scheme_comparison_sentence(found: SchemeComparison, sentence: str) -> None:
    assert found.sentence() == sentence


def test_scheme_comparison_sentence_of_losses() -> None:
    found = _found(-0.12, -0.21, -0.03, 0.01, higher_is_better=False)
    assert found.sentence(points=False) == "A is better by 0.120 [0.030, 0.210] (p = 0.01)."


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=30), st.floats(0.05, 0.6))
def test_corrected_t_is_its_formula(values: list[float], share: float) -> None:
    d = np.array(values)
    if d.std() < 1e-9:
        return
    found = corrected_resampled_t(d, test_share=share)
    error = math.sqrt((1 / len(d) + share / (1 - share)) * d.var(ddof=1))
    assert found.statistic == pytest.approx(d.mean() / error, rel=1e-9)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(d.mean() / error), len(d) - 1), rel=1e-6)
    ends = stats.t.interval(0.95, len(d) - 1, d.mean(), error)
    assert (found.difference.low, found.difference.high) == pytest.approx(ends, rel=1e-7)
    assert (0 in found.difference) == (found.p_value > 0.05)
    same = corrected_resampled_t(d, n_train=1000 * (1 - share), n_test=1000 * share)
    assert same.statistic == pytest.approx(found.statistic, rel=1e-9)


def test_differences_that_are_all_alike() -> None:
    assert corrected_resampled_t([0.1] * 10, test_share=0.1).p_value == 0
    nothing = corrected_resampled_t([0.0] * 10, test_share=0.1)
    assert (nothing.statistic, nothing.p_value, nothing.difference.width) == (0, 1, 0)


def test_corrected_t_keeps_its_level_in_ten_times_ten_fold_cross_validation() -> None:
    # Two centroid rules that see one of two equally good features each: neither is better.
    rng, times, n = np.random.default_rng(0), 300 * LONGER, 200
    rejected, plain = 0, 0.0
    for _ in range(times):
        y = np.arange(n) % 2
        x = rng.normal(size=(n, 2)) + 0.6 * y[:, None]
        folds = np.stack([rng.permutation(n // 2) % 10 for _ in range(20)]).reshape(10, 2, -1)
        member = np.empty((10, n), dtype=int)
        member[:, ::2], member[:, 1::2] = folds[:, 0], folds[:, 1]
        train = (member[:, None, :] != np.arange(10)[:, None]).astype(float)  # (repeat, fold, row)
        means = [train @ (x * (y == c)[:, None]) / (train @ (y == c))[..., None] for c in (0, 1)]
        middle, sign = (means[0] + means[1]) / 2, np.sign(means[1] - means[0])
        said = (x - middle[:, :, None]) * sign[:, :, None] > 0  # (repeat, fold, row, model)
        right = (said == (y == 1)[:, None]) & (train == 0)[..., None]
        accuracy = right.sum(axis=2) / (train == 0).sum(axis=2)[..., None]
        d = (accuracy[..., 0] - accuracy[..., 1]).ravel()
        rejected += corrected_resampled_t(d, test_share=0.1).p_value < 0.05
        plain += float(stats.ttest_1samp(d, 0).pvalue) < 0.05
    assert rejected / times <= 0.07 + 2 * math.sqrt(0.05 * 0.95 / times)
    assert plain / times > 0.2  # what the correction is for


def test_five_by_two_by_hand() -> None:
    d = np.array([[0.05, 0.03], [0.04, 0.06], [0.02, 0.04], [0.05, 0.05], [0.03, 0.04]])
    centres = d.mean(axis=1, keepdims=True)
    squares = ((d - centres) ** 2).sum()
    f = (d**2).sum() / (2 * squares)
    found = five_by_two_f(d)
    assert found.statistic == pytest.approx(f)
    assert found.p_value == pytest.approx(stats.f.sf(f, 10, 5))
    # Each end of the interval is just accepted: shifted by it, the statistic is the critical value.
    for end in (found.difference.low, found.difference.high):
        assert five_by_two_f(d - end).p_value == pytest.approx(0.05, abs=1e-9)
    assert found.difference.method == "5x2cv F"


def test_five_by_two_where_the_repeats_disagree() -> None:
    d = np.array([[0.5, 0.5], [-0.5, -0.5], [0.5, 0.51], [-0.5, -0.5], [0.0, 0.0]])
    found = five_by_two_f(d)
    assert found.p_value < 0.05
    assert found.difference.method == "5x2cv t"
    half = stats.t.ppf(0.975, 5) * math.sqrt(0.01**2 / 2 / 5)
    assert found.difference.width == pytest.approx(2 * half)
    assert five_by_two_f(np.zeros((5, 2))).p_value == 1
    assert five_by_two_f(np.ones((5, 2))).p_value == 0


@pytest.mark.parametrize("b", range(0, 30, 3))
@pytest.mark.parametrize("c", [0, 1, 7, 20])
def test_mcnemar_is_the_binomial_test(b: int, c: int) -> None:
    first, second = np.repeat([1, 1, 0], [40, b, c]), np.repeat([1, 0, 1], [40, b, c])
    found, mid = mcnemar(first, second), mcnemar(first == 1, second == 1, mid_p=True)
    truth = stats.binomtest(b, b + c).pvalue if b + c else 1.0
    assert found.p_value == pytest.approx(truth, rel=1e-10)
    if b + c:
        lesser = min(b, c)
        by_hand = 2 * (stats.binom.cdf(lesser - 1, b + c, 0.5) + stats.binom.pmf(lesser, b + c, 0.5) / 2)
        assert mid.p_value == pytest.approx(by_hand, rel=1e-9)
    assert found.difference.estimate == pytest.approx((b - c) / (40 + b + c))
    assert -1 <= found.difference.low <= found.difference.estimate <= found.difference.high <= 1
    assert (found.method, mid.method) == ("mcnemar, exact", "mcnemar, mid-p")


def test_mcnemar_interval_covers() -> None:
    rng, times = np.random.default_rng(0), 3000 * LONGER
    for n, only_a, only_b in ((100, 0.1, 0.05), (500, 0.2, 0.02), (50, 0.1, 0.1)):
        hits = 0
        for b, c, both in rng.multinomial(n, [only_a, only_b, 1 - only_a - only_b], size=times // 3):
            found = mcnemar(np.repeat([1, 0, 1], [b, c, both]), np.repeat([0, 1, 1], [b, c, both]))
            hits += only_a - only_b in found.difference
        assert 0.93 < hits / (times // 3) < 0.985


def test_signed_ranks_follow_wilcoxon_and_hodges_lehmann() -> None:
    rng = np.random.default_rng(0)
    for n in (6, 12, 40, 80):
        d = rng.normal(0.4, 1, n)
        found = signed_rank_comparison(d)
        averages = [(d[i] + d[j]) / 2 for i in range(n) for j in range(i, n)]
        assert found.difference.estimate == pytest.approx(np.median(averages))
        exact: Any = "exact" if n <= 50 else "approx"
        assert found.p_value == pytest.approx(stats.wilcoxon(d, method=exact, correction=False).pvalue)
        # the interval inverts the test
        for end, inward in ((found.difference.low, 1e-9), (found.difference.high, -1e-9)):
            assert stats.wilcoxon(d - end - inward, method=exact).pvalue > 0.05 - 1e-3
            assert stats.wilcoxon(d - end + inward, method=exact).pvalue < 0.05 + (0.002 if n > 50 else 0)


def test_too_few_differences_for_the_level_are_told() -> None:
    found = signed_rank_comparison([0.1, 0.2, 0.3])
    assert found.difference.method == "hodges-lehmann (too few differences for the level)"
    assert (found.difference.low, found.difference.high) == pytest.approx((0.1, 0.3))
    assert signed_rank_comparison([0.1]).difference.estimate == pytest.approx(0.1)


@pytest.mark.parametrize("n", [8, 30])
def test_hodges_lehmann_covers(n: int) -> None:
    rng, times = np.random.default_rng(n), 1500 * LONGER
    hits = [0.3 in signed_rank_comparison(rng.normal(0.3, 1, n)).difference for _ in range(times)]
    assert 0.95 - 0.017 < np.mean(hits) < 0.98


def test_the_vc_bound_by_hand() -> None:
    found = vc_bound(0.1, 1000, 10, delta=0.1)
    assert found.bound == pytest.approx(0.1 + math.sqrt((10 * (math.log(200) + 1) - math.log(0.025)) / 1000))
    assert found.sentence() == (
        "With probability 0.9 the true error is at most 0.358 (training error 0.100), provided that training rows "
        "and future rows are drawn independently from one distribution that does not change (stationarity)."
    )
    assert vc_bound(0.1, 10, 10).sentence().startswith("The bound is uninformative: it is 1.")


@settings(max_examples=30)
@given(st.integers(1, 10**6), st.floats(0, 1))
def test_the_vc_bound_falls_with_rows(n: int, error: float) -> None:
    assert error < vc_bound(error, 2 * n, 1).bound <= vc_bound(error, n, 1).bound


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: corrected_resampled_t([0.1, 0.2]),
            "the split must be given as test_share alone, or as n_train and n_test, got "
            "none of them; test_share=0.1 is that of ten folds.",
        ),
        (
            lambda: corrected_resampled_t([0.1, 0.2], n_train=0, n_test=1),
            "n_train and n_test must be positive, got 0 and 1; give the number of rows in one split.",
        ),
        (
            lambda: corrected_resampled_t([0.1], test_share=0.1),
            "differences must hold at least 2 values, got 1; add observations.",
        ),
        (
            lambda: corrected_resampled_t([0.1, math.nan], test_share=0.1),
            "differences must be finite, got nan; drop or fill the 1 missing or infinite value first.",
        ),
        (
            lambda: five_by_two_f(np.ones((2, 5))),
            "differences must have shape (5, 2), got shape (2, 5); pass five rows (repetitions) and two columns "
            "(folds).",
        ),
        (
            lambda: mcnemar([1, 0], [1]),
            "correct_a and correct_b must have the same length, got 2 and 1 values; judge the same rows with both.",
        ),
        (
            lambda: mcnemar([1, 2], [1, 0]),
            "correct_a must hold only 0 and 1, or booleans, got 2.0; pass predictions == labels.",
        ),
        (
            lambda: vc_bound(1.5, 10, 1),
            "empirical_error must lie between 0 and 1, got 1.5; give a share, not a count.",
        ),
        (
            lambda: vc_bound(0.5, 10, 11),
            "h must be above 0 and at most n = 10, got 11; with fewer rows than h, there is no bound.",
        ),
    ],
)
def test_what_does_not_fit_is_told_in_a_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        call()
