from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from shiftproof import InputError
from shiftproof.monitoring import Baseline, Monitor

COUNTRIES = {"DE": 0.5, "FR": 0.3, "IT": 0.12, "LU": 0.05, "MT": 0.03}


def rows(n: int, *, seed: int = 0, shifted: str = "", shift: float = 8.0) -> pd.DataFrame:
    """Make rows of five countries, of which one may be shifted."""
    # Not the numbers that draw part A.
    rng = np.random.default_rng(1000 + seed)
    country = rng.choice([*COUNTRIES], n, p=[*COUNTRIES.values()])
    age = rng.normal(40, 10, n) + 10 * (country == "DE") + shift * (country == shifted)
    p = 1 / (1 + np.exp((45 - age) / 5))
    return pd.DataFrame({"country": country, "age": age, "p": p, "y": rng.random(n) < p})


def batch(n: int = 600, **how: Any) -> pd.DataFrame:
    return rows(n, **how).drop(columns="y")


@pytest.fixture(scope="module")
def segmented() -> Baseline:
    return Baseline.of(rows(4000), scores="p", labels="y", by="country")


@pytest.fixture
def monitor(segmented: Baseline, tmp_path: Path) -> Monitor:
    return Monitor(tmp_path / "monitor.db", segmented)


def test_every_value_with_enough_rows_is_a_segment_and_the_others_are_one(segmented: Baseline) -> None:
    names = ["country = 'DE'", "country = 'FR'", "country = 'IT'", "country: other values"]
    assert [*segmented.segments] == names
    assert sum(one.n_rows for one in segmented.segments.values()) == 4000
    assert "country" in segmented.columns
    assert [*segmented.segments["country = 'DE'"].columns] == ["p", "age"]
    assert segmented.segments["country = 'IT'"].validated is None
    assert "2 values (" in segmented.summary()
    assert "Watched on their own: country = 'DE', country = 'FR'" in segmented.summary()


def test_rows_of_a_batch_are_compared_with_their_segment(segmented: Baseline) -> None:
    summary = segmented.summarise(batch(shifted="FR"))
    distances = {name: one.columns["age"].distance for name, one in summary.segments.items()}
    assert distances["country = 'FR'"] > 0.25
    assert max(distance for name, distance in distances.items() if "FR" not in name) < 0.2
    assert sum(one.n_rows for one in summary.segments.values()) == 600
    assert summary.columns["age"].distance < 0.2


def test_new_values_are_named_and_belong_to_no_segment(segmented: Baseline) -> None:
    table = batch()
    table.loc[:9, "country"] = "XX"
    table.loc[10:14, "country"] = None
    summary = segmented.summarise(table)
    assert sum(one.n_rows for one in summary.segments.values()) == 590
    assert "'country' has values that the reference never had: 'XX' (10 rows); watched among all rows only." in (
        summary.summary()
    )
    redacted = Baseline.of(rows(4000), scores="p", labels="y", by="country", redact=True)
    assert "'XX'" not in redacted.summarise(table).summary()
    assert all("hidden" in name for name in [*redacted.segments][:3])


def test_segments_come_back_from_a_folder(segmented: Baseline, tmp_path: Path) -> None:
    again = Baseline.load(segmented.save(tmp_path / "baseline"))
    assert again.same_as(segmented)
    assert again.summarise(batch()).to_dict() == segmented.summarise(batch()).to_dict()
    again.save(tmp_path / "baseline")
    with pytest.raises(InputError, match="baselines with segments cannot be added"):
        segmented + segmented
    (tmp_path / "baseline" / "segments" / "0" / "counts.parquet").write_bytes(b"broken")
    with pytest.raises(InputError, match=r"segments/0/counts\.parquet is damaged"):
        Baseline.load(tmp_path / "baseline")


@pytest.mark.parametrize(
    ("change", "how", "message"),
    [
        ({}, {"by": "land"}, "by must name a column of the reference, got 'land'; available: 'country', 'age'."),
        ({}, {"by": "age"}, "by must name a column of categories, got numbers with decimals in 'age'; cut them into"),
        (
            {"country": pd.Timestamp("2024-01-01")},
            {},
            "by must name a column of categories; got dates in 'country'.",
        ),
        (
            {"country": "DE"},
            {},
            "by must make at least two segments of 200 reference rows, got 1 segment in 'country'; take a larger "
            "reference, or leave by out.",
        ),
        (
            {"country": [f"id {number}" for number in range(12_000)]},
            {},
            "by must name a column of at most 10,000 values, got 12,000 in 'country'; join values to groups first.",
        ),
    ],
)
def test_columns_that_make_no_segments_are_refused(change: Any, how: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Baseline.of(
            rows(12_000).drop(columns=["p", "y"]).assign(**change),
            **({"by": "country", "kinds": {"country": "nominal"}} | how),
        )
    assert str(caught.value).startswith(message)


def test_thousands_of_values_are_twenty_segments_and_the_rest() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"shop": rng.zipf(1.3, 40_000) % 3000, "age": rng.normal(size=40_000)})
    baseline = Baseline.of(table, by="shop")
    assert len(baseline.segments) <= 21
    names = [*baseline.segments]
    assert (names[0], names[-1]) == ("shop = 1", "shop: other values")


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
