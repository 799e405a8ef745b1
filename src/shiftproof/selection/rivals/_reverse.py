"""The verb: let every learner learn from the labels that every classifier gives to the new rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.case import AmountTables, Case, Payoff, make_payoff
from shiftproof.core import (
    Codes,
    Failure,
    Floats,
    InputError,
    ModelsLeftOut,
    Note,
    Seed,
    all_failed,
    check_choice,
    check_count,
    check_label,
    check_scored_rows,
    failed,
    fault,
    generator,
    listed,
    shown,
    warn,
    without_columns,
)
from shiftproof.data import ColumnTypes
from shiftproof.measures import Benefit, BenefitMatrix
from shiftproof.panel import (
    Panel,
    Scorer,
    as_features,
    check_lengths,
    encode_known,
    encode_labels,
    match_columns,
    named_models,
    run_all,
    take,
    warn_refitted,
)
from shiftproof.selection.rivals._reverse_result import Judges, ReverseTest, beaten


def reverse_test(
    models: Any,
    X: Any = None,
    y: Any = None,
    X_new: Any = None,
    *,
    judges: Judges = "pair",
    benefit: Benefit | BenefitMatrix | None = None,
    table: Any = None,
    new_table: Any = None,
    pos_label: Any = None,
    resamples: int = 0,
    most_rows: int | None = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> ReverseTest:
    r"""Compare classifiers in pairs on unlabelled data (Fan and Davidson 2006).

    Each classifier labels the new rows. Each learner is then fitted on the new rows with each classifier's labels, and
    tested on the labelled rows: :math:`R_{ij}` is the score of learner j with the labels of classifier i. The better
    the labels, the better the learner. Classifier i beats j if it has the higher score with both learners:

    .. math:: R_{ii} > R_{ji} \quad\text{and}\quad R_{ij} > R_{jj}

    If j has the higher score with both, j beats i; otherwise the pair is undecided.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, or Panel
        At least two classifiers, as in `shiftproof.cross_fit`. They are cloned, and fitted once on X. The models of a
        panel label the new rows without being refitted.
    X : table of any library, 2-D array, sparse matrix, or list of texts
        The labelled rows; with a panel, the rows that it was made from.
    y : sequence of labels
        The labels; may be left out with a panel.
    X_new : table
        The rows without labels, with the columns of X; other columns are ignored.
    judges : {"pair", "all"}
        Which learners decide between two classifiers: their own two, as published; or all learners, by the mean of
        their scores, which decides more pairs.
    benefit : Benefit or BenefitMatrix, optional
        What right and wrong decisions are worth. Classifiers then label the new rows with the decisions that maximise
        the expected benefit, and the learners learn these decisions. R is the total actual amount from a learner's own
        decisions on the labelled rows. Columns of actual amounts are removed from X before anything is fitted.
    table, new_table : tables, optional
        Tables with the columns of the benefit, one row per row of X and of X_new; by default X and X_new themselves.
        Actual amounts come from `table`, expected amounts from `new_table`.
    pos_label : label, optional
        The class that the benefit is about; by default the second of two in sorted order.
    resamples : int, default 0
        Number of resamples of the new rows, drawn with replacement and with their labels. The verdict is then that of
        the majority of resamples, and `confidence` has their share.
    most_rows : int, optional
        The maximum number of labelled rows and of new rows. If there are more, this many are drawn at random, from the
        labelled rows in the proportions of the classes. Models that are not from a panel are fitted on the rows drawn.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of all draws. The estimators keep their own seeds; with an estimator without a seed, results vary from
        run to run.
    n_jobs : int, optional
        Number of fits to run in parallel, as in joblib. It does not affect the results.
    progress : bool, optional
        Whether to show a progress bar on standard error; by default only on a terminal, and after a second.

    Returns
    -------
    ReverseTest
        With `verdict("a", "b")`, `order`, `to_frame()`, `summary()`, `plot()` and `plot_tournament()`.

    Raises
    ------
    InputError
        If an argument is invalid, or no model can be fitted.

    Warns
    -----
    ModelsLeftOut
        If a model cannot be fitted, or cannot label the new rows.

    Notes
    -----
    With l models, this takes l * l fits on the new rows (times the number of resamples) and, without a panel, l fits on
    the labelled rows. Section 4.2 of the paper and its Figure 3 write the four scores differently; both mean the rule
    above.

    If a classifier gives all new rows the same class, nothing can be learnt from its labels: its row of R is missing,
    its pairs are undecided, and a note says so. A note also says if a learner cannot learn from a classifier's labels.
    A model that cannot be fitted on the labelled rows is left out, and a warning names it.

    With a benefit, the rows that a classifier acts on are labelled positive. If it acts on 30% of the rows, 30% are
    labelled positive, even if none of them is likely to be. If 4% of people give, the most probable class of everybody
    is "no", and nothing could be learnt from these labels. Section 6 of the paper leaves open how the learners decide
    on the labelled rows. The learners were fitted on decisions, so the class that they predict is used as their
    decision. Their probabilities are probabilities of a decision, not of a gift. In simulations, combining these
    probabilities with the expected amounts again decided fewer pairs, and fewer than half of those correctly. Expected
    amounts should be among the features or follow from them; otherwise no learner can learn decisions that depend on
    them.

    Use the test as a second opinion. On the 17 real data sets of ``make bench-select``, the rule as published left 48%
    of the pairs undecided and was right on 76% of the others; with ``judges="all"``, it left 7% undecided.
    Cross-validation ordered more pairs correctly than either.

    References
    ----------
    Wei Fan and Ian Davidson (2006). ReverseTesting: an efficient framework to select amongst classifiers under sample
    selection bias. KDD 2006.

    Examples
    --------
    Rows with a large first value were rarely labelled, which distorts the decision boundary of naive Bayes:

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> rng = np.random.default_rng(0)
    >>> X, X_new = rng.normal(size=(600, 2)), rng.normal(size=(600, 2))
    >>> X = X[rng.random(600) < 1 / (1 + np.exp(2 * X[:, 0]))]
    >>> y = X.sum(axis=1) > 0
    >>> result = reverse_test({"bayes": GaussianNB(), "logistic": LogisticRegression()}, X, y, X_new)
    >>> result.matrix.round(2)
    array([[0.9 , 0.92],
           [0.97, 0.98]])
    >>> result.verdict("bayes", "logistic")
    'logistic'
    """
    check_choice(judges, "judges", ("pair", "all"))
    times = check_count(resamples, "resamples", hint="0 uses the new rows as they are")
    if X_new is None:
        raise fault("X_new", "be given", hint="pass the rows without labels")
    if isinstance(models, Panel):
        if X is None:
            hint = "pass the table that it was made from"
            raise fault("X", "be given with a Panel, which does not contain it", hint=hint)
        side = _from_case(Case.of(models, X, y, X_new, purpose="ReverseTesting"))
    else:
        side = _from_models(models, X, y, X_new, benefit)
    if pos_label is not None:
        check_label(pos_label, side.arena.classes.tolist())
    tables = AmountTables(
        labelled=X if table is None else table,
        new=X_new if new_table is None else new_table,
        n_new=side.arena.new.shape[0],
    )
    side = side.paid(benefit, tables, pos_label)
    run = _runner(n_jobs, progress)
    return _reverse(side, run, rng=generator(random_state), judges=judges, times=times, most_rows=most_rows)


def reverse_case(case: Case, *, by_benefit: bool, most_rows: int | None) -> ReverseTest:
    """Compare the models of a case, as published: by their own learners."""
    side, options = _from_case(case), case.options
    if by_benefit:
        tables = AmountTables(
            labelled=case.tables.labelled if options.table is None else options.table,
            new=case.tables.new if options.new_table is None else options.new_table,
            n_new=side.arena.new.shape[0],
        )
        side = side.paid(options.benefit, tables, options.pos_label)
    return _reverse(side, _runner(case.n_jobs, case.progress), rng=generator(case.seed), most_rows=most_rows)


# Runs a function over tasks, in processes where there are enough of them.
_Run = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], list["_Outcome"]]


def _runner(n_jobs: int | None, progress: bool | None) -> _Run:
    return partial(run_all, n_jobs=n_jobs, progress=progress, doing="reverse testing")


def _reverse(
    side: _Side,
    run: _Run,
    *,
    rng: np.random.Generator,
    judges: Judges = "pair",
    times: int = 0,
    most_rows: int | None,
) -> ReverseTest:
    began = time.perf_counter()
    # Models that came without labels are fitted to give them.
    n_fitted = len(side.learners) if side.scores is None else 0
    side, drawn = _drawn(side, most_rows, rng)
    side, labels, labelling = _labelled(side, run)
    codes, uninformative = _informative_labels(labels, side.arena.classes)
    # One seed per resample; None stands for the new rows as they are.
    seeds = rng.integers(2**62, size=times).tolist() if times else [None]
    values, fits, learning = _contest(side, codes, seeds, run)
    shares = np.mean([beaten(matrix, judges) for matrix in values], axis=0)
    return ReverseTest(
        names=tuple(side.learners),
        # The mean over the resamples that have a value; `nanmean` would warn where none has.
        matrix=np.ma.masked_invalid(values).mean(axis=0).filled(np.nan),
        judges=judges,
        score="accuracy" if side.arena.payoff is None else "benefit",
        confidence=shares if times else None,
        resamples=times,
        fits=fits + n_fitted,
        seconds=time.perf_counter() - began,
        n_labelled=len(side.arena.codes),
        n_new=side.arena.new.shape[0],
        notes=(*drawn, *labelling, *uninformative, *learning),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _Arena:
    """Labelled and new rows in one form, and what decisions on the labelled ones are worth."""

    data: Any
    codes: Codes
    new: Any
    classes: NDArray[Any]
    payoff: Payoff | None = None

    def score(self, model: Any) -> float:
        """Return how well the predictions of a fitted model do on the labelled rows."""
        if self.payoff is not None:
            return self.payoff.total(self._predicted(model, self.data))
        return float(np.mean(_flat(model.predict(self.data), self.data) == self.classes[self.codes]))

    def label(self, model: Any) -> Codes:
        """Let a fitted model label the new rows: by its predictions, or by the decisions that are worth the most."""
        if self.payoff is None:
            return self._predicted(model, self.new)
        return self.decide(Scorer(model, self.classes)(self.new))

    def decide(self, probabilities: Floats) -> Codes:
        """Label the new rows by their probabilities."""
        return np.asarray(probabilities.argmax(axis=1)) if self.payoff is None else self.payoff.decide(probabilities)

    def _predicted(self, model: Any, rows: Any) -> Codes:
        return encode_known(_flat(model.predict(rows), rows), self.classes, "what predict gives")


@dataclass(frozen=True, eq=False, kw_only=True)
class _Side:
    """What was given, checked: the rows, and the learners."""

    learners: Mapping[str, Any]
    # The probabilities that fitted models give to the new rows; None of models that are yet to be fitted.
    scores: Mapping[str, _Outcome] | None
    arena: _Arena
    features: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.learners) < 2:
            names = list(self.learners)
            raise fault(
                "models", "hold at least two classifiers", names, "a single model has nothing to be compared with"
            )

    def paid(self, benefit: object, tables: AmountTables, pos_label: object) -> _Side:
        """Return the same with what decisions are worth; refuse models that cannot decide by what is expected."""
        if benefit is None:
            return self
        # A panel has calibrated the decision values of its models.
        mute = [name for name, model in self.learners.items() if not hasattr(model, "predict_proba")]
        if mute and self.scores is None:
            raise InputError(
                f"a benefit needs models with predict_proba, got {listed(mute)} without it; leave them out, or pass "
                "cross_fit(models, X, y), which calibrates them"
            )
        payoff = make_payoff(
            benefit, self.arena.classes, self.arena.codes, tables=tables, pos_label=pos_label, features=self.features
        )
        return replace(self, arena=replace(self.arena, payoff=payoff))


@dataclass(frozen=True, eq=False)
class _Outcome:
    """The result of one fit, or its error; neither if there was only one class to learn."""

    found: Any = None
    error: Failure | None = None


def _from_case(case: Case) -> _Side:
    panel = case.panel
    case.panel.require_models(case.purpose)
    prepared = case.prepared
    if not panel.scorers:
        raise InputError("ReverseTesting needs the refitted models; call cross_fit with refit=True")
    data = panel.features_of(case.tables.X, "X")
    # The scores are those that every verb uses.
    values, errors = case.applied.values, case.applied.errors
    return _Side(
        learners={name: scorer.estimator for name, scorer in panel.scorers.items()},
        scores={
            name: _Outcome(error=errors[name]) if name in errors else _Outcome(values[name]) for name in panel.scorers
        },
        arena=_Arena(data=data, codes=panel.y, new=prepared.data, classes=panel.classes_),
        features=panel.feature_names,
    )


def _from_models(models: Any, X: Any, y: Any, X_new: Any, benefit: Any) -> _Side:
    learners = named_models(models)
    for name, model in learners.items():
        if not hasattr(model, "fit"):
            raise fault(f"models[{name!r}]", "be a classifier with fit", model, "give scikit-learn estimators")
    # There is no cv here, so models that keep their fit have to come in a panel.
    warn_refitted(learners, "cross_fit(models, X, y, cv='prefit')")
    if X is None or y is None:
        missing = "X" if X is None else "y"
        raise InputError(f"{missing} is missing; call reverse_test(models, X, y, X_new), or pass a Panel")
    hidden = benefit.actual_columns if isinstance(benefit, Benefit) else frozenset()
    features = as_features(without_columns(X, hidden))
    classes, codes = encode_labels(y)
    check_lengths(features.n_rows, "label", "y", len(codes))
    new = match_columns(features.names, features.named, as_features(X_new, "X_new"))
    ColumnTypes.of(features.data).check(new)
    arena = _Arena(data=features.data, codes=codes, new=new, classes=classes)
    return _Side(learners=learners, scores=None, arena=arena, features=features.names)


def _drawn(side: _Side, most_rows: int | None, rng: np.random.Generator) -> tuple[_Side, list[Note]]:
    """Return the rows that take part; some are drawn if there are too many."""
    if most_rows is None:
        return side, []
    arena, scores, notes = side.arena, side.scores, []
    k, n, m = len(arena.classes), len(arena.codes), arena.new.shape[0]
    most = check_count(most_rows, "most_rows", least=k, hint=f"there are {k} classes")
    if n > most:
        rows = _draw_by_class(arena.codes, most, rng)
        notes.append(Note(code="rows drawn", subject="labelled", detail=f"{most:,} of {n:,}"))
        payoff = None if arena.payoff is None else arena.payoff.of_rows(rows)
        arena = replace(arena, data=take(arena.data, rows), codes=arena.codes[rows], payoff=payoff)
    if m > most:
        rows = np.sort(rng.choice(m, most, replace=False))
        notes.append(Note(code="rows drawn", subject="new", detail=f"{most:,} of {m:,}"))
        payoff = None if arena.payoff is None else arena.payoff.of_new_rows(rows)
        arena = replace(arena, new=take(arena.new, rows), payoff=payoff)
        if scores is not None:
            scores = {name: o if o.error else _Outcome(o.found[rows]) for name, o in scores.items()}
    return replace(side, arena=arena, scores=scores), notes


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


def _labelled(side: _Side, run: _Run) -> tuple[_Side, dict[str, Codes], list[Note]]:
    """Let every classifier label the new rows; one that fails is left out by name, and the others go on."""
    if side.scores is not None:
        outcomes = {
            name: each if each.error else _Outcome(side.arena.decide(each.found)) for name, each in side.scores.items()
        }
    else:
        given = run(_label_by_learner, [(learner, side.arena) for learner in side.learners.values()])
        outcomes = dict(zip(side.learners, given, strict=True))
    failures = {name: outcome.error for name, outcome in outcomes.items() if outcome.error}
    if len(failures) == len(outcomes):
        raise InputError(all_failed(failures))
    if len(outcomes) - len(failures) < 2:
        raise InputError("ReverseTesting needs two models, and only one is left: ", failed(failures))
    # Where models of a panel cannot score new rows, the notes of its case say so.
    if failures and side.scores is None:
        warn(ModelsLeftOut(failures))
    notes = [
        Note(code="model left out", subject=name, detail=str(error), sensitive=True) for name, error in failures.items()
    ]
    learners = {name: learner for name, learner in side.learners.items() if name not in failures}
    return replace(side, learners=learners), {name: outcomes[name].found for name in learners}, notes


def _informative_labels(given: Mapping[str, Codes], classes: NDArray[Any]) -> tuple[list[Codes | None], list[Note]]:
    """Return the labels that each classifier gives to the new rows; None where they are all of one class."""
    codes: dict[str, Codes | None] = dict(given)
    notes = []
    for name, labels in given.items():
        if (labels == labels[0]).all():
            label = shown(classes[labels[0]].item())
            notes.append(Note(code="one class", subject=name, detail=label))
            codes[name] = None
    groups: dict[bytes, list[str]] = {}
    for name, labels in given.items():
        if codes[name] is not None:
            # Equal labels have equal bytes.
            groups.setdefault(labels.tobytes(), []).append(name)
    notes += [Note(code="same labels", subject=listed(same)) for same in groups.values() if len(same) > 1]
    return list(codes.values()), notes


def _label_by_learner(learner: Any, arena: _Arena) -> _Outcome:
    try:
        return _Outcome(arena.label(_fitted(learner, arena.data, arena.classes[arena.codes])))
    except Exception as error:
        return _Outcome(error=Failure.of(error))


def _contest(
    side: _Side, codes: Sequence[Codes | None], seeds: Sequence[int | None], run: _Run
) -> tuple[Floats, int, list[Note]]:
    """Let every learner learn from every labelling, in every resample: the matrices, the number of fits, and notes."""
    names = tuple(side.learners)
    entries = [
        (draw, by, judge)
        for draw in range(len(seeds))
        for by, given in enumerate(codes)
        if given is not None
        for judge in range(len(names))
    ]
    # A resample is sent as its seed, and drawn where it is needed.
    tasks = [(side.learners[names[judge]], side.arena, codes[by], seeds[draw]) for draw, by, judge in entries]
    outcomes = run(_judged, tasks)
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
    first = {name: next(iter(of.values())) for name, of in errors.items()}
    if errors and np.isnan(values).all():
        raise InputError("every learner failed: ", failed(first))
    notes = [
        Note(code="cannot learn", subject=name, detail=f"{listed(of)}: {first[name]}", sensitive=True)
        for name, of in errors.items()
    ]
    notes += [
        Note(code="one class in resamples", subject=name, detail=f"{len(draws):,} of {len(seeds):,}")
        for name, draws in void.items()
    ]
    # A fit that failed took its time too; a resample with one class was never fitted.
    return values, sum(bool(each.error) or each.found is not None for each in outcomes), notes


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
        raise InputError("it has no fit method, so it cannot be refitted")
    fresh.fit(data, labels)
    return fresh


def _flat(values: Any, rows: Any) -> NDArray[Any]:
    """Return predictions as one label per row; some libraries give a column."""
    flat = np.asarray(values).ravel()
    check_scored_rows(len(flat), rows, "predict")
    return flat
