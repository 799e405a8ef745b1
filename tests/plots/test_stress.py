from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes

from shiftproof import plots

NAN = float("nan")


def test_each_model_has_a_row_with_a_bar_per_family(ax: Axes) -> None:
    families = {"moved": ([0.5, 0.6], [0.6, 0.7], [0.7, 0.8]), "lost": ([0.4, NAN], [0.5, NAN], [0.6, NAN])}
    drawn = plots.accuracy_ranges(["forest", "lr"], [0.9, 0.8], families, ax=ax)
    assert drawn is ax
    assert [text.get_text() for text in ax.get_yticklabels()] == ["forest", "lr"]
    assert ax.yaxis_inverted()
    moved = ax.collections[0].get_segments()  # type: ignore[attr-defined]
    assert [[x for x, _ in segment] for segment in moved] == [[0.5, 0.7], [0.6, 0.8]]
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["moved", "lost", "without a shift"]
    unshifted = ax.collections[-1].get_segments()  # type: ignore[attr-defined]
    assert [segment[0][0] for segment in unshifted] == [0.9, 0.8]


def test_each_shift_has_a_cluster_with_a_line_per_model(ax: Axes) -> None:
    models = {"lr": ([0.0, 0.1], [0.2, 0.3], [0.4, 0.5]), "nb": ([NAN, 0.1], [NAN, 0.3], [NAN, 0.5])}
    plots.p_value_ranges(["base", "MAR 25"], models, alpha=0.1, ax=ax)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["base", "MAR 25"]
    lines = ax.collections[0].get_segments()  # type: ignore[attr-defined]
    assert [[y for _, y in line] for line in lines] == [[0.0, 0.4], [0.1, 0.5]]
    places = np.asarray(ax.collections[1].get_offsets())[:, 0]
    assert places.tolist() == pytest.approx([-0.18, 0.82])
    assert ax.get_ylabel() == "p-value (dashed: 0.1)"


def test_many_shifts_have_slanted_names() -> None:
    shifts = [f"P(+) 0.{at:02d}" for at in range(12)]
    ax = plots.p_value_ranges(shifts, {"lr": ([0.0] * 12, [0.1] * 12, [0.2] * 12)})
    assert {text.get_rotation() for text in ax.get_xticklabels()} == {45.0}
    assert ax.figure.get_figwidth() <= 12  # type: ignore[union-attr]
    plt.close(ax.figure)  # type: ignore[arg-type]


def test_bars_reach_to_the_mean_and_lines_over_the_range(ax: Axes) -> None:
    plots.shift_bars(["base", "MAR 25"], ([0.0, 0.2], [0.0, 0.4], [0.0, 0.8]), xlabel="failing", mark=0.3, ax=ax)
    assert [bar.get_width() for bar in ax.patches] == [0.0, 0.4]  # type: ignore[attr-defined]
    lines = ax.collections[0].get_segments()  # type: ignore[attr-defined]
    assert [[x for x, _ in line] for line in lines] == [[0.0, 0.0], [0.2, 0.8]]
    assert ax.get_xlabel() == "failing"
    assert [line.get_xdata()[0] for line in ax.lines] == [0.3, 0]  # type: ignore[index]


def test_nothing_to_draw_is_drawn(ax: Axes) -> None:
    plots.accuracy_ranges(["lr"], [0.9], {}, ax=ax)
    plots.shift_bars(["base"], ([NAN], [NAN], [NAN]), xlabel="", ax=ax)
    assert ax.get_legend() is not None


def test_names_are_text(all_hostile: list[str]) -> None:
    values = [0.5] * len(all_hostile)
    ranges = dict.fromkeys(all_hostile, (values, values, values))
    figure = plots.own_figure(size=(30.0, 30.0))
    first, second, third = figure.subplots(3)
    plots.accuracy_ranges(all_hostile, values, ranges, ax=first)
    plots.p_value_ranges(all_hostile, ranges, ax=second)
    plots.shift_bars(all_hostile, (values, values, values), xlabel="", ax=third)
    assert "<script>" not in plots.svg(figure, name="stress")
