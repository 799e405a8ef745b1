"""Which periods are replayed, on which rows before them, and why others are not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shiftproof.case import FEWEST_NEW
from shiftproof.core import Codes, InputError, Note, Rows, check_count, counted, fault, shown
from shiftproof.data import Piece

#: The rows before a period that models are fitted on: all of them, or those of so many periods.
Window = Literal["expanding"] | int

# The first periods train only; with a window of one period, the first alone.
_USUAL_START = 2


@dataclass(frozen=True, eq=False, kw_only=True)
class PlannedPeriod:
    """One period after the first ones.

    Attributes
    ----------
    name, start, end
        What the period is called, and its first and last day or value.
    place : int
        Its number among all periods.
    before, rows : ndarrays of row numbers
        The rows to fit on, and those of the period.
    baseline : float
        The accuracy in the period of always answering the class that is most frequent before it.
    skipped : Note or None
        Why the period cannot be replayed.
    """

    name: str
    start: Any
    end: Any
    place: int
    before: Rows
    rows: Rows
    baseline: float
    skipped: Note | None


def check_window(window: object) -> Window:
    """Refuse a window that is neither "expanding" nor a number of periods."""
    if isinstance(window, str):
        if window == "expanding":
            return "expanding"
        raise fault("window", "be 'expanding' or a number of periods", window, "3 means: fit on the last three periods")
    return check_count(window, "window", least=1, hint="3 means: fit on the last three periods")


def plan_periods(
    pieces: Sequence[Piece],
    codes: Codes,
    classes: NDArray[Any],
    *,
    window: Window,
    start: int | None,
    fewest: int,
) -> list[PlannedPeriod]:
    """Plan the periods after the first ones.

    Parameters
    ----------
    pieces : sequence of (name, start, end, rows)
        All periods in order; some may have no rows.
    codes, classes : ndarrays
        For each row the place of its label, and the labels.
    window : "expanding" or int
        All rows before a period, or those of so many periods.
    start : int, optional
        How many periods are only fitted on.
    fewest : int
        Rows of each class that a fit needs.
    """
    if start is None:
        start = 1 if window == 1 else _USUAL_START
    start = check_count(start, "start", least=1, hint="2 is usual")
    if len(pieces) <= start:
        raise InputError(
            f"a backtest needs at least {start + 1} periods, got {len(pieces)}: the first "
            f"{'is' if start == 1 else f'{start} are'} used only for fitting; "
            "make the periods shorter, or add older rows"
        )
    planned = []
    for place in range(start, len(pieces)):
        name, begin, end, rows = pieces[place]
        first = 0 if window == "expanding" else max(0, place - window)
        # In the order of time: later rows come last in ties of folds and fingerprints.
        before = np.concatenate([piece[3] for piece in pieces[first:place]]).astype(np.intp)
        counts = np.bincount(codes[before], minlength=len(classes))
        planned.append(
            PlannedPeriod(
                name=name,
                start=begin,
                end=end,
                place=place,
                before=before,
                rows=rows,
                baseline=float(np.mean(codes[rows] == counts.argmax())) if len(rows) else math.nan,
                skipped=_skipped(rows, counts, classes, fewest),
            )
        )
    return planned


def _skipped(rows: Rows, counts: Codes, classes: NDArray[Any], fewest: int) -> Note | None:
    """Say why a period cannot be replayed, if so."""
    if not len(rows):
        return Note(code="no rows")
    if len(rows) < FEWEST_NEW:
        return Note(code="too few rows", detail=f"{counted(len(rows), 'row')}; at least {FEWEST_NEW} are needed")
    rarest = int(counts.argmin())
    if counts[rarest] < fewest:
        label = shown(classes.tolist()[rarest])
        detail = f"{counted(int(counts[rarest]), 'row')} of class {label} before it; at least {fewest} are needed"
        return Note(code="too few of a class", detail=detail)
    return None


def refuse_nothing_left(planned: Sequence[PlannedPeriod]) -> None:
    """Refuse a past of which no period can be replayed."""
    if any(period.skipped is None for period in planned):
        return
    reasons = [period.skipped for period in planned if period.skipped is not None]
    # The last period has most rows before it.
    last = next((note for note in reversed(reasons) if note.code != "no rows"), reasons[-1])
    hint = "add older rows, or use fewer folds"
    if last.code != "too few of a class":
        hint = "add rows, or make the periods longer"
    raise InputError(f"no period has enough rows to be replayed. The last one has {last.detail or 'no rows'}; {hint}")
