"""How often the alarms of a monitor are false and how late they come: ours in many simulations, and beside the peers.

Usage::

    python -m benchmarks.monitor [PEERS_PYTHON] [--streams 1000] [--batches 1000] [--only quiet delays ...]
        [--write FOLDER]

PEERS_PYTHON is the interpreter of the environment that holds the peers (``make bench-monitor`` makes it). Without it
the table of peers is left out. The other tables are in `monitor_tables.py`; `--quick` makes them short, and gives every
peer at most two streams.
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
from benchmarks import monitor_streams as runs
from benchmarks.monitor_tables import TABLES, line, table
from benchmarks.ratios import Ratio, add_write, save

#: How many streams each library can run in some minutes.
PEERS = {"nannyml": 60, "evidently": 2, "adwin": 60, "kswin": 4}
#: Streams of the table of peers: quiet batches, then changed ones.
QUIET_BATCHES, CHANGED_BATCHES, ROWS, REFERENCE = 200, 20, 100, 1000
_SOURCES: dict[str, tuple[runs.Source, runs.Source]] = {
    "+ 0.25 sd": (runs.Normal(), runs.Normal(0.25)),
    "+ 0.5 sd": (runs.Normal(), runs.Normal(0.5)),
    "tied, + 0.1": (runs.Steps((0.3, 0.25, 0.2, 0.15, 0.1)), runs.Steps((0.2, 0.25, 0.2, 0.15, 0.2))),
    "sd x 1.3": (runs.Normal(), runs.Normal(sd=1.3)),
    "1% -> 3%": (runs.Steps((0.99, 0.01)), runs.Steps((0.97, 0.03))),
}


def peers(peers_python: str, *, most: int | None = None) -> list[Ratio]:
    """Print all libraries on the same streams, at most so many, and return the ratios to our alarm *changed*."""
    counts = {name: min(count, most or count) for name, count in PEERS.items()}
    measured: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder) / "streams.npz", **_streams(max(counts.values())))
        title = f"peers: {QUIET_BATCHES} quiet batches of {ROWS} rows, then changed ones; reference of {REFERENCE} rows"
        with table(
            f"{title}\n  share of streams with a false alarm; median batches to the first alarm after the change"
        ):
            line("", "streams", "ms per batch", *_SOURCES)
            for name, count in {"shiftproof": max(counts.values()), **counts}.items():
                python = sys.executable if name == "shiftproof" else peers_python
                measured[name] = _run(python, name, folder, count)
                _print_peer(name, count, measured[name])
    return [ratio for name in counts for ratio in _ratios_to(name, measured[name], measured["shiftproof"])]


def _streams(count: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    arrays = {}
    for name, (before, after) in _SOURCES.items():
        arrays[f"{name}/reference"] = before.draw(rng, (count, REFERENCE))
        calm = before.draw(rng, (count, QUIET_BATCHES, ROWS))
        arrays[f"{name}/batches"] = np.concatenate([calm, after.draw(rng, (count, CHANGED_BATCHES, ROWS))], axis=1)
    return arrays


def _run(python: str, name: str, folder: str, count: int) -> dict[str, Any]:
    script = Path(__file__).with_name("monitor_peers.py")
    command = [python, str(script), name, folder, "--streams", str(count)]
    finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    measured: dict[str, Any] = json.loads(finished.stdout.splitlines()[-1])
    return measured


def _false_and_late(streams: list[list[int]]) -> tuple[float, float]:
    """Return the share of streams with a false alarm, and the median batches from the change to an alarm."""
    false = np.mean([bool(batches) and batches[0] < QUIET_BATCHES for batches in streams])
    after = [[b for b in batches if b >= QUIET_BATCHES] for batches in streams]
    late = np.median([batches[0] - QUIET_BATCHES + 1 if batches else np.inf for batches in after])
    return float(false), float(late)


def _ratios_to(name: str, theirs: dict[str, Any], ours: dict[str, Any]) -> list[Ratio]:
    """Return the ratios to one peer: CPU, false alarms over all changes, and the delay after each change."""
    peer = name if theirs["package"] == name else f"{theirs['package']}, {name.upper()}"

    def ratio(task: str, unit: str, our_figure: float, their_figure: float) -> Ratio:
        figures = (None if np.isinf(figure) else figure for figure in (our_figure, their_figure))
        mine, other = figures
        return Ratio(task=task, peer=peer, version=theirs["version"], unit=unit, ours=mine, theirs=other)

    mine, other = (
        {scenario: _false_and_late(alarms[scenario]) for scenario in _SOURCES}
        for alarms in (ours["alarms"]["changed"], theirs["alarms"][""])
    )
    false = [float(np.mean([share for share, _ in found.values()])) for found in (mine, other)]
    return [
        ratio("one batch", "CPU s", ours["seconds"], theirs["seconds"]),
        ratio(f"streams with a false alarm in {QUIET_BATCHES} quiet batches", "false alarms", *false),
        *(ratio(f"delay after {change}", "batches", mine[change][1], other[change][1]) for change in _SOURCES),
    ]


def _print_peer(name: str, count: int, measured: dict[str, Any]) -> None:
    for alarm, scenarios in measured["alarms"].items():
        cells = []
        for scenario in _SOURCES:
            false, late = _false_and_late(scenarios[scenario])
            cells.append(f"{false:.2f}, {late:.0f}")
        title = f"{name} {measured['version']} {alarm}"
        line(title, count, f"{1000 * measured['seconds']:.1f}", *cells)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="The monitor's alarms in simulations, and beside the peers.")
    parser.add_argument("peers_python", nargs="?")
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--batches", type=int, default=1000)
    parser.add_argument("--quick", action="store_true", help="100 streams x 100 batches")
    parser.add_argument("--only", nargs="+", choices=[*TABLES, "peers"], default=[*TABLES, "peers"])
    add_write(parser)
    arguments = parser.parse_args()
    size = (100, 100) if arguments.quick else (arguments.streams, arguments.batches)
    for name in arguments.only:
        if name != "peers":
            TABLES[name](*size)
        elif arguments.peers_python:
            ratios = peers(arguments.peers_python, most=2 if arguments.quick else None)
            script, paths = "-m benchmarks.monitor", ("peers_python",)
            save("monitor", ratios, parser, arguments, script=script, paths=paths, chosen="--only peers")


if __name__ == "__main__":
    main()
