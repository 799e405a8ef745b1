from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from shiftproof.cli._job import Job
from shiftproof.cli._reference import ReferenceFile
from shiftproof.core import InputError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file with two columns of scores, and a label."""
    rng = np.random.default_rng(0)
    p = rng.random(200)
    table = pd.DataFrame(
        {"a": rng.normal(size=200), "no": 1 - p, "yes": p, "y": np.where(rng.random(200) < p, "yes", "no")}
    )
    path = tmp_path / "reference.csv"
    table.to_csv(path, index=False)
    return path


def test_one_column_of_scores_is_one_class(file: Path) -> None:
    baseline = ReferenceFile(reference=file, score_column=["yes"], target="y", exclude=["no"]).baseline(Job())
    assert [*baseline.columns] == ["yes", "a"]
    assert baseline.validated is not None


def test_several_columns_of_scores_are_all_classes(file: Path) -> None:
    baseline = ReferenceFile(reference=file, score_column=["no", "yes"], target="y").baseline(Job())
    assert [*baseline.columns][:2] == ["no", "yes"]


def test_seasons_are_those_of_a_column_of_times(file: Path) -> None:
    table = pd.read_csv(file)
    table.loc[:, "day"] = pd.date_range("2024-01-01", periods=4).repeat(50).strftime("%Y-%m-%d")
    table.to_csv(file, index=False)
    baseline = ReferenceFile(reference=file, time="day", season="weekday").baseline(Job())
    assert len(baseline.parts) == 4
    with pytest.raises(InputError) as caught:
        ReferenceFile(reference=file, season="weekday").baseline(Job())
    assert str(caught.value) == "--season needs --time; name the column of dates."


def test_errors_name_options(file: Path) -> None:
    with pytest.raises(InputError) as caught:
        ReferenceFile(reference=file, score_column=["a"]).baseline(Job())
    assert str(caught.value).startswith("--score-column")
    with pytest.raises(InputError) as caught:
        ReferenceFile(reference=file, score_column=["yes"], target="y", positive="maybe").baseline(Job())
    assert str(caught.value).startswith("--positive must name one of the labels")
