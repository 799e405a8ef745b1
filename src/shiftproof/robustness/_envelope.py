"""How far the features may move before a model's accuracy does."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shiftproof.core import Floats, fault, plain, shown

#: In this share of the grid's cells the accuracy must stay within the tolerance.
WITHIN = 0.95
# Cells of about one size that are judged together.
_WINDOW = 20


@dataclass(frozen=True, kw_only=True)
class Envelope:
    """How far the features can shift before the accuracy of a model changes; save it for monitoring.

    Parameters
    ----------
    model : str
        The model.
    tolerance : float
        By how much the accuracy may differ from that without a shift.
    share : float
        In this share of the cells of about one size it must stay within the tolerance.
    hellinger, failing : float
        The largest mean Hellinger distance of the features, and the largest share of features failing their test, up
        to which accuracy stayed within the tolerance; NaN if it did not even under the smallest changes.
    base_hellinger : float
        The mean Hellinger distance without a shift. It is above 0, and larger with fewer rows: compare batches of
        about the same size.
    seen_hellinger, seen_failing : float
        The largest values in the grid; nothing is known beyond them.
    n_within, n_cells : int
        In how many of the grid's cells accuracy stayed within the tolerance.

    Examples
    --------
    >>> envelope = Envelope(model="forest", tolerance=0.02, share=0.95, hellinger=0.12, failing=0.4,
    ...                     base_hellinger=0.05, seen_hellinger=0.3, seen_failing=1.0,
    ...                     n_within=80, n_cells=100)
    >>> envelope.holds(0.1), envelope.holds(0.2)
    (True, False)
    >>> print(envelope.summary())  # doctest: +NORMALIZE_WHITESPACE
    the accuracy of 'forest' changes by at most 2 points if the mean Hellinger distance of the features is at most 0.12;
    without a shift, this distance is 0.05
    """

    model: str
    tolerance: float
    share: float
    hellinger: float
    failing: float
    base_hellinger: float
    seen_hellinger: float
    seen_failing: float
    n_within: int
    n_cells: int

    @property
    def never(self) -> bool:
        """Whether the accuracy left the tolerance even under the smallest changes."""
        return math.isnan(self.hellinger)

    @property
    def always(self) -> bool:
        """Whether the accuracy stayed within the tolerance up to the largest change of the grid."""
        return self.hellinger >= self.seen_hellinger

    def holds(self, hellinger_mean: float) -> bool:
        """Return whether accuracy stayed within the tolerance under changes of this size; False beyond the grid."""
        real = isinstance(hellinger_mean, (int, float, np.floating)) and not isinstance(hellinger_mean, bool)
        if not real or not hellinger_mean >= 0:
            raise fault("hellinger_mean", "be a distance of at least 0", hellinger_mean, "0.1 is a small change")
        # False for NaN, where the accuracy changed at once.
        return bool(hellinger_mean <= self.hellinger)

    def summary(self) -> str:
        """Return the limit in one line."""
        points = f"{100 * self.tolerance:g} point{'s' * (self.tolerance != 0.01)}"
        who = f"the accuracy of {shown(self.model)}"
        if math.isnan(self.seen_hellinger):
            return f"{who} under these shifts cannot be determined"
        if self.never:
            return f"{who} changes by more than {points} even under the smallest of these shifts"
        if self.always:
            reach = f"mean Hellinger distances up to {self.seen_hellinger:.2g}"
            within = "all" if self.n_within == self.n_cells else f"{self.n_within} of {self.n_cells}"
            return f"{who} changes by at most {points} in {within} shifted test sets ({reach})"
        usual = f"without a shift, this distance is {self.base_hellinger:.2g}"
        limit = f"the mean Hellinger distance of the features is at most {self.hellinger:.2g}"
        return f"{who} changes by at most {points} if {limit}; {usual}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values."""
        return {**{name: plain(value) for name, value in asdict(self).items()}, "summary": self.summary()}


def make_envelope(
    model: str, changes: Floats, hellinger: Floats, failing: Floats, *, base: float, tolerance: float
) -> Envelope:
    """Find the largest change of the features up to which accuracy stayed within the tolerance in nearly all cells."""
    # Accuracies are ratios of counts; a change of exactly the tolerance must not fail by rounding.
    within = np.abs(changes) <= tolerance + 1e-12
    return Envelope(
        model=model,
        tolerance=tolerance,
        share=WITHIN,
        hellinger=_limit(hellinger, within),
        failing=_limit(failing, within),
        base_hellinger=base,
        seen_hellinger=_largest(hellinger),
        seen_failing=_largest(failing),
        n_within=int(within.sum()),
        n_cells=len(within),
    )


def _largest(sizes: Floats) -> float:
    known = sizes[~np.isnan(sizes)]
    return float(known.max()) if len(known) else math.nan


def _limit(sizes: Floats, within: NDArray[np.bool_]) -> float:
    """Return the largest size up to which nearly all cells of about that size are within; NaN if none is.

    A window of twenty cells moves from small to large changes: small changes say nothing about large ones.
    """
    known = ~np.isnan(sizes)
    order = np.argsort(sizes[known], kind="stable")
    sizes, within = sizes[known][order], within[known][order]
    # A small grid is one window.
    window = min(_WINDOW, len(within))
    if not window:
        return math.nan
    # Running counts give the failures of every window at once.
    failed = np.concatenate([[0], np.cumsum(~within)])
    ends = np.arange(window, len(within) + 1)
    bad = np.flatnonzero(failed[ends] - failed[ends - window] > (1 - WITHIN) * window + 1e-9)
    if len(bad):
        # Among the smallest already: only those below the first failure.
        first = window + bad[0] - 1 if bad[0] else int(np.flatnonzero(~within)[0])
        within = within & (sizes < sizes[first])
    inside = np.flatnonzero(within)
    return float(sizes[inside[-1]]) if len(inside) else math.nan
