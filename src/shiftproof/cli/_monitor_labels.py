"""`shiftproof monitor plan` and `label`: which rows of a batch to label, and what their labels show."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from shiftproof.cli._cut import read_file
from shiftproof.cli._job import MonitorJob
from shiftproof.cli._terminal import STANDARD_OUTPUT, consoles, write_json
from shiftproof.cli._words import in_terminal
from shiftproof.core import InputError, tame

if TYPE_CHECKING:
    from rich.console import Console

    from shiftproof.monitoring import BatchPlan, LabelUpdate, Monitor

FailOn = Literal["harm", "material", "changed", "none"]


def plan(
    *,
    store: str,
    id: str,  # noqa: A002 - the option is called so
    count: int = 50,
    out: Path | None = None,
    json: Path | None = None,
    name: str = "default",
) -> int:
    """Choose which rows of a batch to label. Labels show what scores cannot.

    The rows are drawn at random, so their labels show the accuracy of the whole
    batch. Until they have labels, the command lists the same rows again.

    [dim]shiftproof monitor plan calls.db --id 2008-08.csv --out rows.csv[/dim]

    Fill in the column 'label' of rows.csv, then:

    [dim]shiftproof monitor label calls.db rows.csv --id 2008-08.csv[/dim]

    Parameters
    ----------
    store : STORE
        The store.
    id : TEXT
        The name of the batch, as shown by monitor status.
    count : N
        Number of rows to label.
    out : FILE
        Write the rows to this CSV file, with an empty column for the labels.
    name : MONITOR
        The monitor to use, if the store has several.
    """
    from shiftproof.monitoring import Monitor
    from shiftproof.reporting import write_csv

    monitor = Monitor(store, name=name)
    planned = monitor.plan(id, count)
    output, progress = consoles()
    if out is not None and len(planned.rows):
        write_csv(out, planned.to_frame())
    if json is not None:
        write_json(planned.to_dict(), json)
    if json != STANDARD_OUTPUT:
        _show_plan(output, planned, out)
    if out is not None and len(planned.rows):
        progress.print(tame(f"rows to label: {out}"), highlight=False, markup=False, soft_wrap=True)
    if planned.next_step is not None and json != STANDARD_OUTPUT:
        file = "FILE" if out is None else str(out)
        line = f"next: {planned.next_step.command(monitor.store, name, file=file)}"
        progress.print(tame(line), highlight=False, markup=False, soft_wrap=True)
    return 0


def _show_plan(console: Console, planned: BatchPlan, out: Path | None) -> None:
    from shiftproof.reporting import Section, print_section, styled

    # The next step is said in the words of the command line.
    console.print(styled(console, in_terminal(planned.words(next_step=False))))
    if out is None and len(planned.rows):
        frame = planned.to_frame().drop(columns=["batch", "label"])
        # One line for each row: text from a batch must not break lines, so a table does.
        rows = list(frame.itertuples(index=False, name=None))
        console.print()
        print_section(console, Section(title="Rows to label", columns=tuple(frame.columns), rows=rows))


@dataclass(frozen=True)
class LabelsAdded:
    """What labels of a batch mean, and the monitor that they were given to."""

    monitor: Monitor
    update: LabelUpdate

    def save(self, path: Path, /, *, redact: bool) -> object:
        """Write the page of the monitor."""
        return self.monitor.status().save(path, redact=redact)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return self.update.to_dict()


def label(
    *,
    store: str,
    file: Path,
    id: str | None = None,  # noqa: A002 - the option is called so
    missing: list[str] | None = None,
    name: str = "default",
    job: MonitorJob,
    fail_on: list[FailOn] | None = None,
) -> int:
    """Add labels for a batch and report what they show.

    FILE has the labels in a column 'label', or in the --target column of monitor
    init. It identifies rows by a column 'row', which counts from 0, or by the
    --key column of monitor init. Label the rows that monitor plan lists, or all
    rows of the batch. A label is used as soon as every row above it in the plan
    has one. Until then it is stored but not used, because rows picked by hand are
    not a random sample.

    [dim]shiftproof monitor label calls.db rows.csv --id 2008-08.csv[/dim]

    Parameters
    ----------
    store : STORE
        The store.
    file : FILE
        The labels: CSV, CSV.gz or Parquet, or - for standard input. Rows without a label are ignored.
    id : TEXT
        The name of the batch. Default: the name in the column 'batch', which monitor plan writes.
    name : MONITOR
        The monitor to use, if the store has several.
    fail_on : WHAT
        Exit with status 1 if an incident of this level is open: harm, material or changed; or never (none). Separate
        several with commas. Default: harm,material.
    """
    from shiftproof.cli._monitor import open_failure
    from shiftproof.monitoring import MOST_LABEL_COLUMNS, Monitor, batch_of_labels, labels_of_frame

    monitor = Monitor(store, name=name)
    frame = read_file(file, missing, most_columns=MOST_LABEL_COLUMNS)
    called = "standard input" if file == STANDARD_OUTPUT else file.name
    batch = batch_of_labels(frame, id, called)
    labels, by = labels_of_frame(frame, monitor.baseline, called)
    with job.listening():
        try:
            update = monitor.label(batch, labels, by=by)
        except InputError as error:
            raise error.renamed("labels", called) from None
    if update.next_step is not None:
        job.next_step(update.next_step.command(monitor.store, name))
    return job.end(LabelsAdded(monitor, update), _show_update, failure=open_failure(fail_on, monitor.incidents))


def _show_update(console: Console, added: LabelsAdded) -> None:
    from shiftproof.reporting import STYLES, styled

    style = STYLES["bad"] if added.update.opened else ""
    console.print(styled(console, in_terminal(added.update.words(next_step=False)), style))
