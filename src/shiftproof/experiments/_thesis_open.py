"""What chapter 5 of the thesis leaves open: similar neighbours, and the power of tests over several prevalences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from shiftproof import quantification as sq
from shiftproof.comparison import Comparison
from shiftproof.core import Floats
from shiftproof.experiments._cells import cell_seed
from shiftproof.experiments._thesis_runs import estimates, load_problem
from shiftproof.stats import critical_difference, friedman

if TYPE_CHECKING:
    from shiftproof.experiments._sources import DataSources

#: How many of the eleven test prevalences are used, and how often data sets and prevalences are drawn.
PREVALENCES, DRAWS = (1, 2, 3, 5, 11), 500


def similar_estimates(sources: DataSources, problem: str, seed: int) -> pd.DataFrame:
    """Run the neighbours of chapter 5 with votes weighted by similarity (eq. 5.2), which the thesis leaves out."""
    random = cell_seed(problem, seed)
    how: dict[str, Any] = {
        "scale": False, "rates": "cv", "tuning": "2x5", "similarity": True, "random_state": random
    }  # fmt: skip
    quantifiers = {"KNN": sq.NearestNeighbors(**how), "PWK": sq.ProportionWeightedNeighbors(**how)}
    return estimates(quantifiers, *load_problem(sources, problem), seed=random)


def similarity_table(plain: pd.DataFrame, similar: pd.DataFrame) -> pd.DataFrame:
    """Return the mean absolute errors with equal and with similar votes, and on how many problems each is lower."""
    both = []
    for rows in (plain, similar):
        errors = (rows["true"] - rows["estimated"]).abs()
        both.append(errors.groupby([rows["method"], rows["problem"]]).mean())
    pairs = pd.DataFrame({"equal": both[0], "similar": both[1]}).dropna()
    gap = pairs["equal"] - pairs["similar"]
    table = pairs.groupby("method").mean()
    lower = {"equal lower": gap < -1e-12, "similar lower": gap > 1e-12}
    return table.assign(**{name: mask.groupby("method").sum() for name, mask in lower.items()}).reset_index()


def power_table(found: Comparison) -> pd.DataFrame:
    """Return how often tests find differences, and false ones, by how many test prevalences each data set has.

    Data sets are drawn with replacement, prevalences without. Without differences, the methods of each data set are
    exchanged at random, all its prevalences alike.
    """
    ranks = _rank_cube(found)
    n, most, k = ranks.shape
    gap, rng = critical_difference(k, n), np.random.default_rng(0)
    first = int(ranks.mean(axis=(0, 1)).argmin())
    rows = []
    for count in PREVALENCES:
        figures = np.zeros(5)
        for _ in range(DRAWS):
            chosen = rng.permutation(most)[:count]
            drawn = ranks[rng.integers(n, size=n)][:, chosen].mean(axis=1)
            without = rng.permuted(ranks[:, chosen].mean(axis=1), axis=1)
            figures += np.array(
                [
                    (_gaps(drawn) > gap).mean(),
                    drawn.mean(axis=0).argmin() == first,
                    friedman(without, ranked=True).p_value < 0.05,
                    friedman(without, ranked=True, spread="ranks").p_value < 0.05,
                    (_gaps(without) > gap).any(),
                ],
                dtype=np.float64,
            )
        rows.append((count, *(figures / DRAWS)))
    names = ["pairs found", "same method first", "false: Friedman", "false: Friedman as printed", "false: Nemenyi"]
    return pd.DataFrame(rows, columns=["prevalences", *names])


def _rank_cube(found: Comparison) -> Floats:
    """Return the ranks of methods on each data set at each prevalence, shape (n, prevalences, k)."""
    order = np.lexsort((np.asarray(found.prevalences, dtype=float), found.places))
    ranks = rankdata(found.losses[order], axis=1)
    return np.asarray(ranks.reshape(len(found.datasets), -1, len(found.methods)))


def _gaps(ranks: Floats) -> Floats:
    """Return the difference of mean ranks of every two methods."""
    means = ranks.mean(axis=0)
    one, other = np.triu_indices(len(means), 1)
    return np.asarray(np.abs(means[one] - means[other]))
