"""Beyond the sources: the table of a monitor's alarms, false ones and delays."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from shiftproof.experiments._cells import GridCell
from shiftproof.experiments._experiment import Experiment, Scope
from shiftproof.experiments._monitors_runs import CHANGES, LEVELS, watched_stream
from shiftproof.experiments._report import PaperTable, Reproduction
from shiftproof.stats import clopper_pearson

TITLE = "A monitor's alarms in simulated streams"
#: Streams, quiet batches and changed batches: of a whole run, and of a quick one.
WHOLE, QUICK = (40, 50, 20), (4, 20, 10)


def _cells(scope: Scope) -> list[GridCell]:
    """Return the streams; more seeds are more streams."""
    streams, quiet, changed = QUICK if scope.quick else WHOLE
    return [
        GridCell(watched_stream, {"change": change, "stream": stream, "quiet": quiet, "changed": changed})
        for change in CHANGES
        for stream in range(streams * scope.seeds)
    ]


def _report(rows: Mapping[str, pd.DataFrame], _scope: Scope) -> Reproduction:
    """Count false alarms of all streams, which are quiet alike, and delays by what changed."""
    alarms = rows["watched-stream"]
    return Reproduction(
        title=TITLE,
        tables=[
            PaperTable(name="false-alarms", title="Streams without a change: false alarms", frame=_false(alarms)),
            PaperTable(name="delays", title="Batches from the change to the alarm", frame=_delays(alarms)),
        ],
    )


def _false(alarms: pd.DataFrame) -> pd.DataFrame:
    """Return how many streams in which nothing changes alarm at all, with an exact interval."""
    calm = alarms[alarms["change"] == "nothing"]
    rows = []
    for level in LEVELS:
        own = calm[calm["level"] == level]
        raised = int((own["first"] >= 0).sum())
        interval = clopper_pearson(raised, len(own))
        batches = int(own["quiet"].iloc[0] + own["changed"].iloc[0])
        rows.append(
            (level, len(own), batches, raised, f"{raised / len(own):.1%} [{interval.low:.1%}, {interval.high:.1%}]")
        )
    return pd.DataFrame(
        rows, columns=["alarm", "streams", "batches per stream", "with an alarm", "share [95% interval]"]
    )


def _delays(alarms: pd.DataFrame) -> pd.DataFrame:
    """Return the share of streams in which each alarm came after the change, and the median number of batches."""
    rows = []
    for change in CHANGES:
        if change == "nothing":
            continue
        cells: list[str] = [change]
        for level in LEVELS:
            own = alarms[(alarms["change"] == change) & (alarms["level"] == level) & ~alarms["false"].astype(bool)]
            found = own["first"] >= 0
            late = f", {np.median(own.loc[found, 'delay']):.0f}" if found.any() else ""
            cells.append(f"{found.mean():.0%}{late}" if len(own) else "–")
        rows.append(cells)
    return pd.DataFrame(rows, columns=["change", *(f"{level}: detected, median batches" for level in LEVELS)])


EXPERIMENT = Experiment(name="monitors", title=TITLE, cells=_cells, report=_report, seeds=1)
