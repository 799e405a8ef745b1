"""A monitor's store on a PostgreSQL server: what differs from a file."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.engines._server import PostgresServer
from tests.monitoring.conftest import make_batch, make_table
from tests.monitoring.store.conftest import make_record

from shiftproof.cli import run
from shiftproof.core import InputError, StoreError
from shiftproof.monitoring import Baseline, Monitor
from shiftproof.monitoring.store import BatchRecord, FigureRecord, Store, create_monitor
from shiftproof.monitoring.store import _schema as schema

PASSWORD = "open%2Fsesame"  # noqa: S105 - of a role that lives as long as the tests


@pytest.fixture(scope="module")
def baseline() -> Baseline:
    return Baseline.of(make_table(400), scores="p", labels="y")


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    """Return the URL of an empty database."""
    return postgres.url(postgres.new())


@pytest.fixture
def store(url: str) -> Store:
    """Return a store with a monitor whose key is 1."""
    return with_monitor(url)


def with_monitor(url: str) -> Store:
    store = Store(url, create=True)
    with store.writing() as connection:
        create_monitor(connection, "default", pd.Timestamp("2024-01-01", tz="UTC"), {}, {"counts.parquet": b"123"})
    return store


def database_of(url: str) -> str:
    return url.partition("@/")[2].partition("?")[0]


def refusal(url: str, *, create: bool = False) -> str:
    """Return why a store cannot be opened, without where it is."""
    with pytest.raises(StoreError) as caught:
        Store(url, create=create)
    return str(caught.value).removeprefix(f"{caught.value.path}: ")


# -- the same as in a file ---------------------------------------------------------------------------------------------


def test_states_and_histories_are_those_of_a_file(url: str, baseline: Baseline, tmp_path: Path) -> None:
    monitors = [Monitor(place, baseline) for place in (url, tmp_path / "monitor.db")]
    for monitor in monitors:
        for day in range(10):
            batch = make_batch(200, shift=15.0 if 5 <= day < 8 else 0.0, seed=day + 1)
            monitor.add(batch, at=f"2024-03-{day + 1:02d}", id=f"day {day}")
        monitor.acknowledge(1, "a campaign")
    states = []
    for monitor in monitors:
        with monitor._store.log(monitor._key) as log:
            states.append(log.state())
    assert states[0] is not None
    assert states[0] == states[1]
    for columns in (False, True):
        server, file = (monitor.history(columns=columns).drop(columns="arrived") for monitor in monitors)
        pd.testing.assert_frame_equal(server, file, check_exact=True)
    assert [one.level for one in monitors[0].incidents] == [one.level for one in monitors[1].incidents]


def test_names_sort_by_their_characters_whatever_the_language(postgres: PostgresServer) -> None:
    postgres.execute("CREATE DATABASE german TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'de'")
    store = with_monitor(postgres.url("german"))
    names = ["b", "A", "a", "B", "ä", "_", ""]
    figures = tuple(FigureRecord(quantity="share", subject=name, estimate=0.5) for name in names)
    batch = make_record(0)
    with store.log(1, write=True) as log:
        log.append(BatchRecord(**{**batch.__dict__, "figures": figures}), b"")
    with store.log(1) as log:
        found = log.find("day 0")
        assert found is not None
        assert [figure.subject for figure in found.figures] == sorted(names)
        assert [row[6] for rows in log.rows(schema.figures) for row in rows] == sorted(names)


def test_numbers_may_be_large(store: Store) -> None:
    batch = BatchRecord(**{**make_record(0).__dict__, "n_rows": 2**40})
    with store.log(1, write=True) as log:
        log.append(batch, b"")
        log.append(BatchRecord(**{**batch.__dict__, "id": "two"}), b"")
        log.remember_file("day 0", (2**40, 2**62))
    with store.log(1) as log:
        assert (log.count(), log.files()) == ((2, 2**41), {"day 0": (2**40, 2**62)})


def test_texts_of_json_may_have_any_character(store: Store) -> None:
    facts = {"notes": ["a\x00b", "half \ud800", "ä"]}
    with store.log(1, write=True) as log:
        log.append(BatchRecord(**{**make_record(0).__dict__, "facts": facts}), b"")
        log.remember_file("day 0", (1, 2))
        assert log.files() == {"day 0": (1, 2)}
        found = log.find("day 0")
    assert found is not None
    assert found.facts["notes"] == facts["notes"]


@pytest.mark.parametrize("name", ["a\x00b", "half \ud800"])
def test_name_that_cannot_be_kept_is_refused(store: Store, name: str) -> None:
    with pytest.raises(StoreError, match=r"characters that .* rename"), store.log(1, write=True) as log:
        log.append(make_record(0, name), b"")
    with store.log(1) as log:
        assert log.count() == (0, 0)


# -- several programs --------------------------------------------------------------------------------------------------


def test_reader_sees_the_store_as_it_was_while_another_writes(store: Store) -> None:
    with store.log(1) as before:
        assert before.count() == (0, 0)
        with store.log(1, write=True) as log:
            log.append(make_record(0), b"")
        assert before.count() == (0, 0)
    with store.log(1) as after:
        assert after.count() == (1, 100)


def test_writers_of_a_monitor_wait_for_each_other_and_no_others(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shiftproof.monitoring.store._postgres.WAIT", 0.2)
    with store.writing() as connection:
        other = create_monitor(connection, "other", pd.Timestamp("2024-01-01", tz="UTC"), {}, {"a": b""})
    again = Store(store.place)
    with store.log(1, write=True) as log:
        log.append(make_record(0), b"")
        with again.log(other.key, write=True) as free:
            free.append(make_record(0), b"")
        with pytest.raises(StoreError) as caught, again.log(1, write=True):
            pass
    assert str(caught.value) == (
        f"{store.place}: another program has been writing for 60 seconds; try again when it has finished."
    )


def test_writers_of_another_store_in_the_same_database_do_not_wait(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shiftproof.monitoring.store._postgres.WAIT", 0.2)
    database = postgres.new()
    stores = []
    for name in ("first", "second"):
        postgres.execute(f"CREATE SCHEMA {name}", database)
        stores.append(with_monitor(postgres.url(database, settings=f"&options=-csearch_path%3D{name}")))
    with stores[0].log(1, write=True) as one, stores[1].log(1, write=True) as two:
        one.append(make_record(0), b"")
        two.append(make_record(0), b"")
        two.append(make_record(1), b"")
    counts = []
    for store in stores:
        with store.log(1) as log:
            counts.append(log.count()[0])
    assert counts == [1, 2]


def test_store_that_several_create_at_once_is_created_once(url: str, baseline: Baseline) -> None:
    failures: list[BaseException] = []

    def create() -> None:
        try:
            Monitor(url, baseline)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=create) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert Monitor(url).status().n_batches == 0


# -- what may be there -------------------------------------------------------------------------------------------------


def test_store_is_not_created_by_opening(url: str, postgres: PostgresServer) -> None:
    assert refusal(url) == ("the store does not exist; to create it, pass a baseline.")
    assert postgres.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", database_of(url)) == [(0,)]


@pytest.mark.parametrize("table", ["customers (id int)", "alembic_version (version_num text)"])
def test_schema_with_tables_of_another_program_is_refused(url: str, postgres: PostgresServer, table: str) -> None:
    postgres.execute(f"CREATE TABLE {table}", database_of(url))
    for create in (False, True):
        assert refusal(url, create=create) == (
            "the schema 'public' has tables of another program; use an empty schema, such as "
            "?options=-csearch_path%3Dmonitor at the end of the URL."
        )


def test_schema_that_does_not_exist_is_refused(url: str) -> None:
    assert refusal(f"{url}&options=-csearch_path%3Dnone_such", create=True) == (
        "the role may not create tables in any schema of its search_path; create a schema, or grant the permission."
    )


def test_newer_store_is_refused(store: Store, url: str, postgres: PostgresServer) -> None:
    postgres.execute("UPDATE alembic_version SET version_num = '0007'", database_of(url))
    assert refusal(url).startswith("made by a newer version of shiftproof (store version 0007; this one supports ")


# -- what a server refuses ---------------------------------------------------------------------------------------------


def test_no_connection_says_why(postgres: PostgresServer) -> None:
    assert refusal(postgres.url().replace("port=54329", "port=1")).endswith(
        "check the URL, and that the server is running."
    )
    assert 'database "none" does not exist); check' in refusal(postgres.url("none"))
    assert 'role "nobody_here" does not exist); check' in refusal(postgres.url(user="nobody_here"))
    unknown = refusal("postgresql://me@no.such.host.invalid/db")
    assert unknown.startswith("no connection to the server (failed to resolve host 'no.such.host.invalid'")


def test_password_is_taken_from_everywhere_and_never_shown(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = postgres.new()
    postgres.execute(f"GRANT ALL ON DATABASE {database} TO careful")
    postgres.execute("GRANT ALL ON SCHEMA public TO careful", database)
    bare = postgres.url(database, user="careful")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert refusal(bare).endswith("put the password into the file ~/.pgpass or the variable PGPASSWORD.")
    wrong = refusal(bare.replace("careful@", "careful:sesamy@"))
    assert wrong.endswith("check the user, the password and the name of the database.")
    assert "sesamy" not in wrong
    given = Store(bare.replace("careful@", f"careful:{PASSWORD}@"), create=True)
    assert given.place == bare
    assert "sesame" not in str(vars(given._database)["_engine"].url)
    monkeypatch.setenv("PGPASSWORD", "open/sesame")
    assert Store(bare).place == bare
    monkeypatch.delenv("PGPASSWORD")
    # Ports and folders of sockets are part of what a line of the file matches.
    (tmp_path / ".pgpass").write_text("*:*:*:careful:open/sesame\n")
    (tmp_path / ".pgpass").chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / ".pgpass"))
    assert Store(bare).place == bare


def test_role_that_may_only_read_sees_everything_and_writes_nothing(
    url: str, postgres: PostgresServer, baseline: Baseline
) -> None:
    monitor = Monitor(url, baseline)
    monitor.add(make_batch(), id="one")
    if not postgres.execute("SELECT 1 FROM pg_roles WHERE rolname = 'reader'"):
        postgres.execute("CREATE ROLE reader LOGIN")
    postgres.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader", database_of(url))
    looking = Monitor(url.replace("owner@", "reader@"))
    assert looking.status().n_batches == 1
    with pytest.raises(StoreError) as caught:
        looking.add(make_batch(seed=1), id="two")
    assert str(caught.value).endswith(
        "the store can be read but not written by this role; grant it SELECT, INSERT, UPDATE and DELETE on the tables, "
        "and USAGE on the sequences."
    )
    with pytest.raises(StoreError, match="the server or the role is read-only"):
        Monitor(f"{url}&options=-cdefault_transaction_read_only%3Don").add(make_batch(seed=1), id="two")
    assert monitor.status().n_batches == 1


def test_statement_that_takes_too_long_leaves_no_trace(url: str, store: Store) -> None:
    slow = Store(f"{url}&options=-cstatement_timeout%3D50")
    with pytest.raises(StoreError) as caught, slow.log(1, write=True) as log:  # noqa: PT012 - in one transaction
        log.append(make_record(0), b"")
        log._connection.exec_driver_sql("SELECT pg_sleep(10)")
    assert str(caught.value).endswith(
        "the server cancelled the statement, which took longer than its statement_timeout or was stopped by "
        "someone; try again; a batch is stored either completely or not at all."
    )
    with store.log(1) as log:
        assert log.count() == (0, 0)


@pytest.fixture
def restarted(postgres: PostgresServer) -> Iterator[PostgresServer]:
    """Return the server, which runs again afterwards whatever happened to it."""
    yield postgres
    postgres.stop("immediate")
    postgres.start()


def test_server_that_dies_leaves_all_of_a_batch_or_nothing(
    restarted: PostgresServer, url: str, baseline: Baseline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monitor = Monitor(url, baseline)
    monitor.add(make_batch(), id="one")
    step = monitor._alarms.__class__.step

    def dying(*arguments: object) -> object:
        restarted.stop("immediate")
        return step(*arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(monitor._alarms.__class__, "step", dying)
        with pytest.raises(StoreError) as caught:
            monitor.add(make_batch(seed=1), id="two")
    assert "the connection to the server was lost (" in str(caught.value)
    assert str(caught.value).endswith("try again; a batch is stored either completely or not at all.")
    with pytest.raises(StoreError, match="no connection to the server"):
        monitor.status()
    restarted.start()
    assert monitor.status().n_batches == 1
    assert not monitor.add(make_batch(seed=1), id="two").repeated


@pytest.fixture
def small_disk(postgres: PostgresServer) -> Iterator[str]:
    """Return the name of a tablespace on a disk of 24 MB."""
    place = postgres.folder / "small"
    place.mkdir()
    if subprocess.call(["mount", "-t", "tmpfs", "-o", "size=24m", "none", str(place)]):  # noqa: S603, S607
        pytest.skip("needs the right to mount a small disk")
    if os.geteuid() == 0:
        os.chown(place, postgres.folder.stat().st_uid, -1)
    postgres.execute(f"CREATE TABLESPACE small LOCATION '{place}'")
    yield "small"
    subprocess.check_call(["umount", "-l", str(place)])  # noqa: S603, S607


def test_full_disk_leaves_the_store_as_it_was(postgres: PostgresServer, small_disk: str) -> None:
    name = postgres.new()
    postgres.execute(f"ALTER DATABASE {name} SET TABLESPACE {small_disk}")
    store = with_monitor(postgres.url(name))
    with store.log(1, write=True) as log:
        log.replace_state(b"state")
    with pytest.raises(StoreError) as caught, store.log(1, write=True) as log:
        log.replace_state(np.random.default_rng(0).bytes(40_000_000))
    assert str(caught.value).endswith(
        "there is no room left on the disk; the store is unchanged. Free some space and add the batch again."
    )
    with store.log(1) as log:
        assert log.state() == b"state"
    postgres.execute(f"DROP DATABASE {name}")
    postgres.execute(f"DROP TABLESPACE {small_disk}")


def test_url_with_a_misspelt_setting_is_refused(url: str) -> None:
    with pytest.raises(InputError, match=r"store must be a URL that PostgreSQL understands, got .*; write it as"):
        Store(f"{url}&sslmod=require")


# -- by commands -------------------------------------------------------------------------------------------------------


def test_commands_take_a_url_and_print_no_password(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    database = postgres.new()
    postgres.execute("GRANT ALL ON SCHEMA public TO careful", database)
    url = postgres.url(database, user=f"careful:{PASSWORD}")
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(make_table(400)).to_csv("reference.csv", index=False)
    for day in range(3):
        pd.DataFrame(make_batch(200, shift=15.0 * (day == 2), seed=day)).to_csv(f"2024-03-0{day + 1}.csv", index=False)
    days = [f"2024-03-0{day}.csv" for day in (1, 2, 3)]
    calls: list[tuple[int, list[str]]] = [
        (0, ["init", url, "--reference", "reference.csv", "--score-column", "p", "--target", "y"]),
        (1, ["add", url, *days, "--json", "added.json", "--out", "page.html"]),
        (1, ["add", url, *days]),
        (1, ["status", url, "--json", "status.json", "--out", "status.html"]),
        (0, ["ack", url, "1", "--reason", "known"]),
        (0, ["export", url, "history", "--prune", "2024-03-02"]),
        (2, ["status", url.replace("sesame", "sesamy")]),
    ]
    for expected, arguments in calls:
        assert run(["monitor", *arguments]) == expected, arguments
    printed = capfd.readouterr()
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert not [word for word in ("sesam", "%2F") if word in printed.out + printed.err or word.encode() in written]
    assert f"next: shiftproof monitor add 'postgresql://careful@/{database}" in printed.err
    assert Monitor(url).status().n_batches == 3
