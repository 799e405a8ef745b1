"""How monitors stand, for Prometheus: read from the store whenever it asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from shiftproof._version import __version__
from shiftproof.monitoring import Incident, LevelEvidence, MonitorReader, MonitorStatus, StoreReader
from shiftproof.monitoring.alarms import LEVELS

_ACCURACY = "Estimated accuracy of the last batch"


class MonitorCollector(Collector):
    """Reads the figures of all monitors of a store.

    Parameters
    ----------
    source : StoreReader
        The store.
    """

    def __init__(self, source: StoreReader) -> None:
        self._source = source

    def describe(self) -> Iterable[Metric]:
        """Return nothing: names are known, and the store is not read when the collector is registered."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Yield one family for each figure."""
        statuses = [(reader, reader.status()) for reader in self._source.monitors()]
        yield InfoMetricFamily("shiftproof", "The dashboard", value={"version": __version__})
        yield from _counts(statuses)
        yield from _estimates(statuses)
        yield from _alarms(statuses)
        yield _columns(statuses)


Statuses = list[tuple[MonitorReader, MonitorStatus]]


def _counts(statuses: Statuses) -> Iterator[Metric]:
    batches = CounterMetricFamily("shiftproof_batches", "Batches that were added", labels=["monitor"])
    rows = CounterMetricFamily("shiftproof_rows", "Rows in all batches", labels=["monitor"])
    arrived = GaugeMetricFamily(
        "shiftproof_last_batch_arrived_seconds",
        "When the last batch arrived, in seconds since 1970",
        labels=["monitor"],
    )
    for reader, status in statuses:
        batches.add_metric([reader.name], status.n_batches)
        rows.add_metric([reader.name], status.n_rows)
        if status.last is not None:
            arrived.add_metric([reader.name], status.last.arrived.timestamp())
    yield from (batches, rows, arrived)


def _estimates(statuses: Statuses) -> Iterator[Metric]:
    named = ["monitor"]
    accuracy = GaugeMetricFamily("shiftproof_accuracy_estimate", _ACCURACY, labels=named)
    low = GaugeMetricFamily("shiftproof_accuracy_low", f"{_ACCURACY}, lower end of its interval", labels=named)
    high = GaugeMetricFamily("shiftproof_accuracy_high", f"{_ACCURACY}, upper end of its interval", labels=named)
    actual = GaugeMetricFamily("shiftproof_accuracy_actual", "Accuracy according to the latest labels", labels=named)
    floor = GaugeMetricFamily("shiftproof_accuracy_floor", "The floor: the lowest acceptable accuracy", labels=named)
    shares = GaugeMetricFamily(
        "shiftproof_class_share", "Estimated share of a class in the last batch", labels=["monitor", "class"]
    )
    for reader, status in statuses:
        own, last = [reader.name], status.last
        if last is not None and last.accuracy is not None:
            accuracy.add_metric(own, last.accuracy.estimate)
            low.add_metric(own, last.accuracy.low)
            high.add_metric(own, last.accuracy.high)
        # Labels are often of an older batch than the last.
        labelled = [line.labels.alone for line in status.recent if line.labels and line.labels.alone]
        if labelled:
            actual.add_metric(own, labelled[-1].estimate)
        if status.terms.floor is not None:
            floor.add_metric(own, status.terms.floor)
        for label, one in ({} if last is None else last.shares).items():
            shares.add_metric([reader.name, str(label)], one.estimate)
    yield from (accuracy, low, high, actual, floor, shares)


def _alarms(statuses: Statuses) -> Iterator[Metric]:
    names = ["monitor", "segment", "level"]
    evidence = GaugeMetricFamily(
        "shiftproof_evidence_ratio", "Evidence for an alarm as a share of what raises it (logarithms)", labels=names
    )
    incidents = GaugeMetricFamily("shiftproof_open_incidents", "Incidents that nobody has acknowledged", labels=names)
    for reader, status in statuses:
        for segment, levels in {"": status.levels, **status.segments}.items():
            own = [one for one in status.open_incidents if one.segment == segment]
            _add_levels((evidence, incidents), [reader.name, segment], levels.values(), own)
    yield from (evidence, incidents)


def _add_levels(
    families: tuple[GaugeMetricFamily, GaugeMetricFamily],
    named: list[str],
    levels: Iterable[LevelEvidence],
    incidents: list[Incident],
) -> None:
    evidence, opened = families
    for one in levels:
        evidence.add_metric([*named, one.level], one.share)
    for level in LEVELS:
        # Zero, too: an alert that waits for a number to rise needs to see it before.
        opened.add_metric([*named, level], sum(one.level == level for one in incidents))


def _columns(statuses: Statuses) -> Metric:
    distance = GaugeMetricFamily(
        "shiftproof_column_distance", "Distance of a column of the last batch from the reference",
        labels=["monitor", "column"],
    )  # fmt: skip
    # NaN where a column has no value at all: Prometheus keeps the gap.
    for reader, status in statuses:
        for name, change in ({} if status.last is None else status.last.columns).items():
            distance.add_metric([reader.name, name], change.distance)
    return distance


def metrics_text(source: StoreReader) -> bytes:
    """Return all figures in the text format of Prometheus."""
    registry = CollectorRegistry()
    registry.register(MonitorCollector(source))
    return generate_latest(registry)
