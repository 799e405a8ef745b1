"""Fit what natural drift adds to the error of an estimate, and measure the intervals on data sets left out.

Usage::

    python benchmarks/real_allowance.py DATA_DIR [--keep .bench-real]

The constants of ``shiftproof.case._drift.ALLOWANCES`` come from here. For every measure three numbers are fitted by
maximum likelihood, each data set counting once: what every shift adds, what a difference between the routes for prior
and covariate shift adds, and what a difference between the estimate and the validated figure adds. To see whether they
hold elsewhere, the intervals of each data set are then made with constants that were fitted without it. Runs that
`real_shifts.py` kept are read, others are made.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import optimize, stats

import real_runs
from real_shifts import BENEFIT, LEVEL
from shiftproof.case import BREAK_CHANCE, BREAK_SIZE, SOFT_MEASURES, DecisionOptions, drifted, one_hot, unknowable
from shiftproof.case._drift import APART, UNCOVERED
from shiftproof.core import Floats

STUDENT = stats.t(4)
#: The constants that were fitted are multiplied by this: intervals of data sets left out covered more than they say.
SMALLER = 0.92
MEASURES = ("accuracy", "precision", "recall", "f1", "auc", "brier", "profit")


def rows_of(run: real_runs.RealRun, rows: real_runs.Rows) -> list[dict[str, object]]:
    """Return every estimate of a pair: value, errors, what the allowance grows with, and the truth."""
    case = real_runs.case_of(run, rows, DecisionOptions(benefit=BENEFIT))
    prospect, labels = case.prospect, one_hot(run.y_new, 2)
    equal, found = np.full(len(labels), 1 / len(labels)), []
    for name in MEASURES:
        soft, estimates = SOFT_MEASURES[name], prospect.estimate(name)
        validated = np.array(list(prospect.validated(name).values()))
        units = prospect.units(name) if name == "profit" else np.ones(len(validated))
        moved = drifted(
            estimates,
            prospect.routes,
            run.shift,
            measure=name,
            validated=validated,
            units=units,
            higher_is_better=soft.higher_is_better,
        )
        sign = 1 if soft.higher_is_better else -1
        apart = np.minimum(np.abs(estimates.values()[1] - estimates.values()[2]), APART * units)
        for at, (model, side) in enumerate(prospect.sides_for(name).items()):
            truth = soft.function(side.new, labels, equal).value
            found.append(
                {"set": run.data_set, "pair": run.pair, "model": model, "measure": name, "type": run.shift.kind}
                | {"refused": run.shift.refused, "foreign": unknowable(run.shift, "natural"), "sign": sign}
                | {"truth": truth, "validated": validated[at], "value": moved.values[at], "unit": units[at]}
                | {"error": moved.covariance[at, at] ** 0.5, "apart": apart[at]}
            )
    return found


def _grows_with(frame: pd.DataFrame) -> Floats:
    return np.column_stack([frame["unit"], frame["apart"], (frame["value"] - frame["validated"]).abs()])


def _parts(constants: Floats, frame: pd.DataFrame, uncovered: float = 1.0) -> tuple[Floats, Floats]:
    """Return the loss by a break and the scale of every estimate; `uncovered` is for tables too different."""
    broken = BREAK_SIZE * constants[0] * frame["unit"].to_numpy()
    allowance = _grows_with(frame) @ constants * np.where(frame["refused"], uncovered, 1.0)
    return broken, np.hypot(frame["error"], allowance)


def fit(frame: pd.DataFrame) -> Floats:
    """Return the three constants that make what happened likeliest."""
    weights = 1 / frame.groupby("set")["model"].transform("size")
    off = (frame["sign"] * (frame["truth"] - frame["value"])).to_numpy()

    def unlikely(logs: Floats) -> float:
        loss, scale = _parts(np.exp(logs), frame)
        calm, broken = (STUDENT.pdf((off + moved) / scale) / scale for moved in (0.0, loss))
        return -float((weights * np.log((1 - BREAK_CHANCE) * calm + BREAK_CHANCE * broken)).sum())

    start = np.full(3, np.log(0.05))
    return np.exp(optimize.minimize(unlikely, start, method="Nelder-Mead", options={"maxiter": 4_000}).x)


def _quantile(loss: Floats, scale: Floats, at: float) -> Floats:
    """Return a quantile of calm drift mixed with breaks, by bisection."""
    low, high = np.full(len(scale), -60.0), np.full(len(scale), 60.0)
    for _ in range(60):
        middle = (low + high) / 2
        calm, broken = (STUDENT.cdf((middle + moved) / scale) for moved in (0.0, loss))
        below = (1 - BREAK_CHANCE) * calm + BREAK_CHANCE * broken < at
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


def left_out(frame: pd.DataFrame) -> pd.DataFrame:
    """Give each data set the intervals that the others' constants make."""
    parts = []
    for name, part in frame.groupby("set"):
        loss, scale = _parts(SMALLER * fit(frame[frame["set"] != name]), part, UNCOVERED)
        worst, best = (_quantile(loss, scale, (1 + side * LEVEL) / 2) for side in (-1, 1))
        ends = part["value"].to_numpy()[:, None] + part["sign"].to_numpy()[:, None] * np.column_stack([worst, best])
        low, high = np.sort(ends, axis=1).T
        if part["measure"].iloc[0] != "profit":
            low, high = low.clip(0, 1), high.clip(0, 1)
        parts.append(part.assign(low=low, high=high))
    return pd.concat(parts)


def main() -> None:
    """Read the command line, fit, and print constants and coverage."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path, metavar="DATA_DIR")
    parser.add_argument("--keep", type=Path, default=Path(".bench-real"), help="where fitted runs are kept")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    found = []
    for pair in real_runs.read_pairs(options.folder):
        run = real_runs.load(options.folder, options.keep, pair, 0)
        if run is not None:
            found += rows_of(run, real_runs.read_rows(options.folder, pair, 0, "natural"))
    # Where nothing is visible another, smaller allowance holds; foreign tables get no estimate.
    every = pd.DataFrame(found).dropna()
    every = every[(every["type"] != "none") & ~every["foreign"]]
    table = []
    for name in MEASURES:
        frame = every[every["measure"] == name]
        checked = left_out(frame)
        covered = (checked["low"] <= checked["truth"]) & (checked["truth"] <= checked["high"])
        width, refused = checked["high"] - checked["low"], checked["refused"]
        constants = dict(zip(("constant", "by_routes", "by_move"), SMALLER * fit(frame), strict=True))
        table.append(
            {"measure": name}
            | constants
            | {"covered": covered.mean(), "each set once": covered.groupby(checked["set"]).mean().mean()}
            | {"covered type": covered[~refused].mean(), "width type": width[~refused].mean()}
            | {"covered too different": covered[refused].mean(), "width too different": width[refused].mean()}
        )
    print(pd.DataFrame(table).set_index("measure").round(4).to_string())


if __name__ == "__main__":
    main()
