"""The verb: which method is the best over many data sets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shiftproof.comparison._losses import Columns, Losses, read_losses
from shiftproof.comparison._pairs import (
    ALL_PAIRS,
    POSTHOC,
    FoldPair,
    MethodPair,
    PairEvidence,
    PostHoc,
    judge_folds,
    judge_pairs,
)
from shiftproof.comparison._ranks import Ranking, dataset_ranks, over_datasets, tally
from shiftproof.comparison._result import Comparison
from shiftproof.core import (
    Argument,
    InputError,
    Phrase,
    Seed,
    check_choice,
    check_flag,
    check_fraction,
    check_vector,
    fault,
    suggests_arguments,
)
from shiftproof.stats import MOST_METHODS, Spread, TestResult, critical_difference, friedman, iman_davenport

# Measures of which higher is better, as columns of results are called; compared in small letters, with underscores.
_HIGHER_IS_BETTER = frozenset(
    (
        *("acc", "accuracy", "balanced_accuracy", "precision", "recall", "sensitivity", "specificity", "tpr", "tnr"),
        *("auc", "roc_auc", "auroc", "pr_auc", "auprc", "average_precision", "three_point_average_precision", "map"),
        *("f1", "f1_score", "g_mean", "gmean", "kappa", "mcc", "r2", "gini", "lift", "ndcg", "profit", "utility"),
    )
)


@suggests_arguments
def compare(
    results: object,
    *,
    control: str | None = None,
    ranking: Ranking = "average",
    posthoc: PostHoc | None = None,
    spread: Spread = "observed",
    alpha: float = 0.05,
    rope: float = 0.01,
    lower_is_better: bool = True,
    dataset_column: str = "dataset",
    method_column: str = "method",
    loss_column: str = "loss",
    prevalence_column: str | None = None,
    fold_column: str | None = None,
    test_share: float | None = None,
    random_state: Seed = 0,
) -> Comparison:
    r"""Compare methods across data sets: average ranks, tests of all pairs, and which differences matter.

    Methods are ranked in each cell, that is on each data set, or on each data set at each prevalence, and the ranks of
    a data set are averaged (Barranquero 2013, section 4.2.4). All tests count data sets, not cells: samples of one data
    set are not independent evidence.

    Parameters
    ----------
    results : table of any library, list of dicts, or dict of dicts
        One row per data set and method (and prevalence, and fold); or a wide table with one row per data set and one
        column per method; or ``{dataset: {method: loss}}``. Every method needs a loss in every cell. Columns of a wide
        table that describe rows, such as ids, seeds and counts, are left out with a warning. The table that
        `run_protocol` returns is accepted too: samples and classes are averaged, and without a column of losses the
        absolute errors of the estimated prevalences are compared.
    control : str, optional
        The method to compare all others with, chosen before looking at the losses. With fewer comparisons, smaller
        differences can be detected.
    ranking : {"average", "rerank"}
        Whether a data set's average ranks are used directly, or ranked again.
    posthoc : {"nemenyi", "bonferroni-dunn", "ranks-holm", "wilcoxon-holm", ...}, optional
        The test that decides which methods differ: by default ``"nemenyi"``; with a control, ``"bonferroni-dunn"``; for
        two methods, ``"wilcoxon-holm"``. ``"ranks-..."`` compares average ranks and ``"wilcoxon-..."`` losses, two
        methods at a time, and adjusts the p-values as the second word says: ``"holm"``; ``"hochberg"`` or ``"hommel"``,
        which find more differences but need tests that are not negatively dependent; ``"shaffer"``, which finds more
        than Holm if all pairs are compared; ``"bergmann"``, which finds still more, for at most nine methods. All
        p-values are in `Comparison.pairs`.
    spread : {"observed", "ranks"}
        How much ranks are assumed to vary by chance in the Friedman and Iman-Davenport tests: as much as the observed
        ranks do, or as much as the ranks 1 to k do (eq. 4.2 of the thesis as printed, which detects less where ranks
        were averaged).
    alpha : float
        The probability of reporting any false difference.
    rope : float
        The region of practical equivalence, in units of the loss: differences within it do not matter. Used for the
        Bayesian probabilities.
    lower_is_better : bool
        False if the losses are scores, such as accuracies; required if `loss_column` has the name of such a score.
    dataset_column, method_column, loss_column : str
        The names of the columns. For ordered classes, ``loss_column="match distance"`` compares the table of
        `run_protocol` by `losses.match_distance`, the classes in the order of its rows.
    prevalence_column, fold_column : str, optional
        Columns that distinguish rows of one data set and method; by default ``"prevalence"`` and ``"fold"``, where
        `results` has them. Folds are averaged before anything is ranked.
    test_share : float, optional
        The share of the rows in the test part of a fold; by default one divided by the number of folds. Pass it for
        repeated cross-validation.
    random_state : int, Generator, RandomState, SeedSequence or None
        Seed of the Bayesian probabilities.

    Returns
    -------
    Comparison
        With `best`, `ranks`, `friedman`, `pairs()`, `per_prevalence()`, `per_dataset()`, figures and a page.

    Notes
    -----
    Ranks that are averaged over the prevalences of a data set vary less than single ranks. The Friedman and
    Iman-Davenport tests then use the observed variance, which is exact as the number of data sets grows. The critical
    difference of the post-hoc tests assumes the variance of single ranks, as in the thesis, and is then conservative.
    If the Friedman test does not reject, no difference of average ranks counts as significant; Wilcoxon's test does not
    depend on the Friedman test.

    Wilcoxon's test and the Bayesian test need one loss per data set: the mean over its prevalences.

    Examples
    --------
    >>> losses = {
    ...     "iris": {"forest": 0.05, "tree": 0.09, "stump": 0.30},
    ...     "wine": {"forest": 0.02, "tree": 0.08, "stump": 0.35},
    ...     "sonar": {"forest": 0.17, "tree": 0.28, "stump": 0.29},
    ...     "glass": {"forest": 0.22, "tree": 0.30, "stump": 0.51},
    ...     "vote": {"forest": 0.04, "tree": 0.05, "stump": 0.06},
    ...     "heart": {"forest": 0.18, "tree": 0.24, "stump": 0.27},
    ... }
    >>> comparison = compare(losses)
    >>> comparison.best, comparison.ranks["forest"]
    (('forest', 'tree'), 1.0)
    >>> print(comparison.headline)  # doctest: +NORMALIZE_WHITESPACE
    'forest' ranks first; no evidence that 'tree' differs from 'forest' in average rank (Nemenyi); 6 data sets can
    only show differences of 1.4 ranks or more.
    """
    settings = _Settings(
        control=control,
        ranking=ranking,
        spread=spread,
        alpha=alpha,
        rope=rope,
        lower_is_better=check_flag(lower_is_better, "lower_is_better"),
        test_share=test_share,
        measure=loss_column,
    )
    # Settings are checked before the table is read, which may be large.
    settings.check()
    columns = Columns(dataset_column, method_column, loss_column, prevalence_column, fold_column)
    losses = read_losses(results, columns)
    return _compare_losses(losses, settings, _posthoc(posthoc, control, losses.methods), random_state)


@dataclass(frozen=True, kw_only=True)
class _Settings:
    """The arguments of `compare`, without the table."""

    control: str | None
    ranking: Ranking
    spread: Spread
    alpha: float
    rope: float
    lower_is_better: bool
    test_share: float | None
    measure: str

    def check(self) -> None:
        check_choice(self.ranking, "ranking", ("average", "rerank"))
        check_choice(self.spread, "spread", ("observed", "ranks"))
        check_fraction(self.alpha, "alpha")
        # Intervals have the level 1 - alpha, which must differ from 1 in floating point.
        if 1 - self.alpha == 1:
            raise fault("alpha", "be at least 1e-15", self.alpha, "0.05 means 5%")
        if self.test_share is not None:
            check_fraction(self.test_share, "test_share", hint="0.1 for ten folds")
        name = self.measure.strip().casefold().replace("-", "_").replace(" ", "_")
        if self.lower_is_better and name in _HIGHER_IS_BETTER:
            hint = Phrase("pass ", Argument("lower_is_better", False), " to compare it, or rename the column")
            raise fault("loss_column", "name a measure for which lower is better", self.measure, hint)
        if float(check_vector([self.rope], "rope")[0]) < 0:
            raise fault("rope", "be at least 0", self.rope, "give the largest difference that is too small to matter")


def _compare_losses(losses: Losses, settings: _Settings, posthoc: PostHoc, random_state: Seed) -> Comparison:
    """Rank the methods, test whether they differ, then compare every two."""
    n, alpha = len(losses.datasets), float(settings.alpha)
    # From here on lower is better.
    oriented = losses.values if settings.lower_is_better else -losses.values
    ranks = dataset_ranks(oriented, losses.places, settings.ranking)
    # A stable sort leaves methods with the same rank in the order of the table.
    order = np.argsort(ranks.mean(axis=0), kind="stable")
    ranks, oriented = ranks[:, order], oriented[:, order]
    methods = tuple(losses.methods[column] for column in order)
    # One data set gives ranks but no evidence: nothing is tested.
    tests: tuple[TestResult | None, TestResult | None] = (None, None)
    if n > 1:
        how: dict[str, Any] = {"ranked": True, "spread": settings.spread}
        tests = friedman(ranks, **how), iman_davenport(ranks, **how)
    evidence = PairEvidence(
        methods=methods,
        ranks=ranks,
        means=over_datasets(oriented, losses.places),
        tally=tally(oriented, losses.places),
        control=settings.control,
        posthoc=posthoc,
        alpha=alpha,
        rope=float(settings.rope),
        # Tests of average ranks follow a Friedman test that rejects; Wilcoxon's needs none.
        gate=posthoc.startswith("wilcoxon") or (tests[1] is not None and tests[1].p_value <= alpha),
    )
    folds = [(table if settings.lower_is_better else -table)[:, order] for table in losses.folds]
    # Without folds a data set has nothing to compare.
    datasets = losses.datasets if folds else ()
    by_folds = judge_folds(methods, datasets, folds, test_share=settings.test_share, level=1 - settings.alpha)
    compared = judge_pairs(evidence, random_state), by_folds
    return _comparison_of(replace(losses, values=losses.values[:, order]), settings, evidence, tests, compared)


def _comparison_of(
    losses: Losses,
    settings: _Settings,
    evidence: PairEvidence,
    tests: tuple[TestResult | None, TestResult | None],
    compared: tuple[tuple[MethodPair, ...], tuple[FoldPair, ...]],
) -> Comparison:
    n, k, alpha = len(losses.datasets), len(losses.methods), evidence.alpha
    return Comparison(
        methods=tuple(evidence.methods),
        datasets=losses.datasets,
        prevalences=losses.prevalences,
        places=losses.places,
        # As given: figures and means show the user's own numbers, scores included.
        losses=losses.values,
        dataset_ranks=evidence.ranks,
        tally=evidence.tally,
        friedman=tests[0],
        iman_davenport=tests[1],
        # Eq. 4.4, with N the number of data sets, not of cells.
        critical_difference=critical_difference(k, n, alpha=alpha) if n > 1 else float("nan"),
        control_difference=critical_difference(k, n, alpha=alpha, test="bonferroni-dunn") if n > 1 else float("nan"),
        compared=compared[0],
        compared_by_folds=compared[1],
        control=settings.control,
        posthoc=evidence.posthoc,
        ranking=settings.ranking,
        spread=settings.spread,
        alpha=alpha,
        rope=evidence.rope,
        lower_is_better=settings.lower_is_better,
        measure=losses.measure,
    )


def _posthoc(posthoc: PostHoc | None, control: str | None, methods: tuple[str, ...]) -> PostHoc:
    if control is not None:
        check_choice(control, "control", methods)
    if posthoc is None:
        # Ranks of two methods are only signs of their difference; Wilcoxon's test also uses its size.
        return "wilcoxon-holm" if len(methods) == 2 else "nemenyi" if control is None else "bonferroni-dunn"
    check_choice(posthoc, "posthoc", POSTHOC)
    if posthoc == "bonferroni-dunn" and control is None:
        needs = Argument("posthoc", posthoc), " needs ", Argument("control")
        raise InputError(*needs, "; without a control, use 'nemenyi'")
    if posthoc.endswith(ALL_PAIRS) and control is not None:
        raise fault("posthoc", "be a test for a control, such as 'ranks-holm'", posthoc, "it compares all pairs")
    if posthoc.endswith("bergmann") and len(methods) > MOST_METHODS:
        hint = posthoc.replace("bergmann", "shaffer")
        raise fault("posthoc", f"be for {len(methods)} methods", posthoc, f"use {hint!r} for more than {MOST_METHODS}")
    return posthoc
