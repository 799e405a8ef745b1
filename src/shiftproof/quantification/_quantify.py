"""The verb: the class proportions of unlabelled rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from operator import itemgetter
from typing import Any

import numpy as np

from shiftproof.case import (
    FEWEST_LABELS,
    Assume,
    Case,
    DecisionOptions,
    Fitting,
    Known,
    in_one_thread,
    is_panel,
    label_pairs,
    names_scores,
    warn_of_one_class,
)
from shiftproof.core import (
    Argument,
    CountsUnreliable,
    InputError,
    Interval,
    LabelsOfOneClass,
    Note,
    Phrase,
    Seed,
    Sensitive,
    Table,
    as_table,
    check_flag,
    check_label,
    check_row_order,
    fault,
    generator,
    is_remote,
    listed,
    suggests_arguments,
    unknown_name,
    warn,
    without_columns,
)
from shiftproof.counting import RESAMPLES, Method, mixture_fit, named_method, unclipped
from shiftproof.data import PeriodCut, cut_periods
from shiftproof.quantification._estimates import DEFAULT_METHOD, EstimatedShares, QuantifyOptions, estimate_shares
from shiftproof.quantification._quantifier import Quantifier, given_quantifier
from shiftproof.quantification._result import NAIVE, PeriodShares, Quantification, informative
from shiftproof.quantification._scored import ScoredTables
from shiftproof.quantification._words import SKIPPED, refusal_sentences

# Enough for an interval that natural drift makes wide.
_FEW_RESAMPLES = 40


@suggests_arguments
def quantify(
    models: object,
    X: object = None,
    y: object = None,
    X_new: object = None,
    *,
    method: str | None = None,
    by: str | None = None,
    every: str | None = None,
    check: bool = True,
    pos_label: object = None,
    labels: object = None,
    level: float = 0.9,
    assume: Assume = "natural",
    resamples: int = RESAMPLES,
    cv: object = None,
    groups: object = None,
    sample_weight: object = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Quantification:
    """Estimate the class proportions of unlabelled rows, and say whether to trust the estimates.

    The default works under any type of shift. It joins two estimates: the mean of the models' calibrated probabilities,
    moved on because it follows a change only in part, and the count of the method "combined". The count weighs the more
    the data look as if only the class proportions changed.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, estimator, Panel, Quantifier, or dict of str to column
        Classifiers to cross-fit, or a panel of them, or of scores alone. With several models, counting methods use the
        one with the lowest Brier score on rows that it has not seen. A quantifier has its own classifier and method.
        Scores may be columns of both tables, with y the name of a column of labels, as for `audit`.
    X : table of any library or array; y : sequence of labels
        The labelled rows. With a panel or a fitted quantifier, they must be the rows it was made from; X is then needed
        only to check the features, and y is not needed. Nearest neighbours are always searched for again.
    X_new : table
        The rows to count, with the columns of X. Not needed with a panel that already has scores of new rows.
    method : str, optional
        One of `shiftproof.quantification.METHODS`, whose estimate is then used as is; they all assume that only the
        class proportions changed. With ``assume="prior shift"`` the default is "combined".
    by : str, optional
        The column of `X_new` with the time: dates, or at most 200 different values (numbers or text), each of which is
        a period. The shares are then also estimated for each period. The column is not used as a feature; times with a
        time zone are split in UTC.
    every : {"day", "week", "month", "quarter", "year"}, optional
        The length of a period of dates; by default, the length that gives 4 to 40 periods.
    check : bool
        Whether to use the features to test that only the class proportions changed, which all methods assume. This
        takes a second or two. The scores are always tested. Without the test, the estimate is that of the method
        "combined", which assumes that only the class proportions changed.
    pos_label : label, optional
        The class to report first; by default the second of two classes, or with more classes the one that changed most.
    labels : dict of row number to label, or sequence with one entry per new row, optional
        Labels of some new rows, at least ten, drawn at random or as a plan draws them; they correct the estimates
        whatever changed. Row numbers count from 0; in a sequence, None or NaN stands for an unknown label. With columns
        of scores and no other labelled rows, leave out X and y: the estimates then rest on these labels alone.
    level : float
        The nominal coverage of the intervals.
    assume : {"natural", "no drift", "prior shift"}
        What may have changed. "natural": all that changes a little between years, places and groups, as measured on
        pairs of real tables. "no drift": anything but the rules that link features to the label. "prior shift": nothing
        but the class proportions. Use the last two only if you know it.
    resamples : int
        Number of resamples for the intervals; with k > 4 classes, 4/k times that, but at least 40.
    cv : int, splitter or "prefit", optional
        Folds, as for `cross_fit`; not with a panel or a quantifier.
    groups : array-like of length n, or name of a column of X, optional
        Rows of one group are scored together, as in `cross_fit`; a column that is named here is not used as a feature.
        Not with a panel or a quantifier.
    sample_weight : array-like of shape (n,), optional
        Weights of the labelled rows. They are used for fitting, as in `cross_fit`, for the class proportions, and for
        everything that methods learn. Resamples draw rows together with their weights; rows of weight 0 are ignored.
        Not with a panel, which has its own weights, or a quantifier.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of folds, intervals and checks.
    n_jobs : int, optional
        Number of fits to run in parallel.
    progress : bool, optional
        Whether to show a bar on standard error while models are fitted and intervals are simulated.

    Returns
    -------
    Quantification
        With `prevalence`, `errors`, `range`, `assumption`, `to_frame()`, `summary()`, `plot()`, `plot_over_time()` and
        `save()`.

    Warns
    -----
    ShiftproofWarning
        If nothing is estimated, which makes all figures NaN: the new data are not the same kind of data, they are too
        few or, with ``assume="prior shift"``, more than the class proportions changed.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(1)
    >>> y = np.repeat(["no", "yes"], [800, 400])
    >>> X = rng.normal(size=(1200, 3)) + 2 * (y == "yes")[:, None]
    >>> y_new = np.repeat(["no", "yes"], [100, 300])
    >>> X_new = rng.normal(size=(400, 3)) + 2 * (y_new == "yes")[:, None]
    >>> counted = quantify(LogisticRegression(), X, y, X_new)
    >>> print(counted.prevalence["yes"])
    0.746 [0.723, 0.771]
    >>> counted.assumption
    'fits'
    >>> print(quantify(LogisticRegression(), X, y, X_new, assume="prior shift").prevalence["yes"])
    0.746 [0.730, 0.763]
    """
    quantifier = given_quantifier(models)
    if quantifier is not None and labels is not None:
        raise fault("labels", "be left out with a quantifier", Phrase("some"), "give classifiers or a panel instead")
    if by is not None and names_scores(models) and is_remote(X_new):
        # Rows of two queries may be in different orders.
        raise fault("by", "be left out for a table that is not in memory", by, "read the new rows into memory")
    cut = _cut(X_new, by, every)
    check_flag(check, "check")
    # Those who have no older labelled rows learn from the new ones.
    alone = X is None and y is None and labels is not None and not is_panel(models)
    if alone:
        X, y, X_new = _labelled_part(models, X_new, labels)
    options = QuantifyOptions(
        method=_method(quantifier, method),
        chosen=quantifier is not None or method is not None,
        cut=cut,
        by=by,
        alone=alone,
        check=check,
        level=level,
        resamples=resamples,
    )
    hidden = [] if by is None else [by]
    fitting: Fitting = {"cv": cv, "groups": groups, "sample_weight": sample_weight}
    if quantifier is not None:
        _refuse(fitting)
        # Before the case, which then finds a panel whatever the quantifier; None where it has scores of its own.
        models = quantifier.panel_for(without_columns(X, hidden), y, n_jobs=n_jobs)
    case = Case.of(
        models,
        X,
        y,
        X_new,
        purpose="estimating class proportions",
        new_required=True,
        options=DecisionOptions(pos_label=pos_label),
        hide=hidden,
        assume=assume,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
        **fitting,
    )
    known = None if labels is None else case.labels_of_new(labels)
    return quantify_case(case, options, None if quantifier is None else quantifier.score_case(case), known)


@in_one_thread
def quantify_case(
    case: Case, options: QuantifyOptions, tables: ScoredTables | None = None, known: Known | None = None
) -> Quantification:
    """Estimate the class proportions of the new data of a case, by default by the scores of its best model."""
    # Checks draw the same whether or not intervals were simulated.
    rng, checks = generator(case.seed), generator(case.seed)
    cut = options.cut
    tables = ScoredTables.of_case(case) if tables is None else tables
    shift = case.feature_shift if options.check else Note(code="not checked", detail=SKIPPED)
    labels = tables.classes.tolist()
    estimated = estimate_shares(
        case, tables, options, shift=None if isinstance(shift, Note) else shift, known=known, rng=rng
    )
    labelled = estimated.labelled[0]
    of_labels = () if known is None else case.label_notes(known, used=labelled)
    others = estimated.others
    prevalence = dict(zip(labels, estimated.intervals[0], strict=True))
    result = Quantification(
        prevalence=prevalence,
        errors=dict(zip(labels, estimated.errors[0], strict=True)),
        either=_by_label(labels, estimated.either),
        training=dict(zip(labels, tables.labelled.prevalence.tolist(), strict=True)),
        others={name: dict(zip(labels, shares[0].tolist(), strict=True)) for name, shares in others.items()},
        periods=_periods(cut, labels, estimated),
        # A quantifier with scores of its own has no panel.
        notes=tuple(Note(code="method", subject=options.method.name, detail=detail) for detail in estimated.notes)
        + (() if case.scored is None else (*case.left_out, *_cautions(case, options)))
        + (() if case.scored is None or isinstance(shift, Note) else case.shift_test_notes)
        + of_labels,
        method=estimated.method,
        model=tables.model,
        briers=tables.briers,
        unclipped=tuple(unclipped(tables.labelled, tables.comparable, checks)),
        fit=mixture_fit(tables.labelled, tables.comparable, checks),
        shift=None if isinstance(shift, Note) else shift,
        unchecked=shift.shown_detail if isinstance(shift, Note) else "",
        assume=case.assume,
        by=options.by,
        every=None if cut is None else cut.every,
        n_undated=0 if cut is None else cut.n_missing,
        positive=_positive(tables, case.options.pos_label, prevalence),
        level=float(options.level),
        n_labelled=len(tables.labelled.codes),
        n_labels=len(known) if known is not None and labelled else 0,
        n_new=len(tables.new),
    )
    warn_of_one_class(of_labels)
    refusal = refusal_sentences(result, chosen=options.chosen)
    if not refusal:
        return result
    if labelled:
        # Only what labels show is known.
        return result.without_guesses(estimated.labelled[1:])
    warn(CountsUnreliable(refusal[0]))
    return result.without_guesses(estimated.labelled[1:]).without_figures(
        refusal, _positive(tables, case.options.pos_label, None)
    )


def class_shares(case: Case, level: float, known: Known) -> dict[Any, Interval]:
    """Return the class proportions as `quantify` estimates them, for verbs that need nothing else of it.

    The estimates are the same, and the intervals up to the chance of fewer resamples. Empty where `quantify` does
    not stand by its figures.
    """
    options = QuantifyOptions(level=level, resamples=_FEW_RESAMPLES)
    shift = None if isinstance(case.feature_shift, Note) else case.feature_shift
    if case.assume == "prior shift":
        # Whether a count can be believed takes all checks, which natural drift makes unnecessary.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", (CountsUnreliable, LabelsOfOneClass))
            result = quantify_case(case, options, known=known)
        return dict(result.prevalence) if result.usable else {}
    tables = ScoredTables.of_case(case)
    estimated = estimate_shares(
        case, tables, options, shift=shift, known=known, rng=generator(case.seed), compare=False
    )
    if not estimated.labelled[0] and case.prospect.unknowable:
        return {}
    shares = dict(zip(tables.classes.tolist(), estimated.intervals[0], strict=True))
    return shares if informative(shares[_positive(tables, case.options.pos_label, shares)]) else {}


def _cautions(case: Case, options: QuantifyOptions) -> tuple[Note, ...]:
    """Return what is odd about the data; labelled rows that are new rows have their scores, of course."""
    return tuple(note for note in case.cautions if not (options.alone and note.code == "same scores"))


def _labelled_part(models: object, X_new: object, labels: object) -> tuple[Table, list[Any], Table]:
    """Give the scores of the new rows that have labels, those labels, and the scores of all new rows."""
    if not names_scores(models):
        raise InputError(
            "labels of new rows alone need verdicts, named by their column, as in {'judge': 'verdict'}; to use models, "
            "pass X and y"
        )
    new = as_table(X_new, "X_new")
    for name in models.values():
        if name not in new.names:
            raise unknown_name("models", "name columns of X_new with scores", name, new.names)
    scores = new.only(list(models.values()))
    check_row_order(X_new, labels, "labels", of="X_new")
    pairs = sorted(label_pairs(labels, new.n_rows), key=itemgetter(0))
    if len(pairs) < FEWEST_LABELS:
        hint = "label more rows drawn at random; no other rows have labels"
        raise fault("labels", f"hold at least {FEWEST_LABELS} labels", len(pairs), hint)
    known = [label for _, label in pairs]
    classes = list(dict.fromkeys(known))
    if len(classes) != 2:
        got = Sensitive(listed(classes, most=5))
        hint = "recode them" if len(classes) > 2 else "label more rows drawn at random, or add older labelled rows"
        raise fault("labels", "be of two classes", got, hint)
    if all(len(np.unique(scores.column(name).coded()[1])) < 2 for name in scores.names):
        hint = "without a verdict that varies, sp.stats.wilson(successes, n) gives the interval of the labels"
        raise fault("models", "name columns that vary", Phrase("the same score for all rows"), hint)
    if all(isinstance(label, float) and label.is_integer() for label in known):
        known = [int(label) for label in known]  # a column of 0 and 1 that has gaps holds 0.0 and 1.0
    return scores.take(np.array([row for row, _ in pairs])), known, scores


def _method(quantifier: Quantifier | None, method: str | None) -> Method:
    """Return the method, which a quantifier brings along."""
    if quantifier is not None:
        if method is not None:
            raise fault(
                "method", "be left out with a quantifier, which has its own", method, "give classifiers instead"
            )
        return quantifier.method
    return named_method(DEFAULT_METHOD if method is None else method)


def _refuse(fitting: Fitting) -> None:
    """Refuse settings of a cross-fit, which a quantifier has itself."""
    for name, value in fitting.items():
        if value is not None:
            raise fault(name, "be left out with a quantifier", value, "the quantifier has its own")


def _by_label(
    labels: list[Any], pair: tuple[list[Interval], list[Interval]] | None
) -> tuple[dict[Any, Interval], dict[Any, Interval]] | None:
    if pair is None:
        return None
    one, other = (dict(zip(labels, shares, strict=True)) for shares in pair)
    return one, other


def _cut(X_new: object, by: str | None, every: str | None) -> PeriodCut | None:
    """Cut the new rows into periods, where a column says when."""
    if by is None:
        if every is not None:
            raise InputError(Argument("every"), " needs ", Argument("by"), "; name the column of dates")
        return None
    if X_new is None:
        raise fault("X_new", f"be given with by={by!r}", hint="pass the rows to count")
    new = as_table(X_new, "X_new")
    if by not in new.names:
        raise unknown_name("by", "name a column of X_new", by, new.names)
    if not new.n_rows:
        raise fault("X_new", "hold at least one row", 0, "check the filter or the file it came from")
    return cut_periods(new.column(by), every)


def _periods(cut: PeriodCut | None, labels: list[Any], estimated: EstimatedShares) -> tuple[PeriodShares, ...]:
    """Give the shares of each period; those of all rows come first in what was estimated."""
    # Methods that do not correct would stretch the range without saying anything about it.
    corrected = np.array([shares for name, shares in estimated.others.items() if name not in NAIVE])
    ends = np.stack([corrected.min(axis=0), corrected.max(axis=0)], axis=2)
    of_periods = iter(zip(estimated.intervals[1:], estimated.errors[1:], ends[1:].tolist(), strict=True))
    periods = []
    for name, start, end, rows in cut.periods if cut is not None else []:
        # A period without rows was not estimated.
        shares, errors, ranges = next(of_periods) if len(rows) else ([], [], [])
        periods.append(
            PeriodShares(
                name=name,
                start=start,
                end=end,
                n_rows=len(rows),
                prevalence=dict(zip(labels, shares, strict=False)),
                errors=dict(zip(labels, errors, strict=False)),
                others=dict(zip(labels, map(tuple, ranges), strict=False)),
            )
        )
    return tuple(periods)


def _positive(tables: ScoredTables, pos_label: object, prevalence: Mapping[Any, Interval] | None) -> Any:
    """Give the class to report first: as asked, the second of two, or the one that changed most.

    Where nothing is estimated, the most frequent of more than two classes stands for all.
    """
    labels, shares = tables.classes.tolist(), tables.labelled.prevalence
    if pos_label is None:
        changes = (
            shares
            if prevalence is None
            else [abs(prevalence[label].estimate - share) for label, share in zip(labels, shares, strict=True)]
        )
        return labels[1] if len(labels) == 2 else labels[int(np.argmax(changes))]
    # The label of the data: 1 and True are equal, and the result is looked up by either.
    return labels[check_label(pos_label, labels)]
