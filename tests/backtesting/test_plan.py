from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shiftproof.backtesting._plan import PlannedPeriod, check_window, plan_periods, refuse_nothing_left
from shiftproof.core import InputError

CLASSES = np.array(["no", "yes"])


def planned(sizes: list[int], codes: list[int] | None = None, **options: Any) -> list[PlannedPeriod]:
    bounds = np.cumsum([0, *sizes])
    pieces = [(f"p{i}", i, i, np.arange(bounds[i], bounds[i + 1])) for i in range(len(sizes))]
    labels = np.tile([0, 1], bounds[-1])[: bounds[-1]] if codes is None else np.array(codes)
    return plan_periods(pieces, labels, CLASSES, **{"window": "expanding", "start": None, "fewest": 5, **options})


def test_an_expanding_window_takes_all_rows_before() -> None:
    assert [len(period.before) for period in planned([30, 30, 30, 30])] == [60, 90]


def test_a_sliding_window_takes_the_last_periods() -> None:
    assert [period.before.tolist() for period in planned([20] * 4, window=1)][-1] == list(range(40, 60))
    assert [period.place for period in planned([20] * 4, window=1)] == [1, 2, 3]
    assert [len(period.before) for period in planned([20] * 4, window=3, start=1)] == [20, 40, 60]


def test_a_period_that_cannot_be_replayed_says_why() -> None:
    late = [0] * 60 + [0, 1] * 30
    periods = planned([30, 30, 0, 3, 27, 30], late)
    assert [period.skipped and (period.skipped.code, period.skipped.detail) for period in periods] == [
        ("no rows", ""),
        ("too few rows", "3 rows; at least 20 are needed"),
        ("too few of a class", "1 row of class 'yes' before it; at least 5 are needed"),
        None,
    ]


def test_the_baseline_is_the_class_that_was_most_frequent_before() -> None:
    assert planned([20, 20, 20], [0] * 30 + [1] * 15 + [0] * 15)[0].baseline == 0.75


@pytest.mark.parametrize(
    ("sizes", "options", "sentence"),
    [
        (
            [90],
            {},
            "a backtest needs at least 3 periods, got 1: the first 2 are used only for fitting; make the periods "
            "shorter, or add older rows.",
        ),
        (
            [90],
            {"window": 1},
            "a backtest needs at least 2 periods, got 1: the first is used only for fitting; make the periods "
            "shorter, or add older rows.",
        ),
        ([30, 30, 30], {"start": 0}, "start must be a whole number of at least 1, got 0; 2 is usual."),
    ],
)
def test_too_few_periods(sizes: list[int], options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as error:
        planned(sizes, **options)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("sizes", "codes", "sentence"),
    [
        (
            [3] * 10,
            None,
            "no period has enough rows to be replayed. The last one has 3 rows; at least 20 are needed; add rows, "
            "or make the periods "
            "longer.",
        ),
        (
            [30] * 3,
            [0] * 90,
            "no period has enough rows to be replayed. The last one has 0 rows of class 'yes' before it; at least "
            "5 are needed; add older "
            "rows, or use fewer folds.",
        ),
    ],
)
def test_no_period_is_left(sizes: list[int], codes: list[int] | None, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        refuse_nothing_left(planned(sizes, codes))
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("window", "sentence"),
    [
        (
            "sliding",
            "window must be 'expanding' or a number of periods, got 'sliding'; 3 means: fit on the last three periods.",
        ),
        (0, "window must be a whole number of at least 1, got 0; 3 means: fit on the last three periods."),
    ],
)
def test_a_wrong_window(window: object, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        check_window(window)
    assert str(error.value) == sentence
