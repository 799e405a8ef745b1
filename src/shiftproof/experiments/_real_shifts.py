"""Beyond the sources: how right audits are on natural shifts, such as the next year or another place."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from shiftproof.experiments._cells import GridCell
from shiftproof.experiments._experiment import Experiment, Scope
from shiftproof.experiments._real_shifts_runs import LEVEL, PAIRS, TABLES, audited_pair
from shiftproof.experiments._report import PaperTable, Reproduction

TITLE = "Natural shifts: how right audits are"
#: Small tables with a sequence or a change of place.
QUICK = ("student", "compas", "heart")
#: A loss of more than this, in points, is harm.
HARM = 0.05


def _cells(scope: Scope) -> list[GridCell]:
    """Return an audit of every pair of the list."""
    tables = [name for name, count in TABLES.items() for _ in range(count)]
    return [
        GridCell(audited_pair, {"dataset": name, "pair": number, "seed": seed}, (PAIRS, f"natural_{name}"))
        for seed in range(scope.seeds)
        for number, name in enumerate(tables)
        if not scope.quick or name in QUICK
    ]


def _report(rows: Mapping[str, pd.DataFrame], _scope: Scope) -> Reproduction:
    """Compare what audits estimated with what was true."""
    claims = rows["audited-pair"]
    # Of two classes one share says both.
    claims = claims[(claims["measure"] != "share") | (claims["about"] == "1")]
    accuracy = claims[claims["measure"] == "accuracy"]
    tables = [
        PaperTable(name="measures", title="Estimates by measure", frame=errors_by(claims, "measure")),
        PaperTable(name="types", title="Accuracy by type of shift", frame=errors_by(accuracy, "type")),
        PaperTable(name="sets", title="Accuracy by data set", frame=errors_by(accuracy, "dataset")),
        PaperTable(name="verdicts", title="Verdicts, and what the recommended model lost", frame=_verdicts(accuracy)),
    ]
    return Reproduction(title=TITLE, tables=tables)


def errors_by(claims: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return for each group how many estimates there are, their error and coverage, and the error of validation."""
    known = claims["estimate"].notna()
    inside = (claims["low"] <= claims["actual"]) & (claims["actual"] <= claims["high"])
    table = claims.assign(
        answered=known.astype(float),
        error=(claims["estimate"] - claims["actual"]).abs(),
        covered=inside.where(known).astype(float),
        width=claims["high"] - claims["low"],
        validated=(claims["validated"] - claims["actual"]).abs().where(known),
    )
    groups = table.groupby(by, sort=False)
    means = groups[["answered", "error", "covered", "width", "validated"]].mean()
    names = {"error": "mean error", "width": "mean width", "validated": "error of cross-validation"}
    names |= {"covered": f"covered by {LEVEL:.0%} intervals"}
    return means.assign(cases=groups.size()).rename(columns=names).reset_index()


def _verdicts(accuracy: pd.DataFrame) -> pd.DataFrame:
    """Return how often each verdict was given, and how often the recommended model lost more than five points."""
    best = accuracy[accuracy["about"] == accuracy["best"]]
    loss = best["validated"] - best["actual"]
    groups = best.assign(loss=loss, harmed=(loss > HARM).astype(float)).groupby("verdict", sort=False)
    table = groups[["loss", "harmed"]].mean().assign(pairs=groups.size())
    names = {"loss": "mean loss", "harmed": f"lost more than {100 * HARM:.0f} points"}
    return table.rename(columns=names).sort_values("pairs", ascending=False, kind="stable").reset_index()


EXPERIMENT = Experiment(name="real-shifts", title=TITLE, cells=_cells, report=_report, seeds=1)
