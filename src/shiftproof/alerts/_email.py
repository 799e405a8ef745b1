"""Send a message by e-mail."""

from __future__ import annotations

import contextlib
import smtplib
import socket
import ssl
from collections.abc import Mapping
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

from shiftproof.alerts._deadline import Deadline
from shiftproof.alerts._failures import Undelivered, reason_of, secret, too_slow
from shiftproof.alerts._message import AlertMessage

if TYPE_CHECKING:
    from shiftproof.alerts._channels import Email


def mail(channel: Email, message: AlertMessage, now: datetime, environment: Mapping[str, str]) -> None:
    """Hand a message to the server of outgoing mail; that it accepts the message means that it was delivered."""
    password = None if channel.password_env is None else secret(environment, channel.password_env)
    client = None
    with Deadline(channel.seconds) as deadline:
        try:
            client = _connected(channel, deadline)
            if password is not None:
                client.login(channel.user or "", password)
            client.send_message(written(channel, message, now))
            # The server has the message now, however the conversation ends.
            with contextlib.suppress(smtplib.SMTPException, OSError):
                client.quit()
        except Exception as error:
            # The connection's own time may end just before the deadline; the client then hides why it was closed.
            late = deadline.over or isinstance(error.__context__, TimeoutError)
            raise Undelivered(too_slow(channel.seconds) if late else _reason(error, channel)) from None
        finally:
            if client is not None:
                client.close()


def written(channel: Email, message: AlertMessage, now: datetime) -> EmailMessage:
    """Return the e-mail: plain text, and the same as HTML."""
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"], mail["Subject"] = channel.sender, channel.to, message.subject
    mail["Date"] = format_datetime(now)
    # The same for every copy, so that mail programs show one.
    mail["Message-ID"] = f"<{message.id}@{channel.sender.rpartition('@')[2]}>"
    # No answers from those who are on holiday.
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(message.text)
    mail.add_alternative(message.html, subtype="html")
    return mail


class _WatchedPlain(smtplib.SMTP):
    """A client that a deadline cuts off from its first byte on: it connects while it is made."""

    def __init__(self, deadline: Deadline, **options: Any) -> None:
        self._deadline = deadline
        super().__init__(**options)

    def connect(self, *arguments: Any, **options: Any) -> tuple[int, bytes]:
        """Connect, and say to the deadline which connection it is."""
        self._deadline.watch(self)
        return super().connect(*arguments, **options)


class _WatchedSecure(_WatchedPlain, smtplib.SMTP_SSL):
    pass


def _connected(channel: Email, deadline: Deadline) -> smtplib.SMTP:
    # Python would look up the name of this machine in the network, which can take longer than everything else.
    options = {
        "host": channel.host,
        "port": channel.port_used,
        "timeout": channel.seconds,
        "local_hostname": socket.gethostname(),
    }
    if channel.security == "ssl":
        return _WatchedSecure(deadline, **options, context=ssl.create_default_context())
    client = _WatchedPlain(deadline, **options)
    try:
        if channel.security == "starttls":
            client.starttls(context=ssl.create_default_context())
    except BaseException:
        client.close()
        raise
    return client


def _reason(error: Exception, channel: Email) -> str:
    """Say why a server did not accept a message; what the server wrote may hold anything and is left out."""
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return "the mail server rejected the user name or password"
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return "the mail server rejected the recipient"
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return "the mail server does not support what the channel needs (STARTTLS or a login)"
    if isinstance(error, smtplib.SMTPResponseException):
        return f"the mail server answered {error.smtp_code}"
    if isinstance(error, smtplib.SMTPServerDisconnected):
        return "the mail server closed the connection"
    return reason_of(error, channel.seconds)
