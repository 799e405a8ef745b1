"""What a rehearsal recommends: batch size, labels for each batch, and the floor."""

from __future__ import annotations

import math
from collections.abc import Sequence

from shiftproof.monitoring.rehearsal._harm_delays import Quiet
from shiftproof.monitoring.rehearsal._result import Advice, Delay, SizeTrial

# A drop that takes longer than so many batches is known late.
_SOON = 10
# Smaller batches are recommended only if they save more than a quarter of the waiting.
_WORTH = 0.75
# A floor so many standard deviations below the mean is hardly crossed by batches that only differ as usual.
_USUAL = 2.0


def advise(sizes: Sequence[SizeTrial], drops: Sequence[Delay], *, rows: int, floor: float | None) -> Advice:
    """Recommend what finds changes soon without false alarms.

    Parameters
    ----------
    sizes : sequence of SizeTrial
        Delays with batches of other sizes; the one of the past has `times` 1.
    drops : sequence of Delay
        Delays of drops of accuracy, by the number of labels.
    rows : int
        Rows of a batch of the past.
    floor : float or None
        Of `usual_floor`.
    """
    return Advice(rows=_rows(sizes, rows), labels=_labels(drops), floor=floor)


def usual_floor(quiet: Quiet | None, floor: float | None, n_below: int | None) -> float | None:
    """Return the present floor, or a lower one if batches that only differ as usual would cross it.

    Parameters
    ----------
    quiet : Quiet or None
        The past; None if accuracy is not estimated.
    floor : float or None
        The present floor.
    n_below : int or None
        Past batches that were clearly below it: a floor that was right must not be lowered.
    """
    if quiet is None or floor is None or n_below:
        return floor
    # To whole half points, downwards.
    return min(floor, math.floor(200 * (quiet.accuracy - _USUAL * quiet.spread)) / 200)


def _rows(sizes: Sequence[SizeTrial], rows: int) -> int:
    """Return the size with the shortest waiting; the present one unless another is clearly better."""
    now = next((trial.wait for trial in sizes if trial.times == 1), math.inf)
    best = min(sizes, key=lambda trial: trial.wait, default=None)
    return rows if best is None or best.wait > _WORTH * now or best.wait == math.inf else best.rows


def _labels(drops: Sequence[Delay]) -> int | None:
    """Return the smallest number of labels that finds the smallest drop soon; else the one that finds it first."""
    smallest = min((delay.size for delay in drops), default=None)
    labelled = sorted((delay for delay in drops if delay.size == smallest and delay.labels), key=lambda one: one.labels)
    if not labelled:
        return None
    soon = [delay for delay in labelled if delay.batches is not None and delay.batches <= _SOON]
    return soon[0].labels if soon else labelled[-1].labels
