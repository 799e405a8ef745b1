"""What comparing two tables costs that are not in memory: CPU in units of one scan, and peak memory.

python benchmarks/large_tables.py [--rows 5000000] [--columns 40] [--folder FOLDER]

Two Parquet files of doubles are made (3.2 GB with the usual sizes), in a folder that is deleted afterwards unless one
is named. Every figure is of a process of its own. A scan reads every column of both files once.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

import measure

_ROW_GROUP = 500_000


def make_files(folder: Path, rows: int, columns: int) -> list[Path]:
    """Write two files of normal values, of which every tenth column of the second is shifted."""
    paths = [folder / f"{name}-{rows}.parquet" for name in ("old", "new")]
    schema = pa.schema([(f"x{place}", pa.float64()) for place in range(columns)])
    for side, path in enumerate(paths):
        if path.exists():
            continue
        rng = np.random.default_rng(side)
        with pq.ParquetWriter(path, schema) as writer:
            for start in range(0, rows, _ROW_GROUP):
                n = min(_ROW_GROUP, rows - start)
                shifts = [0.2 * side * (place % 10 == 0) for place in range(columns)]
                writer.write_table(pa.table([rng.normal(shift, 1, n) for shift in shifts], schema=schema))
    return paths


def scan(old: str, new: str) -> None:
    """Read every column of both files."""
    for path in (old, new):
        data = ds.dataset(path)
        for name in data.schema.names:
            data.to_table(columns=[name])


def by_files(old: str, new: str) -> None:
    """Compare files where they are."""
    import shiftproof as sp

    sp.detect(f"{old[:-1]}?", f"{new[:-1]}?")


def by_duckdb(old: str, new: str) -> None:
    """Compare relations of DuckDB."""
    import duckdb

    import shiftproof as sp

    sp.detect(duckdb.read_parquet(old), duckdb.read_parquet(new))


def by_polars(old: str, new: str) -> None:
    """Compare queries of polars."""
    import polars as pl

    import shiftproof as sp

    sp.detect(pl.scan_parquet(old), pl.scan_parquet(new))


WAYS: dict[str, Callable[[str, str], None]] = {
    "one scan": scan,
    "Parquet files": by_files,
    "DuckDB": by_duckdb,
    "polars LazyFrame": by_polars,
}


def in_own_process(way: str, paths: list[Path], warm_up: list[Path]) -> dict[str, float]:
    """Return CPU seconds and peak memory of one way, after imports and compiled kernels are there."""
    command = [sys.executable, __file__, "--way", way, *map(str, [*paths, *warm_up])]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(json.loads(output))


def report(way: str, old: str, new: str, *small: str) -> None:
    """Run one way and print its cost."""
    WAYS[way](*small)
    cpu, wall, _ = measure.measure_time(lambda: WAYS[way](old, new))
    print(json.dumps({"cpu": cpu, "wall": wall, "peak": measure._status_mib("VmHWM")}))


def show(label: str, cost: dict[str, Any], one_scan: float) -> None:
    """Print a row."""
    ratio, peak = cost["cpu"] / one_scan, cost["peak"]
    print(f"{label:<34}{cost['cpu']:>9.1f}{cost['wall']:>9.1f}{ratio:>9.1f}{peak:>10,.0f}", flush=True)


def main() -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--columns", type=int, default=40)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--way", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        report(*options.way)
        return
    with tempfile.TemporaryDirectory() as made:
        folder = options.folder or Path(made)
        small = make_files(folder, 5_000, options.columns)
        print(f"{'rows, columns, way':<34}{'CPU s':>9}{'wall s':>9}{'scans':>9}{'peak MiB':>10}")
        for rows in sorted({options.rows // 5, options.rows * 4 // 5, options.rows}):
            paths = make_files(folder, rows, options.columns)
            ways = WAYS if rows == options.rows else ("one scan", "Parquet files")
            costs = {way: in_own_process(way, paths, small) for way in ways}
            for way, cost in costs.items():
                show(f"2 x {rows:,} x {options.columns}, {way}", cost, costs["one scan"]["cpu"])


if __name__ == "__main__":
    main()
