from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from shiftproof.backtesting import backtest
from shiftproof.backtesting._keep import Kept
from shiftproof.backtesting._replay import Replayed
from shiftproof.core import InputError

BEFORE, ROWS = np.arange(5), np.arange(5, 9)


def test_a_period_is_read_as_it_was_written(tmp_path: Path) -> None:
    kept = Kept(tmp_path, "run")
    done = Replayed(
        estimates={"lr": {"auc": {"actual": float("nan")}}},
        ages={"lr": [0.5]},
        reach={"outside": 0.1},
        foreign_by={},
        fits=4,
    )
    assert kept.read(BEFORE, ROWS, []) is None
    kept.write(done, BEFORE, ROWS, [])
    again = kept.read(BEFORE, ROWS, [])
    assert again is not None
    assert (again.ages, again.fits) == (done.ages, 4)
    assert [path.suffix for path in tmp_path.iterdir()] == [".json"]


def test_another_run_or_other_rows_are_not_read(tmp_path: Path) -> None:
    Kept(tmp_path, "run").write(Replayed(estimates={}, ages={}, reach={}, foreign_by={}), BEFORE, ROWS, [])
    assert Kept(tmp_path, "other").read(BEFORE, ROWS, []) is None
    assert Kept(tmp_path, "run").read(BEFORE[:4], ROWS, []) is None


def test_a_broken_file_is_replayed_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path, "run")
    kept.write(Replayed(estimates={}, ages={}, reach={}, foreign_by={}), BEFORE, ROWS, [])
    next(tmp_path.iterdir()).write_text('{"estimates": {')
    assert kept.read(BEFORE, ROWS, []) is None


def test_a_period_that_failed_is_not_kept(tmp_path: Path) -> None:
    Kept(tmp_path, "run").write(
        Replayed(estimates={}, ages={}, reach={}, foreign_by={}, failure="no"), BEFORE, ROWS, []
    )
    assert list(tmp_path.iterdir()) == []


def test_a_second_run_fits_nothing(tmp_path: Path, past: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = past[["a", "day"]], past["y"]
    settings: dict[str, Any] = {
        "every": "month",
        "cv": 2,
        "measures": "accuracy",
        "start": 3,
        "keep": tmp_path / "kept",
    }
    first = backtest(LogisticRegression(), X, y, "day", **settings)
    monkeypatch.setattr("shiftproof.backtesting._backtest.replay", None)
    assert backtest(LogisticRegression(), X, y, "day", **settings).to_frame().equals(first.to_frame())


def test_another_model_is_another_run(tmp_path: Path, past: pd.DataFrame) -> None:
    X, y = past[["a", "day"]], past["y"]
    for C in (1.0, 2.0):
        backtest(LogisticRegression(C=C), X, y, "day", every="month", cv=2, measures="accuracy", start=4, keep=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_file_is_no_folder(tmp_path: Path, past: pd.DataFrame) -> None:
    path = tmp_path / "file"
    path.touch()
    with pytest.raises(InputError, match=r"^keep must be a folder that can be written to, got .*; choose another"):
        backtest(LogisticRegression(), past[["a"]], past["y"], past["day"], keep=path)


def test_models_that_cannot_be_pickled(tmp_path: Path, past: pd.DataFrame) -> None:
    model = LogisticRegression()
    model.callback = lambda: None
    with pytest.raises(InputError, match=r"^keep needs models that can be pickled: "):
        backtest(model, past[["a"]], past["y"], past["day"], keep=tmp_path)
