"""Open a store: connections, transactions, and sentences for what SQLite complains about."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import NullPool

from shiftproof.core import StoreError, shown

# Another writer holds the store for some milliseconds; after this many seconds something is stuck.
WAIT = 60.0
#: Marks an SQLite file as a store of ours: "shpm".
APPLICATION = 0x7368706D
_FULL = "there is no room left on the disk; the store is as it was before. Free some space and add the batch again"
_REASONS = {
    sqlite3.SQLITE_BUSY: f"another program has been writing for {WAIT:.0f} seconds; try again when it has ended",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened; check that its folder exists and may be read and written",
    sqlite3.SQLITE_CORRUPT: "the file is damaged; restore a copy",
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_NOTADB: "not a monitor's store; name another file",
    sqlite3.SQLITE_PERM: "the file may not be written; check its permissions",
    sqlite3.SQLITE_READONLY: "the store is read-only; check the permissions of the file and its folder",
}
# Limits on the size of files and quotas are reported as failed writes.
_FAILED_WRITES = (sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_TRUNCATE)


class Connections:
    """The connections to one store, each open only as long as a transaction.

    Parameters
    ----------
    path : Path
        The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
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
        try:
            return self._opened_as("ro")
        except sqlite3.OperationalError:
            # SQLite cannot create the files that readers share with writers. Without a log nobody is writing now, and
            # the store can be read without them.
            if Path(f"{self.path}-wal").exists():
                raise
            return self._opened_as("ro&immutable=1")

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
    def writing(self) -> Iterator[Connection]:
        """Begin a transaction that is committed at the end, or leaves no trace after an error."""
        if self.read_only:
            raise StoreError(self.path, _REASONS[sqlite3.SQLITE_READONLY])
        with self.worded(), self._engine.connect() as connection:
            # At once: a transaction that read first could not go on after another one wrote.
            connection = connection.execution_options(begin="BEGIN IMMEDIATE")  # noqa: PLW2901
            with connection.begin():
                yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Begin a transaction that sees the store as it is now, whatever others write meanwhile."""
        with self.worded(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def worded(self) -> Iterator[None]:
        """Turn what SQLite complains about into sentences."""
        try:
            yield
        except (DatabaseError, sqlite3.Error) as error:
            raise reason(self.path, error) from error
        except UnicodeEncodeError as error:
            name = f"{shown(error.object)} has characters that cannot be written; rename it"
            raise StoreError(self.path, name) from None


def reason(path: Path, error: Exception) -> StoreError:
    """Say in a sentence what SQLite reported."""
    origin: Any = getattr(error, "orig", None) or error
    code = getattr(origin, "sqlite_errorcode", 0)
    if code in _FAILED_WRITES:
        return StoreError(path, _FULL)
    # Codes have a general part, the last eight bits, and details.
    words = _REASONS.get(code & 0xFF, f"the store cannot be used ({origin}); check the file and its disk")
    return StoreError(path, words)
