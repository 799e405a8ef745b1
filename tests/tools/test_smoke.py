"""Every tool runs in its smallest form, and writes nowhere but into the test's own folder."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import MagicMock

import pandas as pd
import pytest
from tests._smoke import ROOT, Smallest, forms, run_script, scripts

import shiftproof as sp

LABEL = "label"


class Halves(NamedTuple):
    """Stands in for a split of `try_demo`."""

    name: str
    labelled: pd.DataFrame
    new: pd.DataFrame


# Of the demo's calls, so many of a year.
FEW = 300


def draw_demo(words: Sequence[str]) -> None:
    """Stand in for the demo, which tests of the command line run."""
    shutil.copy(ROOT / "docs" / "images" / "acts.svg", words[-1])


def add_days(_: Path, folder: Path, environment: Mapping[str, str], days: Sequence[str]) -> None:
    """Stand in for a recipe."""
    for day in days:
        sp.Monitor(environment["SHIFTPROOF_STORE"]).add(folder / "incoming" / f"{day}.csv", at=day, id=day)


def two_splits(calls: pd.DataFrame) -> list[Any]:
    """Split some calls for `try_demo`."""
    few = calls.drop(columns="t").tail(2 * FEW).reset_index(drop=True)
    return [Halves("calls", few[:FEW], few[FEW:].reset_index(drop=True))] * 2


def write_report(path: Path) -> None:
    """Audit calls of one year, so that the report says what the demo's says."""
    old, new = (sp.load_demo(year=2009).sample(FEW, random_state=seed) for seed in range(2))
    X, X_new = old.drop(columns=LABEL), new.drop(columns=LABEL)
    sp.audit(sp.default_models(only=["lr"]), X, old[LABEL], X_new, cv=2, quick=True).save(path)


EVIDENTLY = MagicMock(**{"Report.return_value.run.return_value.dump_dict.return_value": {"metric_results": {}}})
SMALLEST = {
    "attack_dashboard": Smallest("/bin/true", without="schemathesis"),
    "fill_dashboard": Smallest("dashboard.db"),
    "house": Smallest(),
    "make_benchmarks": Smallest("", {"ROOT": Path(), "PAGE": Path("benchmarks.md")}),
    "make_demo_data": Smallest("calls.csv calls.parquet"),
    "make_how_right": Smallest("", {"ROOT": Path()}),
    "make_papers": Smallest(f"{ROOT}/docs/papers/tables", {"PAPERS": Path("papers"), "TABLES": Path("papers/tables")}),
    "make_pictures": Smallest("", {"ROOT": Path(), "run": draw_demo}, "the demo"),
    "make_reference": Smallest("", {"FOLDER": Path("reference")}),
    "make_stub": Smallest("", {"STUB": Path("stub.pyi")}),
    "make_tool_results": Smallest(
        "",
        {"FOLDER": Path("results")},
        "Evidently and NannyML",
        {"nannyml": MagicMock(), "evidently": EVIDENTLY, "evidently.metrics": MagicMock()},
    ),
    "mutate_guards": Smallest("--count 1 --seed 0 --module experiments/_names.py"),
    "try_demo": Smallest(
        "--seeds 1", {"PAGE": Path("demo.md"), "MODELS": ("lr",), "splits": two_splits, "SKILL": -1.0, "LOSS": -1.0}
    ),
    "try_integrations": Smallest(
        ".venv shell", {"RECIPES": {"shell": add_days}}, "the recipes, Airflow, Dagster, Prefect and actionlint"
    ),
    "try_processors": Smallest(f"--only Haswell -n 0 {ROOT}/tests/core/test_softmax.py"),
    "walk": Smallest("--report report.html", {"SIZES": {1400: 1000}}),
}


def test_every_tool_has_a_smallest_form() -> None:
    assert sorted(SMALLEST) == sorted(scripts("tools"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("path", "form"), forms("tools", SMALLEST))
def test_tool_runs_in_its_smallest_form(
    path: Path, form: Smallest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "docs" / "papers", "papers", ignore=shutil.ignore_patterns("tables"))
    shutil.copytree(ROOT / "docs" / "images", "docs/images")
    shutil.copy(ROOT / "README.md", ".")
    for name in ("how-right.md", "how-right.json"):
        shutil.copy(ROOT / "docs" / name, "docs")
    Path("papers/tables").mkdir()
    pd.DataFrame({"t": [200805, 200806], "duration": 1, "label": [0, 1]}).to_csv("calls.csv", index=False)
    if path.stem == "walk":
        if shutil.which("chromium") is None or not Path(sys.prefix, "axe").is_dir():
            pytest.skip("chromium or axe-core is not there; install what the tests need: make suite")
        write_report(Path("report.html"))
    # In a thread of its own, because a browser that other tests opened in this one forbids a second.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(run_script, path, form, monkeypatch).result()
