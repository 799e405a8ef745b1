"""Cross-fitting the default models on the demo data, beside the bare scikit-learn fits that it consists of.

Usage::

    python benchmarks/cross_fit.py [--folds 10] [--rounds 3] [--write FOLDER]

Prints CPU seconds and their ratio; both run on one thread.
"""

from __future__ import annotations

import argparse
from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from measure import measure_time
from ratios import Ratio, add_write, save
from shiftproof.data import load_demo
from shiftproof.panel import cross_fit, default_models


def bare(models: dict[str, Any], X: Any, y: Any, folds: int) -> None:
    """Fit and score each model as a loop over folds does, and fit it once on all rows."""
    with threadpool_limits(1):
        for model in models.values():
            scored = "predict_proba" if hasattr(model, "predict_proba") else "decision_function"
            for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(X, y):
                getattr(clone(model).fit(X.iloc[train], y[train]), scored)(X.iloc[test])
            clone(model).fit(X, y)


def main() -> None:
    """Read the command line and print the table."""
    parser = argparse.ArgumentParser(description="cross_fit against the bare fits that it consists of.")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    add_write(parser)
    arguments = parser.parse_args()
    calls = load_demo(year=2009)
    y = calls.pop("label").to_numpy()
    models = default_models()
    cross_fit(models, calls[:500], y[:500], cv=2)  # everything is loaded here
    print(f"\n{len(calls):,} rows, {arguments.folds} folds and a refit, CPU seconds (best of {arguments.rounds})\n")
    best = np.full(2, np.inf)
    for _ in range(arguments.rounds):  # in turn, so that both meet the same neighbours on the machine
        ours = measure_time(lambda: cross_fit(models, calls, y, cv=arguments.folds, n_jobs=1))[0]
        theirs = measure_time(lambda: bare(models, calls, y, arguments.folds))[0]
        best = np.minimum(best, [ours, theirs])
    for name, cost in zip(("cross_fit", "bare scikit-learn"), best, strict=True):
        print(f"{name:20}{cost:8.2f}")
    print(f"{'ratio':20}{best[0] / best[1]:8.3f}")
    ratio = Ratio(
        task=f"`cross_fit` of {len(models)} models on {len(calls):,} rows, {arguments.folds} folds and a refit",
        peer="scikit-learn, the bare fits and predictions",
        version=version("scikit-learn"),
        unit="CPU s",
        ours=best[0],
        theirs=best[1],
        baseline=True,
    )
    save("cross-fit", [ratio], parser, arguments, script="benchmarks/cross_fit.py")


if __name__ == "__main__":
    main()
