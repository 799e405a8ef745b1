"""The verb: which of several classifiers to use on rows that nobody has labelled."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from shiftproof.case._routes import KINDS
from shiftproof.case._soft import MEASURES
from shiftproof.core import (
    InputError,
    RankingUnreliable,
    Seed,
    check_count,
    fault,
    generator,
    listed,
    unknown_name,
    warn,
)
from shiftproof.panel import Panel
from shiftproof.selection._judge import (
    Asked,
    Judged,
    check_measure,
    features_of,
    judge,
    needs_positive,
    setting_of,
    units_of,
    unknowable,
)
from shiftproof.selection._labels import Known, about_labels, few_labels, known_labels, sampled_all, strata_of
from shiftproof.selection._mixture import CONTRADICTED, NormalMixture
from shiftproof.selection._order import Order, order_by
from shiftproof.selection._rehearsal import MOST_LABELLED, TIMES, Rehearsal, rehearse
from shiftproof.selection._select_result import Selection
from shiftproof.selection.rivals._cheap import cheap_guesses
from shiftproof.selection.rivals._interface import Rival, Setting
from shiftproof.selection.rivals._methods import RIVALS
from shiftproof.selection.rivals._reverse import reverse_test
from shiftproof.selection.rivals._reverse_result import ReverseTest
from shiftproof.shift import ShiftKind

#: The method that `select` uses unless another is named.
DEFAULT = "routed pool"
#: What labels of new rows make of estimates.
Learnt = Callable[[NormalMixture], NormalMixture]
#: At most so many rows of each side take part in ReverseTesting.
REVERSE_ROWS = 10_000
# Labelled rows correct the posterior. That makes estimates right and orders noisy: chosen on the sets for tuning in
# benchmarks/selection.py.
_TRUST = 0.1


def select(
    models: Any,
    X: Any = None,
    y: Any = None,
    X_new: Any = None,
    *,
    method: str | None = None,
    measure: str | None = None,
    labels: Any = None,
    benefit: Any = None,
    table: Any = None,
    new_table: Any = None,
    threshold: float | None = None,
    pos_label: Any = None,
    reverse: bool = True,
    reverse_rows: int | None = REVERSE_ROWS,
    cv: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    shift: ShiftKind | None = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Selection:
    """Say which of several classifiers to use on rows that nobody has labelled, and how sure that is.

    All models' probabilities, and those of a forest, are joined into one posterior of the new rows' classes, in which
    models count by their log loss on rows that they never saw. A model is judged by how often that posterior sides
    with its decisions, tilted where the shares of the classes changed, and corrected by what it got wrong on the
    labelled rows. Shifted halves of the labelled rows show how far margins can be believed.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, estimator, or Panel
        Classifiers to cross-fit, or a panel of them, or of scores alone.
    X : table of any library or array; y : sequence of labels
        The labelled rows. With a panel they must be those it was made from; y is then not needed.
    X_new : table
        The new rows, with the columns of X. Not needed with a panel that has scores of new rows.
    method : str, optional
        "routed pool" (the default), or a rival by its name: see `shiftproof.selection.RIVALS`. Rivals rank by
        accuracy, and do not say how sure they are.
    measure : str, optional
        "accuracy" (the default), "error", "precision", "recall", "f1", "auc", "brier", or "profit", which is the
        default with a benefit.
    labels : dict of row number to label, or sequence with one entry per new row, optional
        Labels of some new rows, as for `estimate_performance`; at least ten, and not for rivals.
    benefit : Benefit or BenefitMatrix, optional
        What right and wrong decisions are worth.
    table, new_table : tables, optional
        Where the benefit finds its columns, row by row of X and of X_new; by default there.
    threshold : float, optional
        Decide for the positive class from this probability on; by default for the likeliest class.
    pos_label : label, optional
        The positive class; by default the second of two.
    reverse : bool
        Whether to ask ReverseTesting for a second opinion: as many fits as there are pairs of models.
    reverse_rows : int, optional
        At most so many rows of each side take part in that; None is all.
    cv : int, splitter or "prefit", optional
        Folds, as for `cross_fit`; not with a panel.
    sample_weight, groups : array-like, optional
        As for `cross_fit`; not with a panel.
    shift : ShiftKind, optional
        The kind of shift between X and X_new, where it is known from `kind_of_shift`; else it is found here.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of folds, shifts and draws.
    n_jobs : int, optional
        Fits at a time.
    progress : bool, optional
        Whether to show a bar on standard error while models are fitted.

    Returns
    -------
    Selection
        With `best`, `ranking`, `order_probability`, `reverse`, `to_frame()`, `summary()`, `plot()` and `save()`.

    Warns
    -----
    ShiftproofWarning
        If the new rows are so unlike the labelled ones that the ranking should not be relied on.

    See Also
    --------
    estimate_performance : how good the models are there, with intervals.
    reverse_test : ReverseTesting alone.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> X, X_new = rng.normal(size=(500, 3)), rng.normal(0.5, size=(300, 3))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> found = select([LogisticRegression(), GaussianNB()], X, y, X_new, reverse=False)
    >>> found.best
    'GaussianNB'
    """
    began = time.perf_counter()
    name = DEFAULT if method is None else method
    rival = _rival(name, measure=measure, labels=labels, benefit=benefit, threshold=threshold)
    asked = Asked(
        benefit=benefit,
        table=table,
        new_table=new_table,
        threshold=threshold,
        pos_label=pos_label,
        cv=cv,
        plan=_plan(rival, models, y, cv, random_state),
        sample_weight=sample_weight,
        groups=groups,
        shift=shift,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
    )
    if reverse_rows is not None:
        check_count(reverse_rows, "reverse_rows", least=20, hint="None takes all rows")
    judged = judge(models, X, y, X_new, asked, purpose="selecting a model")
    chosen = check_measure(_measure(measure, benefit), judged)
    if needs_positive(chosen) and judged.candidates.k > 2 and pos_label is None:
        raise fault("pos_label", f"be given to rank by {chosen} of more than two classes", None, "name the class")
    setting = setting_of(judged, X, X_new, asked)
    rehearsal: Rehearsal | None = None
    told: tuple[str, ...] = ()
    known = known_labels({} if labels is None else labels, judged.panel.classes_, judged.candidates.m)
    learnt = _learnt(judged, chosen, known)
    if rival is None:
        order, rehearsal = rank(judged, chosen, X, learnt=learnt, random_state=random_state)
        told = about_labels(known) if learnt is None else ()
    else:
        order, told = _by_rival(judged, rival, setting)
    opinion, why = _reverse(judged, X, X_new, asked, wanted=reverse, most_rows=reverse_rows, measure=chosen)
    spent = opinion.fits if opinion is not None else 0
    names = judged.candidates.names
    found = Selection(
        scores=dict(zip(names, order.scores.tolist(), strict=True)),
        probabilities=dict(zip(names, order.best.tolist(), strict=True)),
        beats=order.beats,
        claimed=judged.claimed(chosen),
        method=name,
        measure=chosen,
        reverse=opinion,
        unreversed=why,
        shift=judged.candidates.shift,
        likely=dict(zip(KINDS, judged.routes.pure.tolist(), strict=True)),
        pool=judged.routes.pool.shares,
        rehearsal=rehearsal,
        others=cheap_guesses(setting) if threshold is None else {},
        fits=judged.fits + spent,
        reverse_fits=spent,
        seconds=time.perf_counter() - began,
        n_labelled=judged.candidates.n,
        n_new=judged.candidates.m,
        n_labels=0 if learnt is None else len(known),
        notes=(*judged.notes, *told, *_undefined(chosen, names, order), *([] if opinion is None else opinion.notes)),
    )
    if found.concerns:
        warn(RankingUnreliable(found.concerns[0]))
    return found


def _rival(name: str, *, measure: str | None, **others: Any) -> Rival | None:
    """Find a rival, which ranks by the accuracy of likeliest classes and by nothing else."""
    if name == DEFAULT:
        return None
    if name not in RIVALS:
        raise unknown_name("method", "name a way to rank", name, list(RIVALS))
    for argument, value in others.items():
        if value is not None:
            hint = f"the method {DEFAULT!r} takes it"
            raise fault(argument, f"be left out for the method {name!r}", type(value).__name__, hint)
    if measure not in (None, "accuracy"):
        raise fault("measure", f"be accuracy for the method {name!r}", measure, f"the method {DEFAULT!r} takes any")
    return RIVALS[name]


def _measure(measure: str | None, benefit: Any) -> str:
    return measure if measure is not None else "accuracy" if benefit is None else "profit"


def rank(
    judged: Judged,
    measure: str,
    X: Any = None,
    *,
    learnt: Learnt | None = None,
    random_state: Seed = 0,
) -> tuple[Order, Rehearsal]:
    """Order the models by a measure, and find out on the labelled rows how far the margins can be believed."""
    how, rng = MEASURES[measure], generator(random_state)
    n = judged.candidates.n
    rows = np.arange(n) if n <= MOST_LABELLED else np.sort(rng.choice(n, MOST_LABELLED, replace=False))
    rehearsal = rehearse(
        judged.candidates,
        how,
        judged.sides_for(measure),
        features_of(X, judged.candidates.rows[rows]),
        trust=_TRUST,
        rng=rng,
        rows=rows,
        times=TIMES if len(judged.candidates.names) > 1 else 0,
    )
    order = order_by(
        judged.estimate(measure),
        judged.routes,
        trust=_TRUST,
        scale=rehearsal.scale,
        higher_is_better=how.higher_is_better,
        learnt=learnt,
    )
    return order, rehearsal


def _learnt(judged: Judged, measure: str, known: Known) -> Learnt | None:
    """Say what labels of new rows make of the estimates; nothing where there are too few."""
    posterior, how = judged.routes.posterior, MEASURES[measure]
    decided = [side.new for side in judged.sides_for(measure).values()]
    told = sampled_all(how, decided, posterior, strata_of(posterior), known)
    if told is None:
        return None
    equal = np.full(len(posterior), 1 / len(posterior))
    units = units_of(np.array([how.function(each, posterior, equal).influence for each in decided]))
    alone = unknowable(judged.candidates)
    errors = few_labels(told.freedom) * told.covariance

    def learn(mixture: NormalMixture) -> NormalMixture:
        contradicted = bool(np.nanmax(mixture.apart(told.values, errors)) > CONTRADICTED)
        return mixture.given(told.values, errors, units=units, alone=alone or contradicted)

    return learn


def _by_rival(judged: Judged, rival: Rival, setting: Setting) -> tuple[Order, tuple[str, ...]]:
    """Order the models as a rival does, which does not say how sure it is."""
    rival.check(judged.panel)
    guess = rival.guess(setting)
    unknown = np.full((len(guess.accuracies), len(guess.accuracies)), np.nan)
    return Order(guess.accuracies, unknown, unknown[0]), guess.notes


def _undefined(measure: str, names: Sequence[str], order: Order) -> list[str]:
    """Say whose measure is not defined."""
    absent = [name for name, score in zip(names, order.scores.tolist(), strict=True) if np.isnan(score)]
    if len(absent) == len(names):
        raise InputError(f"the {measure} is not defined for any of {listed(list(names))}; choose another measure")
    return [f"the {measure} of {listed(absent)} is not defined: there is nothing to divide by"] if absent else []


def _reverse(
    judged: Judged, X: Any, X_new: Any, asked: Asked, *, wanted: bool, most_rows: int | None, measure: str
) -> tuple[ReverseTest | None, str]:
    """Ask ReverseTesting, or say why it cannot be asked."""
    panel = judged.panel
    if not wanted:
        return None, "it was not asked for"
    if len(panel.names) < 2:
        return None, "there is one model only"
    if asked.threshold is not None:
        return None, "it knows no thresholds"
    if not panel.scorers or X is None or X_new is None:
        return None, "it needs models to fit, and the features of both tables"
    try:
        return (
            reverse_test(
                panel,
                X,
                None,
                X_new,
                benefit=asked.benefit if measure == "profit" else None,
                table=asked.table,
                pos_label=asked.pos_label,
                most_rows=most_rows,
                random_state=asked.random_state,
                n_jobs=asked.n_jobs,
                progress=asked.progress,
            ),
            "",
        )
    except InputError as error:
        return None, str(error.clause)


def _plan(rival: Rival | None, models: Any, y: Any, cv: Any, random_state: Seed) -> dict[str, Any]:
    """Give the folds that a rival wants, unless others are asked for."""
    if rival is None or rival.plan is None or isinstance(models, Panel) or cv is not None or y is None:
        return {}
    return rival.plan.arguments(len(y), random_state=random_state)
