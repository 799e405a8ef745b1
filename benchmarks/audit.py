"""What an audit costs beside the model fits it contains, in CPU and in memory.

Usage::

    python benchmarks/audit.py [--rows 100000] [--features 50] [--write FOLDER]

Two tables of random numbers with a class that depends on ten of them; four models. The fits are counted by a clock
around every call of `fit`, in the same run and in one process.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from typing import Any

import shiftproof as sp
from measure import FitClock, cpu_clock, measure_extra_mib, timed
from ratios import Ratio, add_write, save

MODELS = ("lr", "nb", "tree", "boost")


def tables(rows: int, features: int) -> tuple[Any, Any, Any]:
    """Make labelled rows and new ones of the same kind."""
    from sklearn.datasets import make_classification

    X, y = make_classification(2 * rows, features, n_informative=10, flip_y=0.1, random_state=0)
    return X[:rows], y[:rows], X[rows:]


def measure_cpu(rows: int, features: int) -> dict[str, Any]:
    """Audit once, and compare its CPU time with that of the fits."""
    X, y, X_new = tables(rows, features)
    warm = slice(0, 400)
    sp.audit(sp.default_models(only=list(MODELS)), X[warm], y[warm], X_new[warm], quick=True, progress=False)
    clock = FitClock()
    models = {name: timed(each, clock) for name, each in sp.default_models(only=list(MODELS)).items()}
    began = cpu_clock()
    found = sp.audit(models, X, y, X_new, n_jobs=1, progress=False)
    spent = cpu_clock() - began
    stages = {stage.name: stage.seconds for stage in found.stages}
    return {"audit": spent, "fits": clock.seconds, "calls": clock.calls, "stages": stages}


def measure_memory(rows: int, features: int) -> dict[str, float]:
    """Audit once, and give how far memory rises above what libraries and the two tables take."""
    X, y, X_new = tables(rows, features)
    warm = slice(0, 400)
    sp.audit(sp.default_models(only=list(MODELS)), X[warm], y[warm], X_new[warm], quick=True, progress=False)
    models = sp.default_models(only=list(MODELS))
    extra = measure_extra_mib(lambda: sp.audit(models, X, y, X_new, n_jobs=1, progress=False))
    return {"grown": extra, "data": (X.nbytes + X_new.nbytes) / 2**20}


def apart(part: str, rows: int, features: int) -> dict[str, Any]:
    """Measure in a process of its own."""
    call = [sys.executable, __file__, "--rows", str(rows), "--features", str(features), "--only", part]
    found: dict[str, Any] = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
    return found


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description="What does an audit cost?")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=50)
    parser.add_argument("--only", choices=("cpu", "memory"))
    add_write(parser)
    options = parser.parse_args()
    if options.only is not None:
        measured = measure_cpu if options.only == "cpu" else measure_memory
        print(json.dumps(measured(options.rows, options.features)))
        return
    began = time.perf_counter()
    cpu, memory = (apart(part, options.rows, options.features) for part in ("cpu", "memory"))
    print(f"{options.rows:,} x {options.features} labelled rows and as many new ones, {', '.join(MODELS)}")
    print(f"CPU of the audit {cpu['audit']:8.1f} s")
    print(f"CPU of {cpu['calls']:.0f} fits {cpu['fits']:8.1f} s")
    for name, seconds in cpu["stages"].items():
        print(f"  {name:30}{seconds:8.1f} s (wall)")
    ratio, times = cpu["audit"] / cpu["fits"], memory["grown"] / memory["data"]
    print(f"audit / fits {ratio:.2f}  <= 1.15  {'met' if ratio <= 1.15 else 'MISSED'}")
    print(f"memory on top {memory['grown']:.0f} MB for {memory['data']:.0f} MB of data")
    print(f"grown / data {times:.2f}  < 4  {'met' if times < 4 else 'MISSED'}")
    print(f"({time.perf_counter() - began:.0f} s in all)")
    task = f"`sp.audit` of {len(MODELS)} models, {options.rows:,} x {options.features} rows and as many new ones"
    ratios = [
        Ratio(
            task=task,
            peer=f"the {cpu['calls']:.0f} fits within it",
            version="",
            unit="CPU s",
            ours=cpu["audit"],
            theirs=cpu["fits"],
            baseline=True,
        ),
        Ratio(
            task=f"{task}, extra memory",
            peer="the two tables",
            version="",
            unit="MiB",
            ours=memory["grown"],
            theirs=memory["data"],
            baseline=True,
        ),
    ]
    save("audit", ratios, parser, options, script="benchmarks/audit.py")


if __name__ == "__main__":
    main()
