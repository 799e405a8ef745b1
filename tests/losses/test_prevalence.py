"""Losses and scores of prevalences: the thesis's numbers, scipy, and what must hold for all of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import rel_entr
from scipy.stats import rankdata, wasserstein_distance

import shiftproof as sp
from shiftproof import losses
from shiftproof.core import Floats

shares = st.floats(0, 1)
inner = st.floats(1e-6, 1 - 1e-6)
LOSSES = (losses.absolute_error, losses.squared_error, losses.relative_absolute_error, losses.kld, losses.nkld)
SCORES = (losses.nas, losses.nss)


def simplex(classes: int, seed: int, rows: int = 20) -> Floats:
    return np.random.default_rng(seed).dirichlet(np.ones(classes), size=rows)


def test_losses_is_a_public_package() -> None:
    assert sp.losses is losses


def test_losses_equal_the_numbers_of_the_thesis() -> None:
    assert losses.kld(0.3, 0.5) == pytest.approx(0.0823, abs=5e-5)
    # eq. 2.3 to 2.5, 6.4 and 6.5 in counts: P = 100, N = 300, FP = 60, FN = 20
    assert losses.bias(100 / 400, 140 / 400) == pytest.approx((60 - 20) / 400)
    assert losses.absolute_error(0.25, 0.35) == pytest.approx(40 / 400)
    assert losses.squared_error(0.25, 0.35) == pytest.approx((40 / 400) ** 2)
    assert losses.nas(0.25, 0.35) == pytest.approx(1 - 40 / 300)
    assert losses.nss(0.25, 0.35) == pytest.approx(1 - (40 / 300) ** 2)


@pytest.mark.parametrize("loss", [*LOSSES, *SCORES, losses.bias])
def test_numbers_give_a_float_and_arrays_an_array(loss: Callable[..., Any]) -> None:
    one, many = loss(0.25, 0.5), loss([0.25, 0.5], [0.5, 0.5])
    assert type(one) is float
    assert many.shape == (2,)
    assert many[0] == one
    np.testing.assert_array_equal(loss(0.25, [0.5, 0.5]), [one, one])
    np.testing.assert_array_equal(loss([0.25], 0.5), [one])


@pytest.mark.parametrize("loss", [*LOSSES, *SCORES])
@given(p=inner, q=inner)
def test_two_classes_are_the_positive_one(loss: Callable[..., Any], p: float, q: float) -> None:
    vectors = loss([[1 - p, p]], [[1 - q, q]])
    assert vectors.shape == (1,)
    assert vectors[0] == pytest.approx(loss(p, q), rel=1e-9, abs=1e-12)
    # and the classes' names do not matter
    assert loss([[p, 1 - p]], [[q, 1 - q]])[0] == pytest.approx(vectors[0], rel=1e-9, abs=1e-12)


def test_the_bias_of_vectors_is_that_of_each_class() -> None:
    p, q = simplex(4, 0), simplex(4, 1)
    np.testing.assert_allclose(losses.bias(p, q), q - p, atol=1e-15)
    np.testing.assert_allclose(losses.bias(p, q).sum(axis=1), 0, atol=1e-15)


@pytest.mark.parametrize("loss", LOSSES)
@given(p=inner)
def test_an_exact_estimate_costs_nothing(loss: Callable[..., Any], p: float) -> None:
    assert loss(p, p) == 0
    assert loss([[p, 1 - p]], [[p, 1 - p]])[0] == 0


@pytest.mark.parametrize("score", SCORES)
@given(p=shares, q=shares)
def test_scores_lie_between_the_worst_and_the_best(score: Callable[..., Any], p: float, q: float) -> None:
    assert score(p, p) == 1
    assert 0 <= score(p, q) <= 1
    worst = 1.0 if p < 0.5 else 0.0
    assert score(p, worst) == pytest.approx(0, abs=1e-12)


@given(p=shares, q=shares)
def test_errors_are_bounded(p: float, q: float) -> None:
    assert -1 <= losses.bias(p, q) == -losses.bias(q, p) <= 1
    assert losses.absolute_error(p, q) == abs(losses.bias(p, q)) == losses.absolute_error(q, p)
    assert 0 <= losses.squared_error(p, q) <= losses.absolute_error(p, q) <= 1
    assert losses.kld(p, q, sample_size=50) >= 0
    assert 0 <= losses.nkld(p, q, sample_size=50) <= 1


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize(("score", "error"), [(losses.nas, losses.absolute_error), (losses.nss, losses.squared_error)])
def test_the_worst_of_several_classes_is_all_of_the_rarest(
    score: Callable[..., Any], error: Callable[..., Any], classes: int
) -> None:
    true = simplex(classes, 3)
    rarest = np.eye(classes)[true.argmin(axis=1)]
    np.testing.assert_allclose(score(true, rarest), 0, atol=1e-12)
    most = np.max([error(true, np.tile(corner, (20, 1))) for corner in np.eye(classes)], axis=0)
    other = simplex(classes, 4)
    np.testing.assert_allclose(score(true, other), 1 - error(true, other) / most, rtol=1e-12)


@given(p=shares, estimates=st.lists(st.integers(0, 1000), min_size=2, max_size=8))
def test_absolute_error_and_nas_rank_methods_identically(p: float, estimates: list[int]) -> None:
    given_ = np.array(estimates) / 1000
    error = losses.absolute_error(p, given_)
    # errors that differ by less than NAS can show are no order
    assume(np.diff(np.unique(error)).min(initial=1) > 1e-12)
    np.testing.assert_array_equal(rankdata(error), rankdata(-losses.nas(p, given_)))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("p", [0.05, 0.3, 0.5, 0.9])
def test_losses_grow_with_the_error_on_either_side(loss: Callable[..., Any], p: float) -> None:
    below, above = np.linspace(p, 0.001, 30), np.linspace(p, 0.999, 30)
    for side in (below, above):
        assert (np.diff(loss(p, side)) > 0).all()
    for score in SCORES:
        assert (np.diff(score(p, below)) < 0).all()
        assert (np.diff(score(p, above)) < 0).all()


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_kld_against_scipy(classes: int) -> None:
    p, q = simplex(classes, 5), simplex(classes, 6)
    expected = rel_entr(p, q).sum(axis=1)
    np.testing.assert_allclose(losses.kld(p, q), expected, rtol=1e-9)
    np.testing.assert_allclose(losses.nkld(p, q), 2 * np.exp(expected) / (1 + np.exp(expected)) - 1, rtol=1e-9)


@given(p=shares, q=st.floats(1e-300, 1 - 1e-9))
def test_kld_of_the_positive_class_against_scipy(p: float, q: float) -> None:
    expected = float(rel_entr(p, q) + rel_entr(1 - p, 1 - q))
    assert losses.kld(p, q) == pytest.approx(max(expected, 0), rel=1e-9, abs=1e-12)


def test_what_truly_is_not_there_adds_nothing() -> None:
    assert losses.kld(0.0, 0.5) == losses.kld(1.0, 0.5) == pytest.approx(math.log(2))
    assert losses.kld(0.0, 0.0) == losses.kld(1.0, 1.0) == 0
    assert losses.kld([[0.5, 0.5, 0.0]], [[0.5, 0.5, 0.0]])[0] == 0
    assert losses.kld(1e-12, 0.5) == pytest.approx(losses.kld(0.0, 0.5))


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_half_a_row_stands_for_none(p: float) -> None:
    # Algorithm 1: p' <- |p' - 0.5/S| at 0 and 1, whatever the truth
    for estimate in (0.0, 1.0):
        corrected = abs(estimate - 0.5 / 40)
        expected = float(rel_entr(p, corrected) + rel_entr(1 - p, 1 - corrected))
        assert losses.kld(p, estimate, sample_size=40) == pytest.approx(expected)
    # and no other estimate is touched
    assert losses.kld(p, 0.2, sample_size=40) == losses.kld(p, 0.2)


def test_half_a_row_stands_for_none_in_each_class() -> None:
    found = losses.kld([[0.2, 0.3, 0.5]], [[0.0, 0.0, 1.0]], sample_size=10)
    assert found[0] == pytest.approx(rel_entr([0.2, 0.3, 0.5], [0.05, 0.05, 0.9]).sum())


def test_every_sample_may_have_its_size() -> None:
    found = losses.kld([0.3, 0.3], [0.0, 0.0], sample_size=[10, 1000])
    assert list(found) == [losses.kld(0.3, 0.0, sample_size=size) for size in (10, 1000)]
    assert found[0] < found[1]


@given(p=shares, q=shares, size=st.integers(1, 10_000))
def test_relative_error_is_smoothed_by_half_a_row(p: float, q: float, size: int) -> None:
    half = 1 / (2 * size)
    true, estimated = (np.array([1 - x + half, x + half]) / (1 + 2 * half) for x in (p, q))
    expected = np.mean(np.abs(estimated - true) / true)
    assert losses.relative_absolute_error(p, q, sample_size=size) == pytest.approx(expected, rel=1e-7, abs=1e-9)


def test_relative_error_without_smoothing() -> None:
    assert losses.relative_absolute_error(0.2, 0.3) == pytest.approx((0.1 / 0.2 + 0.1 / 0.8) / 2)
    assert losses.relative_absolute_error(5e-324, 1.0) == math.inf


def test_shares_that_rounding_put_outside_are_taken_inside() -> None:
    assert losses.absolute_error(-1e-9, 1 + 1e-9) == 1
    single = np.array([[0.1, 0.2, 0.7]], dtype=np.float32)
    assert losses.absolute_error(single, [[0.1, 0.2, 0.7]])[0] == pytest.approx(0, abs=1e-7)


def test_losses_do_not_change_their_arguments() -> None:
    true, estimated = np.array([0.0, 1.0]), np.array([0.0, 0.5])
    for loss in (losses.kld, losses.nkld, losses.relative_absolute_error):
        loss(true, estimated, sample_size=10)
    np.testing.assert_array_equal(true, [0, 1])
    np.testing.assert_array_equal(estimated, [0, 0.5])


def test_an_infinite_loss_is_refused_with_the_way_out() -> None:
    for loss in (losses.kld, losses.nkld):
        with pytest.raises(sp.InputError) as caught:
            loss([0.5, 0.3], [0.5, 0.0])
        assert str(caught.value) == (
            "estimated must be above 0 wherever true is, got 0.0; pass sample_size=; zeros are then replaced by "
            "half a row."
        )
    with pytest.raises(sp.InputError) as caught:
        losses.relative_absolute_error(1.0, 0.5)
    assert str(caught.value) == (
        "true must be above 0 in every class, got 0.0; pass sample_size=; zeros are then replaced by half a row."
    )


@pytest.mark.parametrize("loss", [losses.kld, losses.nkld])
def test_half_a_row_each_must_fit_into_the_sample(loss: Callable[..., Any]) -> None:
    true, estimated = [[0.2, 0.3, 0.5]] * 2, [[1.0, 0.0, 0.0]] * 2
    assert np.isfinite(loss(true, estimated, sample_size=2)).all()
    with pytest.raises(sp.InputError) as caught:
        loss(true, estimated, sample_size=[5, 1])
    assert str(caught.value) == (
        "sample_size must be above half the number of classes estimated as 0, got 1.0; "
        "half a row each would fill the sample, give the rows of the sample."
    )


def test_the_match_distance_is_the_earth_movers() -> None:
    rng = np.random.default_rng(0)
    true, estimated = rng.dirichlet(np.ones(5), 40), rng.dirichlet(np.ones(5), 40)
    wanted = [
        wasserstein_distance(range(5), range(5), one, other) / 4 for one, other in zip(true, estimated, strict=True)
    ]
    np.testing.assert_allclose(losses.match_distance(true, estimated), wanted)
    np.testing.assert_allclose(
        losses.match_distance(true[:, 0], estimated[:, 0]), losses.absolute_error(true[:, 0], estimated[:, 0])
    )
    assert losses.match_distance([[1.0, 0.0, 0.0]], [[0.0, 0.0, 1.0]]).tolist() == [1.0]
