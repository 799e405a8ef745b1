"""The tables of the thesis that can be recomputed from what it prints, and the parts of both reports."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from shiftproof.experiments._thesis import (
    Statement,
    apart_from,
    compared,
    critical_values,
    losses_of,
    method_table,
    statement_table,
)
from shiftproof.experiments._thesis_runs import OURS


def test_table_4_2_has_one_misprint() -> None:
    table = critical_values()
    wrong = table[table["the same"] != "yes"]
    assert wrong.to_numpy().tolist() == [["Bonferroni-Dunn", 0.05, 9, "2.724", "2.734", "**no**"]]


@pytest.fixture
def estimates() -> pd.DataFrame:
    """Three methods on six problems: right, wrong by 0.1 and wrong by 0.3; and ours."""
    rng = np.random.default_rng(0)
    rows = [
        (f"p{problem}", 0, fold, share, method, share, abs(share - error + 0.001 * rng.random()), 100, problem / 10)
        for problem in range(6)
        for fold in range(2)
        for share in (0.4, 0.5)
        for method, error in (("a", 0.0), ("b", 0.1), ("c", 0.3), (OURS, 0.05))
    ]
    names = ["problem", "seed", "fold", "prevalence", "method", "true", "estimated", "size", "share"]
    return pd.DataFrame(rows, columns=names)


def test_methods_are_ranked_without_ours(estimates: pd.DataFrame) -> None:
    losses = losses_of([estimates])
    by_ae, by_kld = compared(losses, "AE"), compared(losses, "KLD")
    assert by_ae.methods == ("a", "b", "c")
    assert by_ae.datasets == tuple(f"p{problem}" for problem in range(6))
    table = method_table(losses, by_ae, by_kld)
    assert list(table.index) == ["a", OURS, "b", "c"]
    assert table["mean AE"].to_dict()["b"] == pytest.approx(0.1, abs=0.001)
    assert np.isnan(table["rank by AE"].to_dict()[OURS])
    assert apart_from(by_ae, "a") == "a > c"


def test_statements_are_rows() -> None:
    found = statement_table([Statement("so", "so", True), Statement("so", "not", False)], "s", "S", "the thesis says")
    assert found.rows == [["the thesis says", "here", "the same"], ["so", "so", "yes"], ["so", "not", "**no**"]]
