"""Statistics of methods over data sets in our library, in scipy and in the peers', in one run.

Usage::

    python benchmarks/comparison.py PEERS_PYTHON [--write FOLDER]

PEERS_PYTHON is the interpreter of the environment that holds autorank, baycomp and scikit-posthocs (``make bench``
makes it), in which this file runs once more, as ``comparison.py --peer TABLES``. Exits with 1 where numbers disagree
by more than 1e-9 (where both are exact), 1e-4 (where the peer takes the quantile of the studentised range from a
fitted formula), or 0.015 (where both draw at random).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from ratios import Agreement, Ratio, add_write, save

Array = NDArray[np.float64]

EXACT, FITTED, DRAWN = 1e-9, 1e-4, 0.015
ROPE, SAMPLES = 0.02, 50_000
N_RUNS = 5
#: What is timed -> in words, and the peer that does it, too.
TIMED = {
    "friedman": ("Friedman's test", "scipy"),
    "wilcoxon": ("Wilcoxon's test of all pairs", "scipy"),
    "ranks": ("average ranks, Friedman's test, critical difference", "autorank"),
    "compare": ("all of `sp.compare`", "autorank"),
    "nemenyi": ("Nemenyi p of all pairs", "scikit-posthocs"),
    "wilcoxon-holm": ("Wilcoxon-Holm p of all pairs", "scikit-posthocs"),
    "bayes": ("Bayesian signed rank of all pairs", "baycomp"),
}


def tables() -> dict[str, Array]:
    """Make losses of methods (columns) over data sets (rows)."""
    rng = np.random.default_rng(0)
    demsar = [
        [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.9749], [0.957, 0.978, 0.946, 0.970],
    ]  # fmt: skip
    return {
        "Demsar's trees, 14 x 4": 1 - np.array(demsar),
        "random, 24 x 10": rng.random((24, 10)) * 0.1 + np.linspace(0, 0.05, 10),
        "with ties, 20 x 5": rng.integers(0, 6, (20, 5)) / 20,
        "few, 6 x 3": rng.random((6, 3)),
        "many, 80 x 6": rng.random((80, 6)) + np.linspace(0, 0.2, 6),
    }


def fastest(call: Callable[[], Any]) -> float:
    """Return the smallest CPU seconds of a few runs, after one that pays for imports and caches."""
    call()
    costs = []
    for _ in range(N_RUNS):
        began = time.process_time()
        call()
        costs.append(time.process_time() - began)
    return min(costs)


def peers(path: str) -> None:
    """Compute what the peers have, in their environment, and print it."""
    import warnings

    import autorank
    import baycomp
    import pandas as pd
    import scikit_posthocs

    warnings.simplefilter("ignore")
    found: dict[str, Any] = {}
    with np.load(path) as stored:
        held = dict(stored)
    for name, table in held.items():
        frame = pd.DataFrame(table, columns=[f"m{at}" for at in range(table.shape[1])])
        rank: Callable[[], Any] = partial(
            autorank.autorank,
            frame,
            alpha=0.05,
            order="ascending",
            force_mode="nonparametric",
            approach="frequentist",
        )
        nemenyi: Callable[[], Any] = partial(scikit_posthocs.posthoc_nemenyi_friedman, table)
        wilcoxon: Callable[[], Any] = partial(scikit_posthocs.posthoc_wilcoxon, list(table.T), p_adjust="holm")
        ranked = rank()
        began = time.process_time()
        probabilities = [
            baycomp.SignedRankTest(table[:, other], table[:, one], rope=ROPE, nsamples=SAMPLES, random_state=0).probs()
            for one, other in combinations(range(table.shape[1]), 2)
        ]
        seconds = time.process_time() - began
        found[name] = {
            "friedman": float(ranked.pvalue),
            "difference": float(ranked.cd),
            "ranks": [float(ranked.rankdf.loc[column, "meanrank"]) for column in frame],
            "nemenyi": nemenyi().to_numpy().tolist(),
            "wilcoxon": wilcoxon().to_numpy().tolist(),
            "bayes": probabilities,
            "seconds": {
                **dict.fromkeys(("ranks", "compare"), fastest(rank)),
                "nemenyi": fastest(nemenyi),
                "wilcoxon-holm": fastest(wilcoxon),
                "bayes": seconds,
            },
        }
    versions = {name: version(name) for name in ("autorank", "baycomp", "scikit-posthocs")}
    print(json.dumps({"found": found, "versions": versions}))


def compared(table: Array, theirs: dict[str, Any]) -> list[tuple[str, float, float]]:
    """Compare with ours: what, the largest difference, and the one that is allowed."""
    import shiftproof as sp

    result = sp.compare(table, rope=ROPE)
    name = {method: int(method.removeprefix("x")) for method in result.methods}
    pairs = [(name[pair.first], name[pair.second], pair) for pair in result.compared]
    chi, ours = stats.friedmanchisquare(*table.T), sp.stats.friedman(result.dataset_ranks, ranked=True)
    nemenyi, wilcoxon = np.array(theirs["nemenyi"]), np.array(theirs["wilcoxon"])
    held = {frozenset(each): at for at, each in enumerate(combinations(range(table.shape[1]), 2))}
    bayes = []
    for one, other, pair in pairs:
        # baycomp's first share is that of the first being better
        left, rope, right = theirs["bayes"][held[frozenset((one, other))]]
        better, worse = (left, right) if one < other else (right, left)
        bayes += [pair.better - better, pair.equivalent - rope, pair.worse - worse]
    raw = [stats.wilcoxon(table[:, one], table[:, other]).pvalue - pair.wilcoxon for one, other, pair in pairs]
    ranks = [theirs["ranks"][name[method]] - rank for method, rank in result.ranks.items()]
    return [
        ("average ranks, autorank", _most(ranks), EXACT),
        ("Friedman chi-square, scipy", abs(chi.statistic - ours.statistic), EXACT),
        ("Friedman p, scipy", abs(chi.pvalue - ours.p_value), EXACT),
        ("Friedman p, autorank", abs(theirs["friedman"] - ours.p_value), EXACT),
        (
            "Nemenyi p, scikit-posthocs",
            _most([nemenyi[i, j] - pair.adjusted["nemenyi"] for i, j, pair in pairs]),
            EXACT,
        ),
        ("critical difference, autorank", abs(theirs["difference"] - result.critical_difference), FITTED),
        ("Wilcoxon p, scipy", _most(raw), EXACT),
        (
            "Wilcoxon-Holm p, scikit-posthocs",
            _most([wilcoxon[i, j] - p.adjusted["wilcoxon-holm"] for i, j, p in pairs]),
            EXACT,
        ),
        ("Bayesian signed rank, baycomp", _most(bayes), DRAWN),
    ]


def our_seconds(table: Array) -> dict[str, float]:
    """Return the CPU seconds of what is timed, by our library."""
    import shiftproof as sp

    n, k = table.shape
    pairs = list(combinations(range(k), 2))

    def nemenyi() -> list[float]:
        ranks = sp.stats.rank_rows(table).mean(axis=0)
        return [sp.stats.post_hoc_p_value(abs(ranks[i] - ranks[j]), k, n) for i, j in pairs]

    def ranks() -> tuple[Any, ...]:
        ranked = sp.stats.rank_rows(table)
        return ranked.mean(axis=0), sp.stats.friedman(ranked, ranked=True), sp.stats.critical_difference(k, n)

    def wilcoxon() -> list[float]:
        return [sp.stats.wilcoxon(table[:, i], table[:, j]).p_value for i, j in pairs]

    began = time.process_time()
    sp.stats.bayesian_signed_rank_matrix(table, rope=ROPE, n_samples=SAMPLES, random_state=0)
    return {
        "bayes": time.process_time() - began,
        "friedman": fastest(lambda: sp.stats.friedman(table)),
        "wilcoxon": fastest(wilcoxon),
        "ranks": fastest(ranks),
        "compare": fastest(lambda: sp.compare(table, rope=ROPE)),
        "nemenyi": fastest(nemenyi),
        "wilcoxon-holm": fastest(lambda: sp.stats.holm(wilcoxon())),
    }


def scipy_seconds(table: Array) -> dict[str, float]:
    """Return the CPU seconds of scipy's tests."""
    pairs = list(combinations(table.T, 2))
    return {
        "friedman": fastest(lambda: stats.friedmanchisquare(*table.T)),
        "wilcoxon": fastest(lambda: [stats.wilcoxon(one, other) for one, other in pairs]),
    }


def _most(differences: list[float]) -> float:
    return float(np.abs(differences).max())


def main() -> int:
    """Print the largest difference of each statistic on each table, and the speed."""
    parser = argparse.ArgumentParser(description="Our comparison of methods against scipy's and the peers'.")
    parser.add_argument("python", metavar="PEERS_PYTHON | --peer", nargs="?")
    parser.add_argument("--peer", metavar="TABLES")
    add_write(parser)
    arguments = parser.parse_args()
    if arguments.peer:
        peers(arguments.peer)
        return 0
    made = tables()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tables.npz"
        np.savez(path, allow_pickle=False, **made)
        command = [arguments.python, __file__, "--peer", str(path)]
        finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    told = json.loads(finished.stdout.splitlines()[-1])
    print(", ".join(f"{name} {version}" for name, version in told["versions"].items()))
    wrong, largest = 0, {}
    for name, table in made.items():
        print(f"\n{name}: largest difference, and the one allowed")
        for what, most, allowed in compared(table, told["found"][name]):
            wrong += most > allowed
            largest[what] = (max(most, largest.get(what, (0.0,))[0]), allowed)
            print(f"  {what:36}{most:10.1e}{allowed:10.0e}{'  WRONG' if most > allowed else ''}")
    versions = told["versions"] | {"scipy": version("scipy")}
    ours = {name: our_seconds(table) for name, table in made.items()}
    theirs = {name: told["found"][name]["seconds"] | scipy_seconds(table) for name, table in made.items()}
    print("\nBayesian signed rank of all pairs, 50,000 draws, CPU seconds")
    for name in made:
        mine, other = ours[name]["bayes"], theirs[name]["bayes"]
        print(f"  {name:26}{mine:8.2f}, baycomp{other:8.2f}: {other / mine:.0f}x")
    ratios = speed_ratios(ours, theirs, versions)
    print("\nSum over the five tables, CPU seconds")
    for ratio in ratios:
        print(f"  {ratio.task:62}{ratio.ours:8.4f}, {ratio.peer}{ratio.theirs:8.4f}: {ratio.words}")
    agreements = []
    for what, (most, allowed) in largest.items():
        task, peer = what.rsplit(", ", maxsplit=1)
        agreements.append(Agreement(task=task, peer=peer, version=versions[peer], difference=most, allowed=allowed))
    rows = [*ratios, *agreements]
    save("comparison", rows, parser, arguments, script="benchmarks/comparison.py", paths=("python",))
    return int(wrong > 0)


def speed_ratios(
    ours: dict[str, dict[str, float]], theirs: dict[str, dict[str, float]], versions: dict[str, str]
) -> list[Ratio]:
    """Return the ratios of CPU, summed over all tables."""
    return [
        Ratio(
            task=task,
            peer=peer,
            version=versions[peer],
            unit="CPU s",
            ours=sum(seconds[timed] for seconds in ours.values()),
            theirs=sum(seconds[timed] for seconds in theirs.values()),
        )
        for timed, (task, peer) in TIMED.items()
    ]


if __name__ == "__main__":
    sys.exit(main())
