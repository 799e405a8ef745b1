from __future__ import annotations

import math

from matplotlib.figure import Figure

from shiftproof.monitoring import Delay, MonitorRehearsal
from shiftproof.monitoring.rehearsal._result import SizeTrial


def test_delay_counts_streams_without_an_alarm() -> None:
    delay = Delay.of("drop", 0.1, "harm", [1, 2, 3, 4, 0, 0], horizon=40, labels=10)
    assert (delay.batches, delay.late, delay.labels) == (3.0, None, 10)
    assert delay.found == 4 / 6


def test_wait_is_in_batches_of_the_past() -> None:
    found, never = (Delay.of("shift", 0.2, "material", [first], horizon=40) for first in (3, 0))
    assert SizeTrial(rows=10, times=0.5, delay=found).wait == 1.5
    assert SizeTrial(rows=10, times=2, delay=never).wait == math.inf


def test_plot_has_a_place_for_every_number_of_labels(rehearsal: MonitorRehearsal) -> None:
    ax = rehearsal.plot(ax=Figure().subplots())
    assert [text.get_text() for text in ax.get_xticklabels()][-1] == "50"
