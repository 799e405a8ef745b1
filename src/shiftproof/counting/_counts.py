"""Count the classifier's decisions, as they are or adjusted; or give the labelled rows' class proportions."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shiftproof.core import Floats
from shiftproof.counting._learned import Binary, Learned, Lesson, Unadjusted, learn_parts
from shiftproof.counting._rates import Averaging, Rates, averaged_folds, rates_at
from shiftproof.counting._samples import Labelled, Samples, indicators, plain_count
from shiftproof.counting._simplex import learn_unmixing

NO_GAP = "tpr <= fpr, so the plain count is returned"


@dataclass(frozen=True, eq=False, kw_only=True)
class Constant(Learned):
    """The same prevalences whatever the sample."""

    prevalence: Floats

    def _shares(self, samples: Samples) -> Floats:
        return np.tile(self.prevalence, (samples.n_samples, 1))


@dataclass(frozen=True, eq=False)
class AdjustedDecisions:
    """The adjusted count of the model's own decisions, of two classes (eq. 3.1)."""

    tpr: float
    fpr: float

    def share(self, scores: Floats, samples: Samples) -> Floats:  # noqa: ARG002 - as every `ClassShare` is called
        """Give the adjusted count in each sample; only decisions count."""
        return np.asarray((samples.means(samples.scores.decisions == 1) - self.fpr) / (self.tpr - self.fpr))


@dataclass(frozen=True, eq=False)
class AdjustedCut:
    """The adjusted count at one threshold, eq. 3.1: ``(p' - fpr)/(tpr - fpr)``."""

    threshold: float
    tpr: float
    fpr: float

    def share(self, scores: Floats, samples: Samples) -> Floats:
        """Give the adjusted count in each sample."""
        return np.asarray((samples.means(scores >= self.threshold) - self.fpr) / (self.tpr - self.fpr))


def learn_training_prevalence(labelled: Labelled) -> Constant:
    """Learn the prevalences of the labelled rows (BL)."""
    return Constant(n_classes=labelled.n_classes, prevalence=labelled.prevalence)


def learn_classify_and_count(labelled: Labelled) -> Unadjusted:
    """Learn nothing: predictions are counted (CC)."""
    return Unadjusted(n_classes=labelled.n_classes, statistic=plain_count)


def learn_adjusted_count(labelled: Labelled, *, rates: Averaging = "folds") -> Learned:
    """Learn how often each class is taken for each other (AC, eq. 3.1; constrained least squares for more than two).

    Parameters
    ----------
    labelled : Labelled
        The scores to learn from.
    rates : {"folds", "pooled"}
        The mean of the folds' rates, as in the thesis, or the rates of all rows.
    """
    decisions = indicators(labelled.scores.decisions, labelled.n_classes)
    if labelled.n_classes == 2:
        return learn_parts(labelled, lambda binary: _adjusted(replace(binary, scores=decisions[:, 1]), rates))
    return learn_unmixing(labelled, decisions, averaged_folds(labelled.folds, rates), plain_count)


def _adjusted(decided: Binary, averaging: Averaging) -> Lesson:
    """Adjust decisions, given as scores of 0 and 1, or count them where they do not separate the classes."""
    # Any threshold between 0 and 1 separates the two decisions.
    cut, note = cut_at(rates_at(decided, np.array([0.5]), averaging), 0)
    return (cut and AdjustedDecisions(cut.tpr, cut.fpr)), note


def cut_at(rates: Rates, place: int) -> tuple[AdjustedCut | None, str]:
    """Adjust at one of the thresholds, or give the plain count where its rates do not tell the classes apart."""
    # Eq. 3.1 would divide by 0, or turn the count upside down.
    if rates.true[place] <= rates.false[place]:
        return None, NO_GAP
    return AdjustedCut(float(rates.thresholds[place]), float(rates.tpr[place]), float(rates.fpr[place])), ""
