"""Average the probabilities, as they are or scaled by what they are in each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shiftproof.core import Floats
from shiftproof.counting._learned import Binary, Learned, Lesson, learn_parts, with_other
from shiftproof.counting._samples import Labelled, Samples
from shiftproof.counting._simplex import Unmixed, learn_unmixed

# Means of equal scores differ by rounding.
_EQUAL = 1e-12
NO_GAP = "the class has no higher probabilities than the others: their plain average is given"


@dataclass(frozen=True, eq=False, kw_only=True)
class Average(Learned):
    """The mean probabilities, eq. 3.3."""

    def _shares(self, samples: Samples) -> Floats:
        return mean_probabilities(samples)


@dataclass(frozen=True, eq=False)
class Scaled:
    """The mean probability scaled between its means in the classes, eq. 3.4."""

    low: float
    high: float

    def share(self, scores: Floats, samples: Samples) -> Floats:
        """Give the scaled mean in each sample."""
        return np.asarray((samples.means(scores) - self.low) / (self.high - self.low))


@dataclass(frozen=True, eq=False)
class Unscaled:
    """The mean probability as it is, eq. 3.3."""

    def share(self, scores: Floats, samples: Samples) -> Floats:
        """Give the mean in each sample."""
        return samples.means(scores)


@dataclass(frozen=True, eq=False, kw_only=True)
class UnmixedAverage(Learned):
    """The mixture of the classes' mean probabilities that is nearest to the sample's, in least squares."""

    unmixed: Unmixed

    def _shares(self, samples: Samples) -> Floats:
        return self.unmixed.nearest(mean_probabilities(samples))

    def _raw(self, samples: Samples) -> Floats:
        return self.unmixed.unbounded(mean_probabilities(samples))


def learn_probability_average(labelled: Labelled) -> Average:
    """Learn nothing: probabilities are averaged (PA, eq. 3.3)."""
    return Average(n_classes=labelled.n_classes)


def learn_scaled_probability_average(labelled: Labelled) -> Learned:
    """Learn the classes' mean probabilities (SPA, eq. 3.4-3.6; constrained least squares for more than two)."""
    if labelled.n_classes == 2:
        return learn_parts(labelled, _scaled)
    unmixed, notes = learn_unmixed(labelled.probabilities, labelled.codes, np.zeros_like(labelled.codes))
    return UnmixedAverage(n_classes=labelled.n_classes, notes=notes, unmixed=unmixed)


def mean_probabilities(samples: Samples) -> Floats:
    """Average the probabilities of each sample, shape (S, k); they add up to 1."""
    if samples.n_classes == 2:
        return with_other(samples.means(samples.probabilities[:, 1]))
    means = samples.means(samples.probabilities)
    return np.asarray(means / means.sum(axis=1, keepdims=True))


def _scaled(binary: Binary) -> Lesson:
    low, high = float(binary.scores[~binary.positive].mean()), float(binary.scores[binary.positive].mean())
    return (Scaled(low, high), "") if high - low > _EQUAL else (Unscaled(), NO_GAP)
