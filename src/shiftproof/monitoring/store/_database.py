"""What the databases that can hold a store have in common, and what each does in its own way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from shiftproof.core import Argument, Phrase, StoreError, shown

#: Another writer holds a store for some milliseconds; after this many seconds something is stuck.
WAIT = 60.0
BUSY = f"another program has been writing for {WAIT:.0f} seconds; try again when it has finished"
FULL = "there is no room left on the disk; the store is unchanged. Free some space and add the batch again"
NO_STORE = Phrase("the store does not exist; to create it, ", Argument("monitor init", instead="pass a baseline"))
#: Until the first release the tables change without a revision; such a store would fail somewhere in its use.
EARLIER = (
    "made by a version of shiftproof from before the first release, with different tables; export its history with "
    "that version, and create a new store with shiftproof monitor init"
)
#: The table of alembic, with the version of the others.
VERSIONS = "alembic_version"


class Database(Protocol):
    """A database that holds a store, or will hold one.

    Attributes
    ----------
    place : str
        Where it is, for errors and pages; never with a password.
    """

    place: str

    def reading(self) -> AbstractContextManager[Connection]:
        """Begin a transaction that sees the store as it is now, whatever others write meanwhile."""
        ...

    def writing(self, key: int | None = None) -> AbstractContextManager[Connection]:
        """Begin a transaction that is committed at the end, or leaves no trace after an error.

        Parameters
        ----------
        key : int, optional
            The monitor whose other writers wait; without one, those wait that write without one.
        """
        ...

    def make_room(self, *, create: bool) -> None:
        """Prepare the place of a store that does not exist yet; refuse that unless one may be created."""
        ...

    def holds_store(self, connection: Connection, *, create: bool) -> bool:
        """Return whether there is a store; refuse what belongs to other programs, and nothing unless to create one."""
        ...

    def columns(self, connection: Connection) -> set[tuple[str, str]]:
        """Return the tables and their columns, as pairs."""
        ...

    def mark(self, connection: Connection) -> None:
        """Mark the tables as a store of ours."""
        ...

    def shrink(self) -> None:
        """Give back to the disk what deleted rows took, where that does not happen by itself."""
        ...

    def copy(self, version: str) -> None:
        """Copy an older store before it changes, where a database is a file."""
        ...


@contextmanager
def worded(place: str, reason: Callable[[BaseException], str], *driver: type[Exception]) -> Iterator[None]:
    """Turn what a database reports into sentences.

    Parameters
    ----------
    place : str
        The store.
    reason : callable
        Returns the sentence for an error of the driver.
    *driver : exception types
        Which errors come from the driver itself; those that SQLAlchemy wraps are known.
    """
    of_database: tuple[type[Exception], ...] = (DBAPIError, *driver)
    try:
        yield
    except of_database as error:
        raise StoreError(place, reason(getattr(error, "orig", None) or error)) from error
    except UnicodeEncodeError as error:
        name = f"{shown(error.object)} has characters that cannot be written; rename it"
        raise StoreError(place, name) from None
