"""Add each day's batch to a monitor: an asset for Dagster, with a check that fails while an incident is open.

``dagster dev -f shiftproof_monitor.py``. `SHIFTPROOF_STORE` names the store, `SHIFTPROOF_INCOMING` the folder with a
file for each day, such as ``2024-03-31.csv``. Variables with secrets of the channels must be set where runs start.
"""

import os
from pathlib import Path

import dagster as dg
import shiftproof as sp

STORE = os.environ.get("SHIFTPROOF_STORE", "calls.db")
INCOMING = Path(os.environ.get("SHIFTPROOF_INCOMING", "incoming"))
DAYS = dg.DailyPartitionsDefinition(start_date="2024-01-01")


@dg.asset(partitions_def=DAYS, retry_policy=dg.RetryPolicy(max_retries=3, delay=60))
def monitored_batch(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    """Compare the batch of a day with the reference; a day that runs again changes nothing."""
    day = context.partition_key
    update = sp.Monitor(STORE).add(INCOMING / f"{day}.csv", at=day, id=day)
    metadata = {"answer": update.headline, "rows": update.n_rows, "details": dg.MetadataValue.md(update.summary())}
    if update.accuracy is not None:
        metadata["estimated accuracy"] = update.accuracy.estimate
    return dg.MaterializeResult(metadata=metadata)


@dg.asset_check(asset=monitored_batch)
def no_open_incident() -> dg.AssetCheckResult:
    """After *material* and *harm* somebody should look."""
    status = sp.Monitor(STORE).status()
    urgent = [incident.number for incident in status.open_incidents if incident.level != "changed"]
    return dg.AssetCheckResult(
        passed=not urgent,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"incidents": str(urgent), "answer": status.headline},
    )


@dg.op
def deliver_waiting_alerts(context: dg.OpExecutionContext) -> None:
    """Send the alerts that could not be delivered at once."""
    alerts = sp.Monitor(STORE).alerts
    context.log.info(f"{alerts.deliver()} delivered, {len(alerts.waiting)} wait")


@dg.job
def deliver_alerts() -> None:
    """Run every five minutes."""
    deliver_waiting_alerts()


daily = dg.build_schedule_from_partitioned_job(
    dg.define_asset_job("add_batch", selection=[monitored_batch]), hour_of_day=6, minute_of_hour=15
)
often = dg.ScheduleDefinition(job=deliver_alerts, cron_schedule="*/5 * * * *")
defs = dg.Definitions(
    assets=[monitored_batch], asset_checks=[no_open_incident], jobs=[deliver_alerts], schedules=[daily, often]
)
