"""The version of a store: create the tables, migrate an older store after copying it, refuse newer or other ones."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, text

from shiftproof.core import StoreError
from shiftproof.monitoring.store._database import EARLIER, VERSIONS, Database
from shiftproof.monitoring.store._schema import metadata

#: The version of the tables in `_schema`, which the last of `revisions` makes.
HEAD = "0001"
_REVISIONS = Path(__file__).parent / "revisions"


def prepare(database: Database, *, create: bool) -> None:
    """Bring a store to the current version.

    Parameters
    ----------
    database : Database
        Where the store is, or will be.
    create : bool
        Whether to create a store if there is none.
    """
    database.make_room(create=create)
    with database.reading() as connection:
        version = _version(connection, database, create=create)
        if version == HEAD:
            _check_columns(connection, database)
    if version == HEAD:
        return
    with database.writing() as connection:
        # Another process may have been faster.
        version = _version(connection, database, create=create)
        if version != HEAD:
            _migrate(connection, database, version)


def _version(connection: Connection, database: Database, *, create: bool) -> str | None:
    """Return the version of a store; None if it is still to be created."""
    if not database.holds_store(connection, create=create):
        return None
    return str(connection.scalar(text(f"SELECT version_num FROM {VERSIONS}")))  # noqa: S608 - our own name


def _check_columns(connection: Connection, database: Database) -> None:
    """Refuse a store whose tables have other columns than ours, though its version is the same."""
    ours = {(table.name, column.name) for table in metadata.tables.values() for column in table.columns}
    found = {(table, column) for table, column in database.columns(connection) if table in metadata.tables}
    if found != ours:
        raise StoreError(database.place, EARLIER)


def _migrate(connection: Connection, database: Database, version: str | None) -> None:
    """Apply the revisions from a version up to the current one, within the transaction."""
    # Alembic takes longer to import than a batch to add, and most stores are current.
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(str(_REVISIONS), version_locations=[str(_REVISIONS)])
    if version is not None:
        if version not in [script.revision for script in scripts.walk_revisions()]:
            newer = f"made by a newer version of shiftproof (store version {version}; this one supports {HEAD})"
            raise StoreError(database.place, f"{newer}. Update shiftproof; the store is unchanged")
        database.copy(version)
    context = MigrationContext.configure(connection)
    with Operations.context(context):
        for script in reversed([*scripts.iterate_revisions(HEAD, version or "base")]):
            script.module.upgrade()
            context.stamp(scripts, script.revision)
    database.mark(connection)
