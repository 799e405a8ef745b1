"""Every benchmark runs in its smallest form: its limits are not looked at, but all that it reads must exist."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from tests._smoke import Smallest, forms, run_script, scripts

from shiftproof.data import load_demo
from shiftproof.experiments._catalogue import CATALOGUE
from shiftproof.panel import default_models
from shiftproof.quantification import AdjustedCount, ClassifyAndCount


def silent_peers(path: str) -> None:
    """Print what the peers of `comparison` would, without a figure."""
    found = {}
    for name, table in np.load(path).items():
        k = table.shape[1]
        square, triples = np.full((k, k), np.nan).tolist(), np.full((k * (k - 1) // 2, 3), np.nan).tolist()
        seconds = dict.fromkeys(("ranks", "compare", "nemenyi", "wilcoxon-holm", "bayes"), np.nan)
        found[name] = {"nemenyi": square, "wilcoxon": square, "ranks": square[0], "bayes": triples, "seconds": seconds}
        found[name] |= dict.fromkeys(("friedman", "difference"), np.nan)
    versions = dict.fromkeys(("autorank", "baycomp", "scikit-posthocs"), "0")
    print(json.dumps({"found": found, "versions": versions}))  # noqa: T201 - as the script does


def two_models(only: tuple[str, ...] = ("lr", "nb")) -> dict[str, Any]:
    """Return two of the default models, or those that are named."""
    return default_models(only=only)


def ours(reference: Any, batches: Any) -> Any:
    """Return our alarms for `monitor`."""
    return import_module("benchmarks.monitor_peers").shiftproof(reference, batches)


def changes(reference: Any, batches: Any) -> Any:
    """Stand in for a peer of `monitor` with our alarm *changed*."""
    return {"": ours(reference, batches)["changed"]}


TWO: dict[str, Any] = {"classify and count": ClassifyAndCount, "adjusted count": AdjustedCount}


def our_quantifiers() -> Any:
    """Stand in for the peers of `quantification`."""
    return import_module("benchmarks.quantifier_peers").Library(
        ten={
            name: partial(lambda make, folds: make(LogisticRegression(), cv=folds), make) for name, make in TWO.items()
        },
        defaults={name: partial(make, LogisticRegression()) for name, make in TWO.items()},
        fit=lambda quantifier, X, y: quantifier.fit(X, y),
        evaluate=lambda fitted, X, *_: fitted.predict(X),
        estimate=lambda fitted, X, samples: np.array([fitted.predict(X[rows]) for rows in samples]),
    )


def some_settings() -> list[Any]:
    """Return a setting of each kind for `rehearsal`."""
    setting = import_module("benchmarks.rehearsal").Setting
    return [setting(100, "number", 0.4), setting(100, "category", 0.4), setting(100, "drop", 0.2, 20)]


OUR_QUANTIFIERS: dict[str, object] = {
    "benchmarks.quantifier_peers.LIBRARIES": dict.fromkeys(
        ("mlquantify", "quantificationlib", "quapy"), our_quantifiers
    ),
    "benchmarks.quantifier_peers.version": lambda _: "0",
}
# Fits of natural pairs are kept for all benchmarks that read them.
REAL = Smallest(
    "{data} --keep {made}", {"real_runs.MOST_ROWS": 150, "real_runs.MODELS": ("lr", "nb"), "real_runs.FOLDS": 2}
)
SMALLEST = {
    "audit": Smallest("--rows 200 --features 12", {"MODELS": ("lr", "nb")}),
    "backtest": REAL._replace(smaller={**REAL.smaller, "ENOUGH": 1}),
    "backtest_cost": Smallest("--rows 100 --periods 4"),
    "comparison": Smallest(
        sys.executable,
        {"peers": silent_peers, "tables": lambda: {"few": np.random.default_rng(0).random((6, 3))}}
        | {"SAMPLES": 500, "N_RUNS": 1},
        "autorank, baycomp and scikit-posthocs",
    ),
    "cross_fit": Smallest("--folds 2 --rounds 1", {"load_demo": lambda year: load_demo(year=year).head(500)}),
    "dashboard": Smallest(
        "",
        {"REQUESTS": 5, "BROWSERS": 2, "SECONDS": 0.5, "WRITERS": 1, "COMPILING": 0.0, "BATCHES": 10}
        | {"PAGES": {"column": "/monitors/1/feature?feature=x07&from=all", "batch": "/monitors/1/batches/5"}},
    ),
    "dashboard_store": Smallest(),
    "deployed": Smallest("--rows 500 --columns 5 --score-rows 500"),
    "detectors": Smallest("shiftproof {data}", {"N_RUNS": 1}, "alibi-detect, Evidently, frouros and NannyML"),
    "domain_check": Smallest(
        "{data} --quiet 2 --large 1 --power 2",
        {"SETS": ("phoneme",), "MORE": {"adult": ("adult.csv", slice(0, 5))}, "WITH_CATEGORIES": ("adult",)}
        | {"SMALL": (40,), "LARGE": 60, "POWER_ROWS": (30,), "COSTS": ((200, 3),)},
    ),
    "drift_files": Smallest("{data}"),
    "estimation_runs": Smallest(),
    "false_alarms": Smallest(
        "{data} --splits 1 --power 1 --jobs 1",
        {"SETS": ("phoneme",), "MODELS": ["nb"], "REFERENCE": 100, "CURRENT": 80, "FEW": 40, "FOLDS": 2},
    ),
    "judge": Smallest("--times 1", {"RATES": (0.3,), "JUDGES": ((0.85, 0.85),), "COUNTS": (50,)}),
    "kind_of_shift": Smallest(
        "{data} --seeds 1",
        {"TUNING": ["hddt_phoneme"], "FRESH": ["balance.1"], "MULTICLASS": ("satimage_multiclass",), "FEWEST": 100}
        | {"SIZES": (100,)},
    ),
    "labels": REAL._replace(words="{data} --keep {made} --jobs 1 --draws 1", smaller={**REAL.smaller, "COUNTS": (20,)}),
    "large_tables": Smallest("detect --rows 2000 --columns 3\naudit --rows 2000 --columns 4"),
    "measure": Smallest(),
    "monitor": Smallest(
        f"{sys.executable} --streams 2 --batches 20",
        {"PEERS": {"adwin": 1}, "benchmarks.monitor_tables.FEW": 2, "benchmarks.monitor_tables.SOME": 2}
        | {"QUIET_BATCHES": 3, "CHANGED_BATCHES": 2}
        | {
            "benchmarks.monitor_peers.LIBRARIES": {"shiftproof": ("shiftproof", ours), "adwin": ("shiftproof", changes)}
        },
        "Evidently, NannyML and river",
    ),
    "monitor_delays": Smallest(),
    "monitor_estimates": REAL,
    "monitor_labels": REAL._replace(words="{data} --models nb"),
    "monitor_paging": Smallest(),
    "monitor_peers": Smallest("shiftproof {data} --streams 1", without="Evidently, NannyML and river"),
    "monitor_seasons": Smallest(),
    "monitor_segments": Smallest(),
    "monitor_streams": Smallest(),
    "monitor_tables": Smallest(),
    "neighbors": Smallest("", {"ROWS": 120, "GROWN": (500, 1_000), "RUNS": 1}),
    "peers": Smallest(
        f"{sys.executable} --rows 1000", {"PEERS": ("shiftproof",)}, "alibi-detect, Evidently, frouros and NannyML"
    ),
    "quantification": Smallest(
        f"{sys.executable} {{data}} --quick --only speed thesis labels accuracy multiclass",
        {"TEN": TWO, "PREVALENCES": 3, "N_RUNS": 1, "THESIS_FOLDS": 2, "SEEDS": 1, "SIZE": 50, "SIMPLEX_SIZE": 50}
        | {"THESIS_SETS": ("vote",), "BINARY_SETS": ("vote",), "MULTICLASS_SETS": ("satimage_multiclass",)}
        | {"make_classification": lambda *_, **how: make_classification(300, 20, **how)}
        | OUR_QUANTIFIERS,
        "mlquantify, quantificationlib and QuaPy",
    ),
    "quantifier_peers": Smallest("quapy labels {data}", OUR_QUANTIFIERS, "mlquantify, quantificationlib and QuaPy"),
    "quantify": Smallest("", {"CASES": ("3 200 100 1.0",), "MODELS": ("lr", "nb")}),
    "ratios": Smallest(),
    "real_allowance": Smallest(),
    "real_runs": Smallest(),
    "real_shifts": REAL._replace(words="{data} --keep {made} --table {made}/table.csv --write {made}/figures.json"),
    "real_tables": Smallest(),
    "rehearsal": Smallest(
        "--streams 2",
        {"settings": some_settings, "PAST": 5, "HORIZON": 3},
    ),
    "selection": Smallest(
        "{data} --keep {made} --quick --jobs 1",
        {"estimation_runs.SIZES": (40,), "estimation_runs.FEWEST": 100, "estimation_runs.MODELS": ("lr", "nb")}
        | {"selection_runs.FOLDS": 3, "selection_runs.REPEATS": 2, "selection_runs.default_models": two_models}
        | {"shiftproof.default_models": two_models, "DRAWN": 20},
    ),
    "selection_runs": Smallest(),
    "structured": Smallest("--rows 200", {"N_RUNS": 1}),
    "two_sample": Smallest("--rows 2000 --columns 2", {"GROWTH": (1_000, 2_000)}),
}


def rows(n: int, *, classes: int = 2, text: bool = False) -> pd.DataFrame:
    """Make a table whose first column tells the classes."""
    rng = np.random.default_rng(n + classes)
    y = rng.permutation(np.arange(n) % (5 if classes == 2 else classes))
    y = (y < 2).astype(int) if classes == 2 else y
    table = pd.DataFrame({f"x{at}": rng.normal(y * (at == 0), 1.0) for at in range(4)})
    if text:
        table["job"] = rng.choice(["clerk", "nurse", "pilot"], n)
    return table.assign(label=y)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a small table for each file that a benchmark reads, and one for fits that are kept."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "made").mkdir()
    for name in ("adult", "hddt_page", "hddt_phoneme", "balance.1", "balance.2", "ionosphere", "iris.2", "vote"):
        rows(240, text=name == "adult").to_csv(folder / f"{name}.csv", index=False)
    for name in ("pendigits", "satimage", "segment"):
        rows(240, classes=4).to_csv(folder / f"{name}_multiclass.csv.gz", index=False)
    for name in ("bank", "elec2", "us_accidents"):
        table = rows(300, text=True)
        months = 200805 + np.arange(len(table)) * 6 // len(table)
        late = dict.fromkeys(("duration", "day", "month", "target_multi"), 1)
        table.assign(t=months, **late).to_csv(folder / f"drift_{name}.csv.gz", index=False)
    rows(600, text=True).assign(year=np.arange(600) // 150).to_csv(folder / "natural_student.csv.gz", index=False)
    pairs = [
        {"set": "student", "file": "natural_student.csv.gz", "name": f"{year}", "drop": ["year"]}
        | {side: {"column": "year", "op": "==", "value": year + at} for at, side in enumerate(("old", "new"))}
        | {"sequence": "years", "step": year}
        for year in range(3)
    ]
    (folder / "natural_pairs.json").write_text(json.dumps(pairs))
    for name in ("reference", "current"):
        rows(300, text=True).to_parquet(folder / f"{name}.parquet")
    rng = np.random.default_rng(0)
    streams: dict[str, Any] = {"a/reference": rng.normal(size=(1, 100)), "a/batches": rng.normal(size=(1, 3, 50))}
    np.savez(folder / "streams", **streams)
    X, y = make_classification(100, random_state=0)
    np.savez(folder / "labels", X=X, y=y, X_test=X)
    return folder


def test_every_benchmark_has_a_smallest_form() -> None:
    assert sorted(SMALLEST) == sorted(scripts("benchmarks"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("path", "form"), forms("benchmarks", SMALLEST))
def test_benchmark_runs_in_its_smallest_form(
    path: Path, form: Smallest, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = data / "made"
    monkeypatch.setattr("tempfile.tempdir", str(made))
    # Sources state the sizes of their sets, which those of this test are not.
    monkeypatch.setattr(
        "shiftproof.experiments._sources.CATALOGUE", {n: replace(s, rows=None) for n, s in CATALOGUE.items()}
    )
    run_script(path, form, monkeypatch, data=data, made=made)
    # Such as the pages of a dashboard that were not answered.
    assert not re.search(r"[1-9]\d* failed", capsys.readouterr().out)
