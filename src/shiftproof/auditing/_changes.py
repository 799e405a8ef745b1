"""Which changes matter most: those of features that changed much and that the recommended model relies on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shiftproof.detection import MATERIAL, Detection, FeatureShift, what_happened

#: So many changes are shown first; the importance of features is measured for a few more.
MOST = 6
# A model relies on a feature if shuffling its values moves the probabilities by this much on average, and hardly uses
# one that moves them by less than the second.
_RELIES, _HARDLY = 0.05, 0.01


def changed_features(detection: Detection, importance: Mapping[str, float]) -> tuple[str, ...]:
    """Order features by their change times their importance; without importance by their change alone."""
    worst: dict[str, FeatureShift] = {}
    for row in detection.rows:
        # Rows come in order of their size, so the first of a feature stays.
        worst.setdefault(row.feature, row)

    def place(name: str) -> tuple[bool, bool, bool, bool, float]:
        row = worst[name]
        size = row.effect / MATERIAL[row.test] if row.effect == row.effect else 0.0
        # Importance is known of the features that changed most only; the others come after these.
        known = name in importance or not importance
        looks_right = name not in detection.suspects
        return looks_right, not row.material, not row.shifted, not known, -size * importance.get(name, 1.0)

    return tuple(sorted(worst, key=place))


def reliance(importance: float) -> str:
    """Say how much a model relies on a feature.

    Examples
    --------
    >>> reliance(0.2), reliance(0.03), reliance(0.001)
    ('relies on it', 'uses it a little', 'hardly uses it')
    """
    if importance >= _RELIES:
        return "relies on it"
    return "uses it a little" if importance >= _HARDLY else "hardly uses it"


def described_changes(
    detection: Detection | None, features: Sequence[str], importance: Mapping[str, float]
) -> list[dict[str, Any]]:
    """Return the changes that matter most as plain values: the feature, what happened to it, and its importance."""
    if detection is None:
        return []
    return [
        {"feature": name, "what": str(what_happened(detection, name)), "importance": importance.get(name)}
        for name in features[:MOST]
    ]
