"""Baselines in Spark, as far as they can be tried without it; tests/engines has the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.warehouse.test_spark import there

from shiftproof import Baseline, InputError
from shiftproof.monitoring import _cluster
from shiftproof.monitoring._cluster import learn_on_cluster
from shiftproof.monitoring._inputs import BaselineSources
from shiftproof.monitoring._learning import learn_fields


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "key must name a column that identifies the rows of a Spark DataFrame, got None; its rows have no order."),
        (
            {"key": "id", "season": "weekday"},
            "season must be left out for a Spark DataFrame; leave it out, or write the reference to Parquet files.",
        ),
        (
            {"key": "id", "scores": np.zeros(3)},
            "scores must name columns of a Spark DataFrame, got 'ndarray'; add them to the table.",
        ),
    ],
)
def test_what_needs_rows_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        learn_on_cluster(BaselineSources(reference=None, **options), there(), learn_fields)
    assert str(caught.value) == sentence


def test_a_sample_of_all_rows_is_a_table_in_memory() -> None:
    rng = np.random.default_rng(0)
    columns = {"id": [f"row {number}" for number in range(300)], "x": rng.normal(size=300)}
    source = there(300, **columns)
    fields = learn_on_cluster(BaselineSources(reference=source, key="id"), source, learn_fields)
    assert Baseline.from_fields(fields).same_as(Baseline.of(pa.table(columns), key="id"))


def test_sums_of_ranges_are_whole_numbers() -> None:
    assert _cluster._summed([{"part": [1, 2]}, {"part": [3, 4]}], "part").tolist() == [4, 6]
