"""Samples are what their protocols promise: sizes, prevalences, no row twice, the same for a seed."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.naive_bayes import GaussianNB

from shiftproof import InputError
from shiftproof.quantification import (
    ArtificialPrevalence,
    ClassifyAndCount,
    NaturalPrevalence,
    SampleProtocol,
    ThesisProtocol,
    UniformSimplex,
    run_protocol,
)
from shiftproof.quantification._protocols import PROTOCOLS, Drawn, _compositions, _largest

Array = np.ndarray[Any, Any]


def lists(drawn: Drawn) -> list[Array]:
    return np.split(drawn.rows, drawn.offsets[1:-1])


def draw(protocol: SampleProtocol, counts: list[int], seed: int = 0) -> tuple[Drawn, Array]:
    """Draw from shuffled rows with so many of each class."""
    codes = np.random.default_rng(1).permutation(np.repeat(np.arange(len(counts)), counts))
    return protocol.draw(codes, len(counts), np.random.default_rng(seed)), codes


def said(call: Callable[[], Any]) -> str:
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value)


# The thesis protocol


@given(st.integers(1, 12), st.integers(1, 12), st.integers(3, 21), st.data())
def test_no_larger_sample_has_a_nearer_prevalence(positives: int, negatives: int, steps: int, data: Any) -> None:
    share = data.draw(st.integers(0, steps - 1)) / (steps - 1)
    p, n = _largest(share, positives, negatives)
    assert 0 <= p <= positives
    assert 0 <= n <= negatives
    assert p == positives or n == negatives
    off = abs(p / (p + n) - share)
    for others in itertools.product(range(positives + 1), range(negatives + 1)):
        if sum(others) > p + n:
            assert abs(others[0] / sum(others) - share) > off - 1e-9


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 9))
def test_of_samples_with_a_whole_side_the_nearest_is_taken(positives: int, negatives: int, tenths: int) -> None:
    p, n = _largest(tenths / 10, positives, negatives)
    whole = [(positives, each) for each in range(negatives + 1)] + [(each, negatives) for each in range(positives + 1)]
    # In whole numbers: |p/(p + n) - t/10| is |10 p - t (p + n)| / (10 (p + n)).
    nearest = min(abs(10 * a - tenths * (a + b)) / (a + b) for a, b in whole)
    assert abs(10 * p - tenths * (p + n)) / (p + n) == pytest.approx(nearest, abs=1e-12)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 9))
def test_both_classes_may_change_places(positives: int, negatives: int, tenths: int) -> None:
    p, n = _largest(tenths / 10, positives, negatives)
    assert _largest(1 - tenths / 10, negatives, positives) == (n, p)


def test_a_fold_with_five_positives() -> None:
    """As in balance.2: all five are in every sample but the first, and prevalences are what five rows allow."""
    drawn, codes = draw(ThesisProtocol(), [58, 5])
    counts = [(int((codes[rows] == 1).sum()), int((codes[rows] == 0).sum())) for rows in lists(drawn)]
    assert counts == [(0, 58), (5, 45), (5, 20), (5, 12), (5, 8), (5, 5), (5, 3), (5, 2), (5, 1), (5, 1), (5, 0)]
    np.testing.assert_allclose(drawn.wanted[:, 1], np.arange(11) / 10)
    np.testing.assert_allclose(drawn.wanted.sum(axis=1), 1)
    np.testing.assert_allclose(drawn.prevalences(codes)[:, 1], [p / (p + n) for p, n in counts])


def test_one_row_of_each_class_is_better_than_one_row() -> None:
    """A share of 0.7 is nearer to one of two rows than to one of one."""
    assert [_largest(share, 1, 9) for share in (0.5, 0.7, 0.8)] == [(1, 1), (1, 1), (1, 0)]


@pytest.mark.parametrize(("counts", "share"), [([30, 0], 0.0), ([0, 30], 1.0)])
def test_a_fold_of_one_class_gives_the_one_prevalence_it_has(counts: list[int], share: float) -> None:
    drawn, codes = draw(ThesisProtocol(), counts)
    assert drawn.wanted[:, 1].tolist() == [share]
    assert drawn.prevalences(codes)[:, 1].tolist() == [share]
    assert sorted(drawn.rows.tolist()) == list(range(30))


@given(st.integers(0, 30), st.integers(1, 30), st.integers(0, 99))
def test_no_row_is_twice_in_a_sample_of_the_thesis_protocol(positives: int, negatives: int, seed: int) -> None:
    drawn, codes = draw(ThesisProtocol(), [negatives, positives], seed)
    for rows, asked in zip(lists(drawn), drawn.wanted[:, 1], strict=True):
        assert len(set(rows.tolist())) == len(rows)
        assert (np.bincount(codes[rows], minlength=2)[::-1] == _largest(asked, positives, negatives)).all()


def test_which_rows_are_left_out_is_chance() -> None:
    """At nine tenths nine positives go with one of 40 negatives: each has the same chance."""
    protocol, codes = ThesisProtocol(11), np.repeat([0, 1], [40, 9])
    kept = np.concatenate([lists(protocol.draw(codes, 2, np.random.default_rng(seed)))[9] for seed in range(2000)])
    counts = np.bincount(kept[codes[kept] == 0], minlength=40)
    assert counts.sum() == 2000
    assert stats.chisquare(counts).pvalue > 0.001


def test_the_thesis_protocol_refuses_what_it_cannot_do() -> None:
    assert said(lambda: draw(ThesisProtocol(), [5, 5, 5])) == (
        "the thesis protocol needs exactly two classes, got 3; use UniformSimplex() for more."
    )
    assert said(lambda: draw(ThesisProtocol(1), [5, 5])) == (
        "prevalences must be a whole number of at least 2, got 1; 11 are 0, 0.1, … 1."
    )
    assert said(lambda: draw(ThesisProtocol(), [0, 0])) == (
        "every fold of the thesis protocol needs at least one row; use fewer folds."
    )


# Samples of one size


@given(st.integers(1, 60), st.integers(2, 12), st.lists(st.integers(1, 40), min_size=2, max_size=3), st.integers(0, 99))
def test_artificial_samples_are_exact(size: int, steps: int, counts: list[int], seed: int) -> None:
    drawn, codes = draw(ArtificialPrevalence(size=size, prevalences=steps, repeats=2), counts, seed)
    assert (np.diff(drawn.offsets) == size).all()
    np.testing.assert_allclose(drawn.wanted.sum(axis=1), 1)
    for rows, asked in zip(lists(drawn), drawn.wanted, strict=True):
        held = np.bincount(codes[rows], minlength=len(counts))
        assert np.abs(held - asked * size).max() < 1
        if len(counts) == 2:
            assert abs(held[1] - asked[1] * size) <= 0.5 + 1e-9
        for code, many in enumerate(held.tolist()):
            distinct = len(np.unique(rows[codes[rows] == code]))
            assert distinct == many or counts[code] < many


def test_the_grid_of_two_classes_rises_from_0_to_1() -> None:
    drawn, codes = draw(ArtificialPrevalence(size=20, prevalences=5, repeats=3), [50, 50])
    assert drawn.wanted[:, 1].tolist() == np.repeat([0, 0.25, 0.5, 0.75, 1], 3).tolist()
    np.testing.assert_array_equal(drawn.prevalences(codes), drawn.wanted)


def test_the_grid_of_more_classes_is_that_of_all_shares() -> None:
    drawn, codes = draw(ArtificialPrevalence(size=8, prevalences=5, repeats=1), [50, 50, 50])
    grid = {point for point in itertools.product(range(5), repeat=3) if sum(point) == 4}
    assert sorted(map(tuple, (drawn.wanted * 4).astype(int).tolist())) == sorted(grid)
    np.testing.assert_array_equal(drawn.prevalences(codes), drawn.wanted)
    assert list(_compositions(2, 2)) == [(0, 2), (1, 1), (2, 0)]


def test_prevalences_of_the_simplex_are_uniform() -> None:
    """The moments of Dirichlet(1): mean 1/k, variance (k - 1)/(k^2 (k + 1)), covariance -1/(k^2 (k + 1))."""
    k, n = 4, 20_000
    drawn, codes = draw(UniformSimplex(size=10, samples=n), [20] * k)
    np.testing.assert_allclose(drawn.wanted.mean(axis=0), 1 / k, atol=0.006)
    wanted = (np.eye(k) * k - 1) / (k**2 * (k + 1))
    np.testing.assert_allclose(np.cov(drawn.wanted.T), wanted, atol=0.001)
    # The share of one class of four is Beta(1, 3).
    assert stats.kstest(drawn.wanted[:, 2], stats.beta(1, k - 1).cdf).pvalue > 0.001
    assert np.abs(drawn.prevalences(codes) - drawn.wanted).max() < 0.1


def test_two_classes_of_the_simplex_have_any_share_alike() -> None:
    drawn, codes = draw(UniformSimplex(size=7, samples=5000), [9, 9])
    assert stats.kstest(drawn.wanted[:, 1], "uniform").pvalue > 0.001
    held = drawn.prevalences(codes)[:, 1] * 7
    np.testing.assert_allclose(held, np.round(drawn.wanted[:, 1] * 7))


def test_natural_samples_have_the_prevalence_of_the_rows_up_to_chance() -> None:
    """Without replacement: the counts are hypergeometric."""
    drawn, codes = draw(NaturalPrevalence(size=10, samples=20_000), [30, 20])
    assert np.unique(drawn.wanted, axis=0).tolist() == [[0.6, 0.4]]
    held = np.round(drawn.prevalences(codes)[:, 1] * 10).astype(int)
    law = stats.hypergeom(50, 20, 10)
    assert held.mean() == pytest.approx(law.mean(), abs=0.05)
    assert held.var() == pytest.approx(law.var(), rel=0.05)
    assert all(len(set(rows.tolist())) == 10 for rows in lists(drawn)[:200])


@pytest.mark.parametrize("size", [5, 30, 50])
def test_natural_samples_hold_no_row_twice_as_long_as_there_are_enough(size: int) -> None:
    drawn, _ = draw(NaturalPrevalence(size=size, samples=50), [30, 20])
    assert all(len(set(rows.tolist())) == size for rows in lists(drawn))
    more, _ = draw(NaturalPrevalence(size=51, samples=50), [30, 20])
    assert (np.diff(more.offsets) == 51).all()


def test_every_row_is_drawn_alike() -> None:
    for size in (4, 30):
        drawn, _ = draw(ArtificialPrevalence(size=size, prevalences=3, repeats=1500), [40, 40])
        half = np.concatenate(lists(drawn)[1500:3000])
        assert stats.chisquare(np.bincount(half, minlength=80)).statistic < stats.chi2(79).ppf(0.9999)


def test_prevalences_can_be_listed() -> None:
    drawn, codes = draw(ThesisProtocol([0.02, 0.05, 0.5]), [400, 100])
    assert drawn.wanted[:, 1].tolist() == [0.02, 0.05, 0.5]
    np.testing.assert_allclose(drawn.prevalences(codes)[:, 1], [0.02, 0.05, 0.5], atol=0.001)
    # The list of the default gives its samples.
    steps = draw(ThesisProtocol((np.arange(11) / 10).tolist()), [400, 100])[0]
    default = draw(ThesisProtocol(), [400, 100])[0]
    np.testing.assert_array_equal(steps.rows, default.rows)
    two, codes = draw(ArtificialPrevalence(size=20, prevalences=(0.3, 0.1), repeats=2), [50, 50])
    assert two.prevalences(codes)[:, 1].tolist() == [0.3, 0.3, 0.1, 0.1]
    points = [[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]]
    three, codes = draw(ArtificialPrevalence(size=8, prevalences=points, repeats=1), [50, 50, 50])
    assert three.prevalences(codes).tolist() == points
    table = run_protocol(
        ClassifyAndCount(GaussianNB()),
        np.repeat([0.0, 1.0], [60, 40])[:, None] + np.random.default_rng(0).normal(size=(100, 1)),
        np.repeat([0, 1], [60, 40]),
        protocol=ThesisProtocol([0.2, 0.4]),
        cv=2,
    )
    assert sorted(table["prevalence"].unique().round(2)) == [0.2, 0.4]


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_seed_makes_the_same_samples(name: str) -> None:
    protocol = PROTOCOLS[name]
    assert protocol.name == name
    first, again, other = (draw(protocol, [60, 40], seed)[0] for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.rows, again.rows)
    np.testing.assert_array_equal(first.wanted, again.wanted)
    assert not np.array_equal(first.rows, other.rows)


@pytest.mark.parametrize(
    ("protocol", "counts", "message"),
    [
        (
            ArtificialPrevalence(prevalences=1),
            [5, 5],
            "prevalences must be a whole number of at least 2, got 1; 11 are 0, 0.1, … 1.",
        ),
        (
            ThesisProtocol([0.1, 1.2]),
            [5, 5],
            "prevalences must be shares from 0 to 1 that add up to 1, got 1.2; 0.2 means 20%.",
        ),
        (
            ThesisProtocol([]),
            [5, 5],
            "prevalences must be a number of steps, or shares of the positive class, got []; 11 are 0, 0.1, … 1.",
        ),
        (
            ThesisProtocol(["a"]),  # type: ignore[list-item]
            [5, 5],
            "prevalences must be a number of steps, or shares of the positive class, got ['a']; 11 are 0, 0.1, … 1.",
        ),
        (
            ArtificialPrevalence(prevalences=[0.1, 0.2]),
            [5, 5, 5],
            "prevalences must be a number of steps, or vectors of 3 shares, one per class, got [0.1, 0.2]; "
            "11 are 0, 0.1, … 1.",
        ),
        (
            ArtificialPrevalence(prevalences=[[0.5, 0.2, 0.2]]),
            [5, 5, 5],
            "prevalences must be shares from 0 to 1 that add up to 1, got [0.5, 0.2, 0.2]; 0.2 means 20%.",
        ),
        (
            ArtificialPrevalence(),
            [5] * 10,
            "the artificial protocol must give at most 1,000,000 samples, got 1,001,500,500 for 10 classes; "
            "use fewer prevalences, or UniformSimplex().",
        ),
        (
            ArtificialPrevalence(),
            [5, 0],
            "samples of all prevalences must have rows of every class to draw from, got none of class number 1 "
            "(from 0); use fewer folds, or NaturalPrevalence().",
        ),
        (
            UniformSimplex(),
            [0, 5, 5],
            "samples of all prevalences must have rows of every class to draw from, got none of class number 0 "
            "(from 0); use fewer folds, or NaturalPrevalence().",
        ),
    ],
)
def test_bad_settings_get_one_sentence(protocol: SampleProtocol, counts: list[int], message: str) -> None:
    assert said(lambda: draw(protocol, counts)) == message


@pytest.mark.parametrize(
    ("protocol", "settings", "message"),
    [
        (ArtificialPrevalence, {"size": 0}, "size must be a whole number of at least 1; got 0."),
        (ArtificialPrevalence, {"repeats": 0}, "repeats must be a whole number of at least 1; got 0."),
        (UniformSimplex, {"size": 2.5}, "size must be a whole number of at least 1; got 2.5."),
        (UniformSimplex, {"samples": 0}, "samples must be a whole number of at least 1; got 0."),
        (NaturalPrevalence, {"size": -1}, "size must be a whole number of at least 1; got -1."),
        (NaturalPrevalence, {"samples": 0}, "samples must be a whole number of at least 1; got 0."),
    ],
)
def test_counts_are_checked_when_a_protocol_is_made(protocol: Any, settings: dict[str, float], message: str) -> None:
    assert said(lambda: protocol(**settings)) == message


def test_a_class_without_rows_is_fine_where_no_sample_has_it() -> None:
    drawn, codes = draw(NaturalPrevalence(size=4, samples=3), [9, 0])
    assert drawn.prevalences(codes).tolist() == [[1.0, 0.0]] * 3
