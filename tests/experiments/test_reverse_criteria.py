"""AIC and BIC beside leave-one-out and ten folds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from shiftproof.experiments import DataSources, _reverse_criteria
from shiftproof.experiments._cells import GridCell, run_cell
from shiftproof.experiments._reverse_criteria import criteria, criteria_table


def test_aic_stands_for_leave_one_out(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "c"])
    y = np.where(rng.random(200) < 1 / (1 + np.exp(-X["a"])), "yes", "no")
    monkeypatch.setattr(_reverse_criteria, "load_split", lambda *_: (X, y, X, y))
    rows, _ = run_cell(GridCell(criteria, {"dataset": "made", "seed": 0}), DataSources())
    assert rows["columns"].tolist() == [1, 2, 3]
    np.testing.assert_allclose(rows["AIC"] - rows["training"], (rows["columns"] + 1) / 200)
    np.testing.assert_allclose(rows["BIC"] - rows["training"], (rows["columns"] + 1) * np.log(200) / 400)
    assert (rows["training"].diff().dropna() <= 1e-6).all()
    table = criteria_table(rows)
    assert table["AIC from leave-one-out"].iloc[0] < table["training from leave-one-out"].iloc[0] / 3
    assert table["columns by AIC"].iloc[0] == rows["columns"].to_numpy()[rows["AIC"].to_numpy().argmin()]
