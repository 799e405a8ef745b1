from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from shiftproof.core import InputError, as_table
from shiftproof.simulation._moves import move_values, standard_deviation


def moved(values: object, amount: float) -> object:
    return move_values(values, as_table({"a": values}).column("a"), amount)


def test_standard_deviation_is_0_for_equal_values_and_exact_for_large_integers() -> None:
    assert standard_deviation(as_table({"a": [5, 5, 5]}).column("a")) == 0.0
    large = np.array([2**60, 2**60 + 1, 2**60 + 2])
    assert standard_deviation(as_table({"a": large}).column("a")) == pytest.approx(1.0)


def test_move_values_turns_integers_to_floats_unless_they_are_beyond_2_to_53() -> None:
    assert np.asarray(moved(np.array([1, 2]), 0.5)).tolist() == [1.5, 2.5]
    assert np.asarray(moved(np.array([2**60, 2**60 + 1]), 2.4)).tolist() == [2**60 + 2, 2**60 + 3]


def test_move_values_keeps_missing_cells() -> None:
    assert moved([1.0, None], 1.0) == [2.0, None]


def test_move_values_moves_dates_by_whole_steps_and_refuses_to_leave_their_range() -> None:
    days = pd.Series(pd.to_datetime(["2026-01-01", "2026-01-02"]))
    assert list(moved(days, 86_400e6)) == list(days + pd.Timedelta(days=1))  # type: ignore[call-overload]
    with pytest.raises(InputError, match=r"^the offset must keep every date within range, got .* days"):
        moved(np.array(["2026-01-01"], dtype="M8[ns]"), 1e20)


def test_move_values_moves_periods_and_keeps_their_frequency() -> None:
    months = pd.Series(pd.PeriodIndex(["2026-01", None], freq="M"))
    for values in (months, months.astype(object)):
        later = moved(values, 31 * 86_400e6)
        assert isinstance(later, pd.Series)
        assert later[0] == pd.Period("2026-02", freq="M")
        assert pd.isna(later[1])
