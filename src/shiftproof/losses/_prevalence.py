"""Losses (0 is best) and scores (1 is best) of estimated prevalences."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import rel_entr

from shiftproof.core import Floats, fault
from shiftproof.losses._inputs import PrevalencePair, Values, check_pair, check_sizes

_HALF_COUNT = "pass sample_size=; zeros are then replaced by half a row"


def bias(true: ArrayLike, estimated: ArrayLike) -> Values:
    """Return by how much the prevalence is overestimated, ``p' - p`` (eq. 2.3).

    Errors of both signs cancel in its mean: a method that is 5% too high or too low equally often has no bias.

    Parameters
    ----------
    true, estimated : float or array-like
        A number or a 1-D array holds the positive class's prevalence in each sample; a 2-D array holds one vector per
        row, one column per class, also for a single sample: ``[[0.2, 0.8]]``. A number next to a 1-D array applies to
        all samples.

    Returns
    -------
    float or ndarray
        From -1 to 1, one value per sample; for vectors, one per sample and class.

    Examples
    --------
    >>> bias(0.5, 0.25)
    -0.25
    >>> bias(0.5, [0.25, 0.5, 0.75])
    array([-0.25,  0.  ,  0.25])
    >>> bias([[0.5, 0.25, 0.25]], [[0.25, 0.5, 0.25]])
    array([[-0.25,  0.25,  0.  ]])
    """
    pair = check_pair(true, estimated)
    return pair.difference if pair.vectors else pair.in_form(pair.difference[:, 1])


def absolute_error(true: ArrayLike, estimated: ArrayLike) -> Values:
    """Return the absolute error ``|p' - p|`` (eq. 2.4); for vectors, the mean over the classes.

    With two classes, both are the same.

    Parameters
    ----------
    true, estimated : float or array-like
        A number or a 1-D array holds the positive class's prevalence in each sample; a 2-D array holds one vector per
        row, one column per class, also for a single sample: ``[[0.2, 0.8]]``. A number next to a 1-D array applies to
        all samples.

    Returns
    -------
    float or ndarray of shape (n_samples,)
        From 0 to 1.

    Examples
    --------
    >>> absolute_error(0.3, 0.5)
    0.2
    >>> absolute_error([0.5, 0.5], [0.25, 1.0])
    array([0.25, 0.5 ])
    >>> absolute_error([[0.5, 0.5]], [[0.75, 0.25]])
    array([0.25])
    """
    pair = check_pair(true, estimated)
    return pair.in_form(_absolute(pair))


def squared_error(true: ArrayLike, estimated: ArrayLike) -> Values:
    """Return the squared error ``(p' - p)^2`` (eq. 2.5); for vectors, the mean over the classes.

    With two classes, both are the same.

    Parameters
    ----------
    true, estimated : float or array-like
        A number or a 1-D array holds the positive class's prevalence in each sample; a 2-D array holds one vector per
        row, one column per class, also for a single sample: ``[[0.2, 0.8]]``. A number next to a 1-D array applies to
        all samples.

    Returns
    -------
    float or ndarray of shape (n_samples,)
        From 0 to 1.

    Examples
    --------
    >>> squared_error([0.5, 0.25], 0.75)
    array([0.0625, 0.25  ])
    """
    pair = check_pair(true, estimated)
    return pair.in_form(_squared(pair))


def relative_absolute_error(true: ArrayLike, estimated: ArrayLike, *, sample_size: ArrayLike | None = None) -> Values:
    r"""Return the absolute error relative to the true prevalence, averaged over all classes.

    .. math:: \frac1k \sum_c \frac{|p'_c - p_c|}{p_c}

    A single prevalence p stands for the two classes (1 - p, p). With `sample_size` S, all true and estimated
    prevalences are first smoothed by half a row per class (Sebastiani 2020): :math:`(p_c + \epsilon)/(1 + k\epsilon)`
    with :math:`\epsilon = 1/(2S)`. Without `sample_size`, nothing is smoothed, and a class without rows raises an
    error.

    Parameters
    ----------
    true, estimated : float or array-like
        A number or a 1-D array holds the positive class's prevalence in each sample; a 2-D array holds one vector per
        row, one column per class, also for a single sample: ``[[0.2, 0.8]]``. A number next to a 1-D array applies to
        all samples.
    sample_size : int or array-like of shape (n_samples,), optional
        The number of rows of the samples; turns smoothing on.

    Returns
    -------
    float or ndarray of shape (n_samples,)
        At least 0, without an upper bound.

    Examples
    --------
    >>> relative_absolute_error(0.5, 0.75)
    0.5
    >>> round(relative_absolute_error(0.0, 0.1, sample_size=100), 4)
    10.0498
    """
    pair = check_pair(true, estimated)
    actual, difference = pair.true, np.abs(pair.difference)
    if sample_size is not None:
        epsilon = 0.5 / check_sizes(sample_size, pair.shape)
        whole = 1.0 + actual.shape[1] * epsilon
        # Epsilon cancels in the difference of two smoothed shares.
        actual, difference = (actual + epsilon) / whole, difference / whole
    elif not actual.all():
        raise fault("true", "be above 0 in every class", 0.0, _HALF_COUNT)
    with np.errstate(over="ignore"):  # a share may be as small as 5e-324
        return pair.in_form((difference / actual).mean(axis=1))


def kld(true: ArrayLike, estimated: ArrayLike, *, sample_size: ArrayLike | None = None) -> Values:
    r"""Return the Kullback-Leibler divergence of the estimate from the truth (eq. 2.6), in natural logarithms.

    .. math:: \sum_c p_c \log\frac{p_c}{p'_c}

    A class without rows adds nothing. If the estimate is 0 for a class that has rows, the divergence is infinite. With
    `sample_size` S, estimates of 0 become 0.5/S and the rest of the sample shrinks accordingly (Algorithm 1, which
    covers two classes). This also applies if the true prevalence is 0: estimating 0 for it costs
    :math:`-\log(1 - 0.5/S)`. Without `sample_size`, an infinite divergence raises an error.

    Parameters
    ----------
    true, estimated : float or array-like
        A number or a 1-D array holds the positive class's prevalence in each sample; a 2-D array holds one vector per
        row, one column per class, also for a single sample: ``[[0.2, 0.8]]``. A number next to a 1-D array applies to
        all samples.
    sample_size : int or array-like of shape (n_samples,), optional
        The number of rows of the samples.

    Returns
    -------
    float or ndarray of shape (n_samples,)
        At least 0, without an upper bound.

    Examples
    --------
    >>> round(kld(0.3, 0.5), 4)
    0.0823
    >>> kld([0.0, 0.3], [0.5, 0.0], sample_size=100).round(4)
    array([0.6931, 0.9821])
    """
    pair = check_pair(true, estimated)
    return pair.in_form(_divergence(pair, sample_size))


def nkld(true: ArrayLike, estimated: ArrayLike, *, sample_size: ArrayLike | None = None) -> Values:
    r"""Return the Kullback-Leibler divergence, mapped to 0 to 1 by a logistic curve.

    .. math:: 2\,\frac{e^{KLD}}{1 + e^{KLD}} - 1 = \tanh\frac{KLD}{2}

    Parameters
    ----------
    true, estimated : float or array-like
        A number or a 1-D array holds the positive class's prevalence in each sample; a 2-D array holds one vector per
        row, one column per class, also for a single sample: ``[[0.2, 0.8]]``. A number next to a 1-D array applies to
        all samples.
    sample_size : int or array-like of shape (n_samples,), optional
        The number of rows of the samples; estimates of 0 become half a row, as in :func:`kld`.

    Returns
    -------
    float or ndarray of shape (n_samples,)
        From 0 to 1.

    Examples
    --------
    >>> round(nkld(0.3, 0.5), 4)
    0.0411
    """
    pair = check_pair(true, estimated)
    return pair.in_form(np.tanh(_divergence(pair, sample_size) / 2))


def match_distance(true: ArrayLike, estimated: ArrayLike) -> Values:
    r"""Return the normalised match distance of ordered classes: rows in the wrong place cost by how far (0 is best).

    .. math:: \frac{1}{k - 1} \sum_{j=1}^{k-1} \Big|\sum_{c \le j} (p'_c - p_c)\Big|

    This is the earth mover's distance with a cost of 1 from the first to the last class (Sakai 2018). With two classes
    it is the absolute error.

    Parameters
    ----------
    true, estimated : float or array-like
        A number or a 1-D array holds the positive class's prevalence in each sample; a 2-D array holds one vector per
        row, one column per class in their order, also for a single sample: ``[[0.2, 0.8]]``.

    Returns
    -------
    float or ndarray of shape (n_samples,)
        From 0 to 1.

    Examples
    --------
    The same rows in the next class, and in the last one:

    >>> match_distance([[0.5, 0.3, 0.2]], [[0.3, 0.5, 0.2]]), match_distance([[0.5, 0.3, 0.2]], [[0.3, 0.3, 0.4]])
    (array([0.1]), array([0.2]))
    """
    pair = check_pair(true, estimated)
    passed = np.abs(np.cumsum(pair.difference, axis=1)[:, :-1])
    return pair.in_form(passed.mean(axis=1).clip(max=1.0))


def nas(true: ArrayLike, estimated: ArrayLike) -> Values:
    r"""Return the normalised absolute score (eq. 6.4): 1 is best, 0 the worst that this truth allows.

    .. math:: 1 - \frac{|p' - p|}{\max(p, 1 - p)}

    For vectors: 1 minus the absolute error divided by its largest value, :math:`2 (1 - \min_c p_c)/k`; with two
    classes, both are the same. For the same true prevalence, it ranks methods as the absolute error does.

    Parameters
    ----------
    true, estimated : float or array-like
        A number or a 1-D array holds the positive class's prevalence in each sample; a 2-D array holds one vector per
        row, one column per class, also for a single sample: ``[[0.2, 0.8]]``. A number next to a 1-D array applies to
        all samples.

    Returns
    -------
    float or ndarray of shape (n_samples,)
        From 0 to 1.

    Examples
    --------
    >>> nas(0.25, [0.25, 0.625, 1.0])
    array([1. , 0.5, 0. ])
    """
    pair = check_pair(true, estimated)
    classes = pair.true.shape[1]
    # Largest if the estimate is all of the rarest class: that class errs by 1 - p, the rest together by as much.
    worst = 2 * (1 - pair.true.min(axis=1)) / classes
    return pair.in_form((1 - _absolute(pair) / worst).clip(min=0.0))


def nss(true: ArrayLike, estimated: ArrayLike) -> Values:
    r"""Return the normalised squared score (eq. 6.5): 1 is best, 0 the worst that this truth allows.

    .. math:: 1 - \left(\frac{p' - p}{\max(p, 1 - p)}\right)^2

    For vectors: 1 minus the squared error divided by its largest value, :math:`(1 + \sum_c p_c^2 - 2 \min_c p_c)/k`;
    with two classes, both are the same.

    Parameters
    ----------
    true, estimated : float or array-like
        A number or a 1-D array holds the positive class's prevalence in each sample; a 2-D array holds one vector per
        row, one column per class, also for a single sample: ``[[0.2, 0.8]]``. A number next to a 1-D array applies to
        all samples.

    Returns
    -------
    float or ndarray of shape (n_samples,)
        From 0 to 1.

    Examples
    --------
    >>> nss(0.25, [0.25, 0.625, 1.0])
    array([1.  , 0.75, 0.  ])
    """
    pair = check_pair(true, estimated)
    classes = pair.true.shape[1]
    # The error is convex, hence largest if the estimate is all of one class: the rarest.
    worst = (1 + np.square(pair.true).sum(axis=1) - 2 * pair.true.min(axis=1)) / classes
    return pair.in_form((1 - _squared(pair) / worst).clip(min=0.0))


def _absolute(pair: PrevalencePair) -> Floats:
    return np.asarray(np.abs(pair.difference).mean(axis=1))


def _squared(pair: PrevalencePair) -> Floats:
    return np.asarray(np.square(pair.difference).mean(axis=1))


def _divergence(pair: PrevalencePair, sample_size: ArrayLike | None) -> Floats:
    estimated = pair.estimated
    none = estimated == 0
    if sample_size is not None:
        # Algorithm 1: half a row takes the place of none.
        half = 0.5 / check_sizes(sample_size, pair.shape)
        room = 1 - none.sum(axis=1, keepdims=True) * half
        if not (room > 0).all():
            size = float(np.broadcast_to(0.5 / half, room.shape)[room <= 0][0])
            hint = "half a row each would fill the sample, give the rows of the sample"
            raise fault("sample_size", "be above half the number of classes estimated as 0", size, hint)
        estimated = np.where(none, half, estimated * room)
    elif (none & (pair.true > 0)).any():
        raise fault("estimated", "be above 0 wherever true is", 0.0, _HALF_COUNT)
    # Rounding may give equal vectors a value below 0.
    return np.asarray(rel_entr(pair.true, estimated).sum(axis=1).clip(min=0.0))
