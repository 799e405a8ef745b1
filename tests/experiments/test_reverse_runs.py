"""The splits of the eleven data sets, and the three selectors on one of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import mutual_info_classif

from shiftproof.experiments import DataSources
from shiftproof.experiments import _reverse_runs as runs
from shiftproof.experiments._cells import GridCell, run_cell


def test_a_quarter_of_the_training_rows_is_missing_at_the_low_end() -> None:
    X, y, X_new, y_new = runs.load_split(DataSources(), "Wine", 0)
    assert (len(X), len(y), len(X_new), len(y_new)) == (106, 106, 36, 36)
    assert X["alcohol"].min() > X_new["alcohol"].min()
    assert not np.array_equal(runs.load_split(DataSources(), "Wine", 1)[1], y)


def test_newsgroups_are_ten_words_split_by_date(shared_data: Path) -> None:
    X, y, X_new, _ = runs.load_split(DataSources(shared_data), "MidEast-Guns", 0)
    assert (X.shape, X_new.shape) == ((1109, 10), (740, 10))
    assert list(X) == list(X_new)
    assert {"gun", "israel"} < {*X}
    assert y.mean() == pytest.approx(0.51, abs=0.01)


def test_mutual_information_is_that_of_presence() -> None:
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.5, size=(200, 6))
    y = (counts[:, 0] + rng.poisson(0.5, size=200) > 1).astype(int)
    from scipy import sparse

    ours = runs.mutual_information(sparse.csr_matrix(counts), y)
    theirs = mutual_info_classif((counts > 0).astype(int), y, discrete_features=True)
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_selectors_on_iris(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "BLOCK", 1)
    key = {"dataset": "Iris", "seed": 0}
    asked: dict[Callable[..., pd.DataFrame], dict[str, Any]] = {
        runs.true_accuracies: key,
        runs.validated_accuracies: {**key, "block": 0},
        runs.left_out_accuracies: {**key, "learner": "NB"},
        runs.reverse_verdicts: key,
    }
    found = {work.__name__: run_cell(GridCell(work, each), DataSources())[0] for work, each in asked.items()}
    assert found["true_accuracies"]["learner"].tolist() == ["DT", "NB", "LR", "SVM"]
    assert found["validated_accuracies"]["accuracy"].between(0.8, 1).all()
    assert found["left_out_accuracies"]["accuracy"].between(0.8, 1).all()
    assert len(found["reverse_verdicts"]) == 12
