"""The default: several methods that err in different ways, each weighted by how it does on the labelled rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shiftproof.core import Floats, fault
from shiftproof.counting._calibration import Calibration
from shiftproof.counting._density import learn_kernel_density_matching
from shiftproof.counting._expectation import learn_expectation_maximization
from shiftproof.counting._learned import Learned
from shiftproof.counting._matching import learn_distribution_matching, learn_energy_matching
from shiftproof.counting._samples import Labelled, Samples
from shiftproof.counting._thresholds import learn_median_sweep

_LIKELIEST = "expectation maximization"
_OF_TWO: dict[str, Callable[..., Learned]] = {
    "median sweep grid": lambda labelled: learn_median_sweep(labelled, grid=True),
    "distribution matching": learn_distribution_matching,
    "energy matching": learn_energy_matching,
    _LIKELIEST: learn_expectation_maximization,
}
_OF_MORE: dict[str, Callable[..., Learned]] = {
    _LIKELIEST: learn_expectation_maximization,
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
    def fixed_options(self) -> Mapping[str, Any]:
        """The weights, which resamples keep, and the options that the methods keep themselves."""
        return {"weights": self.weights} | {
            name: value for one in self.members for name, value in one.fixed_options.items()
        }

    def _shares(self, samples: Samples) -> Floats:
        return np.asarray(
            np.average([member.estimate(samples) for member in self.members], axis=0, weights=self.weights)
        )


def learn_combined(
    labelled: Labelled, *, weights: Sequence[float] | None = None, calibrate: bool | Calibration = True
) -> Mean:
    """Learn median sweep (on a grid), distribution matching, energy matching and expectation maximization.

    Of more than two classes: expectation maximization and kernel density matching. They are weighted by one over their
    squared mean squared error in samples of half the labelled rows, learnt from the other half.

    Parameters
    ----------
    labelled : Labelled
        The scores to learn from.
    weights : sequence of float, optional
        One for each method, instead of those that are found.
    calibrate : bool or Calibration
        As in expectation maximization.
    """
    options = {_LIKELIEST: {"calibrate": calibrate}}
    members = {name: learn(labelled, **options.get(name, {})) for name, learn in _learners(labelled).items()}
    notes = tuple(f"{name}: {note}" for name, member in members.items() for note in member.notes)
    chosen = _weights(labelled) if weights is None else _checked(weights, len(members))
    return Mean(n_classes=labelled.n_classes, notes=notes, members=tuple(members.values()), weights=chosen)


def _weights(labelled: Labelled) -> tuple[float, ...]:
    """Try the members out on the labelled rows; too few of them leave the members equal."""
    if labelled.counts.min() < _FEWEST:
        return (1.0,) * len(_learners(labelled))
    # The same rows always get the same weights.
    rng = np.random.default_rng(0)
    # Several halvings, because one may be lucky for a member.
    errors = np.concatenate([_errors(labelled, rng) for _ in range(_HALVINGS)], axis=1)
    # No member is surer than a row of a sample.
    merits = 1 / (np.mean(errors**2, axis=1) + _SIZE**-2.0) ** 2
    return tuple((merits / merits.sum()).tolist())


def _errors(labelled: Labelled, rng: np.random.Generator) -> Floats:
    """Learn from one half of the rows, estimate samples of the other: errors of shape (members, samples x classes)."""
    share = min(1.0, _MOST_ROWS / len(labelled.codes))
    sizes = np.maximum(_FEWEST, (labelled.counts * share).astype(np.intp)) // 2
    order = _order(labelled)
    train, test = [], []
    for code in order:
        rows = rng.permutation(np.flatnonzero(labelled.codes == code))
        train.append(rows[: sizes[code]])
        test.append(rows[sizes[code] : 2 * sizes[code]])
    # Members must not be tried on the rows that they learnt from.
    learnt_from = labelled.take(np.concatenate(train))
    weights = [labelled.weights[rows] for rows in test]
    chances = [of_class / of_class.sum() if labelled.weighted else None for of_class in weights]
    counts = rng.multinomial(_SIZE, _mixtures(labelled.n_classes, rng))
    lists = [
        np.concatenate([rng.choice(rows, n, p=p) for rows, n, p in zip(test, of_sample, chances, strict=True)])
        for of_sample in counts.tolist()
    ]
    # Members look at the whole pool, so that it holds nothing but what was drawn.
    drawn = np.concatenate(lists)
    samples = Samples(labelled.scores.take(drawn), np.arange(len(drawn)), np.arange(len(lists) + 1) * _SIZE)
    true = counts[:, np.argsort(order)] / _SIZE
    errors = [learn(learnt_from).estimate(samples) - true for learn in _learners(labelled).values()]
    return np.array(errors).reshape(len(errors), -1)


def _mixtures(n_classes: int, rng: np.random.Generator) -> Floats:
    """Give the shares that samples are to have: of two classes at equal steps, of more anywhere on the simplex."""
    if n_classes > 2:
        return rng.dirichlet(np.ones(n_classes), _PREVALENCES * _SAMPLES)
    second = np.repeat(np.linspace(0.0, 1.0, _PREVALENCES), _SAMPLES)
    return np.column_stack([1 - second, second])


def _order(labelled: Labelled) -> list[int]:
    """Give the classes in an order that does not depend on how they are numbered."""
    codes = range(labelled.n_classes)
    own = [float(labelled.probabilities[labelled.codes == code, code].sum()) for code in codes]
    return sorted(codes, key=lambda code: (labelled.counts[code], own[code]))


def _learners(labelled: Labelled) -> dict[str, Callable[..., Learned]]:
    return _OF_TWO if labelled.n_classes == 2 else _OF_MORE


def _checked(weights: Sequence[float], n: int) -> tuple[float, ...]:
    values = tuple(float(weight) for weight in weights)
    if len(values) != n or min(values) < 0 or not 0 < sum(values) < np.inf:
        raise fault(
            "weights", f"be {n} numbers of at least 0, not all 0", list(values), "leave it out to estimate them"
        )
    return values
