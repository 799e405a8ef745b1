"""Measure each model in each cell of the grid, under the rows' own weights and those of resamples."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Codes, Failure, Floats
from shiftproof.panel import run_all
from shiftproof.robustness._kernels import weighted_auc, weighted_counts
from shiftproof.robustness._subject import Rescorer, Subject
from shiftproof.simulation import Cell, Grid, Shifted
from shiftproof.stats import ContinuousRecord, Reference, friedman, hellinger, kruskal_wallis

# With this many cells a task is worth a process, and there are enough tasks for all processes.
_CELLS_AT_A_TIME = 32


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome:
    """One model in one cell.

    Parameters
    ----------
    values : mapping of measure to ndarray of shape (1 + resamples,)
        Accuracy, AUC, Brier score and the Hellinger distance of the scores from those of the validation rows: first on
        the original rows, then on the resamples of the test rows.
    kruskal, friedman : float
        p-values: scores of validation against shifted test rows; bootstrapped accuracies of both.
    n : int
        Rows in the cell.
    """

    values: Mapping[str, Floats]
    kruskal: float
    friedman: float
    n: int


#: By model and cell.
Outcomes = dict[tuple[str, Cell], Outcome]
#: The error that a model raised where it could not score a cell.
Refusals = dict[tuple[str, Cell], Failure]


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How often test rows are resampled, with which seed, and how much of that at a time."""

    bootstraps: int
    seed: int
    n_jobs: int | None = None
    progress: bool | None = None


def measure_all(subject: Subject, grid: Grid, sampling: Sampling) -> tuple[Outcomes, Refusals]:
    """Measure every model in every cell that it can score."""
    seed = sampling.seed
    # All models see the same resamples: differences between them are paired.
    weights = resample_weights(subject, sampling.bootstraps, np.random.default_rng([seed, 0]))
    scored = {
        name: ScoredModel.of(subject, name, sampling.bootstraps, np.random.default_rng([seed, 1]))
        for name in subject.names
    }
    starts = range(0, len(grid.cells), _CELLS_AT_A_TIME)
    parts = [grid.cells[start : start + _CELLS_AT_A_TIME] for start in starts]
    places = [(name, part) for name in subject.names for part in parts]
    tasks = [(scored[name], grid, part, weights, seed) for name, part in places]
    results = run_all(_measure, tasks, n_jobs=sampling.n_jobs, progress=sampling.progress, doing="shifting test rows")
    outcomes: Outcomes = {}
    refusals: Refusals = {}
    for (name, part), of_part in zip(places, results, strict=True):
        for cell, outcome in zip(part, of_part, strict=True):
            if isinstance(outcome, Outcome):
                outcomes[name, cell] = outcome
            else:
                refusals[name, cell] = outcome
    return outcomes, refusals


def _measure(
    model: ScoredModel, grid: Grid, cells: Sequence[Cell], weights: Floats, seed: int
) -> list[Outcome | Failure]:
    """Measure one model in some cells; scores are discarded at once, because they can be large."""
    outcomes: list[Outcome | Failure] = []
    for cell in cells:
        shifted = grid.make(cell)
        scores = model.scores(shifted)
        if isinstance(scores, Failure):
            outcomes.append(scores)
        else:
            outcomes.append(model.outcome(scores, shifted.rows, weights[shifted.rows], cell.random(seed)))
    return outcomes


def resample_weights(subject: Subject, bootstraps: int, rng: np.random.Generator) -> Floats:
    """Return how often each test row counts, shape (n, 1 + bootstraps): once, and then as in each resample.

    Groups are drawn whole.
    """
    n = len(subject.test)
    if subject.panel.groups is None:
        # Without groups every row is its own group.
        owner, size = np.arange(n), n
    else:
        groups, owner = np.unique(subject.panel.groups[subject.test], return_inverse=True)
        size = len(groups)
    # Counts of a bootstrap: weights of rows replace resampled tables, which would need new scores.
    drawn = rng.multinomial(size, np.full(size, 1 / size), size=bootstraps)
    return np.ascontiguousarray(np.vstack([np.ones(n), drawn[:, owner]]).T, dtype=np.float64)


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoredModel:
    """One model, with its scores of the validation rows and of the original test rows.

    Parameters
    ----------
    rescorer : Rescorer
        Scores rows that were altered.
    positive : int or None
        The class whose score is compared; None for the largest probability.
    test, codes : ndarray
        The numbers of the test rows in the whole table, and their classes.
    base : ndarray of shape (n, k)
        Probabilities of the test rows.
    reference : Reference
        The scores of the validation rows.
    accuracies : ndarray of shape (bootstraps,)
        Bootstrapped accuracies on the validation rows.
    """

    rescorer: Rescorer
    positive: int | None
    test: NDArray[np.intp]
    codes: Codes
    base: Floats
    reference: Reference
    accuracies: Floats

    @classmethod
    def of(cls, subject: Subject, name: str, bootstraps: int, rng: np.random.Generator) -> ScoredModel:
        """Prepare what all cells are compared with."""
        validation = subject.probabilities(name, subject.validation)
        # Likeliest classes, as in the papers; thresholds play no part here.
        right = validation.argmax(axis=1) == subject.panel.y[subject.validation]
        return cls(
            rescorer=subject.rescorer(name),
            positive=subject.positive,
            test=subject.test,
            codes=subject.codes,
            base=subject.probabilities(name, subject.test),
            reference=Reference({"score": _score(validation, subject.positive)}, n_jobs=1),
            accuracies=_bootstrap_accuracies(right, bootstraps, rng),
        )

    def scores(self, shifted: Shifted) -> Floats | Failure:
        """Return the probabilities of a cell's rows, new ones only if values changed; or why the model failed."""
        if shifted.changed is None:
            # Rows that were only dropped keep their scores.
            return self.base[shifted.rows]
        # A model may raise anything on masked columns. Its warnings add nothing to its measures.
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return self.rescorer(shifted.table, self.test[shifted.rows])
        except Exception as error:
            return Failure.of(error)

    def outcome(
        self, probabilities: Floats, rows: NDArray[np.intp], weights: Floats, rng: np.random.Generator
    ) -> Outcome:
        """Measure the model on the rows of one cell."""
        codes = self.codes[rows]
        score = _score(probabilities, self.positive)
        record = cast(ContinuousRecord, self.reference.compare({"score": score})["score"])  # scores are numbers
        right = probabilities.argmax(axis=1) == codes
        total = weights.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):  # a resample may have no row of the cell
            accuracy = right @ weights / total
            brier = _losses(probabilities, codes) @ weights / total
        now = _bootstrap_accuracies(right, len(self.accuracies), rng)
        return Outcome(
            values={
                "accuracy": accuracy,
                "auc": _auc(probabilities, codes, weights),
                "brier": brier,
                "hellinger": _hellinger(record, score, weights),
            },
            kruskal=kruskal_wallis(record).p_value,
            friedman=friedman(np.column_stack([self.accuracies, now])).p_value,
            n=len(codes),
        )


def _score(probabilities: Floats, positive: int | None) -> Floats:
    """Return the score that is compared: of the positive class, or without one the largest probability."""
    return probabilities.max(axis=1) if positive is None else probabilities[:, positive]


def _bootstrap_accuracies(right: NDArray[np.bool_], bootstraps: int, rng: np.random.Generator) -> Floats:
    """Return accuracies of resamples: how many of n draws from ones and zeros are ones is binomial."""
    return np.asarray(rng.binomial(len(right), right.mean(), size=bootstraps) / len(right))


def _losses(probabilities: Floats, codes: Codes) -> Floats:
    """Return the squared errors of the rows: of two classes that of one, of more the sum over all."""
    hit = codes[:, None] == np.arange(probabilities.shape[1])
    # As in `measures.brier`.
    losses = ((probabilities - hit) ** 2).sum(axis=1)
    return np.asarray(losses / 2 if probabilities.shape[1] == 2 else losses)


def _auc(probabilities: Floats, codes: Codes, weights: Floats) -> Floats:
    """Return the AUC of two classes, or the mean of each against the rest; NaN where a class is missing."""
    k = probabilities.shape[1]
    # Of two classes, either gives the same area.
    targets = range(k) if k > 2 else (1,)
    total = np.zeros(weights.shape[1])
    for code in targets:
        values = np.ascontiguousarray(probabilities[:, code])
        total += weighted_auc(values, codes == code, np.argsort(values), weights)
    return total / len(targets)


def _hellinger(record: ContinuousRecord, score: Floats, weights: Floats) -> Floats:
    """Return the Hellinger distance under each column of weights, in the bins of the original rows."""
    # Resamples use the bins of the original rows, to make distances comparable.
    p = np.sqrt(record.bins_reference / record.bins_reference.sum())
    width = (record.high - record.low) / len(p)
    places = np.zeros(len(score), dtype=np.intp)
    if width > 0:
        places = np.minimum(np.floor((score - record.low) / width).astype(np.intp), len(p) - 1)
    counts = weighted_counts(places, weights, len(p))
    with np.errstate(invalid="ignore"):
        q = np.sqrt(counts / counts.sum(axis=0))
    distances = np.sqrt(np.square(p[:, None] - q).sum(axis=0))
    # Without weights use the record, which gives the same figure as `detect`.
    distances[0] = hellinger(record)
    return np.asarray(distances)
