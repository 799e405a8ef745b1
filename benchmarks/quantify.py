"""What counting many classes costs beside fitting three of the default models on the same rows, in CPU and in memory.

Usage::

    python benchmarks/quantify.py [--case CLASSES LABELLED NEW DISTANCE] ...

Classes are normal clouds around random centres; the smaller the distance, the more they overlap. Without a case, five
are run, each in a process of its own.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression

import shiftproof as sp
from measure import measure_time

CASES = ("3 3000 3000 0.4", "4 2000 2000 0.4", "10 400 200 0.4", "20 800 400 0.4", "200 4000 2000 1.0")
MODELS = ("lr", "nb", "forest")


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
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    models = {name: model for name, model in sp.default_models().items() if name in MODELS}
    fitting = measure_time(lambda: sp.cross_fit(models, X, y))[0]
    print(f"| {k} | {n:,} + {m:,} | {distance:g} | {counting:.1f} | {fitting:.1f} | {peak:,.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--case", nargs=4, action="append", metavar=("CLASSES", "LABELLED", "NEW", "DISTANCE"))
    cases = parser.parse_args().case
    if cases is None:
        print("| classes | rows | distance | counting, s | fitting three models, s | peak, MB |")
        print("|---|---|---|---|---|---|")
        for case in CASES:
            subprocess.run([sys.executable, __file__, "--case", *case.split()], check=True)
        return
    for k, n, m, distance in cases:
        run(int(k), int(n), int(m), float(distance))


if __name__ == "__main__":
    main()
