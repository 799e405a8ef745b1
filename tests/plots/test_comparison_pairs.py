from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from shiftproof import plots


def duel(name: str = "B", *, wins: int = 3, losses: int = 1, ties: int = 1) -> plots.Duel:
    return plots.Duel(
        name=name,
        pivot=np.array([0.1, 0.2, 0.3, 0.4, 0.5]),
        other=np.array([0.2, 0.3, 0.4, 0.3, 0.5]),
        wins=wins,
        losses=losses,
        ties=ties,
        mean_difference=0.04,
    )


def test_a_duel_has_its_counts_within_and_the_lead_below(ax: Axes) -> None:
    plots.duel_scatter(duel(), pivot="A", ax=ax)
    assert [text.get_text() for text in ax.texts] == ["3 / 1 / 1"]
    assert ax.get_xlabel() == "+2 (+0.040)"
    assert ax.get_title() == "B"
    assert np.asarray(ax.collections[0].get_offsets()).tolist() == [
        [0.1, 0.2],
        [0.2, 0.3],
        [0.3, 0.4],
        [0.4, 0.3],
        [0.5, 0.5],
    ]
    (diagonal,) = ax.lines
    assert np.array_equal(diagonal.get_xdata(), diagonal.get_ydata())
    assert ax.get_xlim() == ax.get_ylim()


@pytest.mark.parametrize(("wins", "colour"), [(3, plots.INK), (1, plots.QUIET), (0, plots.CURRENT)])
def test_a_small_duel_is_framed_by_who_leads(ax: Axes, wins: int, colour: str) -> None:
    plots.duel_scatter(duel(wins=wins), small=True, ax=ax)
    assert {to_hex(spine.get_edgecolor()) for spine in ax.spines.values()} == {colour}
    assert ax.get_xticks().size == 0


def test_equal_losses_can_be_drawn(ax: Axes) -> None:
    alike = plots.Duel(name="B", pivot=np.zeros(3), other=np.zeros(3), wins=0, losses=0, ties=3, mean_difference=0.0)
    plots.duel_scatter(alike, ax=ax)
    assert ax.get_xlabel() == "+0 (0)"


def test_a_grid_has_a_row_per_prevalence() -> None:
    figure = plots.duel_grid("A", {"0.1": [duel("B"), duel("C", wins=0)], "0.5": [duel("B"), duel("C")]})
    assert [ax.get_title() for ax in figure.axes] == ["B", "C", "", ""]
    assert [ax.get_ylabel() for ax in figure.axes] == ["0.1", "", "0.5", ""]
    figure.draw_without_rendering()
    for at, ax in enumerate(figure.axes):
        boxes = [other.get_tightbbox() for other in figure.axes[at + 1 :]]
        box = ax.get_tightbbox()
        assert box is not None
        assert not any(other is not None and box.overlaps(other) for other in boxes)


def test_several_duels_stand_beside_each_other() -> None:
    figure = plots.duel_scatters("A", [duel(name) for name in "BCDEF"])
    assert [ax.get_title() for ax in figure.axes if ax.get_visible()] == list("BCDEF")


def test_bars_have_one_scale() -> None:
    losses = {"iris": np.array([[0.1, 0.2], [0.3, np.nan]]), "wine": np.array([[0.5, 0.4], [0.2, 0.1]])}
    figure = plots.loss_bars(["A", "B"], ["0.1", "0.9"], losses, ylabel="AE")
    first, second = figure.axes
    assert first.get_ylim() == second.get_ylim() == (0, 0.52)
    assert sorted(bar.get_height() for bar in second.patches) == [0.1, 0.2, 0.4, 0.5]  # type: ignore[attr-defined]
    assert [ax.get_title() for ax in figure.axes] == ["iris", "wine"]


def test_the_matrix_has_differences_counts_and_chances(ax: Axes) -> None:
    difference = np.array([[0, 0.1, 0.3], [-0.1, 0, 0.2], [-0.3, -0.2, 0]])
    wins = np.array([[0, 4, 6], [2, 0, 5], [0, 1, 0]])
    ties = np.array([[6, 0, 0], [0, 6, 0], [0, 0, 6]])
    p = np.array([[np.nan, 0.3, 0.0001], [0.3, np.nan, np.nan], [0.0001, np.nan, np.nan]])
    plots.comparison_matrix(["A", "B", "C"], difference, wins, ties, p, differ=p < 0.05, ax=ax)
    written = {text.get_text(): text.get_fontweight() for text in ax.texts}
    assert written == {
        "+0.100\n4 / 2 / 0\np = 0.3": "normal",
        "+0.300\n6 / 0 / 0\np < 0.001": "bold",
        "-0.100\n2 / 4 / 0\np = 0.3": "normal",
        "+0.200\n5 / 1 / 0": "normal",
        "-0.300\n0 / 6 / 0\np < 0.001": "bold",
        "-0.200\n1 / 5 / 0": "normal",
    }
    assert len(ax.patches) == 2


def test_methods_that_are_all_alike_have_a_matrix(ax: Axes) -> None:
    nothing = np.zeros((2, 2))
    plots.comparison_matrix(
        ["A", "B"], nothing, nothing.astype(int), nothing.astype(int) + 3, nothing + 1, differ=nothing > 0, ax=ax
    )
    assert {text.get_text() for text in ax.texts} == {"0\n0 / 0 / 3\np = 1"}


def test_names_are_text(all_hostile: list[str]) -> None:
    k = len(all_hostile)
    numbers = np.random.default_rng(0).random((k, k))
    counts = np.ones((k, k), dtype=np.int64)
    ax = plots.comparison_matrix(all_hostile, numbers, counts, counts, numbers, differ=numbers > 2)
    figures = [
        ax.figure,
        plots.duel_scatters(all_hostile[3], [duel(name) for name in all_hostile[:4]]),
        plots.duel_grid(all_hostile[0], {name: [duel(all_hostile[3])] for name in all_hostile[:4]}),
        plots.loss_bars(all_hostile[:4], all_hostile[:3], dict.fromkeys(all_hostile[:4], numbers[:3, :4])),
    ]
    for figure in figures:
        assert "<script>" not in plots.svg(figure, name="pairs")  # type: ignore[arg-type]
    plt.close(ax.figure)  # type: ignore[arg-type]
