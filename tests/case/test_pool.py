"""One posterior from all models: the right temperature, the right shares, and who is left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import special
from sklearn.metrics import log_loss
from tests.selection.cases import candidates_of, draw_codes, posterior_of, random_posterior, shift_kind, world

from shiftproof.case._pool import FOREST, pooled, tempered
from shiftproof.core import Floats

HALVES = np.array([0.5, 0.5])


def raised(p: Floats, exponent: float) -> Floats:
    return np.asarray(p**exponent / (p**exponent).sum(axis=1, keepdims=True))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("sharpened", [0.4, 1.0, 2.5])
def test_no_other_temperature_fits_better(k: int, sharpened: float) -> None:
    rng = np.random.default_rng(k)
    true = np.clip(random_posterior(rng, 400, k), 0.05, None)
    codes = draw_codes(rng, true / true.sum(axis=1, keepdims=True))
    said = np.clip(raised(true, sharpened), 1e-3, None)
    found = tempered(said, codes, said[:5])
    losses = {at: log_loss(codes, raised(said, at)) for at in np.exp(np.linspace(-2.5, 1.5, 161))}
    best = min(losses, key=lambda at: losses[at])
    assert found.log_loss <= losses[best] + 1e-9
    assert found.exponent == pytest.approx(best, rel=0.02)
    assert found.old == pytest.approx(raised(said, found.exponent))
    assert found.new[0] == pytest.approx(raised(said[:5], found.exponent))


def test_calibrated_probabilities_stay_and_too_sure_ones_are_cooled() -> None:
    rng = np.random.default_rng(0)
    codes, x = world(rng, 20_000, HALVES)
    true = posterior_of(x, HALVES)
    middle = (true.max(axis=1) < 0.99).nonzero()[0]
    assert tempered(true[middle], codes[middle]).exponent == pytest.approx(1.0, abs=0.06)
    assert tempered(raised(true[middle], 2.0), codes[middle]).exponent == pytest.approx(0.5, abs=0.05)


def test_certain_probabilities_are_no_trouble() -> None:
    sure = np.eye(2)[[0, 1, 0, 1]]
    found = tempered(sure, np.array([0, 1, 0, 0]), sure)
    assert np.isfinite(found.log_loss)
    assert found.new[0].sum(axis=1) == pytest.approx(1.0)
    assert found.new[0][0, 0] == pytest.approx(0.75, abs=1e-3)


@pytest.mark.parametrize("k", [2, 3])
def test_better_models_count_more_and_worthless_ones_little(k: int) -> None:
    rng = np.random.default_rng(1)
    shares = np.full(k, 1 / k)
    codes, x = world(rng, 500, shares)
    _, x_new = world(rng, 300, shares)
    old = {"true": posterior_of(x, shares), "noise": random_posterior(rng, 500, k)}
    new = {"true": posterior_of(x_new, shares), "noise": random_posterior(rng, 300, k)}
    pool = pooled(candidates_of(codes, old, new))
    assert sum(pool.shares.values()) == pytest.approx(1)
    assert pool.shares["noise"] < 0.01
    for each, size in ((pool.old, 500), (pool.new, 300), (pool.comparable, 300)):
        assert each.shape == (size, k)
        assert each.sum(axis=1) == pytest.approx(1)
    assert np.abs(pool.new - posterior_of(x_new, shares)).mean() < 0.03


def test_pool_is_the_weighted_mean_by_hand() -> None:
    rng = np.random.default_rng(2)
    codes = rng.integers(2, size=60)
    old = {name: random_posterior(rng, 60, 2) for name in "ab"}
    new = {name: random_posterior(rng, 20, 2) for name in "ab"}
    other = {name: random_posterior(rng, 20, 2) for name in "ab"}
    pool = pooled(replace(candidates_of(codes, old, new), comparable=other))
    parts = {name: tempered(old[name], codes, new[name], other[name]) for name in "ab"}
    losses = np.array([log_loss(codes, parts[name].old) for name in "ab"])
    a, b = np.exp(-losses / 0.05) / np.exp(-losses / 0.05).sum()
    assert pool.shares == pytest.approx({"a": a, "b": b})
    assert pool.old == pytest.approx(a * parts["a"].old + b * parts["b"].old)
    assert pool.new == pytest.approx(a * parts["a"].new[0] + b * parts["b"].new[0])
    assert pool.comparable == pytest.approx(a * parts["a"].new[1] + b * parts["b"].new[1])


def test_equal_models_count_equally() -> None:
    p = random_posterior(np.random.default_rng(3), 50, 2)
    pool = pooled(candidates_of(np.arange(50) % 2, {"a": p, "b": p}, {"a": p, "b": p}))
    assert pool.shares == pytest.approx({"a": 0.5, "b": 0.5})


def test_forest_counts_only_where_it_was_asked_of_every_row() -> None:
    rng = np.random.default_rng(4)
    codes, x = world(rng, 200, HALVES)
    _, x_new = world(rng, 100, HALVES)
    forest = posterior_of(x, HALVES), posterior_of(x_new, HALVES)
    flat = {"flat": np.full((200, 2), 0.5)}, {"flat": np.full((100, 2), 0.5)}
    asked = candidates_of(codes, *flat, scores=forest)
    pool = pooled(asked)
    assert list(pool.shares) == ["flat", FOREST]
    assert pool.shares[FOREST] > 0.95
    assert special.xlogy(pool.new, pool.new).sum(axis=1).mean() > np.log(0.5) + 0.1
    gaps = (forest[0], np.where(np.arange(100)[:, None] == 7, np.nan, forest[1]))
    of_some = (np.where(np.arange(200)[:, None] == 7, np.nan, forest[0]), forest[1])
    for scores in (gaps, of_some):
        shift = shift_kind(200, 100, HALVES, scores=scores)
        assert list(pooled(replace(asked, shift=shift)).shares) == ["flat"]
    assert list(pooled(replace(asked, without_forest=True)).shares) == ["flat"]
