"""Create a monitor in a store, or open one: its settings and its baseline."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from shiftproof._version import __version__
from shiftproof.core import (
    Argument,
    InputError,
    StoreError,
    check_choice,
    check_count,
    check_flag,
    check_fraction,
    shown,
    unknown_name,
)
from shiftproof.monitoring._baseline import Baseline
from shiftproof.monitoring._folder import read_fields, write_files
from shiftproof.monitoring._periods import independent_rows
from shiftproof.monitoring._result import MonitorTerms
from shiftproof.monitoring.alarms import RUN_LENGTH

if TYPE_CHECKING:
    from shiftproof.monitoring.store import MonitorRecord, Store

# How far accuracy may fall below the validated one by default.
_TOLERANCE = 0.05
# Alarms that are false more often say nothing.
_SHORTEST_RUN = 10
# Raised when settings, facts of batches or states of alarms change so that earlier ones cannot be read. From the first
# release on, a revision of the store then rewrites them.
_LAYOUT = 1
_EARLIER = (
    "made by a version of shiftproof from before the first release, which stores different figures; create a new "
    "monitor in a new store"
)


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
        The settings, as in `check_given`; None for the usual ones.
    """
    from shiftproof.monitoring.store import create_monitor, find_monitor, monitor_names

    with store.reading() as connection:
        record, names = find_monitor(connection, name), monitor_names(connection)
    if record is not None:
        if record.settings.get("layout") != _LAYOUT:
            raise StoreError(store.place, f"the monitor {shown(name)} was {_EARLIER}")
        return record
    if baseline is None:
        raise unknown_name("name", "be a monitor of the store", name, names)
    chosen = {setting: value for setting, value in given.items() if value is not None}
    usual = {"alpha": 0.05, "mode": "ever", "run_length": RUN_LENGTH, "lifetime": False}
    usual["floor"] = _floor(given["floor"], baseline)
    if given["run_length"] is not None:
        usual["mode"] = "run length"
    settings = {**usual, **chosen, "layout": _LAYOUT, "shiftproof": __version__}
    files = write_files(baseline)
    with store.writing() as connection:
        # Another process may have been faster.
        earlier = find_monitor(connection, name)
        return earlier or create_monitor(connection, name, datetime.now(UTC), settings, files)


def check_given(given: Mapping[str, Any]) -> None:
    """Refuse settings that make no sense: "alpha", "floor", "mode", "run_length" and "lifetime"; None is left out."""
    if given["alpha"] is not None:
        check_fraction(given["alpha"], "alpha")
    if given["floor"] is not None:
        check_fraction(given["floor"], "floor", hint="0.8 means 80%")
    if given["mode"] is not None:
        check_choice(given["mode"], "mode", ("ever", "run length"))
    if given["run_length"] is not None:
        check_count(given["run_length"], "run_length", least=_SHORTEST_RUN)
        if given["mode"] == "ever":
            both = Argument("run_length"), " cannot be used with ", Argument("mode", "ever")
            raise InputError(*both, "; pass ", Argument("mode", "run length"))
    if given["lifetime"] is not None and check_flag(given["lifetime"], "lifetime") and given["mode"] == "run length":
        both = Argument("lifetime"), " cannot be used with ", Argument("mode", "run length")
        raise InputError(*both, "; that mode has no alpha to share")


def check_settings(record: MonitorRecord, given: Mapping[str, Any]) -> None:
    """Refuse settings other than those that the monitor was created with."""
    for setting, value in given.items():
        present = record.settings[setting]
        if value in (None, present):
            continue
        # A default counts as set too: only a monitor that cannot estimate accuracy has no floor.
        if present is None or present is False:
            words = " was created without ", Argument(setting), ", which cannot be added later"
        else:
            words = " has ", Argument(setting, present), f", which cannot be changed to {shown(value)}"
        hint = "; to create another monitor, pass another ", Argument("name")
        raise InputError(f"the monitor {shown(record.name)}", *words, *hint)


def stored_baseline(store: Store, record: MonitorRecord, given: Baseline | None) -> Baseline:
    """Read the baseline of a monitor; refuse another one that is given."""
    from shiftproof.monitoring.store import baseline_files

    with store.reading() as connection:
        files = baseline_files(connection, record.key, store.place)
    # None of the files is written to the disk: anybody may have made the store.
    try:
        baseline = Baseline.from_fields(read_fields(files, "the baseline in this store"))
    except InputError as error:
        raise StoreError(store.place, error.clause) from None
    if given is not None and not baseline.same_as(given):
        raise InputError(
            f"the monitor {shown(record.name)} in {store.place} already exists with a different baseline; to "
            "create a second monitor, pass another ",
            Argument("name"),
            "; to use the existing one, ",
            Argument("monitor add", instead="leave out the baseline"),
        )
    return baseline


def terms_of(record: MonitorRecord, baseline: Baseline) -> MonitorTerms:
    """Return what a monitor watches for."""
    return MonitorTerms(
        name=record.name,
        alpha=record.settings["alpha"],
        mode=record.settings["mode"],
        run_length=record.settings["run_length"],
        lifetime=record.settings["lifetime"],
        shares={"": 1.0} if baseline.by is None else baseline.by.shares,
        floor=record.settings["floor"],
        validated=baseline.validated,
        majority=baseline.majority,
        class_shares=baseline.class_shares,
        bias=baseline.bias_sd,
        independent_rows=independent_rows(baseline.design_effect, baseline.mean_period),
    )


def _floor(floor: float | None, baseline: Baseline) -> float | None:
    """Return the accuracy below which there is harm; None if accuracy cannot be estimated."""
    if baseline.validated is not None:
        return max(round(baseline.validated - _TOLERANCE, 6), 0.0) if floor is None else floor
    if floor is not None:
        raise InputError(Argument("floor"), " needs labels and scores in the baseline; add them, or leave it out")
    return None
