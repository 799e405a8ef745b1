from __future__ import annotations

import math
import re
import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shiftproof.core import InputError
from shiftproof.stats._bootstrap import _Sample, bootstrap, bootstrap_difference

Array = NDArray[Any]


def accuracy(y: Array, predicted: Array, axis: int) -> Any:
    return (y == predicted).mean(axis)


def one_accuracy(y: Array, predicted: Array) -> float:
    return float((y == predicted).mean())


@given(st.integers(3, 60), st.integers(0, 2**32 - 1), st.sampled_from(["bca", "percentile"]), st.floats(0.5, 0.99))
@settings(max_examples=25, deadline=None)
def test_one_sample_agrees_with_scipy_draw_for_draw(n: int, seed: int, method: Any, level: float) -> None:
    x = np.random.default_rng(seed).lognormal(size=n)
    theirs = scipy.stats.bootstrap(
        (x,), np.mean, n_resamples=500, confidence_level=level, method=method, random_state=np.random.default_rng(seed)
    ).confidence_interval
    ours = bootstrap(x, np.mean, n_resamples=500, level=level, method=method, random_state=seed)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)
    assert ours.estimate == pytest.approx(x.mean())
    assert (ours.level, ours.method) == (level, method)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_two_samples_agree_with_scipy_draw_for_draw(method: Any) -> None:
    rng = np.random.default_rng(5)
    x, y = rng.lognormal(size=40), rng.lognormal(size=25)
    theirs = scipy.stats.bootstrap(
        (x, y),
        lambda x, y, axis: x.mean(axis) - y.mean(axis),
        n_resamples=2000,
        method=method,
        random_state=np.random.default_rng(0),
    ).confidence_interval
    ours = bootstrap_difference(x, y, np.mean, method=method, random_state=0)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)
    assert ours.estimate == pytest.approx(x.mean() - y.mean())
    assert ours.method == method


def test_one_call_per_resample_gives_the_same_as_all_at_once() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    predicted = np.where(rng.random(80) < 0.8, y, 1 - y)
    fast = bootstrap((y, predicted), accuracy, limits=(0, 1), random_state=3)
    slow = bootstrap((y, predicted), one_accuracy, limits=(0, 1), random_state=3, vectorized=False)
    assert fast == slow
    assert 0.6 < fast.low < fast.estimate < fast.high < 0.85


def test_rows_of_several_arrays_stay_together_whatever_their_shape_and_type() -> None:
    names = np.array(["cat", "dog", "eel"])
    probabilities = np.random.default_rng(0).dirichlet([1, 1, 1], size=40)
    labels = names[probabilities.argmax(axis=1)]

    def agreement(labels: Array, probabilities: Array, axis: int) -> Any:
        assert axis == 1
        assert probabilities.shape == (*labels.shape, 3)
        return (labels == names[probabilities.argmax(axis=2)]).mean(axis)

    interval = bootstrap((labels, probabilities), agreement, random_state=0)
    assert (interval.low, interval.estimate, interval.high) == (1, 1, 1)
    assert interval.method == "percentile (bca undefined)"


def test_a_seed_repeats_and_the_callers_generator_moves_on() -> None:
    x = np.arange(20.0)
    assert bootstrap(x, np.mean, random_state=7) == bootstrap(x, np.mean, random_state=7)
    rng = np.random.default_rng(7)
    assert bootstrap(x, np.mean, random_state=rng) != bootstrap(x, np.mean, random_state=rng)


def test_lists_and_integers_are_data_too() -> None:
    assert bootstrap([1, 2, 3, 4], np.median, random_state=0).estimate == 2.5
    assert bootstrap([True, False, True, True], np.mean, random_state=0).estimate == 0.75


def test_intervals_stay_within_the_limits() -> None:
    def overshooting(x: Array, axis: int) -> Any:
        return np.clip(x.mean(axis), 0, 1) * (1 + 1e-12)

    x = np.array([1.0] * 9 + [0.0])
    assert bootstrap(x, overshooting, limits=(0, 1), random_state=0).high == 1
    free = bootstrap(x, np.var, random_state=0, level=0.99)
    kept = bootstrap(x, np.var, random_state=0, level=0.99, limits=(0.05, 0.2))
    assert free.low < kept.low == 0.05
    assert kept.high == 0.2 < free.high
    rounded = bootstrap(np.ones(5), lambda x, axis: x.mean(axis) + 1e-12, limits=(-math.inf, 1), random_state=0)
    assert rounded.estimate == rounded.low == rounded.high == 1


@pytest.mark.parametrize("data", [np.full(10, 0.1), np.zeros(2), np.zeros((5, 3))])
def test_a_statistic_without_spread_falls_back_in_words(data: Array) -> None:
    interval = bootstrap(data, lambda x, axis: x.reshape(len(x), -1).mean(axis), random_state=0)
    assert interval.method == "percentile (bca undefined)"
    assert interval.low == interval.high == pytest.approx(float(data.mean()))


def test_bca_is_undefined_where_all_resamples_lie_on_one_side() -> None:
    # The number of distinct rows is at its largest on the data: every resample lies below.
    distinct = bootstrap(np.arange(30.0), lambda x: len(set(x)), vectorized=False, random_state=0)
    assert distinct.method == "percentile (bca undefined)"
    assert distinct.high < distinct.estimate == 30


def test_bca_is_undefined_where_the_jackknife_is() -> None:
    undefined = bootstrap(np.arange(9.0), lambda x, axis: x.mean(axis) if x.shape[1] == 9 else x[:, 0] * np.nan)
    assert undefined.method == "percentile (bca undefined)"
    # The median of these does not move with any single row.
    still = bootstrap([1.0, 1, 1, 2, 2, 2, 2, 3, 3, 3], np.median, random_state=0)
    assert still.method == "percentile (bca undefined)"


def test_bca_is_undefined_where_its_denominator_is_not_positive() -> None:
    x = np.r_[np.zeros(50), 1.0]  # one row has all the influence: the acceleration is near its largest
    interval = bootstrap(x, lambda x, axis: x.mean(axis) ** 3, level=1 - 1e-9, random_state=0)
    assert interval.method == "percentile (bca undefined)"


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_the_scale_of_the_data_does_not_matter(scale: float) -> None:
    x = np.random.default_rng(0).exponential(size=30)
    small, plain = bootstrap(x * scale, np.mean, random_state=0), bootstrap(x, np.mean, random_state=0)
    assert (small.low / scale, small.high / scale) == pytest.approx((plain.low, plain.high), rel=1e-9)
    assert small.method == "bca"


def test_undefined_resamples_are_left_out_and_counted() -> None:
    def recall(y: Array, axis: int) -> Any:
        found, there = (y == 2).sum(axis), (y >= 1).sum(axis)
        return np.where(there, found / np.maximum(there, 1), np.nan)

    y = np.r_[np.zeros(30), 1, 2, 2]
    interval = bootstrap(y, recall, limits=(0, 1), random_state=0)
    assert re.fullmatch(r"bca \(\d+ of 2000 resamples undefined\)", interval.method)
    assert 0 <= interval.low <= 2 / 3 <= interval.high <= 1
    lone = bootstrap(np.r_[np.zeros(30), 2, 2], recall, random_state=0)
    assert re.fullmatch(r"percentile \(bca undefined; \d+ of 2000 resamples undefined\)", lone.method)


def test_infinite_values_in_both_samples_have_no_difference() -> None:
    def rate(x: Array, axis: int) -> Any:
        ones = x.sum(axis)
        return np.where(ones > 0, 1 / np.maximum(ones, 1), np.inf)

    interval = bootstrap_difference([0, 0, 1, 1], [0, 0, 0, 1, 1], rate, method="percentile", random_state=0)
    assert re.fullmatch(r"percentile \(\d+ of 2000 resamples undefined\)", interval.method)


def test_groups_of_rows_give_nearly_the_same_acceleration_as_single_rows() -> None:
    x = np.sort(np.random.default_rng(0).lognormal(size=12_345))  # sorted: neighbours are alike
    influence = _Sample.of(x, "x", np.mean, True).influences(np.random.default_rng(0))
    assert len(influence) == 12_345 // 13
    skew = float((influence**3).sum() / (6 * (influence**2).sum() ** 1.5))
    alone = x - x.mean()
    assert skew == pytest.approx((alone**3).sum() / (6 * (alone**2).sum() ** 1.5), abs=0.003)


def test_memory_does_not_grow_with_the_resamples() -> None:
    x = np.random.default_rng(0).random(20_000)
    tracemalloc.start()
    bootstrap(x, np.mean, n_resamples=500, random_state=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6  # all resamples at once would take 160 MB


def coverage(draw: Any, statistic: Any, truth: float, times: int, **options: Any) -> float:
    rng = np.random.default_rng(42)
    return float(np.mean([truth in bootstrap(draw(rng), statistic, random_state=rng, **options) for _ in range(times)]))


def test_bca_covers_the_mean_of_a_skewed_variable() -> None:
    share = coverage(lambda rng: rng.exponential(size=60), np.mean, 1.0, 600, n_resamples=1000)
    assert 0.91 <= share <= 0.97


def test_bca_covers_better_than_percentiles_where_the_statistic_is_biased() -> None:
    bca, percentile = (
        coverage(lambda rng: rng.exponential(size=40), np.var, 1.0, 500, n_resamples=800, method=method)
        for method in ("bca", "percentile")
    )
    assert 0.7 <= percentile < bca - 0.02 <= 0.95


def test_bca_covers_a_rate() -> None:
    share = coverage(lambda rng: rng.random(100) < 0.8, np.mean, 0.8, 600, n_resamples=1000, limits=(0, 1))
    assert 0.92 <= share <= 0.98


def test_bca_covers_a_difference() -> None:
    rng = np.random.default_rng(0)
    pairs = [(rng.exponential(size=50), rng.exponential(2, size=80)) for _ in range(500)]
    share = np.mean([-1 in bootstrap_difference(*pair, np.mean, n_resamples=800, random_state=rng) for pair in pairs])
    assert 0.91 <= share <= 0.975


X = np.arange(10.0)
ADD_AXIS = "add the parameter axis, or pass vectorized=False."
WORK_ALONG = "work along axis, or pass vectorized=False."


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([], np.mean), "data must hold at least 2 rows, got 0; one row has no spread to resample."),
        ((1.5, np.mean), "data must hold at least 2 rows, got 0; one row has no spread to resample."),
        (([3], np.mean), "data must hold at least 2 rows, got 1; one row has no spread to resample."),
        (((), np.mean), "data must hold at least 2 rows, got 0; one row has no spread to resample."),
        (
            (([1, 2], [1, 2, 3]), accuracy),
            "the arrays of data must have the same length, got 2 and 3; their rows are resampled together.",
        ),
        (
            ([[1, 2], [3]], np.mean),
            "data must have rows of the same shape, got [[1, 2], [3]]; give several arrays as a tuple.",
        ),
        ((X, "mean"), "statistic must be a function, got 'mean'; np.mean is one."),
        (
            (X, sum),
            f"statistic must accept 1 array and axis, got the function sum; {ADD_AXIS}",
        ),
        (
            ((X, X), len),
            f"statistic must accept 2 arrays and axis, got the function len; {ADD_AXIS}",
        ),
        (
            (X, lambda x, axis: x.mean() + 0 * axis),
            f"statistic must return one number per resample, got 4.5; {WORK_ALONG}",
        ),
        (
            (X, lambda x, axis: x.take(0, axis).astype("U1")),
            f"statistic must return one number per resample, got an array of 1 value; {WORK_ALONG}",
        ),
        (
            (np.r_[X, np.nan], np.mean),
            "statistic must be finite on the data, got nan; drop missing values, or choose another statistic.",
        ),
        (
            (X, lambda x, axis: np.where((x == X).all(axis), 1.0, np.nan)),
            "statistic must be finite on at least half of the 2000 resamples, got 0; collect more rows.",
        ),
    ],
)
def test_bad_data_or_statistics_are_told_in_one_sentence(arguments: tuple[Any, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        bootstrap(*arguments)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"level": 95}, "level must be a number strictly between 0 and 1, got 95; 0.95 means 95%."),
        ({"method": "bc"}, "method must be one of 'bca', 'percentile'; got 'bc'. Did you mean 'bca'?"),
        ({"n_resamples": 10}, "n_resamples must be a whole number of at least 100, got 10; 2000 is usual."),
        ({"limits": (1, 0)}, "limits must be two numbers, the lower first, got (1, 0); (0, 1) fits a rate."),
        ({"limits": 1}, "limits must be two numbers, the lower first, got 1; (0, 1) fits a rate."),
        ({"limits": (0, math.nan)}, "limits must be two numbers, the lower first, got (0, nan); (0, 1) fits a rate."),
        ({"limits": ("0", "1")}, "limits must be two numbers, the lower first, got ('0', '1'); (0, 1) fits a rate."),
        ({"limits": (0, 1)}, "limits must hold the estimate 4.5, got (0.0, 1.0); give the range of the measure."),
        (
            {"random_state": -1},
            "random_state must be None, a whole number of at least 0, or a NumPy generator, got -1; use 0.",
        ),
    ],
)
def test_bad_options_are_told_in_one_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        bootstrap(X, np.mean, **options)


def test_a_statistic_called_one_by_one_must_give_a_number() -> None:
    sentence = "statistic must return one number, got an array of 2 values; reduce it to a float."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        bootstrap(X, lambda x: x[:2] * 0 + [0, 1], vectorized=False)


def test_a_difference_names_the_sample_that_is_wrong() -> None:
    with pytest.raises(InputError, match=r"^second must hold at least 2 rows, got 1; "):
        bootstrap_difference(X, [1], np.mean)


def test_functions_without_a_signature_are_tried() -> None:
    class Unreadable:
        @property
        def __signature__(self) -> Any:
            raise ValueError("no signature found")

        def __call__(self, x: Array, axis: int) -> Any:
            return x.mean(axis)

    assert bootstrap(X, Unreadable(), random_state=0).estimate == 4.5
