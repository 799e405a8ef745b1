from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes

from shiftproof import plots
from shiftproof.stats import ContinuousRecord, compare, kolmogorov_smirnov

# The two lists of Cieslak and Chawla (2007), figure 4.
A = "0.34 0.94 0.24 1.26 6.98 0.95 0.15 -2.08 0.17 1.55 3.20 0.50 0.70 4.55 0.10 0.49 0.38 0.42 1.37 1.75"
B = "0.15 -0.62 -0.17 -0.31 -0.50 0.38 2.30 0.37 -1.79 -0.87 1.72 -0.09 -1.54 0.30 -2.39 -0.74 0.22 1.28 0.19 -1.10"


def draw(record: object, **options: Any) -> Axes:
    assert isinstance(record, ContinuousRecord)
    sides = (record.steps_reference, record.n), (record.steps_current, record.m)
    ax = plots.ks_plot(*sides, at=record.d_at, distance=record.d, **options)
    plt.close("all")
    return ax


def test_the_papers_figure_marks_a_distance_of_one_half() -> None:
    ax = draw(compare(np.array(A.split(), float), np.array(B.split(), float)), title="A against B")
    assert [text.get_text() for text in ax.texts] == ["D = 0.50"]
    mark = np.asarray(ax.lines[-1].get_ydata())
    assert abs(mark[1] - mark[0]) == pytest.approx(0.5)
    assert ax.get_legend_handles_labels()[1] == ["reference", "current"]


def test_the_mark_is_right_for_large_samples_too() -> None:
    rng = np.random.default_rng(0)
    record = compare(rng.normal(size=50_000), rng.normal(0.5, 1, 30_000))
    mark = np.asarray(draw(record).lines[-1].get_ydata())
    assert abs(mark[1] - mark[0]) == pytest.approx(kolmogorov_smirnov(record).statistic, abs=0.01)


@pytest.mark.parametrize("values", [[1.0], [np.inf, 1.0, 2.0], [np.inf], []])
def test_ks_plot_draws_odd_samples(values: list[float]) -> None:
    draw(compare(np.array(values), np.array([3.0, 4.0])))


def test_dates_get_an_axis_of_dates() -> None:
    days = np.arange("2024-01-01", "2024-07-01", dtype="datetime64[D]")
    ax = draw(compare(days[:100], days[80:]), scale="date")
    assert 19_700 < ax.get_xlim()[0] < ax.get_xlim()[1] < 19_920  # days since 1970
