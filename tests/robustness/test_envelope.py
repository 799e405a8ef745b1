from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from shiftproof.core import InputError
from shiftproof.robustness._envelope import Envelope, make_envelope


def envelope(changes: list[float], sizes: list[float], tolerance: float = 0.02) -> Envelope:
    hellinger = np.array(sizes)
    return make_envelope("lr", np.array(changes), hellinger, hellinger / 2, base=0.05, tolerance=tolerance)


def test_the_limit_is_the_largest_change_up_to_which_the_accuracy_held() -> None:
    found = envelope([0.0, -0.02, 0.01, -0.05, 0.0], [0.1, 0.2, 0.3, 0.4, 0.5])
    assert found.hellinger == 0.3
    assert found.failing == 0.15
    assert (found.seen_hellinger, found.seen_failing) == (0.5, 0.25)
    assert found.holds(0.3)
    assert not found.holds(0.31)
    assert found.summary() == (
        "the accuracy of 'lr' changes by at most 2 points if the mean Hellinger distance of the features is at most "
        "0.3; without a shift, this distance is 0.05"
    )


def test_one_cell_in_twenty_may_fail() -> None:
    sizes = [0.01 * (at + 1) for at in range(20)]
    assert envelope([-0.5, *[0.0] * 19], sizes).always
    assert envelope([-0.5, -0.5, *[0.0] * 18], sizes).never


def test_never_and_always_are_said() -> None:
    never = envelope([-0.1, 0.0], [0.1, 0.2])
    assert never.never
    assert not never.always
    assert not never.holds(0.0)
    words = "the accuracy of 'lr' changes by more than 2 points even under the smallest of these shifts"
    assert never.summary() == words
    always = envelope([0.01, -0.01], [0.1, 0.2], tolerance=0.01)
    assert always.always
    words = (
        "the accuracy of 'lr' changes by at most 1 point in all shifted test sets (mean Hellinger distances up to 0.2)"
    )
    assert always.summary() == words
    assert not always.holds(0.21)  # nothing is known beyond


def test_cells_of_equal_size_stand_or_fall_together() -> None:
    assert envelope([0.0, -0.5, 0.0], [0.1, 0.1, 0.2]).never


def test_what_is_unknown_does_not_count() -> None:
    assert envelope([0.0, -0.5], [0.1, math.nan]).hellinger == 0.1
    nothing = envelope([0.0], [math.nan])
    assert nothing.never
    assert nothing.summary() == "the accuracy of 'lr' under these shifts cannot be determined"
    assert math.isnan(nothing.seen_hellinger)


def test_it_can_be_kept_as_json() -> None:
    kept = json.loads(json.dumps(envelope([-0.1], [0.1]).to_dict()))
    assert kept["hellinger"] is None
    assert kept["model"] == "lr"
    again = Envelope(**{name: value for name, value in envelope([0.0], [0.1]).to_dict().items() if name != "summary"})
    assert again == envelope([0.0], [0.1])


@pytest.mark.parametrize("distance", [-0.1, math.nan, "far", True])
def test_distances_that_are_none(distance: Any) -> None:
    with pytest.raises(InputError, match=r"^hellinger_mean must be a distance of at least 0, got .*; 0\.1 is a small"):
        envelope([0.0], [0.1]).holds(distance)


def test_large_changes_are_not_covered_by_many_small_ones() -> None:
    sizes = np.r_[np.linspace(0, 0.1, 96), 0.5, 0.6, 0.7, 0.8]
    found = make_envelope("m", np.r_[np.zeros(96), np.full(4, 0.3)], sizes, np.zeros(100), base=0.01, tolerance=0.02)
    assert found.hellinger == pytest.approx(0.1)
    assert not found.always


def test_one_failure_in_many_cells_is_counted() -> None:
    changes = np.zeros(60)
    changes[30] = 0.3
    found = make_envelope("m", changes, np.linspace(0, 0.3, 60), np.zeros(60), base=0.01, tolerance=0.02)
    assert found.always
    assert "in 59 of 60 shifted test sets" in found.summary()
