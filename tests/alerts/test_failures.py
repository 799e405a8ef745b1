from __future__ import annotations

import errno
import socket
import ssl
from urllib.error import URLError

import pytest

from shiftproof.alerts import Undelivered
from shiftproof.alerts._failures import reason_of, secret, too_slow


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (URLError(TimeoutError("hunter2")), "no answer within 5 seconds"),
        (URLError(socket.gaierror(-2, "hunter2")), "the host was not found"),
        (ssl.SSLCertVerificationError("hunter2"), "the certificate of the server cannot be verified"),
        (ssl.SSLError("hunter2"), "no secure connection could be made"),
        (OSError(errno.ENETUNREACH, "hunter2"), "network is unreachable"),
        (OSError("Tunnel connection failed: hunter2"), "the connection failed (OSError)"),
        (URLError("hunter2"), "the connection failed (URLError)"),
        (ValueError("hunter2"), "the connection failed (ValueError)"),
    ],
)
def test_reason_never_repeats_the_message_of_an_exception(error: Exception, reason: str) -> None:
    assert reason_of(error, 5.0) == reason


def test_time_limit_is_named() -> None:
    assert too_slow(0.2) == "no answer within 0.2 seconds"


@pytest.mark.parametrize("environment", [{}, {"SHIFTPROOF_X": ""}])
def test_missing_variable_is_named(environment: dict[str, str]) -> None:
    with pytest.raises(Undelivered, match=r"^the environment variable SHIFTPROOF_X is not set$"):
        secret(environment, "SHIFTPROOF_X")
    assert secret({"SHIFTPROOF_X": "y"}, "SHIFTPROOF_X") == "y"
