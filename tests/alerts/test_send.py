from __future__ import annotations

import sys

import pytest
from tests.alerts._servers import Hook, free_port
from tests.alerts.conftest import NOW

from shiftproof.alerts import LONGEST_SEND, AlertMessage, Apprise, Channel, Email, Program, Undelivered, Webhook, send
from shiftproof.alerts._checks import LONGEST


def test_message_goes_by_the_channel(hook: Hook, message: AlertMessage) -> None:
    send(Webhook(url=hook.url), message, now=NOW, environment={})
    send(
        Program(argv=(sys.executable, "-c", ""), seconds=20),
        message,
        now=NOW,
        environment={"SHIFTPROOF_PROGRAMS": sys.executable},
    )
    assert len(hook.requests) == 1


@pytest.mark.parametrize(
    ("channel", "reason"),
    [
        (Apprise(url_env="SHIFTPROOF_CHAT"), "the environment variable SHIFTPROOF_CHAT is not set"),
        (
            Email(to="a@b", sender="a@b", host="127.0.0.1", port=free_port(), security="none"),
            "connection refused",
        ),
    ],
)
def test_reason_is_that_of_the_channel(channel: Channel, message: AlertMessage, reason: str) -> None:
    with pytest.raises(Undelivered, match=f"^{reason}$"):
        send(channel, message, now=NOW, environment={})


def test_every_channel_ends_before_its_lease() -> None:
    assert LONGEST < LONGEST_SEND
