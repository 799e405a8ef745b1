"""The verb: cross-fit once, measure everything, say how far to believe it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shiftproof.core import Interval, Seed, as_table, check_choice, check_fraction, fault, listed
from shiftproof.evaluation._compare import compare_models
from shiftproof.evaluation._evaluation import Evaluation
from shiftproof.measures import MEASURES, Benefit, BenefitMatrix, measure
from shiftproof.panel import Panel, cross_fit


def evaluate(
    models: Any,
    X: Any = None,
    y: Any = None,
    *,
    measures: Sequence[str] | None = None,
    by: str = "accuracy",
    benefit: Benefit | BenefitMatrix | None = None,
    pos_label: Any = None,
    threshold: float = 0.5,
    level: float = 0.95,
    cv: Any = 10,
    repeats: int = 1,
    groups: Any = None,
    time: Any = None,
    sample_weight: Any = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
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
    by : str, default "accuracy"
        The measure that ranks the models.
    benefit : Benefit or BenefitMatrix, optional
        What right and wrong decisions are worth: adds the measure "profit", the mean benefit per row when deciding by
        expected benefit. Columns it names are looked up in X.
    pos_label : label, optional
        The positive class of two; by default the second in sorted order.
    threshold : float, default 0.5
        Decide positive from this probability on (two classes).
    level : float, default 0.95
        The coverage of the intervals.
    cv, repeats, groups, time, sample_weight, random_state, n_jobs
        As in `shiftproof.cross_fit`.

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
    check_choice(by, "by", tuple(MEASURES))
    check_fraction(level, "level", hint="0.95 means 95 %")
    wanted = _wanted(measures, by)
    if isinstance(models, Panel):
        panel = models
        panel.matches(X, y)
    else:
        if X is None or y is None:
            missing = "X" if X is None else "y"
            raise fault(missing, "be given with models", None, "pass evaluate(models, X, y), or a Panel")
        panel = cross_fit(
            models,
            X,
            y,
            cv=cv,
            repeats=repeats,
            groups=groups,
            time=time,
            sample_weight=sample_weight,
            random_state=random_state,
            n_jobs=n_jobs,
            refit=False,
        )
    positive = panel.positive(pos_label) if len(panel.classes_) == 2 or pos_label is not None else 1
    estimates = {
        name: _measured(panel, name, wanted, positive=positive, threshold=threshold, level=level)
        | ({"profit": _profit(panel, name, benefit, table=X, positive=positive, level=level)} if benefit else {})
        for name in panel.names
    }
    best = _ranked(estimates, by)[0]
    others = [name for name in panel.names if name != best]
    return Evaluation(
        panel=panel,
        estimates=estimates,
        comparisons={
            name: compare_models(panel, best, name, by=by, positive=positive, threshold=threshold, level=level)
            for name in others
        },
        ranking=tuple(_ranked(estimates, by)),
        by=by,
        level=float(level),
        positive=positive,
        threshold=float(threshold),
        benefit=benefit,
        table=as_table(X) if benefit is not None and X is not None else None,
    )


def _wanted(measures: Sequence[str] | None, by: str) -> tuple[str, ...]:
    if isinstance(measures, str):
        raise fault("measures", "be a list of names", measures, f"write measures=[{measures!r}]")
    for name in measures or ():
        check_choice(name, "each of measures", tuple(MEASURES))
    return tuple(dict.fromkeys((*(measures or MEASURES), by)))


def _measured(
    panel: Panel, name: str, wanted: Sequence[str], *, positive: int, threshold: float, level: float
) -> dict[str, Interval]:
    rows = panel.tested
    folds = panel.folds[0][rows]
    return {
        each: measure(
            each,
            panel.y[rows],
            panel.out_of_fold[name][rows],
            positive=positive,
            threshold=threshold,
            level=level,
            sample_weight=None if panel.sample_weight is None else panel.sample_weight[rows],
            folds=folds if len(np.unique(folds)) > 1 else None,
        )
        for each in wanted
    }


def _profit(
    panel: Panel, name: str, benefit: Benefit | BenefitMatrix, *, table: Any, positive: int, level: float
) -> Interval:
    if not panel.tested.all():
        hint = "profit of rows in time order needs a Panel of the tested rows"
        raise fault("benefit", "be used where every row was tested", listed([name]), hint)
    probabilities = panel.out_of_fold[name]
    weight = panel.sample_weight
    if isinstance(benefit, BenefitMatrix):
        return benefit.mean(panel.y, benefit.decide(probabilities), level=level, sample_weight=weight)
    truth = (panel.y == positive).astype(int)
    decisions = benefit.decide(probabilities[:, positive], table)
    return benefit.mean(truth, decisions, table, level=level, sample_weight=weight)


def _ranked(estimates: Mapping[str, Mapping[str, Interval]], by: str) -> list[str]:
    sign = -1.0 if MEASURES[by].higher_is_better else 1.0
    return sorted(estimates, key=lambda name: np.nan_to_num(sign * estimates[name][by].estimate, nan=np.inf))
