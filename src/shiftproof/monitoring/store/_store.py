"""One store with any number of monitors: a file, or a database on a server."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from shiftproof.monitoring.store._database import Database
from shiftproof.monitoring.store._log import MonitorLog
from shiftproof.monitoring.store._outbox import Outbox
from shiftproof.monitoring.store._place import local_file
from shiftproof.monitoring.store._sqlite import SqliteFile
from shiftproof.monitoring.store._versions import prepare


class Store:
    """A store of the current version.

    Parameters
    ----------
    store : str or path-like
        A file on a disk of this machine.
    create : bool, default False
        Whether to create it if there is none.
    """

    def __init__(self, store: str | os.PathLike[str], *, create: bool = False) -> None:
        self._database: Database = SqliteFile(local_file(store))
        prepare(self._database, create=create)

    @property
    def place(self) -> str:
        """Where the store is, for errors and pages; never with a password."""
        return self._database.place

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Begin a transaction that sees the store as it is now."""
        with self._database.reading() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Begin a transaction on no monitor in particular that is committed whole or not at all."""
        with self._database.writing() as connection:
            yield connection

    @contextmanager
    def log(self, key: int, *, write: bool = False) -> Iterator[MonitorLog]:
        """Begin a transaction on what belongs to one monitor."""
        with self._database.writing(key) if write else self._database.reading() as connection:
            yield MonitorLog(connection, key, self.place)

    @contextmanager
    def outbox(self, *, write: bool = False) -> Iterator[Outbox]:
        """Begin a transaction on the channels of all monitors, and on what waits to be sent."""
        with self.writing() if write else self.reading() as connection:
            yield Outbox(connection)
