"""All quantifiers by a classifier, one class for each method; and the list of all there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shiftproof.counting._matching import HELLINGER_BINS, TOPSOE_BINS
from shiftproof.counting._rates import Averaging
from shiftproof.counting._thresholds import Reverse
from shiftproof.quantification._quantifier import ClassifierQuantifier, Quantifier
from shiftproof.quantification.neighbors._quantifiers import NearestNeighbors, ProportionWeightedNeighbors
from shiftproof.quantification.structured._quantifier import StructuredSVM


class TrainingPrevalence(ClassifierQuantifier):
    """Return the prevalences of the labelled rows (BL), a baseline that every other method should beat.

    Parameters
    ----------
    classifier, model, cv, random_state, n_jobs
        As for every `ClassifierQuantifier`.
    """

    _method = "training prevalence"


class ClassifyAndCount(ClassifierQuantifier):
    """Count the classifier's predictions (CC).

    The count is biased unless the prevalence happens to be the one at which the classifier's errors cancel (Forman's
    theorem, eq. 3.2).

    Parameters
    ----------
    classifier, model, cv, random_state, n_jobs
        As for every `ClassifierQuantifier`.
    """

    _method = "classify and count"


@dataclass(eq=False, repr=False, kw_only=True)
class AdjustedCount(ClassifierQuantifier):
    r"""Count the classifier's predictions, and correct the count for its error rates (AC).

    .. math:: p'' = \frac{p' - fpr}{tpr - fpr}

    (eq. 3.1), clipped to 0 and 1. With more than two classes, the estimate is the mixture of the classes' predictions
    that is nearest to the sample's predictions in least squares. If tpr is not above fpr, the plain count is returned,
    with a note.

    Parameters
    ----------
    rates : {"folds", "pooled"}
        Whether to use the mean of the folds' rates, as in the thesis, or the rates of all rows together.
    classifier, model, cv, random_state, n_jobs
        As for every `ClassifierQuantifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["no", "yes"], [300, 100])
    >>> X = rng.normal(size=(400, 2)) + 1.5 * (y == "yes")[:, None]
    >>> y_new = np.repeat(["no", "yes"], [50, 150])
    >>> X_new = rng.normal(size=(200, 2)) + 1.5 * (y_new == "yes")[:, None]
    >>> quantifier = AdjustedCount(LogisticRegression()).fit(X, y)
    >>> quantifier.classes_.tolist()
    ['no', 'yes']
    >>> quantifier.predict(X_new).round(2)
    array([0.24, 0.76])
    >>> print(quantifier.predict_interval(X_new)[1])
    0.762 [0.632, 0.875]
    """

    _method = "adjusted count"
    rates: Averaging = "folds"


@dataclass(eq=False, repr=False, kw_only=True)
class ThresholdX(ClassifierQuantifier):
    """Count and adjust at the threshold where fpr is nearest to 1 - tpr (X).

    If several thresholds are equally good, the lowest is used. With more than two classes, each class is counted
    against all others.

    Parameters
    ----------
    rates : {"folds", "pooled"}
        Whether to use the mean of the folds' rates, as in the thesis, or the rates of all rows together.
    classifier, model, cv, random_state, n_jobs
        As for every `ClassifierQuantifier`.
    """

    _method = "threshold x"
    rates: Averaging = "folds"


@dataclass(eq=False, repr=False, kw_only=True)
class Threshold50(ClassifierQuantifier):
    """Count and adjust at the threshold where tpr is nearest to 1/2 (T50).

    If several thresholds are equally good, the lowest is used. With more than two classes, each class is counted
    against all others.

    Parameters
    ----------
    rates : {"folds", "pooled"}
        Whether to use the mean of the folds' rates, as in the thesis, or the rates of all rows together.
    reverse : {"never", "majority", "always"}
        When to count the other class instead of the positive one: never, if the positive class has more than half of
        the labelled rows ("majority"), or always. The thesis (section 5.2.1) tried "majority" and found no difference.
    classifier, model, cv, random_state, n_jobs
        As for every `ClassifierQuantifier`.
    """

    _method = "threshold 50"
    rates: Averaging = "folds"
    reverse: Reverse = "never"


@dataclass(eq=False, repr=False, kw_only=True)
class ThresholdMax(ClassifierQuantifier):
    """Count and adjust at the threshold where tpr - fpr is largest (Max).

    If several thresholds are equally good, the lowest is used. With more than two classes, each class is counted
    against all others.

    Parameters
    ----------
    rates : {"folds", "pooled"}
        Whether to use the mean of the folds' rates, as in the thesis, or the rates of all rows together.
    classifier, model, cv, random_state, n_jobs
        As for every `ClassifierQuantifier`.
    """

    _method = "threshold max"
    rates: Averaging = "folds"


@dataclass(eq=False, repr=False, kw_only=True)
class MedianSweep(ClassifierQuantifier):
    """Compute the median of the adjusted counts over all thresholds where tpr - fpr is at least 1/4 (MS).

    If there is no such threshold, that of `ThresholdMax` is used, with a note.

    Parameters
    ----------
    rates : {"folds", "pooled"}
        Whether to use the mean of the folds' rates, as in the thesis, or the rates of all rows together.
    grid : bool
        Whether to use only 101 thresholds, at equal steps from the lowest to the highest labelled score; otherwise
        every labelled score is a threshold.
    classifier, model, cv, random_state, n_jobs
        As for every `ClassifierQuantifier`.
    """

    _method = "median sweep"
    rates: Averaging = "folds"
    grid: bool = False


class ProbabilityAverage(ClassifierQuantifier):
    """Average the classifier's probabilities (PA, eq. 3.3).

    Parameters
    ----------
    classifier, model, cv, random_state, n_jobs
        As for every `ClassifierQuantifier`.
    """

    _method = "probability average"


class ScaledProbabilityAverage(ClassifierQuantifier):
    """Average the probabilities, and scale by the classes' average probabilities (SPA, eq. 3.4 to 3.6).

    With more than two classes, the estimate is the mixture of the classes' average probabilities that is nearest to the
    sample's average in least squares.

    Parameters
    ----------
    classifier, model, cv, random_state, n_jobs
        As for every `ClassifierQuantifier`.
    """

    _method = "scaled probability average"


@dataclass(eq=False, repr=False, kw_only=True)
class ExpectationMaximization(ClassifierQuantifier):
    """Find the prevalences with the highest likelihood of the scores (EMQ, also SLD; Saerens et al. 2002).

    Parameters
    ----------
    calibrate : bool
        Whether to calibrate the scores first, with one temperature and a bias per class.
    tolerance : float
        Stop when no prevalence changes by more than this.
    most_rounds : int, optional
        Stop after this many rounds; by default, the prevalences to which the rounds converge are computed.
    classifier, model, cv, random_state, n_jobs
        As for every `ClassifierQuantifier`.
    """

    _method = "expectation maximization"
    calibrate: bool = True
    tolerance: float = 1e-8
    most_rounds: int | None = None


@dataclass(eq=False, repr=False, kw_only=True)
class HellingerMatching(ClassifierQuantifier):
    """Find the mixture of the classes' score histograms that is nearest to the sample's, by Hellinger distance (HDy).

    After González-Castro, Alaiz-Rodríguez and Alegre (2013). The estimate is the median over several numbers of bins.
    With more than two classes, each class is matched against all others.

    Parameters
    ----------
    bins : sequence of int
        The numbers of equal-width bins for the scores.
    classifier, model, cv, random_state, n_jobs
        As for every `ClassifierQuantifier`.
    """

    _method = "hellinger matching"
    bins: Sequence[int] = HELLINGER_BINS


@dataclass(eq=False, repr=False, kw_only=True)
class DistributionMatching(ClassifierQuantifier):
    """Find the mixture of the classes' score histograms that is nearest to the sample's, by Topsøe's distance (DyS).

    After Maletzke, dos Reis, Cherman and Batista (2019). The estimate is the median over several numbers of bins. With
    more than two classes, each class is matched against all others.

    Parameters
    ----------
    bins : sequence of int
        The numbers of equal-width bins for the scores.
    classifier, model, cv, random_state, n_jobs
        As for every `ClassifierQuantifier`.
    """

    _method = "distribution matching"
    bins: Sequence[int] = TOPSOE_BINS


class EnergyMatching(ClassifierQuantifier):
    """Find the mixture of the classes' score distributions that is nearest to the sample's, by energy distance (EDy).

    The distance is that of Kawakubo, du Plessis and Sugiyama (2016), applied to scores. With more than two classes,
    each class is matched against all others.

    Parameters
    ----------
    classifier, model, cv, random_state, n_jobs
        As for every `ClassifierQuantifier`.
    """

    _method = "energy matching"


@dataclass(eq=False, repr=False, kw_only=True)
class KernelDensityMatching(ClassifierQuantifier):
    """Find the mixture of the classes' score densities with the highest likelihood (KDEy-ML; Moreo et al. 2024).

    Parameters
    ----------
    bandwidth : float
        The standard deviation of the Gaussian kernels around the labelled rows' probability vectors.
    classifier, model, cv, random_state, n_jobs
        As for every `ClassifierQuantifier`.
    """

    _method = "kernel density matching"
    bandwidth: float = 0.1


class Combined(ClassifierQuantifier):
    """Average several methods that err in different ways; this is the default quantifier.

    For two classes: median sweep (on a grid), distribution matching, energy matching and expectation maximization. For
    more classes: expectation maximization and kernel density matching. Methods with a smaller error on samples of the
    labelled rows get a larger weight.

    Parameters
    ----------
    classifier, model, cv, random_state, n_jobs
        As for every `ClassifierQuantifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["no", "yes"], [300, 100])
    >>> X = rng.normal(size=(400, 2)) + 1.5 * (y == "yes")[:, None]
    >>> y_new = np.repeat(["no", "yes"], [50, 150])
    >>> X_new = rng.normal(size=(200, 2)) + 1.5 * (y_new == "yes")[:, None]
    >>> quantifier = Combined().fit(X, y)
    >>> quantifier.predict(X_new).round(2)
    array([0.25, 0.75])
    >>> [str(interval) for interval in quantifier.predict_interval(X_new)]
    ['0.253 [0.178, 0.308]', '0.747 [0.692, 0.822]']
    """

    _method = "combined"


#: The quantifiers by the names of their methods.
QUANTIFIERS: dict[str, type[Quantifier]] = {
    quantifier._method: quantifier
    # The classes above, in their order; nobody can have written a subclass before this module is imported.
    for quantifier in (
        *ClassifierQuantifier.__subclasses__(),
        NearestNeighbors,
        ProportionWeightedNeighbors,
        StructuredSVM,
    )
}
