"""The table of alarms, from streams made up for the test."""

from __future__ import annotations

import pandas as pd

from shiftproof.experiments._experiment import Scope
from shiftproof.experiments._monitors import EXPERIMENT
from shiftproof.experiments._monitors_runs import CHANGES, LEVELS


def streams() -> pd.DataFrame:
    """Two streams of each change: the first alarms after three batches, the second never."""
    rows = [
        (change, stream, 10, 5, level, -1 if change == "nothing" or stream else 12, False, -9 if stream else 3)
        for change in CHANGES
        for stream in (0, 1)
        for level in LEVELS
    ]
    return pd.DataFrame(rows, columns=["change", "stream", "quiet", "changed", "level", "first", "false", "delay"])


def test_false_alarms_and_delays() -> None:
    tables = {table.name: table.frame for table in EXPERIMENT.report({"watched-stream": streams()}, Scope(1)).tables}
    assert tables["false-alarms"]["with an alarm"].tolist() == [0, 0, 0]
    assert tables["false-alarms"]["share [95% interval]"].iloc[0] == "0.0% [0.0%, 84.2%]"
    assert tables["delays"]["changed: detected, median batches"].tolist() == ["50%, 3"] * (len(CHANGES) - 1)


def test_more_seeds_are_more_streams() -> None:
    assert len(EXPERIMENT.cells(Scope(2))) == 2 * len(EXPERIMENT.cells(Scope(1))) == 2 * 40 * len(CHANGES)
