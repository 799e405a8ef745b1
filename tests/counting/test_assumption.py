from __future__ import annotations

import os

import numpy as np
import pytest
from scipy import special, stats

from shiftproof.counting import _assumption as module
from shiftproof.counting._assumption import Unclipped, _largest_gap, mixture_fit, unclipped
from shiftproof.quantification import Labelled

LONGER = int(os.environ.get("SIMULATIONS", "1"))


def scores(
    codes: np.ndarray, rng: np.random.Generator, *, k: int = 2, apart: float = 1.5, by: float = 0.0
) -> np.ndarray:
    x = rng.normal(size=(len(codes), k))
    x[np.arange(len(codes)), codes] += apart
    x[:, -1] += by
    return np.asarray(special.softmax(apart * x, axis=1))


def labelled(rng: np.random.Generator, counts: tuple[int, ...] = (200, 100)) -> Labelled:
    codes = np.repeat(np.arange(len(counts)), counts)
    return Labelled(scores(codes, rng, k=len(counts)), codes)


def test_the_gap_is_that_of_the_two_sample_test_where_weights_are_equal() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 20, 70) / 20, rng.integers(3, 23, 50) / 20
    gap = _largest_gap(a, np.full(70, 1 / 70), b)
    assert gap == pytest.approx(stats.ks_2samp(a, b).statistic)


def test_mixtures_fit_as_often_as_they_should() -> None:
    """Under prior shift the p-values are uniform, or nearly: the mixture is estimated in every resample, too."""
    p_values = []
    for seed in range(25 * LONGER):
        rng = np.random.default_rng(seed)
        new = scores(np.repeat([0, 1], [40, 110]), rng)
        p_values.append(mixture_fit(labelled(rng), new, rng).p_value)
    assert np.mean(np.array(p_values) < 0.05) < (0.17 if LONGER == 1 else 0.13)
    assert 0.35 < np.mean(p_values) < 0.65


@pytest.mark.parametrize("counts", [(200, 100), (200, 100, 150)])
def test_what_is_no_mixture_does_not_fit(counts: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    known = labelled(rng, counts)
    codes = rng.integers(0, len(counts), 300)
    middling = 0.5 * scores(codes, rng, k=len(counts)) + 0.5 / len(counts)
    found = mixture_fit(known, middling, rng)
    assert found.p_value == pytest.approx(1 / 201)
    assert found.distance > 0.1


def test_many_rows_are_drawn_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_ROWS", 100)
    rng = np.random.default_rng(0)
    found = mixture_fit(labelled(rng, (1000, 40)), scores(np.ones(500, int), rng), rng)
    assert found.p_value > 0.01


def test_adjusted_counts_that_leave_0_to_1_are_told() -> None:
    rng = np.random.default_rng(0)
    known = labelled(rng)
    # All of the second class, and more like it than any row before.
    told = unclipped(known, scores(np.ones(400, int), rng, by=2.0), rng)
    assert [(each.method, each.code) for each in told] == [
        (method, code) for method in ("adjusted count", "scaled probability average", "median sweep") for code in (0, 1)
    ]
    for no, yes in zip(told[::2], told[1::2], strict=True):
        assert yes.outside
        assert no.outside
        assert yes.value > 1
        assert no.value == pytest.approx(1 - yes.value)
        # A sample of nothing but that class has about 1.
        assert 0.8 < yes.low < 1 < yes.high < yes.value


@pytest.mark.parametrize("size", [1, 2, 5])
def test_few_rows_leave_0_to_1_by_chance(size: int) -> None:
    rng = np.random.default_rng(3)
    known = labelled(rng)
    outside = [
        any(each.outside for each in unclipped(known, scores(np.ones(size, int), rng), rng)) for _ in range(8 * LONGER)
    ]
    assert np.mean(outside) <= 0.2


@pytest.mark.parametrize("k", [3, 5])
def test_absent_classes_are_no_reason(k: int) -> None:
    """With more than two classes the others change their mix, too; all classes and methods are looked at together."""
    outside = 0
    for seed in range(8 * LONGER):
        rng = np.random.default_rng(seed)
        known = labelled(rng, (60,) * k)
        new = scores(rng.integers(0, 2, 150), rng, k=k)
        outside += any(each.outside for each in unclipped(known, new, rng))
    assert outside <= 2 * LONGER


def test_those_that_may_be_chance_are_not() -> None:
    rng = np.random.default_rng(1)
    told = unclipped(labelled(rng), scores(np.zeros(60, int), rng), rng)
    assert not any(each.outside for each in told)
    assert Unclipped(method="", code=1, value=-0.3, low=-0.2, high=0.2).outside
    assert not Unclipped(method="", code=1, value=0.3, low=-0.2, high=0.2).outside
    assert not Unclipped(method="", code=1, value=-0.01, low=0.0, high=0.0).outside


def test_mixture_fit_of_three_classes_ends_after_twenty_samples_that_are_as_far(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    codes = np.arange(90) % 3
    scores = (rng.dirichlet(np.ones(3), 90) + np.eye(3)[codes]) / 2
    distances = iter([0.1, *[0.2, 0.0] * 20])
    monkeypatch.setattr(module, "_distance", lambda *_: next(distances))
    fit = mixture_fit(Labelled(scores, codes), scores[:30], rng)
    assert fit.p_value == 20 / 39
