"""What a stress test had to leave out: cells that a model could not score, and shifts that could not be made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shiftproof.core import Failure
from shiftproof.robustness._measure import Refusals
from shiftproof.simulation import Family, Skipped


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """Cells of one family that a model could not score, and the error that it raised."""

    model: str
    family: Family
    n_cells: int
    reason: Failure


@dataclass(frozen=True, kw_only=True)
class UnmadeShifts:
    """Cells of one family that could not be made, all for one reason.

    Parameters
    ----------
    family : str
        The family of shifts.
    n_cells : int
        How many cells of the grid are missing.
    features : tuple of str
        The features by which they would have been made; empty for shifts of the class proportions.
    reason : str
        Why they could not be made.
    """

    family: Family
    n_cells: int
    features: tuple[str, ...]
    reason: str


def left_out_cells(refusals: Refusals) -> tuple[LeftOut, ...]:
    """Join the cells that a model could not score, by family and reason."""
    counts: dict[tuple[str, Family, Failure], int] = {}
    for (model, cell), reason in refusals.items():
        # Dozens of cells fail for one reason; a reader needs it once.
        counts[model, cell.family, reason] = counts.get((model, cell.family, reason), 0) + 1
    return tuple(
        LeftOut(model=model, family=family, n_cells=n_cells, reason=reason)
        for (model, family, reason), n_cells in counts.items()
    )


def unmade_shifts(skipped: Iterable[Skipped]) -> tuple[UnmadeShifts, ...]:
    """Join the cells that could not be made, by family and reason.

    Examples
    --------
    >>> same = "all its values are the same"
    >>> unmade_shifts([Skipped("mar", 0.25, "zip", same), Skipped("mar", 0.5, "zip", same)])
    (UnmadeShifts(family='mar', n_cells=2, features=('zip',), reason='all its values are the same'),)
    """
    by_reason: dict[tuple[Family, str], list[Skipped]] = {}
    for cell in skipped:
        by_reason.setdefault((cell.family, cell.reason), []).append(cell)
    return tuple(
        UnmadeShifts(
            family=family,
            n_cells=len(cells),
            features=tuple(dict.fromkeys(cell.feature for cell in cells if cell.feature is not None)),
            reason=reason,
        )
        for (family, reason), cells in by_reason.items()
    )
