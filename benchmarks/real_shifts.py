"""Measure how right audits are on shifts that time, place or group have made, and on shifts that we make.

Usage::

    python benchmarks/real_shifts.py DATA_DIR [--keep .bench-real] [--quick] [--jobs 1] [--write docs/how-right.json]

``DATA_DIR`` has two lists of pairs of tables: labelled rows and new rows of one data set, parted by a rule on one
column (`real_runs.LISTS`). Every pair is audited without the labels of the new rows and then verified by them. So are
random halves of the same tables, where nothing shifted, and prior shifts that are made: of two-class sets, and of the
labelled rows of natural pairs. Each audit uses constants that were fitted without its data set (`real_allowance.py`).
Fitted models are kept in ``--keep``, so that a run that was stopped goes on where it was.

All tables are printed (`real_tables.py`). ``--write`` keeps them in one file, from which the pages take their figures
(`tools/make_how_right.py`), and ``--table`` the results per pair, which the library shows as precedents.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.isotonic import IsotonicRegression

import real_allowance
import real_runs
import real_tables
import shiftproof as sp
from shiftproof.auditing._audit import _audit, _Clock, _Options
from shiftproof.case import Case, DecisionOptions, unknowable
from shiftproof.case._precedents import COLUMNS
from shiftproof.core import Floats, InputError
from shiftproof.selection import SOFT_MEASURES, estimate_case

LEVEL, TOLERANCE = 0.9, 0.05
#: A missed positive costs three times as much as a false alarm.
BENEFIT = sp.Benefit.matrix([[0.0, -1.0], [-3.0, 0.0]])
#: Which data sets `--quick` takes: small ones with a sequence or a change of place.
QUICK = ("student", "compas", "heart", "spam")
#: Two-class tables for prior shift as in textbooks, and the shares of class 1 in the new rows.
TEXTBOOK = (
    *("breast_w", "cmc.1", "cmc.3", "hddt_estate", "hddt_page", "hddt_phoneme"),
    *("hddt_segment", "mammography", "pima", "tictactoe", "transfusion", "wdbc"),
)
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
#: So many pairs of each data set are halved.
HALVED = 3


class Task(NamedTuple):
    """One pair to audit."""

    kind: str
    pair: dict[str, Any]
    seed: int
    split: real_runs.Split


def tasks(folder: Path, sets: Sequence[str] | None = None) -> list[Task]:
    """Return all pairs to audit: natural ones, random halves, and prior shifts that are made."""
    found: list[Task] = []
    of_set: dict[str, list[dict[str, Any]]] = {}
    for name in real_runs.LISTS:
        if not (folder / real_runs.LISTS[name]).exists():
            continue
        for pair in real_runs.read_pairs(folder, name):
            if sets is None or pair["set"] in sets:
                found.append(Task(name, pair, 0, "natural"))
                of_set.setdefault(pair["set"], []).append(pair)
    found += [Task("halves", pair, 0, "halves") for pairs in of_set.values() for pair in pairs[:HALVED]]
    if sets is None:
        found += [
            Task(
                "textbook",
                {"set": name, "file": f"{name}.csv", "name": f"{name} {share} {seed}"} | {"share": share},
                seed,
                "prior",
            )
            for name in TEXTBOOK
            if (folder / f"{name}.csv").exists()
            for share in SHARES
            for seed in (0, 1)
        ]
    found += [
        Task("natural + prior", pairs[0] | {"share": share}, 0, "prior")
        for pairs in of_set.values()
        if pairs[0].get("classes", 2) == 2
        for share in SHARES
    ]
    return found


class Judged(NamedTuple):
    """What was said and true of a pair: a row per model and measure, per class, and per pair of models."""

    estimates: list[dict[str, Any]]
    shares: list[dict[str, Any]]
    orders: list[dict[str, Any]]


def judge(task: Task, run: real_runs.RealRun, rows: real_runs.Rows) -> Judged:
    """Audit one pair without labels of the new rows, and compare with what is true."""
    case = _case(run, rows)
    options = _Options(
        measure="accuracy", labels=None, tolerance=TOLERANCE, level=LEVEL, alpha=0.05, quick=True, reverse=False
    )
    audit = _audit(case, options, _Clock(None), None)
    shares = audit.quantification.prevalence if audit.quantification.usable else {}
    measures = [name for name in real_allowance.MEASURES if name != "profit" or case.prospect.candidates.k == 2]
    performance = estimate_case(case, measures=measures, shares=shares, level=LEVEL)
    y_new = run.panel.classes_[run.y_new]
    truth, data = performance.truth(y_new), case.prospect.candidates
    about = {"kind": task.kind, "set": run.data_set, "pair": run.pair, "seed": task.seed, "type": run.shift.kind}
    about |= {"share": task.pair.get("share", np.nan), "size": run.shift.evidence.entropy}
    # The greatest class decides what a model has to beat.
    about |= {"majority": float(data.prevalence.max()), "verdict": audit.verdict, "recommended": audit.best}
    estimates = []
    for model in performance.names:
        rivals = _rivals(data.old[model], data.codes, data.new[model])
        for measure, one in performance.estimates[model].items():
            better = SOFT_MEASURES[measure].higher_is_better
            limit = TOLERANCE * (performance.stake if measure == "profit" else 1.0)
            loss = (one.validated - truth[model][measure]) * (1 if better else -1)
            estimates.append(
                about
                | {"model": model, "measure": measure, "validated": one.validated, "actual": truth[model][measure]}
                | {"estimate": one.interval.estimate, "low": one.interval.low, "high": one.interval.high}
                | {"chance": one.loss_chance(limit, higher_is_better=better), "lost": float(loss > limit)}
                | (rivals if measure == "accuracy" else {})
            )
    actual = np.bincount(run.y_new, minlength=data.k) / len(run.y_new)
    mean = data.new[audit.best].mean(axis=0)
    found = [
        about
        | {"class": code, "estimate": share.estimate, "low": share.low, "high": share.high, "actual": actual[code]}
        | {"mean probability": mean[code], "left as it was": data.prevalence[code]}
        for code, share in enumerate(shares.values())
    ]
    accuracies = {model: truth[model]["accuracy"] for model in performance.names}
    refused = unknowable(run.shift, "natural")
    return Judged(
        estimates, found, [about | {"refused": refused} | row for row in _orders(audit.selection, accuracies)]
    )


def _case(run: real_runs.RealRun, rows: real_runs.Rows) -> Case:
    classes = run.panel.classes_
    # With three classes, precision and recall are those of the second.
    options = DecisionOptions(benefit=BENEFIT) if len(classes) == 2 else DecisionOptions(pos_label=classes[1])
    return real_runs.case_of(run, rows, options)


def _rivals(old: Floats, codes: Any, new: Floats) -> dict[str, float]:
    """Return what others would say of a model's accuracy, by the highest probability of each row."""
    right, sure = (old.argmax(axis=1) == codes).astype(float), old.max(axis=1)
    learned = IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=1).fit(sure, right)
    wrong = int(np.clip(round((1 - right.mean()) * len(sure)), 0, len(sure) - 1))
    return {
        "calibrated confidence": float(learned.predict(new.max(axis=1)).mean()),
        "average thresholded confidence": float((new.max(axis=1) >= np.sort(sure)[wrong]).mean()),
    }


def _orders(selection: sp.Selection, actual: dict[str, float]) -> Iterator[dict[str, Any]]:
    """Yield what the choice of a model loses, and for each pair of models who puts the better one first."""
    names, best = list(actual), max(actual.values())
    theirs = max(names, key=lambda name: selection.validated[name])
    yield {"regret": best - actual[selection.ranking[0]], "regret by cross-validation": best - actual[theirs]}
    for i, first in enumerate(names):
        for second in names[:i]:
            gap = actual[first] - actual[second]
            if abs(gap) < real_tables.GAP:
                continue
            ahead = selection.ranking.index(first) < selection.ranking.index(second)
            by_validation = selection.validated[first] - selection.validated[second]
            # Those that tie are half right.
            validated = 0.5 + 0.5 * np.sign(gap) * np.sign(by_validation)
            yield {"right": float(ahead == (gap > 0)), "right by cross-validation": validated}


def _audited(options: argparse.Namespace, task: Task, constants: real_allowance.Constants) -> Judged:
    warnings.simplefilter("ignore")
    run = real_runs.load(options.folder, options.keep, task.pair, task.seed, task.split)
    if run is None:
        return Judged([], [], [])
    try:
        with real_allowance.using(constants):
            return judge(task, run, real_runs.read_rows(options.folder, task.pair, task.seed, task.split))
    except InputError as error:  # a benchmark over other people's tables goes on
        print(f"\n{task.pair['set']} {task.pair['name']}: {error}", file=sys.stderr)
        return Judged([], [], [])


def _measured(options: argparse.Namespace, task: Task) -> list[dict[str, Any]]:
    warnings.simplefilter("ignore")
    run = real_runs.load(options.folder, options.keep, task.pair, task.seed, task.split)
    if run is None:
        return []
    rows = real_runs.read_rows(options.folder, task.pair, task.seed, task.split)
    return list(real_allowance.measured(_case(run, rows), run))


def _each(what: str, jobs: int, call: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """Call for each of the arguments, and say how far it has come."""
    began = time.monotonic()
    calls = (delayed(call)(*each) for each in arguments)
    for done, result in enumerate(Parallel(n_jobs=jobs, return_as="generator")(calls), 1):
        left = (time.monotonic() - began) / done * (len(arguments) - done)
        print(f"\r{what} {done}/{len(arguments)}, {left / 60:.0f} minutes left ", end="", file=sys.stderr, flush=True)
        yield result
    print(file=sys.stderr)


def collect(options: argparse.Namespace) -> tuple[real_tables.Frames, real_allowance.Constants]:
    """Fit the constants without each data set, and judge every pair by them; return also those of all data sets."""
    every = tasks(options.folder, QUICK if options.quick else None)
    natural = [(options, task) for task in every if task.kind in real_runs.LISTS]
    frame = pd.DataFrame([row for rows in _each("measured", options.jobs, _measured, natural) for row in rows])
    sets = sorted(set(frame["set"]))
    of_all = real_allowance.fit_all(frame)
    without = {name: real_allowance.fit_all(frame, name) if len(sets) > 1 else of_all for name in sets}
    arguments = [(options, task, without.get(task.pair["set"], of_all)) for task in every]
    judged = list(_each("audited", options.jobs, _audited, arguments))
    frames = (pd.DataFrame(list(_joined(part))) for part in zip(*judged, strict=True))
    return real_tables.Frames(*frames), of_all


def _joined(parts: Iterable[list[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    for part in parts:
        yield from part


def write_table(frame: pd.DataFrame, path: Path) -> None:
    """Write what was said and true of every model's accuracy; results only, never rows."""
    natural = frame["kind"].isin(list(real_runs.LISTS))
    known = frame[natural & (frame["measure"] == "accuracy") & frame["estimate"].notna()]
    known[[*COLUMNS]].round(4).to_csv(path, index=False, lineterminator="\n")


def main() -> None:
    """Read the command line, run, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path, metavar="DATA_DIR")
    parser.add_argument("--keep", type=Path, default=Path(".bench-real"), help="where fitted runs are kept")
    parser.add_argument("--quick", action="store_true", help="four small data sets: three minutes")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--save", type=Path, help="write all estimates to CSV files whose names begin so")
    parser.add_argument("--write", type=Path, help="write all tables to this file")
    parser.add_argument("--table", type=Path, help="write results per pair to this CSV file")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    frames, constants = collect(options)
    if options.save is not None:
        for name, frame in frames._asdict().items():
            frame.to_csv(f"{options.save}-{name}.csv", index=False)
    tables = real_tables.all_tables(frames)
    for name, table in tables.items():
        print(f"\n## {name}\n{table.round(4).to_string(index=False)}")
    print("\n## constants of all data sets")
    print(pd.DataFrame(constants, index=["constant", "by_move"]).T.round(4).to_string())
    if options.table is not None:
        write_table(frames.estimates, options.table)
    if options.write is not None:
        options.write.write_text(real_tables.as_json(tables), encoding="utf-8")


if __name__ == "__main__":
    main()
