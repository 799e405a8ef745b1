"""Class proportions by the pool's posterior."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.selection.cases import two_models

from shiftproof.case import find_routes, pooled_shares

HALVES = np.array([0.5, 0.5])


def test_pooled_shares_add_up_and_need_more_rows_for_less_error() -> None:
    candidates, _ = two_models(np.random.default_rng(0), 300, 200, HALVES)
    routes = find_routes(candidates)
    shares, variances = pooled_shares(candidates, routes, np.arange(200))
    assert shares.sum() == pytest.approx(1)
    few, wider = pooled_shares(candidates, routes, np.arange(10))
    assert few.sum() == pytest.approx(1)
    assert (wider > variances).all()


def test_pooled_shares_correct_the_posterior_by_labelled_rows() -> None:
    candidates, _ = two_models(np.random.default_rng(0), 300, 200, HALVES)
    routes = find_routes(candidates)
    ways = tuple(replace(route, old=route.old[:] * 0 + [0.9, 0.1]) for route in routes.ways)
    shares, _ = pooled_shares(candidates, replace(routes, ways=ways), np.arange(200))
    labelled = ways[2].weights[:] @ candidates.labels[:]
    assert shares == pytest.approx(ways[2].new[:].mean(axis=0) + labelled - [0.9, 0.1])


def test_pooled_shares_take_rows_of_a_group_for_one() -> None:
    candidates, _ = two_models(np.random.default_rng(0), 300, 200, HALVES)
    routes = find_routes(candidates)
    grouped = replace(candidates, groups=candidates.codes)
    apart, together = (pooled_shares(each, routes, np.arange(200))[1] for each in (candidates, grouped))
    assert (together > apart).all()
