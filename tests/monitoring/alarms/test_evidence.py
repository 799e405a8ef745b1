from __future__ import annotations

import math

import numpy as np
import pytest

from shiftproof.monitoring.alarms._evidence import Experts, blame, kept_weight, log_mean, start_weight


def test_start_weight_has_the_golden_values_and_adds_up_to_one() -> None:
    assert [start_weight(batch) for batch in (1, 2, 3)] == pytest.approx([0.369070, 0.130930, 0.069323], abs=5e-7)
    assert sum(start_weight(batch) for batch in range(1, 1001)) + kept_weight(1000) == pytest.approx(1)


def test_starting_late_costs_what_the_logarithm_says() -> None:
    assert -math.log(start_weight(500)) == pytest.approx(10.2, abs=0.05)
    assert -math.log(start_weight(10_000)) == pytest.approx(14.0, abs=0.05)


def test_bets_of_one_keep_the_evidence_at_one_or_count_the_batches() -> None:
    experts = Experts.of([np.array([0.25, 0.75]), np.array([1.0])])
    ever = run = experts.none()
    for batch in range(1, 21):
        ever = experts.grow(ever, np.zeros(3), batch, "ever")
        run = experts.grow(run, np.zeros(3), batch, "run length")
    assert experts.evidence(ever, 20, "ever") == pytest.approx([0, 0], abs=1e-12)
    assert experts.evidence(run, 20, "run length") == pytest.approx([math.log(20)] * 2)


def test_log_mean_of_evidence_beyond_any_float() -> None:
    assert log_mean(np.array([1000.0, -np.inf])) == pytest.approx(1000 - math.log(2))
    assert log_mean(np.array([-np.inf, -np.inf])) == -math.inf


def test_blame_takes_the_most_columns_that_all_have_enough() -> None:
    limit = math.log(20)
    # Of four columns: 80 for one, 40 each for two, 20 each for all.
    assert blame(np.log([1.0, 79.0, 1.0, 1.0]), limit).tolist() == []
    assert blame(np.log([1.0, 81.0, 1.0, 1.0]), limit).tolist() == [1]
    assert blame(np.log([41.0, 1.0, 1.0, 45.0]), limit).tolist() == [3, 0]
    assert blame(np.log([21.0, 21.0, 21.0, 21.0]), limit).tolist() == [0, 1, 2, 3]
