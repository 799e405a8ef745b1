from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

from shiftproof import plots


def test_ranks_lie_where_they_are_and_names_do_not_overlap() -> None:
    k = 13
    names = [f"a method with quite a long name {at}" for at in range(k)]
    ranks = np.linspace(2.0, 2.5, k).tolist()  # all close together
    figure = plots.own_figure(size=plots.rank_diagram_size(k, 2))
    ax = plots.rank_diagram(names, ranks, difference=0.2, groups=[(0, 4), (3, 12)], ax=figure.subplots())
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts if "method" in text.get_text()]
    assert len(boxes) == k
    for at, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[at + 1 :])
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width
    # a line goes down from each rank
    assert sorted(float(line.get_xdata()[0]) for line in ax.lines) == pytest.approx(ranks)  # type: ignore[index,arg-type]


def test_bars_join_groups_and_do_not_overlap(ax: Axes) -> None:
    plots.rank_diagram(
        ["a", "b", "c", "d"], [1.0, 2.0, 3.0, 4.0], difference=1.5, groups=[(0, 1), (1, 2), (2, 3)], ax=ax
    )
    bars = [each.get_segments()[0] for each in ax.collections if each.get_linewidth()[0] > 3]  # type: ignore[attr-defined,index]
    assert [(bar[0][0], bar[1][0]) for bar in bars] == [
        pytest.approx((0.97, 2.03)),
        pytest.approx((1.97, 3.03)),
        pytest.approx((2.97, 4.03)),
    ]
    heights = [bar[0][1] for bar in bars]
    assert heights[0] != heights[1] != heights[2]
    # the third begins where the first has ended, and stands beside it
    assert heights[0] == heights[2]


def test_a_difference_wider_than_the_axis_is_told(ax: Axes) -> None:
    plots.rank_diagram(["a", "b"], [1.2, 1.8], difference=1.4, ax=ax)
    assert any("larger than any possible difference between these methods" in text.get_text() for text in ax.texts)


def test_a_control_has_an_interval(ax: Axes) -> None:
    plots.rank_diagram(["a", "b", "c"], [1.2, 2.0, 2.8], difference=0.5, control=1, ax=ax)
    bars = [each.get_segments()[0] for each in ax.collections if each.get_linewidth()[0] > 3]  # type: ignore[attr-defined,index]
    assert [(bar[0][0], bar[1][0]) for bar in bars] == [(1.5, 2.5)]


def test_boxes_show_quartiles_and_every_outlier(ax: Axes) -> None:
    losses = np.column_stack([np.arange(9.0), np.r_[np.arange(8.0), 100.0]])
    plots.loss_boxes(["a", "b"], losses, xlabel="AE", ax=ax)
    assert [(box.get_x(), box.get_width()) for box in ax.patches] == [(2, 4), (2, 4)]  # type: ignore[attr-defined]
    points = [
        np.asarray(each.get_offsets()).tolist() for each in ax.collections if len(np.asarray(each.get_offsets())) == 1
    ]
    assert [100.0, 1.0] in [point for each in points for point in each]
    assert ax.get_xlabel() == "AE"
    assert ax.yaxis_inverted()


def test_names_are_text(all_hostile: list[str]) -> None:
    k = len(all_hostile)
    figure = plots.own_figure(size=(14.0, 20.0))
    first, second = figure.subplots(2)
    plots.rank_diagram(all_hostile, list(range(1, k + 1)), difference=2, groups=[(0, 3)], ax=first)
    plots.loss_boxes(all_hostile, np.random.default_rng(0).random((5, k)), log=True, ax=second)
    assert "<script>" not in plots.svg(figure, name="comparison")
