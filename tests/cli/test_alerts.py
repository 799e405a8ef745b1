from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.alerts._servers import Hook, web_server
from tests.cli.test_monitor import rows

from shiftproof.cli import run
from shiftproof.cli._alerts import COMMANDS, NAMES
from shiftproof.monitoring import Monitor

Command = Callable[..., tuple[int, str, str]]
ALERTS = ("monitor", "alerts")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a store and a batch that raises an alarm."""
    folder = tmp_path_factory.mktemp("alerts")
    rows(0, n=400).to_csv(folder / "reference.csv", index=False)
    rows(1, shift=15.0).drop(columns="y").to_csv(folder / "day.csv", index=False)
    words = ["--reference", folder / "reference.csv", "--score-column", "p", "--target", "y", "--exclude", "date"]
    assert run(["monitor", "init", str(folder / "m.db"), *map(str, words)]) == 0
    return folder


@pytest.fixture
def place(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the folder, which is the current one, without secrets in the environment."""
    place = Path(shutil.copytree(made, tmp_path / "place"))
    monkeypatch.chdir(place)
    for name in ("SECRET", "PROGRAMS", "URL"):
        monkeypatch.delenv(f"SHIFTPROOF_{name}", raising=False)
    return place


@pytest.fixture
def hook() -> Iterator[Hook]:
    with web_server() as hook:
        yield hook


def test_webhook_is_added_tried_used_listed_and_removed(
    command: Command, place: Path, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = command(*ALERTS, "webhook", "m.db", hook.url, "--secret-env", "SHIFTPROOF_SECRET")
    assert added == (
        0,
        f"Channel 'webhook': {hook.url}; incidents of level material or harm (opened, recovered, returned).\n",
        "note: SHIFTPROOF_SECRET is not set on this machine; set it on the machine that sends alerts.\n"
        "next: shiftproof monitor alerts test m.db\n",
    )
    code, out, err = command(*ALERTS, "test", "m.db")
    assert (code, err) == (1, "")
    assert out == "Channel 'webhook': not delivered: the environment variable SHIFTPROOF_SECRET is not set.\n"
    monkeypatch.setenv("SHIFTPROOF_SECRET", "hunter2")
    assert command(*ALERTS, "test", "m.db", "webhook") == (0, "Channel 'webhook': delivered.\n", "")
    code, out, err = command("monitor", "add", "m.db", "day.csv")
    assert (code, "Alarm: the data changed enough to matter." in out) == (1, True)
    assert "alert" not in err
    assert [json.loads(body)["event"] for _, body in hook.requests] == ["test", "opened"]
    code, out, _ = command(*ALERTS, "list", "m.db")
    assert (code, out.endswith("1 alert delivered.\n")) == (0, True)
    assert command(*ALERTS, "remove", "m.db", "webhook") == (0, "Removed the channel 'webhook'.\n", "")
    code, out, _ = command(*ALERTS, "list", "m.db")
    assert (
        out
        == "There is no channel, so nobody is notified of incidents. To add one, see shiftproof monitor alerts --help\n"
    )
    assert command(*ALERTS, "test", "m.db")[2] == (
        "shiftproof: the monitor has no channel; to add one, see shiftproof monitor alerts --help.\n"
    )


def test_alert_that_waits_is_a_note_and_deliver_sends_it(command: Command, place: Path, hook: Hook) -> None:
    command(*ALERTS, "webhook", "m.db", hook.url)
    assert command("monitor", "deliver", "m.db") == (0, "No alerts are waiting.\n", "")
    hook.status = 500
    code, _, err = command("monitor", "add", "m.db", "day.csv")
    waits = "1 alert has been waiting to be sent since "
    assert code == 1
    assert (
        "note: 1 alert is waiting to be sent (channel 'webhook', the server answered 500); adding the next batch or"
        in err
    )
    # The pause after the failure is not over.
    code, out, err = command("monitor", "deliver", "m.db")
    assert (code, err) == (1, "exit status 1 because of --fail-on waiting: alerts are waiting.\n")
    assert out.startswith(f"0 alerts delivered.\n{waits}")
    assert out.endswith(": channel 'webhook', the server answered 500.\n")
    assert len(hook.requests) == 1
    assert waits in command("monitor", "status", "m.db")[1]
    assert waits in command(*ALERTS, "list", "m.db")[1]
    assert command("monitor", "deliver", "m.db", "--now", "--fail-on", "none")[0] == 0
    hook.status = 200
    assert command("monitor", "deliver", "m.db", "--now", "--name", "default") == (0, "1 alert delivered.\n", "")
    assert len({*hook.ids}) == 1


def test_removal_says_what_is_lost(command: Command, place: Path) -> None:
    command(*ALERTS, "webhook", "m.db", "--url-env", "SHIFTPROOF_URL", "--channel", "ops", "--levels", "changed,harm")
    command("monitor", "add", "m.db", "day.csv")
    _, out, err = command(*ALERTS, "remove", "m.db", "ops")
    assert out == "Removed the channel 'ops'.\n"
    assert err == "note: dropped 1 alert that had not been delivered.\n"


def test_every_kind_of_channel_can_be_added(command: Command, place: Path) -> None:
    mail = ["team@example.org", "--from", "me@example.org", "--host", "smtp.example.org"]
    assert command(*ALERTS, "email", "m.db", *mail)[0] == 0
    assert command(*ALERTS, "program", "m.db", "--seconds", "9", "--", "/bin/page", "--team", "ml")[0] == 0
    code, _, err = command(*ALERTS, "apprise", "m.db", "--url-env", "SHIFTPROOF_URL", "--events", "opened")
    assert (code, "note: SHIFTPROOF_URL is not set on this machine" in err) == (0, True)
    channels = Monitor("m.db").alerts.channels
    assert [(name, one.channel.place) for name, one in channels.items()] == [
        ("email", "team@example.org"),
        ("program", "/bin/page --team ml"),
        ("apprise", "the service in SHIFTPROOF_URL"),
    ]
    assert channels["apprise"].events == ("opened",)


@pytest.mark.parametrize(
    ("mode", "note"),
    [
        (None, "does not exist on this machine; install it where alerts are sent."),
        (0o600, "cannot be run on this machine; make it executable."),
        (0o700, None),
    ],
)
def test_a_program_that_does_not_run_is_named(
    command: Command, place: Path, mode: int | None, note: str | None
) -> None:
    program = place / "page"
    if mode is not None:
        program.write_text("#!/bin/sh\n")
        program.chmod(mode)
    code, _, err = command(*ALERTS, "program", "m.db", "--", str(program))
    said = "" if note is None else f"note: the program {str(program)!r} {note}\n"
    assert (code, err.startswith("note: SHIFTPROOF_PROGRAMS is not set")) == (0, True)
    assert err.endswith(f"sends alerts.\n{said}next: shiftproof monitor alerts test m.db\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["webhook", "m.db", "ftp://hunter2"], "URL must begin with http:// or https://; the value"),
        (["webhook", "m.db"], "a webhook needs either URL or --url-env, the environment variable that holds"),
        (
            ["webhook", "m.db", "https://a:hunter2@b.org"],
            "URL contains a user name or password, which would be stored; put the whole URL into an environment "
            "variable, and name that variable with --url-env.",
        ),
        (
            ["webhook", "m.db", "https://a.org", "--secret-env", "hunter2"],
            "--secret-env must name an environment variable that begins with SHIFTPROOF_, such as SHIFTPROOF_SECRET;",
        ),
        (
            ["webhook", "m.db", "https://a.org", "--levels", "harm,big"],
            "--levels must be one of 'changed', 'material', 'harm'; got 'big'.",
        ),
        (["webhook", "m.db", "https://a.org", "--seconds", "90"], "--seconds must be above 0 and at most 60, got 90.0"),
        (["webhook", "m.db", "https://a.org", "--channel", " "], "--channel must be a text of at most 60 characters"),
        (["email", "m.db", "team", "--from", "a@b", "--host", "c"], "TO must be a single e-mail address, got 'team'"),
        (["email", "m.db", "a@b", "--from", "x", "--host", "c"], "--from must be a single e-mail address, got 'x'"),
        (
            ["email", "m.db", "a@b", "--from", "a@b", "--host", "c", "--user", "me"],
            "--user and --password-env must be used together; give both, or neither for a server without a login.",
        ),
        (["program", "m.db", "--", "page"], "COMMAND must be the full path of a program, and its arguments, got"),
        (["apprise", "m.db", "--url-env", "slack://hunter2"], "--url-env must name an environment variable that"),
        (["remove", "m.db", "x"], "CHANNEL must be the name of a channel, got 'x'; the monitor has none."),
        (["list", "none.db"], "none.db: the store does not exist; to create it, run shiftproof monitor init."),
    ],
)
def test_bad_configuration_is_one_sentence(command: Command, place: Path, words: list[str], sentence: str) -> None:
    code, out, err = command(*ALERTS, *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"shiftproof: {sentence}")
    assert err.count("\n") == 1
    assert "hunter2" not in err
    assert Monitor("m.db").alerts.channels == {}


def test_second_channel_of_a_kind_needs_a_name(command: Command, place: Path) -> None:
    command(*ALERTS, "webhook", "m.db", "https://a.org")
    code, _, err = command(*ALERTS, "webhook", "m.db", "https://b.org")
    assert (code, err) == (
        2,
        "shiftproof: the monitor already has a channel 'webhook'; remove it first, or give this one another "
        "name (on the command line, use --channel).\n",
    )
    assert command(*ALERTS, "webhook", "m.db", "https://b.org", "--channel", "b")[0] == 0


def test_file_sets_options_of_these_commands(command: Command, place: Path) -> None:
    Path("shiftproof.toml").write_text('[monitor.alerts.webhook]\nlevels = "harm"\n')
    assert command(*ALERTS, "webhook", "m.db", "https://a.org")[0] == 0
    assert Monitor("m.db").alerts.channels["webhook"].levels == ("harm",)
    Path("shiftproof.toml").write_text('[monitor.alerts.webhok]\nlevels = "harm"\n')
    assert "[monitor alerts webhok] is not a command" in command(*ALERTS, "list", "m.db")[2]


@pytest.mark.parametrize("name", ["webhook", "email", "program", "apprise"])
def test_help_names_the_default_of_the_channel(command: Command, name: str) -> None:
    out = " ".join(command(*ALERTS, name, "--help")[1].replace("│", " ").split())
    assert "Default: the name of this command (webhook, email, program or apprise)." in out


def test_help_shows_every_command(command: Command, place: Path) -> None:
    code, out, _ = command(*ALERTS, "--help")
    assert code == 0
    for function in COMMANDS:
        name = NAMES.get(function, function.__name__)
        assert f"│ {name} " in out
        assert command(*ALERTS, name, "--help")[0] == 0
