from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from shiftproof.core import InputError
from shiftproof.web import ServeSettings, read_token

TOKEN = "a" * 20


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"port": -1}, "port must be a number from 0 to 65535, got -1; 8470 is the default"),
        ({"host": "a b"}, "host must be an address or a name of this machine, got 'a b'; 127.0.0.1 is the default"),
        ({"root_path": "x"}, "root_path must begin with a slash and not end with one, got 'x'; write it as /models"),
        (
            {"root_path": "/x/"},
            "root_path must begin with a slash and not end with one, got '/x/'; write it as /models",
        ),
        ({"root_path": "//evil"}, "root_path must begin with a slash and not end with one, got '//evil'; write it as "),
        ({"allowed_hosts": ("a/b",)}, "allow_host must be the name of a machine, got 'a/b'; write it as models."),
        ({"host": "::"}, "host '::' gives other machines access, which needs a token; set SHIFTPROOF_TOKEN or pass "),
    ],
)
def test_settings_that_cannot_be_used_are_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as caught:
        ServeSettings(store="m.db", **fields)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.9", "::1", "localhost"])
def test_this_machine_needs_no_token(host: str) -> None:
    assert ServeSettings(store="m.db", host=host).local


def test_other_machines_need_one() -> None:
    settings = ServeSettings(store="m.db", host="0.0.0.0", token=TOKEN)  # noqa: S104 - not bound
    assert (settings.local, settings.address) == (False, "http://127.0.0.1:8470")
    assert ServeSettings(store="m.db", host="::1", root_path="/a/b").address == "http://[::1]:8470/a/b"


def test_hosts_are_known_names_or_addresses() -> None:
    settings = ServeSettings(store="m.db", allowed_hosts=("Models.example.org",))
    allowed = ["localhost", "LOCALHOST:80", "127.0.0.1:8470", "[::1]:8470", "192.168.1.5", "models.example.org:443"]
    assert all(map(settings.allows, [*allowed, socket.gethostname()]))
    refused = ["evil.example", "localhost.evil.example", "", "127.0.0.1.evil.example", "evil.example:80", "a@localhost"]
    assert not any(map(settings.allows, refused))


def test_the_token_is_read_from_a_file_or_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    assert read_token(file, {"SHIFTPROOF_TOKEN": "b" * 20}) == TOKEN
    assert read_token(None, {"SHIFTPROOF_TOKEN": "b" * 20}) == "b" * 20
    assert read_token(None, {}) is None


@pytest.mark.parametrize("content", [b"short", b"two words of sixteen", b"\xff\xfe" * 20, b"", "ü".encode() * 20])
def test_a_token_that_cannot_be_used_is_not_shown(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_token(file, {})
    assert str(file) in str(caught.value)
    assert not content or content.decode(errors="replace") not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the token cannot be read \(No such file"):
        read_token(tmp_path / "none", {})
