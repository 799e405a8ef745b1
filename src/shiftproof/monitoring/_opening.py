"""Create a monitor in a store, or open one: its settings and its baseline."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from shiftproof._version import __version__
from shiftproof.core import InputError, StoreError, fault, shown, unknown_name
from shiftproof.monitoring._baseline import Baseline
from shiftproof.monitoring._folder import read_fields, write_files
from shiftproof.monitoring._periods import independent_rows
from shiftproof.monitoring._result import MonitorTerms

if TYPE_CHECKING:
    from shiftproof.monitoring.store import MonitorRecord, Store

# How far accuracy may fall below the validated one by default.
_TOLERANCE = 0.05


def open_store(path: str | os.PathLike[str], *, create: bool) -> Store:
    """Open a store, or name the libraries that are needed for one."""
    try:
        from shiftproof.monitoring.store import Store
    except ModuleNotFoundError as error:
        if error.name not in ("sqlalchemy", "alembic"):
            raise
        needs = "a monitor needs SQLAlchemy and alembic; run pip install '.[monitor]' in a checkout of shiftproof"
        raise InputError(needs) from None
    return Store(path, create=create)


def find_or_create(store: Store, name: str, baseline: Baseline | None, given: Mapping[str, Any]) -> MonitorRecord:
    """Return the monitor of this name; create it from the baseline if there is none.

    Parameters
    ----------
    store : Store
        Where to look.
    name : str
        The name of the monitor.
    baseline : Baseline or None
        Without one, a monitor that does not exist is an error.
    given : mapping of str to value or None
        The settings "alpha", "floor" and "mode"; None for the usual ones.
    """
    from shiftproof.monitoring.store import create_monitor, find_monitor, monitor_names

    with store.reading() as connection:
        record, names = find_monitor(connection, name), monitor_names(connection)
    if record is not None:
        return record
    if baseline is None:
        raise unknown_name("name", "be a monitor of the store", name, names)
    chosen = {setting: value for setting, value in given.items() if value is not None}
    usual = {"alpha": 0.05, "mode": "ever", "floor": _floor(given["floor"], baseline)}
    settings = {**usual, **chosen, "shiftproof": __version__}
    files = write_files(baseline)
    with store.writing() as connection:
        # Another process may have been faster.
        earlier = find_monitor(connection, name)
        return earlier or create_monitor(connection, name, datetime.now(UTC), settings, files)


def check_settings(record: MonitorRecord, given: Mapping[str, Any]) -> None:
    """Refuse settings other than those that the monitor was created with."""
    for setting, value in given.items():
        created_with = record.settings[setting]
        if value not in (None, created_with):
            hint = f"the monitor {shown(record.name)} was created with it; give another name for a new one"
            raise fault(setting, f"be {shown(created_with)}", value, hint)


def stored_baseline(store: Store, record: MonitorRecord, given: Baseline | None) -> Baseline:
    """Read the baseline of a monitor; refuse another one that is given."""
    from shiftproof.monitoring.store import baseline_files

    with store.reading() as connection:
        files = baseline_files(connection, record.key, store.place)
    # None of the files is written to the disk: anybody may have made the store.
    try:
        baseline = Baseline(**read_fields(files, "the baseline in this store"))
    except InputError as error:
        raise StoreError(store.place, error.clause) from None
    if given is not None and not baseline.same_as(given):
        raise InputError(
            f"the monitor {shown(record.name)} in {store.place} has another baseline; give another name for a new "
            "monitor, or leave the baseline out"
        )
    return baseline


def terms_of(record: MonitorRecord, baseline: Baseline) -> MonitorTerms:
    """Return what a monitor watches for."""
    return MonitorTerms(
        name=record.name,
        alpha=record.settings["alpha"],
        mode=record.settings["mode"],
        floor=record.settings["floor"],
        validated=baseline.validated,
        majority=baseline.majority,
        bias=baseline.bias_sd,
        independent_rows=independent_rows(baseline.design_effect, baseline.mean_period),
    )


def _floor(floor: float | None, baseline: Baseline) -> float | None:
    """Return the accuracy below which there is harm; None if accuracy cannot be estimated."""
    if baseline.validated is not None:
        return max(round(baseline.validated - _TOLERANCE, 6), 0.0) if floor is None else floor
    if floor is not None:
        raise fault("floor", "be left out", floor, "without scores and labels in the baseline harm cannot be watched")
    return None
