"""Which features fail together over several experiments."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shiftproof.core import Phrase, fault


def phi_correlation(failures: ArrayLike) -> NDArray[np.float64]:
    """Return the phi correlation of every two columns of failures.

    Parameters
    ----------
    failures : array-like of bool or 0/1, shape (n_experiments, n_features)
        Whether each feature failed in each experiment. A single experiment has no phi.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        From -1 to 1; 0 where it is undefined because a feature failed always or never. Such a feature is flagged by a
        0 on the diagonal, where all others have 1.

    Examples
    --------
    >>> phi_correlation([[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0]]).round(2)
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])
    """
    failed = _check_failures(failures)
    centred = failed - failed.mean(axis=0)
    lengths = np.sqrt((centred**2).sum(axis=0))
    # Not lengths > 0: rounding can give a constant column a tiny length.
    varies = failed.min(axis=0) < failed.max(axis=0)
    unit = np.divide(centred, lengths, out=np.zeros_like(centred), where=varies)
    phi: NDArray[np.float64] = np.clip(unit.T @ unit, -1.0, 1.0)
    phi[np.diag_indices_from(phi)] = varies
    return phi


def phi_as_printed(failures: ArrayLike) -> NDArray[np.float64]:
    """Return equation 8 of Cieslak and Chawla (2007) as printed, only to reproduce their Table 3.

    It puts the counts of failures, F_ii, F_ij and F_jj, in place of the four cells of the table of two features, and so
    gives 1 to features that never fail together and 0 to those that always do: use `phi_correlation`.

    Parameters
    ----------
    failures : array-like of bool or 0/1, shape (n_experiments, n_features)
        Whether each feature failed in each experiment.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        0 where the printed formula divides by 0.

    Examples
    --------
    >>> phi_as_printed([[1, 1], [1, 1], [0, 0]])[0, 1], phi_as_printed([[1, 0], [0, 1]])[0, 1]
    (np.float64(0.0), np.float64(1.0))
    """
    failed = _check_failures(failures)
    counts = failed.T @ failed
    # Eq. 8 with F_ii, F_ij, F_ij and F_jj for the four cells.
    alone = np.diag(counts)
    numerator = np.outer(alone, alone) - counts**2
    denominator = (alone[:, None] + counts) * (counts + alone[None, :])
    printed: NDArray[np.float64] = np.divide(
        numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0
    )
    return printed


def _check_failures(failures: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(failures)
    if array.ndim != 2:
        hint = "one row per experiment, one column per feature"
        raise fault("failures", "have two dimensions", Phrase(f"shape {array.shape}"), hint)
    try:
        values = array.astype(np.float64)
    except (TypeError, ValueError):
        raise fault("failures", "be 0 or 1", failures, "write whether p < 0.05") from None
    if not len(values):
        raise fault("failures", "hold at least one experiment", 0, "one row per experiment, one column per feature")
    odd = values[(values != 0) & (values != 1)]
    if len(odd):
        raise fault("failures", "be 0 or 1", float(odd[0]), "write whether p < 0.05")
    return values
