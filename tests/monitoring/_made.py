"""Results of a monitor, made by hand: every figure is known."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from shiftproof.core import Interval, Note
from shiftproof.monitoring import ColumnChange, Incident, MonitorStatus, Update
from shiftproof.monitoring._label_result import LabelVerdict, Settled, TrackRecord
from shiftproof.monitoring._result import BatchName, LevelEvidence, MonitorTerms
from shiftproof.monitoring._status import BatchLine
from shiftproof.monitoring.alarms import Level

START = datetime(2024, 3, 1, tzinfo=UTC)
TERMS = MonitorTerms(name="default", alpha=0.05, mode="ever", floor=0.78, validated=0.83, majority=0.6, bias=0.04)


def interval(estimate: float) -> Interval:
    return Interval(estimate=estimate, low=estimate - 0.03, high=estimate + 0.03, level=0.9, method="made")


def named(number: int) -> BatchName:
    return BatchName(number=number, id=f"day {number}", at=START + timedelta(days=number - 1))


def evidence(level: Level, share: float) -> LevelEvidence:
    return LevelEvidence(level=level, log_evidence=3.0 * share, log_limit=3.0)


def incident(level: Level = "material", **fields: Any) -> Incident:
    known: dict[str, Any] = {
        "number": 4,
        "level": level,
        "raised": named(7),
        "first": named(5),
        "last": named(7),
        "likeliest": named(6),
        "columns": ("age", "p"),
    }
    return Incident(**(known | fields))


def update(**fields: Any) -> Update:
    known: dict[str, Any] = {
        "batch": named(7),
        "arrived": START,
        "n_rows": 1000,
        "repeated": False,
        "levels": {"changed": evidence("changed", 1.5), "material": evidence("material", 0.5)},
        "opened": (),
        "open_incidents": (),
        "accuracy": interval(0.812),
        "shares": {"no": interval(0.7), "yes": interval(0.3)},
        "shift_kind": "none",
        "shift_reasons": (),
        "columns": {
            name: ColumnChange(
                column=name,
                measure="ks",
                distance=distance,
                p_value=0.5,
                missing_reference=0.0,
                missing=0.1,
                p_missing=0.5,
                unseen=0.0,
            )
            for name, distance in (("p", 0.02), ("age", 0.15), ("gone", float("nan")))
        },
        "evidence": {"changed": {"p": 0.1, "age": 4.0, "gone": 0.0}, "material": {"p": 0.1, "age": 1.0, "gone": 0.0}},
        "blamed": {"changed": ("age",), "material": ()},
        "terms": TERMS,
        "notes": (Note(code="values never seen", subject="job", detail="'SECRET' (3 rows)", sensitive=True),),
    }
    return Update(**(known | fields))


def line(number: int, **fields: Any) -> BatchLine:
    known: dict[str, Any] = {
        "batch": named(number),
        "arrived": START,
        "n_rows": 1000,
        "accuracy": interval(0.8),
        "levels": {"changed": evidence("changed", number / 5), "material": evidence("material", 0.1)},
        "shift_kind": "none",
    }
    return BatchLine(**(known | fields))


def status(**fields: Any) -> MonitorStatus:
    lines = tuple(line(number) for number in range(1, 9))
    known: dict[str, Any] = {
        "store": "monitor.db",
        "created": START,
        "n_batches": 1200,
        "n_rows": 50_000,
        "recent": lines,
        "incidents": (),
        "last": update(accuracy=interval(0.8)),
        "levels": {"changed": evidence("changed", 0.2), "material": evidence("material", 0.0)},
        "track_record": TrackRecord(n_batches=0, n_contained=0, n_labels=0, level=0.9),
        "terms": TERMS,
    }
    return MonitorStatus(**(known | fields))


def verdict(
    settled: Settled, accuracy: float = 0.7, *, n_labels: int = 60, first: int = 6, last: int = 7
) -> LabelVerdict:
    """What the labels of one batch or two say of an incident."""
    return LabelVerdict(
        settled=settled,
        accuracy=interval(accuracy),
        n_labels=n_labels,
        n_batches=1 + (first != 7),
        first=named(first),
        last=named(7),
    )
