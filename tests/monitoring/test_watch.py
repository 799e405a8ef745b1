from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.monitoring._countries import batch

from shiftproof import InputError
from shiftproof.monitoring import Baseline, Monitor


@pytest.fixture
def monitor(segmented: Baseline, tmp_path: Path) -> Monitor:
    return Monitor(tmp_path / "monitor.db", segmented)


def test_batch_without_the_column_is_refused(monitor: Monitor) -> None:
    with pytest.raises(InputError) as caught:
        monitor.add(batch().drop(columns="country"), id="a")
    assert str(caught.value).startswith("batch must have a column 'country'; segments are the values of this column")
    assert monitor.status().n_batches == 0


def test_segment_raises_incidents_of_its_own(monitor: Monitor) -> None:
    for number in range(4):
        assert not monitor.add(batch(seed=number + 1), id=f"quiet {number}").open_incidents
    for number in range(4):
        update = monitor.add(batch(seed=number + 20, shifted="FR", shift=12.0), id=f"loud {number}")
    segments = {incident.segment for incident in monitor.incidents}
    assert "country = 'FR'" in segments
    assert not segments - {"country = 'FR'", ""}
    changed = next(one for one in monitor.incidents if one.segment and one.level == "changed")
    assert changed.likeliest.id == "loud 0"
    assert f"Incident {changed.number} (changed in country = 'FR')" in monitor.status().summary()
    assert update.segments["country = 'FR'"].levels["changed"].alarm
    assert not update.segments["country = 'DE'"].levels["changed"].alarm
    # Acknowledging restarts the alarm of the segment alone.
    closed = monitor.acknowledge(changed, "seen")
    assert closed.segment == "country = 'FR'"
    status = monitor.status()
    assert status.segments["country = 'FR'"]["changed"].share < 0.2
    assert status.budget["changed"].acknowledged == 1
    again = Monitor(monitor.store)
    assert again.status().to_dict() == status.to_dict()


def test_frames_pages_and_exports_name_the_segment(monitor: Monitor, tmp_path: Path) -> None:
    for number in range(3):
        update = monitor.add(batch(seed=number, shifted="FR", shift=15.0), id=str(number))
    history = monitor.history()
    assert set(history["segment"]) == {"", *monitor.baseline.segments}
    assert "country = 'FR'" in set(monitor.history(columns=True)["segment"])
    monitor.export(tmp_path / "history")
    incidents = pd.read_parquet(tmp_path / "history" / "incidents.parquet")
    assert "country = 'FR'" in set(incidents["segment"])
    status = monitor.status()
    page = status.save(tmp_path / "page.html").read_text()
    assert "country = &#39;FR&#39;" in page
    hidden = status.save(tmp_path / "hidden.html", redact=True).read_text()
    assert "FR" not in hidden
    assert status.to_dict()["segments"]["country = 'FR'"]["changed"]["alarm"]
    assert update.to_dict()["segments"]["country = 'DE'"]["n_rows"] > 200


def test_same_batch_again_changes_nothing(monitor: Monitor) -> None:
    first = monitor.add(batch(), id="a")
    again = monitor.add(batch(), id="a")
    assert again.repeated
    assert again.to_dict()["segments"] == first.to_dict()["segments"]


def test_all_rows_have_half_of_the_budget_and_segments_share_the_rest(monitor: Monitor) -> None:
    shares = monitor.terms.shares
    assert shares[""] == 0.5
    assert sum(shares.values()) == pytest.approx(1)
    status = monitor.status()
    assert status.levels["changed"].log_limit == pytest.approx(np.log(1 / 0.025))
    assert status.segments["country = 'DE'"]["changed"].log_limit == pytest.approx(np.log(8 / 0.05))
    assert "harm" not in status.segments["country = 'IT'"]


def test_floor_of_a_segment_is_as_far_below_its_own_accuracy(monitor: Monitor) -> None:
    watch = monitor._segments["country = 'DE'"]
    assert watch.terms.floor is not None
    assert watch.terms.validated is not None
    assert watch.terms.validated - watch.terms.floor == pytest.approx(0.05, abs=1e-5)
