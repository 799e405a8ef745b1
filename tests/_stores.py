"""Stores for tests: in files, or with ``--stores postgres`` in databases of a server that is started for them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Protocol

from tests.engines._server import PostgresServer

Place = str | Path


class Stores(Protocol):
    """Where the stores of tests are."""

    def new(self) -> Place:
        """Return a place where there is no store yet."""
        ...

    def copy(self, store: Place) -> Place:
        """Return the place of a copy."""
        ...


class FileStores:
    """Stores in files of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._made = folder, 0

    def new(self) -> Path:
        """Return a path in a folder of its own, for nothing else may be there."""
        self._made += 1
        folder = self._folder / f"{self._made}"
        folder.mkdir()
        return folder / "monitor.db"

    def copy(self, store: Place) -> Path:
        """Copy the file."""
        return Path(shutil.copy(store, self.new()))


class PostgresStores:
    """Stores in databases of a server."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server

    def new(self) -> str:
        """Create an empty database."""
        return self._server.url(self._server.new())

    def copy(self, store: Place) -> str:
        """Create a database from another one, to which nobody may be connected."""
        template = str(store).partition("@/")[2].partition("?")[0]
        return self._server.url(self._server.new(template))
