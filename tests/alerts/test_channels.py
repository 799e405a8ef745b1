from __future__ import annotations

from typing import Any

import pytest

from shiftproof.alerts import Apprise, Email, Program, Webhook, channel_of, check_channel, settings_of
from shiftproof.core import InputError

MAIL: dict[str, Any] = {"to": "team@example.org", "sender": "monitor@example.org", "host": "smtp.example.org"}
CHANNELS = [
    Webhook(url="https://example.org/x", secret_env="SHIFTPROOF_SECRET"),
    Webhook(url_env="SHIFTPROOF_URL", seconds=2.5),
    Email(**MAIL, user="monitor", password_env="SHIFTPROOF_PASSWORD", port=2525),
    Program(argv=("/bin/true", "a b")),
    Apprise(url_env="SHIFTPROOF_CHAT"),
]


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda one: one.kind)
def test_channel_is_the_same_after_it_was_stored(channel: Any) -> None:
    assert channel_of(channel.kind, settings_of(channel)) == channel
    check_channel(channel)


@pytest.mark.parametrize(
    ("channel", "place", "variables"),
    [
        (CHANNELS[0], "https://example.org", ("SHIFTPROOF_SECRET",)),
        (CHANNELS[1], "the address in SHIFTPROOF_URL", ("SHIFTPROOF_URL",)),
        (CHANNELS[2], "team@example.org", ("SHIFTPROOF_PASSWORD",)),
        (CHANNELS[3], "/bin/true a b", ("SHIFTPROOF_PROGRAMS",)),
        (CHANNELS[4], "the service in SHIFTPROOF_CHAT", ("SHIFTPROOF_CHAT",)),
    ],
)
def test_channel_says_where_messages_go_and_what_it_needs(channel: Any, place: str, variables: tuple[str, ...]) -> None:
    assert (channel.place, channel.variables) == (place, variables)


@pytest.mark.parametrize(
    ("security", "port", "used"), [("starttls", None, 587), ("ssl", None, 465), ("none", None, 25), ("ssl", 9, 9)]
)
def test_port_follows_the_security(security: Any, port: int | None, used: int) -> None:
    assert Email(**MAIL, security=security, port=port).port_used == used


@pytest.mark.parametrize(
    ("kind", "settings", "sentence"),
    [
        (
            Webhook,
            {},
            "a webhook needs either url or url_env, the environment variable that holds the URL.",
        ),
        (
            Webhook,
            {"url": "https://a.org", "url_env": "SHIFTPROOF_URL"},
            "a webhook needs either url or url_env, the environment variable that holds the URL.",
        ),
        (
            Webhook,
            {"url": "https://me:hunter2@example.org"},
            "url contains a user name or password, which would be stored; put the whole URL into an environment "
            "variable, and name that variable with url_env.",
        ),
        (Webhook, {"url": "https://a.org", "seconds": 0}, "seconds must be above 0 and at most 60, got 0; 5 is the"),
        (Webhook, {"url": "https://a.org", "seconds": 61}, "seconds must be above 0 and at most 60, got 61; 5 is"),
        (
            Email,
            {**MAIL, "user": "me"},
            "user and password_env must be used together; give both, or neither for a server without a login.",
        ),
        (
            Email,
            {**MAIL, "user": "me", "password_env": "SHIFTPROOF_P", "security": "none"},
            "the password would be sent without encryption; pass security='starttls' or security='ssl'.",
        ),
        (Email, {**MAIL, "security": "tls"}, "security must be one of 'starttls', 'ssl', 'none'; got 'tls'."),
        (Email, {**MAIL, "port": 0}, "port must be a whole number from 1 to 65535, got 0; 587 is usual."),
        (Email, {**MAIL, "port": True}, "port must be a whole number from 1 to 65535, got True; 587 is usual."),
    ],
)
def test_wrong_settings_are_refused_in_a_sentence(kind: Any, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        kind(**settings)
    assert str(caught.value).startswith(sentence)
    assert "hunter2" not in str(caught.value)


def test_password_may_go_to_this_machine_without_encryption() -> None:
    local = {**MAIL, "host": "localhost"}
    assert Email(**local, user="me", password_env="SHIFTPROOF_P", security="none").port_used == 25


def test_what_is_not_a_channel_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        check_channel("https://hunter2.example.org")
    assert str(caught.value) == (
        "channel must be a channel, got 'str'; make one with sp.alerts.Webhook, Email, Program or Apprise."
    )
