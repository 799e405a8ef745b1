"""The classifier of old against new rows: false alarms, power and cost, beside the same forest by scikit-learn.

Usage::

    python benchmarks/domain_check.py DATA [--splits 200] [--control 40] [--power 20]

DATA is a folder with the sets of the papers (see papers_data.py) and two tables with categories and missing values.
Without shift, two samples of the same table are compared. For the power, 100 reference rows are compared with 100 other
rows in which one column was permuted (all columns keep their distribution, only the dependence changes), moved by a
quarter of its standard deviation, or lost its upper quarter. Control is scikit-learn's ExtraTreesClassifier with 60
trees and leaves of 3 rows in the same five folds; it takes part in ``--control`` of the splits. Prints three tables.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import ks_2samp

from measure import measure_time
from papers_data import load_set
from shiftproof import detect
from shiftproof.core import as_table
from shiftproof.data import joint_kinds
from shiftproof.shift import DomainCheck, _domain, domain_check
from shiftproof.simulation import mar, offset
from shiftproof.stats import compare_tables

ALPHA = 0.05
SETS = ("mammography", "phoneme", "page", "satimage")
#: Tables with categories and missing values, and how many of their columns are taken.
MIXED = {"adult": ("natural_adult.csv.gz", 8), "rain": ("natural_rain_aus.csv.gz", 16)}
#: Rows on both sides of the splits without shift.
SIZES = ((60, 60), (300, 300), (1_000, 200))
POWER_ROWS = 100

Split = tuple[pd.DataFrame, pd.DataFrame]


def scikit_learn_scores(
    codes: NDArray[np.int32], new: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Score out of fold by scikit-learn's forest; takes the place of `_domain._out_of_fold`."""
    from sklearn.ensemble import ExtraTreesClassifier

    folds = np.empty(len(new), dtype=np.int64)
    for side in (0, 1):
        members = np.flatnonzero(new == side)
        folds[rng.permutation(members)] = np.arange(len(members)) % 5
    scores = np.empty(len(new))
    for fold in range(5):
        outside = folds == fold
        seed = int(rng.integers(2**31))
        forest = ExtraTreesClassifier(60, min_samples_leaf=3, class_weight="balanced", random_state=seed)
        forest.fit(codes.T[~outside], new[~outside])
        scores[outside] = forest.predict_proba(codes.T[outside])[:, 1]
    return scores, folds


def ours(old: pd.DataFrame, new: pd.DataFrame, seed: int) -> DomainCheck:
    """Compare two frames as `detect` does."""
    before, after = as_table(old), as_table(new)
    return domain_check(before, after, joint_kinds(before, after, warn=False), random_state=seed)


def control(old: pd.DataFrame, new: pd.DataFrame, seed: int) -> DomainCheck:
    """Compare two frames by the forest of scikit-learn."""
    with mock.patch.object(_domain, "_out_of_fold", scikit_learn_scores):
        return ours(old, new, seed)


def load(folder: Path) -> dict[str, pd.DataFrame]:
    """Read all tables."""
    tables = {name: load_set(folder, name)[0] for name in SETS}
    for name, (file, columns) in MIXED.items():
        tables[name] = pd.read_csv(folder / file, nrows=20_000).iloc[:, :columns]
    return tables


def rates(splits: Iterator[Split], times: int) -> dict[str, float]:
    """Return how often each check alarms; the control takes part in the first splits only."""
    p_values: list[float] = []
    controls: list[float] = []
    for seed, (old, new) in enumerate(splits):
        p_values.append(ours(old, new, seed).p_value)
        if seed < times:
            controls.append(control(old, new, seed).p_value)
    first = np.array(p_values[: len(controls)])
    return {
        "ours": float(np.mean(np.array(p_values) <= ALPHA)),
        "same splits": float(np.mean(first <= ALPHA)),
        "control": float(np.mean(np.array(controls) <= ALPHA)) if controls else np.nan,
    }


def quiet_splits(table: pd.DataFrame, n: int, m: int, times: int) -> Iterator[Split]:
    """Draw two samples of one table, again and again."""
    for seed in range(times):
        rows = np.random.default_rng(seed).permutation(len(table))
        yield table.iloc[rows[:n]], table.iloc[rows[n : n + m]]


def permuted(table: pd.DataFrame, feature: str, rng: np.random.Generator) -> pd.DataFrame:
    """Permute one column: its distribution stays, its dependence on the others goes."""
    return table.assign(**{feature: rng.permutation(table[feature].to_numpy())})


SHIFTS: dict[str, Callable[[pd.DataFrame, str, np.random.Generator], pd.DataFrame]] = {
    "permuted": permuted,
    "offset 0.25 sd": lambda table, feature, _: offset(table, feature, 0.25)[0],
    "MAR 25": lambda table, feature, _: mar(table, feature, 0.25)[0],
}


def shifted_splits(table: pd.DataFrame, shift: str, times: int) -> Iterator[Split]:
    """Draw two samples and shift the second by one feature after the other."""
    for seed in range(times):
        rng = np.random.default_rng((seed, 1))
        rows = rng.permutation(len(table))
        feature = str(table.columns[seed % table.shape[1]])
        rest = SHIFTS[shift](table.iloc[rows[POWER_ROWS : 3 * POWER_ROWS]], feature, rng)
        yield table.iloc[rows[:POWER_ROWS]], rest.iloc[rng.permutation(len(rest))[:POWER_ROWS]]


def costs(rows: int = 10_000, columns: int = 8) -> pd.DataFrame:
    """Measure CPU seconds of the checks and of `detect`, beside scipy's test of every column."""
    rng = np.random.default_rng(0)
    old, new = (pd.DataFrame(rng.normal(size=(rows, columns))).add_prefix("x") for _ in range(2))
    before, after = as_table(old), as_table(new)
    work: dict[str, Callable[[], object]] = {
        "scipy's ks_2samp in a loop": lambda: [ks_2samp(old[name], new[name]) for name in old],
        "records (compare_tables)": lambda: compare_tables(before, after),
        "domain check": lambda: ours(old, new, 0),
        "domain check by scikit-learn": lambda: control(old, new, 0),
        "detect": lambda: detect(old, new),
        "detect(multivariate=False)": lambda: detect(old, new, multivariate=False),
    }
    seconds = {}
    for name, call in work.items():
        call()  # compiles, imports
        seconds[name] = min(measure_time(call)[0] for _ in range(5))
    table = pd.DataFrame({"cpu seconds": seconds})
    table["times scipy"] = table["cpu seconds"] / table["cpu seconds"].iloc[0]
    return table


def main() -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(description="The classifier of old against new rows.")
    parser.add_argument("data", type=Path, help="folder with the sets")
    parser.add_argument("--splits", type=int, default=200, help="splits without shift")
    parser.add_argument("--control", type=int, default=40, help="splits of these that scikit-learn's forest takes too")
    parser.add_argument("--power", type=int, default=20, help="shifts per set")
    arguments = parser.parse_args()
    print(costs().round(3).to_string(), flush=True)
    tables = load(arguments.data)
    cases = [
        (f"{name} {n} x {m}", rates(quiet_splits(table, n, m, arguments.splits), arguments.control))
        for name, table in tables.items()
        for n, m in SIZES
    ]
    print(f"\nAlarms at {ALPHA} without shift ({arguments.splits} splits, control in {arguments.control})\n")
    print(pd.DataFrame(dict(cases)).T.round(3).to_string(), flush=True)
    cases = [
        (f"{shift}, {name}", rates(shifted_splits(tables[name], shift, arguments.power), arguments.power))
        for shift in SHIFTS
        for name in SETS
    ]
    print(f"\nShifts found at {ALPHA} ({POWER_ROWS} rows on both sides, {arguments.power} shifts)\n")
    print(pd.DataFrame(dict(cases)).T[["ours", "control"]].round(3).to_string())


if __name__ == "__main__":
    main()
