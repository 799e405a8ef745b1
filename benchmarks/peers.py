"""Univariate drift detection in our library and in the peers', in one run.

Usage::

    python benchmarks/peers.py PEERS_PYTHON [--rows 100000] [--write FOLDER]

PEERS_PYTHON is the interpreter of the environment that holds the peers (``make bench`` makes it). Each library is
measured by `detectors.py` in a process of its own, on the same files.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ratios import Ratio, add_write, save

PEERS = ("alibi-detect", "frouros", "nannyml", "evidently")
N_NUMBERS, N_SHIFTED = 30, 5
LEVELS = (4, 8, 15, 30, 50)


def table(rows: int, seed: int, shift: float) -> pd.DataFrame:
    """Draw numbers, the first five of them shifted, and categories, the first of them tilted."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {
        f"n{at}": rng.normal(shift if at < N_SHIFTED else 0.0, 1.0, rows) for at in range(N_NUMBERS)
    }
    for at, levels in enumerate(LEVELS):
        weights = np.ones(levels)
        weights[0] += shift if at == 0 else 0.0
        names = np.array([f"level {level}" for level in range(levels)])
        columns[f"c{at}"] = rng.choice(names, rows, p=weights / weights.sum())
    return pd.DataFrame(columns)


def measure(python: str, name: str, folder: Path) -> dict[str, Any]:
    """Run `detectors.py` for one library and read its line."""
    script = Path(__file__).with_name("detectors.py")
    finished = subprocess.run([python, str(script), name, str(folder)], check=True, stdout=subprocess.PIPE, text=True)
    measured: dict[str, Any] = json.loads(finished.stdout.splitlines()[-1])
    return measured


def main() -> None:
    """Write the data, measure every library, print the table."""
    parser = argparse.ArgumentParser(description="Our drift detection against the peers', in one run.")
    parser.add_argument("peers_python")
    parser.add_argument("--rows", type=int, default=100_000)
    add_write(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, seed, shift in (("reference", 0, 0.0), ("current", 1, 0.1)):
            table(arguments.rows, seed, shift).to_parquet(Path(folder) / f"{name}.parquet")
        ours = measure(sys.executable, "shiftproof", Path(folder))
        lines = [measure(arguments.peers_python, name, Path(folder)) for name in PEERS]
    print(f"\n{arguments.rows:,} + {arguments.rows:,} rows of {N_NUMBERS} numbers and {len(LEVELS)} categories;")
    print(f"{N_SHIFTED + 1} columns really changed. Reference prepared wherever a library can.\n")
    print(f"{'':26}{'prepared reference':^22}{'with preparation':^22}")
    print(f"{'library':26}{'CPU s':>8}{'ours is':>14}{'CPU s':>8}{'ours is':>14}{'extra MiB':>11}{'flagged':>9}")
    for line in [ours, *lines]:
        print(f"{line['name'] + ' ' + line['version']:26}{_against(line, ours)}", end="")
        print(f"{line['extra_mib']:11.1f}{line['n_features_flagged']:>9}")
    ratios = [ratio for line in lines for ratio in ratios_to(line, ours, f"2 x {arguments.rows:,} rows")]
    save("drift-detection", ratios, parser, arguments, script="benchmarks/peers.py", paths=("peers_python",))


def ratios_to(line: dict[str, Any], ours: dict[str, Any], size: str) -> list[Ratio]:
    """Return the ratios to one peer: CPU without and with preparation, and memory."""
    measured = {
        "comparison alone": ("CPU s", ("cpu_seconds",)),
        "with preparation of the reference": ("CPU s", ("prepare_seconds", "cpu_seconds")),
        "extra memory": ("MiB", ("extra_mib",)),
    }
    return [
        Ratio(
            task=f"{size}, {task}",
            peer=line["name"],
            version=line["version"],
            unit=unit,
            ours=sum(ours[part] for part in parts),
            theirs=sum(line[part] for part in parts),
        )
        for task, (unit, parts) in measured.items()
    ]


def _against(line: dict[str, Any], ours: dict[str, Any]) -> str:
    """Write both costs, and how many times ours is smaller."""
    cells = []
    for parts in (("cpu_seconds",), ("prepare_seconds", "cpu_seconds")):
        cost, our_cost = sum(line[part] for part in parts), sum(ours[part] for part in parts)
        ratio = "" if line is ours else f"{cost / our_cost:.1f}x faster"
        cells.append(f"{cost:8.3f}{ratio:>14}")
    return "".join(cells)


if __name__ == "__main__":
    main()
