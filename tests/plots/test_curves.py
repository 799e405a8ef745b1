"""Charts of curves: what is drawn where, named how; nothing global changes (conftest)."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes

from shiftproof import plots
from shiftproof.plots import _curves as curves

X = np.linspace(0, 1, 11)
LINE = (X, np.sqrt(X))
BAND = (X, np.sqrt(X) - 0.1, np.sqrt(X) + 0.1)
FOUR = (X, np.sqrt(X), np.sqrt(X) - 0.1, np.sqrt(X) + 0.1)


def legend(ax: Axes) -> list[str]:
    shown = ax.get_legend()
    return [] if shown is None else [text.get_text() for text in shown.get_texts()]


def test_roc_lines_have_chance_hull_and_bands(ax: Axes) -> None:
    assert curves.roc_lines({"tree": LINE, "forest": (X, X**0.2)}, hull=LINE, bands=[BAND], ax=ax) is ax
    assert legend(ax) == ["chance", "tree", "forest", "convex hull"]
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), LINE[1])
    assert len(ax.collections) == 1
    assert ax.get_xlabel() == "false positive rate (share of negatives)"
    assert len({line.get_color() for line in ax.lines}) == 4


def test_precision_recall(ax: Axes) -> None:
    curves.precision_recall_lines({"tree": (X[::-1], X)}, prevalence=0.2, bands=[(X[::-1], X, X)], ax=ax)
    assert legend(ax) == ["chance", "tree"]
    assert list(np.asarray(ax.lines[0].get_ydata())) == [0.2, 0.2]


def test_hits_and_lift(ax: Axes) -> None:
    curves.hit_lines({"tree": LINE}, prevalence=0.1, ax=ax)
    assert legend(ax) == ["random list", "perfect list", "tree"]
    assert float(np.max(np.asarray(ax.lines[2].get_xdata()))) == 100
    other = curves.lift_lines({"tree": (X, 2 - X)}, ax=plots.own_figure(size=(3, 3)).subplots())
    assert other.get_ylim()[0] == 0
    assert legend(other) == ["random list", "tree"]


def test_calibration(ax: Axes) -> None:
    curves.calibration_points({"tree": FOUR}, ax=ax)
    assert legend(ax) == ["calibrated", "tree"]


@pytest.mark.parametrize("over", ["share", "threshold"])
def test_profit_leaves_out_what_is_not_finite(ax: Axes, over: str) -> None:
    x = np.append(X, np.inf)
    values = np.append(X, 0.0)
    curves.profit_lines({"tree": (x, values, values - np.inf, values + 1)}, over=over, unit="$", ax=ax)  # type: ignore[arg-type]
    assert len(np.asarray(ax.lines[1].get_xdata())) == 11
    assert ax.get_ylabel() == r"total profit (\$)"


def test_decision(ax: Axes) -> None:
    curves.decision_lines(X[:-1], {"tree": tuple(part[:-1] for part in BAND)}, 0.3 - X[:-1] / (1 - X[:-1]), ax=ax)  # type: ignore[dict-item]
    assert legend(ax) == ["act never", "act always", "tree"]
    assert -0.5 < ax.get_ylim()[0] < 0


def test_hostile_names_are_drawn(ax: Axes, hostile: str) -> None:
    curves.roc_lines({hostile: LINE}, ax=ax)
    assert plots.svg(ax, name="roc").startswith("<svg")


def test_more_models_than_colours_differ_in_style(ax: Axes) -> None:
    curves.roc_lines({f"model {i}": LINE for i in range(20)}, ax=ax)
    looks = {(line.get_color(), line.get_linestyle()) for line in ax.lines[1:]}
    assert len(looks) == 20


def test_without_axes_a_notebook_shows_it() -> None:
    ax = curves.roc_lines({"tree": LINE})
    assert ax.figure is plt.gcf()
    plt.close(plt.gcf())


def test_curves_of_many_points_are_drawn_with_few(ax: Axes) -> None:
    x = np.sort(np.random.default_rng(0).random(20_000))
    y = x**2
    drawn = curves.roc_lines({"many": (x, y)}, ax=ax).get_lines()[-1]
    kept = np.asarray(drawn.get_xdata())
    assert len(kept) <= 2 * 401
    assert (kept[0], kept[-1]) == (x[0], x[-1])
    assert np.abs(np.interp(x, kept, np.asarray(drawn.get_ydata())) - y).max() < 0.01
