"""The verb: how good each model is on rows that nobody has labelled, or why that cannot be said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from shiftproof.case._along_routes import Estimates
from shiftproof.case._candidates import Candidates
from shiftproof.case._routes import FEWEST_NEW, KINDS
from shiftproof.case._soft import MEASURES, Codes, Floats
from shiftproof.core import EstimateRefused, Interval, Seed, check_fraction, counted, fault, warn
from shiftproof.selection._estimate_result import REFUSED, Confidence, Estimated, Performance
from shiftproof.selection._judge import (
    Asked,
    Judged,
    check_measure,
    judge,
    needs_positive,
    setting_of,
    units_of,
    unknowable,
    usual_measures,
)
from shiftproof.selection._labels import (
    FEWEST,
    Known,
    Sampled,
    about_labels,
    few_labels,
    known_labels,
    sampled,
    strata_of,
)
from shiftproof.selection._mixture import CONTRADICTED, NormalMixture, mixture_quantile
from shiftproof.selection._range import left_the_range
from shiftproof.selection.rivals._cheap import cheap_guesses
from shiftproof.shift import ShiftKind

# How much wider than their standard errors estimates scatter: found on the sets for tuning in benchmarks/selection.py.
_SAFETY = 1.1
# A kind is clear from this likelihood on.
_CLEAR = 0.8
# With fewer new rows, or fewer labelled rows of a class, the confidence is not high; with so many labels it is.
_MANY, _SURE = 50, 100


def estimate_performance(
    models: Any,
    X: Any = None,
    y: Any = None,
    X_new: Any = None,
    *,
    measures: Sequence[str] | str | None = None,
    labels: Any = None,
    benefit: Any = None,
    table: Any = None,
    new_table: Any = None,
    threshold: float | None = None,
    pos_label: Any = None,
    level: float = 0.9,
    cv: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    shift: ShiftKind | None = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Performance:
    """Say how good each model is on rows that nobody has labelled, with an interval, or why that cannot be said.

    What a posterior of the new rows' classes says of a model's decisions is corrected by its own error on labelled
    rows. How that is done depends on the kind of shift: none, other shares of the classes, or other rows. Each kind
    counts as much as the evidence makes it likely, and the interval covers what the kinds differ in. Where the new rows
    are out of reach of the labelled ones, no number is made up.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, estimator, or Panel
        Classifiers to cross-fit, or a panel of them, or of scores alone.
    X : table of any library or array; y : sequence of labels
        The labelled rows. With a panel they must be those it was made from; y is then not needed.
    X_new : table
        The new rows, with the columns of X. Not needed with a panel that has scores of new rows.
    measures : str or sequence of str, optional
        Of "accuracy", "error", "precision", "recall", "f1", "auc", "brier" and "profit"; by default accuracy, F1, AUC
        and Brier score, and the profit with a benefit.
    labels : dict of row number to label, or sequence with one entry per new row, optional
        Labels of some new rows; None or NaN where there is none. Within each stratum of `Performance.strata` they must
        be a random sample, as `Performance.plan` draws them.
    benefit : Benefit or BenefitMatrix, optional
        What right and wrong decisions are worth; the profit is a mean per row.
    table, new_table : tables, optional
        Where the benefit finds its columns, row by row of X and of X_new; by default there.
    threshold : float, optional
        Decide for the positive class from this probability on; by default for the likeliest class.
    pos_label : label, optional
        The positive class; by default the second of two.
    level : float
        The nominal coverage of the intervals.
    cv : int, splitter or "prefit", optional
        Folds, as for `cross_fit`; not with a panel.
    sample_weight, groups : array-like, optional
        As for `cross_fit`; not with a panel.
    shift : ShiftKind, optional
        The kind of shift between X and X_new, where it is known from `kind_of_shift`; else it is found here.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of folds and shifts.
    n_jobs : int, optional
        Fits at a time.
    progress : bool, optional
        Whether to show a bar on standard error while models are fitted.

    Returns
    -------
    Performance
        With `interval("model")`, `confidence`, `refused`, `plan()`, `to_frame()`, `summary()`, `plot()` and `save()`.

    Warns
    -----
    ShiftproofWarning
        If the estimate is refused.

    Notes
    -----
    The estimates are about the rows of X_new, not about a population behind them. A change of P(y|x), concept shift,
    cannot be seen without labels; with some labels it can, and is allowed for.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], [800, 400])
    >>> X = rng.normal(size=(1200, 3)) + y[:, None]
    >>> y_new = np.repeat([0, 1], [100, 300])
    >>> X_new = rng.normal(size=(400, 3)) + y_new[:, None]
    >>> found = estimate_performance(LogisticRegression(), X, y, X_new)
    >>> found.shift.kind, found.confidence
    ('prior', 'high')
    >>> interval, true = found.interval("LogisticRegression"), LogisticRegression().fit(X, y).score(X_new, y_new)
    >>> interval.low < true < interval.high
    True
    """
    check_fraction(level, "level", hint="0.9 means 90 %")
    asked = Asked(
        benefit=benefit,
        table=table,
        new_table=new_table,
        threshold=threshold,
        pos_label=pos_label,
        cv=cv,
        sample_weight=sample_weight,
        groups=groups,
        shift=shift,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
    )
    judged = judge(models, X, y, X_new, asked, purpose="estimating performance")
    chosen = _measures(measures, judged, pos_label)
    candidates = judged.candidates
    known = known_labels({} if labels is None else labels, judged.panel.classes_, candidates.m)
    strata = strata_of(judged.routes.posterior)
    found = estimates_of(judged, chosen, level=level, strata=strata, known=known)
    refused = any(each.refused for of in found.values() for each in of.values())
    used = len(known) if len(known) >= FEWEST or len(known) == candidates.m else 0
    classes = judged.panel.classes_.tolist()
    result = Performance(
        found=found,
        shift=candidates.shift,
        likely=dict(zip(KINDS, judged.routes.likely.tolist(), strict=True)),
        confidence=grade(candidates, judged.routes.likely, used),
        refusal=_refusal(judged, X, X_new) if refused else "",
        others=cheap_guesses(setting_of(judged, X, X_new, asked)) if threshold is None else {},
        shares=dict(zip(classes, judged.routes.shares.tolist(), strict=True)),
        training=dict(zip(classes, candidates.prevalence.tolist(), strict=True)),
        decided={
            name: {measure: judged.sides_for(measure)[name].new for measure in chosen} for name in candidates.names
        },
        strata=strata,
        labelled=known.rows[:used],
        positive=classes[judged.rule.positive],
        level=float(level),
        n_labelled=candidates.n,
        n_new=candidates.m,
        fits=judged.fits,
        notes=(*judged.notes, *(about_labels(known) if not used else ())),
    )
    if result.refusal:
        warn(EstimateRefused(result.refusal))
    return result


def estimates_of(
    judged: Judged, measures: Sequence[str], *, level: float, strata: Codes | None = None, known: Known | None = None
) -> dict[str, dict[str, Estimated]]:
    """Estimate every measure of every model, unless the new rows are out of reach and no labels help."""
    found: dict[str, dict[str, Estimated]] = {name: {} for name in judged.candidates.names}
    for measure in measures:
        estimates, claimed = judged.estimate(measure), judged.claimed(measure)
        for at, name in enumerate(judged.candidates.names):
            told = None if known is None or strata is None else _told(judged, measure, name, strata, known)
            found[name][measure] = _one(judged, measure, estimates, at, claimed=claimed[name], told=told, level=level)
    return found


def _measures(measures: Sequence[str] | str | None, judged: Judged, pos_label: Any) -> tuple[str, ...]:
    if measures is None:
        return usual_measures(judged, pos_label)
    if not isinstance(measures, str | Sequence):
        raise fault("measures", "be a name or a list of names", measures, "leave it out to get the usual ones")
    named = (measures,) if isinstance(measures, str) else tuple(measures)
    if not named:
        raise fault("measures", "name at least one", named, "leave it out to get the usual ones")
    for name in named:
        check_measure(name, judged)
        if needs_positive(name) and judged.candidates.k > 2 and pos_label is None:
            raise fault("pos_label", f"be given for {name} of more than two classes", None, "name the class")
    return tuple(dict.fromkeys(named))


def _refusal(judged: Judged, X: Any, X_new: Any) -> str:
    """Say why the measures cannot be known from these rows."""
    shift = judged.candidates.shift
    if shift.refused:
        return " ".join(filter(None, ["not identifiable.", left_the_range(X, X_new), *shift.reasons]))
    if judged.candidates.m < FEWEST_NEW:
        few = counted(judged.candidates.m, "new row")
        return f"not identifiable. {few} cannot tell what shifted; at least {FEWEST_NEW} are needed."
    return ""


def _told(judged: Judged, measure: str, name: str, strata: Codes, known: Known) -> Sampled | None:
    return sampled(MEASURES[measure], judged.sides_for(measure)[name].new, judged.routes.posterior, strata, known)


def _one(
    judged: Judged,
    measure: str,
    estimates: Estimates,
    at: int,
    *,
    claimed: float,
    told: Sampled | None,
    level: float,
) -> Estimated:
    """Join the ways, and labels where there are any, into one estimate."""
    routes, how = judged.routes, MEASURES[measure]
    values = estimates.values()[:, at]
    spreads = _SAFETY * np.sqrt(estimates.covariances()[:, at, at])
    ways = dict(zip(KINDS, values.tolist(), strict=True))
    influence = _influence(judged, measure, at)
    noise = _open(routes.posterior, influence)
    nowhere = math.nan
    refused = told is None and unknowable(judged.candidates)
    if refused or (told is None and not np.isfinite(values).all()):
        method = REFUSED if refused else "not defined"
        interval = Interval(estimate=nowhere, low=nowhere, high=nowhere, level=level, method=method)
        return Estimated(interval=interval, claimed=claimed, ways=ways, spread=nowhere, noise=noise)
    shares, method = routes.possible, "routed pool"
    value = float(routes.likely @ values)
    if told is not None:
        out_of_reach = unknowable(judged.candidates) or not np.isfinite(values).all()
        errors = np.array([[few_labels(told.freedom, level) * told.variance]])
        guessed = NormalMixture(shares, values[:, None], (spreads**2)[:, None, None])
        alone = out_of_reach or bool(guessed.apart(np.array([told.value]), errors)[0] > CONTRADICTED)
        mixture = guessed.given(np.array([told.value]), errors, units=units_of(influence[None]), alone=alone)
        shares, values, spreads = mixture.shares, mixture.centres[:, 0], np.sqrt(mixture.covariances[:, 0, 0])
        value, method = float(shares @ values), "labels" if alone else "routed pool and labels"
        if not alone:
            # What labels alone would give is half of the interval, whatever shifted.
            shares, values = np.append(shares, 1.0) / 2, np.append(values, told.value)
            spreads = np.append(spreads, math.sqrt(errors[0, 0]))
    tail = (1 - level) / 2
    low, high = (mixture_quantile(shares, values, spreads, end) for end in (tail, 1 - tail))
    low, value, high = (float(np.clip(each, *how.limits)) for each in (low, value, high))
    # Rounding may leave a little less than nothing.
    spread = math.sqrt(max(float(shares @ (spreads**2 + values**2)) - float(shares @ values) ** 2, 0.0))
    interval = Interval(estimate=value, low=min(low, value), high=max(high, value), level=level, method=method)
    return Estimated(interval=interval, claimed=claimed, ways=ways, spread=spread, noise=noise)


def _influence(judged: Judged, measure: str, at: int) -> Floats:
    """Give what each new row adds to the measure if it is of each class."""
    side = list(judged.sides_for(measure).values())[at]
    posterior = judged.routes.posterior
    return MEASURES[measure].function(side.new, posterior, np.full(len(posterior), 1 / len(posterior))).influence


def _open(posterior: Floats, influence: Floats) -> Floats:
    """Give how much each new row's label is still open, in the measure's unit."""
    centre = (posterior * influence).sum(axis=1, keepdims=True)
    return np.asarray(np.sqrt((posterior * (influence - centre) ** 2).sum(axis=1)))


def grade(candidates: Candidates, likely: Floats, n_known: int) -> Confidence:
    """Grade how far the estimates can be believed: by how clear the kind of shift is, or by labels of new rows."""
    order: list[Confidence] = ["none", "low", "medium", "high"]
    by_labels: Confidence = "none" if not n_known else "high" if n_known >= min(_SURE, candidates.m) else "medium"
    return max(_by_kind(candidates, likely), by_labels, key=order.index)


def _by_kind(candidates: Candidates, likely: Floats) -> Confidence:
    if unknowable(candidates):
        return "none"
    if candidates.shift.kind not in KINDS:
        return "low"
    rarest = int(np.bincount(candidates.codes, minlength=candidates.k).min())
    clear = float(likely.max()) >= _CLEAR and min(candidates.m, rarest) >= _MANY
    return "high" if clear else "medium"
