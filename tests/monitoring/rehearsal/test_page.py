from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from shiftproof.monitoring import MonitorRehearsal
from shiftproof.monitoring.rehearsal._replay import PastAlarm


def test_page_has_delays_sizes_and_alarms(rehearsal: MonitorRehearsal) -> None:
    loud = replace(rehearsal, alarms=(PastAlarm(level="changed", batch="week 1", columns=("age",)),))
    page = loud.to_page()
    assert page.title == "Rehearsal of monitor 'default'"
    titles = [section.title for section in page.sections]
    assert titles == ["A drop in accuracy", "A shift in one column", "Batches of other sizes", "Alarms in the past"]
    assert page.verdict == loud.headline


def test_saved_page_hides_names_of_batches_if_redacted(rehearsal: MonitorRehearsal, tmp_path: Path) -> None:
    loud = replace(rehearsal, alarms=(PastAlarm(level="material", batch="secret-week"),))
    assert "secret-week" in loud.save(tmp_path / "open.html").read_text(encoding="utf-8")
    assert "secret-week" not in loud.save(tmp_path / "closed.html", redact=True).read_text(encoding="utf-8")
