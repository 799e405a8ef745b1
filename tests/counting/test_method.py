"""What holds for every method."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import special

from shiftproof import InputError
from shiftproof.counting import named_method
from shiftproof.quantification import METHODS, Labelled, Samples

NAMES = [
    "training prevalence",
    "classify and count",
    "adjusted count",
    "threshold x",
    "threshold 50",
    "threshold max",
    "median sweep",
    "median sweep grid",
    "probability average",
    "scaled probability average",
    "expectation maximization",
    "hellinger matching",
    "distribution matching",
    "energy matching",
    "kernel density matching",
    "combined",
]
ADJUSTING = [name for name in NAMES if name not in ("training prevalence", "classify and count", "probability average")]
# The rule of T50, the ties of Max and a grid of thresholds, which is in the combination, name one of the classes.
SYMMETRIC = [name for name in NAMES if name not in ("threshold 50", "threshold max", "median sweep grid", "combined")]


def scored(seed: int, n: int, k: int = 2, *, folds: int = 5) -> Labelled:
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(k), rng.integers(0, k, n - k))
    x = rng.normal(size=(n, k))
    x[np.arange(n), codes] += 1.5
    return Labelled(special.softmax(1.5 * x, axis=1), codes, np.arange(n) % folds)


def check(shares: np.ndarray, n_samples: int, k: int) -> None:
    assert shares.shape == (n_samples, k)
    assert np.isfinite(shares).all()
    assert shares.min() >= 0
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-12)


def test_the_methods_have_their_names() -> None:
    assert [*METHODS] == NAMES
    assert [method.name for method in METHODS.values()] == NAMES


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("name", NAMES)
def test_many_samples_at_once_are_each_alone(name: str, k: int) -> None:
    labelled = scored(0, 200, k)
    pool = scored(1, 150, k).probabilities
    rng = np.random.default_rng(2)
    lists = [rng.integers(0, 150, m) for m in (1, 2, 17, 100)]
    learned = METHODS[name].learn(labelled)
    found = learned.estimate(Samples.from_lists(pool, lists))
    check(found, 4, k)
    for rows, shares, raw in zip(lists, found, learned.raw(Samples.from_lists(pool, lists)), strict=True):
        alone = Samples.of(pool[rows])
        np.testing.assert_allclose(learned.estimate(alone)[0], shares, atol=1e-12)
        np.testing.assert_allclose(learned.raw(alone)[0], raw, atol=1e-12)


@pytest.mark.parametrize("name", SYMMETRIC)
def test_classes_may_be_swapped(name: str) -> None:
    """With scores that occur among the labelled ones, and none at one half or at the edge of a bin."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, 121)
    p = (2 * np.clip((rng.normal(0.35 + 0.3 * codes, 0.2) * 2047).astype(int), 0, 2046) + 1) / 4096
    table = np.column_stack([1 - p, p])
    labelled, swapped = Labelled(table, codes), Labelled(table[:, ::-1], 1 - codes)
    lists = [rng.integers(0, 121, m) for m in (9, 40, 101)]
    found = METHODS[name].learn(labelled).estimate(Samples.from_lists(table, lists))
    turned = METHODS[name].learn(swapped).estimate(Samples.from_lists(table[:, ::-1], lists))
    np.testing.assert_allclose(turned[:, ::-1], found, atol=1e-6)


def test_the_combination_hardly_depends_on_which_class_is_the_second() -> None:
    labelled, pool = scored(0, 300), scored(1, 200).probabilities
    swapped = Labelled(labelled.probabilities[:, ::-1], 1 - labelled.codes, labelled.folds)
    samples, turned = (Samples.from_matrix(p, np.arange(200).reshape(4, 50)) for p in (pool, pool[:, ::-1]))
    found = METHODS["combined"].learn(labelled).estimate(samples)
    np.testing.assert_allclose(METHODS["combined"].learn(swapped).estimate(turned)[:, ::-1], found, atol=0.003)


@pytest.mark.parametrize("name", NAMES)
def test_more_classes_may_be_permuted(name: str) -> None:
    labelled, pool = scored(4, 150, 3), scored(5, 90, 3).probabilities
    order = np.array([2, 0, 1])
    place = np.argsort(order)
    permuted = Labelled(labelled.probabilities[:, order], place[labelled.codes], labelled.folds)
    lists = [np.arange(30), np.arange(20, 90)]
    found = METHODS[name].learn(labelled).estimate(Samples.from_lists(pool, lists))
    turned = METHODS[name].learn(permuted).estimate(Samples.from_lists(pool[:, order], lists))
    np.testing.assert_allclose(turned, found[:, order], atol=1e-6)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("name", ADJUSTING)
def test_the_error_is_small(name: str, k: int) -> None:
    labelled, new = scored(6, 2000, k), scored(7, 4000, k)
    rng = np.random.default_rng(8)
    rows = [np.flatnonzero(new.codes == code) for code in range(k)]
    lists, truth = [], rng.dirichlet(np.ones(k), 40)
    for shares in truth:
        counts = np.round(shares * 600).astype(int)
        lists.append(np.concatenate([rng.choice(mine, many) for mine, many in zip(rows, counts, strict=True)]))
    samples = Samples.from_lists(new.probabilities, lists)
    error = np.abs(METHODS[name].learn(labelled).estimate(samples) - truth).mean()
    naive = np.abs(METHODS["classify and count"].learn(labelled).estimate(samples) - truth).mean()
    assert error < 0.035
    assert error < 0.6 * naive


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "labelled",
    [
        Labelled([[0.4, 0.6]] * 6, [0, 0, 0, 0, 1, 1]),
        Labelled([[0.1, 0.9], [0.9, 0.1], [0.9, 0.1]], [0, 1, 1]),
        Labelled([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1]),
        Labelled([[0.8, 0.2], [0.6, 0.4], [0.5, 0.5], [0.3, 0.7]], [0, 0, 0, 1], [0, 1, 2, 3]),
        Labelled([[0.5, 0.5], [0.5, 0.5]], [0, 1]),
        Labelled([[0.2, 0.3, 0.5]] * 5, [0, 1, 2, 2, 2]),
        Labelled(np.eye(3), [0, 1, 2]),
        Labelled(np.eye(3)[[1, 2, 0]], [0, 1, 2]),
        scored(9, 30, 10),
    ],
    ids=["equal", "reversed", "sure", "one positive", "halves", "equal of 3", "sure of 3", "wrong of 3", "ten classes"],
)
def test_odd_cases_give_prevalences(name: str, labelled: Labelled) -> None:
    k = labelled.n_classes
    pool = np.vstack([labelled.probabilities, np.eye(k), np.full((1, k), 1 / k)])
    learned = METHODS[name].learn(labelled)
    samples = Samples.from_lists(
        pool, [*([row] for row in range(len(pool))), np.arange(len(pool)), [len(pool) - 2] * 50]
    )
    check(learned.estimate(samples), len(pool) + 2, k)
    assert np.isfinite(learned.raw(samples)).all()


@pytest.mark.parametrize("name", ADJUSTING)
def test_scores_that_tell_nothing_are_said_to(name: str) -> None:
    learned = METHODS[name].learn(Labelled([[0.4, 0.6]] * 6, [0, 0, 0, 0, 1, 1]))
    assert learned.notes


@pytest.mark.parametrize("name", NAMES)
def test_samples_of_one_class_are_recognised(name: str) -> None:
    """Prevalences of 0 and of 1, with scores that separate the classes."""
    p = np.array([0.05, 0.1, 0.15, 0.2, 0.8, 0.85, 0.9, 0.95])
    table = np.column_stack([1 - p, p])
    learned = METHODS[name].learn(Labelled(table, np.repeat([0, 1], 4)))
    found = learned.estimate(Samples.from_lists(table, [np.arange(4), np.arange(4, 8)]))[:, 1]
    if name == "training prevalence":
        assert found.tolist() == [0.5, 0.5]
    else:
        assert found[0] < 0.15
        assert found[1] > 0.85


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_what_was_learnt_can_be_pickled(name: str, k: int) -> None:
    labelled = scored(10, 60, k)
    learned = METHODS[name].learn(labelled)
    samples = Samples.of(labelled.probabilities)
    again = pickle.loads(pickle.dumps(learned))  # noqa: S301 - our own
    np.testing.assert_array_equal(again.estimate(samples), learned.estimate(samples))
    assert again.notes == learned.notes


@pytest.mark.parametrize("name", NAMES)
def test_a_class_without_rows_is_refused(name: str) -> None:
    message = "^labelled must hold rows of every class, got none of class 1; label some, or leave out its column[.]$"
    with pytest.raises(InputError, match=message):
        METHODS[name].learn(Labelled([[0.4, 0.6], [0.3, 0.7]], [0, 0]))


def test_options_are_checked() -> None:
    with pytest.raises(
        InputError, match=r"^an option of adjusted count must be one of 'rates'; got 'rate'. Did you mean 'rates'\?$"
    ):
        METHODS["adjusted count"].having(rate="pooled")
    with pytest.raises(InputError, match=r"^classify and count has no options, got 'rates'; leave it out\.$"):
        METHODS["classify and count"].having(rates="pooled")
    for k in (2, 3):
        with pytest.raises(InputError, match=r"^rates must be one of 'folds', 'pooled'; got 'all'[.]$"):
            METHODS["adjusted count"].having(rates="all").learn(scored(0, 20, k))


def test_options_leave_the_method_as_it_was() -> None:
    pooled = METHODS["median sweep grid"].having(rates="pooled")
    assert pooled.options == {"grid": True, "rates": "pooled"}
    assert METHODS["median sweep grid"].options == {"grid": True}


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("name", [name for name in METHODS if name != "combined"])
def test_learn_counts_whole_weights_as_repeated_rows(name: str, k: int) -> None:
    rng = np.random.default_rng(k)
    codes = np.append(np.arange(k), rng.integers(0, k, 60 - k))
    values = rng.integers(1, 6, (60, k)) + 4 * np.eye(k)[codes]
    rows = Labelled(values / values.sum(axis=1, keepdims=True), codes, rng.integers(0, 3, 60))
    weights = np.append(np.ones(k), rng.integers(0, 4, 60 - k))
    samples = Samples.of(rng.dirichlet(np.ones(k), 40))
    weighed = METHODS[name].learn(rows.with_weights(weights)).estimate(samples)
    repeated = METHODS[name].learn(rows.take(np.repeat(np.arange(60), weights.astype(int)))).estimate(samples)
    np.testing.assert_allclose(weighed, repeated, atol=1e-9)
    # What is no whole number counts by its ratio to the others.
    scaled = METHODS[name].learn(rows.with_weights(weights / 3)).estimate(samples)
    np.testing.assert_allclose(METHODS[name].learn(rows.with_weights(weights / 7)).estimate(samples), scaled, atol=1e-9)


def test_combined_counts_whole_weights_as_repeated_rows_where_its_own_weights_are_given() -> None:
    rng = np.random.default_rng(0)
    codes = np.arange(60) % 3
    rows = Labelled(rng.dirichlet(np.ones(3), 60), codes)
    counts = rng.integers(1, 4, 60)
    method, samples = METHODS["combined"].having(weights=(1, 2)), Samples.of(rng.dirichlet(np.ones(3), 40))
    repeated = method.learn(rows.take(np.repeat(np.arange(60), counts))).estimate(samples)
    np.testing.assert_allclose(method.learn(rows.with_weights(counts)).estimate(samples), repeated, atol=1e-9)


@pytest.mark.parametrize(
    ("theirs", "ours"), [("EM", "expectation maximization"), ("PACC", "scaled probability average")]
)
def test_named_method_suggests_our_name_for_an_abbreviation(theirs: str, ours: str) -> None:
    with pytest.raises(InputError, match=f"Did you mean '{ours}'"):
        named_method(theirs)


def test_named_method_lists_all_where_nothing_is_similar() -> None:
    with pytest.raises(InputError, match=r"available: 'training prevalence', .*'combined'"):
        named_method(7)
