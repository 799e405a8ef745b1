"""What counting many classes costs beside fitting three of the default models on the same rows, in CPU and in memory.

Usage::

    python benchmarks/quantify.py [--case CLASSES LABELLED NEW DISTANCE] ...

Classes are normal clouds around random centres; the smaller the distance, the more they overlap. Without a case, seven
are run, each in a process of its own, on one thread. Of more than 20,000 labelled rows, the models are fitted to
20,000 and their time is scaled in proportion (marked with "~"). The ratio is that of the default call, with its check.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression

import shiftproof as sp
from measure import measure_time

SMALL = ("3 3000 3000 0.4", "4 2000 2000 0.4", "10 400 200 0.4", "20 800 400 0.4", "200 4000 2000 1.0")
CASES = (*SMALL, "4 100000 100000 0.4", "20 100000 100000 0.4")
MODELS = ("lr", "nb", "forest")
# More rows than this would take the models many minutes.
MOST_FITTED = 20_000


def clouds(k: int, n: int, m: int, distance: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return labelled rows, their classes, and new rows with other class proportions."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(k, 5)) * distance / np.sqrt(2)
    y = np.append(np.repeat(np.arange(k), 3), rng.integers(0, k, n - 3 * k))
    new = rng.choice(k, m, p=rng.dirichlet(np.full(k, 2.0)))
    return rng.normal(size=(n, 5)) + centres[y], y, rng.normal(size=(m, 5)) + centres[new]


def run(k: int, n: int, m: int, distance: float) -> None:
    """Print one line of the table."""
    warnings.simplefilter("ignore")
    X, y, new = clouds(k, n, m, distance)
    # Compiles the kernels, which happens once on a machine.
    sp.quantify(LogisticRegression(), *clouds(3, 90, 60, 1.0), check=False, cv=3, resamples=20)
    panel = sp.cross_fit({"lr": LogisticRegression(max_iter=200)}, X, y)
    counting = measure_time(lambda: sp.quantify(panel, X_new=new, check=False))[0]
    checked = measure_time(lambda: sp.quantify(panel, X, X_new=new))[0]
    # Before the fits of the three models, which need more.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    models = {name: model for name, model in sp.default_models().items() if name in MODELS}
    fitted = min(n, MOST_FITTED)
    fitting = measure_time(lambda: sp.cross_fit(models, X[:fitted], y[:fitted]))[0] * n / fitted
    seconds = f"{counting:.1f} | {checked:.1f} | {'~' * (fitted < n)}{fitting:.1f} | {checked / fitting:.2f}"
    print(f"| {k} | {n:,} + {m:,} | {distance:g} | {seconds} | {peak:,.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--case", nargs=4, action="append", metavar=("CLASSES", "LABELLED", "NEW", "DISTANCE"))
    cases = parser.parse_args().case
    if cases is None:
        print("| classes | rows | distance | counting, s | with check, s | three models, s | ratio | peak, MB |")
        print("|---|---|---|---|---|---|---|---|", flush=True)
        for case in CASES:
            command = [sys.executable, __file__, "--case", *case.split()]
            subprocess.run(command, check=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
        return
    for k, n, m, distance in cases:
        run(int(k), int(n), int(m), float(distance))


if __name__ == "__main__":
    main()
