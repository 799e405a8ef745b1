"""Read the results of NannyML, chunk by chunk: what `results.to_df()` returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from shiftproof.core import InputError, counted
from shiftproof.monitoring._times import utc
from shiftproof.monitoring.imports._batch import ImportedBatch, ImportedColumn, ImportedFigure, ToolResults

if TYPE_CHECKING:
    import pandas as pd

# What we call the measures; NannyML's others, such as parts of a confusion matrix, have no place in a monitor.
_MEASURES = {
    "accuracy": "accuracy",
    "average_precision": "average precision",
    "f1": "f1",
    "precision": "precision",
    "recall": "recall",
    "roc_auc": "auc",
    "specificity": "specificity",
}
_DISTANCES = ("hellinger", "jensen_shannon", "kolmogorov_smirnov", "l_infinity", "wasserstein")
# Boundaries are three standard errors away.
_LEVEL = 0.9973
_CHUNK = ("key", "start_index", "end_index", "start_date", "period")
_FIELDS = ("value", "realized", "lower_confidence_boundary", "upper_confidence_boundary")
# A result of several measures or columns, by its name and for a column also the method, each with its fields.
_Columns = dict[tuple[str, ...], dict[str, Any]]


def read_chunks(frame: pd.DataFrame) -> ToolResults:
    """Return the chunks after the reference as batches.

    Parameters
    ----------
    frame : DataFrame
        Of `results.to_df()`, of one level or several: estimated or realized performance, or univariate drift.

    Raises
    ------
    InputError
        If it has no chunks, or chunks without dates.
    """
    columns = _by_subject(frame)
    chunk = columns.pop(("chunk",), {})
    if not {*_CHUNK} <= {*chunk} or not columns:
        raise InputError("found no chunks with results; save what results.to_df() returns in NannyML")
    known = {subject: fields for subject, fields in columns.items() if _is_known(subject) and "value" in fields}
    if not known:
        raise InputError(
            "found neither a performance such as accuracy nor a distance such as jensen_shannon; other results "
            "cannot be imported"
        )
    positions = [position for position, period in enumerate(chunk["period"]) if period != "reference"]
    if not positions:
        raise InputError("found only chunks of the reference; save the results of the analysis too")
    batches = tuple(_batch(chunk, known, position) for position in positions)
    n_reference = len(frame) - len(positions)
    unknown = sorted({" ".join(subject) for subject in columns if subject not in known})
    left_out = [f"{counted(n_reference, 'chunk')} of the reference"] if n_reference else []
    return ToolResults(tool="nannyml", batches=batches, left_out=(*left_out, *unknown, "thresholds and alerts"))


def _by_subject(frame: pd.DataFrame) -> _Columns:
    """Return the columns by subject and field; names that were joined by underscores are taken apart."""
    columns: _Columns = {}
    for place, name in enumerate(frame.columns):
        parts = tuple(map(str, name)) if isinstance(name, tuple) else _parts(str(name))
        if len(parts) > 1 and not parts[0].startswith("Unnamed:"):  # the index, if it was saved
            # The subject of drift is a column and a method; that of chunks is then written twice.
            subject = ("chunk",) if parts[0] == "chunk" else parts[:-1]
            columns.setdefault(subject, {})[parts[-1]] = frame.iloc[:, place].tolist()
    return columns


def _parts(name: str) -> tuple[str, ...]:
    """Take a name apart that was joined by underscores: of a chunk, of a measure, or of a column and a method."""
    if name.startswith("chunk_"):
        return "chunk", name.removeprefix("chunk_")
    for field in _FIELDS:
        if name.endswith(f"_{field}"):
            subject = name.removesuffix(f"_{field}")
            method = next((method for method in _DISTANCES if subject.endswith(f"_{method}")), None)
            return (subject, field) if method is None else (subject.removesuffix(f"_{method}"), method, field)
    return (name,)


def _is_known(subject: tuple[str, ...]) -> bool:
    return subject[0] in _MEASURES if len(subject) == 1 else subject[1] in _DISTANCES


def _batch(chunk: Mapping[str, Any], known: _Columns, position: int) -> ImportedBatch:
    fields = {name: values[position] for name, values in chunk.items()}
    key, start = str(fields["key"]), fields["start_date"]
    if _is_missing(start):
        raise InputError(f"chunk {key!r} has no date; run NannyML with timestamp_column_name")
    rows = fields["end_index"] - fields["start_index"] + 1
    figures: list[ImportedFigure] = []
    columns = []
    for subject, of in known.items():
        values = {name: of[name][position] for name in _FIELDS if name in of and not _is_missing(of[name][position])}
        if len(subject) == 1:
            figures += _figures(_MEASURES[subject[0]], values, estimated="lower_confidence_boundary" in of)
        elif "value" in values:
            measure = f"NannyML {subject[1]}"
            columns.append(ImportedColumn(name=subject[0], measure=measure, distance=float(values["value"])))
    return ImportedBatch(
        id=f"nannyml {key}", at=utc(start), n_rows=int(rows), figures=tuple(figures), columns=tuple(columns)
    )


def _figures(quantity: str, values: Mapping[str, Any], *, estimated: bool) -> Iterator[ImportedFigure]:
    """Yield an estimate with its interval, and the value that was measured with labels."""
    numbers = {name: float(value) for name, value in values.items()}
    measured = numbers.get("realized") if estimated else numbers.get("value")
    if estimated and "value" in numbers:
        low, high = numbers.get("lower_confidence_boundary"), numbers.get("upper_confidence_boundary")
        level = None if low is None or high is None else _LEVEL
        yield ImportedFigure(
            quantity=quantity, estimate=numbers["value"], low=low, high=high, level=level, method="NannyML estimate"
        )
    if measured is not None:
        yield ImportedFigure(quantity=f"actual {quantity}", estimate=measured, method="NannyML, with labels")


def _is_missing(value: Any) -> bool:
    return value is None or value != value
