from __future__ import annotations

import pytest
from tests.monitoring.conftest import make_table

from shiftproof.monitoring import Baseline, Monitor, MonitorRehearsal


@pytest.fixture(scope="session")
def rehearsal(baseline: Baseline, tmp_path_factory: pytest.TempPathFactory) -> MonitorRehearsal:
    """Return the rehearsal of a quiet past of seven batches."""
    monitor = Monitor(tmp_path_factory.mktemp("rehearsal") / "m.db", baseline)
    return monitor.rehearse(make_table(1400, seed=5), size=200, labels="y", drops=(0.2,), label_counts=(0, 50))
