from __future__ import annotations

import sys
from typing import Any

import pytest

from shiftproof.core import InputError
from shiftproof.monitoring.store import Store
from shiftproof.monitoring.store._database import BUSY, FULL
from shiftproof.monitoring.store._postgres import PostgresDatabase, reason
from shiftproof.monitoring.store._url import PostgresUrl

# What needs a server is tested in tests/engines.


def error(code: str) -> Exception:
    psycopg: Any = pytest.importorskip("psycopg", reason="needs psycopg; make engines installs it")
    # The driver has a class for every code that the server may send.
    raised: Exception = psycopg.errors.lookup(code)("canceling statement\nDETAIL: because.")
    return raised


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("55P03", BUSY),
        ("53100", FULL),
        ("42501", "the store can be read but not written by this role; grant it SELECT, INSERT, UPDATE and DELETE"),
        ("25006", "the store can be read but not written: the server or the role is read-only; name the main server"),
        (
            "57P01",
            "the connection to the server was lost (canceling statement DETAIL: because); try again; a batch is ",
        ),
        (
            "08006",
            "the connection to the server was lost (canceling statement DETAIL: because); try again; a batch is ",
        ),
        (
            "40P01",
            "the server gave up (canceling statement DETAIL: because); try again; a batch is stored either",
        ),
        ("42P01", "the store cannot be used (canceling statement DETAIL: because); check the database"),
    ],
)
def test_codes_of_the_server_become_sentences(code: str, sentence: str) -> None:
    assert reason(error(code)).startswith(sentence)


def test_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(InputError) as caught:
        Store("postgresql://me:secret@host/db")
    assert str(caught.value) == (
        "a store in PostgreSQL needs psycopg; run pip install '.[postgres]' in a checkout of shiftproof."
    )


def test_url_that_the_driver_does_not_understand_is_shown_without_its_password() -> None:
    pytest.importorskip("psycopg", reason="needs psycopg; make engines installs it")
    url = PostgresUrl.of("postgresql://me:sec%zzret@[::1/db")
    assert url is not None
    with pytest.raises(InputError) as caught:
        PostgresDatabase(url)
    assert str(caught.value) == (
        "store must be a URL that PostgreSQL understands, got 'postgresql://me@[::1/db'; write it as "
        "postgresql://user@host:port/database."
    )
    assert caught.value.__cause__ is None
