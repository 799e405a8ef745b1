"""Charts of losses and of counting: what is drawn where, named how; nothing global changes (conftest)."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from shiftproof import plots
from shiftproof.plots import _surfaces as surfaces

FP, FN = np.linspace(0, 1000, 41), np.linspace(0, 100, 31)
GAP = np.abs(FP - FN[:, None]) / 1100
ROWS = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0], [4.0, 4.0]])
BAND = (np.array([0.2, 0.3]), np.array([0.1, 0.2]), np.array([0.3, 0.4]))


def legend(ax: Axes) -> list[str]:
    shown = ax.get_legend()
    return [] if shown is None else [text.get_text() for text in shown.get_texts()]


def notes(ax: Axes) -> list[Any]:
    """Return the annotations, which have places that plain texts lack."""
    return list(ax.texts)


def points(ax: Axes, line: int) -> Any:
    return np.asarray(ax.lines[line].get_xydata()).tolist()


def depths(ax: Axes) -> list[float]:
    """Return how light the bands are, from the lowest values to the highest."""
    return [float(sum(to_rgb(colour))) for colour in np.asarray(ax.collections[0].get_facecolor())]


def test_a_score_is_dark_where_it_is_high(ax: Axes) -> None:
    assert surfaces.loss_surface(FP, FN, 1 - GAP, best=1.0, title="1 - AE", ax=ax) is ax
    assert (np.diff(depths(ax)) < 0).all()
    assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) == ("1 - AE", "false positives", "false negatives")
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 1000), (0, 100))


def test_a_loss_is_dark_where_it_is_low(ax: Axes) -> None:
    surfaces.loss_surface(FP, FN, GAP, best=0.0, ax=ax)
    assert (np.diff(depths(ax)) > 0).all()


def test_a_bias_is_dark_around_what_is_right(ax: Axes) -> None:
    surfaces.loss_surface(FP, FN, (FP - 10 * FN[:, None]) / 1000, best=0.0, ax=ax)
    found = depths(ax)
    assert found == pytest.approx(found[::-1])
    assert min(found) in found[len(found) // 2 - 1 : len(found) // 2 + 1]


def test_crowded_values_get_bands_of_growing_width(ax: Axes) -> None:
    levels = surfaces._levels(GAP**4, 0.0)
    assert len(levels) > 5
    assert (np.diff(levels) > 0).all()
    assert (np.diff(levels[1:-1], n=2) > -1e-12).all()
    np.testing.assert_allclose(surfaces._levels(1 - GAP**4, 1.0), (1 - levels)[::-1], rtol=0, atol=1e-12)
    surfaces.loss_surface(FP, FN, GAP**4, best=0.0, ax=ax)
    assert len(ax.texts) > 0


@pytest.mark.parametrize("values", [np.zeros((2, 2)), np.ones((2, 2)), np.array([[1.0, 0.0], [0.0, 1.0]])])
def test_the_smallest_and_the_flattest(ax: Axes, values: Any) -> None:
    surfaces.loss_surface(np.array([0.0, 1.0]), np.array([0.0, 1.0]), values, best=float(values[0, 0]), ax=ax)
    assert plots.svg(ax, name="flat").startswith("<svg")


def test_the_line_where_errors_cancel_ends_with_the_rarer_class(ax: Axes) -> None:
    surfaces.loss_surface(FP, FN, GAP, best=0.0, ax=ax)
    assert points(ax, 0)[-1] == [100, 100]


def test_lines_call_what_lies_beyond(ax: Axes) -> None:
    y = np.array([False, False, True, True])
    surfaces.rule_lines(ROWS, y, ["a", "b"], np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([2.0, 1.5]), ax=ax)
    assert legend(ax) == ["negative", "positive", "a", "b"]
    assert [len(np.asarray(dots.get_offsets())) for dots in ax.collections] == [2, 2]
    # arrows go from the line to its positive side
    across, up = notes(ax)
    assert across.xy[0] > across.xyann[0] == 2.0
    assert up.xy[1] > up.xyann[1] == 1.5


def test_rows_on_one_spot_are_drawn(ax: Axes) -> None:
    surfaces.rule_lines(np.ones((2, 2)), np.array([True, False]), ["a"], np.array([[1.0, 1.0]]), np.array([1.0]), ax=ax)
    assert plots.svg(ax, name="rows").startswith("<svg")


def test_policies_are_named_above_their_thresholds(ax: Axes) -> None:
    cuts, rates = np.linspace(0, 1, 11), np.linspace(1, 0, 11)
    surfaces.policy_lines(cuts, rates, rates**2, {"X": 0.5, "Max": 0.52, "T50": 0.1}, default=0.9, ax=ax)
    assert legend(ax) == ["fpr (negatives called positive)", "1 - tpr (positives missed)"]
    places = {text.get_text(): (text.xy[0], text.xyann[1]) for text in notes(ax)}
    assert {name: at for name, (at, _) in places.items()} == {"X": 0.5, "Max": 0.52, "T50": 0.1, "default": 0.9}
    assert places["Max"][1] > places["X"][1] == places["T50"][1] == places["default"][1]


def test_scaling_is_drawn_from_above_to_below(ax: Axes) -> None:
    surfaces.scaling_lines(np.array([0.4, 0.8]), np.array([1 / 6, 5 / 6]), limits=(0.3, 0.9), ax=ax)
    assert [text.get_text() for text in ax.texts] == ["0.3", "0.0", "0.9", "1.0", "0.4", "0.17", "0.8", "0.83"]
    assert points(ax, -1) == [[0.8, 1.0], [5 / 6, 0.0]]


def test_a_trend_has_its_bands(ax: Axes) -> None:
    surfaces.trend_lines(np.array([0.25, 0.35]), {"count": BAND}, unmoved=0.3, ax=ax)
    assert legend(ax) == ["true prevalence", "count", "where counting is right"]
    assert len(ax.collections) == 1
    other = surfaces.trend_lines(np.array([0.25, 0.35]), {"count": BAND}, ax=plots.own_figure(size=(3, 3)).subplots())
    assert legend(other) == ["true prevalence", "count"]


@pytest.mark.parametrize("drawing", range(4))
def test_hostile_names_are_drawn(hostile: str, drawing: int) -> None:
    ax = plots.own_figure(size=(6.0, 4.5)).subplots()
    if drawing == 0:
        surfaces.loss_surface(FP, FN, GAP, best=0.0, title=hostile, ax=ax)
    elif drawing == 1:
        way, names = np.ones((1, 2)), (hostile, hostile)
        surfaces.rule_lines(ROWS, ROWS[:, 0] > 1, [hostile], way, np.ones(1), features=names, ax=ax)
    elif drawing == 2:
        surfaces.policy_lines(FN, FN / 100, FN / 100, {hostile: 0.5}, default=0.5, ax=ax)
    else:
        surfaces.trend_lines(BAND[0], {hostile: BAND}, ax=ax)
    assert plots.svg(ax, name="surface").startswith("<svg")


def test_without_axes_a_notebook_shows_it_and_says_what_the_line_is() -> None:
    ax = surfaces.loss_surface(FP, FN, GAP, best=0.0)
    assert ax.figure is plt.gcf()
    assert legend(ax) == ["errors cancel: the count is right"]
    plt.close(plt.gcf())
