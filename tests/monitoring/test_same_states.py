"""A monitor with a store has the states of its alarms alone, batch after batch."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from shiftproof.monitoring import Baseline, Monitor
from shiftproof.monitoring.alarms import Alarms

# `make soak` runs 20 streams x 200 batches; the suite one short stream.
SOAK = int(os.environ.get("SIMULATIONS", "1")) > 1
STREAMS, BATCHES = (20, 200) if SOAK else (1, 4)


def rows(rng: np.random.Generator, n: int) -> dict[str, object]:
    """Draw numbers with ties and gaps, categories, scores and labels."""
    age = np.where(rng.uniform(size=n) < 0.1, np.nan, rng.normal(40, 10, n).round())
    job = rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1]).tolist()
    p = rng.uniform(size=n)
    return {"age": age, "job": job, "p": p, "y": (rng.uniform(size=n) < p).astype(int)}


@pytest.mark.parametrize("stream", range(STREAMS))
def test_monitor_has_the_states_of_its_alarms(stream: int, tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    rng = np.random.default_rng(stream)
    baseline = Baseline.of(rows(rng, 400), scores="p", labels="y", random_state=stream)
    monitor = Monitor(tmp_path / "monitor.db", baseline)
    alarms = Alarms.of(
        baseline.columns,
        design_effect=baseline.design_effect,
        mean_period=baseline.mean_period,
        floor=monitor.terms.floor,
        bias_sd=baseline.bias_sd,
    )
    state = alarms.start()
    for number in range(BATCHES):
        batch = {name: values for name, values in rows(rng, int(rng.integers(1, 200))).items() if name != "y"}
        monitor.add(batch, id=str(number))
        state, _ = alarms.step(state, baseline.summarise(batch).facts, str(number))
    with monitor._store.log(monitor._key) as log:
        assert monitor._state(log).to_bytes() == state.to_bytes()
