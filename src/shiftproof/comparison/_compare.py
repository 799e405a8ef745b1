"""The verb: which method is the best over many data sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from shiftproof.comparison._losses import Columns, read_losses
from shiftproof.comparison._pairs import PairEvidence, PostHoc, judge_folds, judge_pairs
from shiftproof.comparison._ranks import Ranking, dataset_ranks, over_datasets, tally
from shiftproof.comparison._result import Comparison
from shiftproof.core import Seed, check_choice, check_fraction, check_vector, fault
from shiftproof.stats import critical_difference, friedman, iman_davenport

_POSTHOC: tuple[PostHoc, ...] = ("nemenyi", "bonferroni-dunn", "wilcoxon-holm")


def compare(
    results: Any,
    *,
    control: str | None = None,
    ranking: Ranking = "average",
    posthoc: PostHoc | None = None,
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
    r"""Compare methods over data sets: average ranks, tests of all pairs, and which differences matter.

    Methods are ranked in each cell, that is on each data set, or on each data set at each prevalence, and the ranks of
    a data set are averaged (Barranquero 2013, section 4.2.4). All tests count data sets, not cells: samples of one data
    set are no independent evidence.

    Parameters
    ----------
    results : table of any library, list of dicts, or dict of dicts
        One row per data set and method (and prevalence, and fold); or a wide table with one row per data set and one
        column per method; or ``{dataset: {method: loss}}``. Every method needs a loss in every cell.
    control : str, optional
        The method to compare all others with, chosen before looking at the losses. Fewer comparisons show smaller
        differences.
    ranking : {"average", "rerank"}
        Whether a data set's average ranks are taken as they are, or ranked once more.
    posthoc : {"nemenyi", "bonferroni-dunn", "wilcoxon-holm"}, optional
        What decides which methods differ: by default ``"nemenyi"``, with a control ``"bonferroni-dunn"``, and of two
        methods ``"wilcoxon-holm"``. All p-values are in `Comparison.pairs`.
    alpha : float
        The probability of any false difference.
    rope : float
        The region of practical equivalence, in units of the loss: differences within it do not matter. For the Bayesian
        probabilities.
    lower_is_better : bool
        False if the losses are scores, such as accuracies.
    dataset_column, method_column, loss_column : str
        What the columns are called.
    prevalence_column, fold_column : str, optional
        Columns that tell the rows of one data set and method apart; by default ``"prevalence"`` and ``"fold"``, where
        `results` has them. Folds are averaged before anything is ranked.
    test_share : float, optional
        The share of the rows in the test part of a fold; by default one by the number of folds. Give it for repeated
        cross-validation.
    random_state : int, Generator, RandomState, SeedSequence or None
        Seed of the Bayesian probabilities.

    Returns
    -------
    Comparison
        With `best`, `ranks`, `friedman`, `pairs()`, `per_prevalence()`, `per_dataset()`, figures and a page.

    Notes
    -----
    Where prevalences make average ranks of a data set less spread than ranks are, the Friedman and Iman-Davenport tests
    use the spread that the averages have; this is exact as N grows. The critical difference of the post-hoc tests keeps
    to that of ranks, as in the thesis, and is then on the safe side. After a Friedman test that does not reject,
    Nemenyi's and Bonferroni-Dunn's tests show nothing; Wilcoxon-Holm needs no such gate.

    Wilcoxon's test and the Bayesian one need one loss per data set and take the mean over its prevalences.

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
    >>> found = compare(losses)
    >>> found.best, found.ranks["forest"]
    (('forest', 'tree'), 1.0)
    >>> print(found.headline)
    'forest' and 'tree' are best; no evidence that they differ; 6 data sets can show a difference of 1.4 ranks.
    """
    check_choice(ranking, "ranking", ("average", "rerank"))
    check_fraction(alpha, "alpha")
    if 1 - alpha == 1:
        raise fault("alpha", "be at least 1e-15", alpha, "0.05 means 5 %")
    if test_share is not None:
        check_fraction(test_share, "test_share", hint="0.1 for ten folds")
    region = float(check_vector([rope], "rope")[0])
    if region < 0:
        raise fault("rope", "be at least 0", rope, "give the largest difference that does not matter")
    read = read_losses(results, Columns(dataset_column, method_column, loss_column, prevalence_column, fold_column))
    n, k = len(read.datasets), len(read.methods)
    decides = _posthoc(posthoc, control, read.methods)
    oriented = read.values if lower_is_better else -read.values
    ranks = dataset_ranks(oriented, read.places, ranking)
    order = np.argsort(ranks.mean(axis=0), kind="stable")
    ranks, oriented = ranks[:, order], oriented[:, order]
    methods = tuple(read.methods[at] for at in order)
    tests = (friedman(ranks, ranked=True), iman_davenport(ranks, ranked=True)) if n > 1 else (None, None)
    counts = tally(oriented, read.places)
    gate = decides == "wilcoxon-holm" or (tests[1] is not None and tests[1].p_value <= alpha)
    evidence = PairEvidence(
        methods=methods,
        ranks=ranks,
        means=over_datasets(oriented, read.places),
        tally=counts,
        control=control,
        posthoc=decides,
        alpha=float(alpha),
        rope=region,
        gate=gate,
    )
    folds = [(table if lower_is_better else -table)[:, order] for table in read.folds]
    return Comparison(
        methods=methods,
        datasets=read.datasets,
        prevalences=read.prevalences,
        places=read.places,
        losses=read.values[:, order],
        dataset_ranks=ranks,
        tally=counts,
        friedman=tests[0],
        iman_davenport=tests[1],
        critical_difference=critical_difference(k, n, alpha=alpha) if n > 1 else float("nan"),
        control_difference=critical_difference(k, n, alpha=alpha, test="bonferroni-dunn") if n > 1 else float("nan"),
        compared=judge_pairs(evidence, random_state),
        compared_by_folds=judge_folds(
            methods, read.datasets if folds else (), folds, test_share=test_share, level=1 - alpha
        ),
        control=control,
        posthoc=decides,
        ranking=ranking,
        alpha=float(alpha),
        rope=region,
        lower_is_better=bool(lower_is_better),
        measure=loss_column,
    )


def _posthoc(posthoc: PostHoc | None, control: str | None, methods: tuple[str, ...]) -> PostHoc:
    if control is not None:
        check_choice(control, "control", methods)
    if posthoc is None:
        return "wilcoxon-holm" if len(methods) == 2 else "nemenyi" if control is None else "bonferroni-dunn"
    check_choice(posthoc, "posthoc", _POSTHOC)
    if posthoc == "bonferroni-dunn" and control is None:
        raise fault("posthoc", "be 'nemenyi' or 'wilcoxon-holm' without a control", posthoc, "name one by control=")
    return posthoc
