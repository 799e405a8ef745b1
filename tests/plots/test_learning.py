from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from shiftproof import plots

NAN = float("nan")


def test_each_model_has_a_line_within_its_intervals(ax: Axes) -> None:
    models = {"lr": ([0.5, 0.6, 0.7], [0.6, 0.7, 0.8], [0.7, 0.8, 0.9]), "nb": ([NAN] * 3, [NAN, 0.5, 0.6], [NAN] * 3)}
    drawn = plots.learning_lines([50, 100, 2000], models, ylabel="accuracy", ax=ax)
    assert drawn is ax
    assert ax.get_xscale() == "log"
    assert [text.get_text() for text in ax.get_xticklabels()] == ["50", "100", "2,000"]
    first, second = ax.lines
    assert np.asarray(first.get_ydata()).tolist() == [0.6, 0.7, 0.8]
    assert np.isnan(np.asarray(second.get_ydata(), dtype=float)).tolist() == [True, False, False]
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["lr", "nb"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("training rows", "accuracy")
