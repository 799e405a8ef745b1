from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.monitoring.conftest import make_batch, make_table

from shiftproof.core import InputError
from shiftproof.monitoring import Baseline
from shiftproof.monitoring.rehearsal import past_batches
from shiftproof.monitoring.rehearsal._injection import joined, moved, part_of


def dated(n: int = 700) -> pd.DataFrame:
    days = pd.date_range("2024-01-01", periods=7).repeat(n // 7)
    return pd.DataFrame(make_table(n, seed=3)).assign(day=days)


def test_past_is_cut_by_size_and_the_rest_is_left_out(baseline: Baseline) -> None:
    past = past_batches(baseline, make_table(750), size=100, labels="y")
    assert [batch.facts.n for batch in past] == [100] * 7
    assert past[0].name == "rows 1 to 100"


def test_past_is_cut_by_the_calendar(baseline: Baseline) -> None:
    past = past_batches(baseline, dated().sample(frac=1, random_state=0), time="day", every="day")
    assert [batch.name for batch in past] == [f"2024-01-0{day}" for day in range(1, 8)]
    assert past[0].actual is None


def test_actual_accuracy_is_that_of_the_rows(baseline: Baseline) -> None:
    rows = dated()
    past = past_batches(baseline, rows, time="day", every="day", labels="y")
    right = (rows["p"] > 0.5) == (rows["y"] == "yes")
    assert [batch.actual for batch in past] == pytest.approx(right.groupby(rows["day"]).mean().tolist())


def test_files_are_a_batch_each(baseline: Baseline, tmp_path: Path) -> None:
    paths = [tmp_path / f"day{day}.csv" for day in range(6)]
    for path in paths:
        pd.DataFrame(make_batch(60)).to_csv(path, index=False)
    assert [batch.name for batch in past_batches(baseline, paths)] == [path.name for path in paths]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "the past needs time or size, which split it into batches."),
        ({"size": 100, "time": "day"}, "time and size cannot be used together; pass only one."),
        ({"size": 0}, "size must be a whole number of at least 1; got 0"),
        (
            {"size": 300},
            "past gives 2 batches of 300 rows; at least 5 are needed; pass a smaller size or add more past data.",
        ),
        (
            {"time": "day", "every": "year"},
            "past gives 1 batch; at least 5 are needed; split it into shorter periods or add more past data.",
        ),
        ({"time": "dya"}, "time must name a column of X"),
        ({"size": 100, "labels": "z"}, "labels must name a column of the past, got 'z'"),
        ({"size": 100, "labels": ["yes"]}, "labels must have one label per row of the past, got 1 for 700"),
        ({"size": 100, "labels": ["maybe"] * 700}, "labels must"),
    ],
)
def test_unusable_pasts_are_refused(baseline: Baseline, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        past_batches(baseline, dated(), **options)
    assert sentence in str(caught.value)


def test_a_list_takes_no_cut(baseline: Baseline) -> None:
    with pytest.raises(InputError, match="size must be left out for a list of batches, got 5"):
        past_batches(baseline, [make_batch()] * 6, size=5)
    with pytest.raises(InputError, match="labels must name a column for a list of batches"):
        past_batches(baseline, [make_batch()] * 6, labels=np.zeros(600))


def test_a_list_of_rows_is_one_table(baseline: Baseline) -> None:
    rows = pd.DataFrame(make_batch(100)).to_dict("records")
    assert [batch.facts.n for batch in past_batches(baseline, rows, size=20)] == [20] * 5


def test_past_of_a_baseline_with_seasons_is_replayed_and_changed() -> None:
    days = pd.date_range("2024-01-01", periods=56).repeat(25)
    rows = pd.DataFrame(make_table(1400, seed=9)).assign(day=days)
    seasonal = Baseline.of(rows, scores="p", labels="y", time="day", season="weekday")
    past = past_batches(seasonal, rows.drop(columns="day"), time=days, every="week")
    assert len(past) == 8
    alone = past_batches(seasonal, rows, time="day", every="week", labels="y")
    changed = moved(alone[0].facts, next(iter(seasonal.columns.values())), 0, 0.3, np.random.default_rng(0))
    assert sorted(changed.seasons) == list(range(7))
    assert np.array_equal(sum(columns[0] for columns in changed.seasons.values()), changed.counts[0])
    assert sum(part_of(alone[0].facts, 0.5, np.random.default_rng(0)).mix(7)) == pytest.approx(87, abs=7)
    assert joined([batch.facts for batch in alone]).mix(7).tolist() == [200] * 7


def test_labels_need_scores_in_the_baseline(table: dict[str, Any]) -> None:
    without = Baseline.of({"age": table["age"]})
    with pytest.raises(InputError, match="labels must be left out"):
        past_batches(without, dated(), size=100, labels="y")
