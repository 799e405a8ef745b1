from __future__ import annotations

import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

from shiftproof import plots
from shiftproof.plots import expected_intervals, expected_size, margins, order_matrix, order_size

NAN = float("nan")
NAMES = ["forest", "boost", "tree"]
BEATS = np.array([[0.5, 0.87, 1.0], [0.13, 0.5, NAN], [0.0, NAN, 0.5]])


def words(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def segments(ax: Axes) -> list[list[list[float]]]:
    (lines,) = (each for each in ax.collections if isinstance(each, LineCollection))
    return [np.round(np.asarray(segment), 6).tolist() for segment in lines.get_segments()]


def legend(ax: Axes) -> list[str]:
    shown = ax.get_legend()
    assert shown is not None
    return [text.get_text() for text in shown.get_texts()]


def dots(ax: Axes, at: int) -> list[list[float]]:
    marks = [each for each in ax.collections if not isinstance(each, LineCollection)]
    # what is NaN is masked, and not drawn
    offsets = np.ma.asarray(marks[at].get_offsets()).round(6).tolist()
    return [place for place in offsets if None not in place]


# What is expected beside what is validated


def test_margins_join_score_and_validated_figure(ax: Axes) -> None:
    assert margins(NAMES, [0.9, 0.85, 0.7], [0.95, 0.84, NAN], [0.624, 0.376, NAN], xlabel="accuracy", ax=ax) is ax
    assert dots(ax, 0) == [[0.95, 0], [0.84, 1]]
    assert dots(ax, 1) == [[0.9, 0], [0.85, 1], [0.7, 2]]
    assert segments(ax)[:2] == [[[0.9, 0], [0.95, 0]], [[0.84, 1], [0.85, 1]]]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == NAMES
    assert ax.get_xlabel() == "accuracy"
    assert legend(ax) == ["ranking score on the new data", "validated"]
    low, high = ax.get_ylim()
    assert low > high


def test_who_is_the_best_stands_beside_the_row(ax: Axes) -> None:
    margins(NAMES, [0.9, 0.85, 0.7], [0.9, 0.8, 0.7], [0.9999, 0.0001, NAN], ax=ax)
    assert words(ax) == ["best: >99%", "best: <1%"]
    assert [text.get_fontweight() for text in ax.texts] == ["bold", "normal"]


def test_the_best_has_a_colour_of_its_own(ax: Axes) -> None:
    margins(NAMES, [0.9, 0.85, 0.7], [0.9, 0.8, 0.7], [NAN] * 3, ax=ax)
    marks = [each for each in ax.collections if not isinstance(each, LineCollection)]
    assert [to_hex(colour) for colour in np.asarray(marks[1].get_facecolor())] == [
        plots.ESTIMATE, plots.QUIET, plots.QUIET,
    ]  # fmt: skip
    assert len(marks[0].get_facecolor()) == 0  # hollow


# Intervals


def test_expected_intervals_keep_the_marks_of_a_row_in_lanes(ax: Axes) -> None:
    drawn = expected_intervals(
        NAMES, [0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.95, 0.85, 0.75], [0.91, 0.9, 0.9], truths=[0.88, 0.79, 0.5],
        baseline=("always 'no'", 0.6), percent=True, xlabel="F1", ax=ax,
    )  # fmt: skip
    assert drawn is ax
    assert segments(ax) == [[[0.8, 0], [0.95, 0]], [[0.7, 1], [0.85, 1]], [[0.6, 2], [0.75, 2]]]
    assert dots(ax, 0) == [[0.9, 0], [0.8, 1], [0.7, 2]]
    assert dots(ax, 1) == [[0.91, 0.27], [0.9, 1.27], [0.9, 2.27]]
    assert dots(ax, 2) == [[0.88, -0.27], [0.79, 0.73], [0.5, 1.73]]
    assert legend(ax) == ["validated", "estimate", "actual", "always 'no'"]
    assert ax.lines[0].get_xdata() == [0.6, 0.6]
    assert (ax.get_xlabel(), words(ax), ax.xaxis.get_major_formatter()(0.725, 0)) == ("F1", [], "72.5%")


def test_expected_intervals_give_every_meaning_a_colour_of_its_own(ax: Axes) -> None:
    expected_intervals(NAMES, *[[0.9, 0.8, 0.7]] * 4, truths=[0.8] * 3, ax=ax)
    marks = [each for each in ax.collections if not isinstance(each, LineCollection)]
    colours = [to_hex(np.asarray(each.get_facecolor())[0]) for each in marks]
    assert colours == [plots.ESTIMATE, plots.REFERENCE, plots.ACTUAL]


def test_expected_intervals_say_where_there_is_no_estimate(ax: Axes) -> None:
    expected_intervals(NAMES, [0.9, NAN, 0.7], [0.8, NAN, 0.6], [0.95, NAN, 0.75], [0.91, 0.9, 0.9], ax=ax)
    assert words(ax) == ["no estimate"]
    assert (ax.texts[0].get_color(), ax.texts[0].get_position()[1]) == (plots.QUIET, 0)
    other = plots.own_figure(size=(5, 3)).subplots()
    expected_intervals(NAMES, [NAN] * 3, [NAN] * 3, [NAN] * 3, [0.91, 0.9, 0.9], ax=other)
    assert words(other) == []
    assert legend(other) == ["validated"]


# Who is better than whom


def test_probabilities_stand_in_their_cells(ax: Axes) -> None:
    assert order_matrix(NAMES, BEATS, ax=ax) is ax
    told = {text.get_position(): text.get_text() for text in ax.texts}
    # the diagonal and what nobody knows stay empty
    assert told == {(1, 0): "87%", (2, 0): ">99%", (0, 1): "13%", (0, 2): "<1%"}
    assert [tick.get_text() for tick in ax.get_xticklabels()] == NAMES
    assert [tick.get_text() for tick in ax.get_yticklabels()] == NAMES
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("this model is better", "than this one")
    assert not ax.images


def test_the_matrix_given_is_left_alone(ax: Axes) -> None:
    given = BEATS.copy()
    order_matrix(NAMES, given, ax=ax)
    assert np.array_equal(given, BEATS, equal_nan=True)


def test_numbers_can_be_read_on_their_cells(ax: Axes) -> None:
    order_matrix(["a", "b"], np.array([[0.5, 0.52], [0.48, 0.5]]), ax=ax)
    assert {text.get_color() for text in ax.texts} == {"#16202a"}
    other = plots.own_figure(size=(4, 3)).subplots()
    order_matrix(["a", "b"], np.array([[0.5, 0.9], [0.1, 0.5]]), ax=other)
    assert {text.get_color() for text in other.texts} == {"#ffffff"}


# All of them


@pytest.mark.parametrize("size", [1, 2, 4, 7, 12])
def test_words_do_not_lie_on_each_other(size: int) -> None:
    names = [f"quite a long name of a model, number {at}" for at in range(size)]
    scores, unknown = np.linspace(0.9, 0.7, size), np.full(size, NAN)
    drawn = [
        margins(names, scores, scores + 0.01, np.full(size, 1 / size), xlabel="accuracy"),
        expected_intervals(names, unknown, unknown, unknown, scores, truths=scores, xlabel="accuracy"),
        order_matrix(names, np.full((size, size), 0.999)),
    ]
    for ax in drawn:
        figure = ax.figure
        figure.canvas.draw()
        beside = [text for text in [*ax.texts, *ax.get_yticklabels()] if text.get_text()]
        boxes = [text.get_window_extent() for text in beside]
        assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
        assert all(box.x0 >= 0 and box.x1 <= figure.bbox.width for box in boxes)
    plt.close("all")


def test_sizes_grow_with_the_models() -> None:
    for size in (expected_size, order_size):
        assert size(12)[1] > size(2)[1]
        assert size(0) == size(1)


def test_names_of_any_kind_can_be_drawn(all_hostile: list[str]) -> None:
    size = len(all_hostile)
    half = np.full(size, 0.5)

    def drawn(name: str) -> str:
        charts = {
            "margins": lambda ax: margins(all_hostile, half, half, half, ax=ax),
            "intervals": lambda ax: expected_intervals(all_hostile, half, half, half, half, ax=ax),
            "order": lambda ax: order_matrix(all_hostile, np.full((size, size), 0.5), ax=ax),
        }
        return plots.drawn_svg(charts[name], (7, 6), name)

    for name in ("margins", "intervals", "order"):
        assert drawn(name).startswith("<svg")
        assert drawn(name) == drawn(name)
