"""The chart of an answer."""

from __future__ import annotations

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from tests.auditing.cases import audited

from shiftproof.auditing._chart import draw_chart


def legend(ax: Axes) -> list[str]:
    shown = ax.get_legend()
    assert shown is not None
    return [text.get_text() for text in shown.get_texts()]


def baseline(ax: Axes) -> float:
    (line,) = ax.lines
    return float(np.asarray(line.get_xdata())[0])


def test_draw_chart_shows_the_best_known_baseline() -> None:
    found, y_new = audited("prior")
    new = found.new_baseline
    assert new is not None
    ax = draw_chart(found, None)
    assert legend(ax) == ["validated", "estimate", "always 'yes' (estimate)"]
    assert baseline(ax) == pytest.approx(new.estimate)
    plt.close(ax.figure)  # type: ignore[arg-type]
    ax = draw_chart(found, found.verify(y_new))
    assert legend(ax) == ["validated", "estimate", "actual", "always 'yes' (actual)"]
    assert baseline(ax) == pytest.approx(0.85)
    assert ax.get_xlabel() == "accuracy"
    plt.close(ax.figure)  # type: ignore[arg-type]


def test_draw_chart_of_a_refused_audit_shows_the_labelled_data_only() -> None:
    ax = draw_chart(audited("nonsense")[0], None)
    assert legend(ax) == ["validated", "always 'no' (labelled data)"]
    assert baseline(ax) == pytest.approx(0.6)
    plt.close(ax.figure)  # type: ignore[arg-type]


def test_draw_chart_has_no_baseline_for_other_measures() -> None:
    ax = draw_chart(replace(audited("prior")[0], measure="auc"), None)
    assert not ax.lines
    assert ax.get_xlabel() == "AUC"
    plt.close(ax.figure)  # type: ignore[arg-type]
