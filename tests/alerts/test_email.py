from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.policy import SMTP
from pathlib import Path
from typing import Any

import pytest
from tests.alerts._servers import Stopwatch, free_port, silent_server
from tests.alerts.conftest import NOW

from shiftproof.alerts import AlertMessage, Email, Undelivered
from shiftproof.alerts._deadline import Deadline
from shiftproof.alerts._email import mail, written

aiosmtpd = pytest.importorskip("aiosmtpd")
from aiosmtpd.controller import Controller  # noqa: E402
from aiosmtpd.smtp import AuthResult  # noqa: E402

PASSWORD = {"SHIFTPROOF_PASSWORD": "hunter2"}


class Inbox:
    """Keeps what arrives, or refuses it."""

    def __init__(self) -> None:
        self.mails: list[Any] = []
        self.answer = "250 fine"
        self.refuse_recipient = False
        self.hang = 0.0

    async def handle_RCPT(self, _: Any, __: Any, envelope: Any, address: str, ___: Any) -> str:
        if self.refuse_recipient:
            return "550 hunter2"
        envelope.rcpt_tos.append(address)
        return "250 fine"

    async def handle_DATA(self, _: Any, session: Any, envelope: Any) -> str:
        await asyncio.sleep(self.hang)
        if self.answer.startswith("250"):
            self.mails.append((envelope, session.authenticated))
        return self.answer


def check_login(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> Any:
    return AuthResult(success=data.password == b"hunter2", handled=False)


@contextmanager
def mail_server(inbox: Inbox, **options: Any) -> Iterator[int]:
    port = free_port()
    controller = Controller(inbox, hostname="127.0.0.1", port=port, ready_timeout=30, **options)
    controller.start()
    try:
        yield port
    finally:
        controller.stop()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, Path]:
    """Make a certificate for localhost that nobody trusts yet."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed, so that there is no certificate to test with")
    folder = tmp_path_factory.mktemp("certificate")
    words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    key, cert = folder / "key.pem", folder / "cert.pem"
    subprocess.run(  # noqa: S603
        ["openssl", *words.split(), "-keyout", key, "-out", cert],  # noqa: S607
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return context, cert


@pytest.fixture
def channel() -> Callable[..., Email]:
    def make(port: int, **settings: Any) -> Email:
        known = {"to": "team@example.org", "sender": "monitor@example.org", "host": "localhost", "security": "none"}
        return Email(**(known | {"port": port} | settings))

    return make


def reason(channel: Email, message: AlertMessage, environment: dict[str, str] | None = None) -> str:
    with pytest.raises(Undelivered) as caught:
        mail(channel, message, NOW, environment or {})
    return str(caught.value)


def test_mail_arrives_as_text_and_html(message: AlertMessage, channel: Callable[..., Email]) -> None:
    inbox = Inbox()
    with mail_server(inbox) as port:
        mail(channel(port), message, NOW, {})
    ((envelope, _),) = inbox.mails
    assert (envelope.mail_from, envelope.rcpt_tos) == ("monitor@example.org", ["team@example.org"])
    got = message_from_bytes(envelope.content, policy=SMTP)
    assert got["Subject"] == "[shiftproof] default: The data changed enough to matter."
    assert got["Message-ID"] == "<7f-3@example.org>"
    assert got["Date"] == "Fri, 01 Mar 2024 06:00:00 +0000"
    assert [part.get_content_type() for part in got.iter_parts()] == ["text/plain", "text/html"]
    plain, html = (part.get_content() for part in got.iter_parts())
    assert "Columns that changed: 'age'." in plain
    assert "<p>Columns that changed: &#x27;age&#x27;.</p>" in html


def test_hostile_names_add_no_header(message: AlertMessage, channel: Callable[..., Email]) -> None:
    hostile = "x\r\nBcc: all@example.org\r\n\r\nhello"
    made = AlertMessage({**message.content, "monitor": hostile, "headline": hostile})
    got = message_from_bytes(written(channel(25), made, NOW).as_bytes(), policy=SMTP)
    assert got["Bcc"] is None
    assert "Bcc: all@example.org" in got["Subject"]
    assert "ü" in str(written(channel(25), AlertMessage({**message.content, "headline": "ü"}), NOW)["Subject"])


@pytest.mark.filterwarnings("ignore:Requiring AUTH:UserWarning")
@pytest.mark.parametrize("security", ["starttls", "ssl"])
def test_password_goes_through_an_encrypted_connection(
    security: str,
    message: AlertMessage,
    channel: Callable[..., Email],
    certificate: tuple[ssl.SSLContext, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    context, trusted = certificate
    inbox = Inbox()
    encrypted = (
        {"ssl_context": context, "auth_require_tls": False}
        if security == "ssl"
        else {"tls_context": context, "require_starttls": True}
    )
    login = {"user": "monitor", "password_env": "SHIFTPROOF_PASSWORD", "security": security}
    with mail_server(inbox, **encrypted, authenticator=check_login, auth_required=True) as port:
        # Nobody has said yet that the certificate is to be trusted.
        assert reason(channel(port, **login), message, PASSWORD) == "the certificate of the server cannot be verified"
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        mail(channel(port, **login), message, NOW, PASSWORD)
        assert reason(channel(port, **login), message, {"SHIFTPROOF_PASSWORD": "hunter3"}) == (
            "the mail server rejected the user name or password"
        )
    assert [authenticated for _, authenticated in inbox.mails] == [True]


def test_server_without_encryption_gets_no_mail(message: AlertMessage, channel: Callable[..., Email]) -> None:
    inbox = Inbox()
    with mail_server(inbox) as port:
        assert reason(channel(port, security="starttls"), message) == (
            "the mail server does not support what the channel needs (STARTTLS or a login)"
        )
    assert not inbox.mails


def test_refusals_are_reasons_without_the_words_of_the_server(
    message: AlertMessage, channel: Callable[..., Email]
) -> None:
    inbox = Inbox()
    with mail_server(inbox) as port:
        inbox.answer = "451 hunter2"
        assert reason(channel(port), message) == "the mail server answered 451"
        inbox.refuse_recipient = True
        assert reason(channel(port), message) == "the mail server rejected the recipient"
        inbox.refuse_recipient, inbox.hang = False, 3.0
        watch = Stopwatch()
        assert reason(channel(port, seconds=0.3), message) == "no answer within 0.3 seconds"
        assert watch.seconds < 2
    assert not inbox.mails


def test_silent_server_and_missing_password(message: AlertMessage, channel: Callable[..., Email]) -> None:
    with silent_server() as port:
        assert reason(channel(port, seconds=0.1), message) == "no answer within 0.1 seconds"
        login = {"user": "monitor", "password_env": "SHIFTPROOF_PASSWORD"}
        assert reason(channel(port, **login), message) == "the environment variable SHIFTPROOF_PASSWORD is not set"
    assert reason(channel(free_port()), message) == "connection refused"


def test_a_connection_that_ends_just_before_the_deadline_was_too_slow(
    message: AlertMessage, channel: Callable[..., Email], monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if the thread that watches the deadline had not run yet.
    monkeypatch.setattr("shiftproof.alerts._email.Deadline", lambda _: Deadline(60))
    with silent_server() as port:
        assert reason(channel(port, seconds=0.1), message) == "no answer within 0.1 seconds"
