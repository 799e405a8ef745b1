"""Add each night's batch to a monitor: two flows for Prefect 3.

``python shiftproof_monitor.py`` serves them. `SHIFTPROOF_STORE` names the store, `SHIFTPROOF_INCOMING` the folder
with a file for each day, such as ``2024-03-31.csv``. Variables with secrets of the channels must be set there, too.
"""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import shiftproof as sp
from prefect import flow, get_run_logger, serve, task

STORE = os.environ.get("SHIFTPROOF_STORE", "calls.db")
INCOMING = Path(os.environ.get("SHIFTPROOF_INCOMING", "incoming"))


@task(retries=3, retry_delay_seconds=60)
def add_batch(day: str) -> str:
    """Add the batch of a day; one that was added before changes nothing."""
    return sp.Monitor(STORE).add(INCOMING / f"{day}.csv", at=day, id=day).summary()


@flow
def nightly(day: str | None = None) -> str:
    """Add the batch of a day, by default of yesterday; incidents are reported by alerts."""
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
    summary = add_batch(day or yesterday)
    get_run_logger().info(summary)
    return summary


@flow
def deliver_alerts() -> int:
    """Send the alerts that could not be delivered at once; return how many wait."""
    alerts = sp.Monitor(STORE).alerts
    get_run_logger().info(f"{alerts.deliver()} delivered")
    return len(alerts.waiting)


if __name__ == "__main__":
    serve(
        nightly.to_deployment("nightly", cron="15 6 * * *"),
        deliver_alerts.to_deployment("deliver-alerts", cron="*/5 * * * *"),
    )
