"""Class proportions that allow for natural drift."""

from __future__ import annotations

import numpy as np
import pytest
from tests.quantification.cases import interval
from tests.selection.cases import shift_kind

from shiftproof.case._share_drift import SpreadShares, count_with_drift
from shiftproof.shift import Kind, ShiftKind

OLD = np.array([0.5, 0.5])
COUNT = SpreadShares.of_count([interval(0.2, 0.1, 0.25), interval(0.8, 0.75, 0.9)])


def kind(name: Kind, gain: float = 0.0) -> ShiftKind:
    return shift_kind(300, 200, OLD, kind=name, gain=gain)


def test_spread_shares_of_count_give_its_own_intervals_back() -> None:
    ends = [end for share in COUNT.intervals(0.9) for end in (share.low, share.high)]
    assert ends == pytest.approx([0.1, 0.25, 0.75, 0.9])
    assert COUNT.sampling[0] == pytest.approx(COUNT.sampling[1])


def test_count_with_drift_allows_more_for_a_larger_move() -> None:
    small = SpreadShares.of_count([interval(0.45, 0.4, 0.5), interval(0.55, 0.5, 0.6)])
    drifts = [count_with_drift(count, OLD, kind("covariate")).drift for count in (small, COUNT)]
    assert drifts[0] == pytest.approx(0.066 / 2 + 0.632 * 0.05)
    assert drifts[1] == pytest.approx(0.066 / 2 + 0.632 * 0.3)
    assert count_with_drift(COUNT, OLD, None).drift == pytest.approx(drifts[1])


def test_count_with_drift_allows_little_where_no_shift_is_visible() -> None:
    quiet = count_with_drift(COUNT, OLD, kind("none"))
    assert quiet.drift == pytest.approx(0.01)
    assert quiet.intervals(0.9)[0].method == "normal"


def test_count_with_drift_takes_a_clear_prior_shift_for_the_reason_of_the_move() -> None:
    clear, weak = (count_with_drift(COUNT, OLD, kind("prior", gain)) for gain in (50.0, 0.0))
    assert clear.drift == pytest.approx(0.157 / 2)
    assert (weak.drift > clear.drift).all()
    assert clear.intervals(0.9)[0].method == "student"


def test_intervals_stay_between_0_and_1() -> None:
    wide = count_with_drift(COUNT, OLD, None).intervals(0.99)
    assert (wide[0].low, wide[1].high) == (0, 1)
