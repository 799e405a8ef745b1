"""The runs of the fractures on a small table, and the data sets themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from shiftproof.experiments import DataSources
from shiftproof.experiments import _fractures_runs as runs


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(500) < 0.2).astype(np.int64)
    X = pd.DataFrame(rng.normal(size=(500, 3)) + y[:, None], columns=["a", "b", "c"])
    real = runs.load_set
    monkeypatch.setattr(runs, "load_set", lambda sources, name: (X, y) if name == "small" else real(sources, name))


def test_the_masked_feature_is_left_out_and_the_moved_one_fails() -> None:
    rows = runs.feature_failures(DataSources(), dataset="small", seed=0)
    assert set(rows["family"]) == {"base", "mcar", "mar", "mnar", "offset", "prior"}
    masked = rows[rows["family"] == "mnar"]
    assert (masked["masked"] == masked["feature"]).all()
    failed = masked["failed"].str.split("\t")
    assert not any(hidden in names for hidden, names in zip(masked["masked"], failed, strict=True))
    # Values that rise move only one of the one-sided tests.
    moved = rows[rows["shift"] == "offset 2 sd"].groupby("test")["moved fails"].mean()
    assert moved.to_dict() == {"two-sided": 1, "one-sided": 0, "other side": 1}
    assert rows["features"].iloc[0] == "a\tb\tc"


def test_classes_alone_do_not_change_with_their_proportions() -> None:
    rows = runs.failures_by_class(DataSources(), dataset="small", seed=0)
    assert set(rows["class"]) == {0, 1}
    assert rows["failing"].mean() < 0.2


def test_four_models_are_tested_with_the_papers_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert runs.paper_models()["knn"]["model"].n_neighbors == 5
    monkeypatch.setattr(runs, "BOOTSTRAPS", 20)
    rows = runs.score_tests(DataSources(), dataset="small", seed=0)
    assert set(rows["model"]) == set(runs.MODELS)
    assert rows["friedman_p_mean"].dropna().between(0, 1).all()


def test_the_bank_is_split_by_time(shared_data: Path) -> None:
    X, y, X_test, y_test = runs.split_rows(DataSources(shared_data), runs.NATURAL, 0)
    assert (len(X), len(X_test)) == (3000, 1800)
    assert "duration" not in X
    assert y_test.mean() > y.mean() + 0.03


def test_the_rarer_class_is_positive(shared_data: Path) -> None:
    _, y = runs.load_set(DataSources(shared_data), "satimage")
    assert y.mean() == pytest.approx(0.0973, abs=1e-3)
