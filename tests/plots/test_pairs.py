from __future__ import annotations

from functools import partial
from typing import Any, cast

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle, StepPatch

from shiftproof import plots
from shiftproof.plots import category_pair, histogram_pair, small_multiples

EDGES = np.array([0.0, 1.0, 2.0, 4.0])


def stairs(ax: Axes) -> list[Any]:
    return [cast(StepPatch, patch).get_data() for patch in ax.patches]


def widths(ax: Axes) -> list[list[float]]:
    """Return the lengths of the bars of each side."""
    return [[cast(Rectangle, bar).get_width() for bar in side] for side in ax.containers]


def ticks(ax: Axes) -> list[str]:
    return [tick.get_text() for tick in ax.get_yticklabels()]


def test_histograms_are_drawn_as_shares(ax: Axes) -> None:
    assert histogram_pair(EDGES, np.array([1, 2, 1]), np.array([0, 5, 15]), ax=ax) is ax
    old, new = stairs(ax)
    assert old.values.tolist() == [0.25, 0.5, 0.25]
    assert new.values.tolist() == [0.0, 0.25, 0.75]
    assert old.edges.tolist() == new.edges.tolist() == EDGES.tolist()
    assert ax.get_legend_handles_labels()[1] == ["reference", "current"]
    assert ax.get_ylim()[0] == 0.0


def test_a_side_without_values_is_flat(ax: Axes) -> None:
    histogram_pair(EDGES, np.array([1, 2, 1]), np.zeros(3, dtype=int), ax=ax)
    assert stairs(ax)[1].values.tolist() == [0.0, 0.0, 0.0]


def test_the_counts_given_stay_as_they_are(ax: Axes) -> None:
    counts = np.array([1, 2, 1])
    counts.flags.writeable = False
    histogram_pair(EDGES, counts, counts, ax=ax)
    assert counts.tolist() == [1, 2, 1]


def test_titles_are_cut(ax: Axes) -> None:
    histogram_pair(EDGES, np.ones(3), np.ones(3), title="x" * 300 + " · KS 0.30", ax=ax)
    assert ax.get_title() == "x" * 18 + "…" + "x" * 7 + " · KS 0.30"


def test_categories_are_drawn_as_shares_the_largest_change_first(ax: Axes) -> None:
    old, new = np.array([2, 5, 3]), np.array([3, 1, 6])
    assert category_pair(["a", "b", "c"], old, new, title="job", ax=ax) is ax
    assert ticks(ax) == ["b", "c", "a"]
    assert widths(ax) == [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3]]
    assert ax.get_title() == "job"
    assert ax.get_legend_handles_labels()[1] == ["reference", "current"]


def test_the_reference_is_above_the_current_bar(ax: Axes) -> None:
    category_pair(["a"], np.array([1]), np.array([1]), ax=ax)
    old, new = (ax.transData.transform((0.0, cast(Rectangle, side[0]).get_y()))[1] for side in ax.containers)
    assert old > new


def test_of_equal_changes_the_common_category_comes_first(ax: Axes) -> None:
    category_pair(["rare", "common"], np.array([1, 9]), np.array([1, 9]), ax=ax)
    assert ticks(ax) == ["common", "rare"]


def test_small_changes_are_added_up(ax: Axes) -> None:
    old, new = np.full(10, 10), np.array([50, 0, 5, 5, 5, 5, 5, 5, 10, 10])
    category_pair(list("abcdefghij"), old, new, most=3, ax=ax)
    assert ticks(ax) == ["a", "b", "8 others"]
    assert widths(ax) == [pytest.approx([0.1, 0.1, 0.8]), pytest.approx([0.5, 0.0, 0.5])]


@pytest.mark.parametrize("most", [1, 2, 7, 8, 9, 50])
def test_the_bars_of_each_side_add_up_to_one(ax: Axes, most: int) -> None:
    rng = np.random.default_rng(0)
    category_pair(list(range(9)), rng.integers(1, 99, 9), rng.integers(1, 99, 9), most=most, ax=ax)
    assert [sum(side) for side in widths(ax)] == pytest.approx([1.0, 1.0])
    assert len(ticks(ax)) == min(most, 9)


def test_as_many_categories_as_bars_need_no_rest(ax: Axes) -> None:
    category_pair(["a", "b", "c"], np.array([2, 5, 3]), np.array([3, 1, 6]), most=3, ax=ax)
    assert ticks(ax) == ["b", "c", "a"]


@pytest.mark.parametrize("values", [[True, None], [1, 2.5], [("a", 1), "b"]])
def test_categories_may_be_any_values(ax: Axes, values: list[Any]) -> None:
    category_pair(values, np.array([3, 1]), np.array([1, 1]), ax=ax)
    assert ticks(ax) == [str(value) for value in values]


def test_long_categories_stay_apart(ax: Axes) -> None:
    names = [f"a very long city name {city}" for city in ("Oslo", "Rome", "Bern")]
    category_pair(names, np.array([6, 2, 2]), np.array([1, 5, 4]), ax=ax)
    assert ticks(ax) == ["a very l…me Oslo", "a very l…me Rome", "a very l…me Bern"]


def test_category_pair_without_categories_is_empty(ax: Axes) -> None:
    category_pair([], np.array([], dtype=int), np.array([], dtype=int), ax=ax)
    assert widths(ax) == [[], []]
    assert plots.svg(ax, name="empty").startswith("<svg")


def test_the_names_are_drawn_whatever_they_are(all_hostile: list[str]) -> None:
    def bars(ax: Axes) -> None:
        counts = np.arange(1, len(all_hostile) + 1)
        category_pair(all_hostile, counts, counts[::-1], title=all_hostile[0], most=99, ax=ax)

    def histogram(ax: Axes, title: str) -> None:
        histogram_pair(EDGES, np.array([1, 2, 1]), np.array([0, 5, 15]), title=title, ax=ax)

    figure = small_multiples([bars, *[partial(histogram, title=name) for name in all_hostile]])
    assert plots.svg(figure, name="hostile").endswith("</svg>\n")


@pytest.mark.parametrize("pair", [histogram_pair, category_pair])
def test_without_axes_a_figure_is_made(pair: Any) -> None:
    ax = pair(EDGES if pair is histogram_pair else ["a", "b", "c"], np.array([1, 2, 1]), np.array([0, 5, 15]))
    assert ax.figure is plt.gcf()
    plt.close(ax.figure)


@pytest.mark.parametrize(("charts", "rows", "columns"), [(1, 1, 1), (2, 1, 2), (3, 1, 3), (4, 2, 3), (9, 3, 3)])
def test_small_multiples_fill_a_grid(charts: int, rows: int, columns: int) -> None:
    given: list[Axes] = []
    figure = small_multiples([given.append] * charts)
    assert given == figure.axes[:charts]
    assert len(set(map(id, given))) == charts
    assert [ax.get_visible() for ax in figure.axes] == [True] * charts + [False] * (rows * columns - charts)
    assert figure.get_size_inches().tolist() == pytest.approx([3.3 * columns, 2.3 * rows + 0.3])


def test_small_multiples_share_one_legend() -> None:
    def paint(ax: Axes) -> None:
        category_pair(["a"], np.array([1]), np.array([1]), ax=ax)

    figure = small_multiples([paint, paint, paint, paint], columns=2)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["reference", "current"]
    assert all(ax.get_legend() is None for ax in figure.axes)


def test_small_multiples_of_nothing_are_empty() -> None:
    figure = small_multiples([])
    assert [ax.get_visible() for ax in figure.axes] == [False]
    assert figure.legends == []
    assert plots.svg(figure, name="empty").startswith("<svg")


def test_small_multiples_are_known_to_nobody() -> None:
    small_multiples([str])
    assert plt.get_fignums() == []
