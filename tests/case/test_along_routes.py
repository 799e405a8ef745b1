"""Estimates along the ways: right where the way is, and their errors against simulated ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.selection.cases import (
    candidates_of,
    draw_codes,
    likeliest,
    one_way,
    posterior_of,
    random_posterior,
    two_models,
    world,
)

from shiftproof.case._along_routes import estimate
from shiftproof.case._blocks import one_hot
from shiftproof.case._candidates import Candidates
from shiftproof.case._pool import pooled
from shiftproof.case._routes import by_shares, find_routes, new_shares
from shiftproof.case._soft import SOFT_MEASURES
from shiftproof.core import Codes, Floats

TWO, THREE = (np.array([0.7, 0.3]), np.array([0.4, 0.6])), (np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.2, 0.6]))
TIMES, FEWER = 200, 120


def truths(name: str, candidates: Candidates, codes: Codes) -> Floats:
    labels, equal = one_hot(codes, candidates.k), np.full(len(codes), 1 / len(codes))
    sides = likeliest(candidates).values()
    return np.array([SOFT_MEASURES[name].function(side.new, labels, equal).value for side in sides])


def accuracies(candidates: Candidates, codes: Codes) -> Floats:
    return np.array([(each.argmax(axis=1) == codes).mean() for each in candidates.new.values()])


def check_errors(errors: Floats, spreads: Floats, narrow: float = 0.8) -> None:
    """See that errors are centred, and scatter as is said of them."""
    assert np.abs(errors.mean(axis=0)).max() < 3.5 * errors.std(axis=0).max() / len(errors) ** 0.5
    scatter = (errors / spreads).std(axis=0)
    assert narrow < scatter.min() <= scatter.max() < 1.2


def test_where_only_shares_changed_their_way_is_right() -> None:
    rng, (before, after) = np.random.default_rng(0), TWO
    errors, spreads, none = [], [], []
    for _ in range(TIMES):
        moments = np.clip(after[1] + 0.03 * rng.normal(), 0, 1)
        told = {"shares": np.array([1 - moments, moments]), "errors": np.full(2, 0.03)}
        candidates, codes = two_models(rng, 500, 300, before, after, **told)
        found = estimate(SOFT_MEASURES["accuracy"], likeliest(candidates), candidates, find_routes(candidates))
        true = accuracies(candidates, codes)
        errors.append(found.values()[1] - true)
        none.append(found.values()[0] - true)
        spreads.append(np.sqrt(np.diagonal(found.covariances()[1])))
    check_errors(np.array(errors), np.array(spreads), narrow=0.6)
    # That nothing changed is wrong by far more than chance.
    assert np.abs(np.mean(none, axis=0)).min() > 5 * np.std(none, axis=0).max() / TIMES**0.5


@pytest.mark.parametrize("shares", [TWO[0], THREE[0]])
@pytest.mark.parametrize("name", ["accuracy", "brier"])
def test_where_nothing_changed_that_way_is_right(name: str, shares: Floats) -> None:
    rng, errors, spreads = np.random.default_rng(1), [], []
    for _ in range(FEWER):
        candidates, codes = two_models(rng, 400, 300, shares)
        pool = pooled(candidates)
        found = estimate(SOFT_MEASURES[name], likeliest(candidates), candidates, one_way(pool.old, pool.new))
        errors.append(found.values()[0] - truths(name, candidates, codes))
        spreads.append(np.sqrt(np.diagonal(found.covariances()[0])))
    check_errors(np.array(errors), np.array(spreads))


def test_where_shares_of_three_classes_changed_and_are_known_their_way_is_right() -> None:
    rng, (before, after) = np.random.default_rng(2), THREE
    errors, spreads = [], []
    for _ in range(FEWER):
        candidates, codes = two_models(rng, 600, 400, before, after)
        way = by_shares(candidates, pooled(candidates), after)
        routes = one_way(way.old, way.new, way.weights, "prior")
        found = estimate(SOFT_MEASURES["accuracy"], likeliest(candidates), candidates, routes)
        errors.append(found.values()[0] - accuracies(candidates, codes))
        spreads.append(np.sqrt(np.diagonal(found.covariances()[0])))
    check_errors(np.array(errors), np.array(spreads))


def test_right_weights_mend_a_wrong_posterior() -> None:
    rng, half, errors, spreads = np.random.default_rng(3), np.array([0.5, 0.5]), [], []
    for _ in range(FEWER):
        codes, x = world(rng, 1500, half)
        new_codes, x_new = world(rng, 4000, half)
        # Rows are kept with a chance that depends on the feature: the weights are known.
        kept, chance = rng.random(4000) < 1 / (1 + np.exp(-x_new[:, 0])), 1 / (1 + np.exp(-x[:, 0]))
        x_new, new_codes = x_new[kept][:400], new_codes[kept][:400]
        new, old = posterior_of(x_new, half), posterior_of(x, half)
        candidates = candidates_of(codes, {"a": old}, {"a": new})
        wrong = [0.5 + (each - 0.5) / 3 for each in (old, new)]
        routes = one_way(wrong[0], wrong[1], chance / chance.sum(), "covariate")
        found = estimate(SOFT_MEASURES["accuracy"], likeliest(candidates), candidates, routes)
        errors.append(found.values()[0] - accuracies(candidates, new_codes))
        spreads.append(np.sqrt(np.diagonal(found.covariances()[0])))
    check_errors(np.array(errors), np.array(spreads), narrow=0.6)


def known(k: int, n: int = 300, m: int = 500, seed: int = 0) -> tuple[Candidates, Floats, Floats]:
    """Give three models of any quality, and a posterior that the classes are drawn from."""
    rng = np.random.default_rng(seed)
    posterior, new = random_posterior(rng, n, k), random_posterior(rng, m, k)

    def models(true: Floats) -> dict[str, Floats]:
        noise = [random_posterior(rng, len(true), k) for _ in range(2)]
        return {"a": true, "b": (true + noise[0]) / 2, "c": (true + 3 * noise[1]) / 4}

    return candidates_of(draw_codes(rng, posterior), models(posterior), models(new)), posterior, new


@pytest.mark.parametrize(
    ("name", "k"), [("accuracy", 2), ("recall", 2), ("f1", 2), ("auc", 2), ("brier", 2), ("accuracy", 3), ("auc", 3)]
)
def test_label_noise_is_that_of_drawn_labels(name: str, k: int) -> None:
    candidates, old, new = known(k)
    found = estimate(SOFT_MEASURES[name], likeliest(candidates), candidates, one_way(old, new)).label_noise[0]
    rng = np.random.default_rng(1)
    drawn = np.cov([truths(name, candidates, draw_codes(rng, new)) for _ in range(1000)], rowvar=False)
    # A little is added, as if no more than 5,000 rows were known.
    expected = drawn * (1 + 500 / 5000)
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    assert np.abs((found - expected) / scale).max() < 0.15


@pytest.mark.parametrize("even", [True, False])
@pytest.mark.parametrize(("name", "k"), [("accuracy", 2), ("f1", 2), ("auc", 2), ("brier", 3)])
def test_row_noise_is_that_of_the_bootstrap(name: str, k: int, even: bool) -> None:
    candidates, old, new = known(k, seed=2)
    rng, n = np.random.default_rng(3), candidates.n
    weights = np.full(n, 1 / n) if even else rng.dirichlet(np.full(n, 3.0))
    sides = likeliest(candidates)
    found = estimate(SOFT_MEASURES[name], sides, candidates, one_way(old, new, weights)).row_noise[0]
    drawn = []
    for _ in range(800):
        again = rng.multinomial(n, np.full(n, 1 / n)) * weights
        again /= again.sum()
        function = SOFT_MEASURES[name].function
        drawn.append(
            [
                function(side.actual, candidates.labels, again).value - function(side.expected, old, again).value
                for side in sides.values()
            ]
        )
    expected = np.cov(drawn, rowvar=False)
    scale = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    assert np.abs((found - expected) / scale).max() < 0.18


def test_differences_scatter_as_is_said_of_them() -> None:
    rng, gaps, spreads = np.random.default_rng(4), [], []
    for _ in range(FEWER):
        candidates, codes = two_models(rng, 400, 300, TWO[0])
        pool = pooled(candidates)
        found = estimate(SOFT_MEASURES["accuracy"], likeliest(candidates), candidates, one_way(pool.old, pool.new))
        error, covariance = found.values()[0] - accuracies(candidates, codes), found.covariances()[0]
        gaps.append(error[0] - error[1])
        spreads.append(np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]))
    check_errors(np.array(gaps)[:, None], np.array(spreads)[:, None])


@pytest.mark.parametrize("name", ["accuracy", "f1", "auc", "brier"])
def test_identical_models_do_not_differ(name: str) -> None:
    candidates, old, _ = known(2, seed=5)
    twice = candidates_of(candidates.codes, dict.fromkeys("xy", old), dict.fromkeys("xy", candidates.new["b"]))
    routes = find_routes(twice)
    found = estimate(SOFT_MEASURES[name], likeliest(twice), twice, routes)
    covariances = found.covariances()
    assert found.values()[:, 0] == pytest.approx(found.values()[:, 1])
    assert covariances[:, 0, 0] + covariances[:, 1, 1] - 2 * covariances[:, 0, 1] == pytest.approx(0, abs=1e-15)


def sure(n: int = 50) -> tuple[Candidates, Floats]:
    p = np.eye(2)[np.arange(n) % 2]
    return candidates_of(np.arange(n) % 2, {"a": p, "b": p}, {"a": p, "b": p}), p


def test_identical_models_do_not_differ_where_the_posterior_is_sure() -> None:
    candidates, p = sure()
    covariance = estimate(SOFT_MEASURES["accuracy"], likeliest(candidates), candidates, one_way(p, p)).covariances()[0]
    assert covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1] == pytest.approx(0, abs=1e-15)


def test_posterior_that_is_sure_of_everything_may_still_be_surprised() -> None:
    candidates, p = sure(50)
    found = estimate(SOFT_MEASURES["accuracy"], likeliest(candidates), candidates, one_way(p, p))
    assert found.values()[0] == pytest.approx([1, 1])
    # Half a row.
    assert np.diagonal(found.label_noise[0]) == pytest.approx([(0.5 / 50) ** 2 * (1 + 50 / 5000)] * 2)


def by_hand(candidates: Candidates, share: float) -> Floats:
    """Give the accuracies under prior shift by the formula: the posterior's, and its error on weighted labels."""
    pool, codes = pooled(candidates), candidates.codes
    known_share = (codes == 1).mean()
    found = []
    for name in candidates.names:
        parts = []
        for posterior, said in ((pool.new, candidates.new[name]), (pool.old, candidates.old[name])):
            up, down = posterior[:, 1] * share / known_share, posterior[:, 0] * (1 - share) / (1 - known_share)
            eta = up / (up + down)
            parts.append(np.where(said[:, 1] > said[:, 0], eta, 1 - eta))
        weights = np.where(codes == 1, share / known_share, (1 - share) / (1 - known_share)) / len(codes)
        right = candidates.old[name].argmax(axis=1) == codes
        found.append(parts[0].mean() + weights @ (right - parts[1]))
    return np.array(found)


def test_way_of_other_shares_by_hand() -> None:
    candidates, _ = two_models(np.random.default_rng(6), 300, 200, *TWO, shares=TWO[1], errors=np.full(2, 0.04))
    routes = find_routes(candidates)
    found = estimate(SOFT_MEASURES["accuracy"], likeliest(candidates), candidates, routes)
    share = float(routes.shares[1])
    middle = by_hand(candidates, share)
    assert found.values()[1] == pytest.approx(middle)
    # One standard error of the share, to either side.
    error = float(new_shares(candidates, routes.pool)[1][1])
    assert error >= 0.04
    slopes = [by_hand(candidates, share + step) - middle for step in (error, -error)]
    assert found.share_noise[1] == pytest.approx(sum(np.outer(each, each) for each in slopes) / 2)
    assert not found.share_noise[0].any()
    assert not found.share_noise[2].any()


def test_share_noise_of_three_classes_is_about_that_of_drawn_shares() -> None:
    rng, (before, after) = np.random.default_rng(7), THREE
    size = 600
    errors = np.sqrt(after * (1 - after) / size)
    candidates, _ = two_models(rng, 1500, 1000, before, after, shares=after, errors=errors)
    routes = find_routes(candidates)
    measure, sides = SOFT_MEASURES["accuracy"], likeliest(candidates)
    found = estimate(measure, sides, candidates, routes).share_noise[1]
    drawn = []
    for _ in range(200):
        way = by_shares(candidates, routes.pool, rng.multinomial(size, routes.shares) / size)
        drawn.append(estimate(measure, sides, candidates, one_way(way.old, way.new, way.weights)).values()[0])
    expected = np.cov(drawn, rowvar=False)
    assert np.sqrt(np.diag(found)) == pytest.approx(np.sqrt(np.diag(expected)), rel=0.5)


def test_trust_is_a_part_of_the_correction() -> None:
    candidates, old, new = known(2, seed=8)
    found = estimate(SOFT_MEASURES["accuracy"], likeliest(candidates), candidates, one_way(old, new))
    assert found.names == ("a", "b", "c")
    assert found.values(0.0) == pytest.approx(found.said)
    assert found.values(0.5) == pytest.approx(found.said + found.correction / 2)
    assert found.covariances(0.0) == pytest.approx(found.label_noise)
    assert found.covariances(0.5) == pytest.approx(found.label_noise + found.row_noise / 4)
    right = [(each.argmax(axis=1) == candidates.codes).mean() for each in candidates.old.values()]
    claims = [old[np.arange(300), each.argmax(axis=1)].mean() for each in candidates.old.values()]
    assert found.correction[0] == pytest.approx(np.array(right) - claims)
    assert found.said[0] == pytest.approx(
        [new[np.arange(500), each.argmax(axis=1)].mean() for each in candidates.new.values()]
    )


def test_undefined_measures_stay_so() -> None:
    candidates, old, new = known(2, seed=9)
    never = replace(candidates, new={name: np.tile([0.9, 0.1], (500, 1)) for name in "abc"})
    found = estimate(SOFT_MEASURES["precision"], likeliest(never), never, one_way(old, new))
    assert np.isnan(found.values()).all()
