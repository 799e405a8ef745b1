from __future__ import annotations

import numpy as np
import pytest
from tests.monitoring.conftest import Table, make_batch

from shiftproof.monitoring import Baseline, Monitor
from shiftproof.monitoring._incidents import pack_counts
from shiftproof.monitoring._old_and_new import cell_names, old_and_new


def test_counts_are_those_of_the_reference_and_of_the_batch(baseline: Baseline, monitor: Monitor, table: Table) -> None:
    batch = make_batch(100, shift=15.0, seed=3)
    packed = pack_counts(baseline.summarise(batch).facts)
    columns = old_and_new(baseline, monitor._alarms, packed)
    assert [*columns] == [*baseline.columns]
    for one in columns.values():
        assert (one.old.sum(), one.new.sum(), len(one.cells)) == (400, 100, len(one.old))
        assert sum(one.old_shares) == pytest.approx(1)
    gap, job, age = columns["gap"], columns["job"], columns["age"]
    assert (gap.old[0], gap.new[0]) == (np.isnan(table["gap"]).sum(), np.isnan(batch["gap"]).sum())
    counted = dict(zip(job.cells, job.new.tolist(), strict=True))
    assert {name: counted[name] for name in ("clerk", "nurse", "pilot")} == {
        name: int((batch["job"] == name).sum()) for name in ("clerk", "nurse", "pilot")
    }
    # The batch is older than the reference.
    assert sum(age.new_shares[9:]) > 1.5 * sum(age.old_shares[9:])


def test_without_counts_there_is_nothing_to_show(baseline: Baseline, monitor: Monitor) -> None:
    assert old_and_new(baseline, monitor._alarms, None) == {}
    assert old_and_new(baseline, monitor._alarms, b"") == {}


def test_cells_are_named_by_their_edges() -> None:
    rows = {
        "whole": np.repeat([1, 2, 3], 40),
        "day": np.datetime64("2024-01-01") + np.arange(120).astype("timedelta64[D]"),
        "none": np.full(120, np.nan),
    }
    baseline = Baseline.of(rows)
    named = {name: cell_names(column) for name, column in baseline.reference.items()}
    assert named["whole"] == ("missing", "below 1", "1", "1 to 2", "2 to 3", "above 3")
    assert named["day"][1].startswith("up to 2024-01-")
    assert named["day"][-1].startswith("above 2024-0")
