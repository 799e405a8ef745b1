from __future__ import annotations

import pytest
from scipy import stats

from shiftproof.core import InputError
from shiftproof.measures._curves_base import (
    check_labels,
    check_scored,
    check_weights,
    quantile,
    rank,
    wilson_ends,
)


def test_rank_adds_up_tied_scores_in_blocks() -> None:
    ranked = rank(check_scored([1, 0, 1, 0], [0.5, 0.9, 0.5, 0.1], sample_weight=[1, 2, 3, 4]))
    assert ranked.thresholds.tolist() == [0.9, 0.5, 0.1]
    assert ranked.rows.tolist() == [2, 6, 10]
    assert ranked.hits.tolist() == [0, 4, 4]
    assert ranked.misses.tolist() == [2, 2, 6]
    assert ranked.block.tolist() == [0, 1, 1, 2]


def test_check_scored_leaves_rows_without_weight_out() -> None:
    scored = check_scored([1, 0, 1], [0.1, 0.2, 0.3], sample_weight=[1, 0, 2])
    assert scored.scores.tolist() == [0.1, 0.3]
    assert (scored.total, scored.positives) == (3, 3)
    with pytest.raises(InputError, match="y must hold both classes, got 2 positive and no negative rows"):
        scored.need_both("a curve")


def test_check_labels_takes_the_code_of_the_positive_class() -> None:
    assert check_labels([2, 5, 5], positive=5).tolist() == [False, True, True]
    with pytest.raises(InputError, match=r"y must hold 0 and 1 only, got '?5"):
        check_labels([0, 5])


def test_check_weights_refuses_negative_weights_and_none_above_0() -> None:
    with pytest.raises(InputError, match="sample_weight must be at least 0, got -1"):
        check_weights([1, -1], 2)
    with pytest.raises(InputError, match="sample_weight must be above 0 somewhere"):
        check_weights([0, 0], 2)
    assert check_weights(None, 3).tolist() == [1, 1, 1]


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (3, 10), (10, 10)])
def test_wilson_ends_gives_the_interval_of_scipy(hits: int, n: int) -> None:
    expected = stats.binomtest(hits, n).proportion_ci(0.95, method="wilson")
    low, high = wilson_ends(hits / n, n, quantile(0.95))
    assert (float(low), float(high)) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize("weights", [[1.0], [1.0] * 4])
def test_check_weights_refuses_another_number_of_weights(weights: list[float]) -> None:
    with pytest.raises(InputError) as error:
        check_weights(weights, 3)
    assert str(error.value) == (
        f"sample_weight must have one value per row of y, that is 3, got {len(weights)}; pass both for the same rows."
    )
