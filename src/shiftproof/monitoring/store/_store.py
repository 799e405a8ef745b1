"""One store: a file with any number of monitors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection

from shiftproof.monitoring.store._log import MonitorLog
from shiftproof.monitoring.store._open import Connections
from shiftproof.monitoring.store._place import local_file
from shiftproof.monitoring.store._versions import prepare


class Store:
    """A store of the current version.

    Parameters
    ----------
    path : str or path-like
        The file, on a disk of this machine.
    create : bool, default False
        Whether to create it if there is none.
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = False) -> None:
        self.path = local_file(path)
        self._connections = Connections(self.path)
        prepare(self._connections, create=create)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Begin a transaction that sees the store as it is now."""
        with self._connections.reading() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Begin a transaction that is committed whole or not at all."""
        with self._connections.writing() as connection:
            yield connection

    @contextmanager
    def log(self, key: int, *, write: bool = False) -> Iterator[MonitorLog]:
        """Begin a transaction on what belongs to one monitor."""
        with self.writing() if write else self.reading() as connection:
            yield MonitorLog(connection, key, self.path)
