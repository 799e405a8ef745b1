from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftproof import InputError
from shiftproof.counting._learned import Binary
from shiftproof.counting._rates import Averaging, rates_at

ROWS = st.lists(st.tuples(st.integers(0, 8), st.booleans(), st.integers(0, 3)), min_size=2, max_size=40).filter(
    lambda rows: {row[1] for row in rows} == {True, False}
)


def slow_rate(binary: Binary, side: bool, threshold: float, averaging: str) -> Fraction:
    """Average over the folds that have rows of the side, by fractions."""
    mine = binary.positive == side
    folds = binary.folds if averaging == "folds" else np.zeros_like(binary.folds)
    shares = []
    for fold in set(folds[mine].tolist()):
        scores = binary.scores[mine & (folds == fold)]
        shares.append(Fraction(int((scores >= threshold).sum()), len(scores)))
    return sum(shares, Fraction(0)) / len(shares)


@pytest.mark.parametrize("averaging", ["folds", "pooled"])
@given(rows=ROWS)
def test_rates_are_exact_fractions(averaging: Averaging, rows: list[tuple[int, bool, int]]) -> None:
    scores, positive, folds = (np.array(column) for column in zip(*rows, strict=True))
    binary = Binary(scores / 8, positive, folds, np.ones(len(folds)))
    thresholds = np.unique(binary.scores)
    found = rates_at(binary, thresholds, averaging)
    for place, threshold in enumerate(thresholds):
        for side, numbers in ((True, found.true), (False, found.false)):
            assert Fraction(int(numbers[place]), found.whole) == slow_rate(binary, side, threshold, averaging)
    assert (found.true[0], found.false[0]) == (found.whole, found.whole)
    np.testing.assert_allclose(found.gap, found.tpr - found.fpr, atol=1e-15)


def test_denominators_beyond_a_machine_word_stay_exact() -> None:
    sizes = [53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103]
    folds = np.repeat(np.arange(len(sizes)), 2 * np.array(sizes))
    rng = np.random.default_rng(0)
    binary = Binary(rng.integers(0, 20, len(folds)) / 20, np.arange(len(folds)) % 2 == 0, folds, np.ones(len(folds)))
    found = rates_at(binary, np.unique(binary.scores), "folds")
    assert found.whole > 2**62
    for place in (0, 7, 19):
        wanted = slow_rate(binary, True, float(found.thresholds[place]), "folds")
        assert Fraction(int(found.true[place]), found.whole) == wanted
        assert found.tpr[place] == pytest.approx(float(wanted), abs=1e-15)
    assert found.gap.dtype == np.float64


def test_another_way_to_average_is_refused() -> None:
    binary = Binary(np.array([0.1, 0.2]), np.array([True, False]), np.array([0, 0]), np.ones(2))
    message = r"^rates must be one of 'folds', 'pooled'; got 'pool'. Did you mean 'pooled'\?$"
    with pytest.raises(InputError, match=message):
        rates_at(binary, np.array([0.1]), "pool")  # type: ignore[arg-type]
