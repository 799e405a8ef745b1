"""Which features fail together over several experiments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shiftproof.core import Phrase, check_choice, fault


def phi_correlation(failures: ArrayLike) -> NDArray[np.float64]:
    """Return the phi correlation of every pair of columns of failures.

    Parameters
    ----------
    failures : array-like of bool or 0/1, shape (n_experiments, n_features)
        Whether each feature failed in each experiment; NaN where it was not tested, such as a feature that is masked
        (MNAR). A pair of features is compared over the experiments that tested both. A single experiment has no phi.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        From -1 to 1; 0 where it is undefined because a feature always or never failed. A feature that always or never
        failed in all of its experiments has a 0 on the diagonal; all others have a 1.

    Examples
    --------
    >>> phi_correlation([[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0]]).round(2)
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 1.]])

    If a masked feature counted as one that did not fail, these two would seem to be uncorrelated:

    >>> nan = float("nan")
    >>> phi_correlation([[nan, 1], [1, nan], [1, 1], [0, 0]])[0, 1]
    np.float64(1.0)
    >>> phi_correlation([[0, 1], [1, 0], [1, 1], [0, 0]])[0, 1]
    np.float64(0.0)
    """
    counts = _count_pairs(failures)
    phi, defined = counts.phi()
    found = np.where(defined, phi, 0.0)
    found[np.diag_indices_from(found)] = np.diag(defined)
    return found


def phi_as_printed(failures: ArrayLike) -> NDArray[np.float64]:
    """Return equation 8 of Cieslak and Chawla (2007) as printed, only to reproduce their Table 3.

    It uses the counts of failures, F_ii, F_ij and F_jj, instead of the four cells of the table of two features. So it
    is 1 for features that never fail together, and 0 for features that always do. Instead, use `phi_correlation`.

    Parameters
    ----------
    failures : array-like of bool or 0/1, shape (n_experiments, n_features)
        Whether each feature failed in each experiment; NaN where it was not tested.

    Returns
    -------
    ndarray of shape (n_features, n_features)
        0 where the printed formula divides by 0.

    Examples
    --------
    >>> phi_as_printed([[1, 1], [1, 1], [0, 0]])[0, 1], phi_as_printed([[1, 0], [0, 1]])[0, 1]
    (np.float64(0.0), np.float64(1.0))
    """
    printed, defined = _count_pairs(failures).printed()
    return np.where(defined, printed, 0.0)


@dataclass(frozen=True, kw_only=True)
class MeanPhi:
    """The phi of all pairs of features; made by :func:`mean_phi`.

    Attributes
    ----------
    mean : float
        The mean over all pairs; undefined values count as 0.
    spread : float
        The standard deviation over the pairs (n - 1); NaN for a single pair.
    n_pairs : int
        The number of pairs.
    n_undefined : int
        The number of pairs in which a feature always or never failed where both were tested.
    """

    mean: float
    spread: float
    n_pairs: int
    n_undefined: int

    @property
    def standard_error(self) -> float:
        """The standard error of the mean, assuming that pairs are independent."""
        return float(self.spread / np.sqrt(self.n_pairs))

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.spread:.3f}"


def mean_phi(failures: ArrayLike, *, form: Literal["ordinary", "printed"] = "ordinary") -> MeanPhi:
    """Average the phi correlation over all pairs of features, as in Table 3 of Cieslak and Chawla (2007).

    Parameters
    ----------
    failures : array-like of bool or 0/1, shape (n_experiments, n_features)
        As in :func:`phi_correlation`; at least two features.
    form : {"ordinary", "printed"}
        The phi of :func:`phi_correlation`, or that of :func:`phi_as_printed`.

    Returns
    -------
    MeanPhi

    Examples
    --------
    >>> print(mean_phi([[1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0]]))
    0.333 ± 0.577
    """
    check_choice(form, "form", ("ordinary", "printed"))
    counts = _count_pairs(failures)
    phi, defined = counts.phi() if form == "ordinary" else counts.printed()
    pairs = np.triu_indices(len(phi), 1)
    if not len(pairs[0]):
        raise fault("failures", "have at least two columns", len(phi), "one column per feature")
    values = np.where(defined, phi, 0.0)[pairs]
    return MeanPhi(
        mean=float(values.mean()),
        spread=float(values.std(ddof=1)) if len(values) > 1 else float("nan"),
        n_pairs=len(values),
        n_undefined=int((~defined[pairs]).sum()),
    )


@dataclass(frozen=True, eq=False)
class _PairCounts:
    """Of every two features i, j: the experiments that tested both, failures of i, of j, and of both among them."""

    tested: NDArray[np.float64]
    one: NDArray[np.float64]
    both: NDArray[np.float64]

    @property
    def other(self) -> NDArray[np.float64]:
        return self.one.T

    def phi(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return phi, and where it is defined; counts are whole numbers, so rounding cannot make a constant vary."""
        spread = (self.tested * self.one - self.one**2) * (self.tested * self.other - self.other**2)
        covered = self.tested * self.both - self.one * self.other
        return np.clip(_divide(covered, np.sqrt(spread)), -1.0, 1.0), spread > 0

    def printed(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return eq. 8 with F_ii, F_ij, F_ij and F_jj for the four cells, and where it is defined."""
        denominator = (self.one + self.both) * (self.both + self.other)
        return _divide(self.one * self.other - self.both**2, denominator), denominator > 0


def _divide(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def _count_pairs(failures: ArrayLike) -> _PairCounts:
    values = _check_failures(failures)
    tested = ~np.isnan(values)
    failed, present = np.where(tested, values, 0.0), tested.astype(np.float64)
    return _PairCounts(present.T @ present, failed.T @ present, failed.T @ failed)


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
    odd = values[(values != 0) & (values != 1) & ~np.isnan(values)]
    if len(odd):
        raise fault("failures", "be 0 or 1", float(odd[0]), "write whether p < 0.05")
    return values
