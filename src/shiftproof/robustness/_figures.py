"""The figures of a stress test: its rows as arrays, handed to `plots`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from shiftproof import plots
from shiftproof.core import InputError, check_choice, check_label
from shiftproof.robustness._rows import ModelShift, Range
from shiftproof.robustness._words import CALLED, shift_text
from shiftproof.simulation import Family

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from shiftproof.plots import Ranges
    from shiftproof.robustness._result import Stress

#: The tests whose p-values the papers draw.
PValues = Literal["kruskal", "friedman"]

_AXES: Mapping[PValues, str] = {
    "kruskal": "Kruskal-Wallis p-value of the scores",
    "friedman": "Friedman p-value of bootstrapped accuracies",
}
# The papers presume a shift from this share of failing features on.
_PAPERS_RULE = 0.3
# A shift that a model could not score.
_ABSENT: Range = (float("nan"),) * 3


def draw_accuracy(result: Stress, ax: Axes | None) -> Axes:
    """Draw each model's accuracy without a shift and its range under each family, the most accurate first."""
    base = {row.model: row.accuracy.estimate for row in result.rows if row.family == "base"}
    order = sorted(result.models, key=lambda model: -base[model])
    families = {CALLED[family]: _family_ranges(result, order, family) for family in result.families}
    xlabel = "accuracy without a shift, and range from the worst to the best shifted test set"
    return plots.accuracy_ranges(order, [base[model] for model in order], families, xlabel=xlabel, ax=ax)


def _family_ranges(result: Stress, models: Sequence[str], family: Family) -> Ranges:
    """Return the worst, mean and best accuracy of each model under one family; NaN where it has none."""
    rows: dict[str, list[ModelShift]] = {model: [] for model in models}
    for row in result.rows:
        if row.family == family:
            rows[row.model].append(row)
    return (
        [min((row.lowest for row in of_model), default=float("nan")) for of_model in rows.values()],
        [_mean([row.accuracy.estimate for row in of_model]) for of_model in rows.values()],
        [max((row.highest for row in of_model), default=float("nan")) for of_model in rows.values()],
    )


def draw_p_values(result: Stress, which: PValues, family: Family | Sequence[Family] | None, ax: Axes | None) -> Axes:
    """Draw the p-values over the features, a cluster of models per shift."""
    check_choice(which, "which", tuple(_AXES))
    families = [family] if isinstance(family, str) else list(family or result.families)
    for name in families:
        check_choice(name, "family", result.families)
    tables = [table for table in result.tables if table.family in ("base", *families)]
    ranges = {}
    for model in result.models:
        by_shift = {(row.family, row.strength): getattr(row, which) for row in result.rows if row.model == model}
        ranges[model] = _by_end([by_shift.get((table.family, table.strength), _ABSENT) for table in tables])
    shifts = [shift_text(table.family, table.strength) for table in tables]
    return plots.p_value_ranges(shifts, ranges, alpha=result.alpha, ylabel=_AXES[which], ax=ax)


def draw_failing(result: Stress, label: object, ax: Axes | None) -> Axes:
    """Draw the share of features that fail their test under each shift, in all or within one class."""
    tables = result.tables
    if label is not None:
        check_label(label, result.classes, "label")
        tables = tuple(table for table in result.class_tables if table.label == label)
        if not tables:
            raise InputError("figures by class were not computed; pass stress(..., by_class=True)")
    within = "" if label is None else f" within class {label}"
    return plots.shift_bars(
        [shift_text(table.family, table.strength) for table in tables],
        _by_end([table.failing for table in tables]),
        xlabel=(
            f"share of features with p below {result.alpha:g}{within}; line: range over the shifted features; "
            "dashed: a shift is likely from here on (Cieslak and Chawla)"
        ),
        mark=_PAPERS_RULE,
        ax=ax,
    )


def draw_hellinger(result: Stress, relative: bool, ax: Axes | None) -> Axes:
    """Draw the change of the mean Hellinger distance against the base, as a share of it or as a difference."""
    # The base is always the first table of a grid.
    base = result.tables[0].hellinger[0]
    scale = base if relative else 1.0
    how = "as a share of the distance without a shift" if relative else "from the distance without a shift"
    return plots.shift_bars(
        [shift_text(table.family, table.strength) for table in result.tables],
        _by_end([tuple((value - base) / scale for value in table.hellinger) for table in result.tables]),
        xlabel=(
            f"change in the mean Hellinger distance to the training rows, {how}; line: range over the shifted features"
        ),
        ax=ax,
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def _by_end(ranges: Sequence[Sequence[float]]) -> Ranges:
    """Turn (mean, lowest, highest) of each shift into lowest, mean and highest of all shifts."""
    mean, low, high = (list(values) for values in zip(*ranges, strict=True))
    return low, mean, high
