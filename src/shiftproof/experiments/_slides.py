"""*Evaluation and Credibility* (slides after Witten and Frank): every worked example."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from shiftproof.experiments._cells import GridCell
from shiftproof.experiments._experiment import Experiment, Scope
from shiftproof.experiments._report import PaperFigure, PaperTable, Reproduction
from shiftproof.experiments._slides_runs import TOPICS, ranked_list, worked_examples

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

TITLE = "Evaluation and credibility: the worked examples of the slides"


def _cells(_scope: Scope) -> list[GridCell]:
    return [GridCell(worked_examples, {"topic": topic}) for topic in TOPICS]


def _report(rows: Mapping[str, pd.DataFrame], _scope: Scope) -> Reproduction:
    """Lay our figures beside those of the slides."""
    found = rows["worked-examples"]
    table = found.drop(columns="topic").assign(same=found["same"].map({True: "yes", False: "**no**"}))
    figures = [
        PaperFigure(
            name="figure-cph", title="Cumulative per cent hits, model against random list", draw=partial(_draw, "cph")
        ),
        PaperFigure(name="figure-lift", title="Lift of the same list", draw=partial(_draw, "lift")),
    ]
    return Reproduction(
        title=TITLE, tables=[PaperTable(name="examples", title="Every worked example", frame=table)], figures=figures
    )


def _draw(of: str) -> Axes:
    import numpy as np

    from shiftproof.measures import lift_curve

    return lift_curve(ranked_list(), -np.arange(1000)).plot(of=of)


EXPERIMENT = Experiment(name="slides", title=TITLE, cells=_cells, report=_report)
