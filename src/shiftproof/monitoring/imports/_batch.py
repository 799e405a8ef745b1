"""What is taken over from another tool: batches in the past, with figures that say where they come from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from math import nan
from typing import Literal

Tool = Literal["nannyml", "evidently"]


@dataclass(frozen=True, kw_only=True)
class ImportedFigure:
    """One quantity of a batch.

    Parameters
    ----------
    quantity : str
        Such as "accuracy", which was estimated, or "actual accuracy", which was measured with labels.
    estimate : float
        The value.
    low, high, level : float or None
        The interval and its coverage.
    method : str
        The tool, and how it got the value.
    """

    quantity: str
    estimate: float
    low: float | None = None
    high: float | None = None
    level: float | None = None
    method: str


@dataclass(frozen=True, kw_only=True)
class ImportedColumn:
    """One column of a batch, compared with the reference that the tool had.

    Parameters
    ----------
    name : str
        The column.
    measure : str
        The tool, and its name for what it computed.
    distance, p_value, missing : float
        The distance from the reference, the chance of one as large without a change, and the share of missing values;
        NaN where the tool does not say.
    """

    name: str
    measure: str
    distance: float = nan
    p_value: float = nan
    missing: float = nan


@dataclass(frozen=True, kw_only=True)
class ImportedBatch:
    """A batch that another tool looked at.

    Parameters
    ----------
    id : str
        The name of the tool, and what it calls the batch.
    at : datetime
        The time that it is about, in UTC.
    n_rows : int or None
        Its rows; None if the tool does not say.
    figures, columns : tuples
        What the tool found.
    """

    id: str
    at: datetime
    n_rows: int | None
    figures: tuple[ImportedFigure, ...] = ()
    columns: tuple[ImportedColumn, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ToolResults:
    """What a file of another tool holds.

    Parameters
    ----------
    tool : {"nannyml", "evidently"}
        The tool.
    batches : tuple of ImportedBatch
        In the order of the file.
    left_out : tuple of str
        What a monitor cannot store, in the words of the tool.
    """

    tool: Tool
    batches: tuple[ImportedBatch, ...]
    left_out: tuple[str, ...]
