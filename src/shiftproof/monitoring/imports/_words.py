"""Sentences about what was imported from another tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shiftproof.core import counted
from shiftproof.monitoring._times import written_time

if TYPE_CHECKING:
    from shiftproof.monitoring.imports._history import ImportedHistory

#: How the tools write their names.
TOOL_NAMES = {"nannyml": "NannyML", "evidently": "Evidently"}
UNUSED = "The alarms do not use them."


def import_summary(history: ImportedHistory) -> str:
    """Say what an import took over, what it is used for, and what was left out."""
    span = written_time(history.first)
    if history.last != history.first:
        span += f" to {written_time(history.last)}"
    n_known = history.n_batches - history.n_new
    before = f"; {n_known} already imported before" if n_known else ""
    columns = [f"figures of {counted(len(history.columns), 'column')}"] if history.columns else []
    found = ", ".join([*history.quantities, *columns])
    parts = [
        f"Imported {_batches(history.n_batches)} from {TOOL_NAMES[history.tool]} ({span}){before}: {found}.",
        f"The history and charts show them. {UNUSED}",
    ]
    if history.left_out:
        parts.append(f"Left out: {', '.join(history.left_out)}.")
    return " ".join(parts)


def imported_words(tools: Sequence[str]) -> list[str]:
    """Say how many of the batches that are shown come from each tool; nothing if none does."""
    counts = {tool: tools.count(tool) for tool in dict.fromkeys(tools)}
    if not counts:
        return []
    found = " and ".join(f"{_batches(number)} from {TOOL_NAMES[tool]}" for tool, number in counts.items())
    return [f"Imported: {found}. {UNUSED}"]


def _batches(number: int) -> str:
    return f"{number:,} batch{'es' * (number != 1)}"
