"""Other methods that estimate accuracy on unlabelled data, behind one interface.

They are what a new method has to beat. All start from the same scores, so they can be compared, and `select` accepts
any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from shiftproof.case import SOFT_MEASURES, Candidates, Case, Rule, Running, estimate, note_text, sides_of
from shiftproof.core import Codes, Floats, InputError, Phrase, Seed, check_choice, fault
from shiftproof.panel import Panel
from shiftproof.selection.rivals._density_ratio import density_ratio, effective_rows
from shiftproof.selection.rivals._interface import CrossFitPlan, Guess, Rival, Setting
from shiftproof.selection.rivals._training_error import guess_training, structural_risk

if TYPE_CHECKING:
    import pandas as pd

#: Those that fit nothing and ask for no folds of their own.
CHEAP = (
    "cross-validation",
    "difference of confidences",
    "average thresholded confidence",
    "calibrated confidence",
    "adjusted prevalence",
    "posterior pool",
    "corrected pool",
)
# Sums of weights are equal up to this.
_ROUNDING = 1e-9


def _decisions(probabilities: Floats) -> Codes:
    return np.asarray(probabilities.argmax(axis=1), dtype=np.int64)


def _right(candidates: Candidates, name: str) -> Floats:
    """Return 1 for each labelled row that a model gets right out of fold, else 0."""
    return np.asarray(_decisions(candidates.old[name]) == candidates.codes, dtype=np.float64)


def _by_model(guess: Callable[[Candidates, str], float]) -> Callable[[Setting], Guess]:
    """Turn a guess of one model's accuracy from the scores into a method."""

    def method(setting: Setting) -> Guess:
        return Guess(accuracies=_per_model(setting, guess))

    return method


def _per_model(setting: Setting, guess: Callable[[Candidates, str], float]) -> Floats:
    return np.array([guess(setting.candidates, name) for name in setting.candidates.names])


def _repeat_accuracy(candidates: Candidates, name: str, weights: Floats) -> float:
    """Return a model's weighted accuracy of out-of-fold decisions, the mean over the repeats."""
    accuracies = []
    for folds, scores in zip(candidates.folds, candidates.repeats[name], strict=True):
        rows = np.flatnonzero(folds >= 0)
        total = float(weights[rows].sum())
        if total > 0:
            right = _decisions(scores[rows]) == candidates.codes[rows]
            accuracies.append(float(weights[rows] @ right) / total)
    return float(np.mean(accuracies))


def _importance_weighting(setting: Setting) -> Guess:
    """Shimodaira (2000), Sugiyama et al. (2007): each labelled row counts as often as new rows are like it."""
    weights, base = setting.candidates.weights, setting.candidates.base
    extra: dict[str, float] = {}
    absent = " and ".join(name for name in ("X", "X_new") if getattr(setting, name) is None)
    why = f"without {absent} there is no density ratio" if absent else ""
    if not absent:
        try:
            ratio = density_ratio(setting.X, setting.X_new, random_state=setting.random_state, n_jobs=setting.n_jobs)
            weights = ratio.weights * base / (ratio.weights @ base)
            extra["clipped"] = ratio.clipped
        except InputError as error:
            why = str(error.clause)
    extra["effective rows"] = effective_rows(weights)
    accuracies = _per_model(setting, lambda candidates, name: _repeat_accuracy(candidates, name, weights))
    notes = (f"rows were weighted by entropy balancing: {why}",) if why else ()
    return Guess(accuracies=accuracies, notes=notes, extra=extra)


def _confidences(candidates: Candidates, name: str) -> tuple[Floats, Floats]:
    """Return the largest probability of each labelled and each new row."""
    # Of comparable scores: those of refitted models differ even without a shift.
    return candidates.old[name].max(axis=1), candidates.comparable[name].max(axis=1)


def _difference_of_confidences(candidates: Candidates, name: str) -> float:
    """Guillory et al. (2021): accuracy falls as much as the mean confidence."""
    old, new = _confidences(candidates, name)
    return float(candidates.base @ (_right(candidates, name) - old) + new.mean())


def _thresholded_confidence(candidates: Candidates, name: str) -> float:
    """Garg et al. (2022), equations 2 and 3, with the largest probability for confidence."""
    old, new = _confidences(candidates, name)
    error = 1 - float(candidates.base @ _right(candidates, name))
    return 1 - float(share_below(old, candidates.base, error, new))


def share_below(values: Floats, weights: Floats, part: float, others: Floats) -> float:
    """Find the threshold that a share of the values lies below, and return the share of others below it.

    It is the largest value that no more than that share lies below. Of values equal to it as many count as below as it
    takes to make up the share; of others in proportion.

    Examples
    --------
    >>> share_below(np.array([1.0, 2, 3, 4]), np.full(4, 0.25), 0.5, np.array([2.9, 3, 5, 6]))
    0.25
    >>> share_below(np.ones(4), np.full(4, 0.25), 0.3, np.ones(7))
    0.3
    """
    distinct, place = np.unique(values, return_inverse=True)
    masses = np.bincount(place, weights)
    up_to = np.cumsum(masses)
    # The first value with more than that part at or below it.
    at = int(np.searchsorted(up_to, part + _ROUNDING, side="right"))
    if at == len(distinct):
        return 1.0
    split = max(float(part - (up_to[at] - masses[at])), 0.0) / float(masses[at])
    below, equal = float((others < distinct[at]).mean()), float((others == distinct[at]).mean())
    return below + (split if split > _ROUNDING else 0.0) * equal


def _calibrated_confidence(candidates: Candidates, name: str) -> float:
    """Estimate as NannyML's CBPE does: the mean calibrated probability that the decision is right."""
    new = candidates.comparable[name]
    calibrated = isotonic(candidates.old[name], candidates.codes, candidates.base, new)
    return float(_of_decisions(calibrated, new).mean())


def isotonic(old: Floats, codes: Codes, weights: Floats, new: Floats) -> Floats:
    """Calibrate probabilities by isotonic regression: of the second of two classes, else of each against all others.

    Examples
    --------
    >>> old = np.array([[0.9, 0.1], [0.9, 0.1], [0.2, 0.8]])
    >>> isotonic(old, np.array([0, 1, 1]), np.full(3, 1 / 3), old[:1])
    array([[0.5, 0.5]])
    """
    from sklearn.isotonic import IsotonicRegression

    k = old.shape[1]
    columns = []
    for code in range(1 if k == 2 else 0, k):
        curve = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
        curve.fit(old[:, code], codes == code, sample_weight=weights)
        columns.append(curve.predict(new[:, code]))
    if k == 2:
        return np.column_stack([1 - columns[0], columns[0]])
    found = np.column_stack(columns)
    total = found.sum(axis=1, keepdims=True)
    # Where no class is thought possible, all are equally so, as in scikit-learn.
    return np.where(total > 0, found / np.where(total > 0, total, 1.0), 1 / k)


def _of_decisions(posterior: Floats, scores: Floats) -> Floats:
    """Return what a posterior says of the class that a model decides for, row by row."""
    return np.asarray(posterior[np.arange(len(posterior)), _decisions(scores)])


def _posterior_pool(setting: Setting) -> Guess:
    pool = setting.routes.pool.new
    # Decisions of the refitted models, which are those that will be used.
    return Guess(accuracies=_per_model(setting, lambda own, name: float(_of_decisions(pool, own.new[name]).mean())))


def _corrected_pool(setting: Setting) -> Guess:
    pool = setting.routes.pool.old

    def correction(candidates: Candidates, name: str) -> float:
        validated = _of_decisions(pool, candidates.old[name])
        return float(candidates.base @ (_right(candidates, name) - validated))

    return Guess(accuracies=_posterior_pool(setting).accuracies + _per_model(setting, correction))


def _adjusted_prevalence(setting: Setting) -> Guess:
    """Count each class's recall by its share of the new rows, as LEAP (Volpi et al. 2025) does under prior shift."""
    shares, known = setting.routes.shares, setting.candidates.prevalence > 0

    def guess(candidates: Candidates, name: str) -> float:
        right = candidates.base * _right(candidates, name)
        hits = np.bincount(candidates.codes, weights=right, minlength=candidates.k)
        # Of a class without labelled rows nothing is known but the mean.
        recalls = np.where(known, hits / np.where(known, candidates.prevalence, 1.0), right.sum())
        return float(shares @ recalls)

    notes = () if known.all() else ("a class has no labelled rows, so its recall was replaced by the accuracy",)
    extra = {f"share of class {code}": share for code, share in enumerate(shares.tolist())}
    return Guess(accuracies=_per_model(setting, guess), notes=notes, extra=extra)


def _routed_pool(setting: Setting) -> Guess:
    candidates, routes = setting.candidates, setting.routes
    # Accuracy does not depend on which class is positive.
    sides = sides_of(candidates, Rule(classes=np.arange(candidates.k), positive=0))
    found = estimate(SOFT_MEASURES["accuracy"], sides, candidates, routes).values()
    kinds = {route.kind: share for route, share in zip(routes.ways, routes.probabilities.tolist(), strict=True)}
    return Guess(accuracies=np.asarray(routes.probabilities @ found), extra=kinds)


_cross_validation = _by_model(lambda candidates, name: _repeat_accuracy(candidates, name, candidates.base))
# One that knows of no shift, one that trusts the posterior, one for prior shift: their errors differ.
_MEMBERS = (_cross_validation, _corrected_pool, _adjusted_prevalence)


def _mean_of_rivals(setting: Setting) -> Guess:
    guesses = [member(setting) for member in _MEMBERS]
    notes = dict.fromkeys(note for guess in guesses for note in guess.notes)
    return Guess(accuracies=np.mean([guess.accuracies for guess in guesses], axis=0), notes=tuple(notes))


_ALL = [
    Rival("cross-validation", _cross_validation, "the share of labelled rows predicted correctly out of fold"),
    Rival(
        "repeated cross-validation",
        _cross_validation,
        "the same over 10 folds, repeated 5 times",
        plan=CrossFitPlan(folds=10, repeats=5),
    ),
    Rival("leave-one-out", _cross_validation, "the same with one fold per row", plan=CrossFitPlan()),
    Rival(
        "holdout",
        _cross_validation,
        "the same on 30% of the rows, with models fitted on the others",
        plan=CrossFitPlan(held_out=0.3),
    ),
    Rival(
        "importance weighting",
        _importance_weighting,
        "cross-validation with rows weighted by the ratio of new to labelled density",
    ),
    Rival(
        "difference of confidences",
        _by_model(_difference_of_confidences),
        "cross-validation minus the drop in mean confidence",
    ),
    Rival(
        "average thresholded confidence",
        _by_model(_thresholded_confidence),
        "the share of new rows above a confidence threshold, chosen so that on the labelled data this share equals "
        "the accuracy",
    ),
    Rival(
        "calibrated confidence",
        _by_model(_calibrated_confidence),
        "the mean probability of the predicted class, after isotonic calibration",
    ),
    Rival(
        "posterior pool",
        _posterior_pool,
        "the mean probability of the predicted class, according to all models together",
    ),
    Rival("corrected pool", _corrected_pool, "the same, corrected by its error on the labelled rows"),
    Rival(
        "adjusted prevalence",
        _adjusted_prevalence,
        "each class's recall, weighted by its estimated share of the new rows",
    ),
    Rival(
        "routed pool",
        _routed_pool,
        "the corrected pool along a route for each type of shift, weighted by their probabilities",
    ),
    Rival(
        "training accuracy",
        guess_training,
        "the share of labelled rows predicted correctly by models trained on them",
        needs_training=True,
    ),
    structural_risk(),
    structural_risk(form="printed"),
    Rival("mean of rivals", _mean_of_rivals, "the mean of cross-validation, corrected pool and adjusted prevalence"),
]

#: The rival methods by name.
RIVALS: Mapping[str, Rival] = MappingProxyType({each.name: each for each in _ALL})


def cheap_guesses(case: Case) -> dict[str, dict[str, float]]:
    """Return the accuracy of each model on the new rows by each method that costs nothing more.

    None of them knows thresholds, so there are none with one.
    """
    if case.options.threshold is not None:
        return {}
    setting = case.once(Setting.of)
    guesses = {name: RIVALS[name].guess(setting).accuracies.tolist() for name in CHEAP}
    return {
        model: {name: accuracies[place] for name, accuracies in guesses.items()}
        for place, model in enumerate(setting.candidates.names)
    }


def rival_scores(
    models: Any,
    X: Any = None,
    y: Any = None,
    X_new: Any = None,
    *,
    rivals: str | Rival | Sequence[str | Rival] | None = None,
    cv: Any = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> pd.DataFrame:
    """Estimate the accuracy of every model on new data by several rival methods.

    Parameters
    ----------
    models : dict of str to estimator, list of estimators, estimator, or Panel
        The candidates, as for `cross_fit`, or the panel that it returned.
    X, y : table and labels, optional
        The labelled rows; with a panel, the rows that it was made from.
    X_new : table, optional
        The rows without labels; may be left out with a panel that has their scores.
    rivals : sequence of str or Rival, optional
        Names in `RIVALS`, or rivals of your own. By default, all rivals that share one cross-fit: with models, the
        rivals without a plan; with a panel, also those whose plan the panel meets. The others need fits of their own or
        look at training errors; pass their names to use them.
    cv : int or splitter, optional
        The folds for rivals without a plan; 10 by default.
    random_state : int, Generator, RandomState, SeedSequence or None
        The seed of folds and draws.
    n_jobs : int, optional
        Number of fits to run in parallel.
    progress : bool, optional
        As in `cross_fit`.

    Returns
    -------
    DataFrame
        With the columns ``model``, ``rival``, ``accuracy`` and ``note``. An accuracy below 0 or above 1 is clipped, and
        the note says so.

    Raises
    ------
    InputError
        If a name is unknown, an input is missing, or the panel was not fitted with the plan that a rival needs.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=300)
    >>> X = rng.normal(size=(300, 2)) + 1.5 * y[:, None]
    >>> result = rival_scores(LogisticRegression(), X[:200], y[:200], X[200:], rivals=["cross-validation", "holdout"])
    >>> result.round({"accuracy": 2})
                    model             rival  accuracy note
    0  LogisticRegression  cross-validation      0.86
    1  LogisticRegression           holdout      0.83
    """
    import pandas as pd

    chosen = _chosen(rivals, models)
    if isinstance(models, Panel):
        for rival in chosen:
            rival.check(models)
    running = Running(random_state=random_state, n_jobs=n_jobs, progress=progress)
    # Each plan of folds is one case; with a panel all rivals share it.
    cases: dict[CrossFitPlan | None, Case] = {}
    for plan in dict.fromkeys(None if isinstance(models, Panel) else rival.plan for rival in chosen):
        folds: dict[str, Any] = {"cv": cv} if plan is None else {"own_folds": plan.fitting(y, random_state)}
        cases[plan] = Case.of(models, X, y, X_new, purpose="guessing accuracies", new_required=True, **folds, **running)
    rows = [row for rival in chosen for row in _guessed(rival, cases[rival.plan if rival.plan in cases else None])]
    return pd.DataFrame(rows, columns=["model", "rival", "accuracy", "note"])


def _chosen(rivals: Any, models: Any) -> list[Rival]:
    """Look rivals up by their names; each is asked once."""
    if rivals is None:
        panel = models if isinstance(models, Panel) else None
        served = [each for each in _ALL if each.plan is None or (panel is not None and each.plan.is_met(panel))]
        return [each for each in served if not each.needs_training]
    asked = [rivals] if isinstance(rivals, str | Rival) else list(rivals) if isinstance(rivals, Iterable) else []
    if not asked:
        raise fault(
            "rivals", "name at least one", Phrase("none"), "leave it out to use all methods that one cross-fit supports"
        )
    found = [each if isinstance(each, Rival) else RIVALS[check_choice(each, "rivals", list(RIVALS))] for each in asked]
    # A rival that was named twice is asked once.
    return list({each.name: each for each in found}.values())


def _guessed(rival: Rival, case: Case) -> list[tuple[str, str, float, str]]:
    setting = case.once(Setting.of)
    guess = rival.guess(setting)
    notes = [str(note_text(note)) for note in case.notes]
    rows = []
    for name, accuracy in zip(setting.candidates.names, guess.accuracies.tolist(), strict=True):
        # Corrections may lead beyond 0 and 1.
        kept = min(max(accuracy, 0.0), 1.0)
        cut = [] if abs(kept - accuracy) <= _ROUNDING else [f"cut from {accuracy:.3f}"]
        rows.append((name, rival.name, kept, "; ".join([*notes, *guess.notes, *cut])))
    return rows
