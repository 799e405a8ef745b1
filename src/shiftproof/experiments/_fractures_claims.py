"""What Cieslak and Chawla say of their figures and tables, each claim beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import pandas as pd

from shiftproof.experiments._thesis import Statement

MCAR, SYSTEMATIC = ("MCAR 25", "MCAR 50"), ("MAR 25", "MAR 50", "MNAR 25", "MNAR 50")
OFFSETS = ("offset 0.25 sd", "offset 0.5 sd", "offset 1 sd", "offset 2 sd")
#: Shares of positives, from near those of the sets to far away.
PRIORS = ("P(+) 0.10", "P(+) 0.30", "P(+) 0.50", "P(+) 0.70")
#: The sets on which the papers see a shift between training and test rows as they are.
SHIFTED = ("page", "segment")


def claims_of_tests(scores: pd.DataFrame) -> Iterator[Statement]:
    """Give what both papers say of the p-values of both tests, figures 6 to 11 of 2009."""
    means = {column: scores.groupby("shift")[column].mean() for column in ("friedman_p_mean", "kruskal_p_mean")}
    accuracies, probabilities = means.values()
    here, holds = _lower(accuracies, [("MAR 25", "MAR 50"), ("MNAR 25", "MNAR 50")])
    yield Statement("the heavier the bias, the lower Friedman's p", here, holds)
    for test, values in (("Friedman", accuracies), ("Kruskal-Wallis", probabilities)):
        here, holds = _lower(values, list(pairwise(OFFSETS)))
        yield Statement(f"the larger the offset, the lower the p of {test}", here, holds)
    base, random, biased = (float(probabilities[list(of)].mean()) for of in (("base",), MCAR, SYSTEMATIC))
    here = f"base {base:.2f}, MCAR {random:.2f}, MAR and MNAR {biased:.2f}"
    said = "Kruskal-Wallis: p under MCAR is as without a shift, under MAR and MNAR much lower"
    yield Statement(said, here, abs(random - base) < 0.1 and biased < base / 2)
    for test, values in (("Friedman", accuracies), ("Kruskal-Wallis", probabilities)):
        here, holds = _lower(values, list(pairwise(PRIORS)))
        yield Statement(f"the farther P(+) is from the natural one, the lower the p of {test}", here, holds)


def claims_of_features(failing: pd.DataFrame, phis: pd.DataFrame, by_class: pd.DataFrame) -> Iterator[Statement]:
    """Give what both papers say of failing features, Tables 2 and 3 and figures 13 and 14.

    Parameters
    ----------
    failing : DataFrame
        The share of features failing the papers' test: one row per set of theirs, one column per shift.
    phis : DataFrame
        The mean phi of each set, seed and shift, by the ordinary formula and as printed.
    by_class : DataFrame
        The share of features failing within each class.
    """
    base, random, biased = (float(failing[list(of)].mean().mean()) for of in (("base",), MCAR, SYSTEMATIC))
    here = f"base {base:.3f}, MCAR {random:.3f}, MAR and MNAR {biased:.3f}"
    said = "MCAR hardly raises the share of failing features, MAR and MNAR raise it much (one-sided KS)"
    yield Statement(said, here, random - base < 0.02 and biased > base + 0.2)
    natural = [str(name) for name in failing.index if failing["base"].to_dict()[name] > 0.05]
    here = "more than 5% fail on " + (", ".join(natural) or "no set")
    yield Statement("page and segment are shifted as they are", here, {*natural} == {*SHIFTED})
    at_least = (failing[[*MCAR, *SYSTEMATIC]] >= 0.3).sum()
    sets, hits, alarms = len(failing), int(at_least[list(SYSTEMATIC)].sum()), int(at_least[list(MCAR)].sum())
    here = f"MAR and MNAR in {hits} of {4 * sets} cases, MCAR in {alarms} of {2 * sets}"
    yield Statement("30% of failing features is a sign of bias in most cases", here, hits > 2 * sets and alarms == 0)
    parts = {}
    for name, column in (("phi", "phi"), ("equation 8", "as printed")):
        means = phis.groupby("shift")[column].mean()
        parts[name] = float(means[list(MCAR)].mean()), float(means[list(SYSTEMATIC)].mean())
    here = "; ".join(f"{name}: {low:.2f} to {high:.2f}" for name, (low, high) in parts.items())
    said = "failures are correlated under MAR and MNAR, hardly under MCAR"
    yield Statement(said, here, parts["phi"][1] > 0.3)
    near = failing[[name for name in failing if str(name).startswith("P(")]].idxmin(axis=1)
    hits = sum(float(str(name).split()[-1]) <= 0.3 for name in near)
    here = f"at P(+) of at most 0.3 on {hits} of {len(near)} sets"
    yield Statement("the fewest features fail near the natural P(+) (one-sided KS)", here, hits == len(near))
    highest = by_class.drop(columns="base").max(axis=1).to_dict()
    here = ", ".join(f"at most {share:.1%} of features within the {name}" for name, share in highest.items())
    yield Statement(
        "under changed class proportions, features fail within the negatives", here, highest["negatives"] > 0.1
    )


def claims_of_distances(changes: pd.DataFrame) -> Iterator[Statement]:
    """Give what 2009 says of the relative change of the Hellinger distance, figures 15 to 17."""
    means = changes.mean()
    steps = {"MAR 25 to 50": ("MAR 25", "MAR 50"), "offset 0.25 to 0.5 sd": OFFSETS[:2]}
    rises = {name: float(means[after] - means[before]) for name, (before, after) in steps.items()}
    here = ", ".join(f"{name} {100 * rise:+.0f} points" for name, rise in rises.items())
    said = "doubling a bias raises the Hellinger distance much, doubling an offset little"
    yield Statement(said, here, rises["MAR 25 to 50"] > 2 * rises["offset 0.25 to 0.5 sd"])
    values = [float(means[name]) for name in PRIORS]
    here = ", ".join(f"{name} {100 * value:+.0f}%" for name, value in zip(PRIORS, values, strict=True))
    yield Statement("the Hellinger distance grows as P(+) moves away", here, values == sorted(values))


def _lower(values: pd.Series[float], pairs: Sequence[tuple[str, str]]) -> tuple[str, bool]:
    """Return the values in words, and whether the second of each pair is lower."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    here = ", ".join(f"{name} {values[name]:.3f}" for name in names)
    return here, all(bool(values[after] < values[before]) for before, after in pairs)
