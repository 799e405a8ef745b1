"""False alarms of both stages where nothing changed, and how often a shift of 200 rows is found.

Usage::

    python benchmarks/false_alarms.py DATA [--splits 500] [--power 5] [--jobs 2] [--keep FILE]

DATA is a folder with the sets of the papers. Each split draws 1,000 reference rows, cross-fits
tree, naive Bayes, logistic regression and forest on them, and draws 1,000 other rows as new ones, or for the power 200
rows after dropping the upper half of a feature (MAR 50) or after moving one by a standard deviation. Stage one is asked
in both ways that are like with like: by the panel (each new row scored by one fold's model), and by one model on rows
held out. ``--keep`` appends each split's outcome to a file and continues from it. Prints two tables.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from shiftproof import detect
from shiftproof.experiments import DataSources
from shiftproof.experiments._fractures_runs import load_set
from shiftproof.panel import Panel, cross_fit, default_models
from shiftproof.simulation import mar, offset
from shiftproof.stats import kruskal_wallis

SETS = ("mammography", "phoneme", "pendigits", "satimage", "page")
MODELS = ["tree", "nb", "lr", "forest"]
ALPHA = 0.05
REFERENCE, CURRENT, FEW, FOLDS = 1_000, 1_000, 200, 5


def outcomes(panel: Panel, old: pd.DataFrame, new: pd.DataFrame, seed: int) -> dict[str, bool]:
    """Ask both stages whether anything changed."""
    found = detect(old, new, panel=panel, alpha=ALPHA, random_state=seed, n_jobs=1)
    features = any(row.shifted for row in found.rows)
    together = found.multivariate is not None and found.multivariate.shifted
    stage_one = any(row.shifted for row in found.scores)
    held = {name: held_out(panel, name, new) for name in panel.names}
    return {
        **{f"panel {row.model}": row.p_value <= ALPHA for row in found.scores},
        **{f"held out {name}": p <= ALPHA for name, p in held.items()},
        "stage one": stage_one,
        "features": features,
        "features or together": features or together,
        "any": stage_one or features or together,
    }


def held_out(panel: Panel, name: str, new: pd.DataFrame) -> float:
    """Compare the rows that the first fold's model did not see with the new ones."""
    rows = panel.folds[0] == 0
    scores = panel.fold_scorers[name][0][0](new)
    return kruskal_wallis(panel.out_of_fold[name][rows, 1], scores[:, 1]).p_value


def prepare(folder: Path, name: str, seed: int) -> tuple[Panel, pd.DataFrame, pd.DataFrame]:
    """Draw a reference, cross-fit on it, and return it with all other rows."""
    X, y = load_set(DataSources(folder), name)
    order = np.random.default_rng(seed).permutation(len(X))
    old = X.iloc[order[:REFERENCE]]
    models = default_models(only=MODELS)
    panel = cross_fit(models, old, y[order[:REFERENCE]], cv=FOLDS, refit=False, random_state=seed, n_jobs=1)
    return panel, old, X.iloc[order[REFERENCE:]]


def quiet(folder: Path, name: str, seed: int) -> list[dict[str, Any]]:
    """Compare rows of one table with others of the same table."""
    panel, old, rest = prepare(folder, name, seed)
    return [{"set": name, "seed": seed, "case": "none", **outcomes(panel, old, rest.iloc[:CURRENT], seed)}]


def shifted(folder: Path, name: str, seed: int) -> list[dict[str, Any]]:
    """Shift 200 new rows by every feature in turn."""
    panel, old, rest = prepare(folder, name, seed)
    found = []
    for at, feature in enumerate(rest.columns):
        rng = np.random.default_rng((seed, at))
        for case, table in (("MAR 50", mar(rest, feature, 0.5)[0]), ("offset 1 sd", offset(rest, feature, 1.0)[0])):
            new = table.iloc[rng.permutation(len(table))[:FEW]]
            found.append(
                {"set": name, "seed": seed, "case": case, "feature": feature, **outcomes(panel, old, new, seed)}
            )
    return found


def run(folder: Path, splits: int, power: int, keep: Path | None, jobs: int) -> pd.DataFrame:
    """Run what is not yet in the file, and return everything."""
    done: list[dict[str, Any]] = []
    if keep is not None and keep.exists():
        done = [row for line in keep.read_text(encoding="utf-8").splitlines() for row in json.loads(line)]
    known = {(row["set"], row["seed"], row["case"] != "none") for row in done}
    wanted = [(name, seed, False) for seed in range(splits) for name in SETS]
    wanted += [(name, seed, True) for seed in range(power) for name in SETS]
    todo = [job for job in wanted if job not in known]
    results: Iterator[list[dict[str, Any]]] = Parallel(n_jobs=jobs, return_as="generator_unordered")(
        delayed(shifted if with_shift else quiet)(folder, name, seed) for name, seed, with_shift in todo
    )
    for count, rows in enumerate(results, 1):
        done += rows
        if keep is not None:
            with keep.open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows, default=bool) + "\n")
        print(f"\r{count} of {len(todo)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    chosen = {(name, seed, with_shift) for name, seed, with_shift in wanted}
    return pd.DataFrame([row for row in done if (row["set"], row["seed"], row["case"] != "none") in chosen])


def main() -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(description="False alarms without shift, and power at 200 new rows.")
    parser.add_argument("data", type=Path, help="folder with the papers' sets")
    parser.add_argument("--splits", type=int, default=500)
    parser.add_argument("--power", type=int, default=5, help="seeds of the power table")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="append outcomes to this file, and continue from it")
    arguments = parser.parse_args()
    table = run(arguments.data, arguments.splits, arguments.power, arguments.keep, arguments.jobs)
    asked = [name for name in table.columns if name not in ("set", "seed", "case", "feature")]
    none = table[table["case"] == "none"]
    if len(none):
        rates = none.groupby("set")[asked].mean().T
        rates["mean"] = rates.mean(axis=1)
        sizes = f"{REFERENCE:,} against {CURRENT:,} rows, {arguments.splits} splits"
        print(f"\nAlarms at {ALPHA} without any shift ({sizes})\n")
        print(rates.round(3).to_string())
    rest = table[table["case"] != "none"]
    if len(rest):
        print(f"\nShifts found in {FEW} new rows (every feature, {arguments.power} seeds)\n")
        print(rest.groupby(["case", "set"])[["stage one", "features", "any"]].mean().round(3).to_string())
        print(rest.groupby("case")[["stage one", "features", "any"]].mean().round(3).to_string())


if __name__ == "__main__":
    main()
