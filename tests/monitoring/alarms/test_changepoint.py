from __future__ import annotations

import numpy as np

from shiftproof.monitoring.alarms._changepoint import begin_range
from shiftproof.monitoring.alarms._evidence import Experts

EXPERTS = Experts.of([np.array([0.5, 0.5])])


def test_range_is_where_bets_begin_to_win() -> None:
    log_e = np.full((20, 2), -3.0)
    log_e[12:, 1] = 3.0
    assert begin_range(log_e, EXPERTS) == (12, 12, 12)


def test_range_is_wide_where_bets_say_little() -> None:
    log_e = np.full((20, 2), -0.01)
    log_e[5:, 0] = 0.2
    first, last, likeliest = begin_range(log_e, EXPERTS)
    assert likeliest == 5
    assert first < 5 < last


def test_range_of_one_batch() -> None:
    assert begin_range(np.zeros((1, 2)), EXPERTS) == (0, 0, 0)


def test_columns_that_did_not_change_do_not_move_the_range() -> None:
    log_e = np.concatenate([np.full((20, 2), -3.0), np.full((20, 2), -3.0)], axis=1)
    log_e[7:, 2] = 3.0
    assert begin_range(log_e, Experts.of([np.array([0.5, 0.5])] * 2)) == (7, 7, 7)
