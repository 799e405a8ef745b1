from __future__ import annotations

import os
import resource
import signal
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from shiftproof.core import StoreError
from shiftproof.monitoring.store import BatchRecord, Store
from shiftproof.monitoring.store._sqlite import SqliteFile

# Python warns of forks beside threads; the children only compute, write and end.
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
Record = Callable[..., BatchRecord]
COUNT = "SELECT count(*) FROM batches"
FULL = "there is no room left on the disk; the store is unchanged. Free some space and add the batch again."


def in_a_child(work: Callable[[], str]) -> str:
    """Do work in another process, whose limits and rights are its own, and return what it returned."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, work().encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        return pipe.read()


def test_nobody_else_can_read_a_new_store_and_an_empty_file_keeps_its_mode(tmp_path: Path, record: Record) -> None:
    umask = os.umask(0o022)
    try:
        for mode in (0o600, 0o640):
            path = tmp_path / f"{mode}.db"
            if mode == 0o640:
                path.touch(mode)
            with Store(path, create=True).writing():
                files = [*tmp_path.glob(f"{path.name}*")]
                assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {mode}
            SqliteFile(path).copy("0001")
            assert stat.S_IMODE(path.with_name(f"{path.name}.0001").stat().st_mode) == 0o600
    finally:
        os.umask(umask)


def test_log_is_written_ahead_and_flushed(store: Store) -> None:
    with store.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_reader_sees_the_store_as_it_was_while_another_writes(store: Store, record: Record) -> None:
    with store.log(1) as before:
        assert before.count() == (0, 0)
        with store.log(1, write=True) as log:
            log.append(record(0), b"")
        assert before.count() == (0, 0)
    with store.log(1) as after:
        assert after.count() == (1, 100)


def test_writer_that_waits_too_long_is_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shiftproof.monitoring.store._sqlite.WAIT", 0.05)
    with store.writing(), pytest.raises(StoreError) as caught, Store(store.place).writing():
        pass
    assert str(caught.value) == (
        f"{store.place}: another program has been writing for 60 seconds; try again when it has finished."
    )


def test_full_disk_leaves_the_store_as_it_was(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        log.append(record(0), b"")
        log.replace_state(b"state")

    def write_too_much() -> str:
        # A limit on the size of files fails as a full disk does, and needs no disk of its own.
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        try:
            with store.log(1, write=True) as log:
                log.replace_state(b"x" * 1_000_000)
        except StoreError as error:
            return str(error)
        return ""

    assert in_a_child(write_too_much) == f"{store.place}: {FULL}"
    with store.log(1) as log:
        assert (log.count(), log.state()) == ((1, 100), b"state")


def test_read_only_store_can_be_read_but_not_written(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        log.append(record(0), b"")
    Path(store.place).chmod(0o444)
    own, *above = Path(store.place).parents
    own.chmod(0o555)
    for folder in above[: above.index(Path(tempfile.gettempdir()))]:
        folder.chmod(0o755)

    def look_and_write() -> str:
        if os.getuid() == 0:
            os.setuid(65534)  # permissions do not apply to root
        locked = Store(store.place)
        with locked.log(1) as log:
            count = log.count()
        try:
            with locked.writing():
                pass
        except StoreError as error:
            return f"{count} {error}"
        return ""

    reason = "the store is read-only; check the permissions of the file and its folder."
    assert in_a_child(look_and_write) == f"(1, 100) {store.place}: {reason}"


def test_reader_without_the_right_to_write_sees_what_others_write(store: Store, record: Record) -> None:
    connections = SqliteFile(Path(store.place))
    connections.read_only = True
    with store.reading() as kept_open, connections.reading() as connection:
        # Another connection keeps the log.
        kept_open.exec_driver_sql(COUNT)
        assert connection.exec_driver_sql(COUNT).scalar() == 0
        connection.rollback()
        with store.log(1, write=True) as log:
            log.append(record(0), b"")
        assert connection.exec_driver_sql(COUNT).scalar() == 1


def test_reader_without_the_right_to_write_leaves_no_files(store: Store) -> None:
    connections = SqliteFile(Path(store.place))
    connections.read_only = True
    with connections.reading() as connection:
        assert connection.exec_driver_sql(COUNT).scalar() == 0
    assert [path.name for path in Path(store.place).parent.iterdir()] == [Path(store.place).name]


def test_reader_without_a_log_refuses_what_another_changed_meanwhile(store: Store, record: Record) -> None:
    connections = SqliteFile(Path(store.place))
    connections.read_only = True

    def look_while_another_writes() -> None:
        with connections.reading(), store.log(1, write=True) as log:
            log.append(record(0), b"")

    with pytest.raises(StoreError) as caught:
        look_while_another_writes()
    assert str(caught.value) == f"{store.place}: another program wrote to it at the same time; try again."


def test_shrinking_gives_back_what_deleted_rows_took(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        log.append(record(0), b"x" * 1_000_000)
    size = Path(store.place).stat().st_size
    with store.writing() as connection:
        connection.exec_driver_sql("DELETE FROM readings")
    with store.reading() as other:
        # Nobody waits for readers, who keep what they see.
        other.exec_driver_sql(COUNT)
        store.shrink()
    with store.writing():
        pass
    assert Path(store.place).stat().st_size < size - 900_000


@pytest.mark.parametrize("content", [b"a,b\n1,2\n" * 100, b"SQLite format 3\x00" + b"\x00" * 2000])
def test_file_that_is_not_a_store_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(StoreError) as caught:
        Store(path)
    assert str(caught.value) == f"{path}: not a monitor's store; use another file."
    assert path.read_bytes() == content


def test_damaged_store_is_refused(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        log.append(record(0), b"x" * 50_000)
    content = bytearray(Path(store.place).read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    Path(store.place).write_bytes(content)
    with pytest.raises(StoreError) as caught, Store(store.place).log(1) as log:
        log.count()
    assert str(caught.value) == f"{store.place}: the file is damaged; restore it from a copy."


def test_name_that_cannot_be_written_is_refused(store: Store, record: Record) -> None:
    with pytest.raises(StoreError) as caught, store.log(1, write=True) as log:
        log.append(record(0, "half \ud800"), b"")
    assert str(caught.value) == f"{store.place}: 'half \\ud800' has characters that cannot be written; rename it."
    with store.log(1) as log:
        assert log.count() == (0, 0)


def test_connections_are_closed_after_use(store: Store) -> None:
    with store.writing():
        pass
    # The log is removed by the last connection that closes.
    assert not Path(f"{store.place}-wal").exists()
    assert not SqliteFile(Path(store.place)).read_only


def test_store_that_does_not_exist_is_not_created_by_opening(store: Store) -> None:
    other = Path(store.place).with_name("other.db")
    with pytest.raises(StoreError) as caught:
        Store(other)
    assert str(caught.value) == f"{other}: the store does not exist; to create it, pass a baseline."
    assert not other.exists()


def test_store_that_was_deleted_is_not_created_again(store: Store, record: Record) -> None:
    Path(store.place).unlink()
    with pytest.raises(StoreError) as caught, store.log(1, write=True) as log:
        log.append(record(0), b"")
    assert str(caught.value) == (
        f"{store.place}: the file cannot be opened; check that its folder exists and can be read and written."
    )
    assert not Path(store.place).exists()


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder that nobody can write to")
def test_store_in_a_folder_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(StoreError) as caught:
        Store("/proc/self/monitor.db", create=True)
    assert str(caught.value) == (
        "/proc/self/monitor.db: the file cannot be opened; check that its folder exists and can be read and written."
    )
