"""What comparing and auditing tables costs that are not in memory: CPU in units of one scan, and peak memory.

python benchmarks/large_tables.py [detect|audit] [--rows 5000000] [--columns 40] [--folder FOLDER] [--write FOLDER]

Two Parquet files are made (3.2 GB with the usual sizes), in a folder that is deleted afterwards unless one is named.
Every figure is of a process of its own. A scan reads every column of both files once.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

import measure
from ratios import Ratio, add_write, save

_ROW_GROUP = 500_000
_SIZES = {"detect": (5_000_000, 40), "audit": (10_000_000, 20)}
# A record by SQL alone takes long, so that it is made of so many columns, and counted for all of them.
_BY_SQL = 2

# How a row counts on either side, and the record of a column x of both.
_OLD, _NEW = "1 AS a, 0 AS b", "0 AS a, 1 AS b"
_RECORD = """
    WITH counted AS (
        SELECT x, sum(a)::DOUBLE AS a, sum(b)::DOUBLE AS b FROM pooled WHERE NOT isnan(x) GROUP BY x
    ), summed AS (
        SELECT x, a, b, sum(a) OVER all_rows AS n, sum(b) OVER all_rows AS m, sum(a) OVER below AS i,
            sum(b) OVER below AS j, lead(x) OVER below AS following
        FROM counted
        WINDOW all_rows AS (), below AS (ORDER BY x ROWS UNBOUNDED PRECEDING)
    )
    SELECT max(i * m - j * n), min(i * m - j * n), sum(b * (2 * (i + j) - a - b - n - m)),
        sum((a + b) ** 3 - a - b), sum((a + b) * (i * m - j * n) ** 2), sum(abs(i * m - j * n) * (following - x)),
        min(x), max(x), sum(a * x), sum(b * x), sum(a * x * x), sum(b * x * x)
    FROM summed
"""


def make_files(folder: Path, rows: int, columns: int, *, scored: bool = False) -> list[Path]:
    """Write two files of normal values, of which every tenth column of the second is shifted.

    With scores, the last two columns are the label and a calibrated probability of it.
    """
    paths = [folder / f"{name}-{rows}-{'scored' if scored else 'plain'}.parquet" for name in ("old", "new")]
    for side, path in enumerate(paths):
        if path.exists():
            continue
        rng = np.random.default_rng(side)
        shifts = [0.2 * side * (place % 10 == 0) for place in range(columns - 2 * scored)]
        names = [f"x{place}" for place in range(len(shifts))]
        fields = [(name, pa.float64()) for name in names] + ([("y", pa.int8()), ("p", pa.float64())] if scored else [])
        with pq.ParquetWriter(path, pa.schema(fields)) as writer:
            for start in range(0, rows, _ROW_GROUP):
                n = min(_ROW_GROUP, rows - start)
                values: list[Any] = [rng.normal(shift, 1, n) for shift in shifts]
                if scored:
                    p = 1 / (1 + np.exp(1 - 1.5 * values[0] - values[1]))
                    values += [(rng.random(n) < p).astype(np.int8), p]
                writer.write_table(pa.table(values, schema=pa.schema(fields)))
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

    sp.detect(_pattern(old), _pattern(new))


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


def by_sql(old: str, new: str) -> None:
    """Make the main figures of a record by SQL alone: KS, ranks, ties, Cramér-von Mises, Wasserstein-1, moments."""
    import duckdb

    for name in duckdb.read_parquet(old).columns[:_BY_SQL]:
        sides = [duckdb.read_parquet(file).project(f"{name} AS x, {s}") for file, s in ((old, _OLD), (new, _NEW))]
        sides[0].union(sides[1]).query("pooled", _RECORD).fetchall()


def audit_files(old: str, new: str) -> None:
    """Audit scores in files where they are."""
    from shiftproof.cli import run

    run(["audit", _pattern(old), _pattern(new), "--target", "y", "--score-column", "p", "--no-page"])


def _pattern(path: str) -> str:
    # One file of any size; as a path a small one would be read whole.
    return f"{path[:-1]}?"


WAYS: dict[str, dict[str, Callable[[str, str], None]]] = {
    "detect": {
        "one scan": scan,
        "Parquet files": by_files,
        "DuckDB": by_duckdb,
        "polars LazyFrame": by_polars,
        "SQL alone, from 2 columns": by_sql,
    },
    "audit": {"one scan": scan, "Parquet files": audit_files},
}


def in_own_process(verb: str, way: str, paths: list[Path], warm_up: list[Path]) -> dict[str, float]:
    """Return CPU seconds and peak memory of one way, after imports and compiled kernels are there."""
    command = [sys.executable, __file__, verb, "--way", way, *map(str, [*paths, *warm_up])]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(json.loads(output.splitlines()[-1]))


def report(verb: str, way: str, old: str, new: str, *small: str) -> None:
    """Run one way and print its cost."""
    call = WAYS[verb][way]
    call(*small)
    cpu, wall, _ = measure.measure_time(lambda: call(old, new))
    print(json.dumps({"cpu": cpu, "wall": wall, "peak": measure._status_mib("VmHWM")}))


def show(label: str, cost: dict[str, Any], one_scan: float) -> None:
    """Print a row."""
    ratio, peak = cost["cpu"] / one_scan, cost["peak"]
    print(f"{label:<44}{cost['cpu']:>9.1f}{cost['wall']:>9.1f}{ratio:>9.1f}{peak:>10,.0f}", flush=True)


def ratios_of(verb: str, costs: dict[str, dict[str, float]], rows: int, columns: int) -> list[Ratio]:
    """Return each way beside one scan in CPU, and files beside SQL alone in CPU and memory."""
    size = f"2 x {rows:,} x {columns}"
    ratios = [
        Ratio(
            task=f"`sp.{verb}` of {size}, {way}",
            peer="pyarrow, one scan",
            version=version("pyarrow"),
            unit="CPU s",
            ours=cost["cpu"],
            theirs=costs["one scan"]["cpu"],
            baseline=True,
        )
        for way, cost in costs.items()
        if way != "one scan" and not way.startswith("SQL")
    ]
    by_sql = next((cost for way, cost in costs.items() if way.startswith("SQL")), None)
    if by_sql is not None:
        for unit, part, more in (
            ("CPU s", "cpu", f", theirs from {_BY_SQL} columns"),
            ("MiB", "peak", ", peak memory"),
        ):
            ratios.append(
                Ratio(
                    task=f"`sp.{verb}` of {size}, Parquet files{more}",
                    peer="duckdb, SQL alone",
                    version=version("duckdb"),
                    unit=unit,
                    ours=costs["Parquet files"][part],
                    theirs=by_sql[part],
                )
            )
    return ratios


def main() -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("verb", nargs="?", choices=[*WAYS], default="detect")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--columns", type=int)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--way", nargs="+", help=argparse.SUPPRESS)
    add_write(parser)
    options = parser.parse_args()
    if options.way:
        report(options.verb, *options.way)
        return
    most, columns = options.rows or _SIZES[options.verb][0], options.columns or _SIZES[options.verb][1]
    scored = options.verb == "audit"
    with tempfile.TemporaryDirectory() as made:
        folder = options.folder or Path(made)
        small = make_files(folder, 5_000, columns, scored=scored)
        print(f"{'rows, columns, way':<44}{'CPU s':>9}{'wall s':>9}{'scans':>9}{'peak MiB':>10}")
        ratios: list[Ratio] = []
        for rows in sorted({most // 5, most * 4 // 5, most}):
            paths = make_files(folder, rows, columns, scored=scored)
            ways = [*WAYS[options.verb]][: None if rows == most else 2]
            costs = {way: in_own_process(options.verb, way, paths, small) for way in ways}
            for way, cost in costs.items():
                if way.startswith("SQL"):
                    # As if it were done for all columns.
                    cost["cpu"], cost["wall"] = (cost[unit] * columns / _BY_SQL for unit in ("cpu", "wall"))
                show(f"2 x {rows:,} x {columns}, {way}", cost, costs["one scan"]["cpu"])
            ratios += ratios_of(options.verb, costs, rows, columns)
            if not options.folder and rows != most:
                for path in paths:
                    path.unlink()
    script = f"benchmarks/large_tables.py {options.verb}"
    save(f"large-tables-{options.verb}", ratios, parser, options, script=script)


if __name__ == "__main__":
    main()
