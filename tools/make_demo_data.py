"""Make the demo data that shiftproof carries from the Bank Marketing data of the UCI repository.

Run ``python tools/make_demo_data.py drift_bank.csv.gz``: the source has one row per call in the order of
time, its month as ``t`` (yyyymm). The same source and the same pyarrow give the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

TARGET = Path(__file__).parents[1] / "src" / "shiftproof" / "data" / "bank_calls.parquet"


def make(source: Path, target: Path) -> None:
    """Write the calls without their duration, which is known only after the call, and ``t`` as a date."""
    calls = pyarrow.csv.read_csv(source).drop_columns(["duration"])
    months = pc.strptime(pc.cast(calls["t"], pa.string()), format="%Y%m", unit="s").cast(pa.date32())
    calls = calls.set_column(0, "t", months)
    pq.write_table(calls, target, compression="zstd", compression_level=19, row_group_size=len(calls))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, help="the calls as CSV or CSV.gz")
    parser.add_argument("target", type=Path, nargs="?", default=TARGET, help="where to write (default: the package)")
    given = parser.parse_args()
    make(given.source, given.target)
    sys.stdout.write(f"{given.target}: {given.target.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
