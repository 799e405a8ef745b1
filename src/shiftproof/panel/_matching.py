"""Whether a table and labels are those that a panel was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shiftproof.core import InputError, Phrase, counted, fault, listed
from shiftproof.panel._fingerprint import fingerprint_labels
from shiftproof.panel._inputs import as_features, encode_labels, fingerprint_features

if TYPE_CHECKING:
    from shiftproof.panel._panel import Panel

_HINT = "pass the same rows in the same order"


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
            got = f"another of {features.n_rows:,} rows and {counted(len(features.names), 'column')}"
            raise fault(called[0], "be the table that the panel was made from", Phrase(got), _HINT)
    if y is not None:
        labels = encode_labels(y)
        if fingerprint_labels(*labels) != of_labels:
            got = f"{len(labels[1]):,} others"
            raise fault(called[1], "be the labels that the panel was made from", Phrase(got), _HINT)
