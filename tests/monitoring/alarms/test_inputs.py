from __future__ import annotations

import numpy as np
import pytest

from shiftproof.monitoring.alarms._inputs import BetInputs


def test_inputs_come_back_from_bytes() -> None:
    inputs = BetInputs(
        mix=np.array([3_000_000, 0]),
        tilts=np.array([0.1, -2.5]),
        rows=np.array([50.0]),
        learnt=np.array([1.0, 2.0, 3.0]),
        missing=np.array([7]),
        below=np.arange(31),
        levels=np.empty(0),
        harm=np.empty(0),
        corrected=np.empty(0),
    )
    stored = inputs.to_bytes()
    again = BetInputs.from_bytes(stored)
    assert again.mix.tolist() == [3_000_000, 0]
    assert again.tilts == pytest.approx(inputs.tilts, rel=1e-6)
    assert again.below.tolist() == list(range(31))
    assert (again.missing.tolist(), len(again.levels), len(again.harm)) == ([7], 0, 0)
    assert again.to_bytes() == stored
