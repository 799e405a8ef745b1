"""What quantifying by nearest neighbours costs beside one query for neighbours, and in memory.

Usage::

    python benchmarks/neighbors.py [DATA] [--quick] [--write FOLDER]

DATA is a folder with ``ctg.csv`` (2,126 rows; without it as many rows are made up). The query is scikit-learn's
``kneighbors`` for 46 neighbours of the same prepared rows, by the algorithm that we use. Exits with 1 where the grid of
nine k and five alpha costs more than 1.5 queries in CPU, or memory grows faster than the rows.
"""

from __future__ import annotations

import os

# Before anything imports NumPy: a spinning thread would be billed as CPU time.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors as Query

from measure import measure_extra_mib, measure_time
from ratios import Ratio, add_write, save
from shiftproof.panel import TablePreparer
from shiftproof.quantification import NearestNeighbors, ProportionWeightedNeighbors

Array = NDArray[Any]

MOST_QUERIES, MOST_GROWTH = 1.5, 1.2
NEIGHBORS, RUNS = 46, 7
#: As many as ctg.2 has, and the sizes between which memory grows.
ROWS, GROWN = 2126, (25_000, 100_000)
QUANTIFIERS: dict[str, Callable[[bool], Any]] = {
    "k = 15": lambda scale: NearestNeighbors(15, scale=scale),
    "9 k": lambda scale: NearestNeighbors(scale=scale),
    "9 k x 5 alpha": lambda scale: ProportionWeightedNeighbors(alpha="tune", scale=scale),
    "9 k x 5 alpha, 2x5 and 10 folds": lambda scale: ProportionWeightedNeighbors(
        alpha="tune", scale=scale, tuning="2x5", rates="cv"
    ),
}
#: What is held to at most 1.5 queries.
HELD = "9 k x 5 alpha"


def made_up(n: int, d: int = 20) -> tuple[Array, Array]:
    """Give rows of two classes, one in five of the second."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.2).astype(np.int64)
    return rng.normal(size=(n, d)) + 0.5 * y[:, None], y


def has_ctg(folder: Path | None) -> bool:
    """Say whether the folder has the data set."""
    return folder is not None and (folder / "ctg.csv").exists()


def read(folder: Path | None) -> tuple[Array, Array]:
    """Give ctg.2, without the column that leaks the label."""
    if folder is None or not has_ctg(folder):
        return made_up(ROWS, 21)
    table = pd.read_csv(folder / "ctg.csv").drop(columns="CLASS")
    label = table.pop("label").to_numpy()
    return table.to_numpy(np.float64), (label == 2).astype(np.int64)


def fastest(*calls: Callable[[], Any]) -> list[float]:
    """Give the smallest CPU seconds of each, in turns, after a first run that pays for compiling."""
    for call in calls:
        call()
    found: list[float] = np.min([[measure_time(call)[0] for call in calls] for _ in range(RUNS)], axis=0).tolist()
    return found


def compare(X: Array, y: Array, name: str, ratios: list[Ratio]) -> bool:
    """Print the costs of fitting as numbers of queries, and add them to the ratios."""
    passed = True
    for scale in (True, False):
        points = TablePreparer().fit(X).transform(X) if scale else X
        algorithm = "kd_tree" if points.shape[1] <= 15 else "brute"
        index = Query(algorithm=algorithm).fit(points)
        calls = [partial(make(scale).fit, X, y) for make in QUANTIFIERS.values()]
        query, *costs = fastest(partial(index.kneighbors, points, NEIGHBORS), *calls)
        rows = f"{name}, {'scaled' if scale else 'as it is'}: {len(X):,} x {points.shape[1]}, {algorithm}"
        print(f"\n{rows}")
        print(f"  {'one query of 46':<34} {query * 1e3:9.1f} ms")
        for what, cost in zip(QUANTIFIERS, costs, strict=True):
            ratio = cost / query
            print(f"  {what:<34} {cost * 1e3:9.1f} ms {ratio:7.2f} queries")
            passed &= what != HELD or ratio <= MOST_QUERIES
            ratios.append(
                Ratio(
                    task=f"{what}; {rows}",
                    peer=f"scikit-learn, one query of {NEIGHBORS} neighbours",
                    version=version("scikit-learn"),
                    unit="CPU s",
                    ours=cost,
                    theirs=query,
                    baseline=True,
                )
            )
    return passed


def extra_mib(n: int) -> float:
    """Measure in a fresh process how much memory a fit takes beyond its rows."""
    command = [sys.executable, __file__, "--memory", str(n)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def grow(sizes: list[int]) -> bool:
    """Print the peak of extra memory as the rows grow."""
    print(f"\nextra memory of {HELD}, 20 columns")
    found = []
    for n in sizes:
        found.append(extra_mib(n))
        print(f"  {n:>9,} rows {found[-1]:9.1f} MiB {found[-1] * 2**20 / n:9.0f} bytes a row")
    return found[-1] / found[0] <= MOST_GROWTH * sizes[-1] / sizes[0]


def print_memory(n: int) -> None:
    """Print the extra memory of one fit; a small one before it pays for compiling."""
    quantifier = ProportionWeightedNeighbors(alpha="tune")
    quantifier.fit(*made_up(500))
    X, y = made_up(n)
    print(measure_extra_mib(lambda: quantifier.fit(X, y)))


def main() -> int:
    """Print all tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--memory", type=int)
    add_write(parser)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.memory is not None:
        print_memory(asked.memory)
        return 0
    ratios: list[Ratio] = []
    passed = compare(*read(asked.data), "ctg.2" if has_ctg(asked.data) else "made up", ratios)
    passed &= compare(*made_up(ROWS, 8), "made up", ratios)
    save("neighbors", ratios, parser, asked, script="benchmarks/neighbors.py", paths=("data",))
    passed &= grow([n // 5 for n in GROWN] if asked.quick else [*GROWN])
    print("\nas validated" if passed else "\nNOT as validated")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
