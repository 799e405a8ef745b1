"""The threshold family against the thesis's rules, written out threshold by threshold in fractions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shiftproof import InputError
from shiftproof.counting._thresholds import learn_median_sweep, learn_threshold_50
from shiftproof.quantification import METHODS, Labelled, Samples

SEEDS = st.integers(0, 10_000)
RULES: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "threshold x": lambda tpr, fpr: -abs(fpr - (1 - tpr)),
    "threshold 50": lambda tpr, _: -abs(tpr - Fraction(1, 2)),
    "threshold max": lambda tpr, fpr: tpr - fpr,
}


def scored(seed: int, n: int = 50, k: int = 2, better: int = 4) -> Labelled:
    """RowScores with many ties, in four folds; with `better` = 0 they say nothing."""
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(k), rng.integers(0, k, n - k))
    weights = rng.integers(1, 6, size=(n, k)).astype(float)
    weights[np.arange(n), codes] += rng.integers(0, better + 1, n)
    return Labelled(weights / weights.sum(axis=1, keepdims=True), codes, rng.integers(0, 4, n))


def binary(positive: list[float], negative: list[float]) -> Labelled:
    p = np.array(negative + positive)
    return Labelled(np.column_stack([1 - p, p]), [0] * len(negative) + [1] * len(positive))


def drawn(labelled: Labelled, seed: int, n_samples: int = 6) -> Samples:
    rng = np.random.default_rng(seed + 1)
    lists = [rng.integers(0, len(labelled.codes), rng.integers(1, 30)) for _ in range(n_samples)]
    return Samples.from_lists(labelled.probabilities, lists)


def scores_of(samples: Samples, code: int = 1) -> list[np.ndarray]:
    return [samples.probabilities[rows, code] for rows in np.split(samples.rows, samples.offsets[1:-1])]


def slow_rates(labelled: Labelled, threshold: float, averaging: str, code: int = 1) -> tuple[Fraction, Fraction]:
    folds = labelled.folds if averaging == "folds" else np.zeros_like(labelled.folds)
    rates = []
    for mine in (labelled.codes == code, labelled.codes != code):
        shares = []
        for fold in np.unique(folds[mine]):
            scores = labelled.probabilities[mine & (folds == fold), code]
            shares.append(Fraction(int((scores >= threshold).sum()), len(scores)))
        rates.append(sum(shares, Fraction(0)) / len(shares))
    return rates[0], rates[1]


def slow_cut(labelled: Labelled, name: str, averaging: str) -> tuple[float, Fraction, Fraction]:
    best = None
    for threshold in np.unique(labelled.probabilities[:, 1]):  # rising: the first of equal ones is the lowest
        tpr, fpr = slow_rates(labelled, threshold, averaging)
        merit = RULES[name](tpr, fpr)
        if best is None or merit > best[0]:
            best = merit, (float(threshold), tpr, fpr)
    assert best is not None
    return best[1]


def slow_adjusted(scores: np.ndarray, threshold: float, tpr: Fraction, fpr: Fraction) -> float:
    counted = Fraction(int((scores >= threshold).sum()), len(scores))
    return float((counted - fpr) / (tpr - fpr))


@pytest.mark.parametrize("averaging", ["folds", "pooled"])
@pytest.mark.parametrize("name", [*RULES])
@given(seed=SEEDS, better=st.integers(0, 4))
def test_one_threshold(name: str, averaging: str, seed: int, better: int) -> None:
    labelled = scored(seed, better=better)
    samples = drawn(labelled, seed)
    learned = METHODS[name].having(rates=averaging).learn(labelled)
    threshold, tpr, fpr = slow_cut(labelled, name, averaging)
    if tpr > fpr:
        wanted = [slow_adjusted(scores, threshold, tpr, fpr) for scores in scores_of(samples)]
        assert learned.notes == ()
    else:
        wanted = [(scores >= 0.5).mean() for scores in scores_of(samples)]
        assert learned.notes == ("tpr <= fpr, so the plain count is returned",)
    np.testing.assert_allclose(learned.raw(samples)[:, 1], wanted, atol=1e-9)
    np.testing.assert_allclose(learned.estimate(samples)[:, 1], np.clip(wanted, 0, 1), atol=1e-9)


@pytest.mark.parametrize("averaging", ["folds", "pooled"])
@pytest.mark.parametrize("name", ["median sweep", "median sweep grid"])
@settings(max_examples=40)
@given(seed=SEEDS, better=st.integers(0, 4))
def test_median_sweep(name: str, averaging: str, seed: int, better: int) -> None:
    labelled = scored(seed, better=better)
    samples = drawn(labelled, seed)
    learned = METHODS[name].having(rates=averaging).learn(labelled)
    p = labelled.probabilities[:, 1]
    every = np.linspace(p.min(), p.max(), 101) if "grid" in name else np.unique(p)
    kept = [(float(t), *slow_rates(labelled, t, averaging)) for t in every]
    kept = [(t, tpr, fpr) for t, tpr, fpr in kept if tpr - fpr >= Fraction(1, 4)]
    if not kept:
        best = METHODS["threshold max"].having(rates=averaging).learn(labelled)
        np.testing.assert_array_equal(learned.raw(samples), best.raw(samples))
        fallback = "tpr - fpr < 1/4 at every threshold, so the threshold with the largest difference is used"
        assert learned.notes == (best.notes or (fallback,))
        return
    wanted = [np.median([slow_adjusted(scores, *one) for one in kept]) for scores in scores_of(samples)]
    assert learned.notes == ()
    np.testing.assert_allclose(learned.raw(samples)[:, 1], wanted, atol=1e-9)
    np.testing.assert_allclose(learned.estimate(samples)[:, 1], np.clip(wanted, 0, 1), atol=1e-9)


def test_a_difference_of_exactly_a_quarter_stays() -> None:
    """At 0.6 tpr - fpr is 7/10 - 9/20 = 1/4, which floating-point numbers put below a quarter; elsewhere it is less."""
    assert 0.7 - 0.45 < 0.25
    labelled = binary([0.6] * 7 + [0.2] * 3, [0.6] * 9 + [0.2] * 11)
    samples = Samples.from_lists(labelled.probabilities, [np.flatnonzero(labelled.codes == 1)])
    learned = METHODS["median sweep"].learn(labelled)
    assert learned.notes == ()
    assert learned.raw(samples)[0, 1] == pytest.approx(1)
    # One more false positive, and none qualifies.
    fewer = METHODS["median sweep"].learn(binary([0.6] * 7 + [0.2] * 3, [0.6] * 10 + [0.2] * 10))
    assert fewer.notes == ("tpr - fpr < 1/4 at every threshold, so the threshold with the largest difference is used",)


def test_the_median_is_clipped_only_when_taken() -> None:
    """Adjusted at 0.4 the sample has 3/2, at 0.6 it has 1/2 of positives: their median is 1; clipped before, 3/4."""
    labelled = binary([0.6, 0.6, 0.4, 0.4, 0.2, 0.2], [0.2] * 6)
    samples = Samples.from_lists(labelled.probabilities, [[6, 8, 9, 9, 9, 9]])
    wanted = np.median([(6 / 6) / (4 / 6), (1 / 6) / (2 / 6)])
    learned = METHODS["median sweep"].learn(labelled)
    assert learned.raw(samples)[0, 1] == pytest.approx(wanted)
    assert learned.estimate(samples)[0, 1] == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "positive", "negative", "threshold"),
    [
        ("threshold max", [0.8, 0.6], [0.7, 0.2], 0.6),  # 1/2 at 0.6 and at 0.8
        ("threshold 50", [0.9, 0.7, 0.5, 0.3], [0.8, 0.6, 0.1, 0.0], 0.6),  # tpr is 1/2 at 0.6, 0.7
        ("threshold 50", [0.9, 0.6, 0.3], [0.1], 0.6),  # 2/3 and 1/3 are equally near
        ("threshold x", [0.9, 0.8], [0.4, 0.3], 0.8),  # tpr 1, fpr 0 at 0.8 only
        ("threshold x", [0.9, 0.5], [0.7, 0.1], 0.7),  # fpr = 1 - tpr = 1/2 at 0.7; not at 0.5 (1, 1/2)
    ],
)
def test_of_equal_thresholds_the_lowest_is_taken(
    name: str, positive: list[float], negative: list[float], threshold: float
) -> None:
    labelled = binary(positive, negative)
    tpr, fpr = np.mean(np.array(positive) >= threshold), np.mean(np.array(negative) >= threshold)
    if tpr > fpr:
        samples = Samples.from_matrix(labelled.probabilities, np.arange(len(labelled.codes))[:, None])
        wanted = ((labelled.probabilities[:, 1] >= threshold) - fpr) / (tpr - fpr)
        np.testing.assert_allclose(METHODS[name].learn(labelled).raw(samples)[:, 1], wanted)
    else:
        assert METHODS[name].learn(labelled).notes == ("tpr <= fpr, so the plain count is returned",)


def test_medians_over_thousands_of_thresholds_are_exact() -> None:
    """Beyond a thousand thresholds only the values near the median are sorted."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 4000)
    p = 1 / (1 + np.exp(-rng.normal(1.5 * codes - 0.7)))
    labelled = Labelled(np.column_stack([1 - p, p]), codes)
    lists = [rng.integers(0, 4000, m) for m in (1, 2, 7, 500, 3000)]
    samples = Samples.from_lists(labelled.probabilities, lists)
    thresholds = np.sort(p)
    tpr, fpr = ((p[codes == code][:, None] >= thresholds).mean(axis=0) for code in (1, 0))
    kept = tpr - fpr >= 0.25
    found = METHODS["median sweep"].learn(labelled).raw(samples)[:, 1]
    for rows, value in zip(lists, found, strict=True):
        counted = (p[rows][:, None] >= thresholds[kept]).mean(axis=0)
        assert value == pytest.approx(np.median((counted - fpr[kept]) / (tpr[kept] - fpr[kept])), abs=1e-12)


@pytest.mark.parametrize("name", [*RULES, "median sweep"])
def test_more_classes_are_each_against_the_rest(name: str) -> None:
    labelled = scored(3, n=150, k=3)
    samples = drawn(labelled, 3)
    columns = []
    for code in range(3):
        p = labelled.probabilities[:, code]
        one = Labelled(np.column_stack([1 - p, p]), (labelled.codes == code).astype(int), labelled.folds)
        learned = METHODS[name].learn(one)
        assert learned.notes == ()
        columns.append(learned.raw(Samples(one.probabilities, samples.rows, samples.offsets))[:, 1])
    raw = np.column_stack(columns)
    learned = METHODS[name].learn(labelled)
    np.testing.assert_allclose(learned.raw(samples), raw)
    clipped = np.clip(raw, 0, 1)
    np.testing.assert_allclose(learned.estimate(samples), clipped / clipped.sum(axis=1, keepdims=True))


@given(SEEDS)
@settings(max_examples=20)
def test_reversed_labels_are_those_of_the_other_class(seed: int) -> None:
    labelled = scored(seed, better=3)
    samples = drawn(labelled, seed)
    turned = Labelled(labelled.probabilities[:, ::-1], 1 - labelled.codes, labelled.folds)
    expected = METHODS["threshold 50"].learn(turned)
    found = learn_threshold_50(labelled, reverse="always")
    turned_samples = Samples(turned.probabilities, samples.rows, samples.offsets)
    np.testing.assert_allclose(found.raw(samples), expected.raw(turned_samples)[:, ::-1])
    assert found.notes == expected.notes
    # A class is reversed where it has more than half of the rows.
    majority = learn_threshold_50(labelled, reverse="majority").raw(samples)
    plain = learn_threshold_50(labelled).raw(samples)
    np.testing.assert_array_equal(majority, found.raw(samples) if labelled.codes.mean() > 0.5 else plain)


def test_reversed_labels_choose_the_threshold_by_the_other_class() -> None:
    labelled = binary([0.3, 0.55, 0.65, 0.7, 0.8, 0.9], [0.1, 0.2, 0.5, 0.6])
    samples = Samples.from_lists(labelled.probabilities, [[1, 3, 8, 9]])
    # Half of the negatives lie up to 0.3, the last such score; so do one of six positives, and one of the four rows.
    found = learn_threshold_50(labelled, reverse="majority").raw(samples)[0, 1]
    assert found == pytest.approx(1 - (1 / 4 - 1 / 6) / (1 / 2 - 1 / 6))
    # tpr is 1/2 from the score 0.7 on, and fpr is 0.
    assert learn_threshold_50(labelled).raw(samples)[0, 1] == pytest.approx((2 / 4) / (1 / 2))
    with pytest.raises(InputError, match=r"reverse must be one of 'never', 'majority', 'always'; got 'yes'\."):
        learn_threshold_50(labelled, reverse="yes")  # type: ignore[arg-type]


def test_grid_that_is_text_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        learn_median_sweep(Labelled([[0.2, 0.8], [0.7, 0.3]], [1, 0]), grid="no")  # type: ignore[arg-type]
    assert str(caught.value) == "grid must be True or False, got 'no'; write grid=True or grid=False."
