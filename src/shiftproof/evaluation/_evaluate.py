"""The verb: cross-fit once, and measure everything with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shiftproof.case import Case, DecisionOptions, in_one_thread, is_panel, is_table
from shiftproof.core import (
    Argument,
    EstimateTable,
    IdentifierUsed,
    Interval,
    LabelNearlyRevealed,
    LabelRevealed,
    Phrase,
    Seed,
    as_table,
    check_choice,
    check_fraction,
    fault,
    suggests_arguments,
    warn,
)
from shiftproof.evaluation._compare import compare_with_best
from shiftproof.evaluation._result import Evaluation
from shiftproof.evaluation._setup import Setup
from shiftproof.measures import (
    MEASURES,
    Benefit,
    BenefitMatrix,
    check_benefit,
    check_open_decision,
    profit_without_benefit,
)


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions:
    """The options that only `evaluate` has; its docstring describes them."""

    measure: str
    measures: Sequence[str] | None = None
    level: float = 0.9
    alpha: float = 0.05

    def __post_init__(self) -> None:
        check_fraction(self.level, "level", hint="0.9 means 90%")
        check_fraction(self.alpha, "alpha")
        if isinstance(self.measures, str) or not isinstance(self.measures, (Iterable, type(None))):
            hint = Phrase("write ", Argument("measures", [self.measures if isinstance(self.measures, str) else "auc"]))
            raise fault("measures", "be a list of names", self.measures, hint)
        if self.measures is not None and (not isinstance(self.measures, Iterable) or not list(self.measures)):
            raise fault("measures", "be a list of names", self.measures, "leave it out to get all")
        for name in self.measures or ():
            check_choice(name, "measures", tuple(MEASURES))

    @property
    def computed(self) -> tuple[str, ...]:
        """The measures of decisions and scores; the profit is computed apart, from a benefit."""
        # What ranks is always computed, whichever measures were named.
        ranking = () if self.measure == "profit" else (self.measure,)
        return tuple(dict.fromkeys((*(self.measures or MEASURES), *ranking)))


@suggests_arguments
def evaluate(
    models: object,
    X: object = None,
    y: object = None,
    *,
    measures: Sequence[str] | None = None,
    measure: str | None = None,
    benefit: Benefit | BenefitMatrix | None = None,
    table: object = None,
    pos_label: object = None,
    threshold: float | None = None,
    level: float = 0.9,
    alpha: float = 0.05,
    cv: object = None,
    repeats: int | None = None,
    groups: object = None,
    time: object = None,
    sample_weight: object = None,
    balance: bool = False,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Evaluation:
    """Measure each model on rows that it has not seen, with intervals, and say which differences are noise.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, estimator, Panel, or dict of str to column
        Candidates to cross-fit, or an existing panel; or scores as columns of X, with y the name of a column of labels.
    X : table of any library or array; y : sequence of labels
        The labelled rows. Not needed with a panel; if given, they must be the rows it was made from.
    measures : sequence of str, optional
        Names in `shiftproof.measures.MEASURES`; by default all.
    measure : str, optional
        The measure that ranks the models; by default "accuracy", or "profit" with a benefit.
    benefit : Benefit or BenefitMatrix, optional
        What right and wrong decisions are worth: adds the measure "profit", the mean benefit per row when deciding by
        expected benefit. Columns of actual amounts are removed from X before anything is fitted.
    table : table, optional
        A table with the columns that the benefit needs, row by row of X; by default X.
    pos_label : label, optional
        The positive class; by default the second of two in sorted order. With more classes, the class that the benefit
        is about.
    threshold : float, optional
        Predict the positive class at this probability or above (two classes); by default, predict the more likely
        class.
    level : float, default 0.9
        The coverage of the intervals.
    alpha : float, default 0.05
        The significance level at which a model counts as worse than the best one.
    cv, repeats, groups, time, sample_weight, balance, random_state, n_jobs, progress
        As in `shiftproof.cross_fit`, with its defaults; not accepted with a panel, which is already fitted.

    Returns
    -------
    Evaluation
        With `to_frame()`, `summary()`, `plot()`, curves such as `roc("name")`, and `save("page.html")`.

    Notes
    -----
    Out-of-fold scores come from models whose training sets overlap; the intervals correct for that. They apply to a
    model trained in the same way on rows from the same source. Use `detect` to test whether new data are like these
    rows.

    Warns
    -----
    IdentifierUsed
        If models are fitted on columns that look like identifiers.
    LabelNearlyRevealed
        If a single feature separates two classes almost perfectly.
    LabelRevealed
        If a feature determines the label of every row.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> result = evaluate({"bayes": GaussianNB()}, X[:, :4], y, measures=["accuracy", "auc"], cv=5)
    >>> print(result.to_frame()[["model", "measure", "estimate"]].round(2).to_string(index=False))
    model  measure  estimate
    bayes accuracy      0.89
    bayes      auc      0.95
    """
    if measure is None:
        measure = "accuracy" if benefit is None else "profit"
    # Before anything is fitted.
    check_measure(measure, benefit)
    options = EvaluateOptions(measure=measure, measures=measures, level=level, alpha=alpha)
    case = Case.of(
        models,
        X,
        y,
        purpose="evaluating",
        options=DecisionOptions(benefit=benefit, table=table, threshold=threshold, pos_label=pos_label),
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
        cv=cv,
        repeats=repeats,
        groups=groups,
        time=time,
        sample_weight=sample_weight,
        balance=balance or None,
        # Only out-of-fold scores are measured, so models fitted on all rows would be wasted.
        refit=False,
    )
    # An audit may name a positive class that other parts of it need; here it would be ignored in silence.
    if len(case.panel.classes_) > 2 and pos_label is not None and benefit is None:
        hint = "every class is compared with the rest"
        raise fault("pos_label", "be left out for more than two classes", pos_label, hint)
    if case.label_revealing:
        warn(LabelRevealed(case.label_revealing))
    if case.nearly_revealing:
        warn(LabelNearlyRevealed(case.nearly_revealing))
    identifiers = [name for name in case.identifiers if name not in case.label_revealing]
    if identifiers and not is_panel(models):
        warn(IdentifierUsed(identifiers))
    return evaluate_case(case, options)


@in_one_thread
def evaluate_case(case: Case, options: EvaluateOptions) -> Evaluation:
    """Measure the models of a case on the rows that they did not see."""
    panel, benefit = case.panel, _benefit_of(case)
    check_measure(options.measure, benefit)
    # Samples of tables have no amounts of all rows.
    own = case.tables.labelled if case.tables.whole is None else None
    table = own if case.options.table is None else case.options.table
    setup = Setup(
        panel=panel,
        positive=_positive(case),
        threshold=case.options.threshold,
        level=float(options.level),
        benefit=benefit,
        table=as_table(table, "table") if benefit is not None and is_table(table) else None,
    )
    estimates = {name: setup.estimates(name, options.computed) for name in panel.names}
    ranking = _ranked(estimates, options.measure)
    return Evaluation(
        panel=panel,
        estimates=EstimateTable(estimates),
        comparisons=compare_with_best(setup, ranking, options.measure),
        ranking=tuple(ranking),
        measure=options.measure,
        level=setup.level,
        alpha=float(options.alpha),
        positive=setup.positive,
        threshold=setup.threshold,
        benefit=benefit,
        table=setup.table,
    )


def check_measure(measure: str, benefit: object) -> None:
    """Refuse a measure that does not exist; the profit exists with a benefit only."""
    if measure == "profit" and benefit is None:
        raise profit_without_benefit()
    check_choice(measure, "measure", (*MEASURES, "profit"))


def _benefit_of(case: Case) -> Benefit | BenefitMatrix | None:
    """Return the benefit, if one is given and fits these models."""
    benefit, panel = case.options.benefit, case.panel
    if benefit is None:
        return None
    checked = check_benefit(
        benefit,
        n_classes=len(panel.classes_),
        pos_label=case.options.pos_label,
        features=panel.feature_names,
    )
    check_open_decision(checked)
    return checked


def _positive(case: Case) -> int:
    """Return the place of the positive class; refuse a threshold if there are more than two classes."""
    panel, given = case.panel, case.options
    several = len(panel.classes_) > 2
    if given.threshold is not None:
        if several:
            hint = "the most likely class is predicted"
            raise fault("threshold", "be left out for more than two classes", given.threshold, hint)
        check_fraction(given.threshold, "threshold", hint="0.5 is usual")
    # Of several classes none is the positive one unless a benefit is about it; measures then ignore this place.
    return 1 if several and (given.pos_label is None or given.benefit is None) else panel.positive(given.pos_label)


def _ranked(estimates: Mapping[str, Mapping[str, Interval]], measure: str) -> list[str]:
    # An undefined measure ranks last, not first.
    sign = -1.0 if measure == "profit" or MEASURES[measure].higher_is_better else 1.0
    return sorted(estimates, key=lambda name: np.nan_to_num(sign * estimates[name][measure].estimate, nan=np.inf))
