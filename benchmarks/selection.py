"""Select and estimate on real data sets with shifts that are known, beside everything that can stand in.

Usage::

    python benchmarks/selection.py DATA_DIR [--keep .bench-select] [--quick] [--seeds 5] [--jobs 2]
        [--tuning] [--only PART]

with DATA_DIR a folder of CSV files, the label in the last column ``label``. What is fitted is kept in the folder
``--keep``, so that a run that was stopped goes on where it was. Four parts:

selection    Labelled rows lose 25% or 50% of one feature's order, or softly, or nothing; or new rows get other class
             shares. Seven models; which is better of each pair with a gap of more than one point on the new rows?
estimation   New rows as they come, at other class shares, selected by a feature, both, or nonsense: how far off is the
             accuracy of four models, does the interval cover it, is nonsense refused?
time         Real shifts in time: bank calls, electricity, accidents.
cost         How much more than one 10-fold cross-validation `select` costs.

Sets that methods were chosen on and sets that are reported are listed in `selection_runs.py` and, for the estimation,
in `kind_of_shift.py`; the tables are about the latter, with ``--tuning`` about the former.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import estimation_runs
import kind_of_shift
import selection_runs
import shiftproof as sp
from measure import cpu_clock
from selection_runs import Run
from shiftproof.case import Assume, Prospect
from shiftproof.case._candidates import Candidates
from shiftproof.case._decisions import Rule
from shiftproof.panel import Panel
from shiftproof.selection._estimate import estimates_of
from shiftproof.selection._order import Order
from shiftproof.selection._select import rank
from shiftproof.selection._select_result import ranked
from shiftproof.selection.rivals._interface import Setting
from shiftproof.selection.rivals._methods import CHEAP, RIVALS
from shiftproof.selection.rivals._reverse_result import beaten

GAP = 0.01
NAMED = ("none", "prior", "covariate")
OURS = "shiftproof.select"
BY_LABELS = "the labels of the other half"
HALVINGS, DRAWN = 20, 2_000
PARTS = ("selection", "estimation", "time", "cost")
BY_SCORES = (*CHEAP, "importance weighting", "mean of rivals")


def prospect_of(panel: Panel, refitted: Any, by_fold: Any, kind: Any, assume: Assume) -> Prospect:
    """Put what was kept into the form that `select` and `estimate_performance` work on."""
    candidates = Candidates.of(panel, refitted, by_fold, kind)
    return Prospect(candidates, Rule(classes=panel.classes_, positive=1), assume)


def first_repeat(panel: Panel) -> Panel:
    """Keep one 10-fold cross-validation of five."""
    first = {name: scores[:1] for name, scores in panel.fold_probabilities.items()}
    out_of_fold = {name: scores[0] for name, scores in first.items()}
    return replace(panel, folds=panel.folds[:1], fold_probabilities=first, out_of_fold=out_of_fold)


def accuracies(run: Run) -> np.ndarray:
    """Give the models' true accuracies on the new rows."""
    return np.array([(run.refitted[name].argmax(axis=1) == run.y_new).mean() for name in run.panel.names])


def places(prospect: Prospect, order: Order) -> np.ndarray:
    """Return a number for each model, the highest for the one that `select` ranks first."""
    names = prospect.candidates.names
    probabilities, scores = (dict(zip(names, values.tolist(), strict=True)) for values in (order.best, order.scores))
    ranking = ranked(probabilities, scores, prospect.validated("accuracy"), higher_is_better=True)
    return np.array([-float(ranking.index(name)) for name in names])


def preferences(folder: Path, run: Run, assume: Assume) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Give what each selector thinks: i better than j (1), worse (-1) or undecided (0); and our probabilities."""
    found = {}
    prospect = prospect_of(first_repeat(run.panel), run.refitted, run.by_fold, run.kind, assume)
    near, _, far, _ = selection_runs.tables(folder, run.task, run.seed, run.shift)
    order, _ = rank(prospect, "accuracy", near, random_state=run.seed)
    found[OURS] = places(prospect, order)
    setting = Setting(candidates=prospect.candidates, X=near, X_new=far, found=prospect.routes)
    found |= {name: RIVALS[name].guess(setting).accuracies for name in BY_SCORES}
    held = run.panel.fold_probabilities
    found["5 x cross-validation"] = np.array([(held[n].argmax(axis=2) == run.panel.y).mean() for n in run.panel.names])
    found["average confidence"] = np.array([run.refitted[n].max(axis=1).mean() for n in run.panel.names])
    signs = {name: np.sign(np.round(each[:, None] - each[None, :], 12)) for name, each in found.items()}
    for name, judges in (("as published", "pair"), ("all judges", "all")):
        beats = beaten(run.reverse, judges).astype(float)
        signs[f"ReverseTesting, {name}"] = beats - beats.T
    return signs, order.beats


def chosen(sign: np.ndarray) -> np.ndarray:
    """Give the models that win most of their pairs."""
    wins = sign.sum(axis=1)
    return np.flatnonzero(wins == wins.max())


def with_labels(run: Run, picks: dict[str, np.ndarray]) -> dict[str, float]:
    """Give the regret on half of the new rows: of choosing by the labels of the other half, and of each selector.

    What is lost where labels are known tells how much of a regret is the luck of so few rows.
    """
    hits = np.array([run.refitted[name].argmax(axis=1) == run.y_new for name in run.panel.names])
    rng = np.random.default_rng(run.seed)
    found: dict[str, list[float]] = {name: [] for name in (BY_LABELS, *picks)}
    for _ in range(HALVINGS):
        order = rng.permutation(hits.shape[1])
        known, other = (hits[:, rows].mean(axis=1) for rows in np.array_split(order, 2))
        for name, models in {BY_LABELS: np.flatnonzero(known == known.max()), **picks}.items():
            found[name].append(100 * float(other.max() - other[models].mean()))
    return {name: float(np.mean(each)) for name, each in found.items()}


def judge_run(folder: Path, run: Run, assume: Assume) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Count a run's pairs that each selector orders right, and what its choice loses."""
    truth = accuracies(run)
    gaps = truth[:, None] - truth[None, :]
    pairs = [(i, j) for i in range(len(truth)) for j in range(i)]
    signs, sure = preferences(folder, run, assume)
    known = {"task": run.task, "shift": run.shift, "seed": run.seed}
    rows = []
    picks = {name: chosen(sign) for name, sign in signs.items()}
    halves = with_labels(run, {name: picks[name] for name in (OURS, "cross-validation")})
    for name, sign in signs.items():
        told = [(sign[i, j], np.sign(gaps[i, j])) for i, j in pairs if abs(gaps[i, j]) > GAP]
        rows.append(
            known
            | {
                "selector": name,
                "right": sum(0.5 if said == 0 else float(said == true) for said, true in told),
                "undecided": sum(said == 0 for said, _ in told),
                "pairs": len(told),
                "regret": 100 * (truth.max() - truth[picks[name]].mean()),
                "on a half": halves.get(name),
                BY_LABELS: halves[BY_LABELS],
            }
        )
    claims = [
        known | {"said": max(sure[i, j], sure[j, i]), "right": (sure[i, j] > 0.5) == (gaps[i, j] > 0)}
        for i, j in pairs
        if gaps[i, j] != 0
    ]
    return rows, claims


def bootstrapped(by_task: pd.DataFrame, figure: Callable[[pd.DataFrame], float]) -> tuple[float, float]:
    """Give the 5% and 95% points of a figure when whole data sets are drawn anew."""
    rng = np.random.default_rng(0)
    drawn = [figure(by_task.iloc[rng.integers(len(by_task), size=len(by_task))]) for _ in range(DRAWN)]
    return float(np.quantile(drawn, 0.05)), float(np.quantile(drawn, 0.95))


def fitted(name: str) -> int:
    """Give how many models a selector needs for seven candidates, their fits on all rows included."""
    l = 7  # noqa: E741  # as in the paper
    known = {
        "5 x cross-validation": 51 * l,
        "ReverseTesting, all judges": l + l * l,
        "ReverseTesting, as published": l + l * l,
        "average confidence": l,
        "importance weighting": 11 * l + 10,
        OURS: 11 * l + 5,
    }
    return known.get(name, 11 * l)


def show_selection(folder: Path, keep: Path, tasks: list[str], options: argparse.Namespace) -> None:
    """Print who orders how many pairs right."""
    rows, claims = [], []
    for run in runs(folder, keep, tasks, options):
        found, said = judge_run(folder, run, options.assume)
        rows += found
        claims += said
    frame = pd.DataFrame(rows)
    frame["kind"] = frame["shift"].str.replace(r"prior.*", "prior", regex=True)
    count = frame.groupby(["task", "shift", "seed"]).ngroups
    print(
        f"\n## Selection: {frame['task'].nunique()} sets, {count} runs, "
        f"{int(frame.loc[frame['selector'] == OURS, 'pairs'].sum()):,} pairs with a gap over one point"
    )
    table = []
    for name, part in frame.groupby("selector"):
        sums = part.groupby("task")[["right", "pairs", "undecided"]].sum()
        low, high = bootstrapped(sums, lambda each: each["right"].sum() / each["pairs"].sum())
        kinds = part.groupby("kind")[["right", "pairs"]].sum()
        table.append(
            {
                "selector": name,
                "right": sums["right"].sum() / sums["pairs"].sum(),
                "5%": low,
                "95%": high,
                "undecided": sums["undecided"].sum() / sums["pairs"].sum(),
                "regret": part.groupby("task")["regret"].mean().mean(),
                "models": fitted(str(name)),
            }
            | (kinds["right"] / kinds["pairs"]).to_dict()
        )
    shown = pd.DataFrame(table).sort_values("right", ascending=False).set_index("selector")
    print(
        shown.round({"regret": 2} | dict.fromkeys([c for c in shown if c not in ("regret", "models")], 3)).to_string()
    )
    print("\nOurs less another, with the 5% and 95% points over data sets:")
    gains = {rival: differences(frame, rival) for rival in ("cross-validation", "5 x cross-validation")}
    for rival, gain in gains.items():
        print(gain.round(3).to_string(header=True).replace("\n", "\n  "), f"  ({rival})")
    ours = shown.loc[OURS]
    on_half = (
        frame[frame["on a half"].notna()].groupby(["selector", "task"])["on a half"].mean().groupby("selector").mean()
    )
    by_labels = frame[frame["selector"] == OURS].groupby("task")[BY_LABELS].mean().mean()
    print("\nRegret on one half of the new rows, in points:")
    print(f"  chosen by {BY_LABELS:40}{by_labels:6.2f}")
    for name, value in on_half.items():
        print(f"  chosen by {name:40}{value:6.2f}")
    regrets = frame[frame["selector"] == OURS].groupby("task")[["regret"]].mean()
    low, high = bootstrapped(regrets, lambda each: each["regret"].mean())
    print(f"Our regret on all new rows, 5% and 95% points over data sets: {low:.2f} to {high:.2f}\n")
    check("gain over one 10-fold cross-validation", gains["cross-validation"].loc["all", "gain"], ">=", 0.03)
    check("lowest lower bound against 5 x 10-fold", gains["5 x cross-validation"]["5%"].min(), ">", -0.005)
    check("regret in points", ours["regret"], "<=", 0.95)
    told = pd.DataFrame(claims)
    told["said between"] = pd.cut(told["said"], [0.499, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0])
    print("\nWhat `order_probability` says of the likelier order, and how often that is right:")
    print(
        told.groupby("said between", observed=True)
        .agg(pairs=("right", "size"), said=("said", "mean"), right=("right", "mean"))
        .round(3)
        .to_string()
    )


def differences(frame: pd.DataFrame, rival: str) -> pd.DataFrame:
    """Compare us with one other, over all and by the kind of shift."""
    wide = frame[frame["selector"].isin([OURS, rival])]
    found = {}
    for kind in ("all", *sorted(frame["kind"].unique())):
        part = wide if kind == "all" else wide[wide["kind"] == kind]
        sums = part.pivot_table(index="task", columns="selector", values=["right", "pairs"], aggfunc="sum")

        def gain(each: pd.DataFrame) -> float:
            pairs = each[("pairs", OURS)].sum()
            return float((each[("right", OURS)].sum() - each[("right", rival)].sum()) / pairs)

        found[kind] = {"gain": gain(sums)} | dict(zip(("5%", "95%"), bootstrapped(sums, gain), strict=True))
    return pd.DataFrame(found).T


def runs(folder: Path, keep: Path, tasks: list[str], options: argparse.Namespace) -> Iterator[Run]:
    """Read or make every run, in the background where there are several jobs."""
    from joblib import Parallel, delayed

    names = list(selection_runs.all_runs(tasks, options.seeds, options.shifts))
    calls = (delayed(selection_runs.load)(folder, keep, *name) for name in names)
    began = time.monotonic()
    for done, run in enumerate(Parallel(n_jobs=options.jobs, return_as="generator")(calls), 1):
        spent = time.monotonic() - began
        left = spent / done * (len(names) - done)
        print(f"\rselection {done}/{len(names)}, {left / 60:.0f} minutes left ", end="", file=sys.stderr, flush=True)
        if run is not None:
            yield run
    print(file=sys.stderr)


def show_estimation(folder: Path, keep: Path, tasks: list[str], options: argparse.Namespace) -> None:
    """Print how far off the accuracies are, and how often intervals cover them."""
    from joblib import Parallel, delayed

    rows = []
    names = [(task, seed) for seed in range(options.seeds) for task in tasks]
    calls = (delayed(estimation_runs.load)(folder, keep, *name) for name in names)
    done = Parallel(n_jobs=options.jobs, return_as="generator")(calls)
    for at, ((task, _), (panel, cases)) in enumerate(zip(names, done, strict=True), 1):
        print(f"\restimation {at}/{len(names)} ", end="", file=sys.stderr, flush=True)
        for case in cases:
            rows += [{"task": task} | row for row in judge_case(panel, case, options.assume)]
    print(file=sys.stderr)
    frame = pd.DataFrame(rows)
    print(f"\n## Estimation: {frame['task'].nunique()} sets, {len(frame):,} accuracies of four models")
    real = frame[frame["truth"].notna()]
    told = real[~real["refused"]]
    methods = [name for name in real if name.startswith("= ")]
    errors = told.groupby("kind")[methods].agg(lambda each: (each - told.loc[each.index, "truth"]).abs().mean()).T
    errors.index = errors.index.str[2:]
    errors["mean of three"] = errors[list(NAMED)].mean(axis=1)
    print("\nMean absolute error where nothing was refused:")
    print(errors[[*NAMED, "mean of three", "mixed"]].sort_values("mean of three").round(4).to_string())
    told = told.assign(
        covered=(told["truth"] >= told["low"]) & (told["truth"] <= told["high"]), width=told["high"] - told["low"]
    )
    cover = told.pivot_table(index="kind", columns="n_new", values="covered")
    cases = told.pivot_table(index="kind", columns="n_new", values="covered", aggfunc="size") // len(
        estimation_runs.MODELS
    )
    print("\nCoverage of the 90% intervals by new rows (cases), and mean width:")
    both = cover.round(3).astype(str) + " (" + cases.fillna(0).astype(int).astype(str) + ")"
    print(
        both.assign(
            all=told.groupby("kind")["covered"].mean().round(3), width=told.groupby("kind")["width"].mean().round(3)
        ).to_string()
    )
    print("\nBy confidence:")
    print(
        told.assign(error=(told["= shiftproof"] - told["truth"]).abs())
        .groupby("confidence")
        .agg(
            accuracies=("error", "size"), error=("error", "mean"), covered=("covered", "mean"), width=("width", "mean")
        )
        .round(3)
        .to_string()
    )
    refused = frame.groupby("kind")["refused"].mean()
    print(f"\nRefused: {refused.round(3).to_dict()}")
    print()
    ours, others = errors.loc["shiftproof"], errors.drop("shiftproof")
    check("mean absolute error, mean of three", ours["mean of three"], "<=", 0.029)
    for name in ("calibrated confidence", "average thresholded confidence"):
        check(f"less than {name}, mean of three", ours["mean of three"] - others.loc[name, "mean of three"], "<", 0.0)
        check(f"less than {name}, prior", ours["prior"] - others.loc[name, "prior"], "<", 0.0)
    for kind in ("none", "covariate"):
        check(f"above the best of all, {kind}", ours[kind] - errors[kind].min(), "<=", 0.002)
    for kind, most in (("none", 0.11), ("prior", 0.165), ("covariate", 0.12)):
        check(f"mean width, {kind}", told.loc[told["kind"] == kind, "width"].mean(), "<=", most)
        for size, value in cover.loc[kind].dropna().items():
            check(f"coverage, {kind}, {size} new rows", value, "in", (0.88, 0.98))
    check("nonsense refused", refused["nonsense"], ">=", 0.95)
    check("refused without shift", refused["none"], "<=", 0.05)


def judge_case(panel: Panel, case: estimation_runs.Case, assume: Assume) -> Iterator[dict[str, Any]]:
    """Say what everyone thinks of one case, for each model."""
    prospect = prospect_of(panel, case.refitted, case.by_fold, case.kind, assume)
    found = estimates_of(prospect, ["accuracy"], level=0.9)
    setting = Setting(candidates=prospect.candidates, found=prospect.routes)
    others = {name: RIVALS[name].guess(setting).accuracies for name in BY_SCORES}
    # Without the features at hand the weights are those of entropy balancing.
    others["weighting by entropy balancing"] = others.pop("importance weighting")
    ways = dict(zip(NAMED, prospect.estimate("accuracy").values(), strict=True))
    for at, name in enumerate(panel.names):
        each = found[name]["accuracy"]
        known = case.y_new is not None
        yield (
            {
                "model": name,
                "kind": case.truth,
                "n_new": case.n_new,
                "truth": (case.refitted[name].argmax(axis=1) == case.y_new).mean() if known else np.nan,
                "refused": each.refused,
                "low": each.interval.low,
                "high": each.interval.high,
                "confidence": confidence_of(prospect),
                "= shiftproof": each.interval.estimate,
            }
            | {f"= {rival}": guess[at] for rival, guess in others.items()}
            | {f"= always as for {way}": float(values[at]) for way, values in ways.items()}
        )


def confidence_of(prospect: Prospect) -> str:
    """Grade as `estimate_performance` does."""
    from shiftproof.selection._estimate import grade

    return grade(prospect, 0)


#: Real shifts in time: the file, and the shares of the rows in time that are labelled and that are new.
TIMES = {
    "electricity, first and last fifth": ("drift_elec2", (0.0, 0.2), (0.8, 1.0)),
    "electricity, neighbouring tenths": ("drift_elec2", (0.4, 0.5), (0.5, 0.6)),
    "accidents, first and last fifth": ("drift_us_accidents", (0.0, 0.2), (0.8, 1.0)),
    "accidents, neighbouring tenths": ("drift_us_accidents", (0.4, 0.5), (0.5, 0.6)),
}
MOST_IN_TIME = 5_000


def in_time(folder: Path) -> Iterator[tuple[str, pd.DataFrame, np.ndarray, pd.DataFrame, np.ndarray]]:
    """Give real sets cut by time: a name, features and labels before, features and labels after."""
    before, after = (sp.load_demo(year=year) for year in (2009, 2010))
    yield (
        "bank calls, 2009 and 2010",
        *(before.drop(columns="label"), before["label"].to_numpy()),
        *(after.drop(columns="label"), after["label"].to_numpy()),
    )
    for name, (file, *parts) in TIMES.items():
        table = pd.read_csv(next(folder.glob(f"{file}.csv*"))).sort_values("t", kind="stable").reset_index(drop=True)
        X = table.drop(columns=["label", *(leak for leak in kind_of_shift.LEAKS if leak in table)])
        y, n = table["label"].to_numpy(), len(table)
        old, new = (slice(int(start * n), int(end * n)) for start, end in parts)
        yield name, X.iloc[old], y[old], X.iloc[new], y[new]


def show_time(folder: Path, most: int) -> None:
    """Print estimated and true accuracies on real shifts in time, beside what cross-validation claims."""
    rows = []
    for name, X, y, X_new, y_new in in_time(folder):
        rng = np.random.default_rng(0)
        old, new = (np.sort(rng.permutation(len(each))[:most]) for each in (y, y_new))
        models = sp.default_models(only=estimation_runs.MODELS)
        panel = sp.cross_fit(models, X.iloc[old], y[old], progress=False)
        found = sp.estimate_performance(panel, X.iloc[old], y[old], X_new.iloc[new], measures="accuracy")
        scores = panel.apply(X_new.iloc[new])
        labels, counts = np.unique(y[old], return_counts=True)
        majority = labels[counts.argmax()]
        for model in panel.names:
            interval, others = found.interval(model), found.others[model]
            rows.append(
                {
                    "shift in time": name,
                    "kind": found.shift.kind,
                    "majority, labelled": (y[old] == majority).mean(),
                    "majority, new": (y_new[new] == majority).mean(),
                    "model": model,
                    "true": (panel.classes_[scores[model].argmax(axis=1)] == y_new[new]).mean(),
                    "cross-validation": found.estimates[model]["accuracy"].validated,
                    "calibrated": others["calibrated confidence"],
                    "ATC": others["average thresholded confidence"],
                    "ours": interval.estimate,
                    "low": interval.low,
                    "high": interval.high,
                    "confidence": found.confidence,
                }
            )
    print("\n## Real shifts in time")
    print(pd.DataFrame(rows).round(3).to_string(index=False, na_rep="refused"))


def show_cost(rows: int, features: int = 20) -> None:
    """Print what `select` costs beside the cross-validation it contains."""
    from sklearn.datasets import make_classification

    X, y = make_classification(2 * rows, features, n_informative=10, flip_y=0.1, random_state=0)
    models = sp.default_models()
    began = cpu_clock()
    panel = sp.cross_fit(models, X[:rows], y[:rows], progress=False)
    validated = cpu_clock() - began
    found = sp.select(panel, X[:rows], y[:rows], X[rows:], progress=False)
    whole = cpu_clock() - began
    print(f"\n## Cost: {rows:,} x {features} rows on both sides, {len(models)} models, CPU seconds")
    print(f"10-fold cross-validation and the models on all rows {validated:8.1f}")
    print(f"select, with these                                 {whole:8.1f}")
    print(f"  of which ReverseTesting (wall)                   {found.reverse.seconds if found.reverse else 0:8.1f}")
    check("times the plain cross-validation", whole / validated, "<", 2.0)


def check(name: str, value: float, sign: str, limit: Any) -> None:
    """Print a figure beside what it should be."""
    met = {
        "<=": lambda: value <= limit,
        "<": lambda: value < limit,
        ">=": lambda: value >= limit,
        ">": lambda: value > limit,
        "in": lambda: limit[0] <= value <= limit[1],
    }[sign]()
    print(f"{name:64}{value:8.4f}  {sign:2} {limit!s:14} {'met' if met else 'MISSED'}")


def main() -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(description="Which model, and how accurate will it be?")
    parser.add_argument("folder", type=Path, metavar="DATA_DIR")
    parser.add_argument("--keep", type=Path, default=Path(".bench-select"), help="where fitted runs are kept")
    parser.add_argument("--quick", action="store_true", help="three sets, one seed: three minutes")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--tuning", action="store_true", help="the sets that methods were chosen on")
    parser.add_argument("--only", choices=PARTS, help="one part")
    parser.add_argument(
        "--assume", choices=("natural", "no drift", "prior shift"), default="natural", help="what estimates allow for"
    )
    options = parser.parse_args()
    warnings.simplefilter("ignore", sp.ShiftproofWarning)  # refusals and columns left out are counted, not told
    options.keep.mkdir(parents=True, exist_ok=True)
    options.shifts = selection_runs.SHIFTS
    select_on = selection_runs.TUNING if options.tuning else selection_runs.REPORTING
    estimate_on = kind_of_shift.TUNING if options.tuning else kind_of_shift.FRESH
    if options.quick:
        options.seeds, options.shifts = 1, ("bias .5", "prior up")
        select_on, estimate_on = ["iris.2", "ionosphere", "vote"], ["balance.1", "ionosphere"]
    wanted = [options.only] if options.only else list(PARTS)
    if "selection" in wanted:
        show_selection(options.folder, options.keep, select_on, options)
    if "estimation" in wanted:
        show_estimation(options.folder, options.keep, estimate_on, options)
    if "time" in wanted:
        show_time(options.folder, 500 if options.quick else MOST_IN_TIME)
    if "cost" in wanted:
        show_cost(2_000 if options.quick else 50_000)


if __name__ == "__main__":
    main()
