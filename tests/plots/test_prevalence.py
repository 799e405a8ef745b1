"""Charts of prevalences: what is drawn where, that nothing vanishes, and that names are text and legends fit."""

from __future__ import annotations

import math
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex
from matplotlib.patches import StepPatch

from shiftproof import plots
from shiftproof.plots import ESTIMATE, QUIET, REFERENCE, prevalence_intervals, prevalence_over_time

NAN = math.nan
THREE: dict[str, Any] = {
    "labels": ["a", "b", "c"],
    "estimates": [0.2, 0.3, 0.5],
    "lows": [0.1, 0.2, 0.4],
    "highs": [0.3, 0.4, 0.65],
}
FIVE: dict[str, Any] = {
    "periods": [f"2009-0{at}" for at in range(1, 6)],
    "estimates": [0.1, 0.2, NAN, 0.4, NAN],
    "lows": [0.05, 0.15, NAN, 0.3, NAN],
    "highs": [0.2, 0.3, NAN, 0.5, NAN],
}


def segments(ax: Axes) -> dict[str, list[list[list[float]]]]:
    """Return the lines that are drawn in one go, by colour."""
    lines = [each for each in ax.collections if isinstance(each, LineCollection)]
    return {
        to_hex(np.asarray(each.get_colors())[0].tolist()): [
            np.asarray(line).tolist()
            for line in each.get_segments()
            if len(line)  # one with NaN has no points
        ]
        for each in lines
    }


def dots(ax: Axes) -> list[tuple[str, list[list[float]]]]:
    """Return colours and places of marks."""
    marks = [each for each in ax.collections if isinstance(each, PathCollection)]
    places = [np.asarray(each.get_offsets()) for each in marks]
    return [
        (to_hex(np.asarray(each.get_edgecolor())[0].tolist()), place[~np.isnan(place).any(axis=1)].tolist())
        for each, place in zip(marks, places, strict=True)
    ]


def legend(ax: Axes) -> list[str]:
    shown = ax.get_legend()
    return [] if shown is None else [text.get_text() for text in shown.get_texts()]


def ticks(axis: Any, *values: float) -> list[str]:
    return [axis.get_major_formatter()(value, 0) for value in values]


def test_a_row_per_class(ax: Axes) -> None:
    assert prevalence_intervals(**THREE, training=[0.6, NAN, 0.1], ax=ax) is ax
    lines = segments(ax)
    assert [[x for x, _ in line] for line in lines[ESTIMATE]] == [[0.1, 0.3], [0.2, 0.4], [0.4, 0.65]]
    assert [line[0][0] for line in lines[REFERENCE]] == [0.6, 0.1]
    assert dots(ax) == [(ESTIMATE, [[0.2, 0.0], [0.3, 1.0], [0.5, 2.0]])]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b", "c"]
    assert ax.yaxis_inverted()
    assert legend(ax) == ["estimate and its interval", "labelled data"]
    assert ax.get_xlim() == pytest.approx((-0.015, 1.015))
    assert ticks(ax.xaxis, 0.0, 0.3, 0.005, 1.0, -1e-12) == ["0%", "30%", "0.5%", "100%", "0%"]


def test_other_methods_below_the_interval(ax: Axes) -> None:
    others: dict[str, Any] = {"counting": [0.1, 0.3, 0.6], "matching": np.array([0.2, NAN, 0.4])}
    prevalence_intervals(**THREE, training=[0.3] * 3, others=others, name="EM, 95% interval", ax=ax)
    assert dots(ax)[1:] == [
        (QUIET, [[0.1, 0.32], [0.3, 1.32], [0.6, 2.32]]),
        (QUIET, [[0.2, 0.32], [0.4, 2.32]]),
    ]
    assert legend(ax) == ["EM, 95% interval", "labelled data", "counting", "matching"]


def test_many_other_methods_share_an_entry(ax: Axes) -> None:
    prevalence_intervals(**THREE, training=[0.3] * 3, others={f"m{at}": [0.1] * 3 for at in range(14)}, ax=ax)
    assert legend(ax)[2:] == ["14 methods that correct for new proportions"]
    assert len(dots(ax)) == 15


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([0.01, 0.02], (-0.00033, 0.02233)),
        ([0.2, 0.61], (-0.015, 1.015)),
        ([-0.1, 1.2], (-0.1195, 1.2195)),
        ([0.0, 0.0], (-0.015, 1.015)),
        ([NAN, NAN], (-0.015, 1.015)),
    ],
    ids=["small", "large", "impossible", "zero", "none"],
)
def test_the_axis_shows_all(ax: Axes, values: list[float], ends: tuple[float, float]) -> None:
    prevalence_intervals(["a", "b"], values, values, values, training=[NAN, NAN], ax=ax)
    assert ax.get_xlim() == pytest.approx(ends, abs=1e-5)


def test_the_estimate_may_lie_outside_its_interval(ax: Axes) -> None:
    prevalence_intervals(["a"], [0.0], [0.1], [0.2], training=[0.1], ax=ax)
    assert segments(ax)[ESTIMATE] == [[[0.1, 0.0], [0.2, 0.0]]]


def test_a_line_with_gaps(ax: Axes) -> None:
    assert prevalence_over_time(**FIVE, training=0.25, label="yes", ax=ax) is ax
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), FIVE["estimates"])
    assert (ax.lines[1].get_color(), ax.lines[1].get_linestyle()) == (REFERENCE, "--")
    assert list(np.asarray(ax.lines[1].get_ydata())) == [0.25, 0.25]
    assert dots(ax) == [
        (ESTIMATE, [[0.0, 0.1], [1.0, 0.2], [3.0, 0.4]]),
        (QUIET, [[2.0, 0.0], [4.0, 0.0]]),
    ]
    drawn = [[y for _, y in line] for line in segments(ax)[ESTIMATE]]
    assert drawn == [[0.05, 0.2], [0.15, 0.3], [0.3, 0.5]]
    assert legend(ax) == ["estimate and its interval", "labelled data", "no rows"]
    assert ax.get_ylabel() == "share of class yes"
    assert [text.get_text() for text in ax.get_xticklabels()] == FIVE["periods"]
    assert ax.get_ylim() == pytest.approx((-0.0165, 0.5665))


def test_periods_without_rows_are_told_from_those_without_an_estimate() -> None:
    ax = prevalence_over_time(**FIVE, training=NAN, label="yes", sizes=[10, 2000, 0, 30, 1])
    below = ax.figure.axes[-1]
    assert below is not ax
    assert dots(ax)[1:] == [(QUIET, [[2.0, 0.0]]), (QUIET, [[4.0, 0.0]])]
    assert legend(ax) == ["estimate and its interval", "no rows", "no estimate"]
    assert [bar.get_height() for bar in below.patches] == [10, 2000, 0, 30, 1]  # type: ignore[attr-defined]
    assert below.get_xlim() == ax.get_xlim()
    assert ticks(below.yaxis, 2000.0) == ["2,000"]
    assert [text.get_text() for text in below.get_xticklabels()] == FIVE["periods"]
    assert [text.get_text() for text in ax.get_xticklabels()] == [""] * 5
    plt.close(ax.figure)  # type: ignore[arg-type]


def test_the_range_of_other_methods(ax: Axes) -> None:
    others = ([0.0, 0.1, NAN, 0.2, NAN], np.array([0.2, 0.4, 0.3, 0.6, NAN]))
    prevalence_over_time(**FIVE, training=0.25, label="yes", others=others, ax=ax)
    (band,) = (each for each in ax.patches if isinstance(each, StepPatch))
    values, edges, baseline = band.get_data()
    np.testing.assert_array_equal(values, [0.2, 0.4, NAN, 0.6, NAN])
    np.testing.assert_array_equal(np.asarray(baseline), [0.0, 0.1, NAN, 0.2, NAN])
    assert list(edges) == [-0.5, 0.5, 1.5, 2.5, 3.5, 4.5]
    assert legend(ax) == ["estimate and its interval", "labelled data", "range of the other methods", "no rows"]
    assert ax.get_ylim()[1] > 0.6


def test_high_prevalences_are_not_squeezed(ax: Axes) -> None:
    prevalence_over_time(["1", "2"], [0.9, 0.92], [0.88, 0.9], [0.92, 0.94], training=0.9, label="no", ax=ax)
    assert ax.get_ylim() == pytest.approx((0.88 - 0.0188, 0.94 + 0.0188))


@pytest.mark.parametrize(("count", "named"), [(1, 1), (16, 16), (60, 10), (200, 9)])
def test_no_more_names_than_can_be_read(ax: Axes, count: int, named: int) -> None:
    values = [0.1] * count
    prevalence_over_time([f"2009-{at}" for at in range(count)], values, values, values, training=0.1, label=1, ax=ax)
    assert len(ax.get_xticklabels()) == named


def test_nothing_to_draw_is_drawn() -> None:
    figure = plots.own_figure(size=(8.0, 8.0))
    first, second, third = figure.subplots(3)
    prevalence_intervals([], [], [], [], training=[], ax=first)
    prevalence_over_time([], [], [], [], training=0.3, label="", sizes=[], others=([], []), ax=second)
    prevalence_over_time(["a"], [NAN], [NAN], [NAN], training=NAN, label="", others=([NAN], [NAN]), ax=third)
    assert legend(third) == ["estimate and its interval", "no rows"]
    figure.draw_without_rendering()


@pytest.mark.parametrize("count", [2, 10])
@pytest.mark.parametrize("methods", [0, 4, 14])
def test_legend_title_and_rows_fit(count: int, methods: int) -> None:
    names = [f"a class with a very long name, number {at}" for at in range(count)]
    shares = np.full(count, 1 / count)
    others = {f"a method with a very long name, number {at}": shares for at in range(methods)}
    ax = prevalence_intervals(
        names,
        shares,
        shares,
        shares,
        training=shares,
        others=others,
        title="many words " * 9,
        name="a method, 95% interval by the bootstrap",
    )
    figure = ax.figure
    figure.canvas.draw()
    shown = ax.get_legend()
    assert shown is not None
    box, whole = shown.get_window_extent(), figure.bbox
    title = ax._left_title.get_window_extent()  # type: ignore[attr-defined]
    assert whole.x0 <= box.x0 < max(box.x1, title.x1) <= whole.x1
    assert box.y1 - 4 <= title.y0 < title.y1 <= whole.y1 + 1
    assert ax.get_window_extent().height > 18 * count
    plt.close(figure)  # type: ignore[arg-type]


def test_prevalence_size_grows_with_classes_and_methods() -> None:
    assert plots.prevalence_size(10, others=True) > plots.prevalence_size(10) > plots.prevalence_size(2)


def test_names_are_text(all_hostile: list[str]) -> None:
    values = [0.5] * len(all_hostile)
    figure = plots.own_figure(size=(30.0, 40.0))
    axes = figure.subplots(4)
    prevalence_intervals(all_hostile, values, values, values, training=values, title=all_hostile[3], ax=axes[0])
    few = dict.fromkeys(all_hostile[:4], values)
    prevalence_intervals(all_hostile, values, values, values, training=values, others=few, name="$", ax=axes[1])
    prevalence_over_time(all_hostile, values, values, values, training=0.5, label="<script>", ax=axes[2])
    prevalence_over_time(all_hostile, values, values, values, training=0.5, label="$x$", ax=axes[3])
    assert axes[3].get_ylabel() == r"share of class \$x\$"
    assert "<script>" not in plots.svg(figure, name="prevalence")
