"""Hand a message to a program."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping
from typing import TYPE_CHECKING

from shiftproof.alerts._checks import PROGRAMS
from shiftproof.alerts._failures import Undelivered, too_slow
from shiftproof.alerts._message import AlertMessage
from shiftproof.core import shown

if TYPE_CHECKING:
    from shiftproof.alerts._channels import Program


def hand_over(channel: Program, message: AlertMessage, environment: Mapping[str, str]) -> None:
    """Run a program with the message as JSON on its standard input; exit status 0 means that it was delivered."""
    name = shown(channel.argv[0])
    if channel.argv[0] not in environment.get(PROGRAMS, "").split(os.pathsep):
        raise Undelivered(
            f"the environment variable {PROGRAMS} does not name {name}; a store is not allowed to run programs on "
            "its own"
        )
    try:
        process = subprocess.Popen(  # noqa: S603 - the user's own program, without a shell
            channel.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            # What it prints may hold secrets of its own.
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            # A group of its own, so that its children can be ended with it.
            start_new_session=True,
        )
    except FileNotFoundError:
        raise Undelivered(f"the program {name} does not exist") from None
    except OSError as error:
        raise Undelivered(f"the program {name} cannot be run ({os.strerror(error.errno or 0).lower()})") from None
    try:
        process.communicate(message.body, timeout=channel.seconds)
    except subprocess.TimeoutExpired:
        raise Undelivered(f"the program gave {too_slow(channel.seconds)} and was stopped") from None
    finally:
        _end(process)
    if process.returncode:
        raise Undelivered(f"the program exited with status {process.returncode}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program that still runs, with its children."""
    if process.poll() is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    # Closes the pipe, too.
    process.communicate()
