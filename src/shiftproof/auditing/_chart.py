"""The one chart of an answer: validated, estimated and actual figure of every model, and the baseline."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shiftproof.auditing._words import IN_POINTS
from shiftproof.core import shown
from shiftproof.selection import called

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from shiftproof.auditing._result import Audit
    from shiftproof.auditing._verification import Verification


def draw_chart(audit: Audit, checked: Verification | None, ax: Axes | None = None) -> Axes:
    """Draw one row per model, the recommended one on top."""
    from shiftproof import plots

    measure, names = audit.measure, audit.selection.ranking
    estimates = [audit.performance.estimates[name][measure] for name in names]
    actual = None if checked is None else {claim.about: claim.actual for claim in checked.models}
    return plots.expected_intervals(
        list(names),
        [one.interval.estimate for one in estimates],
        [one.interval.low for one in estimates],
        [one.interval.high for one in estimates],
        [one.validated for one in estimates],
        truths=None if actual is None else [actual[name] for name in names],
        baseline=_baseline(audit, checked),
        percent=measure in IN_POINTS,
        xlabel=called(measure),
        ax=ax,
    )


def _baseline(audit: Audit, checked: Verification | None) -> tuple[str, float]:
    """Return what always answering the most frequent class has, on the data that say most about the new ones."""
    always = f"always {shown(audit.performance.baseline.label)}"
    if not audit.judged_by_accuracy:
        return always, math.nan
    if checked is not None:
        share, where = checked.baseline.actual, "actual"
    elif audit.new_baseline is not None:
        share = audit.new_baseline.estimate
        where = "actual" if audit.performance.all_labelled else "estimate"
    else:
        share, where = audit.baseline, "labelled data"
    return f"{always} ({where})", 1 - share if audit.measure == "error" else share
