"""The verb: cross-fit once, measure everything, say how far to believe it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shiftproof.core import (
    Argument,
    Interval,
    Phrase,
    Seed,
    as_table,
    check_choice,
    check_fraction,
    fault,
    without_columns,
)
from shiftproof.evaluation._compare import compare_with_best
from shiftproof.evaluation._result import Evaluation
from shiftproof.evaluation._setup import Setup
from shiftproof.measures import MEASURES, Benefit, BenefitMatrix, check_benefit
from shiftproof.panel import Panel, cross_fit

# The seed that is used where none is given.
_SEED = 0


def evaluate(
    models: Any,
    X: Any = None,
    y: Any = None,
    *,
    measures: Sequence[str] | None = None,
    measure: str | None = None,
    benefit: Benefit | BenefitMatrix | None = None,
    table: Any = None,
    pos_label: Any = None,
    threshold: float | None = None,
    level: float = 0.9,
    alpha: float = 0.05,
    cv: Any = None,
    repeats: int | None = None,
    groups: Any = None,
    time: Any = None,
    sample_weight: Any = None,
    random_state: Seed = _SEED,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Evaluation:
    """Say how good each model is on rows that it never saw, with intervals, and which differences are noise.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, estimator, or Panel
        Candidates to cross-fit, or a panel that exists already.
    X : table of any library or array; y : sequence of labels
        Not needed with a panel (given all the same, they must be those it was made from).
    measures : sequence of str, optional
        Names in `shiftproof.measures.MEASURES`; by default all.
    measure : str, optional
        The measure that ranks the models; by default "accuracy", or "profit" with a benefit.
    benefit : Benefit or BenefitMatrix, optional
        What right and wrong decisions are worth: adds the measure "profit", the mean benefit per row when deciding by
        expected benefit, which `measure` may name. Columns of actual amounts are taken out of X before anything is
        fitted.
    table : table, optional
        Where the benefit finds its columns, row by row; by default in X.
    pos_label : label, optional
        The positive class of two, by default the second in sorted order; of several, the one that the benefit is about.
    threshold : float, optional
        Decide positive from this probability on (two classes); by default for the likelier class.
    level : float, default 0.9
        The coverage of the intervals.
    alpha : float, default 0.05
        The significance level at which a model counts as worse than the best one.
    cv, repeats, groups, time, sample_weight, random_state, n_jobs, progress
        As in `shiftproof.cross_fit`, whose defaults hold where they are not given; not with a panel, which was made one
        way already.

    Returns
    -------
    Evaluation
        With `to_frame()`, `summary()`, `plot()`, curves such as `roc("name")`, and `save("page.html")`.

    Notes
    -----
    Out-of-fold scores come from models whose training sets overlap; the intervals allow for it. They cover the
    performance of a model trained like these on rows drawn like these: whether tomorrow's rows are is another
    question.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = evaluate({"bayes": GaussianNB()}, X[:, :4], y, measures=["accuracy", "auc"], cv=5)
    >>> print(found.to_frame()[["model", "measure", "estimate"]].round(2).to_string(index=False))
    model  measure  estimate
    bayes accuracy      0.89
    bayes      auc      0.95
    """
    if measure is None:
        measure = "accuracy" if benefit is None else "profit"
    check_choice(measure, "measure", (*MEASURES, "profit") if benefit is not None else tuple(MEASURES))
    check_fraction(level, "level", hint="0.9 means 90%")
    check_fraction(alpha, "alpha")
    computed = _computed(measures, measure)
    how = {"cv": cv, "repeats": repeats, "groups": groups, "time": time, "sample_weight": sample_weight}
    how |= {"n_jobs": n_jobs, "progress": progress}
    given = {name: value for name, value in how.items() if value is not None}
    panel = _panel(models, X, y, benefit, {**given, "random_state": random_state})
    setup = Setup(
        panel=panel,
        positive=_positive(panel, pos_label, threshold, benefit),
        threshold=threshold,
        level=float(level),
        benefit=benefit,
        table=X if table is None else table,
    )
    estimates = {name: setup.estimates(name, computed) for name in panel.names}
    ranking = _ranked(estimates, measure)
    return Evaluation(
        panel=panel,
        estimates=estimates,
        comparisons=compare_with_best(setup, ranking, measure),
        ranking=tuple(ranking),
        measure=measure,
        level=setup.level,
        alpha=float(alpha),
        positive=setup.positive,
        threshold=threshold,
        benefit=benefit,
        table=as_table(setup.table, "table") if benefit is not None and setup.table is not None else None,
    )


def _panel(models: Any, X: Any, y: Any, benefit: Any, how: Mapping[str, Any]) -> Panel:
    if isinstance(models, Panel):
        given = {name: value for name, value in how.items() if name != "random_state" or value != _SEED}
        if given:
            name, value = next(iter(given.items()))
            raise fault(name, "be left out with a Panel", value, "give it to cross_fit, which makes the panel")
        models.matches(X, y)
        return models
    if X is None or y is None:
        raise fault("X" if X is None else "y", "be given with models", None, "pass evaluate(models, X, y), or a Panel")
    hidden = benefit.actual_columns if isinstance(benefit, Benefit) else frozenset()
    return cross_fit(models, without_columns(X, hidden), y, refit=False, **how)


def _positive(panel: Panel, pos_label: Any, threshold: float | None, benefit: object) -> int:
    """Return the place of the positive class; refuse what needs two classes if there are more."""
    several = len(panel.classes_) > 2
    if benefit is not None:
        check_benefit(benefit, n_classes=len(panel.classes_), pos_label=pos_label, features=panel.feature_names)
    if several and pos_label is not None and benefit is None:
        hint = "every class is taken against the rest"
        raise fault("pos_label", "be left out for more than two classes", pos_label, hint)
    if several and threshold is not None:
        raise fault("threshold", "be left out for more than two classes", threshold, "the likeliest class is decided")
    if threshold is not None:
        check_fraction(threshold, "threshold", hint="0.5 is usual")
    # Of several classes none is the positive one unless a benefit is about it; measures then ignore this place.
    return 1 if several and pos_label is None else panel.positive(pos_label)


def _computed(measures: Sequence[str] | None, measure: str) -> tuple[str, ...]:
    if isinstance(measures, str):
        raise fault("measures", "be a list of names", measures, Phrase("write ", Argument("measures", [measures])))
    for name in measures or ():
        check_choice(name, "measures", tuple(MEASURES))
    return tuple(dict.fromkeys((*(measures or MEASURES), *(() if measure == "profit" else (measure,)))))


def _ranked(estimates: Mapping[str, Mapping[str, Interval]], measure: str) -> list[str]:
    sign = -1.0 if measure == "profit" or MEASURES[measure].higher_is_better else 1.0
    return sorted(estimates, key=lambda name: np.nan_to_num(sign * estimates[name][measure].estimate, nan=np.inf))
