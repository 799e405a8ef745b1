"""Read a snapshot of Evidently: what `save_json` or `dump_dict` of its version 0.7 gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from shiftproof.core import Argument, InputError
from shiftproof.monitoring._times import utc
from shiftproof.monitoring.imports._batch import ImportedBatch, ImportedColumn, ImportedFigure, ToolResults

# What we call the measures of a classifier; Evidently computes them with labels.
_MEASURES = {
    "Accuracy": "actual accuracy",
    "F1Score": "actual f1",
    "LogLoss": "actual log loss",
    "Precision": "actual precision",
    "Recall": "actual recall",
    "RocAuc": "actual auc",
}
# Methods of drift: a snapshot has their short names if the user chose the method, and the long ones otherwise.
_DISTANCES = {
    "ed": "Energy-distance",
    "hellinger": "Hellinger distance",
    "jensenshannon": "Jensen-Shannon distance",
    "kl_div": "Kullback-Leibler divergence",
    "psi": "PSI",
    "wasserstein": "Wasserstein distance (normed)",
}
_TESTS = {
    "TVD": "Total-Variation-Distance",
    "anderson": "Anderson-Darling",
    "chisquare": "chi-square p_value",
    "cramer_von_mises": "Cramer-von Mises",
    "empirical_mmd": "empirical_mmd",
    "es": "Epps-Singleton",
    "fisher_exact": "Fisher's Exact test",
    "g_test": "g_test",
    "ks": "K-S p_value",
    "mannw": "Mann-Whitney U-rank test",
    "t_test": "t_test",
    "z": "Z-test p_value",
}
_OLD = "not a snapshot of Evidently 0.7 or newer; save one with save_json or dump_dict"


@dataclass
class _Found:
    """What the metrics of a snapshot come to."""

    n_rows: int | None = None
    figures: list[ImportedFigure] = field(default_factory=list)
    columns: dict[str, list[ImportedColumn]] = field(default_factory=dict)
    missing: dict[str, float] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)

    def take(self, kind: str, config: Mapping[str, Any], value: Any) -> bool:
        """Keep a metric; return whether there is a place for it."""
        column = config.get("column")
        if kind == "RowCount" and _is_number(value):
            self.n_rows = int(value)
        elif kind in _MEASURES and _is_number(value):
            self.figures.append(
                ImportedFigure(quantity=_MEASURES[kind], estimate=float(value), method="Evidently, with labels")
            )
        elif kind == "ValueDrift" and isinstance(column, str) and _is_number(value):
            found = _drift(column, str(config.get("method")), float(value))
            if found is None:
                return False
            self.columns.setdefault(column, []).append(found)
        elif kind == "MissingValueCount" and isinstance(column, str) and _is_number(share := _part(value, "share")):
            self.missing[column] = float(share)
        else:
            return False
        return True

    def all_columns(self) -> Iterator[ImportedColumn]:
        """Yield the columns, with their share of missing values where it is known."""
        for name in dict.fromkeys([*self.columns, *self.missing]):
            for found in self.columns.get(name, [ImportedColumn(name=name, measure="Evidently missing values")]):
                yield replace(found, missing=self.missing.get(name, found.missing))


def _drift(column: str, method: str, value: float) -> ImportedColumn | None:
    """Return a column with a distance or a p-value; None if it is not known which of them a method gives."""
    for known, score in ((_DISTANCES, "distance"), (_TESTS, "p_value")):
        name = known.get(method, method)
        if name in known.values():
            return ImportedColumn(name=column, measure=f"Evidently {name}", **{score: value})
    return None


def read_snapshot(snapshot: Any, *, name: str | None = None, at: datetime | None = None) -> ToolResults:
    """Return a snapshot as one batch.

    Parameters
    ----------
    snapshot : object
        What JSON holds.
    name : str or None
        The name of the batch; None to name it by its time.
    at : datetime or None
        The time that it is about; None for that of the snapshot.

    Raises
    ------
    InputError
        If it is not a snapshot, says no time, or has nothing that a monitor has a place for.
    """
    if not isinstance(snapshot, Mapping):
        raise InputError(_OLD)
    found = _Found()
    metrics = [*_metrics(snapshot)]
    for kind, config, value in metrics:
        if not found.take(kind, config, value):
            found.left_out.add(kind)
    moment = at or _moment(snapshot)
    if moment is None:
        raise InputError("does not contain a time (save_json does not write one); pass ", Argument("at"))
    columns = tuple(found.all_columns())
    if not (found.figures or columns):
        raise InputError("found neither a performance such as Accuracy nor ValueDrift or MissingValueCount of a column")
    batch = ImportedBatch(
        id=f"evidently {name or moment.isoformat()}",
        at=moment,
        n_rows=found.n_rows,
        figures=tuple(found.figures),
        columns=columns,
    )
    tests = ["thresholds and tests"] if _has_tests(snapshot) else []
    return ToolResults(tool="evidently", batches=(batch,), left_out=(*sorted(found.left_out), *tests))


def _metrics(snapshot: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], Any]]:
    """Yield the type of every metric, its settings and its value, of both forms of a snapshot."""
    results = snapshot.get("metric_results")
    listed = snapshot.get("metrics")
    if isinstance(results, Mapping):
        located = [(_part(_part(one, "metric_value_location"), "metric"), one) for one in results.values()]
        pairs = [(_part(metric, "params"), _part(one, "value", one)) for metric, one in located]
    elif isinstance(listed, list):
        pairs = [(_part(one, "config"), _part(one, "value")) for one in listed]
    else:
        raise InputError(_OLD)
    for config, value in pairs:
        if not isinstance(config, Mapping) or not isinstance(config.get("type"), str):
            raise InputError(_OLD)
        yield config["type"].rpartition(":")[2], config, value


def _part(value: Any, name: str, default: Any = None) -> Any:
    """Return a part of a value; that of a count is itself a result with a value."""
    part = value.get(name, default) if isinstance(value, Mapping) else None
    return part["value"] if name == "share" and isinstance(part, Mapping) and "value" in part else part


def _moment(snapshot: Mapping[str, Any]) -> datetime | None:
    stamp = snapshot.get("timestamp")
    return None if stamp is None else utc(stamp, "timestamp")


def _has_tests(snapshot: Mapping[str, Any]) -> bool:
    results = snapshot.get("metric_results")
    of_metrics = [_part(one, "tests") for one in results.values()] if isinstance(results, Mapping) else []
    return any([*of_metrics, snapshot.get("tests")])


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value
