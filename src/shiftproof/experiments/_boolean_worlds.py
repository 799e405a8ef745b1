"""Does the better of two estimates on labelled rows stay the better one on all rows? A check of section 7.

ReverseTesting (Fan and Davidson 2006) rests in section 7 on equation 3. Labelled rows come from P(x), new rows from
Q(x), and Q(y|x) is the same for both. Of two estimates of Q(y|x), let b be nearer to the truth than a under P:

    KL(P(x) Q(y|x), P(x) Q_b(y|x)) < KL(P(x) Q(y|x), P(x) Q_a(y|x))

Is it nearer under Q as well?

    KL(Q(x) Q(y|x), P(x) Q_b(y|x)) < KL(Q(x) Q(y|x), P(x) Q_a(y|x))

The paper says that on synthetic data of Boolean variables "this holds true around 99.9% of the time", and leaves the
details to a longer version. With k Boolean variables both sides can be computed exactly, by adding up all 2^k cells.
`equation_three` does so for random Q(x) and Q(y|x) and a random selection P(s=1|x). `reverse_testing_worlds` lets
ReverseTesting itself decide between two learners in such worlds, and looks at both of the paper's observations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.naive_bayes import BernoulliNB

from shiftproof.core import Floats
from shiftproof.experiments._cells import cell_seed
from shiftproof.panel import LaplaceTree
from shiftproof.selection import reverse_test

if TYPE_CHECKING:
    from shiftproof.experiments._sources import DataSources

VARIABLES = (2, 4, 6, 8)
# The standard deviation of log P(s=1|x): 0 selects all rows alike, at 3 one cell is often a thousand times likelier
# to be labelled than another.
SKEWS = (0.25, 1.0, 2.0, 3.0)
# How much noisier one estimate is than the other, in log odds; the other has 0.5.
NOISES = (1.0, 1.1, 1.5, 3.0)
SAMPLES = (30, 100, 1000, 10000)
# Estimates are clearly different if one is so many times as far from the truth as the other, under P.
CLEAR = 1.2
CLAIM = 0.999
ESTIMATES = ("noisy", "learnt", "learnt additive")


@dataclass(frozen=True, eq=False)
class BooleanWorlds:
    """Random worlds, one per row, over all cells of k Boolean variables."""

    cells: Floats  # (2^k, k), 0 and 1
    q: Floats  # Q(x), (worlds, 2^k)
    p: Floats  # P(x)
    truth: Floats  # Q(y=1|x)

    @property
    def worth(self) -> float:
        """What share of as many rows from Q the rows from P are worth: the effective sample size, its median."""
        return float(np.median(1 / (self.p**2 / self.q).sum(axis=1)))


@dataclass(frozen=True, eq=False)
class ClaimCheck:
    """Per world: whether the estimate that is nearer under P is nearer under Q, and how clearly it is under P."""

    holds: NDArray[np.bool_]
    ratio: Floats

    @property
    def share(self) -> float:
        """How often the claim holds."""
        return float(self.holds.mean())

    @property
    def share_if_clear(self) -> float:
        """How often it holds where the estimates are clearly different; NaN where they never are."""
        clear = self.ratio > CLEAR
        return float(self.holds[clear].mean()) if clear.any() else float("nan")


def make_worlds(k: int, skew: float, count: int, rng: np.random.Generator, *, additive: bool = False) -> BooleanWorlds:
    """Draw Q(x) from a Dirichlet distribution, Q(y|x), and a selection by the variables that is as skewed as asked."""
    cells = ((np.arange(2**k)[:, None] >> np.arange(k)) & 1).astype(np.float64)
    signs = 2 * cells - 1
    # A tiny share for every cell, so that no division is by zero.
    q = rng.dirichlet(np.ones(2**k), size=count) + 1e-9
    q /= q.sum(axis=1, keepdims=True)
    chosen = np.exp(skew * rng.normal(size=(count, k)) @ signs.T / np.sqrt(k))
    p = q * chosen
    p /= p.sum(axis=1, keepdims=True)
    truth = rng.uniform(size=(count, 2**k))
    if additive:
        truth = _expit(1.5 * rng.normal(size=(count, k)) @ signs.T)
    return BooleanWorlds(cells, q, p, truth.clip(1e-6, 1 - 1e-6))


def distance(weights: Floats, truth: Floats, estimate: Floats) -> Floats:
    """Return the KL distance of the estimates of Q(y|x) from the truth, averaged over the cells by their weights.

    By the chain rule this is KL(W(x) Q(y|x), V(x) Q_a(y|x)) less KL(W(x), V(x)), which is the same for both estimates.
    """
    inner = truth * np.log(truth / estimate) + (1 - truth) * np.log((1 - truth) / (1 - estimate))
    return np.asarray((weights * inner).sum(axis=1))


def compare_estimates(world: BooleanWorlds, a: Floats, b: Floats) -> ClaimCheck:
    """Compare two estimates under P and under Q."""
    under_p = [distance(world.p, world.truth, each) for each in (a, b)]
    under_q = [distance(world.q, world.truth, each) for each in (a, b)]
    holds = (under_p[1] < under_p[0]) == (under_q[1] < under_q[0])
    return ClaimCheck(holds, np.maximum(*under_p) / np.maximum(np.minimum(*under_p), 1e-300))


def noisy(world: BooleanWorlds, noise: float, rng: np.random.Generator) -> Floats:
    """Return the truth with noise added to its log odds in every cell."""
    odds = np.log(world.truth / (1 - world.truth))
    return _expit(odds + noise * rng.normal(size=odds.shape)).clip(1e-9, 1 - 1e-9)


def learnt(world: BooleanWorlds, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Learn from n rows of P: each cell by itself with Laplace's correction, and naive Bayes."""
    joint = np.stack([world.p * (1 - world.truth), world.p * world.truth], axis=1)
    flat = joint.reshape(len(joint), -1)
    counts = rng.multinomial(n, flat / flat.sum(axis=1, keepdims=True)).reshape(joint.shape)
    by_cell = (counts[:, 1] + 1) / (counts.sum(axis=1) + 2)
    of_class = counts.sum(axis=2)
    ones = (counts @ world.cells + 1) / (of_class[:, :, None] + 2)
    log_joint = np.log((of_class + 1) / (n + 2))[:, :, None]
    log_joint = log_joint + np.log(ones) @ world.cells.T + np.log(1 - ones) @ (1 - world.cells).T
    bayes = _expit(log_joint[:, 1] - log_joint[:, 0]).clip(1e-9, 1 - 1e-9)
    return by_cell, bayes


def _expit(x: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(x / 2)))


def equation_three(_sources: DataSources, k: int, skew: float, estimates: str, count: int) -> pd.DataFrame:
    """Return how often the claim holds in random worlds.

    Parameters
    ----------
    estimates : {"noisy", "learnt", "learnt additive"}
        Noisy copies of the truth; or estimates learnt from a sample of P, where the truth differs from cell to cell, or
        is additive in the log odds.
    count : int
        How many worlds to draw.
    """
    rng = np.random.default_rng(cell_seed(k, skew, estimates))
    world = make_worlds(k, skew, count, rng, additive=estimates == "learnt additive")
    if estimates == "noisy":
        found = {
            f"{n} times": compare_estimates(world, noisy(world, 0.5 * n, rng), noisy(world, 0.5, rng)) for n in NOISES
        }
    else:
        found = {f"n = {n:,}": compare_estimates(world, *learnt(world, n, rng)) for n in SAMPLES}
    rows = [(name, each.share, each.share_if_clear, world.worth) for name, each in found.items()]
    return pd.DataFrame(rows, columns=["setting", "holds", "holds if clear", "worth"])


def reverse_testing_worlds(_sources: DataSources, k: int, skew: float, n: int, count: int) -> pd.DataFrame:
    """Let ReverseTesting decide between a table of cells and naive Bayes in random worlds, one row per world.

    Parameters
    ----------
    n : int
        Labelled rows, and as many new ones.
    count : int
        How many worlds to draw.
    """
    rng = np.random.default_rng(cell_seed("reverse", k, skew, n))
    world = make_worlds(k, skew, count, rng)
    rows = [_decided(world, at, n, rng) for at in range(count)]
    names = ["verdict", "nearer under P", "nearer under Q", "more accurate under Q"]
    return pd.DataFrame(rows, columns=names)


def _decided(world: BooleanWorlds, at: int, n: int, rng: np.random.Generator) -> tuple[str, str, str, str]:
    """Return what ReverseTesting says in one world, and what is true there."""
    truth = world.truth[at]
    labelled, new = (rng.choice(len(truth), n, p=weights[at]) for weights in (world.p, world.q))
    y = (rng.random(n) < truth[labelled]).astype(int)
    y[:2] = 0, 1  # both classes, whatever was drawn
    models = {"cells": LaplaceTree(random_state=0), "bayes": BernoulliNB()}
    found = reverse_test(models, world.cells[labelled], y, world.cells[new], n_jobs=1, progress=False)
    fitted = [model.fit(world.cells[labelled], y) for model in models.values()]
    estimates = [model.predict_proba(world.cells)[:, 1].clip(1e-9, 1 - 1e-9) for model in fitted]
    under_p, under_q = (
        [float(distance(weights[[at]], truth[None], each[None])[0]) for each in estimates]
        for weights in (world.p, world.q)
    )
    right = [float((world.q[at] * np.where(each >= 0.5, truth, 1 - truth)).sum()) for each in estimates]
    return found.verdict("cells", "bayes") or "", _less(under_p), _less(under_q), _less([-each for each in right])


def _less(values: list[float]) -> str:
    return "" if values[0] == values[1] else "cells" if values[0] < values[1] else "bayes"
