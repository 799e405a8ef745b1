"""One store with any number of monitors: a file, or a database on a server."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from shiftproof.core import InputError
from shiftproof.monitoring.store._database import Database
from shiftproof.monitoring.store._log import MonitorLog
from shiftproof.monitoring.store._outbox import Outbox
from shiftproof.monitoring.store._pages import PageQueries
from shiftproof.monitoring.store._place import local_file
from shiftproof.monitoring.store._postgres import PostgresDatabase
from shiftproof.monitoring.store._sqlite import SqliteFile
from shiftproof.monitoring.store._url import PostgresUrl
from shiftproof.monitoring.store._versions import prepare


class _Here(threading.local):
    """The connection of a snapshot; of each thread its own, as neither connections nor transactions can be shared."""

    connection: Connection | None = None


class Store:
    """A store of the current version.

    Parameters
    ----------
    store : str or path-like
        A file on a disk of this machine, or the URL of a PostgreSQL database.
    create : bool, default False
        Whether to create it if there is none.
    """

    def __init__(self, store: str | os.PathLike[str], *, create: bool = False) -> None:
        self._database = _database(store)
        self._here = _Here()
        prepare(self._database, create=create)

    @property
    def place(self) -> str:
        """Where the store is, for errors and pages; never with a password."""
        return self._database.place

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Begin a transaction that sees the store as it is now, or as it was when a snapshot of this thread began."""
        if self._here.connection is not None:
            yield self._here.connection
            return
        with self._database.reading() as connection:
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all that this thread reads within see the same moment.

        What is made of several answers then never shows a batch in one place and not in another. Opening a file
        or a connection to a server for each of them would also take longer than most answers.
        """
        with self.reading() as connection:
            outer, self._here.connection = self._here.connection, connection
            try:
                yield
            finally:
                self._here.connection = outer

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Begin a transaction on no monitor in particular that is committed whole or not at all."""
        with self._database.writing() as connection:
            yield connection

    def shrink(self) -> None:
        """Give back to the disk what deleted rows took."""
        self._database.shrink()

    @contextmanager
    def log(self, key: int, *, write: bool = False) -> Iterator[MonitorLog]:
        """Begin a transaction on what belongs to one monitor."""
        with self._database.writing(key) if write else self.reading() as connection:
            yield MonitorLog(connection, key, self.place)

    @contextmanager
    def pages(self, key: int) -> Iterator[PageQueries]:
        """Begin a transaction for what pages ask of one monitor."""
        with self.reading() as connection:
            yield PageQueries(connection, key)

    @contextmanager
    def outbox(self, *, write: bool = False) -> Iterator[Outbox]:
        """Begin a transaction on the channels of all monitors, and on what waits to be sent."""
        with self.writing() if write else self.reading() as connection:
            yield Outbox(connection)


def _database(store: str | os.PathLike[str]) -> Database:
    """Return the database that a store is in."""
    # Paths are looked at, too, because a URL that was made one would become the name of a file.
    url = PostgresUrl.of(str(store))
    if url is None:
        return SqliteFile(local_file(store))
    try:
        return PostgresDatabase(url)
    except ImportError:  # psycopg is missing, or the library of PostgreSQL that it needs
        raise InputError(
            "a store in PostgreSQL needs psycopg; run pip install '.[postgres]' in a checkout of shiftproof"
        ) from None
