"""Every two methods: which wins, by how much, and whether by more than chance."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from shiftproof.comparison._ranks import Tally
from shiftproof.core import Floats, Interval, Seed
from shiftproof.stats import (
    MOST_METHODS,
    bayesian_signed_rank_matrix,
    bergmann_hommel,
    corrected_resampled_t,
    hochberg,
    holm,
    hommel,
    post_hoc_p_value,
    shaffer,
    signed_rank_comparison,
)

PostHoc = Literal[
    "nemenyi",
    "bonferroni-dunn",
    "ranks-holm",
    "ranks-hochberg",
    "ranks-hommel",
    "ranks-shaffer",
    "ranks-bergmann",
    "wilcoxon-holm",
    "wilcoxon-hochberg",
    "wilcoxon-hommel",
    "wilcoxon-shaffer",
    "wilcoxon-bergmann",
]
POSTHOC: tuple[PostHoc, ...] = get_args(PostHoc)
# By the last word of a post-hoc test's name.
_ADJUSTMENTS = {"holm": holm, "hochberg": hochberg, "hommel": hommel, "shaffer": shaffer, "bergmann": bergmann_hommel}
#: These use which pairs can be equal, so they have no place beside a control.
ALL_PAIRS = ("shaffer", "bergmann")

# Marks a test that was not made.
_NAN = float("nan")


@dataclass(frozen=True, kw_only=True)
class MethodPair:
    """Two methods over all data sets; positive values favour the first.

    Parameters
    ----------
    first, second : str
        The methods: the control first, or else the one with the lower average rank.
    rank_difference : float
        By how much the second's average rank is higher.
    wins, losses, ties : int
        Cells, a data set at one prevalence each, in which the first is better, worse, or the same.
    dataset_wins, dataset_losses, dataset_ties : int
        Data sets on which the first wins more cells than the second, fewer, or as many.
    mean_difference : float
        By how much the first is better on average over the cells; of absolute errors this is the thesis's MDAE.
    difference : Interval
        By how much it is better on a data set: Hodges and Lehmann's estimate from the data sets' mean losses.
    ranks, wilcoxon : float
        P-values of these two alone: of the difference of their average ranks, and of their losses (Wilcoxon).
    adjusted : mapping of str to float
        The p-value of each post-hoc test, adjusted for the number of comparisons; NaN if a test was not made.
    better, equivalent, worse : float
        How probable it is that the first is better by more than the region of practical equivalence, within it, or
        worse by more (Bayesian signed-rank test).
    p_value : float
        That of the post-hoc test which decides; NaN if it does not compare these two.
    differ : bool
        Whether it shows a difference.
    """

    first: str
    second: str
    rank_difference: float
    wins: int
    losses: int
    ties: int
    dataset_wins: int
    dataset_losses: int
    dataset_ties: int
    mean_difference: float
    difference: Interval
    ranks: float
    wilcoxon: float
    adjusted: Mapping[str, float]
    better: float
    equivalent: float
    worse: float
    p_value: float
    differ: bool

    @property
    def dwl(self) -> int:
        """The difference between wins and losses."""
        return self.wins - self.losses


@dataclass(frozen=True, kw_only=True)
class FoldPair:
    """Two methods on one data set, by its folds; positive values favour the first."""

    dataset: str
    first: str
    second: str
    n_folds: int
    difference: Interval
    p_value: float
    p_holm: float


@dataclass(frozen=True, eq=False, kw_only=True)
class PairEvidence:
    """What pairs are judged by. Methods are in the order of their average ranks; lower losses are better."""

    methods: Sequence[str]
    ranks: Floats
    means: Floats
    tally: Tally
    control: str | None
    posthoc: PostHoc
    alpha: float
    rope: float
    #: Whether the post-hoc test may look for differences, as the Friedman test found some.
    gate: bool

    @property
    def tested(self) -> bool:
        """Whether there are enough data sets for any test."""
        return len(self.ranks) > 1


def judge_pairs(evidence: PairEvidence, random_state: Seed) -> tuple[MethodPair, ...]:
    """Judge every two methods by all tests; the post-hoc test decides."""
    methods, control = list(evidence.methods), evidence.control
    # The control is first: positive values favour it.
    pairs = [
        (other, one) if methods[other] == control else (one, other)
        for one, other in combinations(range(len(methods)), 2)
    ]
    wanted = [control is None or control in (methods[one], methods[other]) for one, other in pairs]
    signed = [_signed_rank(evidence, one, other) for one, other in pairs]
    means = evidence.ranks.mean(axis=0)
    gaps = [float(means[other] - means[one]) for one, other in pairs]
    singles = [_rank_p_value(evidence, gap, "single") for gap in gaps]
    # With a control only its pairs are comparisons; NaN excludes the rest from the count.
    adjusted = _adjusted("ranks", singles, wanted) | _adjusted("wilcoxon", [p for _, p in signed], wanted)
    bayes = _bayes(evidence, random_state)
    judged = []
    for place, ((one, other), (interval, p_wilcoxon)) in enumerate(zip(pairs, signed, strict=True)):
        with_control = control in (methods[one], methods[other])
        by_rank = {
            "nemenyi": _rank_p_value(evidence, gaps[place], "nemenyi"),
            # Bonferroni-Dunn compares with the control only (eq. 4.5, adjusted for k - 1 comparisons).
            "bonferroni-dunn": _rank_p_value(evidence, gaps[place], "bonferroni-dunn") if with_control else _NAN,
        }
        p_values = by_rank | {name: float(values[place]) for name, values in adjusted.items()}
        decisive = p_values[evidence.posthoc]
        judged.append(
            MethodPair(
                first=methods[one],
                second=methods[other],
                rank_difference=gaps[place],
                **_counts(evidence.tally, one, other),
                mean_difference=float(evidence.tally.mean_difference[one, other]),
                difference=interval,
                ranks=singles[place],
                wilcoxon=p_wilcoxon,
                adjusted=p_values,
                **dict(zip(("better", "equivalent", "worse"), bayes[one, other].tolist(), strict=True)),
                p_value=decisive,
                # A comparison with NaN is false: a pair that was not tested does not differ.
                differ=evidence.gate and decisive <= evidence.alpha,
            )
        )
    return tuple(judged)


def judge_folds(
    methods: Sequence[str], datasets: Sequence[str], folds: Sequence[Floats], *, test_share: float | None, level: float
) -> tuple[FoldPair, ...]:
    """Compare every two methods on each data set by the corrected resampled t test, Holm's adjustment within each."""
    judged = []
    pairs = list(combinations(range(len(methods)), 2))
    for dataset, losses in zip(datasets, folds, strict=True):
        # One fold has no spread.
        if len(losses) < 2:
            continue
        # k folds test 1/k of the rows each; Nadeau and Bengio's correction needs this share.
        share = test_share or 1 / len(losses)
        tests = [
            corrected_resampled_t(losses[:, other] - losses[:, one], test_share=share, level=level)
            for one, other in pairs
        ]
        adjusted = holm([test.p_value for test in tests]).tolist()
        judged += [
            FoldPair(
                dataset=dataset,
                first=methods[one],
                second=methods[other],
                n_folds=len(losses),
                difference=test.difference,
                p_value=test.p_value,
                p_holm=p_holm,
            )
            for (one, other), test, p_holm in zip(pairs, tests, adjusted, strict=True)
        ]
    return tuple(judged)


def groups_of(differ: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Find the longest runs of methods in which no two differ, as places of the first and the last.

    Examples
    --------
    >>> differ = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> groups_of(differ)
    [(0, 1), (1, 2)]
    """
    runs: list[tuple[int, int]] = []
    for start in range(len(differ)):
        end = start
        # The next method must not differ from any method of the run, not only from its last.
        while end + 1 < len(differ) and not differ[start : end + 1, end + 1].any():
            end += 1
        # A run within the one before adds nothing to the figure.
        if end > start and (not runs or end > runs[-1][1]):
            runs.append((start, end))
    return runs


def smallest_wilcoxon(n: int, comparisons: int) -> float:
    """Return the smallest adjusted p-value that n data sets without ties can reach.

    Examples
    --------
    >>> smallest_wilcoxon(5, 1), smallest_wilcoxon(5, 3)
    (0.0625, 0.1875)
    """
    # All n signs equal, in either direction: 2 of 2^n patterns.
    return min(math.ldexp(2.0 * comparisons, -n), 1.0)


def _signed_rank(evidence: PairEvidence, one: int, other: int) -> tuple[Interval, float]:
    differences, level = evidence.means[:, other] - evidence.means[:, one], 1 - evidence.alpha
    if not evidence.tested:
        estimate = float(differences[0])
        return Interval(estimate=estimate, low=_NAN, high=_NAN, level=level, method="one data set"), _NAN
    comparison = signed_rank_comparison(differences, level=level)
    return comparison.difference, comparison.p_value


def _bayes(evidence: PairEvidence, random_state: Seed) -> Floats:
    if not evidence.tested:
        return np.full((len(evidence.methods), len(evidence.methods), 3), _NAN)
    return bayesian_signed_rank_matrix(evidence.means, rope=evidence.rope, random_state=random_state)


def _adjusted(base: str, p_values: Sequence[float], wanted: Sequence[bool]) -> dict[str, Floats]:
    """Adjust the p-values of the pairs that are compared, in every way."""
    counted = [p if counts else _NAN for p, counts in zip(p_values, wanted, strict=True)]
    adjusted = {}
    for name, adjust in _ADJUSTMENTS.items():
        apart = name in ALL_PAIRS and not all(wanted)
        too_many = name == "bergmann" and len(counted) > math.comb(MOST_METHODS, 2)
        adjusted[f"{base}-{name}"] = np.full(len(counted), _NAN) if apart or too_many else adjust(counted)
    return adjusted


def _rank_p_value(evidence: PairEvidence, gap: float, test: Literal["nemenyi", "bonferroni-dunn", "single"]) -> float:
    n, k = evidence.ranks.shape
    return post_hoc_p_value(gap, k, n, test=test) if evidence.tested else _NAN


def _counts(tally: Tally, one: int, other: int) -> dict[str, int]:
    return {
        "wins": int(tally.wins[one, other]),
        "losses": int(tally.wins[other, one]),
        "ties": int(tally.ties[one, other]),
        "dataset_wins": int(tally.dataset_wins[one, other]),
        "dataset_losses": int(tally.dataset_wins[other, one]),
        "dataset_ties": int(tally.dataset_ties[one, other]),
    }
