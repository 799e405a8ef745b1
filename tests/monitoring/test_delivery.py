"""Alerts arrive once, late rather than never, whatever servers, clocks and programs do."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text
from tests._stores import Place, Stores
from tests.alerts._servers import Hook, Stopwatch, web_server
from tests.monitoring.conftest import make_batch

import shiftproof as sp
from shiftproof.alerts import Webhook
from shiftproof.core import AlertsWaiting, StoreError
from shiftproof.monitoring import Monitor
from shiftproof.monitoring._delivery import Courier, pause
from shiftproof.monitoring.store._schema import metadata

# Python warns of forks beside threads; the children only send and end.
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
START = datetime(2024, 3, 1, tzinfo=UTC)


class Clock:
    """A clock that stands until a test moves it."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def hook() -> Iterator[Hook]:
    with web_server() as hook:
        yield hook


@pytest.fixture(scope="module")
def waiting_store(empty_store: Place, stores: Stores) -> Place:
    """Return a store with an open incident, whose alert waits for a webhook at SHIFTPROOF_URL."""
    place = stores.copy(empty_store)
    monitor = Monitor(place)
    monitor.alerts.add(Webhook(url_env="SHIFTPROOF_URL", seconds=1.0))
    with pytest.warns(AlertsWaiting):
        monitor.add(make_batch(200, shift=15.0), id="day 0")
    # As if nobody had tried yet.
    execute(monitor, "UPDATE channels SET failures = 0, due = NULL", "UPDATE outbox SET attempts = 0, error = ''")
    return place


@pytest.fixture
def waiting(waiting_store: Place, stores: Stores) -> Monitor:
    return Monitor(stores.copy(waiting_store))


def execute(monitor: Monitor, *statements: str) -> None:
    with monitor._store.writing() as connection:
        for statement in statements:
            connection.execute(text(statement))


def courier(monitor: Monitor, hook: Hook, clock: Clock) -> Courier:
    return Courier(store=monitor._store, clock=clock, environment={"SHIFTPROOF_URL": hook.url})


def test_pause_doubles_up_to_an_hour_and_differs() -> None:
    pauses = [[pause(failures) / timedelta(minutes=1) for _ in range(50)] for failures in range(1, 12)]
    longest = [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60]
    assert all(most / 2 <= one <= most for most, some in zip(longest, pauses, strict=True) for one in some)
    assert all(len({*some}) > 10 for some in pauses)


def test_server_that_fails_for_an_hour_gets_every_alert_once(waiting: Monitor, hook: Hook) -> None:
    clock = Clock()
    deliver = courier(waiting, hook, clock).deliver
    hook.status = 500
    while clock.now < START + timedelta(hours=1):
        assert deliver(seconds=60) == 0
        clock.now += timedelta(minutes=1)
    # A minute, two, four and so on: at most so many attempts within an hour, and at least so many.
    assert 5 <= len(hook.requests) <= 12
    (alert,) = waiting.alerts.waiting
    assert (alert.attempts, alert.error) == (len(hook.requests), "the server answered 500")
    hook.status = 200
    delivered = 0
    while clock.now < START + timedelta(hours=3):
        delivered += deliver(seconds=60)
        clock.now += timedelta(minutes=1)
    assert delivered == 1
    assert len(set(hook.ids)) == 1
    assert waiting.alerts.waiting == ()


def test_server_that_answers_500_for_ever_is_never_given_up(waiting: Monitor, hook: Hook) -> None:
    clock = Clock()
    hook.status = 500
    for _ in range(20):
        courier(waiting, hook, clock).deliver(seconds=60)
        clock.now += timedelta(hours=1)
    (alert,) = waiting.alerts.waiting
    assert (alert.attempts, len(hook.requests)) == (20, 20)
    words = waiting.status().summary()
    assert "1 alert has been waiting to be sent since " in words
    assert ": channel 'webhook', the server answered 500." in words


def test_server_that_hangs_holds_up_nobody_else(waiting: Monitor, hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHIFTPROOF_URL", hook.url)
    with web_server() as hanging:
        hanging.hang = 10.0
        monkeypatch.setenv("SHIFTPROOF_OTHER", hanging.url)
        waiting.alerts.add(Webhook(url_env="SHIFTPROOF_OTHER", seconds=0.3), name="other")
        waiting.acknowledge(1, "a campaign")
        waiting.acknowledge(2, "a campaign")
        watch = Stopwatch()
        with pytest.warns(
            AlertsWaiting, match=r"^1 alert is waiting to be sent \(channel 'other', no answer within 0.3 s"
        ):
            update = waiting.add(make_batch(200, shift=15.0, seed=7), id="day 1")
        # The batch is there, and it took no longer than the time limit of the channel.
        assert [one.level for one in update.opened] == ["changed", "material"]
        assert watch.seconds < 4
        # The pause: the next batch does not wait for that server.
        with pytest.warns(AlertsWaiting):
            waiting.add(make_batch(200, shift=15.0, seed=8), id="day 2")
        assert len(hanging.requests) == 1
    assert len(hook.requests) == 2
    assert len({*hook.ids}) == 2


@pytest.mark.parametrize("jump", [timedelta(days=-400), timedelta(days=400)])
def test_clock_that_jumps_neither_loses_nor_repeats_alerts(waiting: Monitor, hook: Hook, jump: timedelta) -> None:
    clock = Clock()
    deliver = courier(waiting, hook, clock).deliver
    hook.status = 500
    deliver(seconds=60)
    clock.now += jump
    deliver(seconds=60)
    assert len(hook.requests) == 2
    for _ in range(20):
        deliver(seconds=60)
    # The clock stands: there is no flood.
    assert len(hook.requests) == 2
    clock.now -= jump
    hook.status = 200
    assert deliver(seconds=60) == 1
    assert deliver(seconds=60) == 0
    assert len(hook.requests) == 3


def test_several_programs_at_once_send_each_alert_once(
    waiting: Monitor, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    with waiting._store.outbox(write=True) as outbox:
        (alert,) = outbox.waiting()
        for number in range(9):
            outbox.post(alert.channel, alert.incident, {**alert.content, "id": f"copy {number}"}, START)
    monkeypatch.setenv("SHIFTPROOF_URL", hook.url)
    hook.hang = 0.01
    children = []
    for _ in range(6):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                while waiting.alerts.waiting:
                    waiting.alerts.deliver()
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 6
    assert {*Counter(hook.ids).values()} == {1}
    assert hook.ids[1:] == [f"copy {number}" for number in range(9)]


def killed(work: Any) -> None:
    """Do something in another process, which kills itself on the way."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL


def test_program_that_is_killed_between_writing_and_sending_loses_nothing(
    store: Place, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monitor = Monitor(store)
    monitor.alerts.add(Webhook(url=hook.url))

    def add() -> None:
        monkeypatch.setattr(Courier, "deliver", lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
        monitor.add(make_batch(200, shift=15.0), id="day 0")

    killed(add)
    assert [one.attempts for one in monitor.alerts.waiting] == [0]
    assert not hook.requests
    # The job runs again, as jobs do.
    assert monitor.add(make_batch(200, shift=15.0), id="day 0").repeated
    assert (len(hook.requests), monitor.alerts.waiting) == (1, ())


def test_program_that_is_killed_while_it_sends_sends_again_with_the_same_id(waiting: Monitor, hook: Hook) -> None:
    clock = Clock()
    ordinary = courier(waiting, hook, clock)

    def deliver() -> None:
        def send(*arguments: Any, **options: Any) -> None:
            ordinary.sender(*arguments, **options)
            os.kill(os.getpid(), signal.SIGKILL)

        Courier(store=waiting._store, clock=clock, environment=ordinary.environment, sender=send).deliver(seconds=60)

    killed(deliver)
    assert ordinary.deliver(seconds=60, at_once=True) == 0
    assert waiting.alerts.waiting[0].error == "the program that sent it ended before there was an answer"
    clock.now += timedelta(minutes=5)
    assert ordinary.deliver(seconds=60) == 1
    assert len(hook.ids) == 2
    assert len({*hook.ids}) == 1


def test_after_the_time_nothing_more_is_begun(waiting: Monitor, hook: Hook) -> None:
    assert courier(waiting, hook, Clock()).deliver(seconds=0) == 0
    assert not hook.requests


def test_errors_of_senders_and_damaged_settings_are_reasons(waiting: Monitor, hook: Hook) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("hunter2")

    Courier(store=waiting._store, sender=broken).deliver(seconds=60)
    assert [one.error for one in waiting.alerts.waiting] == ["an internal error (ZeroDivisionError)"]
    execute(waiting, """UPDATE channels SET settings = '{"url"\\: "file\\:///hunter2"}'""")
    courier(waiting, hook, Clock()).deliver(seconds=60, at_once=True)
    with waiting._store.outbox() as outbox:
        errors = [one.error for one in outbox.waiting()]
    assert errors == ["its settings in the store are damaged; remove the channel and add it again"]


def test_store_that_cannot_be_written_is_said_and_add_goes_on(
    waiting: Monitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise StoreError("monitor.db", "there is no room left on the disk")

    monkeypatch.setattr("shiftproof.monitoring.store.Outbox.take", full)
    with pytest.raises(StoreError):
        waiting.alerts.deliver()
    with pytest.warns(
        AlertsWaiting, match=r"^alerts may be waiting to be sent \(monitor.db: there is no room left on the"
    ):
        waiting.add(make_batch(200, seed=7), id="day 1")
    assert waiting.status().n_batches == 2


def test_secrets_are_in_no_byte_of_the_store_and_in_no_word(
    store: Place, hook: Hook, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("SECRET", "URL", "PASSWORD", "CHAT"):
        monkeypatch.setenv(f"SHIFTPROOF_{name}", f"{hook.url}/hunter2" if name == "URL" else "hunter2")
    monitor = Monitor(store)
    channels = monitor.alerts
    channels.add(Webhook(url_env="SHIFTPROOF_URL", secret_env="SHIFTPROOF_SECRET"))
    channels.add(
        sp.alerts.Email(
            to="a@example.org",
            sender="b@example.org",
            host="localhost",
            port=1,
            security="none",
            user="me",
            password_env="SHIFTPROOF_PASSWORD",
        )
    )
    hook.status = 500
    with pytest.warns(AlertsWaiting) as caught:
        monitor.add(make_batch(200, shift=15.0), id="day 0")
    status = monitor.status()
    shown = [str(one.message) for one in caught] + [status.summary(), str(status.to_dict()), repr(channels)]
    assert "hunter2" not in "".join(shown)
    assert "hunter2" not in "".join(capfd.readouterr())
    with monitor._store.reading() as connection:
        tables = [str(connection.execute(select(table)).all()) for table in metadata.sorted_tables]
    assert "SHIFTPROOF_SECRET" in "".join(tables)
    assert "hunter2" not in "".join(tables)
    # Of a file every byte is read, also those that belong to no row any more.
    files = [path.read_bytes() for path in store.parent.iterdir()] if isinstance(store, Path) else []
    assert not any(b"hunter2" in content for content in files)
