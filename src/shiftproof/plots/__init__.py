"""What does it look like? Arrays in, Axes out; nothing here computes a statistic."""

from shiftproof.plots._comparison import loss_boxes, rank_diagram, rank_diagram_size
from shiftproof.plots._comparison_pairs import (
    Duel,
    comparison_matrix,
    comparison_size,
    duel_grid,
    duel_scatter,
    duel_scatters,
    loss_bars,
)
from shiftproof.plots._curves import (
    PALETTE,
    calibration_points,
    decision_lines,
    hit_lines,
    lift_lines,
    precision_recall_lines,
    profit_lines,
    roc_lines,
)
from shiftproof.plots._effects import effect_bars
from shiftproof.plots._export import drawn_svg, save_figure, svg
from shiftproof.plots._intervals import interval_rows
from shiftproof.plots._ks import ks_plot
from shiftproof.plots._pairs import category_pair, histogram_pair, small_multiples
from shiftproof.plots._prevalence import prevalence_intervals, prevalence_over_time, prevalence_size
from shiftproof.plots._selection import expected_intervals, expected_size, margins, order_matrix, order_size
from shiftproof.plots._sparkline import sparkline
from shiftproof.plots._stress import Ranges, accuracy_ranges, p_value_ranges, shift_bars
from shiftproof.plots._style import CURRENT, INK, QUIET, REFERENCE, own_axes, own_figure
from shiftproof.plots._surfaces import loss_surface, policy_lines, rule_lines, scaling_lines, trend_lines
from shiftproof.plots._timeline import effect_grid, grid_size, timeline, timeline_size
from shiftproof.plots._tips import tip
from shiftproof.plots._tournament import reverse_matrix, tournament

__all__ = [
    "CURRENT",
    "INK",
    "PALETTE",
    "QUIET",
    "REFERENCE",
    "Duel",
    "Ranges",
    "accuracy_ranges",
    "calibration_points",
    "category_pair",
    "comparison_matrix",
    "comparison_size",
    "decision_lines",
    "drawn_svg",
    "duel_grid",
    "duel_scatter",
    "duel_scatters",
    "effect_bars",
    "effect_grid",
    "expected_intervals",
    "expected_size",
    "grid_size",
    "histogram_pair",
    "hit_lines",
    "interval_rows",
    "ks_plot",
    "lift_lines",
    "loss_bars",
    "loss_boxes",
    "loss_surface",
    "margins",
    "order_matrix",
    "order_size",
    "own_axes",
    "own_figure",
    "p_value_ranges",
    "policy_lines",
    "precision_recall_lines",
    "prevalence_intervals",
    "prevalence_over_time",
    "prevalence_size",
    "profit_lines",
    "rank_diagram",
    "rank_diagram_size",
    "reverse_matrix",
    "roc_lines",
    "rule_lines",
    "save_figure",
    "scaling_lines",
    "shift_bars",
    "small_multiples",
    "sparkline",
    "svg",
    "timeline",
    "timeline_size",
    "tip",
    "tournament",
    "trend_lines",
]
