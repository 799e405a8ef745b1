"""How right the monitor's estimates without labels are on natural shifts.

python benchmarks/monitor_estimates.py DATA --keep FOLDER

The pairs, models and scores are those of `real_shifts.py`. The labelled rows with their out-of-fold scores are the
reference, the new rows with the refitted model's scores are one batch.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import real_runs
import shiftproof as sp


def estimates_of(folder: Path, keep: Path, pair: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the estimates for the new rows of a pair, by model, and how far each is off."""
    run = real_runs.load(folder, keep, pair, 0)
    if run is None:
        return []
    rows, lines = real_runs.read_rows(folder, pair, 0, "natural"), []
    for model in run.panel.names:
        scores, new = run.panel.out_of_fold[model][:, 1], run.applied[model]
        baseline = sp.Baseline.of(rows.X, scores=scores, labels=rows.y)
        batch = baseline.summarise(rows.X_new.assign(score=new[:, 1]))
        estimate, share = batch.to_dict()["accuracy"], list(batch.shares.values())[1]
        actual = float((new.argmax(axis=1) == run.y_new).mean())
        lines.append(
            {
                "set": run.data_set,
                "type": batch.shift_kind,
                "validated": abs((baseline.validated or 0.0) - actual),
                "accuracy": abs(estimate["estimate"] - actual),
                "covered": estimate["low"] <= actual <= estimate["high"],
                "width": estimate["high"] - estimate["low"],
                "share before": abs(run.panel.y.mean() - run.y_new.mean()),
                "share": abs(share.estimate - run.y_new.mean()),
                "share covered": float(run.y_new.mean()) in share,
                "share width": share.width,
            }
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="a folder with natural_pairs.json")
    parser.add_argument("--keep", type=Path, default=Path(".bench-real"), help="where the fits are kept")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    arguments.keep.mkdir(exist_ok=True)
    pairs = real_runs.read_pairs(arguments.data)
    lines = pd.DataFrame([line for pair in pairs for line in estimates_of(arguments.data, arguments.keep, pair)])
    figures = lines.columns.drop(["set", "type"])
    means = lines.groupby("type")[figures].mean()
    means.loc["all"] = lines[figures].mean()
    means.loc["each data set once"] = lines.groupby("set")[figures].mean().mean()
    means.insert(0, "cases", [*np.unique(lines["type"], return_counts=True)[1], len(lines), len(lines)])
    print(means.round(3).to_string())


if __name__ == "__main__":
    main()
