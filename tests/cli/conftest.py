"""Tables whose shifts can be told by hand, and the command line run on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typer

from shiftproof.cli import run
from shiftproof.cli._demo_acts import Act
from shiftproof.core import Interval


@pytest.fixture(autouse=True)
def _a_wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    # Typer colours its help in the jobs of some services, and has asked for that when it was imported.
    monkeypatch.setattr("typer.rich_utils.FORCE_TERMINAL", None)


@pytest.fixture(autouse=True, scope="module")
def _commands_made_once() -> Iterator[None]:
    """Let Typer make the commands once: it makes all of them anew for every call, which a user does not wait for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.main.get_command", cache(typer.main.get_command))
        yield


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run the command line; return its exit code, standard output and standard error."""

    def run_captured(*arguments: str | Path) -> tuple[int, str, str]:
        code = run([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return run_captured


def table(rows: int, *, shift: float) -> pd.DataFrame:
    """Return `amount`, spread evenly over [0, 1) + shift, and `job`, half and half."""
    scattered = (np.arange(rows) * 37) % rows
    return pd.DataFrame({"amount": scattered / rows + shift, "job": np.where(np.arange(rows) % 2, "nurse", "clerk")})


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of tables.

    Against ``old.csv``: ``same.csv`` has its rows in reverse, ``shifted.csv`` has a KS distance of 0.3 in `amount`,
    ``numbered.csv`` has an identifier. Against ``many.csv``, ``slight.csv`` has one of 0.03, which is significant but
    negligible.
    With ``few.csv`` nothing can be said. ``labelled.csv`` is ``old.csv`` with a column `y`, ``relabelled.csv`` and
    ``renumbered.csv`` are in reverse; in ``ragged.csv`` line 3
    is short.
    """
    place = tmp_path_factory.mktemp("tables")
    old = table(200, shift=0.0)
    tables = {
        "old": old,
        "same": old.iloc[::-1],
        "shifted": table(200, shift=0.3),
        "numbered": old.assign(number=range(200)),
        "labelled": old.assign(y=np.arange(200) % 3),
        "relabelled": old.assign(y=np.arange(200) % 3).iloc[::-1],
        "renumbered": old.assign(number=range(200)).iloc[::-1],
        "many": table(20_000, shift=0.0),
        "slight": table(20_000, shift=0.03),
        "few": table(5, shift=0.0),
    }
    for name, rows in tables.items():
        rows.to_csv(place / f"{name}.csv", index=False)
    (place / "ragged.csv").write_text("amount,job\n0.5,nurse\n0.5\n0.5,clerk\n")
    return place


@pytest.fixture
def act() -> Callable[..., Act]:
    """Make an act of the demo of given figures: one model, 90% intervals."""

    def make(low: float = 0.713, high: float = 0.757, *, labels: int = 0) -> Act:
        refused = low != low
        interval = Interval(estimate=(low + high) / 2, low=low, high=high, level=0.9, method="made")
        accuracy = SimpleNamespace(validated=0.832, interval=interval, refused=refused)
        performance: Any = SimpleNamespace(
            estimates={"lr": {"accuracy": accuracy}},
            names=("lr",),
            interval=lambda _: interval,
            training={0: 0.831, 1: 0.169},
            labelled=range(labels),
            refusal=("12 new rows are too few to estimate anything of them; get more.",) if refused else (),
            shift=SimpleNamespace(refused=False, reasons=()),
            to_dict=lambda: {"level": 0.9},
        )
        return Act(
            title="It answers",
            about="no mortgage",
            question="How accurate is lr?",
            model="lr",
            performance=performance,
            actual={"lr": {"accuracy": 0.74}},
            baseline=0.721,
        )

    return make
