"""What a panel says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shiftproof.core import percent, shown

if TYPE_CHECKING:
    from shiftproof.panel._panel import Panel

# At most six classes are named, with their numbers of rows.
_MOST_CLASSES = 6


def panel_summary(panel: Panel) -> str:
    """Describe the models, the classes, and by which models the rows were scored."""
    counts = np.bincount(panel.y, minlength=len(panel.classes_))
    shares = [f"{shown(label)} {n:,}" for label, n in zip(panel.classes_.tolist(), counts, strict=True)]
    more = f" and {len(shares) - _MOST_CLASSES} more" if len(shares) > _MOST_CLASSES else ""
    models = f"{len(panel.names)} model{'s' * (len(panel.names) != 1)} ({', '.join(panel.names)})"
    words = [f"{models} on {len(panel.y):,} rows: {', '.join(shares[:_MOST_CLASSES])}{more}."]
    if panel.n_copied:
        share = percent(panel.n_copied / len(panel.y))
        words.append(f"{share} of the rows were scored by models trained on exact copies of them ({plan_text(panel)}).")
    elif panel.fold_scorers:
        words.append(f"Each row was scored by models fitted without it ({plan_text(panel)}).")
    untested = int((~panel.tested).sum())
    if untested:
        words.append(f"{untested:,} rows were never tested.")
    words += [f"{name!r} was left out: {reason}." for name, reason in panel.failures.items()]
    return " ".join(words)


def plan_text(panel: Panel) -> str:
    """Return how the rows were split."""
    if panel.origin != "cross-fitted":
        return "scores only" if panel.origin == "scores" else "deployed models"
    if panel.n_folds == panel.n_repeats == 1:
        return "1 split"
    return f"{panel.n_folds} folds" + (f", {panel.n_repeats} times" if panel.n_repeats > 1 else "")
