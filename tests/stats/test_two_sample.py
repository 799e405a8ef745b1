"""The two-sample tests against scipy, exact rationals, the papers' numbers and enumeration."""

from __future__ import annotations

import itertools
import math
import warnings
from fractions import Fraction
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import integrate, stats

from shiftproof.core import InputError
from shiftproof.stats import (
    chi_square,
    compare,
    cramer_von_mises,
    kolmogorov_smirnov,
    kruskal_wallis,
    missingness,
)
from shiftproof.stats._null import chi_square_variance, cvm_limit, ks_limit

TIED = st.lists(
    st.one_of(st.integers(-4, 4).map(float), st.floats(-50, 50), st.just(math.inf)), min_size=2, max_size=50
)
SAMPLES = TIED.map(np.array)


@given(SAMPLES, SAMPLES)
def test_ks_equals_scipy(a: NDArray[np.float64], b: NDArray[np.float64]) -> None:
    ours = kolmogorov_smirnov(compare(a, b))
    with warnings.catch_warnings(record=True) as gave_up:
        warnings.simplefilter("always")
        theirs = stats.ks_2samp(a, b, method="exact")
    assert ours.method == "exact"
    assert ours.statistic == pytest.approx(theirs.statistic, abs=1e-9)
    if not gave_up:
        assert ours.p_value == pytest.approx(theirs.pvalue, abs=1e-9)
    asymptotic = kolmogorov_smirnov(compare(a, b), method="asymptotic")
    assert asymptotic.p_value == pytest.approx(stats.ks_2samp(a, b, method="asymp").pvalue, abs=1e-9)


@given(st.lists(SAMPLES, min_size=2, max_size=5))
def test_kruskal_wallis_equals_scipy_and_exact_rationals(groups: list[NDArray[np.float64]]) -> None:
    ours = kruskal_wallis(*groups)
    pooled = np.concatenate(groups)
    if (pooled == pooled[0]).all():
        assert (ours.statistic, ours.p_value, ours.note) == (0.0, 1.0, "all values are equal")
        return
    theirs = stats.kruskal(*groups)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-9)
    assert ours.p_value == pytest.approx(theirs.pvalue, abs=1e-9)
    exact = _exact_kruskal(groups)
    assert ours.statistic == float(exact)
    if len(groups) == 2:
        assert kruskal_wallis(compare(*groups)).statistic == float(exact)


def _exact_kruskal(groups: list[NDArray[np.float64]]) -> Fraction:
    """Recompute H from midranks in rationals, by the textbook formula."""
    pooled = sorted(value for group in groups for value in group)
    total = len(pooled)
    rank = {v: Fraction(2 * pooled.index(v) + pooled.count(v) + 1, 2) for v in set(pooled)}
    squares = sum((Fraction(sum(rank[v] for v in g)) ** 2 / len(g) for g in groups), Fraction(0))
    h = Fraction(12, total * (total + 1)) * squares - 3 * (total + 1)
    ties = sum(pooled.count(v) ** 3 - pooled.count(v) for v in set(pooled))
    return h / (1 - Fraction(ties, total**3 - total))


@given(SAMPLES, SAMPLES)
def test_cramer_von_mises_equals_scipy(a: NDArray[np.float64], b: NDArray[np.float64]) -> None:
    ours = cramer_von_mises(compare(a, b), midranks=True)
    method: Literal["exact", "asymptotic"] = "exact" if max(len(a), len(b)) <= 20 else "asymptotic"
    theirs = stats.cramervonmises_2samp(a, b, method=method)
    assert ours.method == method
    assert ours.statistic == pytest.approx(theirs.statistic, abs=1e-9)
    untied = len(np.unique(np.concatenate([a, b]))) == len(a) + len(b)
    # Ties put the statistic between the values that scipy counts, and it rounds down to one of them.
    if untied or method == "asymptotic":
        assert ours.p_value == pytest.approx(theirs.pvalue, abs=1e-9)
    assert ours.p_value <= theirs.pvalue + 1e-9
    if untied:
        assert cramer_von_mises(compare(a, b)).statistic == pytest.approx(theirs.statistic, abs=1e-9)


def test_cramer_von_mises_of_constant_data_is_quiet() -> None:
    record = compare(np.zeros(1000), np.zeros(100))
    assert cramer_von_mises(record).p_value == 1.0
    assert cramer_von_mises(record, midranks=True).p_value < 1e-6
    assert stats.cramervonmises_2samp(np.zeros(1000), np.zeros(100)).pvalue < 1e-6


@given(st.integers(1, 3000), st.floats(0.001, 0.999))
def test_limit_of_ks_equals_scipy(n: int, d: float) -> None:
    # Far from any alarm scipy multiplies matrices, and the expansion has five digits.
    digits = 5e-6 if n > 140 and n * d**1.5 <= 1.4 else 1e-9
    assert ks_limit(n, d) == pytest.approx(stats.kstwo.sf(d, n), rel=digits, abs=1e-12)


@pytest.mark.parametrize("n", [141, 501, 1_000, 50_000])
@pytest.mark.parametrize("z", [0.3, 1.0, 1.5, 2.5, 5.0, 15.0])
def test_limit_of_ks_keeps_its_digits(n: int, z: float) -> None:
    d = z / math.sqrt(n)
    if d < 1:
        digits = 5e-6 if n * d**1.5 <= 1.4 else 2e-9
        assert ks_limit(n, d) == pytest.approx(stats.kstwo.sf(d, n), rel=digits, abs=1e-300)


@pytest.mark.parametrize("x", [0.01, 0.1, 0.46136, 0.74346, 0.999999, 1.0, 1.2, 2.5])
def test_limit_of_cramer_von_mises(x: float) -> None:
    # the law of sum Z_k^2/(k pi)^2, by inverting its characteristic function (Imhof)
    k = np.arange(1, 2001)
    weights = 1 / (k * math.pi) ** 2

    def integrand(u: float) -> float:
        theta = 0.5 * np.arctan(weights * u).sum() - 0.5 * x * u
        return float(np.sin(theta) / (u * np.exp(0.25 * np.log1p((weights * u) ** 2).sum())))

    imhof = 0.5 + integrate.quad(integrand, 0, 3000, limit=2000)[0] / math.pi
    assert cvm_limit(x) == pytest.approx(imhof, abs=5e-4)
    if x >= 1:
        assert cvm_limit(x) == pytest.approx(imhof, abs=2e-5)


def test_limit_of_cramer_von_mises_is_continuous_and_keeps_tiny_values() -> None:
    assert cvm_limit(1 - 1e-9) == pytest.approx(cvm_limit(1.0), rel=1e-6)
    assert cvm_limit(0.46136) == pytest.approx(0.05, abs=2e-5)
    assert cvm_limit(0.74346) == pytest.approx(0.01, abs=2e-5)
    assert 0 < cvm_limit(20.0) < 1e-40
    assert cvm_limit(1e6) == 0.0


@given(st.lists(st.tuples(st.integers(20, 90), st.integers(20, 90)), min_size=2, max_size=8))
def test_chi_square_equals_scipy(pairs: list[tuple[int, int]]) -> None:
    table = np.array(pairs).T
    ours = chi_square(table, method="asymptotic")
    theirs = stats.chi2_contingency(table, correction=False)
    assert ours.method == "asymptotic"
    assert ours.statistic == pytest.approx(theirs.statistic, abs=1e-9)
    assert ours.p_value == pytest.approx(theirs.pvalue, abs=1e-9)


def test_ks_of_the_paper() -> None:
    # 2007, section 5.2
    a = [0.34, 0.94, 0.24, 1.26, 6.98, 0.95, 0.15, -2.08, 0.17, 1.55]
    a += [3.20, 0.50, 0.70, 4.55, 0.10, 0.49, 0.38, 0.42, 1.37, 1.75]
    b = [0.15, -0.62, -0.17, -0.31, -0.50, 0.38, 2.30, 0.37, -1.79, -0.87]
    b += [1.72, -0.09, -1.54, 0.30, -2.39, -0.74, 0.22, 1.28, 0.19, -1.10]
    record = compare(a, b)
    assert kolmogorov_smirnov(record).statistic == pytest.approx(0.5, abs=1e-12)
    # its eq. 7: 4 D^2 n m/(n + m) is chi-square with two degrees of freedom
    by_paper = kolmogorov_smirnov(record, method="cieslak-chawla")
    assert by_paper.p_value == pytest.approx(stats.chi2.sf(4 * 0.25 * 400 / 40, 2), abs=1e-12)
    # From b to a values rise, which its Table 2 does not count.
    upwards = kolmogorov_smirnov(compare(b, a), method="cieslak-chawla")
    assert upwards.statistic == pytest.approx(stats.ks_2samp(a, b, alternative="greater").statistic, abs=1e-12)
    assert upwards.p_value > 0.5


def test_ks_counts_paths_of_unequal_samples() -> None:
    a, b = [1.0, 4.0, 6.0], [2.0, 3.0, 5.0, 7.0]
    observed = kolmogorov_smirnov(compare(a, b))
    pooled = sorted(a + b)
    larger = 0
    for chosen in itertools.combinations(range(7), 3):
        left = [pooled[at] for at in chosen]
        right = [pooled[at] for at in range(7) if at not in chosen]
        larger += bool(stats.ks_2samp(left, right).statistic >= observed.statistic - 1e-12)
    assert observed.p_value == pytest.approx(larger / math.comb(7, 3), abs=1e-12)


def test_ks_keeps_the_digits_of_tiny_p_values() -> None:
    apart = kolmogorov_smirnov(compare(np.arange(300.0), np.arange(1000.0, 1200.0)))
    assert apart.p_value == pytest.approx(2 / math.comb(500, 200), rel=1e-9)


def test_ks_turns_asymptotic() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=10_001), rng.normal(size=9_000)
    ours = kolmogorov_smirnov(compare(a, b))
    assert ours.method == "asymptotic"
    assert ours.p_value == pytest.approx(stats.ks_2samp(a, b, method="asymp").pvalue, abs=1e-9)
    # a long count of paths is not worth its time either
    assert kolmogorov_smirnov(compare(a[:9_999], b + 3)).method == "asymptotic"


def test_kruskal_wallis_keeps_digits_that_floats_lose() -> None:
    n = 200_000
    a, b = np.arange(0, 2 * n, 2), np.arange(1, 2 * n, 2)
    rank_sum = sum(range(2, 2 * n + 1, 2))
    centred = Fraction(2 * rank_sum - n * (2 * n + 1))
    exact = 3 * (2 * n - 1) * (2 * centred**2 / n) / ((2 * n) ** 3 - 2 * n)
    assert kruskal_wallis(compare(a, b)).statistic == float(exact)


def test_kruskal_wallis_leaves_missing_values_out_and_says_so() -> None:
    result = kruskal_wallis([1.0, 2.0, np.nan], [3.0, None, 5.0], [2, 2, 2])
    assert result.note == "2 missing values left out"
    assert result.statistic == pytest.approx(stats.kruskal([1, 2], [3, 5], [2, 2, 2]).statistic)


def test_two_sample_tests_of_a_side_without_values_give_nan_and_a_note() -> None:
    record = compare([np.nan], [1.0])
    for test in (kolmogorov_smirnov, cramer_von_mises):
        result = test(record)
        assert math.isnan(result.p_value)
        assert result.note == "no values in one table"
    assert kruskal_wallis(record).note == "a group without values"
    assert chi_square(np.zeros((2, 0))).note == "no values in one table"
    assert chi_square(compare(["a", "a"], ["a"])).note == "only one category"


@pytest.mark.parametrize("most", [6, 30, 300, 100_000])
def test_tables_of_two_by_two_have_the_p_value_of_fisher(most: int) -> None:
    # Pearson's statistic orders one in ten of these tables otherwise.
    for table in np.random.default_rng(most).integers(1, most, (60, 2, 2)):
        table[0, 0] = 0 if table.sum() % 5 == 0 else table[0, 0]
        ours = chi_square(table)
        assert ours.method == "exact"
        assert ours.p_value == pytest.approx(stats.fisher_exact(table).pvalue, rel=1e-6, abs=1e-300)


def test_permutation_of_small_tables() -> None:
    table = [[4, 1, 0], [1, 3, 6]]
    ours = chi_square(table)
    assert ours.method == "permutation"
    assert ours.p_value == pytest.approx(_enumerated(table), abs=0.01)
    assert chi_square(table).p_value == ours.p_value
    assert chi_square([[50, 50], [40, 60]], method="permutation").method == "exact"


def _enumerated(table: list[list[int]]) -> float:
    labels = np.repeat([0, 1, 2], np.sum(table, axis=0))
    size = sum(table[0])
    observed = chi_square(table, method="asymptotic").statistic
    hits = total = 0
    for chosen in itertools.combinations(range(len(labels)), size):
        first = np.bincount(labels[list(chosen)], minlength=3)
        rest = np.sum(table, axis=0) - first
        hits += chi_square([first, rest], method="asymptotic").statistic >= observed - 1e-9
        total += 1
    return hits / total


def test_large_two_by_two_tables_are_exact_too() -> None:
    table = np.array([[500_000, 500_000], [499_000, 501_000]])
    assert chi_square(table).p_value == pytest.approx(stats.fisher_exact(table).pvalue, rel=1e-6)
    assert chi_square([[10, 20], [5, 10]]).p_value == 1.0


@pytest.mark.parametrize(("n", "m", "share"), [(1_000_000, 5_000, 0.00105), (100_000, 50, 0.12), (300, 300, 0.03)])
def test_tails_of_two_by_two_tables_keep_their_level(n: int, m: int, share: float) -> None:
    # false discovery control multiplies p-values, so small ones must be right as well; enumerated, not simulated
    marked = round(n * share)
    counts = np.arange(0, min(m, 200) + 1)
    chance = stats.binom.pmf(counts, m, share)
    p = np.array([chi_square([[n - marked, marked], [m - x, x]]).p_value for x in counts.tolist()])
    for level in (1e-2, 1e-3, 1e-4, 1e-5):
        assert chance[p <= level].sum() <= 1.2 * level


def test_a_complete_change_is_seen_through_any_number_of_tests() -> None:
    # a rare category asks for random tables, whose p-values end at one in ten thousand
    record = compare(["A"] * 398 + ["C"] * 2, ["B"] * 398 + ["C"] * 2)
    assert chi_square(record).p_value < 1e-200
    between = chi_square([[38, 30, 3], [16, 56, 4]])
    assert between.method.startswith("permutation")
    assert 1e-5 < between.p_value < 1e-2


def test_the_resolution_of_random_tables() -> None:
    # p is about 0.004: with a tenth of the tables it would be known to a third only
    result = chi_square([[20, 10, 3], [10, 22, 4]])
    exact = chi_square([[20, 10, 3], [10, 22, 4]], random_state=np.random.default_rng(5))
    assert result.p_value == pytest.approx(exact.p_value, rel=0.35)


def test_thousands_of_rare_categories() -> None:
    rng = np.random.default_rng(1)
    same = chi_square(np.vstack([rng.multinomial(60_000, np.full(30_000, 1 / 30_000)) for _ in range(2)]))
    assert same.method == "matched moments"
    assert same.p_value > 0.001
    apart = chi_square(
        np.vstack([np.r_[np.full(15_000, 2), np.zeros(15_000)], np.r_[np.zeros(15_000), np.full(15_000, 2)]])
    )
    assert apart.p_value < 1e-12
    unique = chi_square(np.vstack([np.r_[np.ones(15_000), np.zeros(15_000)], np.r_[np.zeros(15_000), np.ones(15_000)]]))
    assert unique.p_value == 1.0


def test_moments_of_pearsons_statistic() -> None:
    rows, columns = np.array([12, 18]), np.array([2, 3, 5, 20])
    tables = stats.random_table(rows, columns).rvs(40_000, random_state=np.random.default_rng(0))
    expected = np.outer(rows, columns) / 30
    values = ((tables - expected) ** 2 / expected).sum(axis=(1, 2))
    assert values.var() == pytest.approx(chi_square_variance(rows, columns), rel=0.03)


def test_missingness_of_numbers_and_categories() -> None:
    for filled in (1.0, "a"):
        record = compare([filled] * 500, [filled] * 300 + [None] * 200)
        result = missingness(record)
        assert result.statistic == pytest.approx(
            stats.chi2_contingency([[500, 0], [300, 200]], correction=False).statistic
        )
    assert missingness(compare([1.0], [2.0])).p_value == 1.0


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: kolmogorov_smirnov(compare(["a"], ["b"])),
            "kolmogorov_smirnov needs numbers or dates, got categories; use chi_square for those.",
        ),
        (
            lambda: kolmogorov_smirnov(compare([1], [2]), method="exakt"),  # type: ignore[arg-type]
            "method must be one of 'auto', 'exact', 'asymptotic', 'cieslak-chawla'; got 'exakt'. Did you mean 'exact'?",
        ),
        (
            lambda: chi_square(compare([1], [2])),
            "chi_square needs categories, got numbers; use kolmogorov_smirnov for those.",
        ),
        (
            lambda: chi_square([[0.5, 0.5], [0.4, 0.6]]),
            (
                "counts must be a table of whole numbers of at least 0, got [[0.5, 0.5], [0.4, 0.6]]; "
                "pass how often each category occurs, not shares."
            ),
        ),
        (
            lambda: chi_square([["a"], ["b"]]),
            (
                "counts must be a table of whole numbers of at least 0, got [['a'], ['b']]; "
                "pass how often each category occurs, not shares."
            ),
        ),
        (
            lambda: kruskal_wallis([1, 2]),
            "groups must be a record or at least two samples, got 1; pass kruskal_wallis(a, b, ...).",
        ),
        (
            lambda: kruskal_wallis([1, 2], ["a", "b"]),
            "group 2 must hold numbers or dates, got text; use chi_square for categories.",
        ),
    ],
)
def test_two_sample_tests_refuse_bad_arguments(call, sentence) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value) == sentence
