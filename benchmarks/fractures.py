"""The tables of Cieslak and Chawla (2007, 2009) again, on the eight of their nine sets that are to be had.

Usage::

    python benchmarks/fractures.py DATA [--seeds 10] [--jobs 2] [--keep FILE]

DATA is a folder with the sets (see papers_data.py). As in the papers, each set is split 50:20:30 into training,
validation and test rows; the test rows are shifted in every way of `shiftproof.simulation.Grid`, by every feature in
turn; features are compared with the training rows, and the scores of decision tree, naive Bayes, nearest neighbours and
support vector machine with those of the validation rows. Prints, beside the papers' figures: the proportion of features
failing KS, how often a moved feature fails, the mean Hellinger distance and its skew, the mean phi, and the p-values of
stage one. ``--keep`` appends each run to a file and continues from it.
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

from papers_data import FILES, load_set
from shiftproof import default_models, stress
from shiftproof.panel import three_way_split
from shiftproof.robustness._features import fails
from shiftproof.simulation import Grid
from shiftproof.stats import Reference, hellinger, mean_phi, skewness

MODELS = ["tree", "nb", "knn", "svm"]
SHIFTS = ["base", "MCAR 25", "MCAR 50", "MAR 25", "MAR 50", "MNAR 25", "MNAR 50"]
OFFSETS = ["offset 0.25 sd", "offset 0.5 sd", "offset 1 sd", "offset 2 sd"]
ALPHA = 0.05

#: Table 2 of the 2007 paper: proportion of features failing the KS test, in the order of SHIFTS.
TABLE_2 = {
    "estate": (0.000, 0.000, 0.007, 0.125, 0.174, 0.083, 0.136),
    "mammography": (0.000, 0.028, 0.028, 1.000, 1.000, 1.000, 1.000),
    "oil": (0.000, 0.004, 0.005, 0.266, 0.397, 0.252, 0.386),
    "page": (0.300, 0.190, 0.100, 0.560, 0.590, 0.511, 0.544),
    "pendigits": (0.000, 0.004, 0.027, 0.461, 0.523, 0.425, 0.492),
    "phoneme": (0.000, 0.000, 0.000, 0.520, 0.600, 0.400, 0.500),
    "satimage": (0.000, 0.000, 0.000, 0.875, 1.000, 0.871, 1.000),
    "segment": (0.053, 0.022, 0.033, 0.421, 0.446, 0.395, 0.421),
}


def features(X: pd.DataFrame, y: np.ndarray, seed: int) -> list[dict[str, Any]]:
    """Compare the training rows with every shifted test set, feature by feature."""
    train, _, test = three_way_split(y, random_state=seed)
    reference = Reference(X.iloc[train], n_jobs=1)
    rows = []
    for shifted in Grid(X.iloc[test], y[test], random_state=seed):
        records = reference.compare(shifted.table)
        if shifted.family == "mnar" and shifted.changed is not None:
            del records[shifted.changed]  # masked: nothing to compare
        # Exact p-values only where they can change the answer.
        failed = {name: fails(record, ALPHA) for name, record in records.items()}
        distances = np.array([hellinger(record) for record in records.values()])
        rows.append(
            {
                "shift": shifted.label,
                "feature": shifted.feature,
                "failing": float(np.mean(list(failed.values()))),
                "moved fails": failed.get(shifted.changed) if shifted.changed else None,
                "hellinger": float(distances.mean()),
                "skew": float(skewness(distances)),
                "failed": [name for name, fails in failed.items() if fails],
            }
        )
    return rows


def run_one(folder: Path, name: str, seed: int) -> dict[str, Any]:
    """Run one set and seed."""
    X, y = load_set(folder, name)
    found = stress(default_models(only=MODELS), X, y, random_state=seed, n_jobs=1, bootstraps=20, progress=False)
    asked = ["model", "shift", "kruskal_p_mean", "accuracy", "accuracy_change", "auc", "friedman_p_mean"]
    scores = json.loads(found.to_frame()[asked].to_json(orient="records"))
    return {"set": name, "seed": seed, "features": features(X, y, seed), "scores": scores, "names": list(X.columns)}


def run(folder: Path, seeds: int, keep: Path | None, jobs: int) -> list[dict[str, Any]]:
    """Run what is not yet in the file, and return everything."""
    done: list[dict[str, Any]] = []
    if keep is not None and keep.exists():
        done = [json.loads(line) for line in keep.read_text(encoding="utf-8").splitlines()]
    known = {(one["set"], one["seed"]) for one in done}
    todo = [(name, seed) for seed in range(seeds) for name in FILES if (name, seed) not in known]
    results: Iterator[dict[str, Any]] = Parallel(n_jobs=jobs, return_as="generator_unordered")(
        delayed(run_one)(folder, name, seed) for name, seed in todo
    )
    for count, one in enumerate(results, 1):
        done.append(one)
        if keep is not None:
            with keep.open("a", encoding="utf-8") as file:
                file.write(json.dumps(one) + "\n")
        print(f"\r{count} of {len(todo)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return [one for one in done if one["seed"] < seeds]


def phi_of(one: dict[str, Any], shift: str) -> float:
    """Return the mean phi of all pairs of features over one family's experiments; masked features are not tested."""
    masked = shift.startswith("MNAR")
    failed = [
        [np.nan if masked and name == row["feature"] else float(name in row["failed"]) for name in one["names"]]
        for row in one["features"]
        if row["shift"] == shift
    ]
    return mean_phi(failed).mean


def mean_table(table: pd.DataFrame, rows: str, columns: str, values: str) -> pd.DataFrame:
    """Average one column over everything but two."""
    return table.pivot_table(index=rows, columns=columns, values=values, aggfunc="mean")


def show(title: str, table: pd.DataFrame) -> None:
    """Print a table as Markdown."""
    print(f"\n{title}\n")
    print("| |" + "|".join(str(name) for name in table.columns) + "|")
    print("|---" * (len(table.columns) + 1) + "|")
    for name, row in table.iterrows():
        cells = [value if isinstance(value, str) else f"{value:.3f}" for value in row]
        print(f"|{name}|" + "|".join(cells) + "|")


def main() -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(description="The papers' tables again.")
    parser.add_argument("data", type=Path, help="folder with the papers' sets")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="append outcomes to this file, and continue from it")
    arguments = parser.parse_args()
    done = run(arguments.data, arguments.seeds, arguments.keep, arguments.jobs)
    rows = pd.DataFrame([{"set": one["set"], "seed": one["seed"], **row} for one in done for row in one["features"]])
    failing = mean_table(rows, "set", "shift", "failing")
    beside = pd.DataFrame(
        {
            shift: [f"{failing.loc[name, shift]:.3f} ({TABLE_2[name][at]:.3f})" for name in TABLE_2]
            for at, shift in enumerate(SHIFTS)
        },
        index=list(TABLE_2),
    )
    show(f"Proportion of features failing KS at {ALPHA} (2007, Table 2)", beside)
    moved = rows[rows["shift"].isin(OFFSETS)].assign(fails=lambda table: table["moved fails"].astype(float))
    show("How often KS sees the feature that was moved", mean_table(moved, "set", "shift", "fails")[OFFSETS])
    show(
        "Mean Hellinger distance to the training rows", mean_table(rows, "set", "shift", "hellinger")[SHIFTS + OFFSETS]
    )
    distance = mean_table(rows, "set", "shift", "hellinger")
    show(
        "Change of the mean Hellinger distance, relative to the base (2007, figure 5; 2009, figures 15 and 16)",
        distance.div(distance["base"], axis=0).sub(1)[SHIFTS[1:] + OFFSETS],
    )
    show(
        "Skew of the distances over the features (2007, Table 5)", mean_table(rows, "set", "shift", "skew")[SHIFTS[1:]]
    )
    phi = pd.DataFrame([{"set": one["set"], **{shift: phi_of(one, shift) for shift in SHIFTS[1:]}} for one in done])
    show("Mean phi of failures over all pairs of features (2007, Table 3)", phi.groupby("set").mean())
    scores = pd.DataFrame([{"set": one["set"], **row} for one in done for row in one["scores"]])
    order = [*SHIFTS, *OFFSETS, *sorted(name for name in scores["shift"].unique() if name.startswith("P("))]
    for title, column in (
        ("Mean p-value of stage one, over sets, seeds and features", "kruskal_p_mean"),
        ("Mean p-value of the Friedman test of accuracies", "friedman_p_mean"),
        ("Mean accuracy", "accuracy"),
    ):
        show(title, mean_table(scores, "shift", "model", column).loc[order])


if __name__ == "__main__":
    main()
