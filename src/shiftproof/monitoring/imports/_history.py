"""What an import did, and how an imported batch is shown."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from shiftproof.core import Interval, Sensitive, plain_fields, shortened
from shiftproof.monitoring.imports._batch import ImportedBatch, Tool, ToolResults
from shiftproof.monitoring.imports._words import import_summary

# Within a table; the name of a file may be any text.
_LONGEST_NAME = 60


@dataclass(frozen=True, kw_only=True)
class ImportedHistory:
    """What `Monitor.import_history` imported from another tool.

    Attributes
    ----------
    tool : {"nannyml", "evidently"}
        The tool.
    n_batches, n_new : int
        Number of batches of the tool, and of batches that had not been imported before. Figures of the other batches
        were replaced.
    first, last : datetime
        The times of the earliest and of the latest batch, in UTC.
    quantities : tuple of str
        The imported quantities, such as "accuracy", which was estimated, and "actual accuracy", measured with labels.
    columns : tuple of str
        Columns with distances, p-values or missing values.
    left_out : tuple of str
        What a monitor cannot store, in the words of the tool.
    """

    tool: Tool
    n_batches: int
    n_new: int
    first: datetime
    last: datetime
    quantities: tuple[str, ...]
    columns: tuple[str, ...]
    left_out: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return plain_fields(self) | {"summary": self.summary()}

    def summary(self) -> str:
        """Say what was imported, what it is used for, and what was left out."""
        return import_summary(self)


@dataclass(frozen=True, kw_only=True)
class ImportedLine:
    """One imported batch in the course of a monitor.

    Attributes
    ----------
    id : str
        The name of the tool, and what it calls the batch.
    at : datetime
        The time that it is about, in UTC.
    n_rows : int or None
        Its rows; None if the tool does not say.
    accuracy : Interval or None
        The accuracy that the tool estimated; None if it did not, or without an interval.
    actual : float or None
        The accuracy that the tool measured with labels.
    """

    id: str
    at: datetime
    n_rows: int | None
    accuracy: Interval | None
    actual: float | None

    @property
    def shown(self) -> Sensitive:
        """The name, which may be that of a file."""
        return Sensitive(repr(shortened(self.id, _LONGEST_NAME)), f"a batch of {self.tool}")

    @property
    def tool(self) -> str:
        """The tool: "nannyml" or "evidently"."""
        return self.id.partition(" ")[0]


def imported_history(results: ToolResults, n_new: int) -> ImportedHistory:
    """Say what was taken over from a tool."""
    moments = [batch.at for batch in results.batches]
    return ImportedHistory(
        tool=results.tool,
        n_batches=len(results.batches),
        n_new=n_new,
        first=min(moments),
        last=max(moments),
        quantities=tuple(dict.fromkeys(figure.quantity for batch in results.batches for figure in batch.figures)),
        columns=tuple(dict.fromkeys(column.name for batch in results.batches for column in batch.columns)),
        left_out=results.left_out,
    )


def imported_line(batch: ImportedBatch) -> ImportedLine:
    """Return an imported batch as a point of the course."""
    by_quantity = {figure.quantity: figure for figure in batch.figures}
    estimate, actual = by_quantity.get("accuracy"), by_quantity.get("actual accuracy")
    interval = None
    if estimate is not None and estimate.low is not None and estimate.high is not None and estimate.level is not None:
        interval = Interval(
            estimate=estimate.estimate,
            low=estimate.low,
            high=estimate.high,
            level=estimate.level,
            method=estimate.method,
        )
    return ImportedLine(
        id=batch.id,
        at=batch.at,
        n_rows=batch.n_rows,
        accuracy=interval,
        actual=None if actual is None else actual.estimate,
    )
