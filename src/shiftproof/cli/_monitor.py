"""`shiftproof monitor`: one command each to create a monitor, add batches, look, label, acknowledge and export."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from shiftproof._version import __version__
from shiftproof.cli._cut import check_columns
from shiftproof.cli._elsewhere import read_one
from shiftproof.cli._incoming import Incoming, IncomingFile
from shiftproof.cli._job import Job, MonitorJob
from shiftproof.cli._monitor_labels import FailOn, label, plan
from shiftproof.cli._reference import ReferenceFile
from shiftproof.cli._rehearse import rehearse
from shiftproof.cli._terminal import consoles, show_note
from shiftproof.core import FileError, InputError, Phrase, StoreError, counted, fault, shown, tame

if TYPE_CHECKING:
    from shiftproof.core import Table
    from shiftproof.monitoring import Incident, Monitor, NextStep, Update

Mode = Literal["ever", "run length"]
_BY_NAME = "the time of a batch is the date in its file name; to use another time, pass --at or --time."
_BY_ARRIVAL = (
    "files without a date in their name get the time they were added; use --time COL to take it from a column."
)
# These levels need attention, unless the user says otherwise.
_URGENT: tuple[FailOn, ...] = ("harm", "material")


def init(
    *,
    store: str,
    file: ReferenceFile,
    floor: float | None = None,
    alpha: float | None = None,
    mode: Mode | None = None,
    run_length: int | None = None,
    lifetime: bool = False,
    name: str = "default",
    job: MonitorJob,
) -> int:
    """Create a monitor from the data that the model was validated on, and set when it raises an alarm.

    STORE is a single file or a PostgreSQL database. It holds counts of these
    data (the baseline), never their rows. The model itself is not stored,
    because every batch comes with its scores.

    [dim]shiftproof monitor init calls.db --reference validation.csv[/dim]
    [dim]  --score-column p --target subscribed --floor 0.8[/dim]

    Then add batches, every night or whenever they arrive:

    [dim]shiftproof monitor add calls.db today.csv --id "$(date -I)"[/dim]

    Parameters
    ----------
    store : STORE
        The file to create, on a local disk, or postgresql://user@host/database. A store can hold several monitors.
    floor : P
        The lowest acceptable accuracy; anything lower counts as harm. Default: 5 points below the validated accuracy.
    alpha : P
        The probability of ever raising a false alarm, however many batches you add. Default: 0.05.
    mode : ever|run length
        How false alarms are limited. ever: the probability of any false alarm is at most alpha, however many batches
        you add. run length: alarms are raised sooner, but expect about one false alarm every --run-length batches.
        Default: ever.
    run_length : N
        The average number of batches between false alarms; implies --mode "run length". Default: 1,000.
    lifetime
        Apply alpha to the whole life of the monitor. By default, alpha applies again after each acknowledged incident.
    name : MONITOR
        A name for the monitor, needed if the store has several.
    """
    from shiftproof.cli._show_monitor import show_created
    from shiftproof.monitoring import Monitor

    with job.listening():
        monitor = Monitor(
            store,
            file.baseline(job),
            name=name,
            alpha=alpha,
            floor=floor,
            mode=mode,
            run_length=run_length,
            lifetime=lifetime or None,
        )
    named = "" if name == "default" else f" --name {shlex.quote(name)}"
    job.next_step(f"shiftproof monitor add {shlex.quote(monitor.store)} FILE{named}")
    return job.end(monitor.status(), partial(show_created, baseline=monitor.baseline))


@dataclass(frozen=True)
class Added:
    """The updates of the batches that a command added.

    Parameters
    ----------
    monitor : Monitor
        That they were added to.
    updates : sequence of Update
        One per batch.
    """

    monitor: Monitor
    updates: Sequence[Update]

    def save(self, path: Path, /, *, redact: bool) -> object:
        """Write the page of the monitor."""
        return self.monitor.status().save(path, redact=redact)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        status = self.monitor.status()
        return {
            "shiftproof": __version__,
            "summary": status.summary(),
            "updates": [update.to_dict() for update in self.updates],
            "open_incidents": [one for one in status.to_dict()["incidents"] if one["open"]],
        }


def add(
    *,
    store: str,
    files: list[Path],
    at: str | None = None,
    id: str | None = None,  # noqa: A002 - the option is called so
    time: str | None = None,
    replace_time: bool = False,
    missing: list[str] | None = None,
    allow_copy: bool = False,
    allow_date: bool = False,
    name: str = "default",
    once: bool = False,
    poll: float = 10.0,
    job: MonitorJob,
    fail_on: list[FailOn] | None = None,
) -> int:
    """Add batches to a monitor and report what they show.

    A batch is a file or standard input (-); in a folder, every file is a batch.
    A folder is watched until you stop the command; with [bold]--once[/bold] it
    is read once. The time of a batch is the date in its file name, if there is
    one. Adding the same batch again changes nothing, so a job can safely be
    rerun. A file with the same name but different content is refused: give it
    another [bold]--id[/bold]. The rows of an earlier batch under a different
    name are refused too.

    [dim]shiftproof monitor add calls.db march.csv --at 2024-03-31[/dim]
    [dim]shiftproof monitor add calls.db incoming/ --time date --once[/dim]
    [dim]score | shiftproof monitor add calls.db - --id "$(date -I)"[/dim]

    In a nightly job, exit status 1 means that someone should look into it:

    [dim]shiftproof monitor add calls.db today.csv --id "$(date -I)" || mail me[/dim]

    Parameters
    ----------
    store : STORE
        The store created by monitor init.
    files : FILES
        Batches: CSV, CSV.gz or Parquet files, folders of such files, or - for standard input. A quoted pattern of
        Parquet files is one batch, and so is duckdb://FILE?table=NAME.
    at : TIME
        The time of the batch, such as 2024-03-01 or 2024-03-01T06:00+01:00. Only if you add a single batch. Default:
        the date in its file name, such as 2024-03.csv, or else now. Times without a time zone are UTC.
    id : TEXT
        A name for the batch. Only if you add a single batch. Default: its file name, or a hash of the content for
        standard input.
    time : COL
        A column of dates. The time of a batch is the latest date in this column.
    replace_time
        Correct the time of a batch that was added before. Charts use the new time; alarms do not change.
    allow_copy
        Accept rows that the monitor already has under a different batch name. By default, 50 or more such rows are
        refused, because the same file was probably delivered twice.
    allow_date
        Accept times before 1970 or more than a year from now. By default, they are refused.
    name : MONITOR
        The monitor to use, if the store has several.
    once
        Read folders once instead of watching them.
    poll : SECONDS
        Seconds between two checks of a folder.
    fail_on : WHAT
        Exit with status 1 if an incident of this level is open: harm, material or changed; or never (none). Separate
        several with commas. Default: harm,material.
    """
    from shiftproof.cli._show_monitor import show_added
    from shiftproof.monitoring import Monitor

    incoming = Incoming(files=files, once=once, poll=poll)
    _check_times(incoming, at=at, id=id, time=time)
    monitor = Monitor(store, name=name)

    for folder in incoming.bare:
        job.note_now(f"the folder {shown(str(folder))} has no CSV, CSV.gz, TSV or Parquet file yet.")
    explained: set[str] = set()

    def add_file(file: IncomingFile, job: Job) -> Update:
        with _of_file(file.path):
            rows = read_one(file.path, missing)
            moment = at or file.date if time is None else _latest(rows, time)
            named = id or file.name
            update = monitor.add(rows, at=moment, id=named, allow_copy=allow_copy, allow_date=allow_date)
        if file.stamp is not None:
            monitor.remember_file(update.id, file.stamp)
        words = _BY_NAME if file.date else _BY_ARRIVAL
        if at is None and time is None and (file.date or not incoming.single) and words not in explained:
            explained.add(words)
            job.note(words)
        return _with_time(monitor, update, moment, job, replace_time=replace_time)

    updates, n_failed = _add_all(incoming, monitor, job, add_file)
    _note_next(job, updates[-1].next_step if updates else None, monitor.store, name)
    # A file that could not be added matters more than an open incident, and the log names one status only.
    failed = "" if n_failed else open_failure(fail_on, monitor.incidents)
    code = job.end(Added(monitor, updates), show_added, failure=failed)
    if n_failed:
        n_files = counted(len(updates) + n_failed, "file")
        raise InputError(f"exit status 2 because {n_failed} of {n_files} could not be added")
    return code


def status(
    *,
    store: str,
    name: str = "default",
    job: MonitorJob,
    fail_on: list[FailOn] | None = None,
    everything: bool = False,
) -> int:
    """Show the current status: open incidents, when they began, which columns changed, and the latest estimates.

    [dim]shiftproof monitor status calls.db[/dim]
    [dim]shiftproof monitor status calls.db --out page.html --json -[/dim]

    Parameters
    ----------
    store : STORE
        The store.
    name : MONITOR
        The monitor to use, if the store has several.
    fail_on : WHAT
        Exit with status 1 if an incident of this level is open: harm, material or changed; or never (none). Separate
        several with commas. Default: harm,material.
    everything : --all
        Print all incidents and the last 256 batches. Default: the last 12 of each.
    """
    from shiftproof.cli._show_monitor import show_status
    from shiftproof.monitoring import Monitor

    result = Monitor(store, name=name).status()
    show = partial(show_status, everything=everything)
    _note_next(job, result.next_step, result.store, name)
    return job.end(result, show, failure=open_failure(fail_on, result.incidents))


def ack(*, store: str, incident: str, reason: str, accept: bool = False, name: str = "default", job: MonitorJob) -> int:
    """Acknowledge an incident: someone has looked into it, and its alarm restarts.

    If the data have recovered, later batches are no longer compared with the
    batches of the incident.

    [dim]shiftproof monitor ack calls.db 3 --reason "campaign until May"[/dim]

    Parameters
    ----------
    store : STORE
        The store.
    incident : INCIDENT
        The number of the incident, as shown by monitor status.
    reason : TEXT
        A note for colleagues on why the incident is closed.
    accept
        Count the data that arrive from now on as normal. Only for incidents of the level 'changed'; for 'material' or
        'harm', create a new monitor with a new baseline instead.
    name : MONITOR
        The monitor to use, if the store has several.
    """
    from shiftproof.cli._show_monitor import show_acknowledged
    from shiftproof.monitoring import Monitor

    if not incident.isdecimal():
        raise fault("INCIDENT", "be the number of an incident", incident, "monitor status lists them")
    monitor, number = Monitor(store, name=name), int(incident)
    level = next((one.level for one in monitor.incidents if one.number == number), "changed")
    if accept and level != "changed":
        raise InputError(
            f"--accept works only for incidents of level changed, but incident {number} is {level}; to accept it, "
            "create a new monitor with a new baseline"
        )
    monitor.acknowledge(number, reason, how="accept" if accept else None)
    return job.end(monitor.status(), partial(show_acknowledged, number=number, accepted=accept))


def export(*, store: str, folder: Path, name: str = "default", prune: str | None = None) -> int:
    """Export the history in the store to Parquet files, for your own charts and queries.

    figures.parquet has one row per batch and quantity, columns.parquet one per
    batch and column, and incidents.parquet one per incident.

    [dim]shiftproof monitor export calls.db history/[/dim]

    To keep a store small, delete old figures after the export:

    [dim]shiftproof monitor export calls.db history/ --prune 2024-01-01[/dim]

    Parameters
    ----------
    store : STORE
        The store.
    folder : FOLDER
        The folder to write to; it is created if needed.
    name : MONITOR
        The monitor to use, if the store has several.
    prune : DATE
        After exporting, delete the figures of batches before this date, except those that open incidents need. Batch
        names are kept, so that a batch added twice is still recognised.
    """
    from shiftproof.monitoring import Monitor, batches_text, utc

    _, progress = consoles()
    before = None if prune is None else utc(prune, "--prune")
    monitor = Monitor(store, name=name)
    for path in monitor.export(folder):
        progress.print(tame(f"wrote {path}"), highlight=False, markup=False, soft_wrap=True)
    if before is not None:
        pruned, history = monitor.prune(before), monitor.history()
        # What is left of the time before is needed by open incidents.
        n_kept = history.loc[history["at"] < before, "batch"].nunique()
        kept = f"; those of {batches_text(n_kept)} were kept, because an incident is open" if n_kept else ""
        show_note(progress, f"the figures of {batches_text(pruned)} were deleted{kept}.")
    return 0


#: The commands below `monitor`, by what each is for.
COMMANDS: dict[Callable[..., int], str] = {
    init: "Create a monitor from the data that the model was validated on.",
    add: "Add a batch: is it like the baseline, and is the model still good?",
    status: "Show the current status: open incidents, since when, in which columns.",
    plan: "Choose which rows of a batch to label.",
    label: "Add labels for a batch: was the estimate right, and is accuracy below the floor?",
    ack: "Acknowledge an incident and restart its alarm.",
    rehearse: "Try the alarms on past data: how soon do they detect changes?",
    export: "Write the history as Parquet files.",
}


def _add_all(
    incoming: Incoming, monitor: Monitor, job: Job, add_file: Callable[[IncomingFile, Job], Update]
) -> tuple[list[Update], int]:
    """Add every file; return the updates, and how many files could not be added."""
    from shiftproof.cli._show_monitor import show_added

    updates: list[Update] = []
    n_failed = 0
    for file in incoming.batches(monitor.files):
        # A folder that is watched never ends: each batch is a job of its own, with its page and its JSON.
        current = replace(job) if incoming.watched else job
        try:
            with current.listening():
                updates.append(add_file(file, current))
        except StoreError:
            raise
        except InputError as error:
            if incoming.single:
                raise
            n_failed += 1
            current.note(error.phrase)
        if incoming.watched:
            current.end(Added(monitor, updates), show_added)
            updates.clear()
    return updates, n_failed


def _note_next(job: Job, step: NextStep | None, store: str, name: str) -> None:
    """Name the command that an open incident asks for."""
    if step is not None:
        job.next_step(step.command(store, name))


def _with_time(monitor: Monitor, update: Update, moment: Any, job: Job, *, replace_time: bool) -> Update:
    """Correct the time of a batch that was added before, or say that it stays."""
    from shiftproof.monitoring import utc, written_time

    if not update.repeated or moment is None or utc(moment) == update.at:
        return update
    if not replace_time:
        job.note(
            Phrase(
                "batch ",
                update.batch.shown,
                f" keeps its time, {written_time(update.at)}; to correct it, pass --replace-time.",
            )
        )
        return update
    job.note(
        Phrase("batch ", update.batch.shown, f" now has the time {written_time(utc(moment))}; alarms do not change.")
    )
    return monitor.redate(update.id, moment)


def _check_times(incoming: Incoming, **options: str | None) -> None:
    """Refuse a name or a time for several batches, and two times for one."""
    if options["at"] is not None and options["time"] is not None:
        raise InputError("--at and --time cannot be used together; give only one")
    for option in ("at", "id"):
        if options[option] is not None and not incoming.single:
            hint = "add files one by one, or use --time" if option == "at" else "add files one by one"
            raise fault(f"--{option}", "be used with a single batch only", options[option], hint)


def _latest(rows: Table, column: str) -> object:
    """Return the latest date of a column."""
    check_columns("--time", column, rows.names)
    moments = rows.column(column)
    latest = moments.values.max() if moments.family == "date" else None
    if latest is None:
        raise fault("--time", "name a column of dates", column, "write dates as 2024-01-31")
    return latest


@contextmanager
def _of_file(file: Path) -> Iterator[None]:
    """Name the file in errors about a batch."""
    try:
        yield
    except (FileError, StoreError):
        raise
    except InputError as error:
        raise FileError("standard input" if file == Path("-") else file, error.clause, near=error.near) from None


def open_failure(fail_on: Sequence[FailOn] | None, incidents: Sequence[Incident]) -> str:
    """Say which of these levels have an open incident; by default, the levels that need attention."""
    is_open = {incident.level for incident in incidents if incident.open}
    levels = [level for level in dict.fromkeys(fail_on or _URGENT) if level in is_open]
    if not levels:
        return ""
    usual = "" if fail_on else " (the default)"
    what = "an incident of this level is open" if len(levels) == 1 else "incidents of these levels are open"
    return f"--fail-on {','.join(levels)}{usual}: {what}"
