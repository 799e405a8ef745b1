"""The verb: cross-fit once, then ask everything."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from scipy import sparse

from shiftproof.auditing._result import Audit, Stage
from shiftproof.core import (
    Argument,
    InputError,
    Phrase,
    ResultUnreliable,
    Seed,
    as_table,
    check_choice,
    check_fraction,
    fault,
    shown,
    unknown_name,
    without_columns,
)
from shiftproof.detection import Detection, detect
from shiftproof.evaluation import Evaluation, evaluate
from shiftproof.measures import Benefit
from shiftproof.panel import Panel, as_features, cross_fit, fingerprint_features, is_texts, named_models, warn_refitted
from shiftproof.quantification import Quantification, quantify
from shiftproof.selection import MEASURES, Performance, Selection, estimate_performance, select
from shiftproof.shift import ShiftKind

_QUICK_FOLDS, _QUICK_RESAMPLES = 5, 100


def audit(
    models: Any,
    X: Any = None,
    y: Any = None,
    X_new: Any = None,
    *,
    measure: str | None = None,
    tolerance: float = 0.05,
    benefit: Any = None,
    table: Any = None,
    new_table: Any = None,
    threshold: float | None = None,
    pos_label: Any = None,
    labels: Any = None,
    level: float = 0.9,
    alpha: float = 0.05,
    kinds: Mapping[Any, str] | None = None,
    exclude: Sequence[Any] | None = None,
    quick: bool = False,
    reverse: bool = True,
    cv: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
    on_stage: Callable[[str], None] | None = None,
) -> Audit:
    """Say whether classifiers may be trusted on rows that nobody has labelled, and why.

    Models are cross-fitted once. Then both tables are compared, the models evaluated, ranked for the new rows, their
    performance there estimated and the classes there counted. A verdict stands on top: trust, trust with care, or do
    not trust, with at most five reasons.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, estimator, or Panel
        Classifiers to cross-fit, or a panel of them. With a panel of deployed models (``cv="prefit"``) or of scores
        alone nothing is fitted; what would have to be refitted is left out and named in `left_out`.
    X : table of any library or array; y : sequence of labels
        The labelled rows. With a panel they must be those it was made from; y is then not needed.
    X_new : table
        The new rows, with the columns of X. Not needed with a panel that has scores of new rows; without features
        nothing is said of what changed in them.
    measure : str, optional
        What models are ranked and judged by: "accuracy" (the default), "error", "precision", "recall", "f1", "auc",
        "brier", or "profit", which is the default with a benefit.
    tolerance : float
        How much worse than cross-validation claims a model may be; a sure loss of more is "do not trust". Of a profit
        it is that part.
    benefit : Benefit or BenefitMatrix, optional
        What right and wrong decisions are worth.
    table, new_table : tables, optional
        Where the benefit finds its columns, row by row of X and of X_new; by default there.
    threshold : float, optional
        Decide for the positive class from this probability on; by default for the likeliest class.
    pos_label : label, optional
        The positive class; by default the second of two.
    labels : dict of row number to label, or sequence with one entry per new row, optional
        Labels of some new rows, at least ten; they are used for ranking and estimates.
    level : float
        The nominal coverage of all intervals.
    alpha : float
        The level at which false discoveries among features are held.
    kinds : dict from column to kind, optional
        What you know better about features, as for `detect`.
    exclude : sequence of str, optional
        Columns that neither models nor comparisons shall see, such as a time stamp.
    quick : bool
        Five folds instead of ten, fewer resamples, no ReverseTesting.
    reverse : bool
        Whether to ask ReverseTesting for a second opinion on the ranking.
    cv : int, splitter or "prefit", optional
        Folds, as for `cross_fit`; not with a panel.
    sample_weight, groups : array-like, optional
        As for `cross_fit`; not with a panel. Groups may be named as a column of X.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of everything that is drawn.
    n_jobs : int, optional
        Fits at a time.
    progress : bool, optional
        Whether to show a bar on standard error while models are fitted.
    on_stage : callable, optional
        Called with the name of each stage as it begins.

    Returns
    -------
    Audit
        With `verdict`, `reasons`, the results of all parts, `summary()`, `save("report.html")`, and `verify(y_new)` for
        the day that labels arrive.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> X, X_new = rng.normal(size=(1200, 3)), rng.normal(size=(800, 3))
    >>> y, y_new = X[:, 0] + X[:, 1] > 0, X_new[:, 0] + X_new[:, 1] > 0
    >>> found = audit([LogisticRegression(), GaussianNB()], X, y, X_new, quick=True)
    >>> found.verdict, found.best
    ('trust', 'LogisticRegression')
    >>> found.verify(y_new).held
    True
    """
    check_fraction(tolerance, "tolerance", hint="0.05 means five points of accuracy")
    check_fraction(level, "level", hint="0.9 means 90 %")
    measure = _checked(measure, benefit)
    X, X_new = _without(exclude, X, X_new)
    X, X_new, groups = _grouped(groups, X, X_new)
    job = _Job(
        tables={"X": X, "y": y, "X_new": X_new},
        clock=_Clock(on_stage),
        measure=measure,
        rule={"benefit": benefit, "table": table, "threshold": threshold, "pos_label": pos_label},
        new={"new_table": new_table, "labels": labels},
        drawn={"random_state": random_state, "n_jobs": n_jobs},
        level=float(level),
        quick=quick,
        progress=progress,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResultUnreliable)  # the audit says it itself
        panel, fits = _fitted(job, models, {"cv": cv, "sample_weight": sample_weight, "groups": groups})
        detection, undetected = _detected(job, panel, alpha=alpha, kinds=kinds)
        evaluation = _evaluated(job, panel)
        shift = None if detection is None else detection.kind
        selection = _selected(job, panel, shift, reverse=reverse)
        performance = _estimated(job, panel, selection.shift)
        quantification = _counted(job, panel, shift)
    return Audit(
        evaluation=evaluation,
        detection=detection,
        selection=selection,
        performance=performance,
        quantification=quantification,
        measure=job.measure,
        tolerance=float(tolerance),
        left_out=_left_out(panel, selection, undetected, quick=quick),
        stages=tuple(job.clock.stages),
        fits=fits + selection.reverse_fits,
        seed=random_state if isinstance(random_state, int) else None,
        fingerprints=_fingerprints(panel, X_new),
    )


class _Clock:
    """Says which stage begins, and keeps how long each took."""

    def __init__(self, on_stage: Callable[[str], None] | None) -> None:
        self.stages: list[Stage] = []
        self._say = on_stage

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        if self._say is not None:
            self._say(name)
        began = time.perf_counter()
        yield
        self.stages.append(Stage(name=name, seconds=time.perf_counter() - began))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Job:
    """What all parts are asked about: the tables, the rule of decisions, and how to draw."""

    tables: Mapping[str, Any]
    clock: _Clock
    measure: str
    rule: Mapping[str, Any]
    new: Mapping[str, Any]
    drawn: Mapping[str, Any]
    level: float
    quick: bool
    progress: bool | None

    @property
    def paid(self) -> bool:
        return self.rule["benefit"] is not None


def _checked(measure: str | None, benefit: Any) -> str:
    """Refuse measures that cannot be had before anything is fitted."""
    chosen = measure if measure is not None else "accuracy" if benefit is None else "profit"
    check_choice(chosen, "measure", tuple(MEASURES))
    if chosen == "profit" and benefit is None:
        raise InputError(
            Argument("measure", "profit"), " needs a benefit; pass ", Argument("benefit", Phrase("sp.Benefit(...)"))
        )
    return chosen


def _without(exclude: Sequence[Any] | None, X: Any, X_new: Any) -> tuple[Any, Any]:
    """Leave columns out of both tables."""
    if not exclude:
        return X, X_new
    if isinstance(exclude, str):
        raise fault("exclude", "be a list of column names", exclude, Phrase("write ", Argument("exclude", [exclude])))
    there = [name for each in (X, X_new) if each is not None for name in as_table(each).names]
    unknown = [str(name) for name in exclude if str(name) not in there]
    if unknown:
        raise unknown_name("exclude", "name columns of the tables", unknown[0], dict.fromkeys(there))
    names = frozenset(map(str, exclude))
    return tuple(each if each is None else without_columns(each, names) for each in (X, X_new))  # type: ignore[return-value]


def _grouped(groups: Any, X: Any, X_new: Any) -> tuple[Any, Any, Any]:
    """Take groups that are named as a column out of the tables, where no model and no comparison shall see them."""
    if not isinstance(groups, str) or X is None:
        return X, X_new, groups
    names = as_table(X).names
    if groups not in names:
        raise unknown_name("groups", "name a column of X, or be one label per row", groups, names)
    of_rows = list(as_table(X).column(groups).cells())
    hidden = frozenset([groups])
    return without_columns(X, hidden), X_new if X_new is None else without_columns(X_new, hidden), of_rows


def _fitted(job: _Job, models: Any, how: Mapping[str, Any]) -> tuple[Panel, int]:
    """Cross-fit what is not scored yet; also give how many fits that took."""
    X, y = job.tables["X"], job.tables["y"]
    given = {name: value for name, value in how.items() if value is not None}
    with job.clock.stage("cross-fitting"):
        if isinstance(models, Panel):
            if given:
                name, value = next(iter(given.items()))
                raise fault(name, "be left out with a Panel", value, "give it to cross_fit, which makes the panel")
            models.matches(X, y)
            return models, 0
        if X is None or y is None:
            absent = "X" if X is None else "y"
            raise fault(absent, "be given with models", None, "pass audit(models, X, y, X_new), or a Panel")
        hidden = job.rule["benefit"].actual_columns if isinstance(job.rule["benefit"], Benefit) else frozenset()
        if job.quick and "cv" not in given:
            warn_refitted(named_models(models))
            given["cv"] = _QUICK_FOLDS
        panel = cross_fit(models, without_columns(X, hidden), y, progress=job.progress, **given, **job.drawn)
    return panel, panel.n_fits


def _detected(job: _Job, panel: Panel, *, alpha: float, kinds: Any) -> tuple[Detection | None, str]:
    """Compare the tables, or say why that cannot be done."""
    X, X_new = job.tables["X"], job.tables["X_new"]
    with job.clock.stage("comparing tables"):
        absent = " and ".join(name for name, each in (("X", X), ("X_new", X_new)) if each is None)
        if absent:
            return None, f"without {absent} there are no features to compare"
        if any(is_texts(each) or sparse.issparse(each) for each in (X, X_new)):
            return None, "texts and sparse matrices are not compared feature by feature"
        return detect(X, X_new, panel=panel, alpha=alpha, kinds=kinds, **job.drawn), ""


def _evaluated(job: _Job, panel: Panel) -> Evaluation:
    rule = dict(job.rule)
    if job.paid:
        rule["table"] = job.tables["X"] if rule["table"] is None else rule["table"]
    else:
        del rule["benefit"], rule["table"]
        if len(panel.classes_) > 2:
            del rule["pos_label"]  # every class is taken against the rest
    with job.clock.stage("evaluating"):
        return evaluate(panel, measure=job.measure, level=job.level, **rule)


def _selected(job: _Job, panel: Panel, shift: ShiftKind | None, *, reverse: bool) -> Selection:
    wanted = reverse and not job.quick and not panel.deployed
    with job.clock.stage("selecting"):
        return select(
            panel,
            **job.tables,
            measure=job.measure,
            reverse=wanted,
            shift=shift,
            progress=job.progress,
            **job.rule,
            **job.new,
            **job.drawn,
        )


def _estimated(job: _Job, panel: Panel, shift: ShiftKind) -> Performance:
    """Estimate the measure that ranks, then the usual ones."""
    several = len(panel.classes_) > 2 and job.rule["pos_label"] is None
    usual = ["accuracy", "brier"] if several else ["accuracy", "f1", "auc", "brier"]
    measures = [*dict.fromkeys([job.measure, *usual, *(["profit"] if job.paid else [])])]
    with job.clock.stage("estimating"):
        return estimate_performance(
            panel, measures=measures, level=job.level, shift=shift, **job.tables, **job.rule, **job.new, **job.drawn
        )


def _counted(job: _Job, panel: Panel, shift: ShiftKind | None) -> Quantification:
    fewer: dict[str, Any] = {"resamples": _QUICK_RESAMPLES} if job.quick else {}
    with job.clock.stage("counting"):
        return quantify(
            panel,
            **job.tables,
            check=shift is not None,
            shift=shift,
            pos_label=job.rule["pos_label"],
            level=job.level,
            **fewer,
            **job.drawn,
        )


def _left_out(panel: Panel, selection: Selection, undetected: str, *, quick: bool) -> dict[str, str]:
    """Name what was not asked, and why."""
    found = {f"model {shown(name)}": str(why) for name, why in panel.failures.items()}
    if undetected:
        found["what changed, feature by feature"] = undetected
    if selection.reverse is None:
        why = "quick was asked for" if quick else selection.unreversed
        found["ReverseTesting"] = "it would refit deployed models" if panel.deployed else why
    return found


def _fingerprints(panel: Panel, X_new: Any) -> dict[str, str]:
    """Give hashes of what was looked at, so that a report can be matched with its data."""
    features, labels = panel.fingerprint.split("-")
    found = {"labelled features": features, "labels": labels}
    if X_new is not None:
        found["new features"] = fingerprint_features(as_features(X_new, "X_new"))
    return {name: value for name, value in found.items() if value}
