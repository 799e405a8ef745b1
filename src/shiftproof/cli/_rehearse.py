"""`shiftproof monitor rehearse`: what a monitor would have made of the past."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from shiftproof.cli._cut import check_columns, read_file
from shiftproof.cli._job import MonitorJob
from shiftproof.cli._options import Every
from shiftproof.core import InputError
from shiftproof.reporting import print_section, print_verdict, styled

if TYPE_CHECKING:
    from rich.console import Console

    from shiftproof.monitoring import MonitorRehearsal


def rehearse(
    *,
    store: str,
    files: list[Path],
    time: str | None = None,
    every: Every | None = None,
    size: int | None = None,
    target: str | None = None,
    missing: list[str] | None = None,
    name: str = "default",
    seed: int = 0,
    job: MonitorJob,
) -> int:
    """Try the alarms on your past data: count false alarms, and see how soon changes are detected.

    The alarms are run on your past data as is, then with simulated shifts and
    drops in accuracy added. The store is not changed.

    [dim]shiftproof monitor rehearse calls.db past.csv --time date --every week[/dim]
    [dim]shiftproof monitor rehearse calls.db 2023-*.csv --target subscribed[/dim]

    Parameters
    ----------
    store : STORE
        The store created by monitor init.
    files : FILES
        Your past data, with scores, in the same format as batches: one file, which --time or --size splits, or one file
        per batch.
    time : COL
        A column of dates: split one file into batches by calendar period.
    every : LENGTH
        With --time, the length of each batch: day, week, month, quarter or year.
    size : ROWS
        Split one file into batches of this many rows, in file order.
    target : COL
        The label column of the past data. With labels, simulated drops start from the actual accuracy.
    name : MONITOR
        The monitor to use, if the store has several.
    """
    from shiftproof.monitoring import Monitor

    monitor = Monitor(store, name=name)
    with job.stage("reading"):
        tables = [read_file(path, missing) for path in files]
    for option, column in (("--time", time), ("--target", target)):
        for table in tables:
            check_columns(option, column, table.columns)
    if len(tables) > 1 and (time or every or size):
        raise InputError(
            "--time, --every and --size split a single file into batches; with several files, each file is a batch"
        )
    if len(tables) == 1 and time is None and size is None:
        raise InputError("with a single file, pass --time COL or --size ROWS to split it into batches")
    with job.listening(), job.stage("rehearsing"):
        try:
            result = monitor.rehearse(
                tables[0] if len(tables) == 1 else tables,
                time=time,
                every=every,
                size=size,
                labels=target,
                random_state=seed,
            )
        except InputError as error:
            # Several files are one batch each; standard input has no name.
            named = len(files) == 1 and files[0] != Path("-")
            raise error.renamed("past", files[0].name if named else "the past") from None
    return job.end(result, show_rehearsal)


def show_rehearsal(console: Console, rehearsal: MonitorRehearsal) -> None:
    """Print the answer, how soon changes would be known, and what is recommended."""
    print_verdict(console, rehearsal.headline, rehearsal.tone)
    console.print(styled(console, str(rehearsal.details)))
    console.print()
    for section in rehearsal.to_page().sections:
        if not section.folded:
            print_section(console, section, text=False)
