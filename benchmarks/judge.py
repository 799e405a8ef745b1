"""Class proportions from a judge's verdicts: coverage and width of intervals, by design and number of labels.

Usage::

    python benchmarks/judge.py [--times 10]

Each case has 1,000 items, of which a judge that says only yes or no has judged all. People label some: a random sample
of these items, or as many older items, half of which are positive. The last lines are about a new version of the judge:
how often McNemar's test on 200 older items shows a loss of ten points of accuracy.
"""

from __future__ import annotations

import argparse
import warnings
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

import shiftproof as sp

ITEMS, AGAIN = 1000, 200
RATES = (0.1, 0.3, 0.5, 0.8)
# The judge's chance of being right on positives and on negatives.
JUDGES = ((0.7, 0.7), (0.7, 0.95), (0.95, 0.7), (0.85, 0.85), (0.95, 0.95))
COUNTS = (50, 100, 200, 500)
# Accuracies of the old version, and how many of its errors the new one repeats; None: it errs independently.
ACCURACIES, REPEATED = (0.9, 0.85, 0.8), (None, 0.8)


def judged(
    rng: np.random.Generator, count: int, rate: float, right: tuple[float, float]
) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw items: the judge's verdicts, and the actual labels."""
    actual = (rng.random(count) < rate).astype(int)
    agrees = rng.random(count) < np.where(actual == 1, *right)
    return pd.DataFrame({"verdict": np.where(agrees, actual, 1 - actual)}), actual


def one_case(rng: np.random.Generator, rate: float, right: tuple[float, float], count: int) -> list[dict[str, Any]]:
    """Estimate one case by each design."""
    items, actual = judged(rng, ITEMS, rate, right)
    rows = rng.choice(ITEMS, count, replace=False)
    labels = dict(zip(rows.tolist(), actual[rows].tolist(), strict=True))
    older, known = judged(rng, count, 0.5, right)
    judge = {"judge": "verdict"}
    people = sp.stats.wilson(int(actual[rows].sum()), count, level=0.9)
    # People alone, too, know that they have seen a part of all items.
    half = people.width / 2 * np.sqrt(1 - count / ITEMS)
    found = [("people alone", people.estimate, people.estimate - half, people.estimate + half)]
    designs = {
        "a random sample": {"labels": labels, "resamples": 20},
        "an older set": {"X": older, "y": known, "assume": "prior shift"},
    }
    for name, given in designs.items():
        # A sample of one class only has no judge to correct.
        if name == "a random sample" and actual[rows].min() == actual[rows].max():
            continue
        share = sp.quantify(judge, **given, X_new=items, progress=False).prevalence[1]
        found.append((name, share.estimate, share.low, share.high))
    truth = actual.mean()
    return [
        {
            **{"design": name, "labels": count, "answered": bool(np.isfinite(low))},
            **{"covered": low <= truth <= high, "width": high - low, "error": abs(estimate - truth)},
        }
        for name, estimate, low, high in found
    ]


def seen(rng: np.random.Generator, accuracy: float, repeated: float | None, times: int) -> float:
    """Return how often McNemar's test shows a loss of ten points of accuracy."""
    old = 1 - accuracy
    found = 0
    for _ in range(times):
        wrong = rng.random(AGAIN) < old
        chances = old + 0.1 if repeated is None else np.where(wrong, repeated, (old + 0.1 - repeated * old) / accuracy)
        wrong_now = rng.random(AGAIN) < chances
        found += sp.stats.mcnemar(~wrong, ~wrong_now).p_value < 0.05
    return found / times


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=10, help="how often each case is drawn")
    times, rng = parser.parse_args().times, np.random.default_rng(0)
    warnings.simplefilter("ignore", sp.ShiftproofWarning)
    rows = [
        row
        for rate, right, count in product(RATES, JUDGES, COUNTS)
        for _ in range(times)
        for row in one_case(rng, rate, right, count)
    ]
    table = pd.DataFrame(rows)
    answered = table[table["answered"]]
    figures = ["covered", "width", "error"]
    whole = answered.groupby("design")[figures].mean().assign(labels="all").set_index("labels", append=True)
    print(pd.concat([answered.groupby(["design", "labels"])[figures].mean(), whole]).round(3).to_string())
    print(f"\nrefused: {1 - table['answered'].mean():.1%} of {len(table):,} estimates")
    print(f"\nMcNemar's test on {AGAIN} older items sees a loss of ten points of accuracy:")
    for accuracy, repeated in product(ACCURACIES, REPEATED):
        how = "independent errors" if repeated is None else f"{repeated:.0%} of the old errors repeated"
        print(f"  from {accuracy:.0%}, {how}: {seen(rng, accuracy, repeated, 100 * times):.2f}")


if __name__ == "__main__":
    main()
