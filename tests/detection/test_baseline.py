from __future__ import annotations

import math

import numpy as np
import pytest

import shiftproof as sp
from shiftproof.detection._baseline import hellinger_baseline
from shiftproof.stats import compare


def test_the_baseline_is_the_mean_distance_without_shift() -> None:
    rng = np.random.default_rng(0)
    population = rng.normal(size=(100_000, 4))
    seen = []
    for _ in range(60):
        old, new = (population[rng.integers(0, len(population), n)] for n in (400, 150))
        seen.append(sp.detect(old, new, multivariate=False).hellinger_mean)
    found = sp.detect(population[:400], population[400:550], multivariate=False)
    assert found.baseline is not None
    assert found.baseline.mean == pytest.approx(np.mean(seen), rel=0.1)
    assert found.baseline.mean < found.baseline.high < 1.5 * found.baseline.mean


def test_a_shift_stands_out_from_the_baseline() -> None:
    rng = np.random.default_rng(1)
    found = sp.detect({"a": rng.normal(size=500)}, {"a": rng.normal(1, 1, 500)}, multivariate=False)
    assert found.baseline is not None
    assert found.hellinger_mean > 2 * found.baseline.high


def test_many_categories_and_constants_and_nothing() -> None:
    rng = np.random.default_rng(2)
    many = compare([str(value) for value in range(200_000)], [str(value) for value in range(1000)])
    same = compare([1.0] * 9, [1.0] * 5)
    assert 1.0 < hellinger_baseline([many], rng).mean < math.sqrt(2)
    assert hellinger_baseline([same], rng).mean == 0.0
    assert math.isnan(hellinger_baseline([], rng).mean)


def test_very_many_features_take_fewer_draws_and_have_the_same_mean() -> None:
    record = compare(np.arange(50) % 7, np.arange(40) % 7)
    few, many = (hellinger_baseline([record] * times, np.random.default_rng(4)) for times in (100, 3_000))
    assert many.mean == pytest.approx(few.mean, rel=0.01)
