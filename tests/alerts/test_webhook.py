from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.alerts._servers import Hook, Stopwatch, free_port, silent_server
from tests.alerts.conftest import NOW

from shiftproof.alerts import AlertMessage, Undelivered, Webhook, verify
from shiftproof.alerts._webhook import post

SECRETS = {"SHIFTPROOF_SECRET": "hunter2"}


def reason(channel: Webhook, message: AlertMessage, environment: dict[str, str] | None = None) -> str:
    """Return why a message is not delivered."""
    with pytest.raises(Undelivered) as caught:
        post(channel, message, NOW, environment or {})
    return str(caught.value)


def test_message_arrives_signed(hook: Hook, message: AlertMessage) -> None:
    channel = Webhook(url=f"{hook.url}/hook?x=1", secret_env="SHIFTPROOF_SECRET")
    post(channel, message, datetime.now(UTC), SECRETS)
    ((headers, body),) = hook.requests
    assert verify(headers, body, "hunter2") == message.content
    assert headers["content-type"] == "application/json"
    assert headers["webhook-id"] == "7f-3"
    assert abs(int(headers["webhook-timestamp"]) - time.time()) < 60
    assert headers["user-agent"].startswith("shiftproof/")


def test_without_a_secret_there_is_no_signature(hook: Hook, message: AlertMessage) -> None:
    post(Webhook(url=hook.url), message, NOW, {})
    assert "webhook-signature" not in hook.requests[0][0]


def test_address_comes_from_the_environment(hook: Hook, message: AlertMessage) -> None:
    channel = Webhook(url_env="SHIFTPROOF_URL")
    post(channel, message, NOW, {"SHIFTPROOF_URL": f"{hook.url}/token\n"})
    assert len(hook.requests) == 1
    assert reason(channel, message) == "the environment variable SHIFTPROOF_URL is not set"
    assert reason(channel, message, {"SHIFTPROOF_URL": "file:///hunter2"}) == (
        "the environment variable SHIFTPROOF_URL does not hold a URL that begins with http:// or https://"
    )


def test_missing_secret_sends_nothing(hook: Hook, message: AlertMessage) -> None:
    channel = Webhook(url=hook.url, secret_env="SHIFTPROOF_SECRET")
    assert reason(channel, message) == "the environment variable SHIFTPROOF_SECRET is not set"
    assert not hook.requests


@pytest.mark.parametrize("status", [301, 302, 307, 400, 401, 404, 410, 429, 500, 503])
def test_other_answers_are_failures_and_redirections_are_not_followed(
    hook: Hook, message: AlertMessage, status: int
) -> None:
    hook.status = status
    assert reason(Webhook(url=hook.url), message) == f"the server answered {status}"
    assert len(hook.requests) == 1


def test_server_that_hangs_is_left_in_time(hook: Hook, message: AlertMessage) -> None:
    hook.hang = 5.0
    watch = Stopwatch()
    assert reason(Webhook(url=hook.url, seconds=0.1), message) == "no answer within 0.1 seconds"
    assert watch.seconds < 2


def test_server_that_sends_a_byte_now_and_then_is_left_in_time(hook: Hook, message: AlertMessage) -> None:
    hook.drip = 0.02
    watch = Stopwatch()
    assert reason(Webhook(url=hook.url, seconds=0.2), message) == "no answer within 0.2 seconds"
    assert watch.seconds < 2


def test_silent_server_of_a_secure_address_is_left_in_time(message: AlertMessage) -> None:
    with silent_server() as port:
        channel = Webhook(url=f"https://127.0.0.1:{port}", seconds=0.1)
        assert reason(channel, message) == "no answer within 0.1 seconds"


def test_server_that_is_not_there_or_ends_the_connection(hook: Hook, message: AlertMessage) -> None:
    assert reason(Webhook(url=f"http://127.0.0.1:{free_port()}"), message) == "connection refused"
    hook.status = 0
    assert reason(Webhook(url=hook.url), message).startswith("the connection failed (")


def test_certificate_is_checked(hook: Hook, message: AlertMessage) -> None:
    channel = replace(Webhook(url=hook.url), url=hook.url.replace("http:", "https:"))
    assert reason(channel, message) == "no secure connection could be made"
