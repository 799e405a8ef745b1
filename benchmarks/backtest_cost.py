"""What a backtest costs beside the model fits it contains.

Usage::

    python benchmarks/backtest_cost.py [--rows 20000] [--periods 12]

Random numbers with a class that depends on five of them, in periods of equal size; three models, each fitted to one
period. The fits are counted by a clock around every call of `fit`, in the same run and in one process. The rest
hardly grows with the rows, so that the ratio is higher for short periods.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

import shiftproof as sp
from measure import FitClock, cpu_clock, timed

MODELS, FEATURES, MOST = ("lr", "forest", "boost"), 20, 1.2


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description="What does a backtest cost?")
    parser.add_argument("--rows", type=int, default=20_000, help="of each period")
    parser.add_argument("--periods", type=int, default=12)
    options = parser.parse_args()
    warnings.simplefilter("ignore", sp.ShiftproofWarning)
    from sklearn.datasets import make_classification

    n = options.rows * options.periods
    X, y = make_classification(n, FEATURES, n_informative=5, flip_y=0.1, random_state=0)
    period = np.arange(n) // options.rows
    # The first call compiles and loads what later ones use.
    few = np.arange(n) % options.rows < 100
    sp.backtest(sp.default_models(only=["lr"]), X[few], y[few], period[few], n_jobs=1, progress=False)
    clock = FitClock()
    models = {name: timed(model, clock) for name, model in sp.default_models(only=list(MODELS)).items()}
    began = cpu_clock()
    result = sp.backtest(models, X, y, period, window=1, n_jobs=1, progress=False)
    spent = cpu_clock() - began
    print(f"{options.periods} periods of {options.rows:,} x {FEATURES} rows, {', '.join(MODELS)}")
    print(f"CPU of the backtest {spent:8.1f} s")
    print(f"CPU of {clock.calls} fits {clock.seconds:8.1f} s")
    ratio = spent / clock.seconds
    print(f"backtest / fits {ratio:.2f}  <= {MOST}  {'met' if ratio <= MOST else 'MISSED'}")
    print(result.summary())


if __name__ == "__main__":
    main()
