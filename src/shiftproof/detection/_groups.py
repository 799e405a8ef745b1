"""Which features fail together when the reference itself is shifted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from shiftproof.core import Table
from shiftproof.shift import row_codes
from shiftproof.stats import phi_correlation

# Cieslak and Chawla (2007): above this two features are very strongly associated.
STRONG = 0.7
# From here on there is some association.
SOME = 0.3
# A quarter is lost, as in MAR 25 of the papers.
_SHARE, _ALPHA = 0.25, 0.05
# They cap the cost: features times features experiments, each over all rows.
_MOST_ROWS, _MOST_FEATURES = 2_000, 60
# Below this a half has too few rows for Kolmogorov-Smirnov to reject after a quarter is lost.
_FEWEST_ROWS = 40
# The Kolmogorov distribution's upper 5% point.
_KOLMOGOROV = 1.3581


@dataclass(frozen=True, kw_only=True)
class FeatureGroup:
    """Features that fail together when any of them is shifted.

    Attributes
    ----------
    features : tuple of str
        Two or more, the most to blame first.
    phi : float
        The smallest phi correlation between any two of them.
    """

    features: tuple[str, ...]
    phi: float


@dataclass(frozen=True, kw_only=True)
class Association:
    """How features fail together: phi over shifts injected into the reference.

    Attributes
    ----------
    features : tuple of str
        The features of the experiments: at most 60, the most to blame first.
    phi : ndarray of shape (n, n)
        The phi correlation of their failures; a 0 on the diagonal flags a feature that failed always or never.
    failing : ndarray of shape (n,)
        The share of the experiments in which the feature failed.
    groups : tuple of FeatureGroup
        Features of which every two have a phi of at least 0.7.
    """

    features: tuple[str, ...]
    phi: NDArray[np.float64]
    failing: NDArray[np.float64]
    groups: tuple[FeatureGroup, ...]

    def partners(self, feature: str) -> dict[str, float]:
        """Return the features that fail with this one (phi of at least 0.7), the closest first."""
        if feature not in self.features:
            return {}
        phi = self.phi[self.features.index(feature)].tolist()
        others = {name: value for name, value in zip(self.features, phi, strict=True) if name != feature}
        return {name: value for name, value in sorted(others.items(), key=lambda pair: -pair[1]) if value >= STRONG}

    def strength(self, feature: str, other: str) -> Literal["little", "some", "very strong"]:
        """Say how strongly two features are associated, in the papers' words: below 0.3, below 0.7, or above.

        Parameters
        ----------
        feature, other : str
            Two of `features`.
        """
        phi = self.phi[self.features.index(feature), self.features.index(other)]
        return "little" if phi < SOME else "some" if phi < STRONG else "very strong"

    def substitutes(self, shifted: Sequence[str]) -> dict[str, tuple[str, float]]:
        """Return for each shifted feature the closest partner that did not shift, if there is one, and their phi."""
        pairs = {}
        for feature in shifted:
            sound = [item for item in self.partners(feature).items() if item[0] not in shifted]
            if sound:
                pairs[feature] = sound[0]
        return pairs


def associate(
    reference: Table, kinds: Mapping[str, str], features: Sequence[str], rng: np.random.Generator
) -> Association | None:
    """Drop the upper quarter of each feature in turn from one half of the reference, and see what fails.

    Returns None where the reference has fewer than 40 rows or there are fewer than two features.
    """
    features = tuple(features)[:_MOST_FEATURES]
    if reference.n_rows < _FEWEST_ROWS or len(features) < 2:
        return None
    rows = rng.permutation(reference.n_rows)[:_MOST_ROWS]
    codes = {name: row_codes(reference.column(name), rows, nominal=kinds[name] == "nominal") for name in features}
    # One half plays the reference, the other the new rows, so without the loss nothing would fail but by chance.
    half = len(rows) // 2
    kept = np.array([_kept(codes[name][half:]) for name in features])
    failed = np.column_stack(
        [_fails(codes[name][:half], codes[name][half:], kept, nominal=kinds[name] == "nominal") for name in features]
    )
    phi = phi_correlation(failed)
    return Association(features=features, phi=phi, failing=failed.mean(axis=0), groups=_groups(features, phi))


def _kept(codes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which rows stay when the upper quarter is dropped; of equal values the last rows."""
    order = np.argsort(codes, kind="stable")
    kept = np.ones(len(codes), dtype=bool)
    kept[order[len(codes) - round(_SHARE * len(codes)) :]] = False
    return kept


def _fails(
    old: NDArray[np.float64], new: NDArray[np.float64], kept: NDArray[np.bool_], *, nominal: bool
) -> NDArray[np.bool_]:
    """Tell in which experiments (rows of `kept`) one feature fails at 0.05; missing values do not count."""
    present = kept & (new >= 0)
    old = old[old >= 0]
    sizes = present.sum(axis=1)
    if not len(old) or not sizes.all():
        return np.zeros(len(kept), dtype=bool)
    values, places = np.unique(np.concatenate([old, np.where(new >= 0, new, old[0])]), return_inverse=True)
    before = np.bincount(places[: len(old)], minlength=len(values)) / len(old)
    after = np.array([np.bincount(places[len(old) :][row], minlength=len(values)) for row in present]) / sizes[:, None]
    if nominal:
        return _chi_square_fails(before * len(old), after * sizes[:, None])
    # Kolmogorov's asymptotic limit: an exact p-value per experiment would cost more than all of the rest.
    distance = np.abs(np.cumsum(before - after, axis=1)).max(axis=1)
    failed: NDArray[np.bool_] = distance > _KOLMOGOROV * np.sqrt(1 / len(old) + 1 / sizes)
    return failed


def _chi_square_fails(before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Test counts by chi-square; categories too rare for it are joined."""
    # Leaves five expected rows per cell, the usual rule for chi-square, also after a quarter of one half is lost.
    common = before >= 2 * 5
    tables = [np.column_stack([side[..., common], side[..., ~common].sum(axis=-1)]) for side in (before[None], after)]
    old, new = tables
    total = old + new
    used = total.min(axis=0) > 0
    old, new, total = old[:, used], new[:, used], total[:, used]
    n, m = old.sum(axis=1, keepdims=True), new.sum(axis=1, keepdims=True)
    statistic = ((old * m - new * n) ** 2 / (n * m * total)).sum(axis=1)
    return np.asarray(special.chdtrc(max(int(used.sum()) - 1, 1), statistic) < _ALPHA)


def _groups(features: tuple[str, ...], phi: NDArray[np.float64]) -> tuple[FeatureGroup, ...]:
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    distance = 1 - phi
    # A feature that failed always or never has phi 0 with itself.
    np.fill_diagonal(distance, 0.0)
    clusters = fcluster(linkage(squareform(distance, checks=False), "complete"), t=1 - STRONG, criterion="distance")
    groups = []
    # In the order of their first features, which are the most to blame.
    for cluster in dict.fromkeys(clusters.tolist()):
        members = np.flatnonzero(clusters == cluster).tolist()
        if len(members) > 1:
            inside = phi[np.ix_(members, members)][np.triu_indices(len(members), 1)]
            groups.append(FeatureGroup(features=tuple(features[member] for member in members), phi=float(inside.min())))
    return tuple(groups)
