from __future__ import annotations

from matplotlib.figure import Figure

from shiftproof.plots import rehearsal_delays


def test_delays_are_drawn_by_the_number_of_labels() -> None:
    delays: dict[float, list[tuple[int, float | None, float | None]]]
    delays = {0.05: [(0, None, None), (10, 30.0, 60.0)], 0.1: [(0, 90.0, None), (10, 9.0, 14.0)]}
    ax = rehearsal_delays(delays, ax=Figure().subplots())
    assert [text.get_text() for text in ax.get_xticklabels()] == ["none", "10"]
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["5 points below", "10 points below"]


def test_nothing_found_is_an_empty_chart() -> None:
    ax = rehearsal_delays({0.05: [(10, None, None)]}, ax=Figure().subplots())
    assert ax.get_ylabel() == "batches to the alarm"
