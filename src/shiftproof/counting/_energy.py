"""Mix the classes' distribution functions of scores until they match the sample's, by the energy distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shiftproof.counting._learned import Binary, Lesson, OneVsRest, learn_parts
from shiftproof.counting._matching import NO_GAP
from shiftproof.counting._samples import Floats, Labelled, Samples

_EQUAL = 1e-12


@dataclass(frozen=True, eq=False)
class Energy:
    """The share is the mean of a function of the score that is linear between labelled scores.

    Parameters
    ----------
    scores, values : arrays of shape (n,)
        Labelled scores, rising, and the function there; beyond them it is level.
    """

    scores: Floats
    values: Floats

    def share(self, scores: Floats, samples: Samples) -> Floats:
        """Give the share whose mixture is nearest to each sample."""
        return samples.means(np.interp(scores, self.scores, self.values))


def learn_energy_matching(labelled: Labelled) -> OneVsRest:
    r"""Learn each class's distribution function (EDy).

    The distance is that of Kawakubo, du Plessis and Sugiyama (2016), taken on scores. Half the squared energy distance
    of two distributions on a line is :math:`\int (F - G)^2` (Székely). Of the mixtures :math:`q F_1 + (1 - q) F_0` the
    nearest to a sample's F has

    .. math:: q = \frac{\int (F - F_0)(F_1 - F_0)}{\int (F_1 - F_0)^2}.

    Parameters
    ----------
    labelled : Labelled
        The scores to learn from.
    """
    return learn_parts(labelled, _learn)


def _learn(binary: Binary) -> Lesson:
    knots = np.unique(binary.scores)
    above, below = (_below(binary.scores[side], knots) for side in (binary.positive, ~binary.positive))
    apart, steps = above - below, np.append(np.diff(knots), 0.0)
    whole = float(steps @ apart**2)
    if whole < _EQUAL:
        return None, NO_GAP
    # A row with score s adds the integral of F1 - F0 from s on.
    beyond = np.cumsum((steps * apart)[::-1])[::-1]
    return Energy(knots, (beyond - float(steps @ (below * apart))) / whole), ""


def _below(scores: Floats, knots: Floats) -> Floats:
    return np.asarray(np.searchsorted(np.sort(scores), knots, side="right") / len(scores))
