from __future__ import annotations

import pytest
from tests.monitoring.rehearsal.test_harm_delays import QUIET

from shiftproof.monitoring.rehearsal._advice import advise, usual_floor
from shiftproof.monitoring.rehearsal._result import Delay, SizeTrial


def drop(labels: int, batches: int, size: float = 0.05) -> Delay:
    return Delay.of("drop", size, "harm", [batches], horizon=200, labels=labels)


def trial(times: float, batches: int) -> SizeTrial:
    return SizeTrial(
        rows=int(500 * times), times=times, delay=Delay.of("shift", 0.2, "material", [batches], horizon=40)
    )


@pytest.mark.parametrize(
    ("drops", "labels"),
    [
        ([drop(0, 5), drop(10, 40), drop(20, 9), drop(50, 4)], 20),
        ([drop(10, 80), drop(20, 40), drop(50, 0)], 50),
        ([drop(10, 0), drop(10, 3, size=0.1)], 10),  # the smallest drop decides
        ([], None),
    ],
)
def test_fewest_labels_that_find_a_drop_soon_are_recommended(drops: list[Delay], labels: int | None) -> None:
    assert advise([], drops, rows=500, floor=None).labels == labels


@pytest.mark.parametrize(
    ("sizes", "rows"),
    [
        ([trial(0.5, 2), trial(1, 2), trial(2, 1)], 250),
        ([trial(0.5, 4), trial(1, 2), trial(2, 1)], 500),  # no other is clearly better
        ([trial(0.5, 0), trial(1, 0), trial(2, 3)], 1000),
        ([trial(0.5, 0), trial(1, 0)], 500),
    ],
)
def test_size_with_the_shortest_wait_is_recommended(sizes: list[SizeTrial], rows: int) -> None:
    assert advise(sizes, [], rows=500, floor=None).rows == rows


def test_floor_is_lowered_only_where_usual_batches_would_cross_it() -> None:
    assert usual_floor(QUIET, 0.8, 0) == 0.8
    assert usual_floor(QUIET, 0.855, 0) == pytest.approx(0.84)
    assert usual_floor(QUIET, 0.855, 3) == 0.855
    assert usual_floor(None, 0.855, None) == 0.855
    assert usual_floor(QUIET, None, None) is None
