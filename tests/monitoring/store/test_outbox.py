from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.monitoring.store.conftest import START

from shiftproof.monitoring.store import BatchRecord, ChannelRecord, IncidentRecord, Outbox, SendClaim, Store

HOUR = timedelta(hours=1)


def claim(now: datetime = START, **fields: Any) -> SendClaim:
    known: dict[str, Any] = {
        "token": "mine",
        "now": now,
        "lease": timedelta(minutes=4),
        "pause": lambda failures: timedelta(minutes=failures),
        "longest_lease": timedelta(minutes=4),
        "longest_pause": HOUR,
    }
    return SendClaim(**(known | fields))


def channel(name: str = "webhook") -> ChannelRecord:
    return ChannelRecord(
        number=0, monitor=1, name=name, kind="webhook", settings={"url": "x"}, levels=("harm",), events=("opened",)
    )


@pytest.fixture
def outbox(store: Store, record: Callable[..., BatchRecord]) -> Iterator[Outbox]:
    """Return the outbox of a store with an incident and a channel, in one transaction."""
    with store.log(1, write=True) as log:
        number = log.append(record(1), b"").number
        fields = dict.fromkeys(("raised", "first", "last", "likeliest"), number)
        log.open_incident(
            IncidentRecord(
                **fields,
                number=0,
                level="harm",
                segment="",
                columns=(),
                peak=9.0,
                by_labels=False,
                recovered=None,
                acknowledged=None,
                reason="",
                how="",
            )
        )
        log.outbox.add_channel(channel(), START)
        yield log.outbox


def post(outbox: Outbox, *ids: str, to: int = 1) -> None:
    for one in ids:
        outbox.post(to, 1, {"id": one, "event": "opened"}, START)


def test_alerts_are_taken_in_order_until_all_are_delivered(outbox: Outbox) -> None:
    post(outbox, "a", "b")
    for name in ("a", "b"):
        alert = outbox.take(1, claim())
        assert alert is not None
        assert alert.content["id"] == name
        outbox.settle(alert, claim(), error="", now=START)
    assert outbox.take(1, claim()) is None
    assert outbox.is_empty(1)
    assert outbox.count_delivered(1) == 2


def test_channel_belongs_to_one_at_a_time(outbox: Outbox) -> None:
    post(outbox, "a")
    assert outbox.take(1, claim()) is not None
    later = START + timedelta(minutes=3)
    assert outbox.take(1, claim(later, token="other", at_once=True)) is None
    # Whoever took it has died.
    (waiting,) = outbox.waiting()
    assert (waiting.attempts, waiting.error) == (1, "the program that sent it ended before there was an answer")
    assert outbox.take(1, claim(START + timedelta(minutes=5), token="other")) is not None


def test_pause_grows_with_each_failure_and_ends_with_a_delivery(outbox: Outbox) -> None:
    post(outbox, "a", "b")
    now = START
    for failures in (1, 2, 3):
        alert = outbox.take(1, claim(now))
        assert alert is not None
        outbox.settle(alert, claim(now), error="the server answered 500", now=now)
        assert outbox.channels()[0].failures == failures
        assert outbox.take(1, claim(now + timedelta(minutes=failures, seconds=-1))) is None
        now += timedelta(minutes=failures)
    assert [one.error for one in outbox.waiting()] == ["the server answered 500", ""]
    alert = outbox.take(1, claim(now))
    assert alert is not None
    outbox.settle(alert, claim(now), error="", now=now)
    assert (outbox.channels()[0].failures, outbox.channels()[0].due) == (0, None)
    assert outbox.take(1, claim(now)) is not None


def test_at_once_does_not_wait_for_the_pause(outbox: Outbox) -> None:
    post(outbox, "a")
    alert = outbox.take(1, claim())
    assert alert is not None
    outbox.settle(alert, claim(), error="x", now=START)
    assert outbox.take(1, claim()) is None
    assert outbox.take(1, claim(at_once=True)) is not None


@pytest.mark.parametrize("settled", [True, False])
def test_clock_that_was_ahead_holds_nothing_back(outbox: Outbox, settled: bool) -> None:
    post(outbox, "a")
    ahead = claim(START + timedelta(days=1000))
    alert = outbox.take(1, ahead)
    assert alert is not None
    if settled:
        outbox.settle(alert, ahead, error="x", now=ahead.now)
    assert outbox.take(1, claim()) is not None


def test_late_answer_leaves_the_lease_of_somebody_else(outbox: Outbox) -> None:
    post(outbox, "a")
    first = outbox.take(1, claim())
    second_claim = claim(START + timedelta(minutes=5), token="other")
    assert first is not None
    assert outbox.take(1, second_claim) is not None
    outbox.settle(first, claim(), error="x", now=START)
    assert outbox.take(1, replace(second_claim, token="third", at_once=True)) is None
    # A delivery counts, whoever made it, and is not taken back.
    outbox.settle(first, claim(), error="", now=START)
    outbox.settle(first, second_claim, error="x", now=START)
    assert outbox.is_empty(1)


def test_removed_channel_says_how_many_alerts_are_lost(outbox: Outbox) -> None:
    outbox.add_channel(channel("other"), START)
    post(outbox, "a", "b", "c")
    post(outbox, "d", to=2)
    alert = outbox.take(1, claim())
    assert alert is not None
    outbox.settle(alert, claim(), error="", now=START)
    assert outbox.remove_channel(1) == 2
    assert [one.name for one in outbox.channels(1)] == ["other"]
    assert [one.content["id"] for one in outbox.waiting()] == ["d"]
    assert outbox.take(1, claim()) is None


def test_monitors_have_channels_of_their_own(outbox: Outbox) -> None:
    post(outbox, "a")
    assert outbox.channels(2) == []
    assert outbox.waiting(monitor=2) == []
    assert outbox.is_empty(2)
    assert not outbox.is_empty(1)
