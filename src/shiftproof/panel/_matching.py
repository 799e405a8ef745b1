"""Whether a table and labels are those that a panel was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import InputError, Phrase, fault, listed
from shiftproof.panel._fingerprint import fingerprint_labels
from shiftproof.panel._inputs import as_features, encode_labels, fingerprint_features

if TYPE_CHECKING:
    from shiftproof.panel._panel import Panel

_HINT = "pass the same rows in the same order"
_SAME_LABELS = "match the panel's labels"


def check_made_from(panel: Panel, X: object, y: object, *, called: tuple[str, str]) -> None:
    """Refuse X or y if the panel was not made from them; None is not checked."""
    of_features, of_labels = panel.fingerprint.split("-")  # the first is empty for scores alone
    if X is not None:
        features = as_features(X)
        if panel.named and set(panel.feature_names) <= set(features.names):
            # Columns that the models never saw, such as groups or amounts, make no difference.
            features = features.without([name for name in features.names if name not in panel.feature_names])
        lacking = [name for name in panel.feature_names if name not in features.names] if panel.named else []
        if lacking and len(lacking) < len(panel.feature_names):
            them = "it" if len(lacking) == 1 else "them"
            was = f"{called[0]} lacks {listed(lacking, most=3)}, which the panel was made with"
            raise InputError(f"{was}; pass {them} too, or make the panel again without {them}")
        known = fingerprint_features(features) == of_features if of_features else features.n_rows == len(panel.y)
        if not known:
            same = features.n_rows == len(panel.y)
            got = (
                "one with other values or columns" if same else f"{features.n_rows:,} rows instead of {len(panel.y):,}"
            )
            raise fault(called[0], "be the table that the panel was made from", Phrase(got), _HINT)
    if y is not None:
        labels = encode_labels(y)
        if fingerprint_labels(*labels) != of_labels:
            raise _other_labels(panel, *labels, called=called[1])


def _other_labels(panel: Panel, classes: NDArray[Any], codes: NDArray[np.int64], *, called: str) -> InputError:
    """Make the error for labels that the panel was not made from: how many differ, or how many there are."""
    n = len(panel.y)
    if len(codes) != n:
        return fault(called, _SAME_LABELS, Phrase(f"{len(codes):,} labels instead of {n:,}"), _HINT)
    pairs = zip(classes[codes].tolist(), panel.classes_[panel.y].tolist(), strict=True)
    differing = sum(one != other for one, other in pairs)
    return fault(called, _SAME_LABELS, Phrase(f"other labels in {differing:,} of {n:,} rows"), _HINT)
