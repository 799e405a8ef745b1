"""Natural pairs are read by their rules, audited and verified."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shiftproof.core import InputError
from shiftproof.experiments import DataSources
from shiftproof.experiments import _real_shifts_runs as runs
from shiftproof.experiments._cells import GridCell, run_cell


def test_rows_follow_the_rules_of_the_pair(shared_data: Path) -> None:
    sources = DataSources(shared_data)
    pairs = runs.read_pairs(sources)
    assert len(pairs) == sum(runs.TABLES.values()) == 143
    pair = next(pair for pair in pairs if pair["name"] == "Cleveland->Budapest")
    rows = runs.read_rows(sources, pair, 0)
    assert [len(rows.y), len(rows.y_new)] == pair["rows"]
    assert "hospital" not in rows.X


def test_a_pair_is_audited_and_verified(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "MODELS", ("lr", "nb"))
    number = next(at for at, pair in enumerate(runs.read_pairs(DataSources(shared_data))) if pair["set"] == "heart")
    rows, _ = run_cell(
        GridCell(runs.audited_pair, {"dataset": "heart", "pair": number, "seed": 0}), DataSources(shared_data)
    )
    accuracy = rows[rows["measure"] == "accuracy"]
    assert accuracy["about"].tolist() == ["lr", "nb"]
    assert accuracy["actual"].between(0, 1).all()
    assert (rows["measure"] == "share").any()


def test_no_list_and_another_list_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^real-shifts needs the file natural_pairs\.json; name the folder"):
        runs.read_pairs(DataSources())
    (tmp_path / "natural_pairs.json").write_text(json.dumps([{"set": "heart"}]), encoding="utf-8")
    with pytest.raises(InputError, match=r"has other pairs than this version knows; get the list of 143 pairs\.$"):
        runs.read_pairs(DataSources(tmp_path))
