"""The rows of a stress test's tables: models and features, by cell and by shift."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from shiftproof.core import Interval
from shiftproof.robustness._features import TableDistance
from shiftproof.robustness._judge import Verdicts, by_shift
from shiftproof.simulation import Cell, Family, shift_label

#: The test rows without a shift, which every other cell is compared with.
BASE = Cell("base")
#: The mean, the lowest and the highest of several values.
Range = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class ModelShift:
    """One model under one shift, averaged over the shifted features: a row of `Stress.to_frame`."""

    model: str
    family: Family
    strength: float
    n_cells: int
    accuracy: Interval
    change: Interval
    lowest: float
    highest: float
    auc: float
    auc_change: float
    brier: float
    brier_change: float
    score_hellinger: float
    score_hellinger_change: float
    kruskal: Range
    friedman: Range

    @property
    def shift(self) -> str:
        """The name of the shift in charts."""
        return shift_label(self.family, self.strength)


@dataclass(frozen=True, kw_only=True)
class ModelCell:
    """One model in one cell of the grid: a row of `Stress.cells`."""

    model: str
    cell: Cell
    n: int
    accuracy: float
    change: Interval
    auc: float
    auc_change: float
    brier: float
    brier_change: float
    score_hellinger: float
    score_hellinger_change: float
    kruskal: float
    friedman: float


@dataclass(frozen=True, kw_only=True)
class TableCell:
    """The features in one cell of the grid against the training rows."""

    cell: Cell
    failing: float
    hellinger: float
    skew: float
    change: float
    relative_change: float


@dataclass(frozen=True, kw_only=True)
class TableShift:
    """The features under one shift against the training rows, over all cells; of one class if it has a label."""

    family: Family
    strength: float
    failing: Range
    hellinger: Range
    skew: float
    change: float
    relative_change: float
    label: object = None

    @property
    def shift(self) -> str:
        """The name of the shift in charts."""
        return shift_label(self.family, self.strength)


class _Points(TypedDict):
    """Measures that a row gives without an interval, each with its change against the base."""

    auc: float
    auc_change: float
    brier: float
    brier_change: float
    score_hellinger: float
    score_hellinger_change: float


def model_shifts(verdicts: Verdicts, models: Sequence[str]) -> tuple[ModelShift, ...]:
    """Average every model over the cells of each shift."""
    return tuple(
        _model_shift(verdicts, model, cells)
        for model in models
        for cells in by_shift([BASE, *verdicts.scored_cells(model)]).values()
    )


def _model_shift(verdicts: Verdicts, model: str, cells: Sequence[Cell]) -> ModelShift:
    # The range is over the cells: the feature that hurts most, and the one that hurts least.
    accuracies = [float(verdicts.values(model, cell, "accuracy")[0]) for cell in cells]
    outcomes = [verdicts.outcomes[model, cell] for cell in cells]
    return ModelShift(
        model=model,
        family=cells[0].family,
        strength=cells[0].strength,
        n_cells=len(cells),
        accuracy=verdicts.accuracy(model, cells),
        change=verdicts.interval(verdicts.change(model, cells, "accuracy"), -1.0, 1.0),
        lowest=min(accuracies),
        highest=max(accuracies),
        **_points(verdicts, model, cells),
        kruskal=_range([outcome.kruskal for outcome in outcomes]),
        friedman=_range([outcome.friedman for outcome in outcomes]),
    )


def model_cells(verdicts: Verdicts, models: Sequence[str]) -> tuple[ModelCell, ...]:
    """Return every model in every cell that it could score, the base first."""
    return tuple(
        ModelCell(
            model=model,
            cell=cell,
            n=verdicts.outcomes[model, cell].n,
            change=verdicts.interval(verdicts.change(model, [cell], "accuracy"), -1.0, 1.0),
            accuracy=float(verdicts.values(model, cell, "accuracy")[0]),
            **_points(verdicts, model, [cell]),
            kruskal=verdicts.outcomes[model, cell].kruskal,
            friedman=verdicts.outcomes[model, cell].friedman,
        )
        for model in models
        for cell in [BASE, *verdicts.scored_cells(model)]
    )


def _points(verdicts: Verdicts, model: str, cells: Sequence[Cell]) -> _Points:
    """Return the other measures and their changes, which the table gives without intervals."""
    # The first entry is of the original rows, the rest of resamples, for intervals.
    means = {measure: float(verdicts.mean(model, cells, measure)[0]) for measure in ("auc", "brier", "hellinger")}
    changes = {measure: float(verdicts.change(model, cells, measure)[0]) for measure in means}
    return {
        "auc": means["auc"],
        "auc_change": changes["auc"],
        "brier": means["brier"],
        "brier_change": changes["brier"],
        "score_hellinger": means["hellinger"],
        "score_hellinger_change": changes["hellinger"],
    }


def table_cells(tables: Mapping[Cell, TableDistance]) -> tuple[TableCell, ...]:
    """Return the distance of the features in every cell, and its change against the base."""
    base = tables[BASE].hellinger
    return tuple(
        TableCell(
            cell=cell,
            failing=distance.failing,
            hellinger=distance.hellinger,
            skew=distance.skew,
            change=distance.hellinger - base,
            relative_change=_relative(distance.hellinger, base),
        )
        for cell, distance in tables.items()
    )


def table_shifts(tables: Mapping[Cell, TableDistance], label: object = None) -> tuple[TableShift, ...]:
    """Average the distance of the features over the cells of each shift."""
    base = tables[BASE].hellinger
    return tuple(
        _table_shift([tables[cell] for cell in cells], cells[0], base, label) for cells in by_shift(tables).values()
    )


def _relative(value: float, base: float) -> float:
    return value / base - 1 if base > 0 else math.nan


def _table_shift(distances: Sequence[TableDistance], cell: Cell, base: float, label: object) -> TableShift:
    hellinger = _range([distance.hellinger for distance in distances])
    return TableShift(
        family=cell.family,
        strength=cell.strength,
        failing=_range([distance.failing for distance in distances]),
        hellinger=hellinger,
        skew=_mean_defined([distance.skew for distance in distances]),
        change=hellinger[0] - base,
        relative_change=_relative(hellinger[0], base),
        label=label,
    )


def _range(values: Sequence[float]) -> Range:
    return float(np.mean(values)), float(min(values)), float(max(values))


def _mean_defined(values: Sequence[float]) -> float:
    """Average what is defined: fewer than three features have no skewness."""
    defined = [value for value in values if not math.isnan(value)]
    return float(np.mean(defined)) if defined else math.nan
