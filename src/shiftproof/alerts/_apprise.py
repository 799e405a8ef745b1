"""Send a message by one of the services that the library apprise knows."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from shiftproof.alerts._failures import Undelivered, secret
from shiftproof.alerts._message import AlertMessage

if TYPE_CHECKING:
    from shiftproof.alerts._channels import Apprise

_LOGGERS = ("apprise", "urllib3.connectionpool")
# How apprise calls what happened; services show it by a colour or a picture.
_TYPES = {"opened": "failure", "returned": "failure", "recovered": "success"}


def notify(channel: Apprise, message: AlertMessage, environment: Mapping[str, str]) -> None:
    """Send a message to the service whose address an environment variable holds."""
    address = secret(environment, channel.url_env)
    try:
        import apprise
    except ModuleNotFoundError:
        missing = "apprise is not installed; run pip install '.[alerts]' in a checkout of shiftproof"
        raise Undelivered(missing) from None
    with _unlogged():
        try:
            service = apprise.Apprise()
            known = service.add(address) and len(service) == 1
            kind = apprise.NotifyType(_TYPES.get(message.event, "info"))
            sent = known and service.notify(body=message.text, title=message.subject, notify_type=kind)
        except Exception as error:
            # Every service has its own code, and its messages may hold the address.
            raise Undelivered(f"apprise failed ({type(error).__name__})") from None
    if not known:
        raise Undelivered(f"the environment variable {channel.url_env} does not contain a URL that apprise recognises")
    if not sent:
        raise Undelivered("the service refused the message or could not be reached")


@contextmanager
def _unlogged() -> Iterator[None]:
    """Leave out what is logged meanwhile, by whatever thread of apprise: it may hold the address, which is a secret."""

    def nothing(_: logging.LogRecord) -> bool:
        return False

    loggers = [logging.getLogger(name) for name in _LOGGERS]
    for logger in loggers:
        logger.addFilter(nothing)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(nothing)
