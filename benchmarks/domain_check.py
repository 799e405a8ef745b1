"""The classifier of old against new rows: false alarms, power and cost, beside the same forest by scikit-learn.

Usage::

    python benchmarks/domain_check.py DATA [--quiet 200] [--large 40] [--power 60]

DATA is a folder with the sets of the papers and tables with categories, missing values and many
columns. Without shift, two samples of the same table are compared. For the power, a sample is compared with another one
that was changed: one column was permuted (all columns keep their distribution, only the dependence changes), moved by a
part of its standard deviation, or lost its upper quarter, or a rare category replaced others in a tenth of the rows.
Control is scikit-learn's ExtraTreesClassifier with 60 trees and leaves of 3 rows, in five folds of the same rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binomtest, ks_2samp

from measure import measure_time
from shiftproof import detect
from shiftproof.core import as_table
from shiftproof.data import joint_kinds
from shiftproof.experiments import DataSources
from shiftproof.experiments._fractures_runs import load_set
from shiftproof.shift import DomainCheck, _domain, domain_check
from shiftproof.simulation import mar, offset
from shiftproof.stats import compare_tables

ALPHAS = (0.01, 0.05, 0.10)
SETS = ("mammography", "phoneme", "page", "satimage")
#: Further tables: file, columns that are taken.
MORE = {
    "adult": ("natural_adult.csv.gz", slice(0, 8)),
    "rain": ("natural_rain_aus.csv.gz", slice(3, 19)),
    "nhanes": ("natural_nhanes.csv.gz", slice(1, 31)),
    "student": ("natural_student.csv.gz", slice(2, 32)),
    "spam": ("natural_spam.csv.gz", slice(2, 102)),
    "sonar": ("sonar.csv", slice(0, 60)),
}
WITH_CATEGORIES = ("adult", "rain", "student")
SMALL, LARGE = (60, 300), 2_000
POWER_ROWS = (100, 300, 1_000)
COSTS = ((10_000, 8), (100_000, 20))

Split = tuple[pd.DataFrame, pd.DataFrame]
Case = tuple[str, str, int, int]  # shift, set, rows of a side, seed
Scores = tuple[NDArray[np.float64], NDArray[np.int64]]


def scikit_learn_forest(
    X: NDArray[np.float32], y: NDArray[np.int64], X_new: NDArray[np.float32], seed: int
) -> NDArray[np.float64]:
    """Return the probabilities of `ExtraTreesClassifier(60, min_samples_leaf=3, class_weight="balanced")`.

    The trees are built by scikit-learn's own classes, digit for digit as the estimator builds them, but without its
    checks of every tree, which take four fifths of the time in small tables.
    """
    from sklearn.tree._criterion import Gini
    from sklearn.tree._splitter import RandomSplitter
    from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

    seeds, classes = np.random.RandomState(seed), np.array([2], dtype=np.intp)
    targets, weights = y.reshape(-1, 1).astype(np.float64), (len(y) / (2 * np.bincount(y)))[y]
    total = np.zeros(len(X_new))
    for _ in range(60):
        state = np.random.RandomState(seeds.randint(np.iinfo(np.int32).max))
        splitter = RandomSplitter(Gini(1, classes), max(1, int(np.sqrt(X.shape[1]))), 3, 0.0, state, None)
        tree = Tree(X.shape[1], classes, 1)
        DepthFirstTreeBuilder(splitter, 6, 3, 0.0, np.iinfo(np.int32).max, 0.0).build(tree, X, targets, weights, None)
        leaves = tree.predict(X_new).reshape(-1, 2)
        total += leaves[:, 1] / leaves.sum(axis=1)
    return total / 60


def scikit_learn_scores(codes: NDArray[np.int32], new: NDArray[np.int64], rng: np.random.Generator) -> Scores:
    """Score out of fold by scikit-learn's forest; takes the place of `_domain._out_of_fold`."""
    folds = np.empty(len(new), dtype=np.int64)
    for side in (0, 1):
        members = np.flatnonzero(new == side)
        folds[rng.permutation(members)] = np.arange(len(members)) % 5
    scores = np.empty(len(new))
    rows = np.ascontiguousarray(codes.T, dtype=np.float32)
    for fold in range(5):
        outside = folds == fold
        seed = int(rng.integers(2**31))
        scores[outside] = scikit_learn_forest(rows[~outside], new[~outside], rows[outside], seed)
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
    tables = {name: load_set(DataSources(folder), name)[0] for name in SETS}
    for name, (file, columns) in MORE.items():
        tables[name] = pd.read_csv(folder / file, nrows=20_000).iloc[:, columns]
    return tables


def permuted(table: pd.DataFrame, feature: str, rng: np.random.Generator) -> pd.DataFrame:
    """Permute one column: its distribution stays, its dependence on the others goes."""
    return table.assign(**{feature: rng.permutation(table[feature].to_numpy())})


def rare_category(table: pd.DataFrame, feature: str, rng: np.random.Generator) -> pd.DataFrame:
    """Put the rarest category of one column into a tenth of the rows."""
    cells = table[feature].to_numpy(dtype=object, copy=True)
    cells[rng.permutation(len(cells))[: len(cells) // 10]] = table[feature].value_counts().index[-1]
    return table.assign(**{feature: cells})


Shift = Callable[[pd.DataFrame, str, np.random.Generator], pd.DataFrame]
SHIFTS: dict[str, Shift] = {
    "permuted": permuted,
    "offset 0.25 sd": lambda table, feature, _: offset(table, feature, 0.25)[0],
    "offset 0.5 sd": lambda table, feature, _: offset(table, feature, 0.5)[0],
    "MAR 25": lambda table, feature, _: mar(table, feature, 0.25)[0],
    "rare category": rare_category,
}


def quiet_cases(tables: dict[str, pd.DataFrame], sizes: tuple[int, ...], seeds: Iterable[int]) -> Iterator[Case]:
    """List comparisons without shift, of all tables that have the rows."""
    for name, table in tables.items():
        for n in sizes:
            if len(table) >= 2 * n:
                yield from (("none", name, n, seed) for seed in seeds)


def power_cases(seeds: Iterable[int]) -> Iterator[Case]:
    """List comparisons with shift."""
    for shift in SHIFTS:
        for name in WITH_CATEGORIES if shift == "rare category" else SETS:
            for n in POWER_ROWS:
                if (name, n) != ("student", 1_000):
                    yield from ((shift, name, n, seed) for seed in seeds)


def split(table: pd.DataFrame, case: Case) -> Split:
    """Draw both samples of a comparison; a shift changes one feature, by turns."""
    shift, _, n, seed = case
    rng = np.random.default_rng((seed, 1))
    rows = rng.permutation(len(table))
    if shift == "none":
        return table.iloc[rows[:n]], table.iloc[rows[n : 2 * n]]
    columns = table.select_dtypes(exclude="number").columns if shift == "rare category" else table.columns
    # MAR loses a quarter of the rows, so twice as many are shifted as are needed.
    rest = SHIFTS[shift](table.iloc[rows[n : 3 * n]], str(columns[seed % len(columns)]), rng)
    return table.iloc[rows[:n]], rest.iloc[rng.permutation(len(rest))[:n]]


def p_values(tables: dict[str, pd.DataFrame], cases: Iterable[Case]) -> pd.DataFrame:
    """Compare the samples of all cases by both forests."""
    rows = []
    for case in cases:
        old, new = split(tables[case[1]], case)
        rows.append((*case, ours(old, new, case[3]).p_value, control(old, new, case[3]).p_value))
    return pd.DataFrame(rows, columns=["shift", "set", "n", "seed", "ours", "control"])


def alarms(quiet: pd.DataFrame) -> pd.DataFrame:
    """Tabulate how often both checks alarm without shift, with exact 95% intervals of the shares."""
    table = {}
    for key, cell in [*quiet.groupby(["set", "n"], sort=False), *(((f"all {n}", n), c) for n, c in quiet.groupby("n"))]:
        row: dict[str, object] = {"splits": len(cell)}
        for name in ("ours", "control"):
            for alpha in ALPHAS:
                hits = binomtest(int((cell[name] <= alpha).sum()), len(cell))
                bounds = hits.proportion_ci()
                row[f"{name} {alpha}"] = f"{hits.statistic:.3f} [{bounds.low:.3f}, {bounds.high:.3f}]"
        table[key] = row
    return pd.DataFrame(table).T


def power(shifted: pd.DataFrame, alpha: float = 0.05) -> pd.DataFrame:
    """Tabulate the shares of shifts found, and the paired difference with its standard error."""
    table = {}
    for by in (["shift", "n"], ["shift", "set", "n"]):
        for key, cell in shifted.groupby(by, sort=False):
            gap = (cell["ours"] <= alpha).astype(float) - (cell["control"] <= alpha)
            table[" ".join(map(str, key))] = {
                "splits": len(cell),
                "ours": (cell["ours"] <= alpha).mean(),
                "control": (cell["control"] <= alpha).mean(),
                "difference": gap.mean(),
                "standard error": gap.std() / np.sqrt(len(cell)),
            }
    return pd.DataFrame(table).T


def costs(rows: int, columns: int) -> pd.DataFrame:
    """Measure CPU seconds of the checks and of `detect`, beside the records and scipy's test of every column."""
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
    table["times scipy"] = table["cpu seconds"] / seconds["scipy's ks_2samp in a loop"]
    table["times the records"] = table["cpu seconds"] / seconds["records (compare_tables)"]
    return table


def main() -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(description="The classifier of old against new rows.")
    parser.add_argument("data", type=Path, help="folder with the sets")
    parser.add_argument("--quiet", type=int, default=200, help="splits of a small sample without shift")
    parser.add_argument("--large", type=int, default=40, help=f"the same with {LARGE:,} rows on both sides")
    parser.add_argument("--power", type=int, default=60, help="shifts per set and sample size")
    given = parser.parse_args()
    for rows, columns in COSTS:
        print(f"{rows:,} x {columns}", costs(rows, columns).round(3).to_string(), sep="\n", flush=True)
    tables = load(given.data)
    cases = [*quiet_cases(tables, SMALL, range(given.quiet)), *quiet_cases(tables, (LARGE,), range(given.large))]
    print("\nAlarms without shift", alarms(p_values(tables, cases)).to_string(), sep="\n")
    shifted = p_values(tables, power_cases(range(given.power)))
    print("\nShifts found at 0.05", power(shifted).round(3).to_string(), sep="\n")


if __name__ == "__main__":
    main()
