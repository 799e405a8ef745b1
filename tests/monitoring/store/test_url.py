from __future__ import annotations

from pathlib import Path

import pytest

from shiftproof.core import InputError
from shiftproof.monitoring.store._url import PostgresUrl


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ("postgresql://me@host/db", "postgresql://me@host/db"),
        ("postgres://me:secret@host:5433/db", "postgresql://me@host:5433/db"),
        ("postgresql+psycopg://me:sec?ret@host/db", "postgresql://me@host/db"),
        ("postgresql://:secret@host/db", "postgresql://@host/db"),
        (
            "postgresql://me:p%40ss%2Fword@a,b:1/db?target_session_attrs=any",
            "postgresql://me@a,b:1/db?target_session_attrs=any",
        ),
        ("postgresql:///db?host=/run/pg&password=secret", "postgresql:///db?host=/run/pg"),
        ("postgresql:///db?p%61ssword=secret&sslpassword=secret&user=me", "postgresql:///db?user=me"),
        ("postgresql://host/db?options=-csearch_path%3Da", "postgresql://host/db?options=-csearch_path%3Da"),
        ("postgresql://", "postgresql://"),
    ],
)
def test_password_is_in_no_place(given: str, place: str) -> None:
    url = PostgresUrl.of(given)
    assert url is not None
    assert (url.place, url.uri.partition("://")[2]) == (place, given.partition("://")[2])
    assert "secret" not in repr(url)


@pytest.mark.parametrize("given", ["monitor.db", "mysql://me:secret@host/db", "C:\\monitor.db"])
def test_everything_else_is_not_a_url_of_postgresql(given: str) -> None:
    assert PostgresUrl.of(given) is None


@pytest.mark.parametrize(
    "given", ["postgresql://me:sec@ret@host/db", "postgresql://me:sec/ret@host/db", "postgresql://me:sec?ret@a@b/db"]
)
def test_password_that_would_be_taken_for_a_host_is_refused_and_not_shown(given: str) -> None:
    with pytest.raises(InputError) as caught:
        PostgresUrl.of(given)
    assert str(caught.value) == (
        "store must be a URL such as postgresql://me@db.example.org/monitors, got one with several @, or with a / "
        "before the @; write the characters @ and / in names and passwords as %40 and %2F."
    )


def test_url_that_became_a_path_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        PostgresUrl.of(str(Path("postgresql://me:secret@host/db")))
    assert str(caught.value) == (
        "store must be a URL such as postgresql://me@db.example.org/monitors, got a path with one slash; give the URL "
        "as text."
    )


def test_settings_of_libpq_are_refused_and_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError) as caught:
        PostgresUrl.of("host=a user=me password=secret")
    assert str(caught.value) == (
        "store must be a URL such as postgresql://me@db.example.org/monitors, got settings such as host= and dbname=; "
        "write them as a URL, with the password in ~/.pgpass or PGPASSWORD."
    )
    # Files may be called anything.
    monkeypatch.chdir(tmp_path)
    Path("host=a").touch()
    assert PostgresUrl.of("host=a") is None
