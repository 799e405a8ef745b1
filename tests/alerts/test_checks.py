from __future__ import annotations

import pytest

from shiftproof.alerts._checks import (
    check_argv,
    check_host,
    check_mail_address,
    check_seconds,
    check_variable,
    check_web_address,
    is_web_address,
)
from shiftproof.core import InputError


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "example.org/hook",
        "https://",
        "https:///x",
        "https://example.org:port",
        "https://example.org:99999",
        "https://example.org/a b",
        "https://example.org/\r\nx: y",
        "https://[::1",
        "",
        None,
        b"https://example.org",
    ],
)
def test_other_addresses_are_refused_without_showing_them(url: object) -> None:
    assert not isinstance(url, str) or not is_web_address(url)
    with pytest.raises(InputError) as caught:
        check_web_address(url)
    assert str(caught.value) == (
        "url must begin with http:// or https://; the value is not shown because it may contain a secret."
    )


@pytest.mark.parametrize("url", ["http://localhost:8080", "https://example.org/a?token=b", "http://[::1]:80/x"])
def test_addresses_of_the_web_are_accepted(url: str) -> None:
    check_web_address(url)


@pytest.mark.parametrize(
    "name", ["hunter2", "HUNTER2", "SECRET", "SHIFTPROOF_", "SHIFTPROOF_a", "SHIFTPROOF_A=b", None]
)
def test_secret_in_place_of_its_name_is_not_shown(name: object) -> None:
    with pytest.raises(InputError) as caught:
        check_variable(name, "secret_env")
    assert str(caught.value) == (
        "secret_env must name an environment variable that begins with SHIFTPROOF_, such as SHIFTPROOF_SECRET; the "
        "value is not shown because it may be the secret itself."
    )


@pytest.mark.parametrize(
    "address", ["team", "a@b@c", "Team <team@example.org>", "a@example.org, b@example.org", "a@b\r\nBcc: c@d", "ä@b", 3]
)
def test_what_is_not_one_mail_address_is_refused(address: object) -> None:
    with pytest.raises(InputError, match=r"^to must be a single e-mail address, got .*; write it as team@example.org;"):
        check_mail_address(address, "to")


@pytest.mark.parametrize("host", ["", "smtp example", "smtp.example.org\n", "https://smtp.example.org", None])
def test_wrong_host_is_refused(host: object) -> None:
    with pytest.raises(InputError, match=r"^host must be the name of a mail server, got"):
        check_host(host)


@pytest.mark.parametrize("seconds", [0, -1, 60.5, float("nan"), float("inf"), "5", None, True])
def test_wrong_seconds_are_refused(seconds: object) -> None:
    with pytest.raises(InputError, match=r"^seconds must be above 0 and at most 60, got"):
        check_seconds(seconds)


@pytest.mark.parametrize("argv", ["/bin/true", [], ["true"], ["./page"], ["/bin/true", 3], ["/bin/true", "a\0b"], None])
def test_program_needs_its_whole_path(argv: object) -> None:
    with pytest.raises(InputError, match=r"^argv must be the full path of a program, and its arguments, got"):
        check_argv(argv)


def test_argv_is_kept_as_a_tuple() -> None:
    assert check_argv(["/bin/echo", "a b"]) == ("/bin/echo", "a b")
