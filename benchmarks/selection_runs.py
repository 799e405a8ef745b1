"""The runs behind `selection.py`: models fitted once on biased labelled rows, and what they say of the new ones.

A run is one data set, one seed and one shift. What is costly about it, the fits, is kept in a file; what selects and
estimates is computed from that, so that a method can be changed without fitting anything again.
"""

from __future__ import annotations

import pickle
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from kind_of_shift import order_of, read_task, telling
from shiftproof.panel import Panel, cross_fit, default_models
from shiftproof.selection import reverse_test
from shiftproof.shift import ShiftKind, kind_of_shift

#: Sets that methods were chosen on, and sets that are reported; no file is in both lists.
TUNING = [
    *("hddt_phoneme", "ctg:2,3", "pima", "tictactoe", "wdbc", "satimage_multiclass:1,2,3", "drift_elec2"),
    *("haberman", "balance.1", "spectf", "digits:1,3,5,7,9"),
]
REPORTING = [
    *("cmc.1", "hddt_page", "hddt_estate", "hddt_segment", "pendigits_multiclass:0,1,2,3,4", "drift_bank"),
    *("drift_us_accidents", "mammography", "transfusion", "breast_w", "hddt_oil", "vote", "ionosphere", "sonar"),
    *("wine.2", "iris.2", "acute.a"),
]
SHIFTS = ("none", "bias .25", "bias .5", "soft", "prior up", "prior down")
MOST_LABELLED, MOST_NEW = 500, 600
FOLDS, REPEATS = 10, 5
#: What was kept under other settings is not read. After a change of models or kind of shift, empty the folder.
SETTINGS = f"{MOST_LABELLED}-{MOST_NEW}-{FOLDS}x{REPEATS}"


@dataclass(frozen=True, eq=False)
class Run:
    """One biased table of labelled rows, the new rows, and everything that was fitted."""

    task: str
    seed: int
    shift: str
    panel: Panel
    by_fold: dict[str, np.ndarray]
    refitted: dict[str, np.ndarray]
    y_new: np.ndarray
    kind: ShiftKind
    reverse: np.ndarray


def rows_of(X: pd.DataFrame, y: np.ndarray, shift: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Split a set in two halves, and shift one: labelled rows by a feature, new rows by their class."""
    order = rng.permutation(len(y))
    old, new = order[: len(y) // 2], order[len(y) // 2 :]
    if shift.startswith("prior"):
        new = at_prevalence(y, new, shift, rng)
    else:
        feature = rng.choice(telling(X))
        rank = order_of(X.iloc[old].reset_index(drop=True), feature)
        rank = 1 - rank if rng.random() < 0.5 else rank
        kept = {"none": np.ones(len(old), bool), "soft": rng.random(len(old)) < 0.05 + 0.95 * rank}
        old = old[kept[shift] if shift in kept else rank > float(shift[5:])]
    return old[:MOST_LABELLED], new[:MOST_NEW]


def at_prevalence(y: np.ndarray, rows: np.ndarray, shift: str, rng: np.random.Generator) -> np.ndarray:
    """Keep rows so that the odds of class 1 are three to nine times, or a ninth to a third of, what they were."""
    share = y[rows].mean()
    factor = np.exp(rng.uniform(np.log(3), np.log(9))) ** (1 if shift == "prior up" else -1)
    target = share * factor / (1 - share + share * factor)
    most = int(min(y[rows].sum() / target, (1 - y[rows]).sum() / (1 - target), MOST_NEW))
    ones = rows[y[rows] == 1][: round(most * target)]
    return rng.permutation(np.concatenate([ones, rows[y[rows] == 0][: most - len(ones)]]))


def tables(folder: Path, task: str, seed: int, shift: str) -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame, np.ndarray]:
    """Give the features and labels of the labelled rows, and of the new ones."""
    X, labels = read_task(folder, task)
    y = pd.factorize(labels, sort=True)[0]
    rng = np.random.default_rng([seed, zlib.crc32(f"{task} {shift}".encode())])
    old, new = rows_of(X, y, shift, rng)
    return X.iloc[old].reset_index(drop=True), y[old], X.iloc[new].reset_index(drop=True), y[new]


def make(folder: Path, task: str, seed: int, shift: str) -> Run | None:
    """Fit everything that one run needs; None where a class has fewer than ten labelled rows."""
    warnings.simplefilter("ignore")
    near, y, far, y_new = tables(folder, task, seed, shift)
    if np.bincount(y, minlength=2).min() < FOLDS or len(y_new) < 20:
        return None
    models = default_models()
    panel = cross_fit(models, near, y, cv=FOLDS, repeats=REPEATS, random_state=seed, n_jobs=1, progress=False)
    refitted = panel.apply(far)
    once = panel.draw_folds(len(far), random_state=seed)[:1]
    by_fold = panel.apply_by_fold(far, folds=once)
    reverse = reverse_test(panel, near, None, far, n_jobs=1, progress=False).matrix
    light = replace(panel, scorers={}, fold_scorers={})
    kind = kind_of_shift(near, y, far, random_state=seed)
    return Run(task, seed, shift, light, by_fold, refitted, y_new, kind, reverse)


def load(folder: Path, keep: Path, task: str, seed: int, shift: str) -> Run | None:
    """Read a run, or make and keep it; a file is written whole or not at all."""
    path = keep / f"{task.replace(':', '-').replace(',', '')} {shift} {seed} {SETTINGS}.pickle"
    if not path.exists():
        found = make(folder, task, seed, shift)
        part = path.with_suffix(f".{zlib.crc32(str(path).encode())}.part")
        part.write_bytes(pickle.dumps(found))
        part.replace(path)
    return pickle.loads(path.read_bytes())  # noqa: S301  # written by the line above


def all_runs(tasks: list[str], seeds: int, shifts: tuple[str, ...] = SHIFTS) -> Iterator[tuple[str, int, str]]:
    """Name every run, seed by seed, so that an early end leaves whole seeds."""
    for seed in range(seeds):
        for task in tasks:
            for shift in shifts:
                yield task, seed, shift
