from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select, text, update
from tests._stores import Place
from tests.monitoring.conftest import Table

from shiftproof.core import InputError, ScoresReversed, StoreError
from shiftproof.monitoring import Baseline, Monitor
from shiftproof.monitoring.store._schema import monitors


def test_usual_settings_are_refused_if_the_monitor_has_others(store: Place, baseline: Baseline) -> None:
    Monitor(store, baseline, name="other", alpha=0.2, mode="run length")
    for settings, rule in (
        ({"alpha": 0.05}, "the monitor 'other' has alpha=0.2, which cannot be changed to 0.05;"),
        ({"mode": "ever"}, "has mode='run length', which cannot be changed to 'ever'"),
    ):
        with pytest.raises(InputError, match=rule):
            Monitor(store, name="other", **settings)


def test_usual_floor_is_not_below_0(table: Table, tmp_path: Path) -> None:
    wrong_way = {**table, "p_yes": table["p"], "p_no": 1 - table["p"], "y": np.where(table["p"] > 0.5, "no", "yes")}
    with pytest.warns(ScoresReversed):
        wrong = Baseline.of(wrong_way, scores=["p_no", "p_yes"], labels="y")
    assert wrong.validated == 0.0
    assert Monitor(tmp_path / "wrong.db", wrong).terms.floor == 0.0


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"alpha": 0.01},
            "the monitor 'default' has alpha=0.05, which cannot be changed to 0.01; to create another monitor, pass "
            "another name.",
        ),
        (
            {"mode": "run length"},
            "the monitor 'default' has mode='ever', which cannot be changed to 'run length'; to create another "
            "monitor, pass another name.",
        ),
        (
            {"lifetime": True},
            "the monitor 'default' was created without lifetime, which cannot be added later; to create another "
            "monitor, pass another name.",
        ),
        ({"alpha": 2}, "alpha must be a number strictly between 0 and 1, got 2; 0.05 means 5%."),
        ({"run_length": 5}, "run_length must be a whole number of at least 10; got 5."),
        (
            {"run_length": 500, "mode": "ever"},
            "run_length cannot be used with mode='ever'; pass mode='run length'.",
        ),
        ({"lifetime": "yes"}, "lifetime must be True or False, got 'yes'; write lifetime=True or lifetime=False."),
        (
            {"lifetime": True, "mode": "run length"},
            "lifetime cannot be used with mode='run length'; that mode has no alpha to share.",
        ),
        ({"mode": "evver"}, "mode must be one of 'ever', 'run length'; got 'evver'. Did you mean 'ever'?"),
        ({"name": ""}, "name must be a text, got ''; leave it out if the store has only one monitor."),
        ({"name": "x" * 100_000}, "name must have at most 255 characters, got 100,000; choose a shorter name."),
        (
            {"name": "postgresql://me:S3cretPw@h.example/monitors"},
            "name must not be a URL or contain a password, got 'postgresql://me@h.example/monitors'; choose a name "
            "that everybody may read.",
        ),
        (
            {"name": "Server=h;Pwd=S3cretPw"},
            "name must not be a URL or contain a password, got 'Server=h'; choose a name that everybody may read.",
        ),
        ({"floor": 80}, "floor must be a number strictly between 0 and 1, got 80; 0.8 means 80%."),
        ({"baseline": {"a": [1]}}, "baseline must be a Baseline, got {'a': [1]}; make one with Baseline.of."),
    ],
)
def test_other_settings_are_refused(store: Place, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        Monitor(store, **settings)
    assert str(caught.value) == sentence


def test_a_floor_cannot_be_added_to_a_monitor_without_one(tmp_path: Path, table: Table) -> None:
    Monitor(tmp_path / "plain.db", Baseline.of({"age": table["age"]}))
    with pytest.raises(InputError) as caught:
        Monitor(tmp_path / "plain.db", floor=0.9)
    assert str(caught.value) == (
        "the monitor 'default' was created without floor, which cannot be added later; to create another monitor, "
        "pass another name."
    )


def test_another_baseline_is_refused_and_the_same_one_opens(store: Place, table: Table, baseline: Baseline) -> None:
    Monitor(store, baseline)
    other = Baseline.of(table, scores="p", labels="y", random_state=1)
    with pytest.raises(InputError) as caught:
        Monitor(store, other)
    assert str(caught.value) == (
        f"the monitor 'default' in {store} already exists with a different baseline; to create a second monitor, pass "
        "another name; to use the existing one, leave out the baseline."
    )


def test_damaged_baseline_in_the_store_is_refused(store: Place, monitor: Monitor) -> None:
    with monitor._store.writing() as connection:
        connection.execute(text("UPDATE baseline_files SET content = :content"), {"content": b"0"})
    with pytest.raises(
        StoreError, match=r"the baseline in this store is damaged \(wrong checksum\); restore it from a copy"
    ):
        Monitor(store)


def test_opening_a_store_writes_no_file_that_it_names(store: Place, monitor: Monitor, tmp_path: Path) -> None:
    with monitor._store.writing() as connection:
        copy = "INSERT INTO baseline_files SELECT monitor_id, :name, content, checksum FROM baseline_files LIMIT 1"
        connection.execute(text(copy), {"name": f"{tmp_path}/planted"})
    Monitor(store)
    assert not (tmp_path / "planted").exists()


def test_store_without_a_file_of_the_baseline_is_refused(store: Place, monitor: Monitor) -> None:
    with monitor._store.writing() as connection:
        connection.exec_driver_sql("DELETE FROM baseline_files WHERE name = 'edges.parquet'")
    with pytest.raises(StoreError) as caught:
        Monitor(store)
    assert (
        str(caught.value) == f"{store}: the baseline in this store: edges.parquet is missing; restore it from a copy."
    )


@pytest.mark.parametrize("layout", [None, 0])
def test_monitor_of_another_layout_is_refused(store: Place, monitor: Monitor, layout: int | None) -> None:
    with monitor._store.writing() as connection:
        settings = connection.scalar(select(monitors.c.settings)) or {}
        connection.execute(update(monitors).values(settings=settings | {"layout": layout}))
    with pytest.raises(StoreError) as caught:
        Monitor(store)
    assert str(caught.value) == (
        f"{store}: the monitor 'default' was made by a version of shiftproof from before the first release, which "
        "stores different figures; create a new monitor in a new store."
    )


def test_what_a_monitor_keeps_is_of_this_layout(monitor: Monitor, table: Table) -> None:
    # Raise _LAYOUT when one of these changes: earlier stores must be refused, not misread.
    monitor.add(table)
    with monitor._store.log(monitor._key) as log:
        facts, arrays = log.recent(1)[0].facts, monitor._state(log).arrays
    kept = ["blamed", "log_limits", "n_learnt", "newly_blamed", "notes", "segments", "shift_kind", "shift_reasons"]
    assert sorted(facts) == kept
    counted = ["before", "bias", "expected", "label steps", "levels", "moved", "pool", "seen"]
    evidence = ["acknowledged", "changed", "harm", "harm corrected", "harm labelled", "material"]
    assert sorted(arrays) == sorted(counted + evidence)


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch, store: Place) -> None:
    for name in [name for name in sys.modules if name.startswith(("sqlalchemy", "shiftproof.monitoring.store"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(InputError) as caught:
        Monitor(store)
    assert str(caught.value) == (
        "a monitor needs SQLAlchemy and alembic; run pip install '.[monitor]' in a checkout of shiftproof."
    )
