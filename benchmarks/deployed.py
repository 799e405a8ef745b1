"""What an audit of a deployed model's scores costs: CPU in units of comparing the same tables, and peak memory.

Usage::

    python benchmarks/deployed.py [--rows 1000000] [--columns 20] [--score-rows 10000000] [--write FOLDER]

Two tables of random numbers with a class that depends on five of them, and a column of probabilities, as for
``shiftproof audit OLD NEW --target y --score-column p``. Nothing is fitted. `sp.detect` compares the same columns and
the same scores and labels, in the same process. Then scores alone, without features: CPU and how far memory rises
above libraries and data, each verb in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import shiftproof as sp
from measure import cpu_clock, measure_extra_mib, measure_time
from ratios import Ratio, add_write, save

#: The audit may take so many times the CPU of `sp.detect`, and verbs so much memory for 10 million scores a side.
MOST_TIMES, MOST_MIB = 4.0, 1024
# What an audit is compared with: it is given the same tables, scores and labels.
SAME = "detect with labels"

Verbs = dict[str, Callable[[], Any]]


def tables(rows: int, columns: int) -> list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """Make features, labels and scores of labelled and of new rows; every tenth column of the new ones is shifted."""
    rng, sides = np.random.default_rng(0), []
    for side in (0, 1):
        X = rng.normal(0.1 * side * (np.arange(columns) % 10 == 0), 1, (rows, columns))
        p = 1 / (1 + np.exp(1 - 0.6 * X[:, :5].sum(axis=1)))
        sides.append((X, np.where(rng.random(rows) < p, "yes", "no"), p))
    return sides


def verbs(rows: int, columns: int) -> Verbs:
    """Return what is compared, on tables of this size; without columns there are scores alone."""
    (X, y, p), (X_new, _, p_new) = tables(rows, max(columns, 5))
    frames = (X, y, X_new) if columns else ()

    def panel() -> sp.Panel:
        return sp.Panel.from_scores(y, {"p": p}, new={"p": p_new})

    return {
        "detect": lambda: sp.detect(X, X_new, p, p_new),
        "detect with labels": lambda: sp.detect(X, X_new, p, p_new, reference_labels=y),
        "audit": lambda: sp.audit(panel(), *frames, progress=False),
        "quantify": lambda: sp.quantify(panel(), *frames, progress=False),
        "estimate_performance": lambda: sp.estimate_performance(panel(), *frames, progress=False),
    }


def measure_cpu(rows: int, columns: int) -> dict[str, float]:
    """Return the CPU seconds of each verb, one after another in this process, after kernels were compiled."""
    for call in verbs(2_000, columns).values():
        call()
    return {name: measure_time(call)[0] for name, call in verbs(rows, columns).items()}


def measure_scores(rows: int, verb: str) -> dict[str, float]:
    """Return CPU seconds and memory of one verb on scores alone."""
    verbs(2_000, 0)[verb]()
    call, began = verbs(rows, 0)[verb], cpu_clock()
    extra = measure_extra_mib(call)
    return {"cpu": cpu_clock() - began, "extra": extra}


def apart(*arguments: str) -> dict[str, float]:
    """Measure in a process of its own."""
    call = [sys.executable, __file__, *arguments]
    measured: dict[str, float] = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
    return measured


def main() -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--score-rows", type=int, default=10_000_000)
    parser.add_argument("--only", help=argparse.SUPPRESS)
    add_write(parser)
    options = parser.parse_args()
    # Both tables were made up, and what verbs warn of is not what is measured.
    warnings.simplefilter("ignore")
    if options.only is not None:
        one = options.only
        print(
            json.dumps(
                measure_cpu(options.rows, options.columns) if one == "cpu" else measure_scores(options.rows, one)
            )
        )
        return
    cpu = apart("--only", "cpu", "--rows", str(options.rows), "--columns", str(options.columns))
    print(f"2 x {options.rows:,} x {options.columns} and a column of scores, CPU of the whole process")
    for verb, seconds in cpu.items():
        print(f"{verb:<22}{seconds:8.1f} s{seconds / cpu[SAME]:8.1f} x {SAME}")
    # An audit has labels, too; without them, `detect` does not look for the type of shift.
    ratio = cpu["audit"] / cpu[SAME]
    print(f"audit / {SAME} {ratio:.2f}  <= {MOST_TIMES:g}  {'met' if ratio <= MOST_TIMES else 'MISSED'}")
    ratios = [
        Ratio(
            task=f"`sp.{verb}` of scores, 2 x {options.rows:,} x {options.columns}",
            peer="`sp.detect` on the same tables and labels",
            version="",
            unit="CPU s",
            ours=cpu[verb],
            theirs=cpu[SAME],
            baseline=True,
        )
        for verb in ("audit", "quantify", "estimate_performance")
    ]
    save("deployed", ratios, parser, options, script="benchmarks/deployed.py")
    print(f"2 x {options.score_rows:,} scores alone, each verb in a process of its own")
    for verb in ("quantify", "estimate_performance", "audit"):
        cost = apart("--only", verb, "--rows", str(options.score_rows))
        met = "met" if cost["extra"] <= MOST_MIB else "MISSED"
        print(f"{verb:<22}{cost['cpu']:8.1f} s{cost['extra']:10,.0f} MiB  <= {MOST_MIB:,}  {met}", flush=True)


if __name__ == "__main__":
    main()
