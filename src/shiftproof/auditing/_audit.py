"""The verb: make one case of models and tables, then ask every other verb about it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from shiftproof.auditing._past import replay_past
from shiftproof.auditing._question import Question
from shiftproof.auditing._result import Audit, Stage
from shiftproof.auditing._without import columns_to_try, estimate_without, new_values
from shiftproof.backtesting import Backtest
from shiftproof.case import (
    Assume,
    Case,
    DecisionOptions,
    Fitting,
    Running,
    feature_importance,
)
from shiftproof.core import (
    LabelsOfOneClass,
    Phrase,
    ResultUnreliable,
    Seed,
    check_flag,
    check_fraction,
    listed,
    seed_number,
    shown,
    suggests_arguments,
)
from shiftproof.counting import RESAMPLES
from shiftproof.data import Every
from shiftproof.detection import detect_case
from shiftproof.evaluation import EvaluateOptions, evaluate_case
from shiftproof.quantification import QuantifyOptions, quantify_case
from shiftproof.selection import Selection, SelectOptions, default_measure, estimate_case, note_text, select_case

# Half of the resamples behind intervals of class proportions.
_QUICK_RESAMPLES = 100

# Notes about labels of new rows that speak against the estimates.
_LABEL_CAUTIONS = ("labels of one class", "labels of chosen rows")


@suggests_arguments
def audit(
    models: object,
    X: object = None,
    y: object = None,
    X_new: object = None,
    *,
    measure: str | None = None,
    tolerance: float = 0.05,
    benefit: object = None,
    table: object = None,
    new_table: object = None,
    threshold: float | None = None,
    pos_label: object = None,
    labels: object = None,
    level: float = 0.9,
    assume: Assume = "natural",
    alpha: float = 0.05,
    kinds: Mapping[Any, str] | None = None,
    exclude: Sequence[object] | None = None,
    time: object = None,
    every: Every | None = None,
    periods: int | None = None,
    quick: bool = False,
    reverse: bool = True,
    cv: object = None,
    sample_weight: object = None,
    groups: object = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
    on_stage: Callable[[str], None] | None = None,
) -> Audit:
    """Decide whether classifiers can be trusted on unlabelled data, and say why.

    Models are cross-fitted once. Then the tables are compared, the models are evaluated and ranked for the new data,
    and their performance and the class proportions on the new data are estimated. The verdict is "trust", "trust with
    care", "do not trust" or "cannot tell", with at most five reasons.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, estimator, Panel, or dict of str to column
        Classifiers to cross-fit, or a panel of them. With a panel of deployed models (``cv="prefit"``) or of scores
        alone, nothing is fitted; steps that need a refit are skipped and named in `left_out`. Scores can also be
        columns of both tables, ``{"model": "column"}``; tables that are not in memory need scores in this form.
    X : table of any library or array; y : sequence of labels
        The labelled rows. With a panel, they must be the rows it was made from; y is then not needed. With columns of
        scores, X may be a table that is not in memory, and y the name of its column of labels.
    X_new : table
        The new rows, with the columns of X. Not needed with a panel that has scores of new rows; without features, the
        audit cannot say which features changed.
    measure : str, optional
        The measure that models are ranked and judged by: "accuracy" (the default), "error", "precision", "recall",
        "f1", "auc", "brier", or "profit", which is the default with a benefit.
    tolerance : float
        How much worse than its validated figure a model may be. If a larger loss has a chance above 0.5, the verdict is
        "do not trust"; if its chance is below 0.1, it is "trust". For a profit, the tolerance is a share of the stake:
        the difference in benefit between the best and the worst decision, averaged over the labelled rows. If both
        errors cost 1, the stake is 1, and 0.05 means five errors in a hundred rows.
    benefit : Benefit or BenefitMatrix, optional
        What right and wrong decisions are worth.
    table, new_table : tables, optional
        Tables with the columns that the benefit needs, row by row of X and X_new; by default X and X_new.
    threshold : float, optional
        Predict the positive class at this probability or above; by default, predict the most likely class.
    pos_label : label, optional
        The positive class; by default the second of two.
    labels : dict of row number to label, or sequence with one entry per new row, optional
        Labels of some new rows, at least ten; they are used for ranking and estimates. Row numbers count from 0; they
        are not index values. In a sequence, None or NaN stands for an unknown label.
    level : float
        The nominal coverage of all intervals.
    assume : {"natural", "no drift", "prior shift"}
        What may have changed. "natural": all that changes a little between years, places and groups, as measured on
        pairs of real tables. "no drift": anything but the rules that link features to the label. "prior shift": nothing
        but the class proportions. Use the last two only if you know it.
    alpha : float
        The expected share of false discoveries among the features reported as shifted.
    kinds : dict from column to kind, optional
        Kinds of columns to override, as for `detect`. A column named here is used even if it would be left out
        otherwise, such as an identifier.
    exclude : sequence of str, optional
        Columns that models and comparisons ignore, such as a time stamp.
    time : name of a column of X, or sequence with one entry per labelled row, optional
        When each labelled row was observed. The labelled past is then replayed, as in `backtest`, and intervals get
        narrower or wider depending on how far estimates were off. The column is not used as a feature.
    every : {"day", "week", "month", "quarter", "year"}, optional
        The length of a period of `time`.
    periods : int, optional
        Number of periods of equal size to replay instead.
    quick : bool
        Whether to use five folds instead of ten and fewer resamples, and to skip ReverseTesting.
    reverse : bool
        Whether to add ReverseTesting as a second opinion on the ranking.
    cv : int, splitter or "prefit", optional
        Folds, as for `cross_fit`; not with a panel.
    sample_weight, groups : array-like, optional
        As for `cross_fit`; not with a panel. `groups` may be the name of a column of X.
    random_state : int, Generator, RandomState, SeedSequence or None
        The random seed.
    n_jobs : int, optional
        Number of fits to run in parallel.
    progress : bool, optional
        Whether to show a bar on standard error while models are fitted.
    on_stage : callable, optional
        Called with the name of each stage when it begins.

    Returns
    -------
    Audit
        With `verdict`, `reasons`, the results of all parts, `summary()`, `save("report.html")`, and `verify(y_new)` for
        when labels arrive.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> X, X_new = rng.normal(size=(1200, 3)), rng.normal(size=(800, 3))
    >>> y, y_new = X[:, 0] + X[:, 1] > 0, X_new[:, 0] + X_new[:, 1] > 0
    >>> result = audit([LogisticRegression(), GaussianNB()], X, y, X_new, quick=True)
    >>> result.verdict, result.best
    ('trust', 'LogisticRegression')
    >>> result.verify(y_new).covered
    True
    """
    options = _Options(
        measure=default_measure(measure, benefit),
        labels=labels,
        tolerance=tolerance,
        level=level,
        alpha=alpha,
        quick=quick,
        reverse=reverse,
    )
    question = Question(
        *(models, X, y, X_new),
        decisions=DecisionOptions(
            benefit=benefit, table=table, new_table=new_table, threshold=threshold, pos_label=pos_label
        ),
        kinds=kinds,
        exclude=exclude,
        assume=assume,
        fitting=Fitting(cv=cv, sample_weight=sample_weight, groups=groups),
        # Drawn from once, so that the past and the audit have the same seed.
        running=Running(random_state=seed_number(random_state), n_jobs=n_jobs, progress=progress),
    )
    clock = _Clock(on_stage)
    past = None
    if time is not None or every is not None or periods is not None:
        with clock.stage("replaying the past"):
            past = replay_past(question, time, every=every, periods=periods, measure=options.measure, level=level)
    with clock.stage("cross-fitting"):
        case = question.case(past, quick=quick)
    return _audit(case, options, clock, past)


def _audit(case: Case, options: _Options, clock: _Clock, past: Backtest | None) -> Audit:
    """Ask every verb about a case."""
    measure, level, quick = options.measure, options.level, options.quick
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResultUnreliable)  # the audit says it itself
        # What several stages share, such as the type of shift, is timed in the first one that needs it.
        with clock.stage("comparing tables"):
            detection = None if case.tables.not_compared else detect_case(case, alpha=options.alpha)
        with clock.stage("measuring performance"):
            evaluation = evaluate_case(case, EvaluateOptions(measure=measure, level=level, alpha=options.alpha))
        with clock.stage("ranking models"):
            ranking = SelectOptions(
                measure=measure,
                labels=options.labels,
                # One fit for every pair of models, which a quick audit spares.
                reverse=options.reverse and not quick,
                without_reverse="quick" if quick else "not requested",
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LabelsOfOneClass)  # the estimate warns of the same labels
                selection = select_case(case, ranking)
        with clock.stage("estimating class proportions"):
            resamples = _QUICK_RESAMPLES if quick else RESAMPLES
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", LabelsOfOneClass)
                known = case.labels_of_new(options.labels)
                quantification = quantify_case(case, QuantifyOptions(level=level, resamples=resamples), known=known)
        with clock.stage("estimating performance"):
            # Headline and plot of an estimate use its first measure, so the one that ranks comes first.
            shares = quantification.prevalence if quantification.usable else {}
            performance = estimate_case(case, first=measure, labels=options.labels, shares=shares, level=level)
        with clock.stage("measuring feature importance"):
            changed = [] if detection is None else list(dict.fromkeys(row.feature for row in detection.rows))
            importance = feature_importance(case, selection.best, changed)
    unknown = new_values(case.tables) if performance.refused else ()
    trial = columns_to_try(case, unknown)
    without = None
    if trial and not quick:
        with clock.stage(f"trying without {listed(one.column for one in trial)}"):
            without = estimate_without(case, trial, selection.best, measure, level)
    return Audit(
        evaluation=evaluation,
        detection=detection,
        selection=selection,
        performance=performance,
        quantification=quantification,
        measure=measure,
        tolerance=options.tolerance,
        left_out=_left_out(case, selection),
        stages=tuple(clock.stages),
        # `selection.fits` contains those of the panel, which are counted once.
        fits=case.n_fits
        + selection.reverse_fits
        + sum(0 if extra is None else extra.fits for extra in (without, past)),
        # A generator was turned into this number, so it repeats the audit either way.
        seed=case.seed,
        fingerprints=_fingerprints(case),
        made=datetime.now(UTC),
        importance=importance,
        cautions=(*case.cautions, *(note for note in performance.notes if note.code in _LABEL_CAUTIONS)),
        new_values=unknown,
        without=without,
        # Without any column there would be nothing to estimate from.
        untried=tuple(one.column for one in trial) if quick and trial and len(trial) < len(case.tables.tested) else (),
        past=past,
        panel_given=not case.tables.modelled and bool(case.panel.scorers or case.panel.fold_scorers),
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
        began = perf_counter()
        yield
        # No `finally`: a stage that raises ends the audit, and nobody reads its time.
        self.stages.append(Stage(name=name, seconds=perf_counter() - began))


@dataclass(frozen=True, kw_only=True)
class _Options:
    """What the parts of one audit are asked for; see `audit`."""

    measure: str
    labels: object
    tolerance: float
    level: float
    alpha: float
    quick: bool
    reverse: bool

    def __post_init__(self) -> None:
        check_fraction(self.tolerance, "tolerance", hint="0.05 means five points of accuracy")
        check_fraction(self.level, "level", hint="0.9 means 90%")
        check_flag(self.quick, "quick")
        check_flag(self.reverse, "reverse")


def _left_out(case: Case, selection: Selection) -> dict[str, Phrase]:
    """Name what was skipped, and why."""
    left_out = {
        f"model {shown(note.subject)}": Phrase(note.shown_detail)
        for note in case.notes
        if note.code in ("model left out", "model cannot score")
    }
    if case.tables.not_compared:
        left_out["what changed, feature by feature"] = Phrase(case.tables.not_compared)
    if selection.reverse_skipped is not None:
        left_out["ReverseTesting"] = note_text(selection.reverse_skipped)
    return left_out


def _fingerprints(case: Case) -> dict[str, str]:
    """Return hashes of both tables, so that a report can be matched with its data."""
    # The first part is empty for scores alone.
    features, labels = case.panel.fingerprint.split("-")
    hashes = {"labelled features": features, "labels": labels, "new features": case.new_fingerprint}
    return {name: value for name, value in hashes.items() if value}
