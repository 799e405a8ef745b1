"""Detection over time on a table with a quiet, a shifted, an empty and a short month."""

from __future__ import annotations

import pandas as pd
import pytest
from tests.detection.cases import table

from shiftproof.detection import Timeline, detect_by


@pytest.fixture(scope="module")
def old() -> pd.DataFrame:
    return table(400, seed=0)


@pytest.fixture(scope="module")
def new() -> pd.DataFrame:
    """Return January quiet, February shifted, March without a row, April with two rows; three rows have no day."""
    days = [*pd.date_range("2009-01-01", periods=200, freq="3h"), *pd.date_range("2009-02-01", periods=200, freq="3h")]
    dated = pd.concat([table(200, seed=2), table(200, seed=3, shift=1.0), table(5, seed=4)], ignore_index=True)
    late = pd.to_datetime(["2009-04-30", "2009-04-01", "", "", ""])
    return dated.assign(day=[*days, *late]).sample(frac=1.0, random_state=0)


@pytest.fixture(scope="module")
def timeline(old: pd.DataFrame, new: pd.DataFrame) -> Timeline:
    return detect_by(old, new, "day", every="month")
