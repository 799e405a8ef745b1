"""How often the alarms of a monitor are false and how late they come: ours in many simulations, and beside the peers.

Usage::

    python benchmarks/monitor.py [PEERS_PYTHON] [--streams 1000] [--batches 1000] [--only quiet delays ...]

PEERS_PYTHON is the interpreter of the environment that holds the peers (``make bench-monitor`` makes it). Without it
the table of peers is left out. The simulations are those of `monitor_streams.py`; `--quick` makes them short.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import monitor_streams as runs

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


@contextmanager
def table(title: str) -> Iterator[None]:
    """Print a title before and the CPU time after a table."""
    begin = time.process_time()
    print(f"\n{title}")
    yield
    print(f"  ({time.process_time() - begin:.0f} s of CPU)", flush=True)


def line(name: str, *cells: object) -> None:
    """Print one row."""
    print(f"  {name:34}" + "".join(f"{_shown(cell):>14}" for cell in cells), flush=True)


def _shown(cell: object) -> str:
    if isinstance(cell, runs.Delays):
        return f"{cell.median:.0f} [{cell.late:.0f}]"
    if isinstance(cell, tuple):
        return f"{cell[0]:.0f} [{cell[1]:.0f}]"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def quiet(streams: int, batches: int) -> None:
    """Print how often quiet streams alarm."""
    with table(f"changed: false alarms ever, {streams} quiet streams x {batches} batches of 100 rows"):
        line("", "m", "ever", "run length")
        for name, (source, m, kind) in runs.QUIET.items():
            modes = [runs.quiet(source, m, kind, streams=streams, batches=batches, mode=mode) for mode in runs.MODES]
            line(name, m, *modes)
        for name in ("normal", "two-valued, 0.5%", "500 levels"):
            source, _, kind = runs.QUIET[name]
            line(name, 200, runs.quiet(source, 200, kind, streams=streams, batches=min(batches, 300)))
        for name in ("normal", "two-valued, 0.5%", "500 levels"):
            source, _, kind = runs.QUIET[name]
            sizes = (1, 10, 100, 1000, 10_000, 100_000)
            line(
                f"{name}, 1 to 100,000 rows",
                200,
                runs.quiet(source, 200, kind, streams=streams, batches=batches, sizes=sizes),
            )


def delays(streams: int, batches: int) -> None:
    """Print how long after a change alarms come, early and late in a stream."""
    starts = ((batches // 2, streams), (10 * batches, max(streams // 5, 20)))
    with table("changed: batches to the alarm, median [90%], and how often the range holds the beginning"):
        for start, count in starts:
            line(f"change at batch {start}", *runs.MODES, "in range")
            for name in runs.CHANGES:
                ever, run = (runs.delays(name, start, streams=count, mode=mode) for mode in runs.MODES)
                for change in ever:
                    line(f"{name}: {change}", ever[change], run[change], ever[change].in_range)


def features(streams: int, batches: int) -> None:
    """Print false alarms of fifty features together."""
    count, length = max(streams * 2 // 5, 10), max(batches // 10, 10)
    with table(f"changed: 50 correlated features, {count} streams x {length} batches"):
        line("", "mean", "largest", "e-BH")
        for rho in (0.5, 0.95):
            together = runs.features_together(rho, streams=count, batches=length)
            line(f"rho {rho}", together.mean, together.largest, together.blamed)
        for shifted in (1, 10):
            few = max(count // 4, 10)
            together = runs.features_together(0.5, streams=few, batches=length + 15, shifted=shifted, start=length)
            line(f"{shifted} shifted by 0.5 sd: median delay", f"{together.delay:.0f}")


def material(streams: int, batches: int) -> None:
    """Print false alarms and delays of *material*."""
    with table(f"material: false alarms ever at distances of 0 to 0.1, delays beyond, {streams} x {batches}"):
        line("", *(f"{distance}" for distance in (0.0, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3)))
        for kind, m in (("number", 2000), ("category", 5000)):
            for n in (50, 1000, 100_000):
                quiet = [
                    runs.material(distance, n, streams=streams, batches=batches, kind=kind, m=m)
                    for distance in (0.0, 0.05, 0.08, 0.1)
                ]
                # A few hundred streams are plenty for a median.
                distant = [
                    runs.material(distance, n, streams=max(streams // 4, 60), batches=batches, kind=kind, m=m)
                    for distance in (0.15, 0.2, 0.3)
                ]
                line(f"{kind}, n {n}", *map(runs.false_share, quiet), *map(runs.delay, distant))


def dependent(streams: int, batches: int) -> None:
    """Print false alarms of rows that resemble each other."""
    with table("dependent rows: false alarms, without and with the design effect of ten periods of 100"):
        line("", "without", "with", "mean effect")
        for kind, n in (("AR(1)", 100), ("day", 100), ("day", 1000)):
            plain, careful, effect = runs.dependent(kind, n, streams=streams, batches=batches)
            line(f"changed: {kind}, n {n}", *map(runs.false_share, (plain, careful)), float(effect.mean()))
        start = batches // 2
        pair = runs.dependent("AR(1)", 100, streams=max(streams // 5, 20), batches=start + 150, start=start)[:2]
        late = [runs.delay(np.where(x > start, x - start, 0), (x == 0) | (x > start)) for x in pair]
        line("changed: AR(1), delay at 0.25 sd", *late)
        for distance in (0.0, 0.1):
            firsts = runs.material_dependent(distance, streams=streams, batches=batches)
            line(f"material: AR(1) at {distance}", *map(runs.false_share, firsts))
        firsts = runs.material_dependent(0.2, streams=max(streams // 5, 20), batches=batches)
        line("material: AR(1) at 0.2, delay", *map(runs.delay, firsts))


def harm(streams: int, batches: int) -> None:
    """Print false alarms and delays of *harm*, where accuracy drops in the middle of the stream."""
    start = batches // 2

    def cells(run: Callable[..., Any], *choose: str) -> list[str]:
        """Run one kind of alarm at every drop."""
        at_floor = run(0.0, streams=streams, batches=batches)
        dropped = [run(drop, streams=streams, batches=batches, start=start) for drop in (0.05, 0.1, 0.15)]
        chosen = [first[choose[0]] if choose else first for first in (at_floor, *dropped)]
        return [_found(chosen[0], 0), *(_found(first, start) for first in chosen[1:])]

    with table(f"harm: floor 0.8, 500 rows, {streams} x {batches}: at the floor, or below it from batch {start} on"):
        line("share of alarms (median delay)", *(f"drop {drop}" for drop in (0.0, 0.05, 0.1, 0.15)))
        line("bias ignored", *cells(partial(runs.harm, tau=0.0)))
        line("no labels", *cells(runs.harm))
        biased = runs.harm(0.0, streams=streams, batches=batches, bias=-2 * runs.BIAS_SD)
        line("no labels, bias of -2 sd", _found(biased, 0))
        for k in (10, 20, 50):
            run = partial(runs.harm_with_labels, labelled=k)
            line(f"labels, {k}", *cells(run, "labels"))
            line(f"both, {k}", *cells(run, "both"))
            for times in (1, 9):
                redrawn = run(0.0, streams=streams, batches=batches, redrawn=batches // (times + 1))
                line(f"both, {k}, bias redrawn {times} times", _found(redrawn["both"], 0))


def _found(first: Any, start: int) -> str:
    """Write the share of streams that alarm after a batch, of those that had not, and the median delay of all."""
    calm = (first == 0) | (first > start)
    late = np.where(first > start, first - start, 0)[calm]
    median = runs.delay(late)[0]
    return f"{runs.false_share(late):.3f}" + (f" ({median:.0f})" if math.isfinite(median) else "")


def peers(peers_python: str) -> None:
    """Print all libraries on the same streams."""
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder) / "streams.npz", **_streams(max(PEERS.values())))
        title = f"peers: {QUIET_BATCHES} quiet batches of {ROWS} rows, then changed ones; reference of {REFERENCE} rows"
        with table(
            f"{title}\n  share of streams with a false alarm; median batches to the first alarm after the change"
        ):
            line("", "streams", "ms per batch", *_SOURCES)
            for name, count in {"shiftproof": max(PEERS.values()), **PEERS}.items():
                python = sys.executable if name == "shiftproof" else peers_python
                _print_peer(name, count, _run(python, name, folder, count))


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


def _print_peer(name: str, count: int, measured: dict[str, Any]) -> None:
    for alarm, scenarios in measured["alarms"].items():
        cells = []
        for scenario in _SOURCES:
            false = np.mean([bool(batches) and batches[0] < QUIET_BATCHES for batches in scenarios[scenario]])
            after = [[b for b in batches if b >= QUIET_BATCHES] for batches in scenarios[scenario]]
            late = np.median([batches[0] - QUIET_BATCHES + 1 if batches else np.inf for batches in after])
            cells.append(f"{false:.2f}, {late:.0f}")
        title = f"{name} {measured['version']} {alarm}"
        line(title, count, f"{1000 * measured['seconds']:.1f}", *cells)


TABLES: dict[str, Callable[[int, int], None]] = {
    "quiet": quiet,
    "delays": delays,
    "features": features,
    "material": material,
    "dependent": dependent,
    "harm": harm,
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="The monitor's alarms in simulations, and beside the peers.")
    parser.add_argument("peers_python", nargs="?")
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--batches", type=int, default=1000)
    parser.add_argument("--quick", action="store_true", help="100 streams x 100 batches")
    parser.add_argument("--only", nargs="+", choices=[*TABLES, "peers"], default=[*TABLES, "peers"])
    arguments = parser.parse_args()
    size = (100, 100) if arguments.quick else (arguments.streams, arguments.batches)
    for name in arguments.only:
        if name != "peers":
            TABLES[name](*size)
        elif arguments.peers_python:
            peers(arguments.peers_python)


if __name__ == "__main__":
    main()
