"""What is written after a run; how runs are resumed is tested in test_runner.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.experiments._toy import TOY, toy_rows

from shiftproof.core import InputError
from shiftproof.experiments import DataSources, Experiment, _experiment, reproduce
from shiftproof.experiments._cells import GridCell
from shiftproof.experiments._experiment import Scope, reference_fit


def test_tables_are_written_below_the_name(tmp_path: Path) -> None:
    found = reproduce(TOY, DataSources(), tmp_path, quick=True)
    assert found.folder == tmp_path / "toy-quick"
    assert sorted(path.name for path in found.folder.iterdir()) == ["run.json", "t.csv", "tables.md"]
    assert (found.cells, found.reproduction.title) == (2, "Toy, 1 seeds")


def test_the_same_cells_are_reported_without_a_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = reproduce(TOY, DataSources(), tmp_path)
    texts = {path.name: path.read_bytes() for path in first.folder.iterdir()}
    # The machine seems to be slower now.
    monkeypatch.setattr(_experiment, "reference_fit", lambda: 1e-9)
    again = reproduce(TOY, DataSources(), tmp_path)
    assert {path.name: path.read_bytes() for path in again.folder.iterdir()} == texts


def test_data_sets_are_checked_before_anything_runs(tmp_path: Path) -> None:
    needy = Experiment(
        name="needy",
        title="Needy",
        cells=lambda _scope: [GridCell(toy_rows, {"dataset": "spectf", "seed": 0}, ("spectf",))],
        report=TOY.report,
    )
    with pytest.raises(InputError, match="'spectf' is not part of scikit-learn"):
        reproduce(needy, DataSources(), tmp_path)
    assert not list(tmp_path.iterdir())


def test_scope_has_one_seed_if_quick() -> None:
    assert TOY.scope(None, quick=False) == Scope(2)
    assert TOY.scope(None, quick=True) == Scope(1, quick=True)


def test_the_reference_fit_takes_time() -> None:
    assert 0 < reference_fit() < 5
