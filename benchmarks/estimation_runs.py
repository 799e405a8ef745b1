"""The runs behind the estimation part of `selection.py`: one cross-fitted panel per set, new rows of every kind.

The labelled rows of a set are drawn once per seed; the new rows come from the rest: as they are, at other class
shares, selected by a feature, both, with their columns permuted, or from another set.
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

from kind_of_shift import FEWEST, MOST, SIZES, at_shares, order_of, read_task, telling
from shiftproof.panel import Panel, cross_fit, default_models
from shiftproof.shift import ShiftKind, kind_of_shift

MODELS = ("lr", "nb", "tree", "forest")


@dataclass(frozen=True, eq=False)
class Case:
    """New rows whose shift is known, and what everyone says of them; nonsense has no labels."""

    truth: str
    detail: str
    n_new: int
    y_new: np.ndarray | None
    by_fold: dict[str, np.ndarray]
    refitted: dict[str, np.ndarray]
    kind: ShiftKind


def new_rows(
    X: pd.DataFrame, y: np.ndarray, rest: np.ndarray, size: int, rng: np.random.Generator
) -> Iterator[tuple[str, str, np.ndarray]]:
    """Yield every way to draw so many new rows that the rest is large enough for."""
    if len(rest) >= size:
        for _ in range(2):
            yield "none", "none", rng.permutation(rest)[:size]
    for target in (0.1, 0.3, 0.5, 0.7, 0.9):
        chosen = at_shares(y, rng.permutation(rest), np.array([1 - target, target]), size)
        if chosen is not None and abs(target - y[rest].mean()) >= 0.05:
            yield "prior", f"{target}", chosen
    for detail in ("MAR .25", "MAR .5", "soft", "MAR .5"):
        kept = selected(X, rest, detail, rng)
        if len(kept) >= size:
            yield "covariate", detail, rng.permutation(kept)[:size]
    for target in (0.3, 0.7):
        kept = rng.permutation(selected(X, rest, "soft", rng))
        chosen = at_shares(y, kept, np.array([1 - target, target]), size)
        if chosen is not None and abs(target - y[rest].mean()) >= 0.05:
            yield "mixed", f"soft, {target}", chosen


def selected(X: pd.DataFrame, rest: np.ndarray, detail: str, rng: np.random.Generator) -> np.ndarray:
    """Select rows by a feature, drawn among those that vary enough."""
    rank = order_of(X.iloc[rest].reset_index(drop=True), rng.choice(telling(X)))
    rank = 1 - rank if rng.random() < 0.5 else rank
    return rest[rng.random(len(rest)) < 0.05 + 0.95 * rank] if detail == "soft" else rest[rank <= 1 - float(detail[4:])]


def make(folder: Path, task: str, seed: int) -> tuple[Panel, list[Case]]:
    """Fit the models once and look at every case."""
    warnings.simplefilter("ignore")
    X, labels = read_task(folder, task)
    y = pd.factorize(labels, sort=True)[0]
    rng = np.random.default_rng([seed, zlib.crc32(task.encode())])
    order = rng.permutation(len(y))
    size = max(min(FEWEST, len(y) // 2), min(MOST, len(y) // 3))
    old, rest = order[:size], order[size:]
    near = X.iloc[old].reset_index(drop=True)
    panel = cross_fit(default_models(only=MODELS), near, y[old], random_state=seed, n_jobs=1, progress=False)

    def case(truth: str, detail: str, far: pd.DataFrame, y_new: np.ndarray | None) -> Case:
        far = far.reset_index(drop=True)
        kind = kind_of_shift(near, y[old], far, random_state=seed)
        by_fold = panel.apply_by_fold(far, random_state=seed)
        return Case(truth, detail, len(far), y_new, by_fold, panel.apply(far), kind)

    found = []
    other = read_task(folder, "hddt_phoneme" if task == "hddt_page" else "hddt_page")[0]
    for n_new in SIZES:
        found += [case(t, d, X.iloc[rows], y[rows]) for t, d, rows in new_rows(X, y, rest, n_new, rng)]
        if len(rest) < n_new:
            continue
        permuted = {name: rng.permutation(X[name].to_numpy()[rng.permutation(rest)[:n_new]]) for name in X}
        found.append(case("nonsense", "permuted", pd.DataFrame(permuted), None))
        if X.select_dtypes("number").shape[1] == X.shape[1]:
            theirs = other.iloc[rng.permutation(len(other))[:n_new]]
            strange = {name: theirs.iloc[:, at % other.shape[1]].to_numpy() for at, name in enumerate(X)}
            found.append(case("nonsense", "other set", pd.DataFrame(strange), None))
    return replace(panel, scorers={}, fold_scorers={}), found


def load(folder: Path, keep: Path, task: str, seed: int) -> tuple[Panel, list[Case]]:
    """Read the cases of a set, or make and keep them; a file is written whole or not at all."""
    path = keep / f"estimate {task.replace(':', '-').replace(',', '')} {seed}.pickle"
    if not path.exists():
        part = path.with_suffix(".part")
        part.write_bytes(pickle.dumps(make(folder, task, seed)))
        part.replace(path)
    found: tuple[Panel, list[Case]] = pickle.loads(path.read_bytes())  # noqa: S301  # written by the line above
    return found
