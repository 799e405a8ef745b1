from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.monitoring._countries import batch, rows

from shiftproof import InputError
from shiftproof.monitoring import Baseline


def test_every_value_with_enough_rows_is_a_segment_and_the_others_are_one(segmented: Baseline) -> None:
    names = ["country = 'DE'", "country = 'FR'", "country = 'IT'", "country: other values"]
    assert [*segmented.segments] == names
    assert sum(one.n_rows for one in segmented.segments.values()) == 4000
    assert "country" in segmented.columns
    assert [*segmented.segments["country = 'DE'"].columns] == ["p", "age"]
    assert segmented.segments["country = 'IT'"].validated is None
    assert "2 values (" in segmented.summary()
    assert "Monitored separately: country = 'DE', country = 'FR'" in segmented.summary()


def test_rows_of_a_batch_are_compared_with_their_segment(segmented: Baseline) -> None:
    summary = segmented.summarise(batch(shifted="FR"))
    distances = {name: one.columns["age"].distance for name, one in summary.segments.items()}
    assert distances["country = 'FR'"] > 0.25
    assert max(distance for name, distance in distances.items() if "FR" not in name) < 0.2
    assert sum(one.n_rows for one in summary.segments.values()) == 600
    assert summary.columns["age"].distance < 0.2


def test_new_values_are_named_and_belong_to_no_segment(segmented: Baseline) -> None:
    table = batch()
    table.loc[:9, "country"] = "XX"
    table.loc[10:14, "country"] = None
    summary = segmented.summarise(table)
    assert sum(one.n_rows for one in summary.segments.values()) == 590
    assert (
        "'country' has new values, which the baseline never had: 'XX' (10 rows); these are monitored only as part of "
        "all rows." in (summary.summary())
    )
    redacted = Baseline.of(rows(4000), scores="p", labels="y", by="country", redact=True)
    assert "'XX'" not in redacted.summarise(table).summary()
    assert all("hidden" in name for name in [*redacted.segments][:3])


def test_segments_come_back_from_a_folder(segmented: Baseline, tmp_path: Path) -> None:
    again = Baseline.load(segmented.save(tmp_path / "baseline"))
    assert again.same_as(segmented)
    assert again.summarise(batch()).to_dict() == segmented.summarise(batch()).to_dict()
    again.save(tmp_path / "baseline")
    with pytest.raises(InputError, match="baselines with segments cannot be added"):
        segmented + segmented
    (tmp_path / "baseline" / "segments" / "0" / "counts.parquet").write_bytes(b"broken")
    with pytest.raises(InputError, match=r"segments/0/counts\.parquet is damaged"):
        Baseline.load(tmp_path / "baseline")


@pytest.mark.parametrize(
    ("change", "how", "message"),
    [
        ({}, {"by": "land"}, "by must name a column of the reference, got 'land'; available: 'country', 'age'."),
        ({}, {"by": "age"}, "by must name a column of categories, got numbers with decimals in 'age'; bin them into"),
        (
            {"country": pd.Timestamp("2024-01-01")},
            {},
            "by must name a column of categories; got dates in 'country'.",
        ),
        (
            {"country": "DE"},
            {},
            "by must name a column with at least two values that have 200 reference rows each, got 'country', which "
            "has 1; use a larger reference, or leave by out.",
        ),
        (
            {"country": [f"id {number}" for number in range(12_000)]},
            {},
            "by must name a column of at most 10,000 values, got 12,000 in 'country'; group the values first.",
        ),
    ],
)
def test_columns_that_make_no_segments_are_refused(change: Any, how: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Baseline.of(
            rows(12_000).drop(columns=["p", "y"]).assign(**change),
            **({"by": "country", "kinds": {"country": "nominal"}} | how),
        )
    assert str(caught.value).startswith(message)


def test_thousands_of_values_are_twenty_segments_and_the_rest() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"shop": rng.zipf(1.3, 40_000) % 3000, "age": rng.normal(size=40_000)})
    baseline = Baseline.of(table, by="shop")
    assert len(baseline.segments) <= 21
    names = [*baseline.segments]
    assert (names[0], names[-1]) == ("shop = 1", "shop: other values")
