"""A store in a file: connections, transactions, and sentences for what SQLite complains about."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.pool import NullPool

from shiftproof.core import StoreError
from shiftproof.monitoring.store._database import BUSY, FULL, NO_STORE, VERSIONS, WAIT, worded

#: Marks an SQLite file as a store of ours: "shpm".
APPLICATION = 0x7368706D
_EMPTY = "the store is empty; create it again with shiftproof monitor init, or pass a baseline"
_FOREIGN = "not a monitor's store; use another file"
_REASONS = {
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened; check that its folder exists and can be read and written",
    sqlite3.SQLITE_CORRUPT: "the file is damaged; restore it from a copy",
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_NOTADB: _FOREIGN,
    sqlite3.SQLITE_PERM: "the file cannot be written; check its permissions",
    sqlite3.SQLITE_READONLY: "the store is read-only; check the permissions of the file and its folder",
}
_COLUMNS = "SELECT t.name, c.name FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table'"
# Limits on the size of files and quotas are reported as failed writes.
_FAILED_WRITES = (sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_TRUNCATE)


class SqliteFile:
    """A file on a disk of this machine; connections are open only as long as a transaction.

    Parameters
    ----------
    path : Path
        The file.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.place = path, str(path)
        self.read_only = path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
        self._engine = self._connect()

    def _connect(self) -> Engine:
        # Without a pool nothing is left open between two batches, and a process that forks shares nothing.
        engine = create_engine("sqlite://", creator=self._opened, poolclass=NullPool)

        @event.listens_for(engine, "begin")
        def begin(connection: Connection) -> None:
            connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))

        return engine

    def _opened(self) -> sqlite3.Connection:
        if not self.read_only:
            return self._opened_as("rw")
        return self._opened_as("ro&immutable=1" if self._alone else "ro")

    @property
    def _alone(self) -> bool:
        """Whether the store is read without the files that readers share with writers.

        Somebody who may not write a store cannot create them, or would leave them behind with rights that keep writers
        out. They are not needed while there is no log, because then nobody is writing.
        """
        return self.read_only and not Path(f"{self.path}-wal").exists()

    def _opened_as(self, mode: str) -> sqlite3.Connection:
        uri = f"{self.path.absolute().as_uri()}?mode={mode}"
        # Python would begin transactions by itself, late and not for statements that change tables.
        connection = sqlite3.connect(uri, uri=True, timeout=WAIT, isolation_level=None)
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            # A batch that was acknowledged survives a power failure, too.
            connection.execute("PRAGMA synchronous = FULL")
            if self.read_only:
                # SQLite only finds out when it reads whether it can.
                connection.execute("PRAGMA schema_version").fetchone()
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    @contextmanager
    def writing(self, key: int | None = None) -> Iterator[Connection]:  # noqa: ARG002 - a file has one writer
        """Begin a transaction that is committed at the end, or leaves no trace after an error."""
        if self.read_only:
            raise StoreError(self.place, _REASONS[sqlite3.SQLITE_READONLY])
        with self._worded(), self._engine.connect() as connection:
            # At once: a transaction that read first could not go on after another one wrote.
            connection = connection.execution_options(begin="BEGIN IMMEDIATE")  # noqa: PLW2901
            with connection.begin():
                yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Begin a transaction that sees the store as it is now, whatever others write meanwhile."""
        with self._worded(), self._steady(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _steady(self) -> Iterator[None]:
        """Refuse what was read alone if a writer came meanwhile: parts of it may be old, and others new."""
        alone, before = self._alone, self._stamp()
        try:
            yield
        finally:
            if alone and self._stamp() != before:
                raise StoreError(self.place, "another program wrote to it at the same time; try again")

    def _stamp(self) -> tuple[int, int]:
        status = self.path.stat()
        return status.st_size, status.st_mtime_ns

    def make_room(self, *, create: bool) -> None:
        """Create the file if there is none, and let it use a write-ahead log, in which nobody waits for readers."""
        if not (create or self.path.exists()):
            raise StoreError(self.place, NO_STORE)
        if self.read_only or not create:
            return
        # Nobody else can read a new store; SQLite gives the files beside it the same mode.
        with suppress(OSError):  # which it reports in its own way
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        with self._worded(), closing(sqlite3.connect(self.path, timeout=WAIT, isolation_level=None)) as connection:
            # The tables of another program are left alone.
            if connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None:
                # Must be set before the first table; pages can then be given back without writing the whole file anew.
                connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
                connection.execute("PRAGMA journal_mode = WAL")

    def holds_store(self, connection: Connection, *, create: bool) -> bool:
        """Return whether the file is a store; refuse files of other programs."""
        tables = {*connection.scalars(text("SELECT name FROM sqlite_master WHERE type = 'table'"))}
        if not tables:
            if create:
                return False
            # A program that was stopped while it created the store leaves an empty file.
            raise StoreError(self.place, _EMPTY)
        ours = connection.scalar(text("PRAGMA application_id")) == APPLICATION
        if not ours or VERSIONS not in tables:
            raise StoreError(self.place, _FOREIGN)
        return True

    def columns(self, connection: Connection) -> set[tuple[str, str]]:
        """Return the tables and their columns, as pairs."""
        found = connection.execute(text(_COLUMNS))
        return {(table, column) for table, column in found}

    def mark(self, connection: Connection) -> None:
        """Mark the file as a store of ours."""
        connection.execute(text(f"PRAGMA application_id = {APPLICATION}"))

    def shrink(self) -> None:
        """Cut the pages that deleted rows took off the end of the file."""
        with self._worded(), closing(self._opened()) as connection:
            # SQLite frees one page per step; a script goes on until there is nothing left to do.
            connection.executescript("PRAGMA incremental_vacuum;")

    def copy(self, version: str) -> None:
        """Copy the file beside it, with what is still in the log."""
        target = self.path.with_name(f"{self.path.name}.{version}")
        target.touch(mode=0o600)
        with closing(sqlite3.connect(self.path, timeout=WAIT)) as source, closing(sqlite3.connect(target)) as copy:
            source.backup(copy)

    def _worded(self) -> AbstractContextManager[None]:
        return worded(self.place, reason, sqlite3.Error)


def reason(error: BaseException) -> str:
    """Say in a sentence what SQLite reported."""
    code = getattr(error, "sqlite_errorcode", 0)
    if code in _FAILED_WRITES:
        return FULL
    # Codes have a general part, the last eight bits, and details.
    return _REASONS.get(code & 0xFF, f"the store cannot be used ({error}); check the file and its disk")
