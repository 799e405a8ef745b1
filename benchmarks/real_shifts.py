"""Measure how right audits are on shifts that time, place or group have made.

Usage::

    python benchmarks/real_shifts.py DATA_DIR [--keep .bench-real] [--quick] [--seeds 1] [--jobs 2]

``DATA_DIR/natural_pairs.json`` lists pairs of tables: labelled rows and new rows of one data set, parted by a rule on
one column. Every pair is audited without the labels of the new rows, and the audit is then verified by them. Fitted
models are kept in ``--keep``, so that a run that was stopped goes on where it was.

Printed are, for accuracy, F1, AUC, profit and class proportions: the mean error and bias of our estimates and of those
that others would make, how often 90% intervals cover and how wide they are; by type of shift, confidence and data set;
the order of models; and verdicts against the loss. Random halves of the same tables follow, where nothing shifted.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

import real_runs
import shiftproof as sp
from shiftproof.auditing._audit import _audit, _Clock, _Options
from shiftproof.case import DecisionOptions
from shiftproof.case._precedents import COLUMNS
from shiftproof.core import InputError

LEVEL, TOLERANCE = 0.9, 0.05
#: A missed positive costs three times as much as a false alarm.
BENEFIT = sp.Benefit.matrix([[0.0, -1.0], [-3.0, 0.0]])
MEASURES = ("accuracy", "f1", "auc", "profit", "share")
#: Which data sets `--quick` takes: small ones with a sequence or a change of place.
QUICK = ("student", "compas", "heart", "spam")
#: Models whose accuracies differ by less are not worth ordering.
GAP = 0.01


def judge(run: real_runs.RealRun, rows: real_runs.Rows) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Audit one pair, and return a row for each estimate and one for each pair of models."""
    warnings.simplefilter("ignore")
    case = real_runs.case_of(run, rows, DecisionOptions(benefit=BENEFIT))
    options = _Options(
        measure="accuracy", labels=None, tolerance=TOLERANCE, level=LEVEL, alpha=0.05, quick=True, reverse=False
    )
    result = _audit(case, options, _Clock(None), None)
    verification = result.verify(rows.y_new)
    shift, guesses = result.shift, result.performance.others
    about = {"set": run.data_set, "pair": run.pair, "sequence": run.sequence, "step": run.step, "type": shift.kind}
    about |= {"size": shift.evidence.entropy}
    about |= {"confidence": result.performance.confidence, "n": len(rows.y), "m": len(rows.y_new)}
    # The greatest class decides what a model has to beat.
    about |= {"majority": max(np.mean(rows.y), 1 - np.mean(rows.y)), "verdict": result.verdict, "best": result.best}
    estimates = [
        about
        | {"model": claim.about, "measure": claim.measure, "validated": claim.validated, "actual": claim.actual}
        | {"estimate": claim.estimate, "low": claim.low, "high": claim.high, "believed": claim.believed}
        | (_other_shares(result) if claim.measure == "share" else {})
        | ({f"= {name}": value for name, value in guesses[claim.about].items()} if claim.measure == "accuracy" else {})
        for claim in verification.claims
        # Of two classes one share says both.
        if claim.measure != "share" or claim.about == str(result.quantification.positive)
    ]
    actual = {row["model"]: row["actual"] for row in estimates if row["measure"] == "accuracy"}
    return estimates, [about | row for row in _orders(result.selection, actual)]


def _other_shares(result: sp.Audit) -> dict[str, float]:
    """Return what others would say of the positive class's share."""
    counts = result.quantification
    average = counts.others["probability average"][counts.positive]
    return {"= probability average": average, "= as it was": counts.training[counts.positive]}


def _orders(selection: sp.Selection, actual: dict[str, float]) -> Iterator[dict[str, Any]]:
    """Yield for each pair of models whether we and cross-validation put the better one first."""
    names = list(actual)
    best = max(actual.values())
    ours, theirs = selection.ranking[0], max(names, key=lambda name: selection.validated[name])
    regret = {"regret": best - actual[ours], "regret of cross-validation": best - actual[theirs]}
    for i, first in enumerate(names):
        for second in names[:i]:
            gap = actual[first] - actual[second]
            if abs(gap) < GAP:
                continue
            ahead = selection.ranking.index(first) < selection.ranking.index(second)
            by_validation = selection.validated[first] - selection.validated[second]
            # Those that tie are half right.
            validated = 0.5 + 0.5 * np.sign(gap) * np.sign(by_validation)
            yield regret | {"right": float(ahead == (gap > 0)), "right by cross-validation": validated}


def collect(options: argparse.Namespace, split: real_runs.Split) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge every pair, and say how far it has come."""
    pairs = real_runs.read_pairs(options.folder)
    if options.quick:
        pairs = [pair for pair in pairs if pair["set"] in QUICK]
    if split == "halves":
        # Three pairs of each data set have labelled rows enough for halves.
        pairs = [pair for name in dict.fromkeys(p["set"] for p in pairs) for pair in _first(pairs, name, 3)]
    tasks = [(pair, seed) for seed in range(options.seeds) for pair in pairs]
    calls = (delayed(_one)(options.folder, options.keep, pair, seed, split) for pair, seed in tasks)
    estimates: list[dict[str, Any]] = []
    orders: list[dict[str, Any]] = []
    began = time.monotonic()
    for done, (rows, pairs_of_models) in enumerate(Parallel(n_jobs=options.jobs, return_as="generator")(calls), 1):
        left = (time.monotonic() - began) / done * (len(tasks) - done)
        print(f"\r{split} {done}/{len(tasks)}, {left / 60:.0f} minutes left ", end="", file=sys.stderr, flush=True)
        estimates += rows
        orders += pairs_of_models
    print(file=sys.stderr)
    return pd.DataFrame(estimates), pd.DataFrame(orders)


def _first(pairs: list[dict[str, Any]], name: str, count: int) -> list[dict[str, Any]]:
    return [pair for pair in pairs if pair["set"] == name][:count]


def _one(
    folder: Path, keep: Path, pair: dict[str, Any], seed: int, split: real_runs.Split
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    run = real_runs.load(folder, keep, pair, seed, split)
    if run is None:
        return [], []
    try:
        return judge(run, real_runs.read_rows(folder, pair, seed, split))
    except InputError as error:  # a benchmark over other people's tables goes on
        print(f"\n{pair['set']} {pair['name']}: {error}", file=sys.stderr)
        return [], []


def errors_by(frame: pd.DataFrame, by: list[str] | str) -> pd.DataFrame:
    """Return error, bias, coverage and width of a group of estimates, those of cross-validation beside them."""
    off, validated = frame["estimate"] - frame["actual"], frame["validated"] - frame["actual"]
    known = frame["estimate"].notna()
    table = frame.assign(
        answered=known,
        error=off.abs(),
        bias=off,
        covered=((frame["low"] <= frame["actual"]) & (frame["actual"] <= frame["high"])).where(known),
        width=frame["high"] - frame["low"],
        validated_error=validated.abs(),
        validated_where_answered=validated.abs().where(known),
    )
    groups = table.groupby(by, sort=False)
    columns = ["answered", "error", "bias", "covered", "width", "validated_where_answered", "validated_error"]
    means = groups[columns].mean().astype(float)
    return means.assign(cases=groups.size())


def show_estimates(frame: pd.DataFrame) -> None:
    """Print the tables of estimates."""
    print("\nAll measures (mean over cases; `validated` is cross-validation's figure, or the labelled share):")
    show(errors_by(frame, "measure"))
    accuracy = frame[frame["measure"] == "accuracy"]
    for by in ("type", "confidence", "set"):
        print(f"\nAccuracy by {by}:")
        show(errors_by(accuracy, by))
    each_set_once = errors_by(accuracy, "set").mean()
    print(f"\nEach data set counted once: error {each_set_once['error']:.4f}, covered {each_set_once['covered']:.3f}")
    for measure in ("accuracy", "share"):
        part = frame[frame["measure"] == measure]
        others = [name for name in part if name.startswith("= ") and part[name].notna().any()]
        rows = {name[2:]: (part[name] - part["actual"]).abs() for name in others}
        rows |= {"shiftproof": (part["estimate"] - part["actual"]).abs()}
        known = part["estimate"].notna()
        table = pd.DataFrame({name: (e[known].mean(), e[~known].mean(), e.mean()) for name, e in rows.items()}).T
        print(f"\nMean absolute error of the {measure}, ours and others':")
        show(table.set_axis(["where we answer", "where we do not", "all"], axis=1).sort_values("where we answer"))


def show_orders(frame: pd.DataFrame) -> None:
    """Print how often the better of two models is put first, and what the choice costs."""
    if frame.empty:
        return
    columns = ["right", "right by cross-validation", "regret", "regret of cross-validation"]
    print(f"\nOrder of models that differ by {100 * GAP:.0f} point or more, and what the choice of one loses:")
    show(frame.groupby("type")[columns].mean().assign(pairs=frame.groupby("type").size()))
    show(frame[columns].mean().to_frame("all").T)


def show_verdicts(frame: pd.DataFrame) -> None:
    """Print verdicts against the actual loss of the recommended model."""
    best = frame[(frame["measure"] == "accuracy") & (frame["model"] == frame["best"])]
    loss = best["validated"] - best["actual"]
    covered = (best["low"] <= best["actual"]) & (best["actual"] <= best["high"])
    table = best.assign(
        loses=loss > TOLERANCE, covered=covered.where(best["estimate"].notna()).astype(float), mean_loss=loss
    )
    print(f"\nVerdicts, and whether the recommended model lost more than {100 * TOLERANCE:.0f} points:")
    grouped = table.groupby(["verdict", "loses"])
    show(grouped[["mean_loss", "covered"]].mean().assign(pairs=grouped.size()))
    # A model that is hardly better than one constant answer should not be called trustworthy.
    useful = table[table["validated"] - table["majority"] >= TOLERANCE]
    trusted = (useful["verdict"] == "trust").mean()
    points = f"{100 * TOLERANCE:.0f} points"
    print(f"Where cross-validation beats the majority by {points}: trust in {trusted:.3f} of {len(useful)} pairs")


def write_table(frame: pd.DataFrame, path: Path) -> None:
    """Write what was said and true of every model's accuracy; results only, never rows."""
    known = frame[(frame["measure"] == "accuracy") & frame["estimate"].notna()]
    known[[*COLUMNS]].round(4).to_csv(path, index=False, lineterminator="\n")


def show(table: pd.DataFrame) -> None:
    """Print a table with four digits."""
    print(table.round(4).to_string())


def main() -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path, metavar="DATA_DIR")
    parser.add_argument("--keep", type=Path, default=Path(".bench-real"), help="where fitted runs are kept")
    parser.add_argument("--quick", action="store_true", help="four small data sets: three minutes")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--save", type=Path, help="write all estimates to this CSV file")
    parser.add_argument(
        "--table", type=Path, help="write results per pair, which the library shows as precedents, to this CSV file"
    )
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    for split in ("natural", "halves"):
        estimates, orders = collect(options, split)
        if options.save is not None:
            estimates.to_csv(options.save.with_stem(f"{options.save.stem}-{split}"), index=False)
        if options.table is not None and split == "natural":
            write_table(estimates, options.table)
        count, sets = estimates.groupby(["set", "pair"]).ngroups, estimates["set"].nunique()
        title = "Natural shifts" if split == "natural" else "Random halves, no shift"
        print(f"\n## {title}: {count} pairs on {sets} data sets")
        show_estimates(estimates)
        show_orders(orders)
        show_verdicts(estimates)


if __name__ == "__main__":
    main()
