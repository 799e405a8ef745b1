"""Rehearsed orders: the scale of margins, and data of every sort."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.selection.cases import candidates_of, likeliest, random_posterior, two_models

from shiftproof.case._candidates import Candidates
from shiftproof.case._decisions import Rule, profit_sides
from shiftproof.case._soft import SOFT_MEASURES
from shiftproof.measures import Benefit
from shiftproof.selection._rehearsal import Rehearsal, _fit_scale, rehearse

HALVES = np.array([0.5, 0.5])


def told(true_scale: float, pairs: int = 3000, seed: int = 0) -> float:
    """Fit the scale to margins that are right as often as this scale says."""
    rng = np.random.default_rng(seed)
    margins = np.abs(rng.normal(0, 1.5, size=pairs))
    return _fit_scale(margins, rng.random(pairs) < stats.norm.cdf(margins / true_scale))


@pytest.mark.parametrize("true", [0.7, 1.0, 1.5, 2.5])
def test_scale_is_the_one_that_margins_have(true: float) -> None:
    assert told(true) == pytest.approx(true, rel=0.12)


def test_few_pairs_say_little() -> None:
    assert _fit_scale(np.zeros(0), np.zeros(0, dtype=bool)) == pytest.approx(1.0, abs=1e-3)
    assert 1.0 < _fit_scale(np.full(3, 1.0), np.zeros(3, dtype=bool)) < 1.2
    assert abs(np.log(told(2.5, pairs=20))) < abs(np.log(told(2.5)))


def test_scale_has_its_limits() -> None:
    far = np.full(2000, 3.0)
    assert _fit_scale(far, np.zeros(2000, dtype=bool)) == pytest.approx(4.0, rel=0.01)
    assert 0.5 <= _fit_scale(far / 10, np.ones(2000, dtype=bool)) < 0.51


def rehearsed(
    candidates: Candidates,
    columns: Sequence[Sequence[Any]] = (),
    *,
    measure: str = "accuracy",
    seed: int = 0,
    times: int = 12,
) -> Rehearsal:
    rng = np.random.default_rng(seed)
    sides = likeliest(candidates)
    return rehearse(candidates, SOFT_MEASURES[measure], sides, columns, trust=0.5, rng=rng, times=times)


def many(models: int, n: int, shares: Any = HALVES, seed: int = 0) -> Candidates:
    """Give models that are nearly equally good, so that their order is open."""
    rng = np.random.default_rng(seed)
    whole, _ = two_models(rng, n, 30, np.asarray(shares))
    sharp, k = whole.old["sharp"], len(shares)
    old = {f"model {at}": 0.7 * sharp + 0.3 * random_posterior(rng, n, k) for at in range(models)}
    return candidates_of(whole.codes, old, {name: each[:30] for name, each in old.items()})


def test_errors_that_are_what_they_seem_keep_their_scale() -> None:
    found = rehearsed(many(6, 800), times=30)
    assert found.times == 30
    assert found.pairs > 300
    assert 0.6 < found.scale < 1.5
    assert 0.5 < found.right < 0.95


def test_a_clear_order_is_always_right() -> None:
    rng = np.random.default_rng(1)
    whole, _ = two_models(rng, 600, 30, HALVES)
    old = {"sharp": whole.old["sharp"], "noise": random_posterior(rng, 600, 2)}
    found = rehearsed(candidates_of(whole.codes, old, {name: each[:30] for name, each in old.items()}))
    assert found.right == 1.0
    assert found.pairs == found.times == 12
    assert found.scale <= 1.0


def test_same_seed_same_rehearsal() -> None:
    candidates = many(3, 300)
    columns = [list(range(300))]
    first, again, other = (rehearsed(candidates, columns, seed=seed) for seed in (5, 5, 6))
    assert (first.scale, first.right, first.pairs) == (again.scale, again.right, again.pairs)
    assert first.scale != other.scale


COLUMNS: dict[str, Any] = {
    "texts": ["b", "a", "", "c"] * 50,
    "missing numbers": [1.0, None, float("nan"), 2.0] * 50,
    "missing texts": ["x", None, "y", None] * 50,
    "nothing but missing": [None] * 200,
    "constant": [7] * 200,
    "numbers and texts": [1, "a", 2.5, None] * 50,
    "huge": [10**30, -(10**30), 0, 1] * 50,
    "infinite": [float("inf"), float("-inf"), 0.0, 1.0] * 50,
    "truth": [True, False] * 100,
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_of_every_sort(name: str) -> None:
    found = rehearsed(many(3, 200), [COLUMNS[name]], times=9)
    assert found.times == 9
    assert np.isfinite(found.scale)
    assert 0 <= found.right <= 1


@pytest.mark.parametrize("column", [[[1, 2]] * 200, [{"a": 1}] * 200, [1j, 2j] * 100])
def test_columns_without_an_order_are_passed_over(column: list[Any]) -> None:
    found = rehearsed(many(3, 200), [column], times=9)
    assert found.times == 6
    assert np.isfinite(found.scale)


@pytest.mark.parametrize("n", [2, 3, 10, 25])
def test_tiny_data_say_nothing(n: int) -> None:
    found = rehearsed(many(2, n), [list(range(n))])
    assert (found.times, found.pairs) == (0, 0)
    assert np.isnan(found.right)
    assert found.scale == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("n", [40, 45, 60])
def test_small_data_are_enough(n: int) -> None:
    found = rehearsed(many(2, n))
    assert 0 < found.times <= 12
    assert np.isfinite(found.scale)


def test_a_single_model_has_no_order() -> None:
    found = rehearsed(many(1, 200))
    assert found.pairs == 0
    assert np.isnan(found.right)


@pytest.mark.parametrize("measure", ["accuracy", "brier", "auc", "f1"])
def test_three_classes(measure: str) -> None:
    found = rehearsed(many(3, 300, shares=[0.5, 0.3, 0.2]), measure=measure, times=6)
    assert found.times == 6
    assert found.pairs > 0
    assert np.isfinite(found.scale)


@pytest.mark.parametrize("positives", [4, 5, 6, 8, 20])
def test_a_rare_class(positives: int) -> None:
    n = 1000
    rng = np.random.default_rng(positives)
    codes = np.zeros(n, dtype=np.int64)
    codes[rng.choice(n, positives, replace=False)] = 1
    old = {name: random_posterior(rng, n, 2) for name in "ab"}
    found = rehearsed(candidates_of(codes, old, {name: each[:30] for name, each in old.items()}), times=30)
    assert np.isfinite(found.scale)
    assert found.times <= 30


def test_measures_that_are_undefined_for_a_model() -> None:
    candidates = many(2, 200)
    never = {"never": np.tile([0.9, 0.1], (200, 1))} | candidates.old
    found = rehearsed(
        candidates_of(candidates.codes, never, {name: each[:30] for name, each in never.items()}), measure="precision"
    )
    # Only the other two can be compared.
    assert 0 < found.pairs <= found.times


def test_profits_can_be_rehearsed() -> None:
    candidates = many(3, 300)
    rule = Rule(classes=np.arange(2), positive=1, benefit=Benefit(tp=5, fp=-2))
    sides = profit_sides(candidates, rule)
    rng = np.random.default_rng(0)
    found = rehearse(candidates, SOFT_MEASURES["profit"], sides, [], trust=0.5, rng=rng, times=9)
    assert found.pairs > 0
    assert np.isfinite(found.scale)


def test_rows_that_weigh_differently() -> None:
    rng = np.random.default_rng(3)
    candidates = many(2, 200)
    old = dict(candidates.old)
    new = {name: each[:30] for name, each in old.items()}
    weighted = candidates_of(candidates.codes, old, new, base=rng.dirichlet(np.ones(200)))
    assert np.isfinite(rehearsed(weighted).scale)
