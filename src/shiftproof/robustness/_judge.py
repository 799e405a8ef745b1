"""From outcomes per cell to answers: means with intervals, sensitivity, which model leads, and what is noise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from shiftproof.core import Floats, Interval
from shiftproof.robustness._measure import Outcomes
from shiftproof.simulation import Cell
from shiftproof.stats import holm, wilson

#: A family and its strength: what the papers average the features of.
Shift = tuple[str, float]


@dataclass(frozen=True, kw_only=True)
class Lead:
    """Which model is first in one respect, and whether that is more than noise.

    Parameters
    ----------
    question : str
        ``most accurate``, ``most robust`` or ``best compromise``.
    model : str
        The first.
    value : Interval
        Its accuracy, sensitivity index or expected accuracy.
    runner_up : str or None
        The second; None with one model.
    lead : Interval or None
        By how much the first is better than the second.
    within_noise : tuple of str
        The models whose difference from the first may be noise: paired over resamples of the test rows, with Holm's
        correction.
    """

    question: str
    model: str
    value: Interval
    runner_up: str | None
    lead: Interval | None
    within_noise: tuple[str, ...]

    @property
    def beyond_noise(self) -> bool:
        """Whether the first is better than every other by more than noise."""
        return self.runner_up is not None and not self.within_noise


@dataclass(frozen=True, eq=False)
class Verdicts:
    """All outcomes, and the answers computed from them."""

    outcomes: Outcomes
    cells: Sequence[Cell]
    base: Cell
    level: float
    alpha: float

    def scored_cells(self, model: str) -> list[Cell]:
        """Return the shifted cells that a model could score."""
        return [cell for cell in self.cells if cell != self.base and (model, cell) in self.outcomes]

    def values(self, model: str, cell: Cell, measure: str) -> Floats:
        """Return a measure on the original rows, and on their resamples."""
        return self.outcomes[model, cell].values[measure]

    def mean(self, model: str, cells: Sequence[Cell], measure: str) -> Floats:
        """Average a measure over cells in which it is defined."""
        return _mean([self.values(model, cell, measure) for cell in cells])

    def change(self, model: str, cells: Sequence[Cell], measure: str) -> Floats:
        """Average the change against the base over cells."""
        return self.mean(model, cells, measure) - self.values(model, self.base, measure)

    def index(self, model: str, cells: Sequence[Cell], measure: str) -> Floats:
        """Return the sensitivity index: the mean absolute change, of cells of one shift, then over the shifts."""
        base = self.values(model, self.base, measure)
        # Cells of one shift are averaged first: shifts with many features must not outweigh the rest.
        of_shift = [
            _mean([np.abs(self.values(model, cell, measure) - base) for cell in same])
            for same in by_shift(cells).values()
        ]
        return _mean(of_shift)

    def expected(self, model: str, cells: Sequence[Cell]) -> Floats:
        """Return the expected accuracy if no shift and all families are equally likely, as are shifts of a family."""
        # Families in the order of the grid: results must not depend on hashing.
        families = dict.fromkeys(cell.family for cell in cells)
        means = [
            _mean([self.mean(model, same, "accuracy") for (name, _), same in by_shift(cells).items() if name == family])
            for family in families
        ]
        return _mean([self.values(model, self.base, "accuracy"), *means])

    def interval(self, values: Floats, low: float = -math.inf, high: float = math.inf) -> Interval:
        """Make a normal interval with the standard error of the resamples, within the range of the measure."""
        # The first value is of the original rows, the rest of their resamples.
        margin = float(special.ndtri((1 + self.level) / 2)) * _spread(values[1:])
        estimate = float(values[0])
        method = f"normal, standard error of {len(values) - 1} resamples of the test rows"
        return Interval(
            estimate=estimate,
            low=max(estimate - margin, low) if estimate == estimate else math.nan,
            high=min(estimate + margin, high) if estimate == estimate else math.nan,
            level=self.level,
            method=method,
        )

    def accuracy(self, model: str, cells: Sequence[Cell]) -> Interval:
        """Give the mean accuracy over cells."""
        return self.rate(self.mean(model, cells, "accuracy"), min(self.outcomes[model, cell].n for cell in cells))

    def rate(self, values: Floats, n: int) -> Interval:
        """Make an interval of an accuracy; where no resample differs, Wilson's for n rows."""
        interval = self.interval(values, 0.0, 1.0)
        # Resamples of rows that are all right, or all wrong, do not vary; a normal interval would have no width.
        return wilson(interval.estimate * n, n, level=self.level) if interval.width == 0 else interval

    def leads(self, models: Sequence[str]) -> dict[str, Lead]:
        """Return which model is most accurate, most robust, and the best compromise.

        The last two compare only models that could score a shift, on the cells that all of them could score.
        """
        # A model that could score no shifted table would leave no common cells.
        able = [name for name in models if self.scored_cells(name)]
        shared = [cell for cell in self.cells if all((name, cell) in self.outcomes for name in able)]
        shifted = [cell for cell in shared if cell != self.base]
        return {
            "most accurate": self._lead(
                "most accurate", {name: self.values(name, self.base, "accuracy") for name in models}
            ),
            "most robust": self._lead("most robust", {name: -self.index(name, shifted, "accuracy") for name in able}),
            "best compromise": self._lead("best compromise", {name: self.expected(name, shifted) for name in able}),
        }

    def _lead(self, question: str, figures: dict[str, Floats]) -> Lead:
        # A figure that is undefined ranks last.
        ranked = sorted(figures, key=lambda name: np.nan_to_num(-figures[name][0], nan=math.inf))
        first, *others = ranked
        differences = {name: figures[first] - figures[name] for name in others}
        p = [_p_value(difference) for difference in differences.values()]
        adjusted = holm(p).tolist() if p else []
        return Lead(
            question=question,
            model=first,
            # The index was negated to rank the least sensitive model first.
            value=self.interval(-figures[first], 0.0, 1.0)
            if question == "most robust"
            else self.rate(figures[first], self.outcomes[first, self.base].n),
            runner_up=others[0] if others else None,
            lead=self.interval(differences[others[0]]) if others else None,
            within_noise=tuple(
                name for name, p_value in zip(others, adjusted, strict=True) if not p_value <= self.alpha
            ),
        )


def by_shift(cells: Iterable[Cell]) -> dict[Shift, list[Cell]]:
    """Put cells of one family and strength together."""
    shifts: dict[Shift, list[Cell]] = {}
    for cell in cells:
        shifts.setdefault((cell.family, cell.strength), []).append(cell)
    return shifts


def _mean(values: Sequence[Floats]) -> Floats:
    """Average, leaving out what is undefined; NaN where nothing is defined."""
    if not values:
        return np.array([math.nan])
    stacked = np.array(values)
    defined = ~np.isnan(stacked)
    # 0/0 where no cell is defined is NaN, as wanted.
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(defined, stacked, 0.0).sum(axis=0) / defined.sum(axis=0))


def _spread(replicates: Floats) -> float:
    defined = replicates[np.isfinite(replicates)]
    return float(defined.std(ddof=1)) if len(defined) > 1 else math.nan


def _p_value(difference: Floats) -> float:
    """Return the two-sided normal p-value of a difference; 1 where it is exactly none."""
    size, error = abs(float(difference[0])), _spread(difference[1:])
    # Models with the same decisions in every resample do not differ.
    if size == 0 or not math.isfinite(error):
        return 1.0
    return float(2 * special.ndtr(-size / error)) if error > 0 else 0.0
