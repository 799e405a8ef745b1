"""The default: several methods that err in different ways, each weighted by how it does on the labelled rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shiftproof.core import fault
from shiftproof.quantification._averages import learn_scaled_probability_average
from shiftproof.quantification._density import learn_kernel_density_matching
from shiftproof.quantification._energy import learn_energy_matching
from shiftproof.quantification._expectation import learn_expectation_maximization
from shiftproof.quantification._learned import Learned
from shiftproof.quantification._matching import learn_distribution_matching
from shiftproof.quantification._samples import Floats, Labelled, Samples
from shiftproof.quantification._thresholds import learn_median_sweep

_OF_TWO: dict[str, Callable[[Labelled], Learned]] = {
    "median sweep grid": lambda labelled: learn_median_sweep(labelled, grid=True),
    "distribution matching": learn_distribution_matching,
    "energy matching": learn_energy_matching,
    "expectation maximization": learn_expectation_maximization,
}
_OF_MORE: dict[str, Callable[[Labelled], Learned]] = {
    "scaled probability average": learn_scaled_probability_average,
    "expectation maximization": learn_expectation_maximization,
    "kernel density matching": learn_kernel_density_matching,
}
# How the members are tried out: halves of the labelled rows, prevalences from 0 to 1, samples at each, rows of each.
_HALVINGS, _PREVALENCES, _SAMPLES, _SIZE = 3, 11, 4, 200
_FEWEST = 4
# More labelled rows than this do not tell the members' errors any better.
_MOST_ROWS = 4_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Mean(Learned):
    """The weighted mean of what several methods estimate."""

    members: tuple[Learned, ...]
    weights: tuple[float, ...]

    @property
    def settled(self) -> Mapping[str, Any]:
        """The weights, which resamples keep."""
        return {"weights": self.weights}

    def _shares(self, samples: Samples) -> Floats:
        return np.asarray(np.average([each.estimate(samples) for each in self.members], axis=0, weights=self.weights))


def learn_combined(labelled: Labelled, *, weights: Sequence[float] | None = None) -> Mean:
    """Learn median sweep (on a grid), distribution matching, energy matching and expectation maximization.

    Of two classes they are weighted by one over their squared mean squared error in samples of half the labelled rows,
    learnt from the other half. Of more than two classes: the plain mean of scaled probability average, expectation
    maximization and kernel density matching.

    Parameters
    ----------
    labelled : Labelled
        The scores to learn from.
    weights : sequence of float, optional
        One for each method, instead of those that are found.
    """
    learners = _OF_TWO if labelled.n_classes == 2 else _OF_MORE
    members = {name: learn(labelled) for name, learn in learners.items()}
    notes = tuple(f"{name}: {note}" for name, member in members.items() for note in member.notes)
    chosen = _weights(labelled) if weights is None else _checked(weights, len(members))
    return Mean(n_classes=labelled.n_classes, notes=notes, members=tuple(members.values()), weights=chosen)


def _weights(labelled: Labelled) -> tuple[float, ...]:
    """Try the members out on the labelled rows; more than two classes, and too few rows, leave them equal."""
    if labelled.n_classes > 2 or labelled.counts.min() < _FEWEST:
        return (1.0,) * len(_OF_TWO if labelled.n_classes == 2 else _OF_MORE)
    # The same rows always get the same weights.
    rng = np.random.default_rng(0)
    errors = np.concatenate([_errors(labelled, rng) for _ in range(_HALVINGS)], axis=1)
    # No member is surer than a row of a sample.
    merits = 1 / (np.mean(errors**2, axis=1) + _SIZE**-2.0) ** 2
    return tuple((merits / merits.sum()).tolist())


def _errors(labelled: Labelled, rng: np.random.Generator) -> Floats:
    """Learn from one half of the rows, estimate samples of the other: errors of shape (members, samples)."""
    share = min(1.0, _MOST_ROWS / len(labelled.codes))
    sizes = np.maximum(_FEWEST, (labelled.counts * share).astype(np.intp)) // 2
    train, test = [], []
    for code in _order(labelled):
        rows = rng.permutation(np.flatnonzero(labelled.codes == code))
        train.append(rows[: sizes[code]])
        test.append(rows[sizes[code] : 2 * sizes[code]])
    learnt_from = labelled.take(np.concatenate(train))
    # How many rows of the two classes each sample has.
    second = rng.binomial(_SIZE, np.repeat(np.linspace(0.0, 1.0, _PREVALENCES), _SAMPLES))
    lists = [
        np.concatenate([rng.choice(rows, n) for rows, n in zip(test, (_SIZE - k, k), strict=True)])
        for k in second.tolist()
    ]
    samples = Samples.from_lists(labelled.probabilities, lists)
    true = np.array([np.mean(labelled.codes[rows] == 1) for rows in lists])
    return np.array([learn(learnt_from).estimate(samples)[:, 1] - true for learn in _OF_TWO.values()])


def _order(labelled: Labelled) -> list[int]:
    """Give the two classes in an order that does not depend on which is called the second."""
    own = [float(labelled.probabilities[labelled.codes == code, code].sum()) for code in (0, 1)]
    return sorted((0, 1), key=lambda code: (labelled.counts[code], own[code]))


def _checked(weights: Sequence[float], n: int) -> tuple[float, ...]:
    values = tuple(float(weight) for weight in weights)
    if len(values) != n or min(values) < 0 or not 0 < sum(values) < np.inf:
        raise fault("weights", f"be {n} numbers of at least 0, not all 0", list(values), "leave it out to find them")
    return values
