"""The Grafana dashboard and the alert rules name metrics that the dashboard has."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from tests.monitoring.conftest import make_table

from shiftproof.monitoring import Baseline, Monitor, StoreReader
from shiftproof.web._metrics import metrics_text

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return what Prometheus reads of a monitor with one batch and some labels."""
    place = tmp_path_factory.mktemp("metrics") / "monitor.db"
    monitor = Monitor(place, Baseline.of(make_table(400), scores="p", labels="y"))
    table = make_table(200, seed=1)
    labels = table.pop("y")
    monitor.add(table, id="one")
    monitor.label("one", {int(row): labels[row] for row in monitor.plan("one", 20).rows})
    return metrics_text(StoreReader(place)).decode()


@pytest.fixture(scope="module")
def metrics(text: str) -> dict[str, set[str]]:
    """Return the labels of every metric."""
    named = re.findall(r"^(\w+)\{(.*?)\} ", text, flags=re.MULTILINE)
    return {name: {*re.findall(r'(\w+)="', labels)} for name, labels in named}


def dashboard_json() -> dict[str, Any]:
    made: dict[str, Any] = json.loads((EXAMPLES / "grafana" / "dashboard.json").read_text(encoding="utf-8"))
    return made


def expressions() -> list[str]:
    dashboard = dashboard_json()
    found = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    rules = yaml.safe_load((EXAMPLES / "prometheus" / "shiftproof-rules.yml").read_text(encoding="utf-8"))
    return found + [rule["expr"] for group in rules["groups"] for rule in group["rules"]]


@pytest.mark.parametrize("expression", expressions())
def test_metrics_and_their_labels_exist(metrics: dict[str, set[str]], expression: str) -> None:
    for name, selected in re.findall(r"(shiftproof_\w+)(?:\{(.*?)\})?", expression):
        assert name in metrics
        assert {*re.findall(r"(\w+)=", selected)} <= metrics[name]
    grouped = re.search(r"by \((.*?)\)", expression)
    if grouped is not None:
        assert {*grouped[1].split(", ")} <= metrics[re.findall(r"shiftproof_\w+", expression)[0]]


def test_legends_name_labels_that_exist(metrics: dict[str, set[str]]) -> None:
    for panel in dashboard_json()["panels"]:
        for target in panel["targets"]:
            name = re.findall(r"shiftproof_\w+", target["expr"])[0]
            assert {*re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])} <= metrics[name]


def test_choices_are_values_of_labels_that_exist(metrics: dict[str, set[str]]) -> None:
    queries = [one["query"] for one in dashboard_json()["templating"]["list"] if one["type"] == "query"]
    pairs = [re.fullmatch(r"label_values\((\w+), (\w+)\)", query) for query in queries]
    assert [pair is not None and pair[2] in metrics[pair[1]] for pair in pairs] == [True]


def test_prometheus_finds_no_fault(text: str) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not there; apt-get install prometheus")
    rules = str(EXAMPLES / "prometheus" / "shiftproof-rules.yml")
    for question, given in ((["rules", rules], ""), (["metrics"], text)):
        command = [promtool, "check", *question]
        found = subprocess.run(command, input=given, capture_output=True, text=True, check=False)  # noqa: S603 - ours
        assert (found.returncode, found.stderr) == (0, "")


def test_two_alerts_say_what_to_do() -> None:
    rules = yaml.safe_load((EXAMPLES / "prometheus" / "shiftproof-rules.yml").read_text(encoding="utf-8"))
    alerts = [rule for group in rules["groups"] for rule in group["rules"]]
    assert [rule["alert"] for rule in alerts] == ["ModelNeedsSomebody", "NoBatchArrives"]
    assert all(rule["annotations"]["description"].endswith(".") for rule in alerts)
