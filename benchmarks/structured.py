"""The structural SVM beside scikit-learn's usual one, in one run: CPU time, planes, and the objective.

Usage::

    python benchmarks/structured.py [--rows 1000 10000 100000] [--tolerance 1e-4] [--write FOLDER]

Made data of 20 columns, not scaled, one thread. Exits with 1 where a ratio on 100,000 rows is above its limit.
"""

from __future__ import annotations

import os

# Before anything imports NumPy: a spinning BLAS thread would be billed as CPU time.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import sys
from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.svm import LinearSVC

from measure import measure_time
from ratios import Ratio, add_write, save
from shiftproof.quantification.structured._classifier import TOLERANCE, StructuredClassifier
from shiftproof.quantification.structured._losses import LossName

COLUMNS, N_RUNS = 20, 3
LOSSES: tuple[LossName, ...] = ("nas", "arithmetic", "error", "q", "f1")
#: On 100,000 rows: how many times the CPU of the primal LinearSVC a loss may take.
LIMITS = {"nas": 12, "q": 50}
LIMITED = 100_000


def median_cpu(model: Any, X: Any, y: Any) -> float:
    """Return the CPU seconds of a fit, the median of a few."""
    return float(np.median([measure_time(lambda: model.fit(X, y))[0] for _ in range(N_RUNS)]))


def main() -> int:
    """Print one line per number of rows and loss."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000, LIMITED])
    parser.add_argument("--tolerance", type=float, default=TOLERANCE)
    add_write(parser)
    arguments = parser.parse_args()
    for loss in LOSSES:  # compiles
        StructuredClassifier(loss).fit(*make_classification(100, COLUMNS, random_state=0))
    print(f"{'rows':>9} {'loss':>11} {'CPU s':>8} {'ratio':>7} {'limit':>6} {'planes':>7} {'gap':>9}  worst table by")
    missed, ratios = 0, []
    for rows in arguments.rows:
        X, y = make_classification(rows, COLUMNS, random_state=0)
        usual = median_cpu(LinearSVC(dual=False), X, y)
        print(f"{rows:9,} {'LinearSVC':>11} {usual:8.3f} {1:7.1f}")
        for loss in LOSSES:
            model = StructuredClassifier(loss, tolerance=arguments.tolerance)
            cpu = median_cpu(model, X, y)
            limit = LIMITS.get(loss) if rows == LIMITED else None
            missed += limit is not None and cpu > limit * usual
            gap = 1 - model.bound_[0] / model.objective_[0]
            figures = f"{cpu:8.3f} {cpu / usual:7.1f} {limit or '':>6} {model.n_planes_[0]:7d} {gap:9.1e}"
            print(f"{rows:9,} {loss:>11} {figures}  {model.search_}")
            ratios.append(
                Ratio(
                    task=f"loss {loss!r}, {rows:,} x {COLUMNS}",
                    peer="scikit-learn, `LinearSVC(dual=False)`",
                    version=version("scikit-learn"),
                    unit="CPU s",
                    ours=cpu,
                    theirs=usual,
                )
            )
    save("structured-svm", ratios, parser, arguments, script="benchmarks/structured.py")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
