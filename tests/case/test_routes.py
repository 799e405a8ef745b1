"""Three ways from labelled to new rows: Bayes' theorem, known class shares, and likelihoods from evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.selection.cases import candidates_of, posterior_of, random_posterior, shift_kind, two_models, world

from shiftproof.case._pool import Pool
from shiftproof.case._routes import KINDS, _nudges, _proper, by_shares, find_routes, new_shares, weigh
from shiftproof.core import Floats
from shiftproof.shift import Kind

TWO, THREE = (np.array([0.7, 0.3]), np.array([0.4, 0.6])), (np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.2, 0.6]))


def exactly(shares: Floats, n: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Give codes of exactly these shares."""
    return np.repeat(np.arange(len(shares)), np.round(shares * n).astype(int)).astype(np.int64)


@pytest.mark.parametrize(("before", "after"), [TWO, THREE])
def test_other_shares_tilt_the_posterior_as_bayes_has_it(before: Floats, after: Floats) -> None:
    rng, k = np.random.default_rng(0), len(before)
    codes = exactly(before, 200)
    x, x_new = rng.normal(size=(200, k)), rng.normal(size=(90, k))
    old, new = posterior_of(x, before), posterior_of(x_new, before)
    way = by_shares(candidates_of(codes, {"a": old}, {"a": new}), Pool(old, new, new, {}), after)
    assert way.kind == "prior"
    assert way.old[:] == pytest.approx(posterior_of(x, after))
    assert way.new[:] == pytest.approx(posterior_of(x_new, after))
    assert np.bincount(codes, weights=way.weights[:]) == pytest.approx(after)


def test_weights_of_rows_stay_within_a_class() -> None:
    rng = np.random.default_rng(1)
    base = rng.dirichlet(np.ones(40))
    codes, p = np.arange(40) % 2, random_posterior(rng, 40, 2)
    candidates = candidates_of(codes, {"a": p}, {"a": p}, base=base)
    weights = by_shares(candidates, Pool(p, p, p, {}), np.array([0.9, 0.1])).weights[:]
    for code, share in ((0, 0.9), (1, 0.1)):
        own = codes == code
        assert weights[own] == pytest.approx(base[own] / base[own].sum() * share)


def test_class_without_labelled_rows_gets_nothing() -> None:
    p = random_posterior(np.random.default_rng(2), 30, 3)
    candidates = candidates_of(np.arange(30) % 2, {"a": p}, {"a": p})
    way = by_shares(candidates, Pool(p, p, p, {}), np.array([0.4, 0.4, 0.2]))
    assert np.isfinite(way.new[:]).all()
    assert not way.new[:][:, 2].any()
    assert way.weights[:].sum() == pytest.approx(1)


@pytest.mark.parametrize(("before", "after"), [TWO, THREE])
def test_new_shares_come_near_the_true_ones(before: Floats, after: Floats) -> None:
    rng = np.random.default_rng(3)
    candidates, codes = two_models(rng, 2000, 2000, before, after, shares=after)
    found = find_routes(candidates)
    assert found.shares == pytest.approx(np.bincount(codes) / 2000, abs=0.04)
    assert found.shares.sum() == pytest.approx(1)


def test_many_rows_are_sampled() -> None:
    rng = np.random.default_rng(4)
    before, after = TWO
    candidates, _ = two_models(rng, 6000, 7000, before, after, shares=after)
    assert find_routes(candidates).shares == pytest.approx(after, abs=0.04)


def test_class_of_too_few_rows_leaves_the_moments() -> None:
    rng = np.random.default_rng(5)
    p = random_posterior(rng, 40, 3)
    moments = np.array([0.3, 0.6, 0.1])
    candidates = candidates_of(np.arange(40) % 2, {"a": p}, {"a": p}, shares=moments)
    shares, errors = new_shares(candidates, Pool(p, p, p, {}))
    assert shares == pytest.approx(moments, abs=0.02)
    assert shares.sum() == pytest.approx(1)
    assert errors == pytest.approx(candidates.shift.evidence.errors)


def test_two_estimates_of_the_shares_that_differ_are_less_sure() -> None:
    rng = np.random.default_rng(12)
    candidates, codes = two_models(rng, 2000, 2000, *TWO, shares=np.array([0.6, 0.4]), errors=np.full(2, 0.03))
    counted = (codes == 1).mean()
    shares, errors = new_shares(candidates, find_routes(candidates).pool)
    assert 0.4 < shares[1] < counted
    # The mean is off from either by half of what they differ in.
    assert errors == pytest.approx(np.full(2, np.hypot(0.03, (counted - 0.4) / 2)), abs=0.02)


def test_shares_stay_off_the_ends() -> None:
    rng = np.random.default_rng(6)
    codes, x = world(rng, 300, np.array([0.5, 0.5]))
    old = posterior_of(x, np.array([0.5, 0.5]))
    new = np.tile([0.999, 0.001], (50, 1))
    found = find_routes(candidates_of(codes, {"a": old}, {"a": new}, shares=np.array([1.0, 0.0])))
    assert found.shares == pytest.approx([0.99, 0.01])
    assert all(np.isfinite(way.new[:]).all() for way in (*found.ways, *found.nudged))


EXTREME: list[tuple[dict[str, Any], list[float]]] = [
    ({"kind": "none", "p_none": 1.0, "p_prior": 1.0}, [1.0, 0.0, 0.0]),
    ({"kind": "prior", "p_none": 0.0, "p_prior": 1.0}, [0.0, 1.0, 0.0]),
    ({"kind": "covariate", "p_none": 0.0, "p_prior": 0.0}, [0.0, 0.0, 1.0]),
    ({"kind": "unclear", "p_none": 0.0, "p_prior": 0.0, "gain": 1e6}, [0.0, 0.0, 1.0]),
]


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(("told", "expected"), EXTREME)
def test_clear_evidence_leaves_one_way(k: int, told: dict[str, Any], expected: list[float]) -> None:
    p = random_posterior(np.random.default_rng(7), 300, k)
    candidates = candidates_of(np.arange(300) % k, {"a": p}, {"a": p}, **told)
    assert weigh(candidates, candidates.prevalence) == pytest.approx(expected)


def test_shares_that_moved_rule_out_that_nothing_did() -> None:
    p = random_posterior(np.random.default_rng(8), 300, 2)
    told: dict[str, Any] = {"kind": "unclear", "p_none": 1.0, "p_prior": 1.0}
    candidates = candidates_of(np.arange(300) % 2, {"a": p}, {"a": p}, **told)
    chances = [weigh(candidates, np.array([0.5 - far, 0.5 + far]))[0] for far in (0.0, 0.03, 0.05, 0.3)]
    assert chances == sorted(chances, reverse=True)
    assert (chances[0], chances[-1]) == (1.0, 0.0)


def test_few_new_rows_cannot_tell_what_shifted() -> None:
    p = random_posterior(np.random.default_rng(13), 300, 2)
    for m, expected in ((19, [1.0, 0.0, 0.0]), (20, [0.0, 1.0, 0.0])):
        told: dict[str, Any] = {"kind": "prior", "p_none": 0.0, "p_prior": 1.0}
        candidates = candidates_of(np.arange(300) % 2, {"a": p}, {"a": p[:m]}, **told)
        assert weigh(candidates, np.array([0.1, 0.9])) == pytest.approx(expected)


@given(
    p_none=st.floats(0, 1),
    p_prior=st.floats(0, 1),
    gain=st.floats(-10, 100),
    share=st.floats(0.01, 0.99),
    error=st.floats(0, 0.5),
)
def test_likelihoods_add_up(p_none: float, p_prior: float, gain: float, share: float, error: float) -> None:
    p = np.full((20, 2), 0.5)
    told: dict[str, Any] = {"p_none": p_none, "p_prior": p_prior, "gain": gain, "errors": np.full(2, error)}
    candidates = candidates_of(np.arange(20) % 2, {"a": p}, {"a": p}, **told)
    found = weigh(candidates, np.array([1 - share, share]))
    assert found.shape == (len(KINDS),)
    assert found.sum() == pytest.approx(1)
    assert (found >= 0).all()


@pytest.mark.parametrize(("kind", "least"), [("prior", 0.02), ("unclear", 0.12), ("too different", 0.12)])
def test_no_way_is_ruled_out(kind: Kind, least: float) -> None:
    rng = np.random.default_rng(9)
    candidates, _ = two_models(rng, 300, 200, *TWO, kind=kind, shares=TWO[1], p_none=0.0, p_prior=1.0)
    found = find_routes(candidates)
    assert found.probabilities == pytest.approx([0, 1, 0])
    assert found.none_ruled_out(found.probabilities) == pytest.approx([least, 1 - 2 * least, least])


@pytest.mark.parametrize(("before", "after"), [TWO, THREE])
def test_what_the_ways_are(before: Floats, after: Floats) -> None:
    rng, k = np.random.default_rng(10), len(before)
    weights = rng.dirichlet(np.ones(400))
    candidates, _ = two_models(rng, 400, 300, before, after, weights=weights, shares=after, errors=np.full(k, 0.03))
    found = find_routes(candidates)
    none, prior, covariate = found.ways
    assert tuple(way.kind for way in found.ways) == KINDS
    assert none.weights == pytest.approx(np.full(400, 1 / 400))
    assert np.bincount(candidates.codes, weights=prior.weights[:]) == pytest.approx(found.shares)
    assert covariate.weights == pytest.approx((1 / 400 + np.minimum(weights, 10 / 400)) / 2, abs=1e-4)
    mixed = sum(chance * way.new[:] for chance, way in zip(found.probabilities, found.ways, strict=True))
    assert found.posterior[:] == pytest.approx(mixed)
    _, errors = new_shares(candidates, found.pool)
    assert (errors >= 0.03).all()
    for code, way in enumerate(found.nudged):
        shares = np.bincount(candidates.codes, weights=way.weights[:])
        assert shares[code] - found.shares[code] == pytest.approx(errors[code])
        others = np.arange(k) != code
        assert shares[others] / shares[others].sum() == pytest.approx(found.shares[others] / found.shares[others].sum())


def test_posterior_is_the_ways_mean_where_the_kind_is_open() -> None:
    rng = np.random.default_rng(11)
    candidates, _ = two_models(rng, 400, 300, *TWO)
    training = candidates.prevalence
    shift = shift_kind(400, 300, training, kind="unclear", p_none=0.0, p_prior=0.05, shares=TWO[1])
    found = find_routes(replace(candidates, shift=shift))
    assert found.probabilities == pytest.approx([0.0, 0.5, 0.5])
    assert found.posterior[:] == pytest.approx((found.ways[1].new[:] + found.ways[2].new[:]) / 2)


def test_shares_of_many_classes_are_nudged_all_at_once() -> None:
    three, many = np.full(3, 1 / 3), np.full(40, 1 / 40)
    assert len(_nudges(three, np.full(3, 0.01))) == 3
    moved = np.array(_nudges(many, np.full(40, 0.001)))
    assert moved.shape == (24, 40)
    assert moved.sum(axis=1) == pytest.approx(1)
    assert np.abs(moved - many).max() < 0.002


def test_small_shares_of_many_classes_stay_small() -> None:
    shares = np.concatenate([[0.9], np.full(100, 0.001)])
    assert _proper(shares) == pytest.approx(shares)
    assert _proper(np.array([1.0, 0.0])) == pytest.approx([0.99, 0.01])
