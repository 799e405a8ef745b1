"""The full record of two large tables against scipy and against plain sorting, in one run.

Usage::

    python benchmarks/two_sample.py [--rows 1000000] [--columns 50] [--write FOLDER]

Prints CPU seconds and ratios, the peak of extra memory in columns, and how the cost grows with the rows.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from measure import measure_extra_mib, measure_time
from ratios import Ratio, add_write, save
from shiftproof import stats

Matrix = NDArray[np.float64]
GROWTH = (10_000, 100_000, 1_000_000, 4_000_000)


def tables(rows: int, columns: int) -> tuple[Matrix, Matrix]:
    """Draw two tables of normal numbers, stored column by column as data frames are."""
    rng = np.random.default_rng(0)
    return tuple(rng.standard_normal((columns, rows)).T for _ in range(2))  # type: ignore[return-value]


def full_record(records: dict[str, stats.Record]) -> list[tuple[Any, ...]]:
    """Turn records into the statistics that are compared: KS, KW, CvM, W1, Hellinger, missing."""
    return [
        (
            stats.kolmogorov_smirnov(record),
            stats.kruskal_wallis(record),
            stats.cramer_von_mises(record),
            stats.wasserstein(record),
            stats.hellinger(record),
            stats.missingness(record),
        )
        for record in records.values()
    ]


def by_scipy(old: Matrix, new: Matrix) -> list[Any]:
    """Run the loop that people write: two tests a column."""
    from scipy.stats import kruskal, ks_2samp

    return [(ks_2samp(old[:, at], new[:, at]), kruskal(old[:, at], new[:, at])) for at in range(old.shape[1])]


def sorting(old: Matrix, new: Matrix) -> None:
    """Sort every column of both tables, one at a time."""
    for table in (old, new):
        for at in range(table.shape[1]):
            np.sort(table[:, at])


def least(call: Callable[[], Any], times: int) -> float:
    """Return the smallest CPU time of several runs."""
    return min(measure_time(call)[0] for _ in range(times))


def compare_costs(rows: int, columns: int) -> list[Ratio]:
    """Print the table of costs and return the ratios."""
    old, new = tables(rows, columns)
    full_record(stats.compare_tables(old[:1000], new[:1000]))  # kernels compile here
    prepared = stats.Reference(old)
    costs = {
        "np.sort of both tables": least(lambda: sorting(old, new), 3),
        "full record from scratch": least(lambda: full_record(stats.compare_tables(old, new)), 3),
        "full record, prepared reference": least(lambda: full_record(prepared.compare(new)), 3),
        "scipy ks_2samp + kruskal": least(lambda: by_scipy(old, new), 1),
    }
    sort, scipy = costs["np.sort of both tables"], costs["scipy ks_2samp + kruskal"]
    print(f"\n{rows:,} x {columns} doubles against as many, CPU seconds\n")
    print(f"{'':34}{'CPU s':>8}{'of np.sort':>12}{'less than scipy':>17}")
    for name, cost in costs.items():
        print(f"{name:34}{cost:8.2f}{cost / sort:11.2f}x{scipy / cost:16.1f}x")
    peers = {
        "scipy, `ks_2samp` and `kruskal`": ("scipy", scipy, False),
        "numpy, `np.sort` of both tables": ("numpy", sort, True),
    }
    return [
        Ratio(
            task=f"{name}, {rows:,} x {columns} numbers against as many",
            peer=peer,
            version=version(package),
            unit="CPU s",
            ours=cost,
            theirs=theirs,
            baseline=baseline,
        )
        for peer, (package, theirs, baseline) in peers.items()
        for name, cost in costs.items()
        if name.startswith("full record")
    ]


def compare_memory(rows: int, columns: int) -> list[Ratio]:
    """Print the peak of extra memory, each call in a process of its own, and return it beside one column."""
    column = rows * 8 / 2**20
    ratios = []
    print(f"\npeak extra memory, in columns of {column:.1f} MiB\n")
    for name in ("scratch", "prepared"):
        command = [sys.executable, __file__, "--memory", name, "--rows", str(rows), "--columns", str(columns)]
        printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        print(f"{name:34}{float(printed) / column:8.2f}")
        ratios.append(
            Ratio(
                task=f"full record, {'from scratch' if name == 'scratch' else 'prepared reference'}, extra memory",
                peer=f"one column of {rows:,} numbers",
                version="",
                unit="MiB",
                ours=float(printed),
                theirs=column,
                baseline=True,
            )
        )
    return ratios


def memory_of(name: str, rows: int, columns: int) -> float:
    """Measure one call in this process."""
    old, new = tables(rows, columns)
    full_record(stats.compare_tables(old[:1000], new[:1000]))
    if name == "scratch":
        return measure_extra_mib(lambda: full_record(stats.compare_tables(old, new)))
    prepared = stats.Reference(old)
    return measure_extra_mib(lambda: full_record(prepared.compare(new)))


def growth(columns: int) -> None:
    """Print the cost per row and per n log n over two decades of rows."""
    print("\ngrowth with rows (from scratch)\n")
    print(f"{'rows':>12}{'ns/row':>10}{'ns/(row log2 rows)':>20}")
    for rows in GROWTH:
        old, new = tables(rows, min(columns, 4))
        cost = least(lambda old=old, new=new: stats.compare_tables(old, new), 3) / (2 * rows * old.shape[1]) * 1e9  # type: ignore[misc]
        print(f"{rows:12,}{cost:10.1f}{cost / np.log2(rows):20.2f}")


def main() -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(description="The full two-sample record against scipy and against sorting.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--memory", choices=("scratch", "prepared"), help="print only the extra MiB of one call")
    add_write(parser)
    arguments = parser.parse_args()
    if arguments.memory:
        print(memory_of(arguments.memory, arguments.rows, arguments.columns))
        return
    ratios = compare_costs(arguments.rows, arguments.columns)
    ratios += compare_memory(arguments.rows, arguments.columns)
    save("two-sample", ratios, parser, arguments, script="benchmarks/two_sample.py")
    growth(arguments.columns)


if __name__ == "__main__":
    main()
