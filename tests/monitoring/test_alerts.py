from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.alerts._servers import Hook, web_server
from tests.monitoring.conftest import make_batch, make_table

import shiftproof as sp
from shiftproof.alerts import Apprise, Program, Webhook
from shiftproof.core import AlertsWaiting, InputError
from shiftproof.monitoring import AlertChannel, Baseline, Monitor, deliver_alerts


@pytest.fixture
def hook() -> Iterator[Hook]:
    with web_server() as hook:
        yield hook


@pytest.fixture
def watched_by(monitor: Monitor, hook: Hook) -> Callable[..., Monitor]:
    """Add a webhook to a monitor."""

    def make(**options: Any) -> Monitor:
        monitor.alerts.add(Webhook(url=hook.url), **options)
        return monitor

    return make


def events(hook: Hook) -> list[tuple[str, str]]:
    contents = [json.loads(body) for _, body in hook.requests]
    return [(content["level"], content["event"]) for content in contents]


def run(monitor: Monitor, shifts: list[float]) -> None:
    for day, shift in enumerate(shifts):
        monitor.add(make_batch(200, shift=shift, seed=day), id=f"day {day}", at=f"2024-03-{day + 1:02d}")


def test_one_alert_when_an_incident_opens_and_one_when_it_recovers(
    watched_by: Callable[..., Monitor], hook: Hook
) -> None:
    monitor = watched_by()
    run(monitor, [0.0, 15.0, 15.0, 15.0, 0.0, 0.0, 0.0])
    assert events(hook) == [("material", "opened"), ("material", "recovered")]
    opened = json.loads(hook.requests[0][1])
    assert opened["incident"]["first"]["id"] == "day 1"
    assert opened["batch"]["at"] == "2024-03-02T00:00:00+00:00"
    assert opened["store"] == monitor.status().store
    assert len({*hook.ids}) == 2


def test_data_that_change_again_after_a_recovery_are_an_alert(watched_by: Callable[..., Monitor], hook: Hook) -> None:
    run(watched_by(), [0.0, 15.0, 15.0, 0.0, 0.0, 0.0, 25.0, 25.0, 25.0])
    assert events(hook) == [("material", "opened"), ("material", "recovered"), ("material", "returned")]


def test_acknowledgement_is_sent_only_if_somebody_wants_it(monitor: Monitor, hook: Hook) -> None:
    with web_server() as other:
        monitor.alerts.add(Webhook(url=hook.url), name="all", events=["acknowledged", "opened"], levels=["changed"])
        monitor.alerts.add(Webhook(url=other.url), name="usual", levels=["changed"])
        run(monitor, [15.0])
        monitor.acknowledge(1, "a campaign")
        assert events(other) == [("changed", "opened")]
    assert events(hook) == [("changed", "opened"), ("changed", "acknowledged")]
    assert json.loads(hook.requests[1][1])["incident"]["reason"] == "a campaign"


def test_levels_and_monitors_that_nobody_listens_to_send_nothing(
    monitor: Monitor, baseline: Baseline, store: Path, hook: Hook
) -> None:
    monitor.alerts.add(Webhook(url=hook.url), levels=["harm"])
    run(monitor, [15.0])
    run(Monitor(store, baseline, name="other"), [15.0])
    assert events(hook) == []
    assert monitor.alerts.waiting == ()


def test_message_of_a_redacted_baseline_has_no_names(tmp_path: Path, hook: Hook) -> None:
    redacted = Baseline.of(make_table(400), scores="p", labels="y", redact=True)
    monitor = Monitor(tmp_path / "redacted.db", redacted)
    monitor.alerts.add(Webhook(url=hook.url))
    monitor.add(make_batch(200, shift=15.0), id="SECRET.csv")
    ((_, body),) = hook.requests
    assert b"SECRET" not in body
    assert b"always answering the most frequent class" in body


def test_channel_is_kept_and_the_same_again_changes_nothing(monitor: Monitor, store: Path) -> None:
    channel = Webhook(url="https://example.org")
    added = monitor.alerts.add(channel, levels=["harm", "changed"], events=("recovered", "opened"))
    assert added == AlertChannel(
        name="webhook", channel=channel, levels=("changed", "harm"), events=("opened", "recovered")
    )
    assert monitor.alerts.add(channel, levels=["changed", "harm"], events=["opened", "recovered"]) == added
    assert Monitor(store).alerts.channels == {"webhook": added}
    assert monitor.status().channels == (added,)
    assert monitor.status().to_dict()["channels"][0]["channel"]["url"] == "https://example.org"
    with pytest.raises(InputError) as caught:
        monitor.alerts.add(Webhook(url="https://example.com"))
    assert str(caught.value) == (
        "the monitor already has a channel 'webhook'; remove it first, or give this one another name "
        "(on the command line, use --channel)."
    )
    assert repr(monitor.alerts) == "MonitorAlerts(webhook)"


def test_removed_channel_hears_nothing_more(watched_by: Callable[..., Monitor], hook: Hook) -> None:
    monitor = watched_by(name="ops")
    hook.status = 500
    with pytest.warns(AlertsWaiting):
        run(monitor, [15.0])
    assert monitor.alerts.remove("ops") == 1
    assert (monitor.alerts.channels, monitor.alerts.waiting) == ({}, ())
    with pytest.raises(InputError) as caught:
        monitor.alerts.remove("ops")
    assert str(caught.value) == "channel must be the name of a channel, got 'ops'; the monitor has none."


def test_test_says_of_each_channel_whether_it_works(
    watched_by: Callable[..., Monitor], hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monitor = watched_by()
    monkeypatch.delenv("SHIFTPROOF_CHAT", raising=False)
    monitor.alerts.add(Apprise(url_env="SHIFTPROOF_CHAT"))
    missing = "the environment variable SHIFTPROOF_CHAT is not set"
    assert monitor.alerts.test() == {"webhook": "", "apprise": missing}
    assert monitor.alerts.test("webhook") == {"webhook": ""}
    assert [json.loads(body)["event"] for _, body in hook.requests] == ["test", "test"]
    with pytest.raises(InputError) as caught:
        monitor.alerts.test("webhok")
    assert str(caught.value) == "channel must be the name of a channel; got 'webhok'. Did you mean 'webhook'?"


def test_alerts_that_wait_are_in_the_status_and_sent_later(watched_by: Callable[..., Monitor], hook: Hook) -> None:
    monitor = watched_by()
    hook.status = 503
    with pytest.warns(AlertsWaiting) as caught:
        run(monitor, [15.0])
    assert str(caught[0].message) == (
        "1 alert is waiting to be sent (channel 'webhook', the server answered 503); adding the next batch or running "
        "shiftproof monitor deliver tries again."
    )
    status = monitor.status()
    (alert,) = status.waiting_alerts
    assert (alert.channel, alert.incident, alert.event, alert.attempts) == ("webhook", 2, "opened", 1)
    assert status.to_dict()["waiting_alerts"][0]["error"] == "the server answered 503"
    hook.status = 200
    assert monitor.alerts.deliver() == 0
    assert monitor.alerts.deliver(at_once=True) == 1
    assert monitor.alerts.count_delivered("webhook") == 1
    assert "alert" not in monitor.status().summary()


def test_whole_store_is_delivered_or_one_monitor(monitor: Monitor, baseline: Baseline, store: Path, hook: Hook) -> None:
    other = Monitor(store, baseline, name="other")
    hook.status = 500
    for one in (monitor, other):
        one.alerts.add(Webhook(url=hook.url))
        with pytest.warns(AlertsWaiting):
            run(one, [15.0])
    hook.status = 200
    done = deliver_alerts(store, "other", at_once=True)
    assert (done.delivered, done.waiting) == (1, ())
    done = deliver_alerts(store, at_once=True)
    assert (done.delivered, done.waiting) == (1, ())
    with pytest.raises(InputError, match=r"^name must be a monitor of the store; got 'othr'. Did you mean 'other'\?$"):
        deliver_alerts(store, "othr")


def test_program_gets_the_alert(monitor: Monitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "got"
    program = f"import sys; open({str(target)!r}, 'w').write(sys.stdin.read())"
    monitor.alerts.add(Program(argv=[sys.executable, "-c", program], seconds=30))  # type: ignore[arg-type]
    monkeypatch.setenv("SHIFTPROOF_PROGRAMS", sys.executable)
    run(monitor, [15.0])
    assert json.loads(target.read_text())["event"] == "opened"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"levels": []}, "levels must be a list, got []; such as ['changed', 'material']."),
        ({"levels": "harm"}, "levels must be a list, got 'harm'; such as ['changed', 'material']."),
        ({"levels": ["harmful"]}, "levels must be one of 'changed', 'material', 'harm'; got 'harmful'."),
        ({"events": ["open"]}, "events must be one of 'opened', 'recovered', 'returned', 'acknowledged'; got 'open'."),
        (
            {"name": " "},
            "name must be a text of at most 60 characters, got ' '; leave it out if there is only one channel.",
        ),
        ({"name": "x" * 61}, "name must be a text of at most 60 characters, got "),
        (
            {"name": 3},
            "name must be a text of at most 60 characters, got 3; leave it out if there is only one channel.",
        ),
    ],
)
def test_wrong_options_are_refused(monitor: Monitor, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        monitor.alerts.add(Webhook(url="https://example.org"), **options)
    assert str(caught.value).startswith(sentence)
    assert monitor.alerts.channels == {}


def test_public_names_are_at_hand() -> None:
    assert sp.alerts.Webhook is Webhook
    assert sp.WaitingAlert.__name__ == "WaitingAlert"
