"""Does the better of two estimates on labelled rows stay the better one on all rows? A check of a claim.

ReverseTesting (Fan and Davidson 2006) rests in section 7 on equation 3. Labelled rows come from P(x), new rows from
Q(x), and Q(y|x) is the same for both. Of two estimates of Q(y|x), let b be nearer to the truth than a under P:

    KL(P(x) Q(y|x), P(x) Q_b(y|x)) < KL(P(x) Q(y|x), P(x) Q_a(y|x))

Is it nearer under Q as well?

    KL(Q(x) Q(y|x), P(x) Q_b(y|x)) < KL(Q(x) Q(y|x), P(x) Q_a(y|x))

The paper says that on synthetic data of Boolean variables "this holds true around 99.9% of the time", and leaves the
details to a longer version. With k Boolean variables both sides can be computed exactly, by adding up all 2^k cells.
This script does so for random Q(x) and Q(y|x) and a random selection P(s=1|x), for two kinds of estimates: noisy copies
of the truth, and estimates learnt from a sample of P. It prints how often the claim holds, and when.

Then it runs ReverseTesting itself in these worlds. Both learners label rows of Q, learn from all labels, and are tested
on the labelled rows. Observation 7.1 says that the one that wins is nearer to the truth. The script prints how often a
pair is decided, how often the winner is nearer under P, and how often it is more accurate under Q, which is what
counts.

Run ``python examples/boolean_reverse_testing.py``, or with ``--quick`` for fewer draws.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

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


@dataclass(frozen=True, eq=False)
class World:
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
class Found:
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


def make_worlds(k: int, skew: float, count: int, rng: np.random.Generator, *, additive: bool = False) -> World:
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
    return World(cells, q, p, truth.clip(1e-6, 1 - 1e-6))


def distance(weights: Floats, truth: Floats, estimate: Floats) -> Floats:
    """Return the KL distance of the estimates of Q(y|x) from the truth, averaged over the cells by their weights.

    By the chain rule this is KL(W(x) Q(y|x), V(x) Q_a(y|x)) less KL(W(x), V(x)), which is the same for both estimates.
    """
    inner = truth * np.log(truth / estimate) + (1 - truth) * np.log((1 - truth) / (1 - estimate))
    return np.asarray((weights * inner).sum(axis=1))


def compare(world: World, a: Floats, b: Floats) -> Found:
    """Compare two estimates under P and under Q."""
    under_p = [distance(world.p, world.truth, each) for each in (a, b)]
    under_q = [distance(world.q, world.truth, each) for each in (a, b)]
    holds = (under_p[1] < under_p[0]) == (under_q[1] < under_q[0])
    return Found(holds, np.maximum(*under_p) / np.maximum(np.minimum(*under_p), 1e-300))


def noisy(world: World, noise: float, rng: np.random.Generator) -> Floats:
    """Return the truth with noise added to its log odds in every cell."""
    odds = np.log(world.truth / (1 - world.truth))
    return _expit(odds + noise * rng.normal(size=odds.shape)).clip(1e-9, 1 - 1e-9)


def drawn(world: World, n: int, rng: np.random.Generator) -> Floats:
    """Draw n labelled rows of P: how many of each class are in each cell, (worlds, 2, 2^k)."""
    joint = np.stack([world.p * (1 - world.truth), world.p * world.truth], axis=1)
    flat = joint.reshape(len(joint), -1)
    return np.asarray(rng.multinomial(n, flat / flat.sum(axis=1, keepdims=True)).reshape(joint.shape), dtype=np.float64)


def learnt(cells: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Learn from labelled rows: each cell by itself with Laplace's correction, and naive Bayes."""
    by_cell = (counts[:, 1] + 1) / (counts.sum(axis=1) + 2)
    of_class = counts.sum(axis=2)
    ones = (counts @ cells + 1) / (of_class[:, :, None] + 2)
    log_joint = np.log((of_class + 1) / (of_class.sum(axis=1, keepdims=True) + 2))[:, :, None]
    log_joint = log_joint + np.log(ones) @ cells.T + np.log(1 - ones) @ (1 - cells).T
    bayes = _expit(log_joint[:, 1] - log_joint[:, 0]).clip(1e-9, 1 - 1e-9)
    return by_cell, bayes


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Per world: whether ReverseTesting decides, and whether the winner is nearer under P and more accurate under Q."""

    decided: NDArray[np.bool_]
    nearer: NDArray[np.bool_]
    better: NDArray[np.bool_]

    def __str__(self) -> str:
        if not self.decided.any():
            return "0.0 (nan, nan)"
        of_decided = (100 * each[self.decided].mean() for each in (self.nearer, self.better))
        return f"{100 * self.decided.mean():.1f} ({', '.join(f'{share:.1f}' for share in of_decided)})"


def reverse_test(world: World, n: int, rng: np.random.Generator) -> Verdicts:
    """Let both learners label n rows of Q, learn from both labellings, and be judged on labelled rows (Figure 3)."""
    labelled = drawn(world, n, rng)
    estimates = learnt(world.cells, labelled)
    new = rng.multinomial(n, world.q / world.q.sum(axis=1, keepdims=True)).astype(np.float64)
    scores = []
    for estimate in estimates:
        positive = estimate > 0.5
        judges = learnt(world.cells, np.stack([new * ~positive, new * positive], axis=1))
        scores.append([_accuracy(labelled, judge) for judge in judges])
    # R[i][j]: learner j on the labels of i; both learners must prefer the same labels.
    first = (scores[0][0] > scores[1][0]) & (scores[0][1] > scores[1][1])
    second = (scores[1][0] > scores[0][0]) & (scores[1][1] > scores[0][1])
    under_p = [distance(world.p, world.truth, each) for each in estimates]
    on_q = np.stack([world.q * (1 - world.truth), world.q * world.truth], axis=1)
    accuracy = [_accuracy(on_q, each) for each in estimates]
    nearer = np.where(first, under_p[0] < under_p[1], under_p[1] < under_p[0])
    better = np.where(first, accuracy[0] > accuracy[1], accuracy[1] > accuracy[0])
    return Verdicts(first | second, nearer, better)


def _accuracy(rows: Floats, estimate: Floats) -> Floats:
    """Return the share of rows, by class and cell, whose likelier class is right; sums are rounded so that ties are."""
    right = np.where(estimate > 0.5, rows[:, 1], rows[:, 0]).sum(axis=1) / rows.sum(axis=(1, 2))
    return np.asarray(right.round(12))


def _expit(x: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(x / 2)))


def show(title: str, columns: list[str], rows: list[tuple[int, float, float, list[Found]]]) -> list[Found]:
    """Print one table: how often the claim holds, in per cent, and the same where the estimates clearly differ."""
    print(f"\n{title}")
    print(f"{'k':>3} {'skew':>5} {'worth':>6} " + " ".join(f"{name:>15}" for name in columns))
    for k, skew, worth, found in rows:
        cells = [f"{100 * each.share:.1f} ({100 * each.share_if_clear:.1f})" for each in found]
        print(f"{k:>3} {skew:>5.2f} {worth:>6.0%} " + " ".join(f"{cell:>15}" for cell in cells))
    return [each for row in rows for each in row[3]]


def tell(name: str, found: list[Found]) -> None:
    """Print the means over all settings, and for how many of them the claim holds as said."""
    clear = [each.share_if_clear for each in found if each.share_if_clear == each.share_if_clear]
    print(
        f"{name}: holds in {100 * np.mean([each.share for each in found]):.1f}% of all draws, and in "
        f"{100 * np.mean(clear):.1f}% of those where one estimate is {CLEAR} times as far off as the other.\n"
        f"  {CLAIM:.1%} or more: in {sum(each.share >= CLAIM for each in found)} of {len(found)} settings; of clear "
        f"differences in {sum(share >= CLAIM for share in clear)} of {len(clear)}. The lowest: "
        f"{100 * min(each.share for each in found):.1f}%."
    )


def show_verdicts(kind: str, additive: bool, count: int, rng: np.random.Generator) -> None:
    """Print how often ReverseTesting decides between the two learners, and how often it is right."""
    print(
        f"\nReverseTesting, n rows of P and of Q; the truth is {kind}.\nHow often it decides, in per cent. In brackets:"
        " the winner is nearer to the truth under P, and more accurate under Q, in per cent of the decided."
    )
    print(f"{'k':>3} {'skew':>5} {'worth':>6} " + " ".join(f"{f'n = {n:,}':>19}" for n in SAMPLES))
    every: list[Verdicts] = []
    for k in VARIABLES:
        for skew in SKEWS:
            world = make_worlds(k, skew, count, rng, additive=additive)
            found = [reverse_test(world, n, rng) for n in SAMPLES]
            print(f"{k:>3} {skew:>5.2f} {world.worth:>6.0%} " + " ".join(f"{each!s:>19}" for each in found))
            every += found
    joined = Verdicts(
        *(np.concatenate([getattr(each, name) for each in every]) for name in ("decided", "nearer", "better"))
    )
    print(f"All settings: {joined}")


def main(arguments: list[str] | None = None) -> None:
    """Run all settings and print the tables."""
    parser = argparse.ArgumentParser(description="How often equation 3 of ReverseTesting holds, by enumeration.")
    parser.add_argument("--quick", action="store_true", help="fewer draws")
    parser.add_argument("--seed", type=int, default=0, help="of all draws")
    options = parser.parse_args(arguments)
    count = 200 if options.quick else 4000
    rng = np.random.default_rng(options.seed)
    print(
        f"How often the estimate that is better under P is better under Q, in per cent of {count:,} random worlds.\n"
        f"In brackets: of those in which one estimate is at least {CLEAR} times as far off as the other under P.\n"
        "k: Boolean variables. skew: of the selection. worth: rows of P are worth this share of as many rows of Q."
    )
    rows = []
    for k in VARIABLES:
        for skew in SKEWS:
            world = make_worlds(k, skew, count, rng)
            found = [compare(world, noisy(world, 0.5 * times, rng), noisy(world, 0.5, rng)) for times in NOISES]
            rows.append((k, skew, world.worth, found))
    copies = show("Noisy copies of the truth; one so many times as noisy", [f"{x} times" for x in NOISES], rows)
    sets = {}
    for additive, kind in ((False, "each cell by itself"), (True, "additive in the log odds")):
        rows = []
        for k in VARIABLES:
            for skew in SKEWS:
                world = make_worlds(k, skew, count // 4, rng, additive=additive)
                found = [compare(world, *learnt(world.cells, drawn(world, n, rng))) for n in SAMPLES]
                rows.append((k, skew, world.worth, found))
        title = f"Learnt from n rows of P: Laplace's cells against naive Bayes; the truth is {kind}"
        sets[kind] = show(title, [f"n = {n:,}" for n in SAMPLES], rows)
    print(f"\nThe paper's claim is around {CLAIM:.1%}.")
    tell("Noisy copies", copies)
    for kind, found in sets.items():
        tell(f"Learnt, truth {kind}", found)
    for additive, kind in ((False, "each cell by itself"), (True, "additive in the log odds")):
        show_verdicts(kind, additive, count // 4, rng)


if __name__ == "__main__":
    main()
