"""`shiftproof monitor alerts`: who is notified of incidents; and `monitor deliver`, which sends what waits."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from shiftproof.cli._options import failure, split_names
from shiftproof.cli._terminal import consoles, show_note
from shiftproof.core import InputError, counted, shown, tame

if TYPE_CHECKING:
    from shiftproof.alerts import Channel
    from shiftproof.monitoring import AlertChannel, Monitor

Security = Literal["starttls", "ssl", "none"]
Waiting = Literal["waiting", "none"]


@dataclass(kw_only=True)
class Subscription:
    """A new channel for a monitor. Its fields are options of the commands that add one.

    Parameters
    ----------
    store : STORE
        The store.
    channel : NAME
        A name for the channel, needed if you add several of one type. Default: the name of this
        command (webhook, email, program or apprise).
    levels : LEVEL,...
        Incident levels to send: harm, material or changed, separated by commas. Default: material,harm.
    events : EVENT,...
        Events to send for these incidents, separated by commas: opened; recovered; returned, when the data change again
        after recovering; acknowledged. Default: opened,recovered,returned.
    name : MONITOR
        The monitor to use, if the store has several.
    """

    store: str
    channel: str | None = None
    levels: str | None = None
    events: str | None = None
    name: str = "default"

    def add(self, made: Channel, *notes: str) -> int:
        """Write the channel, and say what it does, what to look at and what is still to do."""
        from shiftproof.monitoring import Monitor

        chosen: dict[str, Any] = {"levels": split_names(self.levels), "events": split_names(self.events)}
        given = {option: names for option, names in chosen.items() if names is not None}
        monitor = Monitor(self.store, name=self.name)
        try:
            added = monitor.alerts.add(made, name=self.channel, **given)
        except InputError as error:
            raise error.renamed("name", "--channel") from None
        output, progress = consoles()
        output.print(tame(_line(added)), highlight=False, markup=False, soft_wrap=True)
        for variable in made.variables:
            if not os.environ.get(variable):
                show_note(progress, f"{variable} is not set on this machine; set it on the machine that sends alerts.")
        for note in notes:
            show_note(progress, note)
        named = "" if self.name == "default" else f" --name {shlex.quote(self.name)}"
        show_note(progress, f"shiftproof monitor alerts test {shlex.quote(monitor.store)}{named}", "next")
        return 0


def webhook(
    *,
    subscription: Subscription,
    url: str | None = None,
    url_env: str | None = None,
    secret_env: str | None = None,
    seconds: float = 5.0,
) -> int:
    """Post alerts to a URL as signed JSON.

    The signature follows Standard Webhooks (HMAC-SHA256 of id, time and body);
    sp.alerts.verify checks it. Secrets stay in environment variables.

    [dim]export SHIFTPROOF_SECRET=whsec_...[/dim]
    [dim]shiftproof monitor alerts webhook calls.db https://example.org/hook[/dim]
    [dim]  --secret-env SHIFTPROOF_SECRET[/dim]

    Parameters
    ----------
    url : URL
        The URL, http:// or https://. It is saved in the store; if it is secret, use --url-env.
    url_env : VARIABLE
        The environment variable that holds the URL.
    secret_env : VARIABLE
        The environment variable that holds the signing secret. Default: messages are not signed.
    seconds : S
        Timeout for one message, at most 60.
    """
    from shiftproof.alerts import Webhook

    return subscription.add(Webhook(url=url, url_env=url_env, secret_env=secret_env, seconds=seconds))


def email(
    *,
    subscription: Subscription,
    to: str,
    sender: str,
    host: str,
    port: int | None = None,
    security: Security = "starttls",
    user: str | None = None,
    password_env: str | None = None,
    seconds: float = 5.0,
) -> int:
    """Send alerts by e-mail.

    To notify several people, add several channels or use a mailing list.

    [dim]export SHIFTPROOF_SMTP_PASSWORD=...[/dim]
    [dim]shiftproof monitor alerts email calls.db team@example.org[/dim]
    [dim]  --from monitor@example.org --host smtp.example.org[/dim]
    [dim]  --user monitor --password-env SHIFTPROOF_SMTP_PASSWORD[/dim]

    Parameters
    ----------
    to : TO
        The address to send to.
    sender : --from ADDRESS
        The sender address.
    host : SERVER
        The outgoing mail server (SMTP).
    port : N
        The port of the server. Default: 587 for starttls, 465 for ssl, 25 for none.
    security : starttls|ssl|none
        How to encrypt the connection. If the server does not support it, no mail is sent.
    user : LOGIN
        The user name to log in with.
    password_env : VARIABLE
        The environment variable that holds the password.
    seconds : S
        Timeout for one message, at most 60.
    """
    from shiftproof.alerts import Email

    return subscription.add(
        Email(
            to=to,
            sender=sender,
            host=host,
            port=port,
            security=security,
            user=user,
            password_env=password_env,
            seconds=seconds,
        )
    )


def program(*, subscription: Subscription, command: list[str], seconds: float = 5.0) -> int:
    """Pass alerts to your own program, as JSON on its standard input.

    The program runs without a shell. Exit status 0 means delivered; after any
    other status, the alert is sent again later. For safety, the environment
    variable SHIFTPROOF_PROGRAMS must list the program; set it on the machine
    that sends alerts.

    [dim]export SHIFTPROOF_PROGRAMS=/usr/local/bin/page[/dim]
    [dim]shiftproof monitor alerts program calls.db -- /usr/local/bin/page ml[/dim]

    Parameters
    ----------
    command : COMMAND
        The full path of the program and its arguments, after --. They are saved in the store, so pass secrets in
        environment variables.
    seconds : S
        Timeout for the program, at most 60.
    """
    from shiftproof.alerts import Program

    return subscription.add(Program(argv=tuple(command), seconds=seconds), *_cannot_run(command[0]))


def _cannot_run(program: str) -> list[str]:
    """Warn of a program that does not run here; it may do so on another machine, which sends the alerts."""
    named = f"the program {shown(program, width=200)}"
    if not Path(program).is_file():
        return [f"{named} does not exist on this machine; install it where alerts are sent."]
    if not os.access(program, os.X_OK):
        return [f"{named} cannot be run on this machine; make it executable."]
    return []


def apprise(*, subscription: Subscription, url_env: str) -> int:
    r"""Send alerts through Slack, Teams, PagerDuty, Telegram or another service.

    This needs apprise (pip install '.\[alerts]'). Its documentation lists the
    services and their URL formats.

    [dim]export SHIFTPROOF_CHAT=slack://...[/dim]
    [dim]shiftproof monitor alerts apprise calls.db --url-env SHIFTPROOF_CHAT[/dim]

    Parameters
    ----------
    url_env : VARIABLE
        The environment variable that holds an apprise URL.
    """
    from shiftproof.alerts import Apprise

    return subscription.add(Apprise(url_env=url_env))


def list_channels(*, store: str, name: str = "default") -> int:
    """List the channels and the alerts waiting on each.

    Parameters
    ----------
    store : STORE
        The store.
    name : MONITOR
        The monitor to use, if the store has several.
    """
    from shiftproof.monitoring import Monitor

    output, _ = consoles()
    lines = _lines(Monitor(store, name=name))
    for line in lines or [
        "There is no channel, so nobody is notified of incidents. To add one, see shiftproof monitor alerts --help"
    ]:
        output.print(tame(line), highlight=False, markup=False, soft_wrap=True)
    return 0


def remove_channel(*, store: str, channel: str, name: str = "default") -> int:
    """Remove a channel and drop the alerts waiting on it.

    Parameters
    ----------
    store : STORE
        The store.
    channel : CHANNEL
        The channel name, as shown by monitor alerts list.
    name : MONITOR
        The monitor to use, if the store has several.
    """
    from shiftproof.monitoring import Monitor

    output, progress = consoles()
    dropped = Monitor(store, name=name).alerts.remove(channel)
    output.print(tame(f"Removed the channel {shown(channel)}."), highlight=False, markup=False)
    if dropped:
        show_note(progress, f"dropped {counted(dropped, 'alert')} that had not been delivered.")
    return 0


def send_test(*, store: str, channel: str | None = None, name: str = "default") -> int:
    """Send a test message now and report whether it was delivered.

    The exit status is 1 if a channel could not deliver the message.

    Parameters
    ----------
    store : STORE
        The store.
    channel : CHANNEL
        The channel name. Default: all channels.
    name : MONITOR
        The monitor to use, if the store has several.
    """
    from shiftproof.monitoring import Monitor

    output, progress = consoles()
    with progress.status("sending"):
        errors = Monitor(store, name=name).alerts.test(channel)
    if not errors:
        raise InputError("the monitor has no channel; to add one, see shiftproof monitor alerts --help")
    for tested, error in errors.items():
        result = f"not delivered: {error}" if error else "delivered"
        output.print(tame(f"Channel {shown(tested)}: {result}."), highlight=False, markup=False, soft_wrap=True)
    return int(any(errors.values()))


def deliver(
    *,
    store: str,
    name: str | None = None,
    now: bool = False,
    seconds: float = 60.0,
    fail_on: list[Waiting] | None = None,
) -> int:
    """Send the alerts that are still waiting, for all monitors in the store.

    monitor add sends alerts automatically. Use this command for alerts that
    could not be delivered at that time: run it every few minutes, even if
    batches arrive once a day.

    [dim]*/5 * * * * shiftproof monitor deliver calls.db[/dim]

    Parameters
    ----------
    store : STORE
        The store.
    name : MONITOR
        Only this monitor. Default: all monitors.
    now
        Also retry channels that failed recently. Otherwise a channel is paused after each failure: at most one minute
        at first, then twice as long each time, up to an hour.
    seconds : S
        Do not start sending another alert after this many seconds.
    fail_on : WHAT
        Exit with status 1 if alerts are still waiting (waiting), or never (none). Default: waiting.
    """
    from shiftproof.monitoring import deliver_alerts, waiting_words

    output, progress = consoles()
    done = deliver_alerts(store, name, seconds=seconds, at_once=now)
    sent = (
        f"{counted(done.delivered, 'alert')} delivered." if done.delivered or done.waiting else "No alerts are waiting."
    )
    for line in (sent, *waiting_words(done.waiting)):
        output.print(tame(line), highlight=False, markup=False, soft_wrap=True)
    failed = failure(fail_on or ["waiting"], {"waiting": "alerts are waiting"} if done.waiting else {})
    if failed:
        progress.print(f"exit status 1 because of {failed}.", highlight=False, markup=False, soft_wrap=True)
    return int(bool(failed))


#: The commands below `monitor alerts`, by what each is for.
COMMANDS: dict[Callable[..., int], str] = {
    webhook: "Post alerts as signed JSON.",
    email: "Send alerts by e-mail.",
    program: "Pass alerts to your own program.",
    apprise: "Send alerts through Slack, Teams, PagerDuty, ...",
    list_channels: "List the channels and the alerts that are waiting.",
    remove_channel: "Remove a channel.",
    send_test: "Send a test message now.",
}
#: What commands are called whose functions need longer names.
NAMES: dict[Callable[..., int], str] = {list_channels: "list", remove_channel: "remove", send_test: "test"}


def _line(one: AlertChannel) -> str:
    """Say what a channel sends, and where to."""
    *most, last = one.levels
    levels = f"{', '.join(most)} or {last}" if most else last
    return f"Channel {shown(one.name)}: {one.channel.place}; incidents of level {levels} ({', '.join(one.events)})."


def _lines(monitor: Monitor) -> list[str]:
    from shiftproof.monitoring import waiting_words

    lines = []
    for name, one in monitor.alerts.channels.items():
        waiting = [alert for alert in monitor.alerts.waiting if alert.channel == name]
        sent = f"{counted(monitor.alerts.count_delivered(name), 'alert')} delivered."
        lines.append(" ".join([_line(one), sent, *waiting_words(waiting)]))
    return lines
