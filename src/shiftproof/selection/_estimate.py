"""The verb: how good each model is on unlabelled data, or why that cannot be estimated."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from shiftproof.case import (
    FEWEST_LABELS,
    FEWEST_PERIODS,
    KINDS,
    NO_RECORD,
    SOFT_MEASURES,
    Assume,
    Belief,
    Case,
    DecisionOptions,
    Fitting,
    Grounds,
    Known,
    NormalMixture,
    Prospect,
    Running,
    Sampled,
    few_labels,
    find_grounds,
    in_one_thread,
    sampled,
    unknowable,
    warn_of_one_class,
    with_labels,
)
from shiftproof.core import (
    Codes,
    EstimateRefused,
    EstimateTable,
    Floats,
    Interval,
    Phrase,
    Seed,
    check_fraction,
    fault,
    row_index,
    suggests_arguments,
    warn,
)
from shiftproof.quantification import class_shares
from shiftproof.selection._baseline import baseline_of
from shiftproof.selection._estimate_result import REFUSED, Confidence, Estimated, Performance
from shiftproof.selection._measures import check_measures, usual_measures
from shiftproof.selection._range import outside_range
from shiftproof.selection._reach import answer_shares, opposite, within_reach
from shiftproof.selection.rivals._methods import cheap_guesses

# A type of shift is clear if it is at least this likely.
_CLEAR = 0.8
# High confidence needs so many new rows and so many labelled rows of each class, or so many labels of new rows.
_MANY, _SURE = 50, 100


@suggests_arguments
def estimate_performance(
    models: object,
    X: object = None,
    y: object = None,
    X_new: object = None,
    *,
    measures: Sequence[str] | str | None = None,
    labels: object = None,
    benefit: object = None,
    table: object = None,
    new_table: object = None,
    threshold: float | None = None,
    pos_label: object = None,
    level: float = 0.9,
    assume: Assume = "natural",
    history: object = None,
    cv: object = None,
    sample_weight: object = None,
    groups: object = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Performance:
    """Estimate the performance of each model on unlabelled data, with intervals, or say why that is impossible.

    Each model's decisions are compared with a posterior of the new rows' classes. The result is corrected by the error
    of the same comparison on labelled rows. How this is done depends on the type of shift: none, different class
    proportions, or a different mix of rows. By default, several estimates are averaged, the correction for prior shift
    counts as far as the data show one, and intervals allow for natural drift. The estimate is refused only if the new
    data are not the same kind of data; with ``assume="no drift"``, also if the labelled data hardly cover the new data,
    and with ``assume="prior shift"``, if more than the class proportions changed.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, estimator, Panel, or dict of str to column
        Classifiers to cross-fit, or a panel of them, or of scores alone; or scores as columns of both tables, with y
        the name of a column of labels, as for `audit`.
    X : table of any library or array; y : sequence of labels
        The labelled rows. With a panel, they must be the rows it was made from; y is then not needed.
    X_new : table
        The new rows, with the columns of X. Not needed with a panel that already has scores of new rows.
    measures : str or sequence of str, optional
        Any of "accuracy", "error", "precision", "recall", "f1", "auc", "brier" and "profit"; by default accuracy, F1,
        AUC and Brier score, and the profit with a benefit.
    labels : dict of row number to label, or sequence with one entry per new row, optional
        Labels of some new rows. Row numbers count from 0; they are not index values. In a sequence, None or NaN stands
        for an unknown label. Within each stratum of `Performance.strata`, the labelled rows must be a random sample, as
        `Performance.plan` draws them.
    benefit : Benefit or BenefitMatrix, optional
        What right and wrong decisions are worth; the profit is a mean per row.
    table, new_table : tables, optional
        Tables with the columns that the benefit needs, row by row of X and X_new; by default X and X_new.
    threshold : float, optional
        Predict the positive class at this probability or above; by default, predict the most likely class.
    pos_label : label, optional
        The positive class; by default the second of two.
    level : float
        The nominal coverage of the intervals.
    assume : {"natural", "no drift", "prior shift"}
        What may have changed. "natural": all that changes a little between years, places and groups, as measured on
        pairs of real tables. "no drift": anything but the rules that link features to the label. "prior shift": nothing
        but the class proportions. Use the last two only if you know it.
    history : Backtest or DriftRecord, optional
        How far estimates were off in your own past, from `backtest`: intervals get narrower or wider accordingly.
    cv : int, splitter or "prefit", optional
        Folds, as for `cross_fit`; not with a panel.
    sample_weight, groups : array-like, optional
        As for `cross_fit`; not with a panel.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of folds and shifts.
    n_jobs : int, optional
        Number of fits to run in parallel.
    progress : bool, optional
        Whether to show a bar on standard error while models are fitted.

    Returns
    -------
    Performance
        With `interval("model")`, `confidence`, `refused`, `plan()`, `to_frame()`, `summary()`, `plot()` and `save()`.

    Warns
    -----
    ShiftproofWarning
        If the estimate is refused, or if labels of new rows were probably not drawn at random.

    Notes
    -----
    The estimates are about the rows of X_new, not about a population behind them. Concept shift (a change of P(y|x))
    cannot be seen without labels; with labels of some new rows, the estimates correct for it.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], [800, 400])
    >>> X = rng.normal(size=(1200, 3)) + y[:, None]
    >>> y_new = np.repeat([0, 1], [100, 300])
    >>> X_new = rng.normal(size=(400, 3)) + y_new[:, None]
    >>> result = estimate_performance(LogisticRegression(), X, y, X_new)
    >>> result.shift.kind, result.confidence
    ('prior', 'high')
    >>> interval, true = result.interval("LogisticRegression"), LogisticRegression().fit(X, y).score(X_new, y_new)
    >>> interval.low < true < interval.high
    True
    """
    check_fraction(level, "level", hint="0.9 means 90%")
    decisions = DecisionOptions(
        benefit=benefit, table=table, new_table=new_table, threshold=threshold, pos_label=pos_label
    )
    fitting = Fitting(cv=cv, sample_weight=sample_weight, groups=groups)
    running = Running(random_state=random_state, n_jobs=n_jobs, progress=progress)
    purpose = "estimating performance"
    case = Case.of(
        models,
        X,
        y,
        X_new,
        purpose=purpose,
        new_required=True,
        options=decisions,
        assume=assume,
        history=history,
        **fitting,
        **running,
    )
    return estimate_case(case, measures=measures, labels=labels, level=level)


@in_one_thread
def estimate_case(
    case: Case,
    *,
    measures: Sequence[str] | str | None = None,
    first: str | None = None,
    labels: object = None,
    shares: Mapping[Any, Interval] | None = None,
    level: float = 0.9,
) -> Performance:
    """Estimate the performance of the models of a case: of these measures, or of `first` and the usual ones.

    `shares` are the class proportions of the new data if the caller knows them already, for the baseline; empty if they
    cannot be estimated or nobody needs them.
    """
    measures = _measures(case, measures, first)
    prospect = case.prospect
    candidates, routes = prospect.candidates, prospect.routes
    known, strata = case.labels_of_new(labels), case.strata
    classes = case.panel.classes_.tolist()
    shares = class_shares(case, level, known) if shares is None else shares
    baseline = baseline_of(prospect, classes, shares=shares, level=level, strata=strata, known=known)
    estimates = estimates_of(prospect, measures, level=level, strata=strata, known=known)
    # Fewer labels are left alone, unless they are those of all new rows.
    used = len(known) if len(known) >= FEWEST_LABELS or len(known) == candidates.m else 0
    allowed = {} if math.isnan(baseline.interval.estimate) else dict(enumerate(map(shares.__getitem__, classes)))
    estimates = {
        name: _possible(of_model, answer_shares(prospect.sides[name].new.decisions, candidates.k), allowed)
        for name, of_model in estimates.items()
    }
    of_labels = case.label_notes(known, used=bool(used))
    performance = Performance(
        estimates=EstimateTable(estimates),
        shift=case.shift,
        assume=prospect.assume,
        history=prospect.history,
        likely=dict(zip(KINDS, routes.probabilities.tolist(), strict=True)),
        confidence=grade(prospect, used),
        # It explains a refusal only, and has to read every column.
        outside_range=outside_range(case.tables) if unknowable(case.shift, prospect.assume) else None,
        others=case.once(cheap_guesses),
        shares=dict(zip(classes, routes.shares.tolist(), strict=True)),
        training=dict(zip(classes, candidates.prevalence.tolist(), strict=True)),
        baseline=baseline,
        decided={name: {measure: prospect.sides_for(measure)[name].new for measure in measures} for name in estimates},
        strata=strata,
        # All of them or none.
        labelled=known.rows[:used],
        positive=classes[prospect.rule.positive],
        level=level,
        n_labelled=candidates.n,
        n_new=candidates.m,
        fits=case.n_fits,
        notes=(*case.notes, *of_labels),
        index=row_index(case.tables.new),
        stake=prospect.stake if "profit" in measures else math.nan,
    )
    warn_of_one_class(of_labels)
    if performance.refusal:
        warn(EstimateRefused(performance.refusal_text))
    return performance


def _possible(estimates: dict[str, Estimated], answers: Floats, shares: Mapping[int, Interval]) -> dict[str, Estimated]:
    """Keep a model's accuracy and error within what the class proportions allow, which are shown beside them."""
    moved = {}
    for measure, one in estimates.items():
        if measure not in ("accuracy", "error") or math.isnan(one.interval.estimate):
            continue
        # An error is one less an accuracy, and the other way around.
        turned: Callable[[Interval], Interval] = opposite if measure == "error" else lambda interval: interval
        accuracy = turned(one.interval)
        kept = within_reach(accuracy, answers, shares)
        if kept == accuracy:
            continue
        interval = turned(kept)
        without = None if one.without_past is None else turned(within_reach(turned(one.without_past), answers, shares))
        belief = one.belief
        if belief is not None and answers.max() == 1:
            belief = NormalMixture.of_chances([(0.5, belief), (0.5, NormalMixture.of_interval(interval))])
        elif belief is not None:
            belief = belief.moved(interval.estimate - one.interval.estimate)
        # Two answers beside one that was moved would not contain it.
        moved[measure] = replace(one, interval=interval, carried=0.0, without_past=without, belief=belief, either=None)
    return estimates | moved


def estimates_of(
    prospect: Prospect,
    measures: Sequence[str],
    *,
    level: float,
    strata: Codes | None = None,
    known: Known | None = None,
) -> dict[str, dict[str, Estimated]]:
    """Estimate every measure of every model; refused where the new rows are too different and no labels help."""
    estimates: dict[str, dict[str, Estimated]] = {name: {} for name in prospect.candidates.names}
    for measure in measures:
        validated = np.array(list(prospect.validated(measure).values()))
        grounds = find_grounds(
            prospect, measure, prospect.estimate(measure), validated=validated, units=prospect.units(measure)
        )
        beliefs = grounds.believed(prospect.history, measure)
        for name, side in prospect.sides_for(measure).items():
            sample = None
            if known is not None and strata is not None:
                sample = sampled(SOFT_MEASURES[measure], side.new, prospect.routes.posterior, strata, known)
            one = _one(prospect, measure, name, beliefs, sample=sample, level=level)
            estimates[name][measure] = one if sample else _beside_no_past(one, prospect, measure, name, grounds)
    return estimates


def _beside_no_past(one: Estimated, prospect: Prospect, measure: str, name: str, grounds: Grounds) -> Estimated:
    """Add the interval that nothing but natural drift elsewhere gives; as it is if the past changes nothing."""
    # Data that only the past makes familiar would not be estimated at all without it.
    familiar = prospect.candidates.shift.evidence.familiar
    if one.belief is None or familiar or prospect.history.n_periods(measure) < FEWEST_PERIODS:
        return one
    alone = grounds.only(prospect.estimate(measure).names.index(name)).believed(NO_RECORD, measure)
    limits, level = SOFT_MEASURES[measure].limits, one.interval.level
    without = alone.mixture.interval(float(alone.values[0]), level, limits, one.interval.method)
    return replace(one, without_past=without)


def _measures(case: Case, measures: Sequence[str] | str | None, first: str | None) -> tuple[str, ...]:
    """Check the measures that were named; by default the usual ones, after the one that comes first."""
    n_classes, pos_label, benefit = len(case.panel.classes_), case.options.pos_label, case.options.benefit
    if measures is None:
        usual = usual_measures(n_classes, pos_label, benefit)
        return usual if first is None else tuple(dict.fromkeys([first, *usual]))
    if not isinstance(measures, str | Sequence):
        raise fault("measures", "be a name or a list of names", measures, "leave it out to get the usual measures")
    named = (measures,) if isinstance(measures, str) else tuple(measures)
    if not named:
        raise fault("measures", "name at least one", Phrase("none"), "leave it out to get the usual measures")
    return check_measures(named, n_classes, pos_label, benefit)


def _one(
    prospect: Prospect, measure: str, name: str, beliefs: Belief, *, sample: Sampled | None, level: float
) -> Estimated:
    """Join what is believed of all models with labels, where there are any, into one model's estimate."""
    estimates = prospect.estimate(measure)
    place = estimates.names.index(name)
    values = estimates.values()[:, place]
    defined = bool(np.isfinite(values).all())
    units = prospect.units(measure, [name])
    estimated = partial(
        Estimated,
        validated=prospect.validated(measure)[name],
        ways=dict(zip(KINDS, values.tolist(), strict=True)),
        open_labels=prospect.open_labels(measure, name),
        unit=float(units[0]),
    )
    # Labels of new rows estimate by design alone, so with them nothing has to be refused.
    undefined = not defined if sample is None else math.isnan(sample.value)
    refused = sample is None and prospect.unknowable
    if refused or undefined:
        method = REFUSED if refused else "not defined"
        nothing = Interval(estimate=math.nan, low=math.nan, high=math.nan, level=level, method=method)
        return estimated(interval=nothing, spread=math.nan)
    belief, value, method = beliefs.mixture.only(place), float(beliefs.values[place]), "routed pool"
    prior: NormalMixture | None = belief  # what labels that are still to come are joined with
    sampling, drift, carried = (float(part[place]) for part in (beliefs.sampling, beliefs.allowance, beliefs.carried))
    if sample is not None:
        # Labels measure what drift did.
        sampling, drift, carried = math.sqrt(sample.variance), 0.0, 0.0
        measured = np.array([sample.value])
        # Few labels scatter by Student's t; the wider variance gives a normal its width.
        errors = np.array([[few_labels(sample.freedom, level) * sample.variance]])
        # The labels of all rows have no variance, and leave nothing to estimate.
        alone = prospect.unknowable or not defined or sample.variance == 0
        belief, value, method = with_labels(belief, measured, errors, units=units, alone=alone)
        prior = None if alone else prior
    limits = SOFT_MEASURES[measure].limits
    interval = belief.interval(value, level, limits, method)
    either = None
    if beliefs.either is not None and sample is None:
        one, other = (
            each.only(place).interval(float(values[place]), level, limits, method) for values, each in beliefs.either
        )
        either = one, other
    return estimated(
        interval=interval,
        spread=belief.spread,
        sampling=sampling,
        drift=drift,
        carried=carried,
        belief=belief,
        prior=prior,
        either=either,
    )


def grade(prospect: Prospect, n_labels: int) -> Confidence:
    """Grade how far the estimates can be believed: by how clear the type of shift is, or by labels of new rows."""
    order: list[Confidence] = ["none", "low", "medium", "high"]
    enough = n_labels >= min(_SURE, prospect.candidates.m)
    by_labels: Confidence = "none" if not n_labels else "high" if enough else "medium"
    # Labels can only raise the grade.
    return max(_by_type_of_shift(prospect), by_labels, key=order.index)


def _by_type_of_shift(prospect: Prospect) -> Confidence:
    candidates = prospect.candidates
    if prospect.unknowable:
        return "none"
    if candidates.shift.kind not in KINDS:
        return "low"
    # What is known of a class rests on its own rows, so the rarest class counts.
    rarest = int(np.bincount(candidates.codes, minlength=candidates.k).min())
    clear = float(prospect.routes.probabilities.max()) >= _CLEAR and min(candidates.m, rarest) >= _MANY
    return "high" if clear else "medium"
