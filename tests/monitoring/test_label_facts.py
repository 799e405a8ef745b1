from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from tests.monitoring.conftest import make_table

from shiftproof.core import Interval, as_table
from shiftproof.monitoring import Baseline
from shiftproof.monitoring._label_facts import LabelledSample, is_contained
from shiftproof.monitoring._sample import draw_sample

GIVEN = Interval(estimate=0.8, low=0.7, high=0.9, level=0.9, method="made")
NOW = datetime(2024, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def whole(baseline: Baseline) -> LabelledSample:
    """Return a batch of 300 rows, all of them labelled."""
    rows = make_table(300, seed=5)
    table = as_table({name: values for name, values in rows.items() if name != "y"})
    grounds = baseline.summarise(table).grounds
    assert grounds is not None
    sample, _ = draw_sample(baseline, table, grounds, seed=0, batch_id="x")
    codes = {row: int(rows["y"][row] == "yes") for row in range(300)}
    return LabelledSample(sample, codes, baseline)


def with_labels_of(whole: LabelledSample, places: list[int]) -> LabelledSample:
    rows = whole.sample.rows[places].tolist()
    return replace(whole, codes={row: whole.codes[row] for row in rows})


def test_labels_count_up_to_the_first_gap_in_the_random_order(whole: LabelledSample) -> None:
    assert with_labels_of(whole, []).n_used == 0
    assert with_labels_of(whole, [1, 2, 3]).n_used == 0
    assert with_labels_of(whole, [0, 1, 2, 5, 9]).n_used == 3
    assert with_labels_of(whole, [0, 1, 2, 5, 9]).next_places(4) == [3, 4, 6, 7]
    assert (whole.n_used, whole.next_places(5)) == (300, [])


def test_what_labels_of_all_rows_say_is_exact(whole: LabelledSample) -> None:
    comparison = whole.comparison(7, 3, GIVEN, NOW)
    accuracy = comparison.n_right / 300
    # The residual over all rows is the estimate minus the actual accuracy.
    assert comparison.residual == pytest.approx(comparison.unlearnt - accuracy, abs=1e-6)
    assert (comparison.batch, comparison.place, comparison.n_used, comparison.low) == (7, 3, 300, 0.7)


def test_portions_add_up_to_the_whole(whole: LabelledSample) -> None:
    first = with_labels_of(whole, list(range(30)))
    more = with_labels_of(whole, list(range(50)))
    one, two = first.facts(0, age=2, counts=True), more.facts(30, age=2, counts=True)
    both = more.facts(0, age=2, counts=True)
    assert one is not None
    assert two is not None
    assert both is not None
    assert (one.labelled, two.labelled, one.right + two.right) == (30, 20, both.right)
    assert 30 * one.residual + 20 * two.residual == pytest.approx(50 * both.residual)
    assert more.facts(50, age=2, counts=True) is None
    # No surprise in few labels does not prove that there is none.
    assert one.row_variance >= 2.5 / 30


def test_labels_that_wait_say_nothing_yet(whole: LabelledSample) -> None:
    waiting = with_labels_of(whole, [4, 5]).comparison(7, 3, GIVEN, NOW)
    assert (waiting.n_labels, waiting.n_used, waiting.residual, waiting.contained) == (2, 0, 0.0, None)
    assert with_labels_of(whole, list(range(9))).comparison(7, 3, GIVEN, NOW).contained is None
    assert with_labels_of(whole, list(range(10))).comparison(7, 3, GIVEN, NOW).contained is not None


@pytest.mark.parametrize(
    ("estimate", "spread", "labels"), [(0.8, 0.06, 20), (0.8, 0.06, 200), (0.6, 0.02, 10), (0.95, 0.03, 50)]
)
def test_intervals_that_are_right_contain_what_few_labels_show_in_nine_of_ten_cases(
    estimate: float, spread: float, labels: int
) -> None:
    rng = np.random.default_rng(0)
    half, found = 1.6448536 * spread, []
    given = Interval(estimate=estimate, low=estimate - half, high=min(estimate + half, 1.0), level=0.9, method="made")
    for _ in range(300):
        # The actual accuracy lies around the estimate as the interval says.
        right = round(500 * np.clip(rng.normal(estimate, spread), 0, 1))
        found.append(is_contained(given, int(rng.hypergeometric(right, 500 - right, labels)), labels, 500))
    assert np.mean(found) == pytest.approx(0.9, abs=0.06)


def test_labels_of_all_rows_are_compared_exactly() -> None:
    assert [is_contained(GIVEN, right, 100, 100) for right in (69, 70, 90, 91)] == [False, True, True, False]
