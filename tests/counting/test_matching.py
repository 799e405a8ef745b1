from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from shiftproof import InputError
from shiftproof.quantification import METHODS, Labelled, Samples


def scored(seed: int, n: int = 80) -> Labelled:
    rng = np.random.default_rng(seed)
    codes = np.append([0, 1], rng.integers(0, 2, n - 2))
    p = rng.beta(1 + 2 * codes, 3 - 2 * codes)
    # Ties, and scores at the very ends.
    p = np.where(rng.uniform(size=n) < 0.3, np.round(p, 1), p)
    return Labelled(np.column_stack([1 - p, p]), codes)


def drawn(labelled: Labelled, seed: int) -> tuple[Samples, list[np.ndarray]]:
    rng = np.random.default_rng(seed + 1)
    lists = [rng.integers(0, len(labelled.codes), m) for m in (1, 4, 30, 60)]
    return Samples.from_lists(labelled.probabilities, lists), [labelled.probabilities[rows, 1] for rows in lists]


def histogram(scores: np.ndarray, size: int) -> np.ndarray:
    counts = np.zeros(size)
    for score in scores.tolist():
        counts[min(int(score * size), size - 1)] += 1
    return counts / len(scores)


def hellinger(p: np.ndarray, q: np.ndarray) -> float:
    return float(np.sqrt(((np.sqrt(p) - np.sqrt(q)) ** 2).sum()))


def topsoe(p: np.ndarray, q: np.ndarray) -> float:
    pairs = [*zip(p.tolist(), q.tolist(), strict=True), *zip(q.tolist(), p.tolist(), strict=True)]
    return float(sum(a * math.log(2 * a / (a + b)) for a, b in pairs if a > 0))


@settings(max_examples=25)
@given(st.integers(0, 5000))
def test_hellinger_matching_is_the_median_of_the_best_on_a_grid(seed: int) -> None:
    labelled = scored(seed)
    samples, rows = drawn(labelled, seed)
    found = METHODS["hellinger matching"].learn(labelled).estimate(samples)[:, 1]
    p = labelled.probabilities[:, 1]
    for scores, share in zip(rows, found, strict=True):
        best = []
        for size in range(10, 111, 10):
            negative, positive = (histogram(p[labelled.codes == code], size) for code in (0, 1))
            sample = histogram(scores, size)
            squares = [hellinger(sample, (1 - a / 100) * negative + a / 100 * positive) ** 2 / 2 for a in range(101)]
            best.append(np.mean(np.flatnonzero(np.array(squares) <= min(squares) + 1e-12)) / 100)
        assert share == pytest.approx(np.median(best), abs=1e-9)


@settings(max_examples=50)
@given(st.integers(0, 5000))
def test_distribution_matching_is_the_median_of_the_least_topsoe_distances(seed: int) -> None:
    labelled = scored(seed)
    samples, rows = drawn(labelled, seed)
    bins = [4, 9, 15]
    found = METHODS["distribution matching"].having(bins=bins).learn(labelled).estimate(samples)[:, 1]
    p = labelled.probabilities[:, 1]
    for scores, share in zip(rows, found, strict=True):
        best = []
        for size in bins:
            negative, positive = (histogram(p[labelled.codes == code], size) for code in (0, 1))
            sample = histogram(scores, size)

            def distance(a: float, s: np.ndarray = sample, n: np.ndarray = negative, y: np.ndarray = positive) -> float:
                return topsoe(s, (1 - a) * n + a * y)

            inner = optimize.minimize_scalar(distance, bounds=(0, 1), method="bounded", options={"xatol": 1e-9})
            best.append(inner.x)
        assert share == pytest.approx(np.median(best), abs=2e-5)


@pytest.mark.parametrize("name", ["hellinger matching", "distribution matching"])
def test_exact_mixtures_are_found(name: str) -> None:
    """A sample in which each class has the histogram of its labelled rows has one nearest mixture: its own."""
    labelled = scored(5)
    rows = [np.flatnonzero(labelled.codes == code) for code in (0, 1)]
    samples = Samples.from_lists(
        labelled.probabilities,
        [
            np.concatenate([np.repeat(rows[0], len(rows[1]) * (10 - a)), np.repeat(rows[1], len(rows[0]) * a)])
            for a in range(11)
        ],
    )
    found = METHODS[name].learn(labelled).estimate(samples)[:, 1]
    np.testing.assert_allclose(found, np.arange(11) / 10, atol=1e-6)


@pytest.mark.parametrize("name", ["hellinger matching", "distribution matching"])
def test_the_same_histograms_say_so(name: str) -> None:
    labelled = Labelled([[0.7, 0.3]] * 5, [0, 0, 0, 1, 1])
    learned = METHODS[name].learn(labelled)
    assert learned.notes == ("the class has the same histogram as the others, so the plain count is returned",)
    assert learned.estimate(Samples.of([[0.7, 0.3], [0.2, 0.8]])).tolist() == [[0.5, 0.5]]


def test_many_samples_are_matched_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    labelled = scored(1)
    samples, _ = drawn(labelled, 1)
    learned = METHODS["hellinger matching"].learn(labelled)
    whole = learned.estimate(samples)
    monkeypatch.setattr("shiftproof.counting._matching._CHUNK", 3)
    np.testing.assert_allclose(learned.estimate(samples), whole)


def test_bins_are_checked() -> None:
    method = METHODS["hellinger matching"]
    with pytest.raises(InputError, match=r"^bins must be a whole number of at least 2; got 1\.$"):
        method.having(bins=[1]).learn(scored(0))
    message = r"^bins must name at least one number of bins, got 0; leave it out to use the usual ones\.$"
    with pytest.raises(InputError, match=message):
        method.having(bins=[]).learn(scored(0))


def test_one_number_of_bins_comes_in_a_list() -> None:
    with pytest.raises(InputError, match=r"^bins must be a sequence of numbers of bins, got 10; write bins=\[10\]\.$"):
        METHODS["hellinger matching"].having(bins=10).learn(Labelled([[0.9, 0.1], [0.2, 0.8]], [0, 1]))


def energy(share: float, labelled: Labelled, new: np.ndarray) -> float:
    """The energy distance by its definition, 2 E|X - Y| - E|X - X'| - E|Y - Y'|, of the mixture and the new scores."""
    old = labelled.probabilities[:, 1]
    weights = np.where(labelled.codes == 1, share / labelled.counts[1], (1 - share) / labelled.counts[0])
    same = np.full(len(new), 1 / len(new))

    def mean(a: np.ndarray, v: np.ndarray, b: np.ndarray, w: np.ndarray) -> float:
        return float(v @ np.abs(a[:, None] - b) @ w)

    return 2 * mean(old, weights, new, same) - mean(old, weights, old, weights) - mean(new, same, new, same)


@given(seed=st.integers(0, 400))
def test_energy_matching_minimises_the_energy_distance(seed: int) -> None:
    labelled = scored(seed, 40)
    new = np.random.default_rng(seed + 1).choice(labelled.probabilities[:, 1], 15)
    learned = METHODS["energy matching"].learn(labelled)
    if learned.notes:
        return
    found = learned.estimate(Samples.of(np.column_stack([1 - new, new])))[0, 1]
    best = optimize.minimize_scalar(lambda q: energy(q, labelled, new), bounds=(0, 1), method="bounded").x
    assert energy(found, labelled, new) <= energy(best, labelled, new) + 1e-12


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_energy_matching_of_an_exact_mixture_gives_its_share(share: float) -> None:
    labelled = Labelled([[0.8, 0.2], [0.6, 0.4], [0.5, 0.5], [0.1, 0.9]], [0, 0, 1, 1])
    rows = [0, 1] * round(10 * (1 - share)) + [2, 3] * round(10 * share)
    found = METHODS["energy matching"].learn(labelled).estimate(Samples.from_lists(labelled.probabilities, [rows]))
    assert found[0, 1] == pytest.approx(share)


def test_energy_matching_treats_scores_beyond_the_labelled_as_the_outermost() -> None:
    learned = METHODS["energy matching"].learn(Labelled([[0.7, 0.3], [0.4, 0.6]], [0, 1]))
    shares = learned.raw(Samples.from_matrix([[1.0, 0.0], [0.7, 0.3], [0.0, 1.0], [0.4, 0.6]], [[0], [1], [2], [3]]))
    np.testing.assert_allclose(shares[:, 1], [0, 0, 1, 1], atol=1e-12)


def test_energy_matching_of_equal_scores_gives_the_plain_count_with_a_note() -> None:
    learned = METHODS["energy matching"].learn(Labelled([[0.4, 0.6]] * 4, [0, 1, 0, 1]))
    assert learned.notes == ("the class has the same histogram as the others, so the plain count is returned",)
    assert learned.estimate(Samples.of([[0.4, 0.6]])).tolist() == [[0.0, 1.0]]
