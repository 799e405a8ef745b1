"""Average the probabilities, as they are or scaled by what they are in each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shiftproof.core import Floats
from shiftproof.counting._learned import Binary, Learned, Lesson, Unadjusted, learn_parts, with_other
from shiftproof.counting._samples import Labelled, Samples
from shiftproof.counting._simplex import learn_unmixing

# Means of equal scores differ by rounding.
_EQUAL = 1e-12
NO_GAP = "the probabilities are no higher for this class than for the others, so their plain average is returned"


@dataclass(frozen=True, eq=False)
class Scaled:
    """The mean probability scaled between its means in the classes, eq. 3.4."""

    low: float
    high: float

    def share(self, scores: Floats, samples: Samples) -> Floats:
        """Give the scaled mean in each sample; between 0 and 1 it is the plain mean, eq. 3.3."""
        return np.asarray((samples.means(scores) - self.low) / (self.high - self.low))


def learn_probability_average(labelled: Labelled) -> Unadjusted:
    """Learn nothing: probabilities are averaged (PA, eq. 3.3)."""
    return Unadjusted(n_classes=labelled.n_classes, statistic=mean_probabilities)


def learn_scaled_probability_average(labelled: Labelled) -> Learned:
    """Learn the classes' mean probabilities (SPA, eq. 3.4-3.6; constrained least squares for more than two)."""
    if labelled.n_classes == 2:
        return learn_parts(labelled, _scaled)
    # One fold for all rows: mean probabilities are not averaged over folds.
    return learn_unmixing(labelled, labelled.probabilities, np.zeros_like(labelled.codes), mean_probabilities)


def mean_probabilities(samples: Samples) -> Floats:
    """Average the probabilities of each sample, shape (S, k); they add up to 1."""
    if samples.n_classes == 2:
        return with_other(samples.means(samples.probabilities[:, 1]))
    means = samples.means(samples.probabilities)
    return np.asarray(means / means.sum(axis=1, keepdims=True))


def _scaled(binary: Binary) -> Lesson:
    # Eq. 3.5 and 3.6: the mean probability among the rows of the other classes, and among those of the class.
    low, high = (
        float(np.average(binary.scores[side], weights=binary.weights[side]))
        for side in (~binary.positive, binary.positive)
    )
    return (Scaled(low, high), "") if high - low > _EQUAL else (Scaled(0.0, 1.0), NO_GAP)
