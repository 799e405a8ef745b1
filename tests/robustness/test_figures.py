"""The figures show what the frames hold."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

import shiftproof as sp
from shiftproof.core import InputError
from shiftproof.robustness._words import shift_text


@pytest.fixture(autouse=True)
def _close() -> Any:
    yield
    plt.close("all")


def test_figures_draw_what_the_frames_hold(stress_result: sp.Stress) -> None:
    ax = stress_result.plot()
    drawn = [text.get_text() for text in ax.get_yticklabels()]
    base = stress_result.to_frame().query("family == 'base'").set_index("model")["accuracy"]
    order = base.sort_values(ascending=False, kind="stable").index.tolist()
    assert drawn == [name.replace("$", r"\$") for name in order]
    failing = stress_result.plot_failing()
    widths = [patch.get_width() for patch in failing.patches]  # type: ignore[attr-defined]
    assert widths == pytest.approx(stress_result.shifts_frame()["failing_mean"].tolist())
    changes = [patch.get_width() for patch in stress_result.plot_hellinger().patches]  # type: ignore[attr-defined]
    assert changes == pytest.approx(stress_result.shifts_frame()["relative_change"].tolist())
    ax = stress_result.plot_hellinger(relative=False)
    changes = [patch.get_width() for patch in ax.patches]  # type: ignore[attr-defined]
    assert changes == pytest.approx(stress_result.shifts_frame()["change"].tolist())
    for label in stress_result.classes:
        own = stress_result.classes_frame().query("label == @label")
        by_class = stress_result.plot_failing(label=label)
        widths = [patch.get_width() for patch in by_class.patches]  # type: ignore[attr-defined]
        assert widths == pytest.approx(own["failing_mean"].tolist())
        assert f"within class {label};" in by_class.get_xlabel()
    tests: list[Any] = ["kruskal", "friedman"]
    families: list[Any] = [None, "mar", ("mcar", "mar", "mnar")]
    for which in tests:
        for family in families:
            ax = stress_result.plot_p_values(which, family=family)
            wanted = stress_result.families if family is None else (family,) if isinstance(family, str) else family
            tables = [table for table in stress_result.tables if table.family in ("base", *wanted)]
            shifts = [table.shift for table in tables]
            names = [shift_text(table.family, table.strength) for table in tables]
            assert [text.get_text() for text in ax.get_xticklabels()] == names
            means = ax.collections[1].get_offsets()[:, 1]  # type: ignore[index]
            frame = stress_result.to_frame().query("model == 'lr'").set_index("shift")
            expected = [frame[f"{which}_p_mean"].get(shift, np.nan) for shift in shifts]
            np.testing.assert_allclose(np.ma.filled(means, np.nan), expected)


def test_figures_refuse_what_there_is_none_of(stress_result: sp.Stress) -> None:
    with pytest.raises(InputError, match=r"^which must be one of 'kruskal', 'friedman'; got 'ks'"):
        stress_result.plot_p_values("ks")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^family must be one of 'mcar', 'mar', 'mnar', 'offset', 'prior', 'soft'"):
        stress_result.plot_p_values(family="base")
