"""The channels that carry a message, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal, get_args
from urllib.parse import urlsplit

from shiftproof.alerts._checks import (
    PROGRAMS,
    check_argv,
    check_host,
    check_mail_address,
    check_seconds,
    check_variable,
    check_web_address,
)
from shiftproof.core import Argument, InputError, check_choice, fault, shortened

Security = Literal["starttls", "ssl", "none"]
# Where servers of outgoing mail listen.
_PORTS: dict[Security, int] = {"starttls": 587, "ssl": 465, "none": 25}
_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
_LONGEST_PLACE = 60


@dataclass(frozen=True, kw_only=True)
class Webhook:
    """Post alerts as JSON to a URL, signed as in Standard Webhooks.

    Pass `url` or `url_env`. The store keeps `url`; if the URL itself is a secret, use `url_env`.

    Parameters
    ----------
    url : str, optional
        The URL, which begins with ``http://`` or ``https://``.
    secret_env : str, optional
        The environment variable that holds the secret for signatures; its name must begin with ``SHIFTPROOF_``, as for
        every variable here. Without a secret, messages are not signed.
    url_env : str, optional
        The environment variable that holds the URL.
    seconds : float, default 5
        Timeout for one message, at most 60.

    Examples
    --------
    >>> Webhook(url="https://example.org/hooks/model", secret_env="SHIFTPROOF_SECRET").place
    'https://example.org'
    """

    kind: ClassVar[str] = "webhook"
    url: str | None = None
    secret_env: str | None = None
    url_env: str | None = None
    seconds: float = 5.0

    def __post_init__(self) -> None:
        if (self.url is None) == (self.url_env is None):
            words = ", the environment variable that holds the URL"
            raise InputError("a webhook needs either ", Argument("url"), " or ", Argument("url_env"), words)
        if self.url is not None:
            check_web_address(self.url)
        _check_variables(secret_env=self.secret_env, url_env=self.url_env)
        check_seconds(self.seconds)

    @property
    def place(self) -> str:
        """Where messages go, in words; without the rest of the URL, which may be a secret."""
        if self.url is None:
            return f"the address in {self.url_env}"
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that the sending process must have."""
        return tuple(name for name in (self.url_env, self.secret_env) if name is not None)


@dataclass(frozen=True, kw_only=True)
class Email:
    """Send alerts by e-mail, as plain text and HTML.

    Parameters
    ----------
    to, sender : str
        The address to send to, and the one that the mail comes from. To notify several people, add several channels or
        use a mailing list.
    host : str
        The outgoing mail server (SMTP).
    port : int, optional
        Its port; by default 587 for STARTTLS, 465 for SSL and 25 for none.
    security : {"starttls", "ssl", "none"}, default "starttls"
        How to encrypt the connection. If the server does not support this, no mail is sent.
    user : str, optional
        The user name to log in with.
    password_env : str, optional
        The environment variable that holds the password.
    seconds : float, default 5
        Timeout for one message, at most 60.

    Examples
    --------
    >>> Email(to="team@example.org", sender="monitor@example.org", host="smtp.example.org").port_used
    587
    """

    kind: ClassVar[str] = "email"
    to: str
    sender: str
    host: str
    port: int | None = None
    security: Security = "starttls"
    user: str | None = None
    password_env: str | None = None
    seconds: float = 5.0

    def __post_init__(self) -> None:
        check_mail_address(self.to, "to")
        check_mail_address(self.sender, "sender")
        check_host(self.host)
        check_choice(self.security, "security", get_args(Security))
        if self.port is not None and (type(self.port) is not int or not 0 < self.port < 2**16):
            raise fault("port", "be a whole number from 1 to 65535", self.port, "587 is usual")
        _check_variables(password_env=self.password_env)
        if (self.user is None) != (self.password_env is None):
            both = (Argument("user"), " and ", Argument("password_env"))
            raise InputError(*both, " must be used together; give both, or neither for a server without a login")
        if self.password_env is not None and self.security == "none" and self.host not in _THIS_MACHINE:
            either = (Argument("security", "starttls"), " or ", Argument("security", "ssl"))
            raise InputError("the password would be sent without encryption; pass ", *either)
        check_seconds(self.seconds)

    @property
    def port_used(self) -> int:
        """The port."""
        return _PORTS[self.security] if self.port is None else self.port

    @property
    def place(self) -> str:
        """Where messages go, in words."""
        return self.to

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that the sending process must have."""
        return () if self.password_env is None else (self.password_env,)


@dataclass(frozen=True, kw_only=True)
class Program:
    """Pass alerts to your own program, as JSON on its standard input.

    The program runs without a shell, in the environment of the process that sends the alert. The environment variable
    ``SHIFTPROOF_PROGRAMS`` of this process must name the program, because a store alone may not run programs. Exit
    status 0 means that the alert was delivered. The output of the program is discarded. Its arguments are stored: pass
    secrets in environment variables.

    Parameters
    ----------
    argv : sequence of str
        The program, with its full path, and its arguments.
    seconds : float, default 5
        How long the program may run, at most 60; then it is stopped together with its child processes.

    Examples
    --------
    >>> Program(argv=["/usr/local/bin/page", "--team", "ml"]).place
    '/usr/local/bin/page --team ml'
    """

    kind: ClassVar[str] = "program"
    argv: tuple[str, ...]
    seconds: float = 5.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "argv", check_argv(self.argv))  # frozen; a list is kept as a tuple
        check_seconds(self.seconds)

    @property
    def place(self) -> str:
        """Where messages go, in words."""
        return shortened(" ".join(self.argv), _LONGEST_PLACE)

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that the sending process must have."""
        return (PROGRAMS,)


@dataclass(frozen=True, kw_only=True)
class Apprise:
    """Send alerts through a service that the library apprise supports, such as Slack, Teams, PagerDuty or Telegram.

    This needs ``pip install '.[alerts]'``. The timeouts are those of apprise: a few seconds to connect and to read.

    Parameters
    ----------
    url_env : str
        The environment variable that holds one apprise URL, such as ``slack://...``. For several services, add several
        channels: after a failure, all targets of a URL are tried again.

    Examples
    --------
    >>> Apprise(url_env="SHIFTPROOF_CHAT").place
    'the service in SHIFTPROOF_CHAT'
    """

    kind: ClassVar[str] = "apprise"
    url_env: str

    def __post_init__(self) -> None:
        _check_variables(url_env=self.url_env)

    @property
    def place(self) -> str:
        """Where messages go, in words."""
        return f"the service in {self.url_env}"

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that the sending process must have."""
        return (self.url_env,)


Channel = Webhook | Email | Program | Apprise
_KINDS: dict[str, type[Any]] = {kind.kind: kind for kind in (Webhook, Email, Program, Apprise)}


def _check_variables(**variables: str | None) -> None:
    for argument, name in variables.items():
        if name is not None:
            check_variable(name, argument)


def check_channel(channel: object) -> None:
    """Refuse what is not a channel."""
    if not isinstance(channel, Webhook | Email | Program | Apprise):
        hint = "make one with sp.alerts.Webhook, Email, Program or Apprise"
        raise fault("channel", "be a channel", type(channel).__name__, hint)


def settings_of(channel: Channel) -> dict[str, Any]:
    """Return a channel as plain values, to be stored.

    Examples
    --------
    >>> settings_of(Apprise(url_env="SHIFTPROOF_CHAT"))
    {'url_env': 'SHIFTPROOF_CHAT'}
    """
    fields: Mapping[str, Any] = asdict(channel)
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}


def channel_of(kind: str, settings: Mapping[str, Any]) -> Channel:
    """Return the channel that `settings_of` wrote; it is checked again, because anybody may have made the store."""
    channel: Channel = _KINDS[kind](**settings)
    return channel
