from __future__ import annotations

import math
from typing import cast

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex, to_rgba
from matplotlib.patches import Rectangle

from shiftproof import plots
from shiftproof.plots import BAD, MILD, QUIET, effect_grid, timeline

VERDICTS = ["shifted", "negligible", "no shift", "cannot tell", "cannot tell"]
DISTANCES = [0.4, 0.1, 0.05, 0.3, math.nan]


def drawn(ax: Axes, *, p_values: list[float] | None = None) -> Axes:
    names = [f"2009-0{at}" for at in range(1, 6)]
    chance = [0.02, 0.02, 0.02, 0.25, math.nan]
    return timeline(
        names, DISTANCES, VERDICTS, expected=chance, high=[2 * at for at in chance], p_values=p_values, ax=ax
    )


def dots(ax: Axes) -> dict[str, PathCollection]:
    return {str(each.get_label()): each for each in ax.collections if isinstance(each, PathCollection)}


def legend(ax: Axes) -> list[str]:
    shown = ax.get_legend()
    return [] if shown is None else [text.get_text() for text in shown.get_texts()]


def test_marks_by_verdict(ax: Axes) -> None:
    assert drawn(ax) is ax
    marks = dots(ax)
    places = {name: np.asarray(each.get_offsets()).tolist() for name, each in marks.items()}
    assert places == {
        "changed enough to matter": [[0.0, 0.4]],
        "changed, too little to matter": [[1.0, 0.1]],
        "no shift seen": [[2.0, 0.05]],
        "cannot tell": [[3.0, 0.3]],
        "no rows": [[4.0, 0.0]],
    }
    colours = [to_hex(np.asarray(marks[name].get_edgecolor())[0].tolist()) for name in list(places)[:4]]
    assert colours == [BAD, MILD, QUIET, QUIET]
    assert np.asarray(marks["cannot tell"].get_facecolor()).size == 0
    assert legend(ax)[:2] == ["chance: 19 of 20 lie below", "chance, on average"]


def test_the_axis_starts_at_zero_and_shows_all(ax: Axes) -> None:
    drawn(ax)
    assert ax.get_ylim() == pytest.approx((0.0, 0.5 * 1.12))


def test_p_values_below() -> None:
    figure, (left, right) = plt.subplots(1, 2, layout="constrained", figsize=(16, 6))
    drawn(left, p_values=[1e-30, 0.5, 0.05, 0.9, math.nan])
    below = figure.axes[-1]
    assert below not in (left, right)
    points = np.asarray(dots(below).popitem()[1].get_offsets())
    assert points[:, 1].tolist() == [1e-16, 0.5, 0.05, 0.9]
    assert below.get_xlim() == left.get_xlim()
    assert [tick.get_text() for tick in below.get_yticklabels()] == ["1e-16", "0.05"]
    assert [tick.get_text() for tick in left.get_xticklabels()] == [""] * 5
    figure.draw_without_rendering()
    assert below.get_position().y1 < left.get_position().y0
    plt.close(figure)


def test_p_values_below_axes_that_were_put_by_hand() -> None:
    figure = plt.figure()
    ax = figure.add_axes((0.1, 0.5, 0.8, 0.4))
    drawn(ax, p_values=[0.2, 0.5, 0.05, 0.9, math.nan])
    assert len(ax.child_axes) == 1
    assert [tick.get_text() for tick in ax.child_axes[0].get_yticklabels()] == ["0.001", "0.05", "1"]
    plt.close(figure)


@pytest.mark.parametrize(("count", "named"), [(1, 1), (4, 4), (16, 16), (60, 10), (200, 9), (7000, 16)])
def test_no_more_names_than_can_be_read(ax: Axes, count: int, named: int) -> None:
    timeline([f"2009-{at}" for at in range(count)], [0.1] * count, ["no shift"] * count, expected=[0.1] * count,
             high=[0.2] * count, ax=ax)  # fmt: skip
    assert len(ax.get_xticklabels()) == named


def cells(ax: Axes) -> list[Rectangle]:
    return cast("list[Rectangle]", list(ax.patches))


def test_grid(ax: Axes) -> None:
    grades = [["material", "negligible", ""], ["none", "material", "material"]]
    sizes = [[0.5, 0.04, math.nan], [0.3, 0.1, 0.25]]
    relative = [[5.0, 0.4, math.nan], [3.0, 1.0, 2.5]]
    assert effect_grid(["age", "job"], ["a", "b", "c"], sizes, relative, grades, hidden=2, ax=ax) is ax
    looks = [(to_hex(cell.get_facecolor()), round(to_rgba(cell.get_facecolor())[3], 2)) for cell in cells(ax)]
    assert looks == [(BAD, 1.0), (MILD, 0.25), (QUIET, 0.22), (BAD, 0.35), (BAD, 0.55)]
    assert [text.get_text() for text in ax.texts] == ["0.50", "0.04", "0.30", "0.10", "0.25"]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["age", "job"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first on top
    assert ax.get_xlabel() == "(2 more features not shown)"
    assert legend(ax)[:2] == ["not significant", "negligible"]


def test_a_wide_grid_has_no_numbers(ax: Axes) -> None:
    effect_grid(["age"], [str(at) for at in range(60)], [[0.2] * 60], [[2.0] * 60], [["material"] * 60], ax=ax)
    assert not ax.texts
    assert len(cells(ax)) == 60


def test_sizes_grow_up_to_a_limit() -> None:
    assert plots.timeline_size(4) < plots.timeline_size(4, scores=True)
    assert plots.timeline_size(1_000)[0] == plots.grid_size(12, 1_000)[0] == 10.0
    assert plots.grid_size(12, 4) > plots.grid_size(2, 4)
