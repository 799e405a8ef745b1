from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from shiftproof.plots import interval_rows, own_figure
from shiftproof.plots._style import QUIET, REFERENCE


def test_interval_rows_draws_each_interval_and_the_first_on_top() -> None:
    axes = own_figure(size=(4.0, 2.0)).subplots()
    assert interval_rows(["lr", "nb"], [0.8, 0.7], [0.7, 0.6], [0.9, 0.8], xlabel="accuracy", ax=axes) is axes
    ends = [segment[:, 0].tolist() for segment in axes.collections[0].get_segments()]  # type: ignore[attr-defined]
    assert ends == [[0.7, 0.9], [0.6, 0.8]]
    assert np.asarray(axes.collections[1].get_offsets())[:, 0].tolist() == [0.8, 0.7]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["lr", "nb"]
    bottom, top = axes.get_ylim()
    assert bottom > top
    assert axes.get_xlabel() == "accuracy"


def test_interval_rows_sets_off_marked_rows_and_crosses_the_truth() -> None:
    axes = own_figure(size=(4.0, 2.0)).subplots()
    interval_rows(["a", "b"], [0.5, 0.4], [0.4, 0.3], [0.6, 0.5], marked=[True, False], truths=[0.45, 0.6], ax=axes)
    lines, _, crosses = axes.collections
    assert np.asarray(lines.get_edgecolor()) == pytest.approx(np.array([to_rgba(REFERENCE), to_rgba(QUIET)]))
    assert np.asarray(crosses.get_offsets())[:, 0].tolist() == [0.45, 0.6]
