"""AIC and BIC beside leave-one-out and ten folds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from shiftproof.experiments import DataSources
from shiftproof.experiments._cells import GridCell, run_cell
from shiftproof.experiments._reverse_criteria import criteria, criteria_table


def test_aic_stands_for_leave_one_out(shared_data: Path) -> None:
    rows, _ = run_cell(GridCell(criteria, {"dataset": "Pima", "seed": 0}), DataSources(shared_data))
    assert rows["columns"].tolist() == list(range(1, 9))
    # 375 of 500 training rows are left after the bias.
    np.testing.assert_allclose(rows["AIC"] - rows["training"], (rows["columns"] + 1) / 375)
    np.testing.assert_allclose(rows["BIC"] - rows["training"], (rows["columns"] + 1) * np.log(375) / 750)
    assert (rows["training"].diff().dropna() <= 1e-6).all()
    table = criteria_table(rows)
    assert table["AIC from leave-one-out"].iloc[0] < table["training from leave-one-out"].iloc[0] / 3
    assert table["columns by AIC"].iloc[0] == rows["columns"].to_numpy()[rows["AIC"].to_numpy().argmin()]
    assert table["AIC from leave-one-out"].iloc[0] == pytest.approx(0, abs=0.01)
