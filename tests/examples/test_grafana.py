"""The views for Grafana show what the monitor says."""

from __future__ import annotations

import warnings
from pathlib import Path

import pandas as pd
import pytest
from sqlalchemy import text
from tests._stores import Place, Stores
from tests.monitoring.conftest import make_batch, make_table

from shiftproof.alerts import Webhook
from shiftproof.core import AlertsWaiting
from shiftproof.monitoring import Baseline, Monitor

_SQL = (Path(__file__).resolve().parents[2] / "examples" / "grafana" / "views.sql").read_text()
# One statement each, which is all that a driver may accept at once.
VIEWS = [statement for statement in _SQL.split(";\n") if statement.strip()]


@pytest.fixture(scope="module")
def store(stores: Stores) -> Place:
    """Return a store with an incident that recovered, one that was acknowledged, and an alert that waits."""
    place = stores.new()
    monitor = Monitor(place, Baseline.of(make_table(400), scores="p", labels="y"))
    monitor.alerts.add(Webhook(url_env="SHIFTPROOF_NOWHERE"), events=["opened"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlertsWaiting)
        for day in range(8):
            batch = make_batch(200, shift=15.0 if 2 <= day < 4 else 0.0, seed=day)
            monitor.add(batch, at=f"2024-03-{day + 1:02d}", id=f"day {day}")
        monitor.acknowledge(1, "a campaign")
    # Twice, as after an update.
    for _ in range(2):
        with monitor._store.writing() as connection:
            for statement in VIEWS:
                connection.exec_driver_sql(statement)
    return place


@pytest.fixture
def monitor(store: Place) -> Monitor:
    return Monitor(store)


def frame(monitor: Monitor, view: str) -> pd.DataFrame:
    with monitor._store.reading() as connection:
        return pd.read_sql_query(text(f"SELECT * FROM {view}"), connection)  # noqa: S608 - our own names


@pytest.mark.parametrize(
    ("view", "quantity", "subject"),
    [
        ("monitor_accuracy", "accuracy", None),
        ("monitor_shares", "share", "label"),
        ("monitor_evidence", "evidence", "level"),
    ],
)
def test_figures_are_those_of_the_history(monitor: Monitor, view: str, quantity: str, subject: str | None) -> None:
    shown = frame(monitor, view)
    history = monitor.history()
    history = history[history["quantity"] == quantity].drop(columns="level")
    keys = ["batch"] if subject is None else ["batch", subject]
    expected = history.rename(columns={"subject": subject or "none"}).set_index(keys)
    value = "log_evidence" if quantity == "evidence" else "estimate"
    shown = shown.set_index(keys).loc[expected.index]
    assert len(shown) == len(expected)
    assert shown[value].tolist() == pytest.approx(expected["estimate"].tolist())
    assert (pd.to_datetime(shown["time"], unit="s", utc=True) == expected["at"]).all()
    assert {*shown["monitor"]} == {"default"}


def test_accuracy_stands_beside_the_floor(monitor: Monitor) -> None:
    assert {*frame(monitor, "monitor_accuracy")["floor"]} == {monitor.terms.floor}


def test_columns_are_those_of_the_history(monitor: Monitor) -> None:
    shown, history = frame(monitor, "monitor_columns"), monitor.history(columns=True)
    merged = shown.merge(history, on=["batch", "name"])
    assert len(merged) == len(shown) == len(history)
    assert merged["distance_x"].tolist() == pytest.approx(merged["distance_y"].tolist())


def test_incidents_and_alerts_have_their_state(monitor: Monitor) -> None:
    incidents = frame(monitor, "monitor_incidents").set_index("incident")
    assert incidents["state"].to_dict() == {1: "acknowledged", 2: "recovered"}
    moments = pd.to_datetime(incidents["began"], unit="s")
    assert {*moments.dt.strftime("%Y-%m-%d")} == {"2024-03-03"}
    assert incidents.loc[1, "reason"] == "a campaign"
    alerts = frame(monitor, "monitor_alerts")
    assert alerts[["channel", "incident", "event"]].to_numpy().tolist() == [["webhook", 2, "opened"]]
    assert alerts["delivered"].isna().all()


def test_monitor_works_beside_the_views(store: Place, stores: Stores) -> None:
    monitor = Monitor(stores.copy(store))
    with pytest.warns(AlertsWaiting):
        monitor.add(make_batch(200, seed=20), id="day 20")
    assert (monitor.status().n_batches, len(frame(monitor, "monitor_accuracy"))) == (9, 9)
