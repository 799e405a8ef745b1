"""The verb: fit every candidate once per fold, and score every row by models that never saw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import (
    Argument,
    CopiedRows,
    Failure,
    Floats,
    InputError,
    LabelsAlike,
    ModelsLeftOut,
    Phrase,
    Seed,
    Text,
    WeightsIgnored,
    all_failed,
    check_flag,
    fault,
    listed,
    suggests_arguments,
    warn,
)
from shiftproof.data import ColumnTypes
from shiftproof.panel._balancing import TrainingRows, balanced, with_odds
from shiftproof.panel._columns import chosen, columns_to_give
from shiftproof.panel._copies import copied_rows
from shiftproof.panel._fingerprint import fingerprint_labels
from shiftproof.panel._fitted import warn_refitted
from shiftproof.panel._folds import Sample, Split, along_rows, fold_table, make_splits, time_order
from shiftproof.panel._inputs import (
    Features,
    as_features,
    check_lengths,
    check_order,
    check_weights,
    encode_known,
    encode_labels,
    fingerprint_features,
    take,
)
from shiftproof.panel._named_models import named_models
from shiftproof.panel._panel import Panel
from shiftproof.panel._progress import run_all
from shiftproof.panel._scoring import Calibrator, Raw, Scorer, fit_calibrator, own_decisions, raw_scores

# Kohavi (1995) finds ten stratified folds best for choosing between models.
_FOLDS = 10


@suggests_arguments
def cross_fit(
    models: object,
    X: object,
    y: object,
    *,
    cv: int | Literal["prefit"] | Any = None,
    repeats: int = 1,
    groups: object = None,
    time: object = None,
    sample_weight: object = None,
    balance: bool = False,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    refit: bool = True,
    progress: bool | None = None,
) -> Panel:
    """Score every row with models that have not seen it, for one or many classifiers.

    Each model is cloned and fitted once per fold, and once on all rows. If it has no ``predict_proba``, its decision
    values are calibrated out of fold: by logistic regression (Platt's sigmoid) on the out-of-fold values of the rows
    that the fold's model was trained on.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, or estimator
        Classifiers that follow scikit-learn: ``fit`` and ``predict_proba`` or ``decision_function``. They are not
        changed.
    X : table of any library, 2-D array, sparse matrix, or list of texts
        The features, n rows. The estimators get arrays as they are and tables as pandas.
    y : sequence of labels of length n
        Text, numbers, booleans or categories, in the order of X's rows; rows are matched by position. A pandas index
        with the same labels as X's index in a different order is refused.
    cv : int, splitter or "prefit", optional
        The number of stratified, shuffled folds (of whole groups with `groups`, of blocks in time with `time`), by
        default 10; or anything with scikit-learn's ``split``, or pairs of row numbers; or "prefit" for deployed
        models, which are neither cloned nor fitted: X must then be rows that they have not seen.
    repeats : int
        Number of times to repeat the split.
    groups : array-like of length n, or name of a column of X
        Rows of one group, such as a customer, are tested together. The column is then not used as a feature.
    time : array-like of length n, or name of a column of X
        Moments (numbers or dates). The rows are cut into `cv` + 1 blocks in time; each block but the first is tested by
        a model fitted on all earlier rows. The column is then not used as a feature.
    sample_weight : array-like of shape (n,), optional
        Passed to every model whose ``fit`` accepts it; a warning names the others.
    balance : bool
        Whether each model is fitted on the same number of rows from each class: as many as the rarest class has, drawn
        without replacement. Models are tested on all rows. Probabilities are converted back to the class proportions of
        all training rows (Bayes' rule), so that they can be compared with those of other models and used for decisions.
        To decide as the model would on balanced classes, pass the share of the positive class as `threshold` to
        functions such as `evaluate`.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of the folds, and of the rows that are drawn to balance. The estimators use their own seeds.
    n_jobs : int, optional
        Number of fits to run in parallel, as in joblib; `joblib.parallel_config` is respected. Each fit runs on one
        thread, so that the numbers do not depend on this.
    refit : bool
        Whether to fit on all rows too, for `Panel.apply`.
    progress : bool, optional
        Whether to show a bar on standard error; by default on a terminal, after a second.

    Returns
    -------
    Panel
        Out-of-fold probabilities, folds and models.

    Raises
    ------
    InputError
        If the labels do not allow these folds, or every model fails.

    Warns
    -----
    ShiftproofWarning
        If a model fails in any fold: it is left out and named in `Panel.failures`. If a model does not accept weights.
    RefittedModel
        If a model is already fitted and `cv` is not given: it is cloned and fitted again.
    CopiedRows
        If at least 2% of the rows are tested by a model that was trained on an exact copy, label included. Rows that
        are equal by chance, because columns have few distinct values, do not count. To tell copies from chance, the
        columns are split at random into two halves, ten times. Rows that are equal in one half are more likely than
        others to be equal in the other half: by a factor of up to 11 in real tables with chance repeats, and by
        hundreds for copies. Equal rows count as copies if the factor is above 25 for each split. In a table of one
        column, they do if their values have more than three decimals or 30 letters. The rows of one class also count as
        copies if far more of them are repeated than in the other classes, and each about equally often.

    Notes
    -----
    With an integer seed and one repeat the folds are those of ``StratifiedKFold(cv, shuffle=True,
    random_state=random_state)``. The first block in time that is tested has no out-of-fold values before it; decision
    values are then calibrated on the training rows themselves.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> panel = cross_fit(LogisticRegression(max_iter=1000), X, y, cv=5)
    >>> panel
    Panel(LogisticRegression; 150 rows, 3 classes, 5 folds)
    >>> float((panel.predictions("LogisticRegression") == panel.y).mean().round(2))
    0.96
    """
    from sklearn.model_selection import TimeSeriesSplit

    balance, refit = check_flag(balance, "balance"), check_flag(refit, "refit")
    named = named_models(models)
    if cv is None:
        warn_refitted(named)
        cv = _FOLDS
    if isinstance(cv, str) and cv == "prefit":
        if balance:
            raise fault("balance", "be left out with deployed models", balance, "they are not fitted")
        return _prefit(named, X, y, sample_weight=sample_weight, groups=groups)
    sample, weights = _sample(X, y, groups, time, sample_weight)
    _warn_alike(sample.classes.tolist())
    splits = make_splits(sample, cv, repeats, random_state)
    n_copied = _warn_copied(sample, splits)
    _warn_unweighted(named, weights)
    # Last, all rows, of which nothing is tested.
    parts = [split.train for split in splits] + [None] * refit
    learnt = [TrainingRows(rows=part) for part in parts]
    if balance:
        learnt = balanced(parts, sample.codes, len(sample.classes), weights, random_state)
    outcomes = _fit_all(named, sample, splits, learnt, weights, n_jobs=n_jobs, progress=progress)
    # scikit-learn's own splitter orders rows in time without being given any moments.
    time_ordered = sample.time is not None or isinstance(cv, TimeSeriesSplit)
    panel = _cross_fitted_panel(outcomes, sample, splits, learnt, weights)
    return replace(panel, n_copied=n_copied, time_ordered=time_ordered, balanced=balance)


def _cross_fitted_panel(
    outcomes: Mapping[str, list[_FitOutcome]],
    sample: Sample,
    splits: list[Split],
    learnt: Sequence[TrainingRows],
    weights: Floats | None,
) -> Panel:
    """Join all fits of the models that never failed."""
    # One failed fold rules a model out: its other rows alone would be compared with all rows of the others.
    failures = {
        name: next(o.error for o in of_model if o.error)
        for name, of_model in outcomes.items()
        if any(o.error for o in of_model)
    }
    _warn_failures(failures, len(outcomes))
    folds = fold_table(splits, len(sample.codes))
    joined = {
        name: _join_folds(of_model, sample, splits, folds, weights, odds=[each.odds for each in learnt])
        for name, of_model in outcomes.items()
        if name not in failures
    }
    return Panel(
        classes_=sample.classes,
        y=sample.codes,
        out_of_fold={name: model.mean for name, model in joined.items()},
        fold_probabilities={name: model.probabilities for name, model in joined.items()},
        folds=folds,
        fingerprint=f"{fingerprint_features(sample.features)}-{fingerprint_labels(sample.classes, sample.codes)}",
        origin="cross-fitted",
        n_fits=sum(not outcome.error for of_model in outcomes.values() for outcome in of_model),
        fold_sizes=tuple(
            (len(split.train if part.rows is None else part.rows), len(split.test))
            for split, part in zip(splits, learnt, strict=False)
        ),
        feature_names=sample.features.names,
        named=sample.features.named,
        column_types=ColumnTypes.of(sample.features.data),
        failures=failures,
        sample_weight=weights,
        groups=sample.groups,
        decisions={name: model.decisions for name, model in joined.items() if model.decisions is not None},
        scorers={name: model.scorer for name, model in joined.items() if model.scorer is not None},
        fold_scorers={name: model.fold_scorers for name, model in joined.items()},
    )


@dataclass(frozen=True, eq=False)
class _FitOutcome:
    """One fit: the model, its scores of the test rows and what it predicts, or how it failed."""

    estimator: Any = None
    raw: Raw | None = None
    decisions: NDArray[np.int64] | None = None
    error: Failure | None = None


@dataclass(frozen=True, eq=False)
class _JoinedFolds:
    """All fits of one model, joined."""

    mean: Floats
    probabilities: Floats
    decisions: NDArray[np.int64] | None
    fold_scorers: list[list[Scorer]]
    scorer: Scorer | None


def _sample(X: object, y: object, groups: object, time: object, weight: object) -> tuple[Sample, Floats | None]:
    features = as_features(X)
    classes, codes = encode_labels(y)
    n = features.n_rows
    check_lengths(n, "label", "y", len(codes))
    check_order(X, y=y, groups=groups, time=time, sample_weight=weight)
    sample = Sample(
        features=features.without([name for name in (groups, time) if isinstance(name, str)]),
        labels=classes[codes],
        classes=classes,
        codes=codes,
        groups=along_rows(groups, "groups", X, n),
        time=time_order(time, X, n),
    )
    return sample, check_weights(weight, classes, codes)


def _weight_key(model: object) -> str | None:
    """Return the name under which a model's fit takes weights: in a pipeline, that of the last step."""
    from sklearn.utils.validation import has_fit_parameter

    steps = getattr(model, "steps", None)
    if steps:
        name, last = steps[-1]
        key = _weight_key(last)
        return f"{name}__{key}" if key else None
    return "sample_weight" if has_fit_parameter(model, "sample_weight") else None


def _warn_unweighted(named: Mapping[str, Any], weights: Floats | None) -> None:
    if weights is None:
        return
    unweighted = [name for name, model in named.items() if _weight_key(model) is None]
    if unweighted:
        warn(WeightsIgnored(unweighted))


def _warn_alike(classes: Sequence[object]) -> None:
    """Warn about labels such as "yes" and "Yes", which were hardly meant as two classes."""
    by_text: dict[str, list[object]] = {}
    for label in classes:
        if isinstance(label, str):
            by_text.setdefault(label.strip().casefold(), []).append(label)
    alike = next((labels for labels in by_text.values() if len(labels) > 1), None)
    if alike is not None:
        warn(LabelsAlike(alike))


def _warn_copied(sample: Sample, splits: list[Split]) -> int:
    """Count the rows whose exact copy a model is trained on, and warn before anything is fitted."""
    copied = copied_rows(sample, splits)
    if copied.any():
        warn(CopiedRows(float(copied.mean())))
    return int(copied.sum())


def _warn_failures(failures: Mapping[str, Failure], total: int, hint: Text = "") -> None:
    if len(failures) == total:
        raise InputError(all_failed(failures, hint))
    if failures:
        warn(ModelsLeftOut(failures))


def _fit_all(
    named: Mapping[str, Any],
    sample: Sample,
    splits: list[Split],
    learnt: Sequence[TrainingRows],
    weights: Floats | None,
    *,
    n_jobs: int | None,
    progress: bool | None,
) -> dict[str, list[_FitOutcome]]:
    """Fit every model on every fold, and last on all rows."""
    tests = [*(split.test for split in splits), None]
    parts = [(part.rows, test) for part, test in zip(learnt, tests, strict=False)]
    tasks = [(model, sample, weights, *part) for model in named.values() for part in parts]
    done = run_all(_fit_one, tasks, n_jobs=n_jobs, progress=progress)
    return {name: done[place * len(parts) : (place + 1) * len(parts)] for place, name in enumerate(named)}


def _fit_one(
    model: object, sample: Sample, weights: Floats | None, train: NDArray[np.intp] | None, test: NDArray[np.intp] | None
) -> _FitOutcome:
    from sklearn.base import clone

    data, labels = sample.features.data, sample.labels
    key = _weight_key(model)
    # A model of the user may raise anything: it is reported under its name, and the others go on.
    try:
        fresh = clone(model, safe=False)
        # A copy, as folds are: some models change their input, and X is the caller's.
        learnt = data.copy() if train is None else take(data, train)
        chosen = slice(None) if train is None else train
        weighted = {key: weights[chosen].copy()} if key and weights is not None else {}
        fresh.fit(learnt, labels[chosen].copy(), **weighted)
        if test is None:
            return _FitOutcome(fresh)
        rows = take(data, test)
        raw = raw_scores(fresh, rows, sample.classes)
        return _FitOutcome(fresh, raw, own_decisions(fresh, rows, sample.classes))
    except Exception as error:
        return _FitOutcome(error=Failure.of(error))


def _join_folds(
    outcomes: list[_FitOutcome],
    sample: Sample,
    splits: list[Split],
    folds: NDArray[np.int64],
    weights: Floats | None,
    *,
    odds: Sequence[Floats | None],
) -> _JoinedFolds:
    """Join the folds' scores, calibrating decision values; these then need no odds."""
    decision = any(outcome.raw.decision for outcome in outcomes if outcome.raw)
    calibrators: list[Calibrator | None] = [None] * len(splits)
    final: Calibrator | None = None
    if decision:
        odds = [None] * len(odds)
        calibrators, final = _calibrators(outcomes, sample, splits, folds, weights)
    n, k = len(sample.codes), len(sample.classes)
    probabilities = np.full((len(folds), n, k), np.nan)
    decisions = np.full(n, -1)
    fold_scorers: list[list[Scorer]] = [[] for _ in folds]
    for split, outcome, calibrator, own in zip(splits, outcomes, calibrators, odds, strict=False):
        values = outcome.raw.values  # type: ignore[union-attr]
        probabilities[split.repeat, split.test] = with_odds(values, own) if calibrator is None else calibrator(values)
        fold_scorers[split.repeat].append(Scorer(outcome.estimator, sample.classes, calibrator, own))
        if outcome.decisions is not None:
            # Later repeats may decide otherwise; the first test counts, as `decide_by_fold` draws it.
            first = decisions[split.test] < 0
            decisions[split.test[first]] = outcome.decisions[first]
    refitted = outcomes[-1].estimator if len(outcomes) > len(splits) else None
    return _JoinedFolds(
        mean=_mean_over_repeats(probabilities, folds),
        probabilities=probabilities,
        decisions=decisions if decision and (decisions >= 0).any() else None,
        fold_scorers=fold_scorers,
        scorer=None if refitted is None else Scorer(refitted, sample.classes, final, odds[-1]),
    )


def _mean_over_repeats(values: Floats, folds: NDArray[np.int64]) -> Floats:
    """Average the repeats in which a row was tested; NaN where it never was."""
    if len(values) == 1:
        return np.asarray(values[0])
    times = (folds >= 0).sum(axis=0)[:, None].astype(np.float64)
    times[times == 0] = np.nan
    return np.asarray(np.nansum(values, axis=0) / times)


def _calibrators(
    outcomes: list[_FitOutcome],
    sample: Sample,
    splits: list[Split],
    folds: NDArray[np.int64],
    weights: Floats | None,
) -> tuple[list[Calibrator | None], Calibrator]:
    """Fit one calibrator per fold and one for the refitted model."""
    values = np.full((len(folds), len(sample.codes), outcomes[0].raw.values.shape[1]), np.nan)  # type: ignore[union-attr]
    for split, outcome in zip(splits, outcomes, strict=False):
        values[split.repeat, split.test] = outcome.raw.values  # type: ignore[union-attr]
    mean = _mean_over_repeats(values, folds)
    fitted: list[Calibrator | None] = []
    for split, outcome in zip(splits, outcomes, strict=False):
        # Only rows that the fold's model was trained on, so that nothing looks ahead in time.
        own = values[split.repeat, split.train]
        known = np.where(np.isnan(own), mean[split.train], own)
        rows = split.train[~np.isnan(known[:, 0])]
        known = known[~np.isnan(known[:, 0])]
        # The first block in time has no out-of-fold values before it, so its own training values must do.
        if len(np.unique(sample.codes[rows])) < 2:
            rows = split.train
            known = raw_scores(outcome.estimator, take(sample.features.data, rows), sample.classes).values
        fitted.append(_calibrator(known, rows, sample, weights))
    # The refitted model has no out-of-fold values of its own: the folds' values are the nearest there is.
    tested = np.flatnonzero(~np.isnan(mean[:, 0]))
    return fitted, _calibrator(mean[tested], tested, sample, weights)


def _calibrator(values: Floats, rows: NDArray[np.intp], sample: Sample, weights: Floats | None) -> Calibrator:
    of_rows = None if weights is None else weights[rows]
    return fit_calibrator(values, sample.codes[rows], len(sample.classes), of_rows)


def _prefit(named: Mapping[str, Any], X: object, y: object, *, sample_weight: object, groups: object) -> Panel:
    """Score rows by deployed models, which are neither cloned nor fitted."""
    from sklearn.exceptions import NotFittedError

    features: Features = as_features(X)
    classes = _shared_classes(named)
    encode_labels(y)  # refuses missing labels and a single class, which the models' own classes would hide
    codes = encode_known(y, classes) if classes is not None else encode_labels(y)[1]
    classes = classes if classes is not None else encode_labels(y)[0]
    check_lengths(features.n_rows, "label", "y", len(codes))
    check_order(X, y=y, groups=groups, sample_weight=sample_weight)
    weights = check_weights(sample_weight, classes, codes)
    sample = Sample(features=features, labels=classes[codes], classes=classes, codes=codes)
    probabilities: dict[str, Floats] = {}
    scorers: dict[str, Scorer] = {}
    failures: dict[str, Failure] = {}
    decisions: dict[str, NDArray[np.int64]] = {}
    for name, model in named.items():
        try:
            columns = columns_to_give(model, features.data)
            rows = chosen(features.data, columns)
            raw, decided = raw_scores(model, rows, classes), own_decisions(model, rows, classes)
            probabilities[name], scorer = _calibrated_out_of_fold(model, raw, sample, weights)
            scorers[name] = replace(scorer, columns=columns)
        except NotFittedError:
            as_it_is = Phrase(Argument("cv", "prefit"), " uses models as is; fit it first, or leave out cv")
            raise InputError(f"{name!r} is not fitted, but ", as_it_is) from None
        except Exception as error:
            failures[name] = Failure.of(error)
            continue
        if decided is not None:
            decisions[name] = decided
    _warn_failures(failures, len(named), _columns_hint(named, features))
    return Panel(
        classes_=classes,
        y=codes,
        out_of_fold=probabilities,
        fold_probabilities={name: values[None] for name, values in probabilities.items()},
        folds=np.zeros((1, len(codes)), dtype=np.int64),
        fingerprint=f"{fingerprint_features(features)}-{fingerprint_labels(*encode_labels(y))}",
        origin="prefit",
        feature_names=features.names,
        named=features.named,
        column_types=ColumnTypes.of(features.data),
        failures=failures,
        sample_weight=weights,
        groups=along_rows(groups, "groups", X, features.n_rows),
        decisions=decisions,
        scorers=scorers,
        fold_scorers={name: [[scorer]] for name, scorer in scorers.items()},
    )


def _columns_hint(named: Mapping[str, Any], features: Features) -> Text:
    """Return which columns a deployed model lacks, if it remembers the names of its own."""
    for name, model in named.items():
        own = getattr(model, "feature_names_in_", None)
        if own is None or not features.named:
            continue
        lacking = [column for column in map(str, own) if column not in features.names]
        if lacking:
            which = f"column{'s' * (len(lacking) > 1)} {listed(lacking)}"
            return f"{name!r} was fitted with {which}, which the table lacks"
    return ""


def _shared_classes(named: Mapping[str, Any]) -> NDArray[Any] | None:
    """Return the sorted classes that the deployed models know; they must agree."""
    # Sorted whatever the models' own order, so that the positive class is the same as for fitted models.
    known = {name: np.unique(model.classes_) for name, model in named.items() if hasattr(model, "classes_")}
    if not known:
        return None
    first, classes = next(iter(known.items()))
    for name, others in known.items():
        if others.tolist() != classes.tolist():
            got = f"{listed(classes.tolist())} in {first!r} and {listed(others.tolist())} in {name!r}"
            raise fault("models", "know the same classes", Phrase(got), "make one panel for each")
    return classes


def _calibrated_out_of_fold(model: object, raw: Raw, sample: Sample, weights: Floats | None) -> tuple[Floats, Scorer]:
    """Calibrate decision values out of fold; the model itself stays the same in all folds."""
    if not raw.decision:
        return raw.values, Scorer(model, sample.classes)
    counts = np.bincount(sample.codes)
    # As many folds as the rarest class allows; a fixed seed, because there is nothing for the user to choose.
    splits = make_splits(sample, int(np.clip(counts[counts > 0].min(), 2, _FOLDS)), 1, 0)
    probabilities = np.empty((len(sample.codes), len(sample.classes)))
    for split in splits:
        probabilities[split.test] = _calibrator(raw.values[split.train], split.train, sample, weights)(
            raw.values[split.test]
        )
    final = _calibrator(raw.values, np.arange(len(sample.codes)), sample, weights)
    return probabilities, Scorer(model, sample.classes, final)


def fold_pairs(
    X: object, y: object, *, cv: object, groups: object = None, random_state: Seed = 0
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return the training and test rows of each fold that `cross_fit` makes; passed as its `cv` they give the same."""
    sample, _ = _sample(X, y, groups, None, None)
    return [(split.train, split.test) for split in make_splits(sample, cv, 1, random_state)]
