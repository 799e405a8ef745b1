"""`shiftproof monitor import`: import the results of another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from shiftproof.cli._incoming import IncomingFile
from shiftproof.cli._terminal import consoles
from shiftproof.core import fault, tame


def import_results(
    *,
    store: str,
    files: list[Path],
    tool: Literal["nannyml", "evidently"],
    at: str | None = None,
    name: str = "default",
) -> int:
    """Import results from NannyML or Evidently that are older than this monitor.

    The history and charts then show them; the alarms never use them. Importing
    the same file again changes nothing. Newer figures replace older ones.

    NannyML: a CSV or Parquet file made from results.to_df(), with dates:

    [dim]shiftproof monitor import calls.db cbpe.csv drift.csv --from nannyml[/dim]

    Evidently 0.7 or newer: JSON files from save_json or dump_dict. save_json
    does not write a time, so put one in the file name:

    [dim]shiftproof monitor import calls.db 2024-*.json --from evidently[/dim]

    Parameters
    ----------
    store : STORE
        The store.
    files : FILES
        The files that the tool wrote.
    tool : --from nannyml|evidently
        The tool that wrote the files.
    at : TIME
        The time of an Evidently snapshot, for one file only. Default: the date in its file name, or else the time
        inside the file.
    name : MONITOR
        The monitor to use, if the store has several.
    """
    from shiftproof.monitoring import Monitor

    if at is not None and (tool == "nannyml" or len(files) > 1):
        hint = "NannyML chunks already have dates" if tool == "nannyml" else "import files one by one"
        raise fault("--at", "be used with a single Evidently snapshot only", at, hint)
    monitor = Monitor(store, name=name)
    output, _ = consoles()
    for file in files:
        named = IncomingFile(file, file.name, None).date if tool == "evidently" else None
        imported = monitor.import_history(file, tool, at=at or named)
        words = f"{file}: {imported.summary()}" if len(files) > 1 else imported.summary()
        output.print(tame(words), highlight=False, markup=False, soft_wrap=True)
    return 0
