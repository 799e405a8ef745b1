from __future__ import annotations

import math
from typing import cast

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from shiftproof import plots
from shiftproof.plots import BAD, MILD, QUIET, effect_bars

NAMES = ["age", "job", "zip"]
EFFECTS = [0.42, 0.07, 0.013]
GRADES = ["material", "negligible", "none"]
THRESHOLDS = [0.1, 0.1, 0.05]


def bars(ax: Axes) -> list[Rectangle]:
    return cast("list[Rectangle]", list(ax.patches))


def ticks(ax: Axes) -> list[str]:
    return [tick.get_text() for tick in ax.get_yticklabels()]


def legend(ax: Axes) -> list[str]:
    shown = ax.get_legend()
    return [] if shown is None else [text.get_text() for text in shown.get_texts()]


def test_bars_are_as_long_as_the_effects(ax: Axes) -> None:
    assert effect_bars(NAMES, EFFECTS, GRADES, thresholds=THRESHOLDS, ax=ax) is ax
    assert [bar.get_width() for bar in bars(ax)] == EFFECTS
    assert [to_hex(bar.get_facecolor()) for bar in bars(ax)] == [BAD, MILD, QUIET]
    assert ticks(ax) == NAMES


def test_the_first_bar_is_on_top(ax: Axes) -> None:
    effect_bars(NAMES, EFFECTS, GRADES, thresholds=THRESHOLDS, ax=ax)
    heights = [ax.transData.transform((0.0, bar.get_y()))[1] for bar in bars(ax)]
    assert heights == sorted(heights, reverse=True)


def test_marks_stand_at_the_thresholds(ax: Axes) -> None:
    effect_bars(NAMES, EFFECTS, GRADES, thresholds=THRESHOLDS, ax=ax)
    ends = np.array([line.get_xydata() for line in ax.lines])
    assert ends[:, :, 0].tolist() == [[at, at] for at in THRESHOLDS]
    assert ends[:, :, 1].mean(axis=1).tolist() == [0.0, 1.0, 2.0]


def test_the_axis_starts_at_zero_and_shows_all(ax: Axes) -> None:
    effect_bars(NAMES, EFFECTS, GRADES, thresholds=THRESHOLDS, ax=ax)
    assert ax.get_xlim() == pytest.approx((0.0, 0.42 * 1.08))


def test_tiny_effects_look_tiny(ax: Axes) -> None:
    effect_bars(["age"], [0.001], ["none"], thresholds=[0.1], ax=ax)
    assert ax.get_xlim() == (0.0, 0.2)


def test_the_legend_names_only_what_is_there(ax: Axes) -> None:
    effect_bars(NAMES, EFFECTS, GRADES, thresholds=THRESHOLDS, ax=ax)
    assert legend(ax) == [
        "changed enough to matter",
        "changed, too little to matter",
        "no change detected, or cannot tell",
    ]


def test_the_legend_of_one_grade(ax: Axes) -> None:
    effect_bars(NAMES, EFFECTS, ["none"] * 3, thresholds=THRESHOLDS, ax=ax)
    assert legend(ax) == ["no change detected, or cannot tell"]


def test_no_effect_is_no_bar(ax: Axes) -> None:
    effect_bars(["age", "job"], [math.nan, 0.3], ["none", "material"], thresholds=[0.1, 0.1], ax=ax)
    assert [bar.get_width() for bar in bars(ax)] == [0.0, 0.3]


def test_what_is_not_shown_is_counted(ax: Axes) -> None:
    effect_bars(NAMES * 4, EFFECTS * 4, GRADES * 4, thresholds=THRESHOLDS * 4, most=5, ax=ax)
    assert [bar.get_width() for bar in bars(ax)] == (EFFECTS * 2)[:5]
    assert len(ax.lines) == 5
    assert ticks(ax) == [*NAMES, "age", "job"]
    expected = "size of the change; it matters if it reaches the mark   (7 more not shown)"
    assert ax.get_xlabel() == expected


def test_all_shown_needs_no_count(ax: Axes) -> None:
    effect_bars(NAMES, EFFECTS, GRADES, thresholds=THRESHOLDS, most=3, ax=ax)
    assert ax.get_xlabel() == "size of the change; it matters if it reaches the mark"


def test_effect_bars_without_features_are_empty(ax: Axes) -> None:
    effect_bars([], [], [], thresholds=[], ax=ax)
    assert bars(ax) == []
    assert legend(ax) == []
    assert plots.svg(ax, name="empty").startswith("<svg")


def test_without_axes_the_figure_grows_with_the_bars() -> None:
    ax = effect_bars(NAMES, EFFECTS, GRADES, thresholds=THRESHOLDS)
    figure = plt.gcf()
    assert ax.figure is figure
    assert figure.get_size_inches().tolist() == pytest.approx([7.0, 1.1 + 0.26 * 3])
    plt.close(figure)
