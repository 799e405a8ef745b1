from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.text import Annotation

from shiftproof import plots
from shiftproof.plots import reverse_matrix, tournament

NAMES = ["tree", "bayes", "svm"]
MATRIX = np.array([[0.9, 0.8, 0.85], [0.7, 0.6, 0.65], [np.nan, np.nan, np.nan]])
BEATS = np.array([[False, True, False], [False, False, False], [False, False, False]])


def words(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def arrows(ax: Axes) -> list[Annotation]:
    return [text for text in ax.texts if isinstance(text, Annotation) and text.arrow_patch is not None]


def places(ax: Axes) -> list[list[float]]:
    found: list[list[float]] = np.asarray(ax.lines[-1].get_xydata()).round(6).tolist()
    return found


# The matrix


def test_values_stand_in_their_cells(ax: Axes) -> None:
    assert reverse_matrix(NAMES, MATRIX, ax=ax) is ax
    assert words(ax) == ["0.900", "0.800", "0.850", "0.700", "0.600", "0.650", "–", "–", "–"]
    assert [text.get_position() for text in ax.texts][:4] == [(0, 0), (1, 0), (2, 0), (0, 1)]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == NAMES
    assert [tick.get_text() for tick in ax.get_yticklabels()] == NAMES
    assert ax.get_ylabel() == "labelled by"
    assert ax.get_xlabel() == "judge: accuracy of this learner; bold is best"
    low, high = ax.get_ylim()
    assert low > high


def test_the_best_labels_of_each_judge_are_bold(ax: Axes) -> None:
    reverse_matrix(NAMES, np.array([[0.9, 0.5, 0.6], [0.9, 0.6, 0.5], [0.1, 0.1, 0.1]]), ax=ax)
    assert [at for at, text in enumerate(ax.texts) if text.get_fontweight() == "bold"] == [0, 2, 3, 4]


def test_numbers_can_be_read_on_their_cells(ax: Axes) -> None:
    reverse_matrix(NAMES, MATRIX, ax=ax)
    colours = [text.get_color() for text in ax.texts]
    assert colours[0] == "#ffffff"
    assert colours[4] == "#16202a"
    assert colours[8] == plots.INK
    # cells are drawn as shapes, which print sharp
    assert not ax.images


def test_wins_and_losses_stand_beside_the_rows(ax: Axes) -> None:
    reverse_matrix(NAMES, MATRIX, beats=BEATS, ax=ax)
    assert words(ax)[-3:] == ["won 1, lost 0", "won 0, lost 1", "won 0, lost 0"]


def test_totals_are_written_short(ax: Axes) -> None:
    reverse_matrix(["a", "b"], np.array([[14567.3, -12.25], [6.123e8, 0.0]]), score="benefit", ax=ax)
    assert words(ax) == ["14,567", "-12.2", "6.12e+08", "0"]
    assert ax.get_xlabel() == "judge: benefit of this learner; bold is best"


@pytest.mark.parametrize("value", [np.nan, 0.5])
def test_a_matrix_without_differences_is_drawn(ax: Axes, value: float) -> None:
    reverse_matrix(["a", "b"], np.full((2, 2), value), ax=ax)
    assert words(ax) == ["–" if np.isnan(value) else "0.500"] * 4


# The circle


def test_the_models_stand_clockwise_from_the_most_wins(ax: Axes) -> None:
    beats = np.array([[0, 0, 0, 0], [1, 0, 0, 1], [1, 1, 0, 1], [1, 0, 0, 0]], dtype=bool)
    assert tournament(["d", "b", "a", "c"], beats, ax=ax) is ax
    # a on top, b at the right, c below, d at the left
    assert places(ax) == [[-1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]
    assert words(ax)[-5:-1] == ["d (0 wins)", "b (2 wins)", "a (3 wins)", "c (1 win)"]
    assert words(ax)[-1] == "an arrow points from the winner to the loser"


def test_arrows_go_from_the_winner_to_the_loser(ax: Axes) -> None:
    tournament(NAMES, BEATS, ax=ax)
    (arrow,) = arrows(ax)
    at = places(ax)
    assert np.round(arrow.xyann, 6).tolist() == at[0]
    assert np.round(arrow.xy, 6).tolist() == at[1]
    # the two other pairs are dotted
    assert len(ax.lines) == 3
    assert words(ax)[-1] == "an arrow points from the winner to the loser; dotted: undecided"


def test_arrows_are_wider_where_they_are_surer(ax: Axes) -> None:
    beats = np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    tournament(NAMES, beats, confidence=np.array([[0, 0.9, 0.4], [0.1, 0, 0], [0.2, 0, 0]]), ax=ax)
    widths = [arrow.arrow_patch.get_linewidth() for arrow in arrows(ax) if arrow.arrow_patch is not None]
    assert widths[0] > widths[1] > 0
    assert words(ax)[-1].startswith("an arrow points from the winner to the loser, wider where it is more certain;")


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 7, 8])
def test_names_do_not_lie_on_each_other(size: int) -> None:
    rng = np.random.default_rng(size)
    beats = np.triu(rng.random((size, size)) < 0.7, 1)
    names = [f"quite a long name {at}" for at in range(size)]
    ax = tournament(names, beats)
    figure = ax.figure
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts if text.get_text()]
    assert len(boxes) == size + 1
    for one, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:one])
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width
    plt.close("all")


@pytest.mark.parametrize("size", [2, 4, 7])
def test_cells_hold_their_numbers(size: int) -> None:
    ax = reverse_matrix([f"model {at}" for at in range(size)], np.full((size, size), -1234567.0))
    figure = ax.figure
    figure.canvas.draw()
    left, right = ax.transData.transform([(0.0, 0.0), (1.0, 0.0)])[:, 0]
    assert max(text.get_window_extent().width for text in ax.texts) < right - left
    plt.close("all")


def test_names_of_any_kind_can_be_drawn(ax: Axes, all_hostile: list[str]) -> None:
    size = len(all_hostile)
    tournament(all_hostile, np.zeros((size, size), dtype=bool), ax=ax)
    assert plots.svg(ax, name="circle").startswith("<svg")
    other = plots.own_figure(size=(6, 5)).subplots()
    reverse_matrix(all_hostile, np.full((size, size), 0.5), beats=np.zeros((size, size), dtype=bool), ax=other)
    assert plots.svg(other, name="matrix").startswith("<svg")
