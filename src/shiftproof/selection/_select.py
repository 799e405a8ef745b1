"""The verb: which of several classifiers to use on unlabelled data."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shiftproof.case import (
    KINDS,
    SOFT_MEASURES,
    Assume,
    Case,
    DecisionOptions,
    Fitting,
    Known,
    NormalMixture,
    Prospect,
    Running,
    few_labels,
    in_one_thread,
    is_table,
    labels_notes,
    one_class_notes,
    sampled_all,
    warn_of_one_class,
)
from shiftproof.core import (
    Column,
    InputError,
    Note,
    RankingUnreliable,
    Seed,
    as_table,
    check_count,
    check_flag,
    fault,
    generator,
    listed,
    suggests_arguments,
    unknown_name,
    warn,
)
from shiftproof.selection._measures import check_measures, default_measure
from shiftproof.selection._order import Order, order_by
from shiftproof.selection._rehearsal import MOST_LABELLED, TIMES, Rehearsal, rehearse
from shiftproof.selection._select_result import DEFAULT, Selection
from shiftproof.selection.rivals._interface import Rival, Setting
from shiftproof.selection.rivals._methods import RIVALS, cheap_guesses
from shiftproof.selection.rivals._reverse import reverse_case
from shiftproof.selection.rivals._reverse_result import ReverseTest

#: What labels of new rows make of estimates.
Learnt = Callable[[NormalMixture], NormalMixture]
#: At most so many rows of each side take part in ReverseTesting.
REVERSE_ROWS = 10_000
# How much of the correction by labelled rows a ranking takes: the whole of it removes bias, but adds variance to the
# order. Chosen on the tuning sets of benchmarks/selection.py.
_TRUST = 0.1
# At most so many columns are candidates for the shifts that rehearse the ranking.
_MOST_COLUMNS = 50


@dataclass(frozen=True, kw_only=True)
class SelectOptions:
    """What only `select` can be asked; see there."""

    measure: str
    rival: Rival | None = None
    labels: object = None
    reverse: bool = True
    reverse_rows: int | None = REVERSE_ROWS
    # Why ReverseTesting was not asked for, by its code in `_words`.
    without_reverse: str = "not requested"

    @property
    def method(self) -> str:
        """The name of what ranks the models."""
        return DEFAULT if self.rival is None else self.rival.name


@suggests_arguments
def select(
    models: object,
    X: object = None,
    y: object = None,
    X_new: object = None,
    *,
    method: str | None = None,
    measure: str | None = None,
    labels: object = None,
    benefit: object = None,
    table: object = None,
    new_table: object = None,
    threshold: float | None = None,
    pos_label: object = None,
    assume: Assume = "natural",
    reverse: bool = True,
    reverse_rows: int | None = REVERSE_ROWS,
    cv: object = None,
    sample_weight: object = None,
    groups: object = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Selection:
    """Rank classifiers on unlabelled data, with the probability that each is the best.

    The probabilities of all models, and those of a forest, are combined into one posterior of the new rows' classes, in
    which models are weighted by their log loss on rows that they have not seen. A model is judged by how often this
    posterior agrees with its decisions, adjusted if the class proportions changed, and corrected by the posterior's
    errors on the labelled rows. How reliable the margins are is measured on shifted halves of the labelled rows.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, estimator, Panel, or dict of str to column
        Classifiers to cross-fit, or a panel of them, or of scores alone; or scores as columns of both tables, with y
        the name of a column of labels, as for `audit`.
    X : table of any library or array; y : sequence of labels
        The labelled rows. With a panel, they must be the rows it was made from; y is then not needed.
    X_new : table
        The new rows, with the columns of X. Not needed with a panel that already has scores of new rows.
    method : str, optional
        "routed pool" (the default), or the name of a rival method: see `shiftproof.selection.RIVALS`. Rivals rank by
        accuracy, and do not say how certain the ranking is.
    measure : str, optional
        "accuracy" (the default), "error", "precision", "recall", "f1", "auc", "brier", or "profit", which is the
        default with a benefit.
    labels : dict of row number to label, or sequence with one entry per new row, optional
        Labels of some new rows, as for `estimate_performance`; at least ten, and not for rivals. Row numbers count from
        0; they are not index values.
    benefit : Benefit or BenefitMatrix, optional
        What right and wrong decisions are worth.
    table, new_table : tables, optional
        Tables with the columns that the benefit needs, row by row of X and X_new; by default X and X_new.
    threshold : float, optional
        Predict the positive class at this probability or above; by default, predict the most likely class.
    pos_label : label, optional
        The positive class; by default the second of two.
    assume : {"natural", "no drift", "prior shift"}
        What may have changed. "natural": all that changes a little between years, places and groups, as measured on
        pairs of real tables. "no drift": anything but the rules that link features to the label. "prior shift": nothing
        but the class proportions. Use the last two only if you know it.
    reverse : bool
        Whether to add ReverseTesting as a second opinion, which needs one fit for each pair of models.
    reverse_rows : int, optional
        The largest number of rows per table to use for ReverseTesting; None uses all.
    cv : int, splitter or "prefit", optional
        Folds, as for `cross_fit`; not with a panel.
    sample_weight, groups : array-like, optional
        As for `cross_fit`; not with a panel.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of folds, shifts and draws.
    n_jobs : int, optional
        Number of fits to run in parallel.
    progress : bool, optional
        Whether to show a bar on standard error while models are fitted.

    Returns
    -------
    Selection
        With `best`, `ranking`, `order_probability`, `reverse`, `to_frame()`, `summary()`, `plot()` and `save()`.

    Warns
    -----
    ShiftproofWarning
        If the new data are not the same kind of data; with ``assume="no drift"`` or a rival, also if the labelled data
        hardly cover the new data.

    See Also
    --------
    estimate_performance : how good the models are on the new data, with intervals.
    reverse_test : ReverseTesting alone.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> X, X_new = rng.normal(size=(500, 3)), rng.normal(0.5, size=(300, 3))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> result = select([LogisticRegression(), GaussianNB()], X, y, X_new, reverse=False)
    >>> result.best
    'GaussianNB'
    """
    began = time.perf_counter()
    rival = find_rival(method, measure=measure, labels=labels, benefit=benefit, threshold=threshold)
    if reverse_rows is not None:
        check_count(reverse_rows, "reverse_rows", least=20, hint="None uses all rows")
    measure = default_measure(measure, benefit)
    check_flag(reverse, "reverse")
    options = SelectOptions(measure=measure, rival=rival, labels=labels, reverse=reverse, reverse_rows=reverse_rows)
    decisions = DecisionOptions(
        benefit=benefit, table=table, new_table=new_table, threshold=threshold, pos_label=pos_label
    )
    fitting = Fitting(cv=cv, sample_weight=sample_weight, groups=groups)
    running = Running(random_state=random_state, n_jobs=n_jobs, progress=progress)
    case = Case.of(
        models,
        X,
        y,
        X_new,
        purpose="selecting a model",
        new_required=True,
        options=decisions,
        assume=assume,
        own_folds=None if rival is None else rival.folds(y, random_state),
        **fitting,
        **running,
    )
    return select_case(case, options, began=began)


@in_one_thread
def select_case(case: Case, options: SelectOptions, *, began: float | None = None) -> Selection:
    """Rank the models of a case."""
    # Where models were fitted for this, their time counts as well.
    began = time.perf_counter() if began is None else began
    prospect, measure = case.prospect, options.measure
    check_measures([measure], len(case.panel.classes_), case.options.pos_label, case.options.benefit)
    known = case.labels_of_new(options.labels)
    learnt = _learnt(case, measure, known)
    rehearsal: Rehearsal | None = None
    notes: tuple[Note, ...] = ()
    if options.rival is None:
        order, rehearsal = rank(prospect, measure, case.tables.X, learnt=learnt, random_state=case.seed)
        one_class = one_class_notes(known, prospect, case.panel.classes_.tolist())
        notes = (*labels_notes(known, used=learnt is not None), *one_class)
        warn_of_one_class(one_class)
    else:
        order, notes = _by_rival(case, options.rival)
    opinion, skipped = _second_opinion(case, options)
    names = prospect.candidates.names
    selection = Selection(
        scores=dict(zip(names, order.scores.tolist(), strict=True)),
        probabilities=dict(zip(names, order.best.tolist(), strict=True)),
        beats=order.beats,
        validated=prospect.validated(measure),
        method=options.method,
        measure=measure,
        reverse=opinion,
        reverse_skipped=skipped,
        shift=case.shift,
        assume=prospect.assume,
        training=dict(zip(case.panel.classes_.tolist(), prospect.candidates.prevalence.tolist(), strict=True)),
        likely=dict(zip(KINDS, prospect.routes.probabilities.tolist(), strict=True)),
        pool=prospect.routes.pool.shares,
        rehearsal=rehearsal,
        others=case.once(cheap_guesses),
        fits=case.n_fits + (0 if opinion is None else opinion.fits),
        reverse_fits=0 if opinion is None else opinion.fits,
        seconds=time.perf_counter() - began,
        n_labelled=prospect.candidates.n,
        n_new=prospect.candidates.m,
        n_labels=0 if learnt is None else len(known),
        notes=(*case.notes, *notes, *_undefined(measure, names, order), *(() if opinion is None else opinion.notes)),
    )
    if not selection.concerns:
        return selection
    warn(RankingUnreliable(selection.concerns[0]))
    return selection.without_figures()


def find_rival(name: str | None, *, measure: str | None, **others: object) -> Rival | None:
    """Find a rival, which ranks by the accuracy of likeliest classes and by nothing else."""
    if name is None or name == DEFAULT:
        return None
    if not isinstance(name, str) or name not in RIVALS:
        raise unknown_name("method", "name a ranking method", name, RIVALS, most=len(RIVALS))
    for argument, value in others.items():
        if value is not None:
            hint = f"only the method {DEFAULT!r} accepts it"
            raise fault(argument, f"be left out for the method {name!r}", value, hint)
    if measure not in (None, "accuracy"):
        raise fault("measure", f"be accuracy for the method {name!r}", measure, f"{DEFAULT!r} accepts any measure")
    return RIVALS[name]


def rank(
    prospect: Prospect,
    measure: str,
    X: object = None,
    *,
    learnt: Learnt | None = None,
    random_state: Seed = 0,
) -> tuple[Order, Rehearsal]:
    """Order the models by a measure, and find out on the labelled rows how far the margins can be believed."""
    soft, rng = SOFT_MEASURES[measure], generator(random_state)
    n = prospect.candidates.n
    rows = np.arange(n) if n <= MOST_LABELLED else np.sort(rng.choice(n, MOST_LABELLED, replace=False))
    rehearsal = rehearse(
        prospect.candidates,
        soft,
        prospect.sides_for(measure),
        shiftable_columns(X, prospect.candidates.among_all(rows)),
        trust=_TRUST,
        rng=rng,
        rows=rows,
        # A single model has no pair to rehearse.
        times=TIMES if len(prospect.candidates.names) > 1 else 0,
    )
    order = order_by(
        prospect.estimate(measure),
        prospect.ranking_weights,
        trust=_TRUST,
        scale=rehearsal.scale,
        higher_is_better=soft.higher_is_better,
        joined=prospect.assume == "natural",
        learnt=learnt,
    )
    return order, rehearsal


def shiftable_columns(X: object, rows: NDArray[np.intp]) -> list[list[object]]:
    """Return columns of some rows, to rehearse shifts by; none of texts and sparse matrices."""
    if not is_table(X):
        return []
    table = as_table(X)
    columns = [table.column(name) for name in table.names[:_MOST_COLUMNS]]
    return [
        [values[row] for row in rows]
        if isinstance(values, list)
        else Column(column.name, column.family, values[rows]).cells()
        for column, values in ((column, column.values) for column in columns)
    ]


def _learnt(case: Case, measure: str, known: Known) -> Learnt | None:
    """Return what labels of new rows make of the estimates; None if there are too few."""
    prospect, soft = case.prospect, SOFT_MEASURES[measure]
    posterior = prospect.routes.posterior
    decided = [side.new for side in prospect.sides_for(measure).values()]
    sample = sampled_all(soft, decided, posterior, case.strata, known)
    if sample is None:
        return None
    units = prospect.units(measure)
    errors = few_labels(sample.freedom) * sample.covariance

    def learn(mixture: NormalMixture) -> NormalMixture:
        # With every label known there is nothing left to estimate.
        alone = prospect.unknowable or len(known) == len(posterior)
        return mixture.given(sample.values, errors, units=units, alone=alone)

    return learn


def _by_rival(case: Case, rival: Rival) -> tuple[Order, tuple[Note, ...]]:
    """Order the models as a rival does, which does not say how sure it is."""
    rival.check(case.panel)
    guess = rival.guess(case.once(Setting.of))
    # Rivals order models, but do not say how sure that is.
    unknown = np.full((len(guess.accuracies), len(guess.accuracies)), np.nan)
    notes = tuple(Note(code="method", subject=rival.name, detail=text) for text in guess.notes)
    return Order(guess.accuracies, unknown, unknown[0]), notes


def _undefined(measure: str, names: tuple[str, ...], order: Order) -> list[Note]:
    """Name the models whose measure is not defined; refuse if that is all of them."""
    absent = [name for name, score in zip(names, order.scores.tolist(), strict=True) if np.isnan(score)]
    # With no score at all, any order would be made up.
    if len(absent) == len(names):
        raise InputError(f"the {measure} is not defined for any of {listed(names)}; choose another measure")
    return [Note(code="measure undefined", subject=listed(absent), detail=measure)] if absent else []


def _second_opinion(case: Case, options: SelectOptions) -> tuple[ReverseTest | None, Note | None]:
    """Ask ReverseTesting, or say why it was skipped."""
    reasons = {
        "deployed models": case.panel.deployed,
        options.without_reverse: not options.reverse,
        "one model": len(case.panel.names) < 2,
        "threshold": case.options.threshold is not None,
        "no models or features": not case.panel.scorers or case.tables.X is None or case.tables.X_new is None,
    }
    # One reason is enough: the first that applies.
    for code, holds in reasons.items():
        if holds:
            return None, Note(code="ReverseTesting skipped", detail=code)
    try:
        return reverse_case(case, by_benefit=options.measure == "profit", most_rows=options.reverse_rows), None
    # A second opinion that fails must not cost the first.
    except InputError as error:
        return None, Note(code="ReverseTesting failed", detail=str(error.clause), sensitive=True)
