from __future__ import annotations

import json
import logging
import sys

import pytest
from tests.alerts._servers import Hook, free_port

from shiftproof.alerts import AlertMessage, Apprise, Undelivered
from shiftproof.alerts._apprise import notify

# Some of its services import modules that Python has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
CHANNEL = Apprise(url_env="SHIFTPROOF_CHAT")


def reason(message: AlertMessage, url: str) -> str:
    with pytest.raises(Undelivered) as caught:
        notify(CHANNEL, message, {"SHIFTPROOF_CHAT": url})
    return str(caught.value)


@pytest.fixture(autouse=True)
def _needs_apprise() -> None:
    pytest.importorskip("apprise")


@pytest.mark.parametrize(("event", "kind"), [("opened", "failure"), ("recovered", "success"), ("test", "info")])
def test_service_gets_subject_and_text(hook: Hook, message: AlertMessage, event: str, kind: str) -> None:
    made = AlertMessage({**message.content, "event": event})
    notify(CHANNEL, made, {"SHIFTPROOF_CHAT": hook.url.replace("http:", "json:")})
    content = json.loads(hook.requests[0][1])
    assert (content["title"], content["type"]) == (made.subject, kind)
    assert "Columns that changed: 'age'." in content["message"]


def test_failure_logs_and_shows_no_address(
    hook: Hook, message: AlertMessage, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    hook.status = 500
    with caplog.at_level(logging.DEBUG):
        answering = f"{hook.url.replace('http:', 'json:')}/hunter2"
        for url in (f"json://me:hunter2@127.0.0.1:{free_port()}/hunter2", answering):
            assert reason(message, url) == "the service refused the message or could not be reached"
        for url in ("hunter2", "nonsense://hunter2", "json://a, json://b"):
            assert reason(message, url) == (
                "the environment variable SHIFTPROOF_CHAT does not contain a URL that apprise recognises"
            )
    assert "hunter2" not in caplog.text
    assert "hunter2" not in "".join(capfd.readouterr())


def test_missing_variable_and_missing_library_are_reasons(
    message: AlertMessage, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert reason(message, "") == "the environment variable SHIFTPROOF_CHAT is not set"
    monkeypatch.setitem(sys.modules, "apprise", None)
    assert reason(message, "json://x") == (
        "apprise is not installed; run pip install '.[alerts]' in a checkout of shiftproof"
    )


def test_errors_of_the_library_are_reasons(message: AlertMessage, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("hunter2")

    monkeypatch.setattr("apprise.Apprise.notify", broken)
    assert reason(message, "json://localhost") == "apprise failed (RuntimeError)"
