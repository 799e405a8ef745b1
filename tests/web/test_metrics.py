from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families
from tests.web.conftest import HOSTILE

from shiftproof.web import Site
from shiftproof.web._metrics import metrics_text


def test_figures_are_those_of_the_monitors(site: Site) -> None:
    families = {one.name: one for one in text_string_to_metric_families(metrics_text(site.source).decode())}
    status = site.source.monitors()[0].status()
    assert status.last is not None
    assert status.last.accuracy is not None

    def value(family: str, **labels: str) -> float:
        (found,) = [one.value for one in families[family].samples if {**one.labels, **labels} == one.labels]
        return float(found)

    assert value("shiftproof_batches", monitor="calls") == 8
    assert value("shiftproof_accuracy_estimate", monitor="calls") == status.last.accuracy.estimate
    assert value("shiftproof_accuracy_floor", monitor="calls") == status.terms.floor
    assert value("shiftproof_accuracy_actual", monitor="calls") > 0
    assert value("shiftproof_open_incidents", monitor="calls", level="material", segment="") == 1
    assert value("shiftproof_open_incidents", monitor="calls", level="harm", segment="") == 0
    assert value("shiftproof_evidence_ratio", monitor="calls", level="material", segment="") >= 1
    assert value("shiftproof_column_distance", monitor="calls", column="age") > 0.1
    assert value("shiftproof_class_share", monitor="calls", **{"class": "yes"}) == status.last.shares["yes"].estimate


def test_hostile_names_are_labels(site: Site) -> None:
    families = text_string_to_metric_families(metrics_text(site.source).decode())
    names = {sample.labels.get("monitor") for family in families for sample in family.samples}
    assert HOSTILE in names
