"""The stand-ins for the data about money."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from shiftproof.experiments import DataSources
from shiftproof.experiments import _reverse_costs as costs
from shiftproof.experiments._cells import GridCell, run_cell


def test_labelled_people_were_chosen_by_features(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "ROWS", 1000)
    market = costs.load_market(DataSources(), "gifts", 0)
    assert len(market.X) == len(market.X_new) == 1000
    assert market.X["x0"].mean() > market.X_new["x0"].mean() + 0.3
    assert 0.02 < market.y.mean() < 0.2
    assert "gift" not in market.X
    assert (market.table["gift"] > 0).sum() == market.y.sum()


def test_learners_are_judged_by_totals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "ROWS", 600)
    totals, _ = run_cell(GridCell(costs.cost_totals, {"dataset": "gifts", "seed": 0}), DataSources())
    validated, _ = run_cell(GridCell(costs.cost_validated, {"dataset": "gifts", "seed": 0, "repeat": 0}), DataSources())
    assert totals["learner"].tolist() == validated["learner"].tolist() == ["bNB", "uDT", "cDT", "RDT"]
    assert np.isfinite(totals["total"]).all()
    assert validated["total"].nunique() > 1


def test_calls_are_before_and_after(shared_data: Path) -> None:
    market = costs.load_market(DataSources(shared_data), "calls", 0)
    assert {"t", "duration"}.isdisjoint(market.X)
    assert market.y_new.mean() > market.y.mean() + 0.03
