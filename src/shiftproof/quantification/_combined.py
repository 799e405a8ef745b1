"""The mean of several methods, which errs less than each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shiftproof.quantification._averages import learn_scaled_probability_average
from shiftproof.quantification._density import learn_kernel_density_matching
from shiftproof.quantification._expectation import learn_expectation_maximization
from shiftproof.quantification._learned import Learned
from shiftproof.quantification._matching import learn_distribution_matching
from shiftproof.quantification._samples import Floats, Labelled, Samples
from shiftproof.quantification._thresholds import learn_median_sweep

_OF_TWO: dict[str, Callable[[Labelled], Learned]] = {
    "median sweep": learn_median_sweep,
    "distribution matching": learn_distribution_matching,
    "expectation maximization": learn_expectation_maximization,
}
_OF_MORE: dict[str, Callable[[Labelled], Learned]] = {
    "scaled probability average": learn_scaled_probability_average,
    "expectation maximization": learn_expectation_maximization,
    "kernel density matching": learn_kernel_density_matching,
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Mean(Learned):
    """The mean of what several methods estimate."""

    members: tuple[Learned, ...]

    def _shares(self, samples: Samples) -> Floats:
        return np.asarray(np.mean([member.estimate(samples) for member in self.members], axis=0))


def learn_combined(labelled: Labelled) -> Mean:
    """Learn median sweep, distribution matching and expectation maximization.

    For more than two classes: scaled probability average, expectation maximization and kernel density matching.
    """
    learners = _OF_TWO if labelled.n_classes == 2 else _OF_MORE
    members = {name: learn(labelled) for name, learn in learners.items()}
    notes = tuple(f"{name}: {note}" for name, member in members.items() for note in member.notes)
    return Mean(n_classes=labelled.n_classes, notes=notes, members=tuple(members.values()))
