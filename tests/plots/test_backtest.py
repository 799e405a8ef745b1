from __future__ import annotations

import math
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from shiftproof.plots import ages_size, losses_by_age, past_estimates, past_size
from shiftproof.plots._style import BAD, ESTIMATE


def test_a_period_that_was_missed_is_red(ax: Axes) -> None:
    past_estimates(["a", "b", "c"], [0.8, 0.8, math.nan], ([0.7, 0.7, math.nan], [0.9, 0.9, math.nan]),
                        [0.8, 0.6, 0.7], [0.85, 0.85, 0.85], ylabel="accuracy of lr", ax=ax)  # fmt: skip
    dots: Any = ax.collections[2]
    assert [to_hex(colour) for colour in dots.get_facecolor()[:2]] == [ESTIMATE, BAD]
    assert ax.get_ylabel() == "accuracy of lr"


def test_values_that_are_not_shares_have_no_per_cent_signs(ax: Axes) -> None:
    past_estimates(["a"], [0.8], ([0.7], [0.9]), [0.8], [0.8], percent=False, ax=ax)
    assert "%" not in ax.yaxis.get_major_formatter()(0.8, 0)


def test_ages_of_several_models_stand_beside_each_other(ax: Axes) -> None:
    losses_by_age({"lr": [(1, 0.01, 0.0, 0.02), (2, 0.02, 0.0, 0.04)], "nb": [(1, 0.0, -0.1, 0.1)], "none": []}, ax=ax)
    assert [line.get_label() for line in ax.lines[1:]] == ["lr", "nb"]
    assert list(ax.get_xticks()) == [1, 2]


def test_sizes_grow_with_what_is_drawn() -> None:
    assert past_size(3)[0] == 6.5
    assert past_size(100)[0] == 10.0
    assert ages_size(5)[1] > ages_size(1)[1]
