"""Labels of rows that were chosen in another way than at random."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from shiftproof.case._chosen import chosen_rows_notes
from shiftproof.case._labels import Known
from shiftproof.core import Codes, as_table
from shiftproof.selection._words import note_text

RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "amount": RNG.normal(size=1_000),
        "region": RNG.choice(["n", "s", "w"], 1_000),
        "gap": np.where(RNG.random(1_000) < 0.3, np.nan, RNG.normal(size=1_000)),
        "nearly": np.where(np.arange(1_000) < 3, 1.0, 0.0),
    }
)
# Rows with a larger amount are in higher strata, as if models were surer of them.
STRATA = (TABLE["amount"].rank().to_numpy() * 4 // 1_000).astype(np.int64).clip(max=3)


def differ_in(rows: Codes, strata: Codes = STRATA) -> str:
    table = as_table(TABLE)
    notes = chosen_rows_notes(table, table.names, strata, Known(rows, np.zeros(len(rows), dtype=np.int64)))
    return notes[0].subject if notes else ""


@pytest.mark.parametrize(
    ("chosen", "column"),
    [
        (TABLE["amount"] > 1, "'amount'"),
        (TABLE["region"] == "n", "'region'"),
        (TABLE["gap"].isna(), "'gap'"),
    ],
)
def test_rows_chosen_by_a_column_are_seen(chosen: pd.Series[bool], column: str) -> None:
    assert differ_in(np.flatnonzero(chosen)[:80]).split(" and ")[0] == column


def test_random_rows_and_rows_of_a_plan_are_not_called_chosen() -> None:
    draws = [np.random.default_rng(seed).permutation(1_000)[:80] for seed in range(20)]
    assert [differ_in(rows) for rows in draws] == [""] * 20
    # A plan draws more rows of some strata, and so larger amounts.
    planned = [
        np.concatenate([rng.permutation(np.flatnonzero(at == STRATA))[: 20 * (at + 1)] for at in range(4)])
        for rng in map(np.random.default_rng, range(20))
    ]
    assert [differ_in(rows) for rows in planned] == [""] * 20
    assert differ_in(planned[0], np.zeros(1_000, dtype=np.int64)) == "'amount'"


def test_few_rows_with_or_without_labels_are_not_compared() -> None:
    large = np.argsort(-TABLE["amount"].to_numpy())
    assert differ_in(large[:19]) == differ_in(large[:981]) == ""


def test_the_note_names_the_columns() -> None:
    table, rows = as_table(TABLE), np.flatnonzero(TABLE["region"] == "n")
    (note,) = chosen_rows_notes(table, ["region"], STRATA, Known(rows, np.zeros(len(rows), dtype=np.int64)))
    assert "rows with labels differ from the other new rows in 'region', by more than" in str(note_text(note))
