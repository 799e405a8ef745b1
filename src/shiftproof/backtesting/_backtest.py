"""The verb: replay the labelled past, period by period."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.backtesting._ages import losses_by_age
from shiftproof.backtesting._history import make_periods
from shiftproof.backtesting._keep import Kept, kept_in
from shiftproof.backtesting._plan import PlannedPeriod, Window, check_window, plan_periods, refuse_nothing_left
from shiftproof.backtesting._replay import OLDEST, LabelledPast, Replayed, replay
from shiftproof.backtesting._result import Backtest
from shiftproof.backtesting._timing import Timing, read_time
from shiftproof.case import SOFT_MEASURES, DecisionOptions, column_of, is_panel
from shiftproof.core import (
    InputError,
    Note,
    Seed,
    as_floats,
    check_fraction,
    check_jobs,
    check_row_order,
    fault,
    seed_number,
    suggests_arguments,
    warn,
    without_columns,
)
from shiftproof.data import Every, Piece
from shiftproof.selection import default_measure

if TYPE_CHECKING:
    from shiftproof.panel import Panel


@suggests_arguments
def backtest(
    models: object,
    X: object = None,
    y: object = None,
    time: object = None,
    *,
    every: Every | None = None,
    periods: int | None = None,
    start: int | None = None,
    window: Window = "expanding",
    measure: str | None = None,
    measures: Sequence[str] | str | None = None,
    benefit: object = None,
    table: object = None,
    threshold: float | None = None,
    pos_label: object = None,
    level: float = 0.9,
    cv: object = None,
    sample_weight: object = None,
    groups: object = None,
    exclude: Sequence[object] | None = None,
    keep: str | Path | None = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Backtest:
    """Replay your labelled past data: compare what would have been estimated for each period with the actual values.

    For each period, models are fitted once on the rows before it. Their accuracy in the period is estimated without its
    labels, as `estimate_performance` does for new data, and then compared with the labels. This shows on your own data
    how far cross-validation and our estimates were off, how often our intervals contained the actual value, and how
    models get worse with age. `estimate_performance` and `audit` can use the record, `Backtest.record`.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, estimator, or Panel
        Classifiers to cross-fit for each period. Or scores of a deployed model, from `Panel.from_scores` or
        ``cross_fit(..., cv="prefit")``: nothing is fitted then.
    X : table of any library or array; y : sequence of labels
        All labelled rows, in any order. Neither is needed with a panel of scores.
    time : name of a column of X, or sequence with one entry per row
        When each row was observed: dates, numbers, or text such as "2020-Q1". The column is not used as a feature, and
        neither is a copy of it. Times with a time zone are split in UTC. Rows without a time are left out.
    every : {"day", "week", "month", "quarter", "year"}, optional
        The length of a period of dates; by default, the length that gives 4 to 40 periods, as close to 12 as possible.
    periods : int, optional
        Split into this many periods of about equal size instead; rows with the same time stay together.
    start : int, optional
        Number of periods at the start that are used only for fitting; by default 2, or 1 if `window` is 1.
    window : "expanding" or int
        Fit on all rows before a period ("expanding"), or on the rows of the last `window` periods.
    measure : str, optional
        The measure for the summary of the past: "accuracy" (the default, or profit with a benefit), or another measure
        of `estimate_performance`.
    measures : str or sequence of str, optional
        What is estimated, as for `estimate_performance`; by default `measure` and the default measures. The first one
        is summarised.
    benefit : Benefit or BenefitMatrix, optional
        What right and wrong decisions are worth.
    table : table, optional
        A table with the columns that the benefit needs, row by row of X; by default X.
    threshold : float, optional
        Predict the positive class at this probability or above; by default, predict the most likely class.
    pos_label : label, optional
        The positive class; by default the second of two.
    level : float
        The nominal coverage of the intervals.
    cv : int, splitter or "prefit", optional
        Folds of each period's cross-fit, by default 5; "prefit" uses fitted models as they are.
    sample_weight, groups : array-like, optional
        As for `cross_fit`.
    exclude : sequence of column names, optional
        Columns to leave out.
    keep : path, optional
        A folder in which each period is saved as soon as it is replayed. A second run with the same rows, models and
        options reads them and continues where the first one stopped.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of folds and samples.
    n_jobs : int, optional
        Number of periods to replay in parallel.
    progress : bool, optional
        Whether to show a bar on standard error; by default on a terminal, after a second.

    Returns
    -------
    Backtest
        With `coverage()`, `record`, `ages`, `to_frame()`, `summary()`, `plot()` and `save()`.

    Raises
    ------
    InputError
        If there are too few periods, or none of them can be replayed.

    Warns
    -----
    TimeIsFeature
        If another column of X repeats the time; it is not used as a feature.

    Notes
    -----
    Models of every period are also tested on the periods after it, up to six, on at most 2,000 rows each. How much
    worse they are than refitted models shows when to refit.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(900, 2))
    >>> y = (X[:, 0] + rng.normal(size=900) > 0).astype(int)
    >>> result = backtest({"lr": LogisticRegression()}, X, y, np.arange(900), periods=6, measures="accuracy")
    >>> result.to_frame()[["period", "n", "covered"]]
           period    n  covered
    0  300 to 449  150     True
    1  450 to 599  150     True
    2  600 to 749  150     True
    3  750 to 899  150     True
    """
    check_fraction(level, "level", hint="0.9 means 90%")
    window, n_jobs = check_window(window), check_jobs(n_jobs)
    excluded = exclude if isinstance(exclude, (list, tuple)) else ()  # anything else is refused with the case
    no_features = {*map(str, excluded), *([time] if isinstance(time, str) else [])}
    along_rows = {"sample_weight": sample_weight, "groups": groups}
    scored = _scored(models, X, y, cv=cv, along_rows=along_rows, no_features=no_features)
    classes, codes = _labels(scored, X, y)
    timing = read_time(X, time, len(codes), every=every, periods=periods)
    weights, grouped, hidden = _along_rows(X, len(codes), sample_weight, groups)
    past = LabelledPast(
        models=None if scored is not None else models,
        scored=scored,
        X=X,
        # The benefit finds its columns in X unless there is another table.
        table=table if table is not None else X if benefit is not None else None,
        classes=classes,
        codes=codes,
        options=DecisionOptions(benefit=benefit, threshold=threshold, pos_label=pos_label),
        first=default_measure(measure, benefit),
        measures=measures,
        level=level,
        along_rows=weights | grouped,
        cv=None if scored is not None else cv,
        exclude=exclude,
        hidden=timing.hidden | hidden,
        seed=seed_number(random_state),
    )
    pieces = timing.cut.periods
    planned = plan_periods(pieces, codes, classes, window=window, start=start, fewest=past.fewest)
    refuse_nothing_left(planned)
    replayed = _replay_all(past, planned, pieces, kept_in(keep, past), n_jobs=n_jobs, progress=progress)
    return _result(past, timing, planned, replayed, window)


def _scored(
    models: object, X: object, y: object, *, cv: object, along_rows: dict[str, object], no_features: set[str]
) -> Panel | None:
    """Return the panel of a deployed model, or None if models are to be fitted."""
    if not is_panel(models):
        if not (isinstance(cv, str) and cv == "prefit"):
            return None
        from shiftproof.panel import cross_fit

        # A fitted model must not see what is not a feature, such as the time.
        features = X if X is None else without_columns(X, no_features)
        return cross_fit(
            models, features, y, cv="prefit", sample_weight=along_rows["sample_weight"], groups=along_rows["groups"]
        )
    if not models.deployed:
        raise fault(
            "models",
            "be classifiers or a deployed model's scores",
            models,
            "pass the classifiers: the models of this panel were fitted on all periods",
        )
    for name, value in (*along_rows.items(), ("cv", cv)):
        if value is not None:
            raise fault(name, "be left out with a Panel", value, "the panel has its own")
    models.matches(X, y)
    return models


def _labels(scored: Panel | None, X: object, y: object) -> Any:
    """Return the classes and the place of each row's label among them."""
    from shiftproof.panel import as_features, check_lengths, encode_labels

    if scored is not None:
        return scored.classes_, scored.y
    for name, value in (("X", X), ("y", y)):
        if value is None:
            raise InputError(f"{name} is missing; pass models, X, y and time, or a Panel of scores", argument=name)
    check_row_order(X, y, "y", of="X")
    classes, codes = encode_labels(y)
    check_lengths(as_features(X).n_rows, "label", "y", len(codes))
    if len(classes) < 2:
        raise fault("y", "contain at least two classes", classes.tolist(), "check the label column")
    return classes, codes


def _along_rows(
    X: object, n_rows: int, weight: object, groups: object
) -> tuple[dict[str, Any], dict[str, Any], frozenset[str]]:
    """Return weights and groups as arrays that can be cut, and the column to hide."""
    check_row_order(X, weight, "sample_weight", of="X")
    check_row_order(X, groups, "groups", of="X")
    values, hidden = column_of(X, groups, "groups")
    weights = {} if weight is None else {"sample_weight": as_floats(weight, "sample_weight")}
    grouped: dict[str, Any] = {}
    if values is not None:
        if not isinstance(values, Iterable):
            raise fault("groups", "be labels, one per row", values, "pass a list, an array or a series")
        # One entry per group: a list of tuples would become a matrix.
        labels = list(values)
        grouped = {"groups": np.empty(len(labels), dtype=object)}
        grouped["groups"][:] = labels
    for name, array in (weights | grouped).items():
        if len(array) != n_rows:
            raise fault(name, "have one entry per row", len(array), "align it with X")
    return weights, grouped, hidden


def _replay_all(
    past: LabelledPast,
    planned: Sequence[PlannedPeriod],
    pieces: Sequence[Piece],
    kept: Kept | None,
    *,
    n_jobs: int | None,
    progress: bool | None,
) -> dict[int, Replayed]:
    """Replay every period that can be, several at a time if requested; those that were kept are read."""
    from shiftproof.panel import run_all

    tasks = {}
    replayed: dict[int, Replayed] = {}
    for period in planned:
        if period.skipped is not None:
            continue
        later = [piece[3] for piece in pieces[period.place + 1 : period.place + 1 + OLDEST]]
        before = None if kept is None else kept.read(period.before, period.rows, later)
        if before is None:
            tasks[period.place] = (past, period.before, period.rows, later)
        else:
            replayed[period.place] = before
    rows_of = [task[1:] for task in tasks.values()]
    done = run_all(
        replay,
        list(tasks.values()),
        n_jobs=n_jobs,
        progress=progress,
        doing="replaying periods",
        # Here, as soon as a period is back: a worker of a cluster may not have the folder.
        on_result=None if kept is None else lambda place, one: kept.write(one, *rows_of[place]),
    )
    replayed |= dict(zip(tasks, done, strict=True))
    _say_once(replayed)
    return replayed


def _say_once(replayed: dict[int, Replayed]) -> None:
    """Give each warning once; if every period failed, raise the error of the last."""
    errors = [replayed[place].error for place in sorted(replayed)]
    if errors[-1] is not None and all(errors):
        raise errors[-1]
    for warning in {str(one): one for period in replayed.values() for one in period.caught}.values():
        warn(warning)


def _result(
    past: LabelledPast,
    timing: Timing,
    planned: Sequence[PlannedPeriod],
    replayed: dict[int, Replayed],
    window: Window,
) -> Backtest:
    made, record = make_periods(planned, replayed, level=past.level, noun=timing.cut.every or "period")
    aged_by = next((one.aged_by for one in replayed.values() if one.aged_by), "accuracy")
    ages = {place: replayed[place].ages for place in sorted(replayed) if replayed[place].ages}
    notes = {
        (note["code"], note["subject"]): Note(**note) for place in sorted(replayed) for note in replayed[place].notes
    }
    return Backtest(
        periods=made,
        record=record,
        ages=losses_by_age(ages, higher_is_better=SOFT_MEASURES[aged_by].higher_is_better, level=past.level),
        aged_by=aged_by,
        every=timing.cut.every,
        time=timing.named or "time",
        window=window,
        hidden=tuple(sorted(past.hidden)),
        n_undated=timing.cut.n_missing,
        level=past.level,
        positive=_positive(past),
        fits=sum(one.fits for one in replayed.values()),
        notes=tuple(notes.values()),
    )


def _positive(past: LabelledPast) -> Any:
    """Return the positive class: the one that was named, or the second of two."""
    if past.options.pos_label is not None:
        return past.options.pos_label
    return past.classes.tolist()[1 if len(past.classes) == 2 else 0]
