"""The monitors of a store, and the files of the baseline that each compares with."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from shiftproof.core import StoreError
from shiftproof.monitoring.store import _schema as schema
from shiftproof.monitoring.store._log import checksum
from shiftproof.monitoring.store._records import MonitorRecord, from_micros, to_micros


def monitor_names(connection: Connection) -> list[str]:
    """Return the names of the monitors, in the order in which they were created."""
    return [*connection.scalars(select(schema.monitors.c.name).order_by(schema.monitors.c.id))]


def find_monitor(connection: Connection, name: str) -> MonitorRecord | None:
    """Return the monitor of this name; None if there is none."""
    row = connection.execute(select(schema.monitors).where(schema.monitors.c.name == name)).one_or_none()
    if row is None:
        return None
    return MonitorRecord(key=row.id, name=row.name, created=from_micros(row.created), settings=row.settings)


def create_monitor(
    connection: Connection, name: str, created: datetime, settings: Mapping[str, Any], files: Mapping[str, bytes]
) -> MonitorRecord:
    """Write a new monitor with the files of its baseline."""
    row = {"name": name, "created": to_micros(created), "settings": dict(settings)}
    key = connection.execute(insert(schema.monitors).returning(schema.monitors.c.id), row).scalar_one()
    connection.execute(
        insert(schema.baseline_files),
        [
            {"monitor_id": key, "name": file, "content": content, "checksum": checksum(content)}
            for file, content in files.items()
        ],
    )
    return MonitorRecord(key=key, name=name, created=created, settings=dict(settings))


def baseline_files(connection: Connection, key: int, place: str) -> dict[str, bytes]:
    """Return the files of a monitor's baseline; refuse those that are not what was written."""
    table = schema.baseline_files
    rows = connection.execute(select(table).where(table.c.monitor_id == key).order_by(table.c.name)).all()
    damaged = [row.name for row in rows if checksum(row.content) != row.checksum]
    if damaged or not rows:
        raise StoreError(place, "the baseline in this store is damaged (wrong checksum); restore it from a copy")
    return {row.name: bytes(row.content) for row in rows}
