"""The version of a store: create the tables, migrate an older store after copying it, refuse a newer one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, text

from shiftproof.core import StoreError
from shiftproof.monitoring.store._open import APPLICATION, WAIT, Connections

#: The version of the tables in `_schema`, which the last of `revisions` makes.
HEAD = "0001"
_REVISIONS = Path(__file__).parent / "revisions"
_FOREIGN = "not a monitor's store; name another file"


def prepare(connections: Connections, *, create: bool) -> None:
    """Bring a store to the current version.

    Parameters
    ----------
    connections : Connections
        To the file, which need not exist.
    create : bool
        Whether to create a store if there is none.
    """
    path = connections.path
    if not path.exists():
        if not create:
            raise StoreError(path, "there is no such store; create one with shiftproof monitor init or a baseline")
        with connections.worded():
            _use_log(path)
    with connections.reading() as connection:
        version = _version(connection, path, create=create)
    if version == HEAD:
        return
    if version is None:
        with connections.worded():
            _use_log(path)
    with connections.writing() as connection:
        # Another process may have been faster.
        version = _version(connection, path, create=create)
        if version != HEAD:
            _migrate(connection, path, version)


def _version(connection: Connection, path: Path, *, create: bool) -> str | None:
    """Return the version of a store, None for an empty file; refuse files of other programs."""
    tables = {*connection.scalars(text("SELECT name FROM sqlite_master WHERE type = 'table'"))}
    if not tables and create:
        return None
    ours = connection.scalar(text("PRAGMA application_id")) == APPLICATION
    if not ours or "alembic_version" not in tables:
        raise StoreError(path, _FOREIGN)
    return str(connection.scalar(text("SELECT version_num FROM alembic_version")))


def _use_log(path: Path) -> None:
    """Let a new file use a write-ahead log, in which readers and a writer do not wait for each other."""
    with closing(sqlite3.connect(path, timeout=WAIT, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")


def _copy(path: Path, version: str) -> None:
    """Copy a store beside it before it changes; the copy includes what is still in the log."""
    target = path.with_name(f"{path.name}.{version}")
    with closing(sqlite3.connect(path, timeout=WAIT)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)


def _migrate(connection: Connection, path: Path, version: str | None) -> None:
    """Apply the revisions from a version up to the current one, within the transaction."""
    # Alembic takes longer to import than a batch to add, and most stores are current.
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(str(_REVISIONS), version_locations=[str(_REVISIONS)])
    if version is not None:
        if version not in [script.revision for script in scripts.walk_revisions()]:
            newer = f"made by a newer shiftproof (version {version} of the store; this one knows {HEAD})"
            raise StoreError(path, f"{newer}. Update shiftproof; the store is as it was")
        _copy(path, version)
    context = MigrationContext.configure(connection)
    with Operations.context(context):
        for script in reversed([*scripts.iterate_revisions(HEAD, version or "base")]):
            script.module.upgrade()
            context.stamp(scripts, script.revision)
    connection.execute(text(f"PRAGMA application_id = {APPLICATION}"))
