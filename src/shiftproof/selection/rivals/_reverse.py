"""The verb: let every learner learn from the labels that every classifier gives to the new rows."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.case import Case, NewScores, Payoff, make_payoff
from shiftproof.core import (
    Codes,
    Failure,
    Floats,
    InputError,
    Note,
    Seed,
    check_choice,
    check_count,
    failed,
    fault,
    generator,
    listed,
    shown,
    without_columns,
)
from shiftproof.measures import Benefit, BenefitMatrix
from shiftproof.panel import (
    Panel,
    as_features,
    check_lengths,
    encode_known,
    encode_labels,
    match_columns,
    named_by_class,
    run_all,
    take,
    warn_refitted,
)
from shiftproof.selection.rivals._reverse_result import Judges, ReverseTest, beaten

_DOING = "reverse testing"


def reverse_test(
    models: Any,
    X: Any = None,
    y: Any = None,
    X_new: Any = None,
    *,
    judges: Judges = "pair",
    benefit: Benefit | BenefitMatrix | None = None,
    table: Any = None,
    pos_label: Any = None,
    resamples: int = 0,
    most_rows: int | None = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> ReverseTest:
    r"""Compare classifiers in pairs on unlabelled data (Fan and Davidson 2006).

    Each classifier labels the new rows. Each learner then learns from each labelling, and is tested on the rows whose
    labels are known: :math:`R_{ij}` is the score there of learner j, fitted on the new rows as labelled by classifier
    i. The better the labels, the better what is learnt from them. Classifier i beats j if both learners say so:

    .. math:: R_{ii} > R_{ji} \quad\text{and}\quad R_{ij} > R_{jj}

    If both say the converse, j beats i; else the pair is undecided.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, or Panel
        At least two classifiers, as in `shiftproof.cross_fit`. They are cloned, and fitted once on X. The models of a
        panel label the new rows as they are.
    X : table of any library, 2-D array, sparse matrix, or list of texts
        The labelled rows; with a panel those that it was made from.
    y : sequence of labels
        May be left out with a panel.
    X_new : table
        The rows without labels, with the columns of X; others are left out.
    judges : {"pair", "all"}
        Who decides between two classifiers: their own two learners, as published; or all learners, by the mean of
        their scores, which decides more pairs.
    benefit : Benefit or BenefitMatrix, optional
        What right and wrong decisions are worth. R is then the total benefit on the labelled rows: decided by what
        is expected, counted by actual amounts. The new rows still get the likeliest classes. Columns of actual amounts
        are taken out of X before anything is fitted.
    table : table, optional
        Where the benefit finds its columns, row by row of X; by default in X.
    pos_label : label, optional
        The class that the benefit is about; by default the second of two in sorted order.
    resamples : int, default 0
        How often to draw the new rows anew, with replacement and with their labels. The verdict is then that of the
        majority, with its share in `confidence`.
    most_rows : int, optional
        At most so many rows are drawn of each side, of the labelled ones in the proportions of the classes. Models
        that are not from a panel are fitted on the rows drawn.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of what is drawn. The estimators keep their own: one without a seed lets chance speak.
    n_jobs : int, optional
        Fits at a time, as in joblib. The numbers do not depend on this.
    progress : bool, optional
        Whether to show a bar on standard error; by default on a terminal, after a second.

    Returns
    -------
    ReverseTest
        With `verdict("a", "b")`, `order`, `to_frame()`, `summary()`, `plot()` and `plot_tournament()`.

    Raises
    ------
    InputError
        If an argument does not fit, or no model can be fitted.

    Notes
    -----
    For l models these are l * l fits on the new rows, and l on the labelled ones without a panel; times the resamples.
    Section 4.2 of the paper and its Figure 3 write the four scores differently; both mean the rule above.

    A classifier that gives all new rows one class teaches nothing: its row of R is missing, its pairs are undecided,
    and a note says so. So does one where a learner fails.

    Take it as a second opinion. On 28 real data sets the rule as published left 48% of the pairs undecided and was
    right on 79% of the others; by all judges it left 1% undecided. Cross-validation ordered more pairs right than
    either.

    References
    ----------
    Wei Fan and Ian Davidson (2006). ReverseTesting: an efficient framework to select amongst classifiers under sample
    selection bias. KDD 2006.

    Examples
    --------
    Rows with a large first value were seldom labelled, which bends the border that naive Bayes draws:

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> X, X_new = rng.normal(size=(600, 2)), rng.normal(size=(600, 2))
    >>> X = X[rng.random(600) < 1 / (1 + np.exp(2 * X[:, 0]))]
    >>> y = X.sum(axis=1) > 0
    >>> found = reverse_test({"bayes": GaussianNB(), "logistic": LogisticRegression()}, X, y, X_new)
    >>> found.matrix.round(2)
    array([[0.9 , 0.92],
           [0.97, 0.98]])
    >>> found.verdict("bayes", "logistic")
    'logistic'
    """
    check_choice(judges, "judges", ("pair", "all"))
    times = check_count(resamples, "resamples", hint="0 takes the new rows as they are")
    if X_new is None:
        raise fault("X_new", "be given", None, "pass the rows that have no labels")
    if isinstance(models, Panel):
        if X is None:
            hint = "pass the table that it was made from"
            raise fault("X", "be given with a Panel, which does not hold it", None, hint)
        side = _from_case(Case.of(models, X, y, X_new, purpose="ReverseTesting"))
    else:
        side = _from_models(models, X, y, X_new, benefit)
    return _reverse(
        side,
        benefit=benefit,
        table=X if table is None else table,
        pos_label=pos_label,
        settings=_Settings(judges=judges, times=times, most_rows=most_rows, n_jobs=n_jobs, progress=progress),
        rng=generator(random_state),
    )


def reverse_case(case: Case, *, by_benefit: bool, most_rows: int | None) -> ReverseTest:
    """Compare the models of a case, as published: by their own learners."""
    options = case.options
    return _reverse(
        _from_case(case),
        benefit=options.benefit if by_benefit else None,
        table=case.tables.labelled if options.table is None else options.table,
        pos_label=options.pos_label,
        settings=_Settings(most_rows=most_rows, n_jobs=case.n_jobs, progress=case.progress),
        rng=generator(case.seed),
    )


@dataclass(frozen=True, kw_only=True)
class _Settings:
    """How the contest is run; see `reverse_test`."""

    judges: Judges = "pair"
    times: int = 0
    most_rows: int | None = None
    n_jobs: int | None = None
    progress: bool | None = None


def _reverse(
    side: _Side,
    *,
    benefit: object,
    table: object,
    pos_label: object,
    settings: _Settings,
    rng: np.random.Generator,
) -> ReverseTest:
    began = time.perf_counter()
    _require_two(side.learners)
    payoff = None
    if benefit is not None:
        _check_judges(side.learners)
        payoff = make_payoff(
            benefit, side.classes, side.codes, table=table, pos_label=pos_label, features=side.features
        )
    arena, drawn = _arena(side, payoff, settings.most_rows, rng)
    labelled = _labelled(side, arena, settings)
    contest = _contest(side.learners, arena, labelled.codes, _seeds(settings.times, rng), settings)
    shares = np.mean([beaten(matrix, settings.judges) for matrix in contest.values], axis=0)
    return ReverseTest(
        names=tuple(side.learners),
        matrix=_mean(contest.values),
        judges=settings.judges,
        score="accuracy" if benefit is None else "benefit",
        confidence=shares if settings.times else None,
        resamples=settings.times,
        fits=labelled.fits + contest.fits,
        seconds=time.perf_counter() - began,
        n_labelled=len(arena.codes),
        n_new=arena.new.shape[0],
        notes=(*drawn, *labelled.notes, *contest.notes),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Side:
    """What was given, checked: labelled and new rows in one form, and the learners."""

    learners: Mapping[str, Any]
    # What fitted models say of the new rows; None of models that are yet to be fitted.
    labels: Mapping[str, _Outcome] | None
    data: Any
    new: Any
    classes: NDArray[Any]
    codes: Codes
    features: tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class _Arena:
    """The rows that are used."""

    data: Any
    codes: Codes
    new: Any
    # Which of the new rows were given.
    new_rows: NDArray[np.intp]
    classes: NDArray[Any]
    payoff: Payoff | None

    def score(self, model: Any) -> float:
        """Return how well a fitted model does on the labelled rows."""
        if self.payoff is not None:
            return self.payoff.total(_probabilities(model, self.data, self.classes))
        predicted = _flat(model.predict(self.data), len(self.codes))
        return float(np.mean(predicted == self.classes[self.codes]))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Labelled:
    """The labels that each classifier gives to the new rows; None where it could give none or one class only."""

    codes: Sequence[Codes | None]
    fits: int
    notes: tuple[Note, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class _Contest:
    """The matrix, once per resample, of shape (resamples or 1, l, l)."""

    values: Floats
    fits: int
    notes: tuple[Note, ...]


@dataclass(frozen=True, eq=False)
class _Outcome:
    """The result of one fit, or its error; neither if there was only one class to learn."""

    found: Any = None
    error: Failure | None = None

    def of_rows(self, rows: NDArray[np.intp]) -> _Outcome:
        """Return the labels of some rows."""
        return self if self.error else _Outcome(self.found[rows])


def _from_case(case: Case) -> _Side:
    panel = case.panel
    prepared = case.prepared  # refuses panels without models
    if not panel.scorers:
        raise InputError("ReverseTesting needs the refitted models, got none; call cross_fit with refit=True")
    return _Side(
        learners={name: scorer.estimator for name, scorer in panel.scorers.items()},
        labels={name: _labels_of(name, case.applied) for name in panel.scorers},
        data=panel.features_of(case.tables.X, "X"),
        new=prepared.data,
        classes=panel.classes_,
        codes=panel.y,
        features=panel.feature_names,
    )


def _from_models(models: Any, X: Any, y: Any, X_new: Any, benefit: Any) -> _Side:
    if isinstance(models, Mapping):
        learners = {str(name): model for name, model in models.items()}
    else:
        learners = named_by_class(models if isinstance(models, (list, tuple)) else [models])
    for name, model in learners.items():
        if isinstance(model, type):
            hint = f"write {model.__name__}(), with brackets"
            raise fault(f"models[{name!r}]", "be an estimator", model.__name__, hint)
        if not hasattr(model, "fit"):
            raise fault(f"models[{name!r}]", "be a classifier with fit", model, "give scikit-learn estimators")
    # There is no cv here, so models that keep their fit have to come in a panel.
    warn_refitted(learners, "cross_fit(models, X, y, cv='prefit')")
    if X is None or y is None:
        hint = "pass reverse_test(models, X, y, X_new), or a Panel"
        raise fault("X" if X is None else "y", "be given with models", None, hint)
    hidden = benefit.actual_columns if isinstance(benefit, Benefit) else frozenset()
    features = as_features(without_columns(X, hidden))
    classes, codes = encode_labels(y)
    check_lengths(features.n_rows, "label", "y", len(codes))
    return _Side(
        learners=learners,
        labels=None,
        data=features.data,
        new=match_columns(features.names, features.named, as_features(X_new, "X_new")),
        classes=classes,
        codes=codes,
        features=features.names,
    )


def _require_two(learners: Mapping[str, Any]) -> None:
    if len(learners) < 2:
        raise fault("models", "hold at least two classifiers", list(learners), "one has none to be compared with")


def _check_judges(learners: Mapping[str, Any]) -> None:
    """Refuse learners that cannot decide by what is expected."""
    mute = [name for name, learner in learners.items() if not hasattr(learner, "predict_proba")]
    if mute:
        raise InputError(
            f"a benefit needs models with predict_proba, got {listed(mute)} without; "
            "leave them out, or wrap them in scikit-learn's CalibratedClassifierCV"
        )


def _arena(
    side: _Side, payoff: Payoff | None, most_rows: int | None, rng: np.random.Generator
) -> tuple[_Arena, tuple[Note, ...]]:
    """Return the rows that take part; some are drawn if there are too many."""
    data, codes, new, notes = side.data, side.codes, side.new, []
    new_rows = np.arange(new.shape[0])
    if most_rows is not None:
        k = len(side.classes)
        most = check_count(most_rows, "most_rows", least=k, hint=f"there are {k} classes")
        if len(codes) > most:
            rows = _draw_by_class(codes, most, rng)
            notes.append(Note(code="rows drawn", subject="labelled", detail=f"{most:,} of {len(codes):,}"))
            data, codes = take(data, rows), codes[rows]
            payoff = None if payoff is None else payoff.of_rows(rows)
        if new.shape[0] > most:
            notes.append(Note(code="rows drawn", subject="new", detail=f"{most:,} of {new.shape[0]:,}"))
            new_rows = np.sort(rng.choice(new.shape[0], most, replace=False))
            new = take(new, new_rows)
    arena = _Arena(data=data, codes=codes, new=new, new_rows=new_rows, classes=side.classes, payoff=payoff)
    return arena, tuple(notes)


def _draw_by_class(codes: Codes, size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw rows in the proportions of the classes, at least one of each.

    Examples
    --------
    >>> rows = _draw_by_class(np.repeat([0, 1, 2], [60, 39, 1]), 10, np.random.default_rng(0))
    >>> np.bincount(np.repeat([0, 1, 2], [60, 39, 1])[rows]).tolist()
    [6, 3, 1]
    """
    counts = np.bincount(codes)
    exact = counts * size / len(codes)
    wanted = np.where(counts > 0, np.maximum(np.floor(exact).astype(np.int64), 1), 0)
    while wanted.sum() != size:
        step = 1 if wanted.sum() < size else -1
        # The class furthest from its part gives or gets a row, but never gives its last.
        wanted[np.argmax(step * (exact - wanted) - np.where((wanted <= 1) & (step < 0), np.inf, 0.0))] += step
    drawn = [rng.choice(np.flatnonzero(codes == c), n, replace=False) for c, n in enumerate(wanted.tolist()) if n]
    return np.sort(np.concatenate(drawn))


def _labelled(side: _Side, arena: _Arena, settings: _Settings) -> _Labelled:
    """Let every classifier label the new rows."""
    if side.labels is not None:
        outcomes = [outcome.of_rows(arena.new_rows) for outcome in side.labels.values()]
    else:
        tasks = [(learner, arena) for learner in side.learners.values()]
        outcomes = run_all(_label_by_learner, tasks, n_jobs=settings.n_jobs, progress=settings.progress, doing=_DOING)
    failures = {name: each.error for name, each in zip(side.learners, outcomes, strict=True) if each.error}
    if len(failures) == len(outcomes):
        raise InputError("every model failed: ", failed(failures))
    notes = [
        Note(code="cannot label", subject=name, detail=str(error), sensitive=True) for name, error in failures.items()
    ]
    codes: list[Codes | None] = []
    for name, outcome in zip(side.learners, outcomes, strict=True):
        given = outcome.found
        if given is not None and (given == given[0]).all():
            label = shown(arena.classes[given[0]].item())
            notes.append(Note(code="one class", subject=name, detail=label))
            given = None
        codes.append(given)
    notes += _alike(tuple(side.learners), codes)
    return _Labelled(codes=codes, fits=0 if side.labels is not None else len(outcomes), notes=tuple(notes))


def _alike(names: Sequence[str], codes: Sequence[Codes | None]) -> list[Note]:
    """Return a note for classifiers that give the same labels."""
    groups: dict[bytes, list[str]] = {}
    for name, given in zip(names, codes, strict=True):
        if given is not None:
            # Equal labels have equal bytes.
            groups.setdefault(given.tobytes(), []).append(name)
    return [Note(code="same labels", subject=listed(same)) for same in groups.values() if len(same) > 1]


def _labels_of(name: str, scores: NewScores) -> _Outcome:
    """Return the classes that a model finds likeliest; the scores are those that every verb uses."""
    if name in scores.errors:
        return _Outcome(error=scores.errors[name])
    return _Outcome(scores.values[name].argmax(axis=1))


def _label_by_learner(learner: Any, arena: _Arena) -> _Outcome:
    try:
        model = _fitted(learner, arena.data, arena.classes[arena.codes])
        given = _flat(model.predict(arena.new), arena.new.shape[0])
        return _Outcome(encode_known(given, arena.classes, "what predict gives"))
    except Exception as error:
        return _Outcome(error=Failure.of(error))


def _seeds(times: int, rng: np.random.Generator) -> list[int | None]:
    """Return one seed per resample; None stands for the new rows as they are."""
    return [*rng.integers(2**62, size=times).tolist()] if times else [None]


def _contest(
    learners: Mapping[str, Any],
    arena: _Arena,
    codes: Sequence[Codes | None],
    seeds: Sequence[int | None],
    settings: _Settings,
) -> _Contest:
    """Let every learner learn from every labelling, in every resample."""
    names = tuple(learners)
    entries = [
        (draw, by, judge)
        for draw in range(len(seeds))
        for by, given in enumerate(codes)
        if given is not None
        for judge in range(len(names))
    ]
    # A resample is sent as its seed, and drawn where it is needed.
    tasks = [(learners[names[judge]], arena, codes[by], seeds[draw]) for draw, by, judge in entries]
    outcomes = run_all(_judged, tasks, n_jobs=settings.n_jobs, progress=settings.progress, doing=_DOING)
    # NaN leaves a pair undecided.
    values = np.full((len(seeds), len(names), len(names)), np.nan)
    errors: dict[str, dict[str, Failure]] = {}
    void: dict[str, set[int]] = {}
    for (draw, by, judge), outcome in zip(entries, outcomes, strict=True):
        if outcome.error:
            errors.setdefault(names[judge], {}).setdefault(names[by], outcome.error)
        elif outcome.found is None:
            void.setdefault(names[by], set()).add(draw)
        else:
            values[draw, by, judge] = outcome.found
    if errors and np.isnan(values).all():
        raise InputError("every learner failed: ", failed({name: _first(of) for name, of in errors.items()}))
    notes = [
        Note(code="cannot learn", subject=name, detail=f"{listed(of)}: {_first(of)}", sensitive=True)
        for name, of in errors.items()
    ]
    notes += [
        Note(code="one class in resamples", subject=name, detail=f"{len(draws):,} of {len(seeds):,}")
        for name, draws in void.items()
    ]
    # A fit that failed took its time too; a resample with one class was never fitted.
    fits = sum(bool(each.error) or each.found is not None for each in outcomes)
    return _Contest(values=values, fits=fits, notes=tuple(notes))


def _judged(learner: Any, arena: _Arena, given: Codes, seed: int | None) -> _Outcome:
    """Fit one learner on the new rows with these labels, and test it on the labelled rows."""
    new = arena.new
    if seed is not None:
        rows = np.random.default_rng(seed).integers(0, len(given), len(given))
        new, given = take(new, rows), given[rows]
        if (given == given[0]).all():
            return _Outcome()
    try:
        return _Outcome(arena.score(_fitted(learner, new, arena.classes[given])))
    except Exception as error:
        return _Outcome(error=Failure.of(error))


def _fitted(learner: Any, data: Any, labels: NDArray[Any]) -> Any:
    from sklearn.base import clone

    # `safe=False` copies models of other libraries, which scikit-learn cannot clone.
    fresh = clone(learner, safe=False)
    if not hasattr(fresh, "fit"):
        raise InputError("it has no fit, so that it cannot learn anew")
    fresh.fit(data, labels)
    return fresh


def _flat(values: Any, n_rows: int) -> NDArray[Any]:
    """Return predictions as one label per row; some libraries give a column."""
    flat = np.asarray(values).ravel()
    if len(flat) != n_rows:
        raise InputError(f"predict gave {len(flat):,} labels for {n_rows:,} rows")
    return flat


def _probabilities(model: Any, data: Any, classes: NDArray[Any]) -> Floats:
    """Return probabilities with one column per class; classes that the labelling had not have none."""
    values = np.asarray(model.predict_proba(data), dtype=np.float64)
    if not np.isfinite(values).all():
        raise InputError("predict_proba gave values that are not finite")
    aligned = np.zeros((len(values), len(classes)))
    aligned[:, encode_known(model.classes_, classes, "classes_")] = values
    return aligned


def _mean(values: Floats) -> Floats:
    """Return the mean over the resamples in which there is a value."""
    # Not `nanmean`, which warns where no resample has a value.
    known = np.isfinite(values)
    times = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.asarray(np.divide(total, times, out=np.full(total.shape, np.nan), where=times > 0))


def _first(errors: Mapping[str, Failure]) -> Failure:
    return next(iter(errors.values()))
