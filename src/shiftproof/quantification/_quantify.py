"""The verb: how many of each class are in rows that nobody has labelled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from shiftproof.core import (
    Argument,
    CountsUnreliable,
    InputError,
    Interval,
    Phrase,
    Seed,
    as_table,
    fault,
    generator,
    unknown_name,
    warn,
    without_columns,
)
from shiftproof.counting._assumption import mixture_fit, unclipped
from shiftproof.counting._bootstrap import RESAMPLES, bootstrap_intervals
from shiftproof.counting._method import METHODS, Method
from shiftproof.counting._samples import Floats, Labelled, Samples
from shiftproof.data import PeriodCut, cut_periods
from shiftproof.panel import Panel, as_features, cross_fit, scoring
from shiftproof.quantification._quantifier import ClassifierQuantifier, Quantifier, labelled_rows
from shiftproof.quantification._result import NAIVE, PeriodShares, Quantification
from shiftproof.shift import ShiftKind, kind_of_shift

_DEFAULT = "combined"


def quantify(
    models: Any,
    X: Any = None,
    y: Any = None,
    X_new: Any = None,
    *,
    method: str | None = None,
    by: str | None = None,
    every: str | None = None,
    check: bool = True,
    shift: ShiftKind | None = None,
    pos_label: Any = None,
    level: float = 0.9,
    resamples: int = RESAMPLES,
    cv: Any = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Quantification:
    """Say how many rows of each class there are among rows that nobody has labelled, and whether to believe it.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, estimator, Panel, or Quantifier
        Classifiers to cross-fit, or a panel of them, or of scores alone; of several, the one with the lowest Brier
        score on rows that it never saw is used. A quantifier brings its classifier and its method.
    X : table of any library or array; y : sequence of labels
        The labelled rows. With a panel, or a quantifier that was fitted, they must be those it was made from; X is then
        needed for the check by features only, and y not at all. Nearest neighbours are always looked for anew.
    X_new : table
        The rows to count, with the columns of X. Not needed with a panel that has scores of new rows.
    method : str, optional
        One of `shiftproof.quantification.METHODS`; by default "combined".
    by : str, optional
        A column of `X_new` that says when: dates, or at most 200 different values (text, too, is taken as it is). The
        shares are then given for each period. It is left out of the features; moments with a time zone are cut in UTC.
    every : {"day", "week", "month", "quarter", "year"}, optional
        How long a period of dates is; by default what makes 4 to 40 of them.
    check : bool
        Whether to test by the features that nothing but the classes' shares has changed, which all methods take for
        granted (a second or two); the scores are tested anyway.
    shift : ShiftKind, optional
        The kind of shift between X and X_new, where it is known from `kind_of_shift`; else it is found here.
    pos_label : label, optional
        The class to tell first; by default the second of two, the one that changed most of several.
    level : float
        The nominal coverage of the intervals.
    resamples : int
        How often to learn anew for the intervals.
    cv : int, splitter or "prefit", optional
        Folds, as for `cross_fit`; not with a panel.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of folds, intervals and checks.
    n_jobs : int, optional
        Fits at a time.
    progress : bool, optional
        Whether to show a bar on standard error while models are fitted.

    Returns
    -------
    Quantification
        With `prevalence`, `range`, `assumption`, `to_frame()`, `summary()`, `plot()`, `plot_over_time()` and `save()`.

    Warns
    -----
    ShiftproofWarning
        If something else than the classes' shares has changed, so that the figures should not be believed.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["no", "yes"], [800, 400])
    >>> X = rng.normal(size=(1200, 3)) + (y == "yes")[:, None]
    >>> y_new = np.repeat(["no", "yes"], [100, 300])
    >>> X_new = rng.normal(size=(400, 3)) + (y_new == "yes")[:, None]
    >>> found = quantify(LogisticRegression(), X, y, X_new)
    >>> print(found.prevalence["yes"])
    0.800 [0.749, 0.855]
    >>> found.assumption
    'fits'
    """
    chosen = _chosen(models, method)
    random = generator(random_state)
    X, X_new, cut = _without_by(X, X_new, by, every)
    if isinstance(models, Quantifier) and not isinstance(models, ClassifierQuantifier):
        panel, labelled = _own_scores(models, X, y, X_new, cv=cv, n_jobs=n_jobs)
        briers = _briers(panel)
        model = next(iter(briers))
    else:
        panel = _panel(models, X, y, cv=cv, n_jobs=n_jobs, progress=progress, random_state=random_state)
        briers = _briers(panel)
        model = _model(models, briers)
        labelled = labelled_rows(panel, model)
    scores, comparable = _new_scores(panel, model, X_new, random_state)
    known = _known(shift, len(panel.y), len(scores))
    shift, unchecked = (
        (known, "")
        if known is not None
        else _shift(X, y, X_new, panel, check=check, random_state=random_state, n_jobs=n_jobs)
    )
    learned = chosen.learn(labelled)
    samples = _samples(scores, cut)
    intervals = bootstrap_intervals(chosen, labelled, samples, level=level, resamples=resamples, rng=random)
    others = {name: each.learn(labelled).estimate(samples) for name, each in METHODS.items() if name != chosen.name}
    labels = panel.classes_.tolist()
    found = Quantification(
        prevalence=dict(zip(labels, intervals[0], strict=True)),
        training=dict(zip(labels, labelled.prevalence.tolist(), strict=True)),
        others={name: dict(zip(labels, shares[0].tolist(), strict=True)) for name, shares in others.items()},
        method=chosen.name,
        model=model,
        briers=briers,
        unclipped=tuple(unclipped(labelled, comparable, random)),
        fit=mixture_fit(labelled, comparable, random),
        shift=shift,
        unchecked=unchecked,
        periods=_periods(cut, labels, intervals, others),
        by=by,
        every=None if cut is None else cut.every,
        n_undated=0 if cut is None else cut.n_missing,
        positive=_positive(panel, pos_label, labelled, [each.estimate for each in intervals[0]]),
        level=float(level),
        n_labelled=len(labelled.codes),
        n_new=len(scores),
        notes=(*learned.notes, *(f"{name!r} was left out: {why}" for name, why in panel.failures.items())),
    )
    if found.concerns:
        warn(CountsUnreliable(found.concerns[0]))
    return found


def _chosen(models: Any, method: str | None) -> Method:
    """Give the method, which a quantifier brings along."""
    several = models.values() if isinstance(models, Mapping) else models if isinstance(models, (list, tuple)) else ()
    if any(isinstance(each, Quantifier) for each in several):
        hint = "run_protocol compares quantifiers, and found.others has what all methods say"
        raise fault("models", "be classifiers, or one quantifier", f"{len(several)} quantifiers", hint)
    if isinstance(models, Quantifier):
        if method is not None:
            raise fault("method", "be left out with a quantifier, which has one", method, "give classifiers instead")
        return models.method
    name = _DEFAULT if method is None else method
    if name not in METHODS:
        raise unknown_name("method", "name a way to count", name, list(METHODS))
    return METHODS[name]


def _panel(models: Any, X: Any, y: Any, **how: Any) -> Panel:
    """Cross-fit what is not scored yet."""
    held = _held_panel(models)
    if how["cv"] is not None and (held is not None or isinstance(models, ClassifierQuantifier)):
        hint = "the scores are there already" if held is not None else "the quantifier has its own"
        raise fault("cv", "be left out with a Panel or a quantifier", how["cv"], hint)
    if held is not None:
        held.matches(X, y)
        return held
    _need_rows(X, y)
    if isinstance(models, ClassifierQuantifier):
        panel: Panel = _fresh(models, how["n_jobs"]).cross_fit(X, y)
        return panel
    settings = {name: value for name, value in how.items() if value is not None}
    return cross_fit(models, X, y, **settings)


def _own_scores(
    quantifier: Quantifier, X: Any, y: Any, X_new: Any, *, cv: Any, n_jobs: int | None
) -> tuple[Panel, Labelled]:
    """Let a quantifier without a classifier score both tables, as it does for itself."""
    if cv is not None:
        raise fault("cv", "be left out with a Panel or a quantifier", cv, "the quantifier has its own")
    if X_new is None:
        raise fault("X_new", "be given with a quantifier", None, "pass the rows to count")
    _need_rows(X, y)
    fitted = _fresh(quantifier, n_jobs).fit(X, y)
    name = type(quantifier).__name__
    labelled = fitted.labelled_
    labels = fitted.classes_[labelled.codes]
    return Panel.from_scores(labels, {name: labelled.probabilities}, new={name: fitted._scores(X_new)}), labelled


def _fresh(quantifier: Any, n_jobs: int | None) -> Any:
    """Copy a quantifier, which stays as it is; a classifier in it is cloned later, or used as it is where fitted."""
    copy = type(quantifier)(**quantifier.get_params(deep=False))
    return copy if n_jobs is None else copy.set_params(n_jobs=n_jobs)


def _need_rows(X: Any, y: Any) -> None:
    for name, given in (("X", X), ("y", y)):
        if given is None:
            raise fault(name, "be given with models", None, "pass quantify(models, X, y, X_new), or a Panel")


def _held_panel(models: Any) -> Panel | None:
    if isinstance(models, Panel):
        return models
    return models.unseen() if isinstance(models, ClassifierQuantifier) else None


def _briers(panel: Panel) -> dict[str, float]:
    """Give each model's Brier score on rows that it never saw, the lowest first."""
    from shiftproof.measures import measure

    tested = panel.tested
    found = {name: measure("brier", panel.y[tested], panel.out_of_fold[name][tested]).estimate for name in panel.names}
    return dict(sorted(found.items(), key=lambda each: each[1]))


def _model(models: Any, briers: dict[str, float]) -> str:
    if isinstance(models, ClassifierQuantifier) and models.model is not None:
        if models.model not in briers:
            raise unknown_name("model", "be a model of the panel", models.model, list(briers))
        return models.model
    return next(iter(briers))


def _new_scores(panel: Panel, model: str, X_new: Any, random_state: Seed) -> tuple[Floats, Floats]:
    """Give the scores to count by, and those that are made as the labelled rows' were."""
    if model in panel.new_scores:
        scores = panel.new_scores[model]
        if X_new is not None and as_features(X_new, "X_new").n_rows != len(scores):
            got = f"{as_features(X_new, 'X_new').n_rows:,} for {len(scores):,} scores"
            raise fault("X_new", "have the rows that the panel has scores of", Phrase(got), "align the two")
        return scores, scores
    if X_new is None:
        hint = "pass the rows to count"
        raise fault("X_new", "be given, or the panel have scores of new rows", None, hint)
    panel.require_models("counting new rows")
    with scoring("X_new"):
        comparable = panel.apply_by_fold(X_new, models=[model], random_state=random_state)[model]
        return (panel.apply(X_new, models=[model])[model] if panel.scorers else comparable), comparable


def _known(shift: Any, n: int, m: int) -> ShiftKind | None:
    """Refuse a kind of shift that is about other tables."""
    if shift is not None and not isinstance(shift, ShiftKind):
        raise fault("shift", "be what kind_of_shift gives", shift, "leave it out to find it here")
    if shift is not None and (shift.n_reference, shift.n_current) != (n, m):
        got = f"one of {shift.n_reference:,} and {shift.n_current:,} rows for {n:,} and {m:,}"
        raise fault("shift", "be about these tables", Phrase(got), "leave it out")
    return shift


def _shift(
    X: Any, y: Any, X_new: Any, panel: Panel, *, check: bool, random_state: Seed, n_jobs: int | None
) -> tuple[ShiftKind | None, str]:
    """Ask the features for the kind of shift, or say why they cannot tell."""
    if not check:
        return None, "the features were not to be looked at"
    absent = [name for name, table in (("X", X), ("X_new", X_new)) if table is None]
    if absent:
        return None, f"without {' and '.join(absent)} there are no features to compare"
    labels = panel.classes_[panel.y] if y is None else y
    try:
        return kind_of_shift(X, labels, X_new, random_state=random_state, n_jobs=n_jobs), ""
    except InputError as error:
        return None, f"the features cannot be compared: {error.clause}"


def _without_by(X: Any, X_new: Any, by: str | None, every: str | None) -> tuple[Any, Any, PeriodCut | None]:
    """Cut the new rows into periods, and leave the column that says when out of both tables."""
    if by is None:
        if every is not None:
            raise fault(
                "every", "be left out without by", every, Phrase("name the column of dates by ", Argument("by", ...))
            )
        return X, X_new, None
    if X_new is None:
        raise fault("X_new", f"be given with by={by!r}", None, "pass the rows to count")
    new = as_table(X_new, "X_new")
    if by not in new.names:
        raise unknown_name("by", "name a column of X_new", by, new.names)
    if not new.n_rows:
        raise fault("X_new", "hold at least one row", 0, "check the filter or the file it came from")
    return without_columns(X, [by]), without_columns(X_new, [by]), cut_periods(new.column(by), every)


def _samples(scores: Floats, cut: PeriodCut | None) -> Samples:
    """Give all rows as one sample, then each period that has rows."""
    periods = [] if cut is None else [rows for _, _, _, rows in cut.periods if len(rows)]
    return Samples.from_lists(scores, [np.arange(len(scores)), *periods])


def _periods(
    cut: PeriodCut | None, labels: list[Any], intervals: list[list[Interval]], others: dict[str, Floats]
) -> tuple[PeriodShares, ...]:
    """Give the shares of each period; those of all rows come first in what was estimated."""
    telling = np.array([shares for name, shares in others.items() if name not in NAIVE])
    periods, place = [], 0
    for name, start, end, rows in cut.periods if cut is not None else []:
        held: dict[Any, Interval] = {}
        spans: dict[Any, tuple[float, float]] = {}
        if len(rows):
            place += 1
            held = dict(zip(labels, intervals[place], strict=True))
            low, high = telling[:, place].min(axis=0).tolist(), telling[:, place].max(axis=0).tolist()
            spans = dict(zip(labels, zip(low, high, strict=True), strict=True))
        periods.append(PeriodShares(name=name, start=start, end=end, n_rows=len(rows), prevalence=held, others=spans))
    return tuple(periods)


def _positive(panel: Panel, pos_label: Any, labelled: Labelled, estimates: list[float]) -> Any:
    """Give the class to tell first: as asked, the second of two, or the one that changed most."""
    labels = panel.classes_.tolist()
    if pos_label is not None or len(labels) == 2:
        return labels[panel.positive(pos_label)]
    return labels[int(np.abs(np.array(estimates) - labelled.prevalence).argmax())]
