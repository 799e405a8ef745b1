"""Send a message through a channel."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from shiftproof.alerts._channels import Apprise, Channel, Email, Webhook
from shiftproof.alerts._message import AlertMessage

#: Sends that take longer than this many seconds have been cut off, whatever the channel.
LONGEST_SEND = 120.0


def send(channel: Channel, message: AlertMessage, *, now: datetime, environment: Mapping[str, str]) -> None:
    """Send a message, or raise `Undelivered` with the reason.

    Parameters
    ----------
    channel : Webhook, Email, Program or Apprise
        Where to.
    message : AlertMessage
        What.
    now : datetime
        The time that is written into the message.
    environment : mapping of str to str
        Where the secrets are.
    """
    # Imported here, because most batches send nothing and need neither http nor mail.
    if isinstance(channel, Webhook):
        from shiftproof.alerts._webhook import post

        post(channel, message, now, environment)
    elif isinstance(channel, Email):
        from shiftproof.alerts._email import mail

        mail(channel, message, now, environment)
    elif isinstance(channel, Apprise):
        from shiftproof.alerts._apprise import notify

        notify(channel, message, environment)
    else:
        from shiftproof.alerts._program import hand_over

        hand_over(channel, message, environment)
