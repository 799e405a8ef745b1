"""Distances, effect sizes, and the smallest change that can be seen."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import jensenshannon

from shiftproof.core import InputError
from shiftproof.stats import (
    chi_square,
    compare,
    detectable_hellinger,
    detectable_ks,
    detectable_share,
    hellinger,
    hellinger_interval,
    kolmogorov_smirnov,
    ks_interval,
    psi,
    skewness,
    wasserstein,
)
from shiftproof.stats._records import compare_counts


def test_hellinger_of_the_paper() -> None:
    # 2007, Table 4: nothing in common
    assert hellinger(compare(["a", "b"], ["c", "d"])) == pytest.approx(math.sqrt(2), abs=1e-12)
    assert hellinger(compare([1.0, 2.0], [100.0, 101.0])) == pytest.approx(math.sqrt(2), abs=1e-12)
    assert hellinger(compare(["a", "b"], ["b", "a"])) == 0.0


@given(st.lists(st.integers(1, 40), min_size=2, max_size=6), st.lists(st.integers(1, 40), min_size=2, max_size=6))
def test_hellinger_is_a_metric_beside_others(p: list[int], q: list[int]) -> None:
    size = min(len(p), len(q))
    old = [f"c{at}" for at in range(size) for _ in range(p[at])]
    new = [f"c{at}" for at in range(size) for _ in range(q[at])]
    distance = hellinger(compare(old, new))
    assert distance == pytest.approx(hellinger(compare(new, old)), abs=1e-12)
    assert 0.0 <= distance <= math.sqrt(2)
    # twice the Jensen-Shannon divergence lies between half the square of Hellinger and its square
    js = jensenshannon(np.array(p[:size]) / sum(p[:size]), np.array(q[:size]) / sum(q[:size])) ** 2
    assert distance**2 / 4 - 1e-9 <= js <= distance**2 / 2 + 1e-9


def test_one_wild_value_does_not_hide_a_shift() -> None:
    rng = np.random.default_rng(0)
    reference = np.append(rng.normal(size=5000), 1e6)
    record = compare(reference, rng.normal(1.0, 1.0, 5000))
    assert record.d == pytest.approx(0.38, abs=0.03)  # type: ignore[union-attr]
    assert psi(record) > 0.5


def test_wasserstein_in_standard_deviations() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(50, 4, 20_000)
    assert wasserstein(compare(values, values + 8), standardized=True) == pytest.approx(8 / values.std(ddof=1))
    assert wasserstein(compare([3.0, 3.0], [4.0, 4.0]), standardized=True) == math.inf
    assert wasserstein(compare([3.0, 3.0], [3.0]), standardized=True) == 0.0
    assert math.isnan(wasserstein(compare([np.inf], [3.0]), standardized=True))


def test_psi_by_hand() -> None:
    assert psi(compare(["a"] * 5 + ["b"] * 5, ["a"] * 2 + ["b"] * 8)) == pytest.approx(
        (0.2 - 0.5) * math.log(0.2 / 0.5) + (0.8 - 0.5) * math.log(0.8 / 0.5)
    )
    # an empty cell counts as half an observation
    assert psi(compare(["a"] * 10, ["a"] * 5 + ["b"] * 5)) == pytest.approx(
        (0.5 - 1.0) * math.log(0.5) + (0.5 - 0.05) * math.log(0.5 / 0.05)
    )
    assert psi(compare(np.arange(1000.0), np.arange(1000.0))) == 0.0


def test_distances_without_values() -> None:
    assert math.isnan(hellinger(compare([np.nan], [1.0])))
    assert math.isnan(psi(compare([np.nan], [1.0])))
    interval = ks_interval(compare([np.nan], [1.0]))
    assert (interval.low, interval.high) == (0.0, 1.0)


def test_ks_interval_covers() -> None:
    rng = np.random.default_rng(3)
    true = stats.norm.cdf(0.25) - stats.norm.cdf(-0.25)  # the largest gap of N(0, 1) and N(0.5, 1)
    held = [true in ks_interval(compare(rng.normal(size=200), rng.normal(0.5, 1, 150)), level=0.9) for _ in range(300)]
    assert np.mean(held) >= 0.9


@pytest.mark.parametrize(("n", "m"), [(100, 100), (1000, 60), (40, 400)])
def test_detectable_ks_has_the_promised_power(n: int, m: int) -> None:
    rng = np.random.default_rng(n + m)
    distance = detectable_ks(n, m)
    # moving this share of the mass from one side of the median to the other makes the distance exactly this
    found = 0
    for _ in range(400):
        new = rng.uniform(size=m)
        move = (new < 0.5) & (rng.uniform(size=m) < 2 * distance)
        found += kolmogorov_smirnov(compare(rng.uniform(size=n), np.where(move, new + 0.5, new))).p_value <= 0.05
    assert found / 400 >= 0.75


def test_detectable_hellinger_has_the_promised_power() -> None:
    rng = np.random.default_rng(5)
    n = m = 500
    distance = detectable_hellinger(n, m, 2)
    # two shares symmetric about one half are this far apart, to the second order
    low, high = 0.5 - distance / 2, 0.5 + distance / 2
    assert math.sqrt(2) * (math.sqrt(high) - math.sqrt(low)) == pytest.approx(distance, rel=0.01)
    a, b = rng.binomial(n, low, 2000), rng.binomial(m, high, 2000)
    found = [chi_square([[x, n - x], [y, m - y]]).p_value <= 0.05 for x, y in zip(a, b, strict=True)]
    assert np.mean(found) == pytest.approx(0.8, abs=0.05)


def test_detectable_distances_of_too_few_rows_are_nan_or_the_largest() -> None:
    assert math.isnan(detectable_ks(3, 3))
    assert detectable_ks(1000, 1) == 1.0
    assert detectable_ks(10**6, 10**6) < 0.003
    assert math.isnan(detectable_hellinger(2, 1, 5))
    assert detectable_hellinger(1000, 1, 5) == math.sqrt(2)
    assert math.isnan(detectable_share(3, 3, 0.5))
    # and the answer comes at once, however many rows there are
    assert detectable_ks(1_000, 10**9) == pytest.approx(detectable_ks(1_000, 10**7), rel=1e-3)


def test_detectable_share_has_the_promised_power() -> None:
    rng = np.random.default_rng(2)
    n, m, share = 400, 300, 0.1
    change = detectable_share(n, m, share + 0.03)
    a, b = rng.binomial(n, share, 1500), rng.binomial(m, share + change, 1500)
    found = [chi_square([[x, n - x], [y, m - y]]).p_value <= 0.05 for x, y in zip(a, b, strict=True)]
    assert np.mean(found) == pytest.approx(0.8, abs=0.06)


@pytest.mark.parametrize(("categories", "n", "m"), [(2, 300, 200), (12, 1000, 400), (100, 5000, 2000)])
@pytest.mark.parametrize("tilt", [0.0, 0.3])
def test_hellinger_without_bias(categories: int, n: int, m: int, tilt: float) -> None:
    rng = np.random.default_rng(categories)
    p = rng.uniform(0.5, 1.5, categories)
    q = p * np.exp(tilt * np.resize([-1.0, 1.0], categories))
    p, q = p / p.sum(), q / q.sum()
    truth = math.sqrt(np.square(np.sqrt(p) - np.sqrt(q)).sum())
    plugged, found, held = [], [], []
    for _ in range(150):
        old, new = rng.multinomial(n, p), rng.multinomial(m, q)
        record = compare_counts(dict(enumerate(old.tolist())), dict(enumerate(new.tolist())))
        interval = hellinger_interval(record)
        plugged.append(hellinger(record))
        found.append(interval.estimate)
        held.append(truth in interval)
    # the square is without bias, so the distance itself errs a little downward
    errors = [abs(np.mean(np.square(each)) - truth**2) for each in (found, plugged)]
    assert errors[0] <= errors[1]
    assert np.mean(held) >= 0.9


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: wasserstein(compare(["a"], ["b"])),
            "wasserstein needs numbers or dates, got categories; use chi_square for those.",
        ),
        (
            lambda: ks_interval(compare([1], [2]), level=95),
            "level must be a number strictly between 0 and 1, got 95; 0.95 means 95%.",
        ),
        (lambda: detectable_ks(0, 5), "n must be a whole number of at least 1; got 0."),
    ],
)
def test_distances_refuse_bad_arguments(call, sentence) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value) == sentence


def test_skewness_is_scipys() -> None:
    values = np.random.default_rng(0).exponential(size=(20, 3))
    np.testing.assert_allclose(skewness(values), stats.skew(values, axis=0))
    assert float(skewness(values[:, 0])) == pytest.approx(stats.skew(values[:, 0]))


def test_skewness_of_too_few_or_equal_values_is_unknown() -> None:
    assert math.isnan(float(skewness([])))
    assert math.isnan(float(skewness([1.0, 2.0])))
    for constant in (0.0, 0.1, 1.0, 1e6 + 0.1, 1e300, 1e-300):
        assert math.isnan(float(skewness(np.full(7, constant))))
    assert float(skewness(1e-200 * np.array([0.0, 0.0, 1.0]))) == pytest.approx(0.5**0.5)
    assert np.isnan(skewness(np.ones((2, 3)))).tolist() == [True] * 3
