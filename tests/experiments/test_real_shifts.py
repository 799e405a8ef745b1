"""The report of natural shifts, from claims made up for the test."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from shiftproof.experiments._experiment import Scope
from shiftproof.experiments._real_shifts import EXPERIMENT, errors_by


def claims() -> pd.DataFrame:
    rows = [
        ("heart", "trust", "none", "lr", "lr", "accuracy", 0.80, 0.78, 0.70, 0.85, 0.80),
        ("heart", "trust", "none", "lr", "nb", "accuracy", 0.70, 0.60, 0.58, 0.62, 0.70),
        ("adult", "do not trust", "unclear", "lr", "lr", "accuracy", 0.80, np.nan, np.nan, np.nan, 0.60),
    ]
    names = ["dataset", "verdict", "type", "best", "about", "measure", "validated", "estimate", "low", "high", "actual"]
    return pd.DataFrame(rows, columns=names)


def test_refused_estimates_are_counted_and_not_averaged() -> None:
    table = errors_by(claims(), "measure")
    row = table.to_dict("records")[0]
    assert row["answered"] == pytest.approx(2 / 3)
    assert row["mean error"] == pytest.approx((0.02 + 0.10) / 2)
    assert row["covered by 90% intervals"] == pytest.approx(0.5)
    assert row["error of cross-validation"] == pytest.approx(0.0)
    assert row["cases"] == 3


def test_verdicts_stand_beside_the_loss_of_the_recommended_model() -> None:
    tables = {table.name: table.frame for table in EXPERIMENT.report({"audited-pair": claims()}, Scope(1)).tables}
    verdicts = tables["verdicts"].set_index("verdict")["lost more than 5 points"].to_dict()
    assert verdicts == {"trust": 0.0, "do not trust": 1.0}
    assert {*tables} == {"measures", "types", "sets", "verdicts"}


def test_every_pair_is_a_cell() -> None:
    assert len(EXPERIMENT.cells(Scope(1))) == 143
    assert {cell.key["dataset"] for cell in EXPERIMENT.cells(Scope(1, quick=True))} == {"student", "compas", "heart"}
