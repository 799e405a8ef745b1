from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.monitoring.conftest import make_table

from shiftproof.monitoring import Baseline
from shiftproof.monitoring._parts import ReferencePart, mixed_part


@pytest.fixture(scope="module")
def seasons() -> list[ReferencePart]:
    """Return two parts on the same cells, the second with higher ages."""
    first = Baseline.of(make_table(1000), scores="p", labels="y")
    second = Baseline.of(make_table(400, shift=8.0, seed=1), scores="p", labels="y", cells=first)
    return [first.whole, second.whole]


def test_mixture_of_one_season_is_that_season(seasons: list[ReferencePart]) -> None:
    assert mixed_part(seasons, np.array([0, 7])) is seasons[1]


def test_mixture_has_the_proportions_of_the_batch_and_an_honest_number_of_rows(seasons: list[ReferencePart]) -> None:
    mixed = mixed_part(seasons, np.array([50, 50]))
    assert mixed.n_rows == pytest.approx(1 / (0.25 / 1000 + 0.25 / 400), abs=1)
    shares = [part.columns["age"].total / part.n_rows for part in (*seasons, mixed)]
    assert np.cumsum(shares[2]) == pytest.approx(np.cumsum((shares[0] + shares[1]) / 2), abs=0.002)
    assert mixed.performance is not None
    accuracies = [part.performance.accuracy.estimate for part in seasons if part.performance is not None]
    assert mixed.performance.accuracy.estimate == pytest.approx(np.mean(accuracies), abs=0.002)
    means = [moment_means(part) for part in (*seasons, mixed)]
    assert means[2] == pytest.approx((means[0] + means[1]) / 2)


def moment_means(part: ReferencePart) -> Any:
    assert part.moments is not None
    return part.moments.columns["age"].sums.sum(axis=0) / part.moments.rows.sum()


def test_parts_add_up(seasons: list[ReferencePart]) -> None:
    both = seasons[0].plus(seasons[1])
    assert both.n_rows == 1400
    assert both.performance is not None
    assert both.performance.n == 1400
    without = ReferencePart(n_rows=400, columns=seasons[1].columns)
    assert seasons[0].plus(without).performance is None


def test_few_labelled_rows_are_not_enough_to_estimate_from(seasons: list[ReferencePart]) -> None:
    assert [part.sound for part in seasons] == [True, False]
    assert not ReferencePart(n_rows=400, columns=seasons[1].columns).sound


def test_mixture_without_labels_has_counts_only(seasons: list[ReferencePart]) -> None:
    plain = [ReferencePart(n_rows=part.n_rows, columns=part.columns) for part in seasons]
    mixed = mixed_part(plain, np.array([1, 3]))
    assert (mixed.performance, mixed.moments) == (None, None)
