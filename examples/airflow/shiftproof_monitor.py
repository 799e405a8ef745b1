"""Add each night's batch to a monitor: a DAG for Airflow 3, to be copied into the folder of DAGs.

The commands run in shiftproof's own environment, because Airflow pins the versions of many libraries. `SHIFTPROOF`
names the program, `SHIFTPROOF_STORE` the store, `SHIFTPROOF_INCOMING` the folder with a file for each day, such as
``2024-03-31.csv``. Variables with secrets of the channels must be set for the workers.

A task that is cleared and runs again changes nothing, because a batch counts once.
"""

from __future__ import annotations

import os
import shlex

import pendulum
from airflow.sdk import dag, task

PROGRAM = shlex.quote(os.environ.get("SHIFTPROOF", "shiftproof"))
STORE = shlex.quote(os.environ.get("SHIFTPROOF_STORE", "/var/lib/shiftproof/calls.db"))
INCOMING = shlex.quote(os.environ.get("SHIFTPROOF_INCOMING", "/var/lib/shiftproof/incoming"))


@dag(schedule="15 6 * * *", start_date=pendulum.datetime(2024, 1, 1, tz="UTC"), catchup=False, tags=["monitoring"])
def shiftproof_monitor() -> None:
    """Add the batch of a day, then send alerts that wait."""

    # Incidents are reported by alerts, so that the task fails only if the batch cannot be added.
    @task.bash(retries=3, append_env=True)
    def add_batch() -> str:
        day = "{{ ds }}"
        return f"{PROGRAM} monitor add {STORE} {INCOMING}/{day}.csv --id {day} --at {day} --fail-on none"

    # Exit status 1 while alerts wait: Airflow then tries again.
    @task.bash(retries=12, retry_delay=pendulum.duration(minutes=5), append_env=True)
    def deliver_alerts() -> str:
        return f"{PROGRAM} monitor deliver {STORE}"

    add_batch() >> deliver_alerts()


shiftproof_monitor()
