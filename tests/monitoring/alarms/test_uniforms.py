from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest

from shiftproof.monitoring.alarms._uniforms import uniforms


def test_uniforms_are_fixed_for_all_engines() -> None:
    drawn_numbers = uniforms(0, "2026-01", ["age", "job"], [2, 5])
    expected = [
        0.781587109365,
        0.173692739406,
        0.789956692223,
        0.466054449097,
        0.482546778428,
        0.230350634592,
        0.688710308387,
    ]
    assert drawn_numbers == pytest.approx(expected, abs=1e-12)


def test_uniforms_depend_on_seed_batch_and_column() -> None:
    drawn = [
        tuple(uniforms(seed, batch, [column], [3]))
        for seed in (0, 1)
        for batch in ("a", "ab")
        for column in ("b", "", "\ud800")
    ]
    assert len(set(drawn)) == len(drawn)


def test_uniforms_are_uniform() -> None:
    drawn_numbers = uniforms(0, "batch", ["a"], [4001])
    assert len(drawn_numbers) == 4001
    assert kstest(drawn_numbers, "uniform").pvalue > 0.01
    assert np.all((drawn_numbers > 0) & (drawn_numbers < 1))
