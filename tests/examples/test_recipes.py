"""The recipes for jobs: what can run here runs, the rest is checked by the program that would read it."""

from __future__ import annotations

import logging
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from configparser import ConfigParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from tests.alerts._servers import Hook, web_server
from tests.cli.test_monitor import rows

from shiftproof.alerts import Webhook
from shiftproof.cli import run
from shiftproof.monitoring import Monitor

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
UNITS = sorted((EXAMPLES / "systemd").iterdir())
# Stands for the command in shells: it writes down what it is called with, and exits as a test says. Starting Python for
# every command would take longer than everything else; `make integrations` does it.
STAND_IN = """#!/bin/sh
printf '%s\\n' "$*" >> calls
printf '%s' "${SHIFTPROOF_SECRET:-}" > secret
case "$2" in "${FAILING:-}") exit "${STATUS:-0}";; esac
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recipes")
    rows(0, n=400).to_csv(folder / "reference.csv", index=False)
    (folder / "incoming").mkdir()
    for day in (1, 2):
        batch = rows(day, shift=15.0 * (day - 1)).drop(columns="y")
        batch.to_csv(folder / "incoming" / f"2024-03-0{day}.csv", index=False)
    words = ["--reference", folder / "reference.csv", "--score-column", "p", "--target", "y", "--exclude", "date"]
    assert run(["monitor", "init", str(folder / "calls.db"), *map(str, words)]) == 0
    (folder / "bin").mkdir()
    (folder / "bin" / "shiftproof").write_text(STAND_IN)
    (folder / "bin" / "shiftproof").chmod(0o755)
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with a store and two batches of which the second raises an alarm."""
    place = Path(shutil.copytree(made, tmp_path / "place"))
    monkeypatch.chdir(place)
    monkeypatch.setattr("shiftproof.cli._incoming._SETTLED", 0.0)
    return place


@pytest.fixture
def hook() -> Iterator[Hook]:
    with web_server() as hook:
        yield hook


def shell(*words: str | Path, **variables: str) -> Any:
    path = f"{Path.cwd() / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(  # noqa: S603 - our own programs
        list(map(str, words)),
        env=os.environ | {"PATH": path} | variables,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )


def calls() -> list[list[str]]:
    """Return what the stand-in was called with."""
    return [line.split() for line in Path("calls").read_text().splitlines()]


def test_nightly_script_adds_reports_and_delivers(place: Path, hook: Hook) -> None:
    assert shell(EXAMPLES / "nightly.sh", "calls.db", "incoming", "page.html").returncode == 0
    Monitor("calls.db").alerts.add(Webhook(url=hook.url))
    assert [run(words) for words in calls()] == [0, 0, 0]
    assert "Monitor default" in (place / "page.html").read_text()
    assert len(hook.requests) == 1
    status = Monitor("calls.db").status()
    assert [line.batch.id for line in status.recent] == ["2024-03-01.csv", "2024-03-02.csv"]


@pytest.mark.parametrize(("failing", "status", "n_calls"), [("add", 2, 1), ("status", 3, 2), ("deliver", 1, 3)])
def test_nightly_script_says_by_its_status_what_went_wrong(
    place: Path, failing: str, status: int, n_calls: int
) -> None:
    done = shell(EXAMPLES / "nightly.sh", "calls.db", "incoming", "page.html", FAILING=failing, STATUS=str(status))
    assert (done.returncode, len(calls())) == (status, n_calls)


def cron_lines() -> list[tuple[list[str], str]]:
    lines = (EXAMPLES / "cron" / "shiftproof.crontab").read_text().splitlines()
    jobs = [
        line.split(maxsplit=5) for line in lines if line and not line.startswith("#") and "=" not in line.split()[0]
    ]
    return [(job[:5], job[5]) for job in jobs]


def test_lines_of_cron_have_five_fields_and_a_command_without_a_percent_sign() -> None:
    field = re.compile(r"(\*|\d+)(/\d+)?")
    jobs = cron_lines()
    assert len(jobs) == 2
    for fields, command in jobs:
        assert all(field.fullmatch(one) for one in fields)
        # Cron takes it for the end of a line.
        assert "%" not in command


def test_commands_of_cron_run_with_their_secrets(place: Path) -> None:
    (place / "env").write_text("SHIFTPROOF_SECRET=hunter2\n")
    for _, command in cron_lines():
        moved = command.replace("/etc/shiftproof", str(place)).replace("/var/lib/shiftproof", str(place))
        done = shell("/bin/sh", "-c", moved.replace("/opt/shiftproof", str(EXAMPLES)))
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert (place / "secret").read_text() == "hunter2"
    assert [words[:2] for words in calls()] == [["monitor", name] for name in ("add", "status", "deliver", "deliver")]
    assert [run(words) for words in calls()] == [0, 0, 0, 0]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_units_of_systemd_are_valid(path: Path, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    for unit in UNITS:
        # The programs and the user of the example need not exist on this machine.
        text = re.sub(r"ExecStart=/opt/\S+", "ExecStart=/bin/true", unit.read_text()).replace("User=shiftproof", "")
        (tmp_path / unit.name).write_text(text)
    done = shell("systemd-analyze", "verify", "--man=no", tmp_path / path.name)
    assert [line for line in done.stderr.splitlines() if "shiftproof" in line] == []


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_units_of_systemd_belong_together(path: Path) -> None:
    unit: Any = ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read(path)
    partner = path.with_suffix(".timer" if path.suffix == ".service" else ".service")
    assert partner.exists()
    if path.suffix == ".timer":
        assert unit["Install"]["WantedBy"] == "timers.target"
    else:
        assert unit["Service"]["Type"] == "oneshot"
        assert unit["Service"]["ExecStart"].startswith("/opt/shiftproof/")


class Bash:
    """Stand in for Airflow's decorator and its tasks: keeps the commands in their order."""

    def __init__(self) -> None:
        self.commands: list[str] = []

    def __call__(self, **_: object) -> Callable[[Callable[[], str]], Callable[[], Bash]]:
        return lambda task: lambda: self.keep(task())

    def keep(self, command: str) -> Bash:
        """Keep the command of a task."""
        self.commands.append(command)
        return self

    def __rshift__(self, other: Bash) -> Bash:
        return other


def as_it_is(function: Any = None, **_: object) -> Any:
    """Stand in for a decorator, with or without options."""
    return as_it_is if function is None else function


def run_prefect(recipe: Any, day: str) -> None:
    assert recipe.nightly(day)
    assert recipe.deliver_alerts() == 0


def run_dagster(recipe: Any, day: str) -> None:
    recipe.monitored_batch(SimpleNamespace(partition_key=day))
    recipe.no_open_incident()
    recipe.deliver_waiting_alerts(SimpleNamespace(log=logging.getLogger()))


def run_airflow(recipe: Any, day: str) -> None:
    for command in recipe.task.bash.commands:
        assert run(shlex.split(command.replace("{{ ds }}", day))[1:]) == 0


DECORATORS = dict.fromkeys(("asset", "asset_check", "dag", "flow", "job", "op", "task"), as_it_is)
# The libraries of each recipe, which `make integrations` has, are left out; the recipe runs on stand-ins for them.
RECIPES: dict[str, tuple[Callable[[Any, str], None], dict[str, Any]]] = {
    "airflow": (run_airflow, {"airflow.sdk": {"task": SimpleNamespace(bash=Bash())}, "pendulum": {}}),
    "dagster": (run_dagster, {"dagster": {}}),
    "prefect": (run_prefect, {"prefect": {}}),
}


def test_every_recipe_in_python_is_run() -> None:
    assert sorted(RECIPES) == sorted(path.parent.name for path in EXAMPLES.rglob("*.py"))


@pytest.mark.parametrize("name", [pytest.param(name, id=f"{name}, without its library") for name in RECIPES])
def test_recipe_in_python_adds_each_day_once(name: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_day, libraries = RECIPES[name]
    for library, own in libraries.items():
        monkeypatch.setitem(sys.modules, library, MagicMock(**DECORATORS | own))
    monkeypatch.setenv("SHIFTPROOF_STORE", "calls.db")
    monkeypatch.setenv("SHIFTPROOF_INCOMING", "incoming")
    recipe = SimpleNamespace(**runpy.run_path(str(EXAMPLES / name / "shiftproof_monitor.py")))
    for day in ("2024-03-01", "2024-03-02", "2024-03-02"):
        run_day(recipe, day)
    assert [line.batch.id for line in Monitor("calls.db").status().recent] == ["2024-03-01", "2024-03-02"]


def test_workflow_is_valid_and_its_commands_run(place: Path) -> None:
    yaml = pytest.importorskip("yaml")
    workflow = yaml.safe_load((EXAMPLES / "github-actions" / "shiftproof-monitor.yml").read_text())
    # YAML reads the key `on` as true.
    assert {*workflow} == {"name", True, "permissions", "concurrency", "jobs"}
    steps = workflow["jobs"]["nightly"]["steps"]
    assert all(("run" in step) != ("uses" in step) for step in steps)
    commands = [step["run"].split() for step in steps if step.get("run", "").startswith("shiftproof")]
    # The last one is red because an incident is open.
    assert [run(words[1:]) for words in commands] == [0, 0, 1]
    assert (place / "page.html").exists()
