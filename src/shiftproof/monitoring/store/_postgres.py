"""A store in a PostgreSQL database: connections, locks, and sentences for what the server complains about."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, TextClause, create_engine, text
from sqlalchemy.pool import NullPool

from shiftproof.core import StoreError, fault, shortened
from shiftproof.monitoring.store._database import BUSY, FULL, NO_STORE, VERSIONS, WAIT, worded
from shiftproof.monitoring.store._url import PostgresUrl

if TYPE_CHECKING:
    import psycopg

#: The comment on the table of versions that marks a schema as a store of ours.
MARK = "shiftproof monitor"
# Seconds to wait for a server that does not answer, unless the URL or the environment says otherwise.
_CONNECT = 10
# Characters of what a server says within a sentence.
_LONGEST = 300
_AGAIN = "try again; a batch is stored either completely or not at all"
_READ_ONLY = "the store can be read but not written"
_REASONS = {
    "22021": "a name has characters that the database cannot store; rename it",
    "22P05": (
        "a name has characters that the database cannot store; rename it, or use a database whose encoding is UTF8"
    ),
    "25006": f"{_READ_ONLY}: the server or the role is read-only; name the main server, or use another role",
    "3F000": (
        "the role may not create tables in any schema of its search_path; create a schema, or grant the permission"
    ),
    "42501": f"{_READ_ONLY} by this role; grant it SELECT, INSERT, UPDATE and DELETE on the tables, and USAGE on the "
    "sequences",
    "53100": FULL,
    "53300": "the server has no connection left; try again, or raise its max_connections",
    "55P03": BUSY,
    "57014": (
        "the server cancelled the statement, which took longer than its statement_timeout or was stopped by "
        f"someone; {_AGAIN}"
    ),
}
# Locks last as long as the transaction. The number of the table tells the stores of a database apart.
_LOCK_MONITOR = "SELECT pg_advisory_xact_lock(CAST(to_regclass('monitors') AS oid)::int, :key)"
_LOCK_STORE = "SELECT pg_advisory_xact_lock(hashtextextended('shiftproof ' || current_schema(), 0))"
_MARKED = "SELECT obj_description(to_regclass(format('%I.%I', current_schema(), CAST(:table AS text))), 'pg_class')"
# Not by information_schema, which leaves out what the role may not use.
_COLUMNS = """SELECT t.relname, c.attname FROM pg_class AS t JOIN pg_attribute AS c ON c.attrelid = t.oid
WHERE t.relnamespace = to_regnamespace(quote_ident(current_schema())) AND t.relkind IN ('r', 'p')
AND c.attnum > 0 AND NOT c.attisdropped"""


class PostgresDatabase:
    """A schema of a PostgreSQL database; connections are open only as long as a transaction.

    Parameters
    ----------
    url : PostgresUrl
        Where it is. The store is in the first schema of the search path.
    """

    def __init__(self, url: PostgresUrl) -> None:
        # Late: everything but this works without a driver.
        import psycopg
        from psycopg.conninfo import conninfo_to_dict

        self.place, self._uri = url.place, url.uri
        try:
            given = conninfo_to_dict(url.uri)
        except psycopg.ProgrammingError:
            # What the driver says of it may quote the password.
            hint = "write it as postgresql://user@host:port/database"
            raise fault("store", "be a URL that PostgreSQL understands", url.place, hint) from None
        timed = "connect_timeout" in given or "PGCONNECT_TIMEOUT" in os.environ
        waiting = {} if timed else {"connect_timeout": _CONNECT}
        self._settings: dict[str, Any] = {"fallback_application_name": "shiftproof", **waiting}
        # Without a pool nothing is left open between two batches, and a process that forks shares nothing.
        self._engine = create_engine("postgresql+psycopg://", creator=self._opened, poolclass=NullPool)

    def _opened(self) -> psycopg.Connection[tuple[object, ...]]:
        import psycopg

        try:
            # Statements are not prepared: connections are short, and some servers share them between programs.
            return psycopg.connect(self._uri, prepare_threshold=None, **self._settings)
        except psycopg.OperationalError as error:
            raise StoreError(self.place, unreachable(error)) from error

    @contextmanager
    def writing(self, key: int | None = None) -> Iterator[Connection]:
        """Begin a transaction that is committed at the end, or leaves no trace after an error."""
        with self._worded(), self._engine.connect() as connection:
            # Every statement sees what was committed before it: after the lock, the batches of all earlier writers.
            connection = connection.execution_options(isolation_level="READ COMMITTED")  # noqa: PLW2901
            with connection.begin():
                connection.execute(text(f"SET LOCAL lock_timeout = {1000 * WAIT:.0f}"))
                connection.execute(*_lock(key))
                yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Begin a transaction that sees the store as it is now, whatever others write meanwhile."""
        with self._worded(), self._engine.connect() as connection:
            yield connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    def make_room(self, *, create: bool) -> None:
        """Do nothing: databases and schemas are created by their owners."""

    def holds_store(self, connection: Connection, *, create: bool) -> bool:
        """Return whether the schema has a store; refuse one with tables of other programs."""
        schema = connection.scalar(text("SELECT current_schema()"))
        if schema is None:
            raise StoreError(self.place, _REASONS["3F000"])
        if connection.scalar(text(_MARKED), {"table": VERSIONS}) == MARK:
            return True
        if connection.scalar(text("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()")):
            other = f"the schema {schema!r} has tables of another program; use an empty schema, such as"
            raise StoreError(self.place, f"{other} ?options=-csearch_path%3Dmonitor at the end of the URL")
        if not create:
            raise StoreError(self.place, NO_STORE)
        return False

    def columns(self, connection: Connection) -> set[tuple[str, str]]:
        """Return the tables and their columns, as pairs."""
        found = connection.execute(text(_COLUMNS))
        return {(table, column) for table, column in found}

    def mark(self, connection: Connection) -> None:
        """Mark the schema as a store of ours."""
        connection.execute(text(f"COMMENT ON TABLE {VERSIONS} IS '{MARK}'"))

    def shrink(self) -> None:
        """Do nothing: the server vacuums its tables by itself."""

    def copy(self, version: str) -> None:
        """Do nothing: a migration that fails leaves no trace, and copies are made by pg_dump."""

    def _worded(self) -> AbstractContextManager[None]:
        return worded(self.place, reason)


def _lock(key: int | None) -> tuple[TextClause, dict[str, int]]:
    """Return the statement that waits until all other writers of a monitor, or of none, are done."""
    return (text(_LOCK_STORE), {}) if key is None else (text(_LOCK_MONITOR), {"key": key})


def reason(error: BaseException) -> str:
    """Say in a sentence what the server or the driver reported."""
    import psycopg

    code, words = getattr(error, "sqlstate", None) or "", _squeezed(error)
    if code in _REASONS:
        return _REASONS[code]
    if isinstance(error, psycopg.DataError) and not code:
        return f"a text has characters that the database cannot store ({words}); rename the batch, column or class"
    # Codes of restarts and of broken connections; errors that the driver itself noticed have none.
    if isinstance(error, psycopg.OperationalError) and (not code or code.startswith(("08", "57P"))):
        return f"the connection to the server was lost ({words}); {_AGAIN}"
    # A conflict with what another program has just written, a deadlock, a lack of resources.
    if code.startswith(("23", "40", "53")):
        return f"the server gave up ({words}); {_AGAIN}"
    return f"the store cannot be used ({words}); check the database"


def unreachable(error: psycopg.OperationalError) -> str:
    """Say in a sentence why there is no connection."""
    hint = "check the URL, and that the server is running"
    if error.pgconn is not None and error.pgconn.needs_password:
        hint = "put the password into the file ~/.pgpass or the variable PGPASSWORD"
    elif error.pgconn is not None and error.pgconn.used_password:
        hint = "check the user, the password and the name of the database"
    return f"no connection to the server ({_squeezed(error)}); {hint}"


def _squeezed(error: BaseException) -> str:
    """Return what an error says in one line, without the full stop of the sentence that it becomes part of."""
    return shortened(" ".join(str(error).split()).rstrip("."), _LONGEST)
