"""Measure what labels of planned rows bring on shifts that time, place or group have made.

Usage::

    python benchmarks/labels.py DATA_DIR [--keep .bench-real] [--quick] [--draws 4] [--jobs 2]

Pairs of tables are those of `real_shifts.py`, and fitted models are shared with it. For every pair and model, rows are
planned for labelling, their labels are given, and the interval of the accuracy is compared with its value on all new
rows. Beside it stands Wilson's interval from a simple random sample of the same size, with the correction for a finite
population. Its coverage and width are exact: the number of right answers in the sample is hypergeometric.

Printed are coverage, width, their ratio, the number of labels that a random sample needs for the same width at the same
coverage, and how right the expected width of the plan is; then the same for the number of labels that a plan itself
recommends.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy import special, stats

import real_runs
import shiftproof as sp
from shiftproof.case import Case, DecisionOptions, Known
from shiftproof.core import Floats, InputError
from shiftproof.selection._estimate import estimate_case, estimates_of

LEVEL, MEASURE, TOLERANCE = 0.9, "accuracy", 0.05
COUNTS = (30, 100)
#: Which data sets `--quick` takes, as in `real_shifts.py`.
QUICK = ("student", "compas", "heart", "spam")
# Random samples of up to so many times as many labels are tried.
_MANY = 4
# Halvings that find a level or a number of labels.
_STEPS = 12


def judge(run: real_runs.RealRun, rows: real_runs.Rows, draws: int) -> Iterator[dict[str, Any]]:
    """Plan rows for every model several times, give their labels, and yield each interval."""
    warnings.simplefilter("ignore")
    case = real_runs.case_of(run, rows, DecisionOptions())
    before = estimate_case(case, measures=MEASURE)
    actual = before.truth(rows.y_new)
    about = {"set": run.data_set, "pair": run.pair, "type": case.shift.kind, "m": before.n_new}
    for model in before.names:
        own = about | {"model": model, "actual": actual[model][MEASURE], "width before": before.interval(model).width}
        for count in (*COUNTS, None):
            if count is not None and count >= before.n_new:
                continue
            for seed in range(draws):
                plan = before.plan(count, model=model, tolerance=TOLERANCE, random_state=seed)
                yield own | {"planned": "tolerance" if count is None else count} | _interval(case, before, plan, run)


def _interval(case: Case, before: sp.Performance, plan: sp.LabelPlan, run: real_runs.RealRun) -> dict[str, Any]:
    known = Known(plan.rows, run.y_new[plan.rows])
    estimates = estimates_of(case.prospect, [MEASURE], level=LEVEL, strata=before.strata, known=known)
    interval = estimates[plan.model][MEASURE].interval
    ends = {"estimate": interval.estimate, "low": interval.low, "high": interval.high}
    return ends | {"count": len(plan.rows), "expected": plan.expected_width}


def random_sample(cases: pd.DataFrame, count: int, level: float) -> tuple[Floats, Floats]:
    """Return coverage and mean width of Wilson's interval in every case, over all samples of this size."""
    z, right = float(special.ndtri((1 + level) / 2)), np.arange(count + 1)
    covered, widths = [], []
    for m, actual in zip(cases["m"], cases["actual"], strict=True):
        # Finite population: the sample tells as much as a larger one of an endless population.
        worth = count * (m - 1) / (m - count)
        share = right / count
        middle = (share + z**2 / (2 * worth)) / (1 + z**2 / worth)
        half = z / (1 + z**2 / worth) * np.sqrt(share * (1 - share) / worth + z**2 / (4 * worth**2))
        mass = stats.hypergeom.pmf(right, m, round(m * actual), count)
        covered.append(mass @ (np.abs(middle - actual) <= half))
        widths.append(mass @ (2 * half))
    return np.array(covered), np.array(widths)


def at_coverage(cases: pd.DataFrame, count: int, covered: float) -> float:
    """Return the mean width of random samples at the level that covers so often."""
    low, high = 0.5, 0.9999
    for _ in range(_STEPS):
        level = (low + high) / 2
        low, high = (level, high) if random_sample(cases, count, level)[0].mean() < covered else (low, level)
    return float(random_sample(cases, count, high)[1].mean())


def labels_needed(cases: pd.DataFrame, count: int, covered: float, width: float) -> int:
    """Return how many labels of a random sample give this mean width at this coverage."""
    low, high = count // 2, _MANY * count - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if at_coverage(cases, middle, covered) > width else (low, middle)
    return high


def collect(options: argparse.Namespace) -> pd.DataFrame:
    """Judge every pair, and say how far it has come."""
    pairs = real_runs.read_pairs(options.folder)
    if options.quick:
        pairs = [pair for pair in pairs if pair["set"] in QUICK]
    calls = (delayed(_one)(options, pair) for pair in pairs)
    found: list[dict[str, Any]] = []
    began = time.monotonic()
    for done, rows in enumerate(Parallel(n_jobs=options.jobs, return_as="generator")(calls), 1):
        left = (time.monotonic() - began) / done * (len(pairs) - done)
        print(f"\r{done}/{len(pairs)}, {left / 60:.0f} minutes left ", end="", file=sys.stderr, flush=True)
        found += rows
    print(file=sys.stderr)
    table = pd.DataFrame(found)
    inside = (table["low"] <= table["actual"] + 1e-12) & (table["actual"] - 1e-12 <= table["high"])
    width = table["high"] - table["low"]
    return table.assign(covered=inside, width=width, error=(table["estimate"] - table["actual"]).abs())


def _one(options: argparse.Namespace, pair: dict[str, Any]) -> list[dict[str, Any]]:
    run = real_runs.load(options.folder, options.keep, pair, 0)
    if run is None:
        return []
    try:
        return list(judge(run, real_runs.read_rows(options.folder, pair, 0, "natural"), options.draws))
    except InputError as error:  # a benchmark over other people's tables goes on
        print(f"\n{pair['set']} {pair['name']}: {error}", file=sys.stderr)
        return []


def show_count(table: pd.DataFrame, count: int) -> None:
    """Print planned labels beside a random sample of the same size."""
    part = table[table["planned"] == count]
    cases = part.drop_duplicates(["set", "pair", "model"]).reset_index(drop=True)
    covered, widths = random_sample(cases, count, LEVEL)
    cases = cases[["set", "pair", "model", "m", "actual"]].assign(random_covered=covered, random_width=widths)
    part = part.merge(cases.drop(columns=["m", "actual"]), on=["set", "pair", "model"])
    columns = ["covered", "width", "random_covered", "random_width", "error", "expected", "width before"]
    print(f"\n## {count} labels: {len(cases)} cases, {len(part)} draws")
    by_set = part.groupby("set")[columns].mean()
    rows = {"all cases": part[columns].astype(float).mean(), "each data set once": by_set.mean()}
    show(_with_ratios(pd.DataFrame(rows).T))
    covered, width = float(part["covered"].mean()), float(part["width"].mean())
    same = at_coverage(cases, count, covered)
    print(f"A random sample that covers as often is {same:.4f} wide (ours / that: {width / same:.3f}).")
    # Of a small table a random sample of many more labels would be nearly all of it.
    large, draws = cases[cases["m"] >= _MANY * count], part[part["m"] >= _MANY * count]
    covered, width = float(draws["covered"].mean()), float(draws["width"].mean())
    needed = labels_needed(large, count, covered, width)
    print(f"In the {len(large)} cases with {_MANY * count:,} new rows or more, it needs {needed} labels for our width "
          f"at our coverage: ours are {1 - count / needed:.0%} fewer.")  # fmt: skip
    for by in ("type", "set"):
        print(f"\nBy {by}:")
        show(_with_ratios(part.groupby(by)[columns].mean().assign(draws=part.groupby(by).size())))


def _with_ratios(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(
        **{
            "ours / random": table["width"] / table["random_width"],
            "width / expected": table["width"] / table["expected"],
        }
    )


def show_planned(table: pd.DataFrame) -> None:
    """Print how many labels plans recommend, and what they bring."""
    part = table[table["planned"] == "tolerance"]
    print(f"\n## As many labels as an interval of plus or minus {TOLERANCE:g} needs: {len(part)} draws")
    columns = ["count", "width before", "expected", "width", "covered", "m"]
    show(part.groupby("type")[columns].mean().assign(draws=part.groupby("type").size()))
    show(part[columns].astype(float).mean().to_frame("all").T)
    quantiles = part["count"].quantile([0.1, 0.5, 0.9]).tolist()
    print(f"Labels at the 10%, 50% and 90% quantile: {', '.join(f'{value:.0f}' for value in quantiles)}.")
    print(f"Interval at most a tenth wider than wanted in {np.mean(part['width'] <= 2.2 * TOLERANCE):.0%}.")


def show(table: pd.DataFrame) -> None:
    """Print a table with four digits."""
    print(table.round(4).to_string())


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path, metavar="DATA_DIR")
    parser.add_argument("--keep", type=Path, default=Path(".bench-real"), help="where fitted runs are kept")
    parser.add_argument("--quick", action="store_true", help="four small data sets: a minute")
    parser.add_argument("--draws", type=int, default=4, help="samples per pair, model and number of labels")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--save", type=Path, help="write all intervals to this CSV file")
    options = parser.parse_args(arguments)
    options.keep.mkdir(parents=True, exist_ok=True)
    table = collect(options)
    if options.save is not None:
        table.to_csv(options.save, index=False)
    for count in COUNTS:
        show_count(table, count)
    show_planned(table)


if __name__ == "__main__":
    main()
