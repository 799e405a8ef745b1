"""The runs behind `real_shifts.py`: tables that time, place or group have made different by themselves.

A pair is a rule for the labelled rows and one for the new rows of a table, from one of the files of `LISTS`. Models are
fitted once per pair. Their scores are kept in a file, so that a changed method can be tried without fitting again. The
same tables give cases that are made: random halves, and halves of which one is thinned out to other class proportions.
"""

from __future__ import annotations

import json
import operator
import pickle
import warnings
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from shiftproof.case import Case, DecisionOptions
from shiftproof.case._scores import NewScores
from shiftproof.core import Floats
from shiftproof.panel import Panel, cross_fit, default_models
from shiftproof.shift import ShiftKind, kind_of_shift
from shiftproof.shift._decide import decide

MODELS = ("lr", "forest", "nb")
MOST_ROWS, FOLDS, FEWEST_NEW = 1_500, 5, 20
# What was kept is read as long as panels have the same fields. After a change of models or type of shift, empty the
# folder.
_FORM = zlib.crc32(" ".join(field.name for field in fields(Panel)).encode())
#: What was kept under other settings is not read.
SETTINGS = f"{MOST_ROWS}-{FOLDS}-{_FORM:08x}"
#: The lists of pairs: on the first one methods were tuned, the second one was found later.
LISTS = {"natural": "natural_pairs.json", "natural2": "natural_pairs2.json"}
#: Rows as time, place or group part them; random halves of the labelled rows, so no shift at all; halves of which the
#: second is thinned out to the share of class 1 that the pair names.
Split = Literal["natural", "halves", "prior"]


_RULES: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "between": lambda column, ends: column.between(*ends),
    "in": lambda column, values: column.isin(values),
    "not in": lambda column, values: ~column.isin(values),
}


@dataclass(frozen=True, eq=False)
class RealRun:
    """One pair of tables, and what every model says of both."""

    data_set: str
    pair: str
    sequence: str | None
    step: int | None
    seed: int
    panel: Panel
    comparable: dict[str, Floats]
    applied: dict[str, Floats]
    y_new: np.ndarray
    shift: ShiftKind


@dataclass(frozen=True, eq=False)
class Rows:
    """Features and labels of both sides."""

    X: pd.DataFrame
    y: np.ndarray
    X_new: pd.DataFrame
    y_new: np.ndarray


def read_pairs(folder: Path, name: str = "natural") -> list[dict[str, Any]]:
    """Read a list of pairs of a folder."""
    pairs: list[dict[str, Any]] = json.loads((folder / LISTS[name]).read_text())
    return pairs


def chosen_rows(table: pd.DataFrame, rule: Mapping[str, Any]) -> np.ndarray:
    """Return the numbers of the rows that a rule chooses."""
    return np.flatnonzero(_RULES[rule["op"]](table[rule["column"]], rule["value"]))


@lru_cache(maxsize=2)
def _table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, low_memory=False)


def read_rows(folder: Path, pair: dict[str, Any], seed: int, split: Split) -> Rows:
    """Read both sides of a pair, at most `MOST_ROWS` rows each."""
    table = _table(folder / pair["file"])
    y = np.unique(table["label"].to_numpy(), return_inverse=True)[1]
    number = zlib.crc32(f"{pair['set']} {pair['name']}".encode())
    if split == "natural":
        rng = np.random.default_rng([seed, number])
        sides = [np.sort(rng.permutation(chosen_rows(table, pair[side]))[:MOST_ROWS]) for side in ("old", "new")]
    elif split == "halves":
        order = np.random.default_rng([seed, 7, number]).permutation(chosen_rows(table, pair["old"]))
        half = min(len(order) // 2, MOST_ROWS)
        sides = [order[:half], order[half : 2 * half]]
    else:
        rng = np.random.default_rng([seed, 11, number, round(100 * pair["share"])])
        order = rng.permutation(chosen_rows(table, pair["old"]) if "old" in pair else np.arange(len(table)))
        half = len(order) // 2
        sides = [order[: min(half, MOST_ROWS)], rng.permutation(_thinned(y, order[half:], pair["share"]))]
    old, new = (table.iloc[rows].reset_index(drop=True) for rows in sides)
    hidden = ["label", *pair.get("drop", [])]
    return Rows(old.drop(columns=hidden), y[sides[0]], new.drop(columns=hidden), y[sides[1]])


def _thinned(y: np.ndarray, rows: np.ndarray, share: float) -> np.ndarray:
    """Return as many of the rows as possible so that class 1 has the given share, at most `MOST_ROWS`."""
    ones, zeros = rows[y[rows] == 1], rows[y[rows] == 0]
    total = int(min(len(ones) / share, len(zeros) / (1 - share), MOST_ROWS))
    count = round(total * share)
    return np.concatenate([ones[:count], zeros[: total - count]])


def fit(pair: dict[str, Any], rows: Rows, seed: int) -> RealRun | None:
    """Fit everything that one pair needs; None with fewer than ten labelled rows of a class, or 20 new rows."""
    warnings.simplefilter("ignore")
    if np.bincount(rows.y, minlength=2).min() < 2 * FOLDS or len(rows.y_new) < FEWEST_NEW:
        return None
    panel = cross_fit(default_models(only=MODELS), rows.X, rows.y, cv=FOLDS, random_state=seed, progress=False)
    return RealRun(
        data_set=pair["set"],
        pair=pair["name"],
        sequence=pair.get("sequence"),
        step=pair.get("step"),
        seed=seed,
        # The models themselves would fill the disk; their scores are all that is needed.
        panel=replace(panel, scorers={}, fold_scorers={}),
        comparable=panel.apply_by_fold(rows.X_new, folds=panel.draw_folds(len(rows.X_new), random_state=seed)[:1]),
        applied=panel.apply(rows.X_new),
        y_new=np.searchsorted(panel.classes_, rows.y_new),
        shift=kind_of_shift(rows.X, rows.y, rows.X_new, random_state=seed),
    )


def load(folder: Path, keep: Path, pair: dict[str, Any], seed: int, split: Split = "natural") -> RealRun | None:
    """Read a run, or make and keep it; a file is written whole or not at all."""
    number = zlib.crc32(json.dumps(pair, sort_keys=True).encode())
    path = keep / f"{split} {pair['set']} {number:08x} {seed} {SETTINGS}.pickle"
    if not path.exists():
        part = path.with_suffix(".part")
        part.write_bytes(pickle.dumps(fit(pair, read_rows(folder, pair, seed, split), seed)))
        part.replace(path)
    run: RealRun | None = pickle.loads(path.read_bytes())  # noqa: S301  # written by the line above
    if run is None:
        return None
    # The evidence was kept; the rule that decides on it may be newer.
    return replace(run, shift=replace(run.shift, kind=decide(run.shift.evidence)[0]))


def case_of(run: RealRun, rows: Rows, options: DecisionOptions) -> Case:
    """Return the case that the verbs would make of a pair, with the scores that were kept."""
    case = Case.of(
        run.panel, rows.X, None, rows.X_new, purpose="an audit", options=options, shift=run.shift, random_state=run.seed
    )
    # Cached properties: the verbs find the scores where they would have computed them.
    case.__dict__["prepared"] = run.panel.prepare(rows.X_new)
    case.__dict__["applied"] = NewScores(run.applied, {})
    case.__dict__["comparable"] = NewScores(run.comparable, {})
    return case
