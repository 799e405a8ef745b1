"""The URL of a PostgreSQL database, with its password kept out of everything that people see."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from shiftproof.core import Phrase, fault, without_passwords

_SCHEME = re.compile(r"(postgres|postgresql|postgresql\+psycopg)://(.*)", re.DOTALL)
# What pathlib makes of a URL: it takes one of the two slashes away.
_AS_PATH = re.compile(r"(postgres|postgresql|postgresql\+psycopg):/[^/].*", re.DOTALL)
# The settings of libpq, of which its other way to name a database has at least one.
_KEYWORDS = re.compile(
    r"\s*(host|hostaddr|port|dbname|user|password|passfile|service|options|ssl\w+)\s*=", re.IGNORECASE
)
_EXAMPLE = "postgresql://me@db.example.org/monitors"


@dataclass(frozen=True)
class PostgresUrl:
    """Where a PostgreSQL database is.

    Parameters
    ----------
    uri : str
        As the driver needs it; it may have a password, so that it is not part of the representation.
    place : str
        The same without passwords.
    """

    uri: str = field(repr=False)
    place: str

    @classmethod
    def of(cls, text: str) -> PostgresUrl | None:
        """Read a URL; None for everything that is not one of PostgreSQL.

        Examples
        --------
        >>> PostgresUrl.of("postgres://me:secret@db.example.org/monitors?sslmode=require")
        PostgresUrl(place='postgresql://me@db.example.org/monitors?sslmode=require')
        >>> PostgresUrl.of("monitor.db") is None
        True
        """
        rule = f"be a URL such as {_EXAMPLE}"
        if _AS_PATH.fullmatch(text):
            raise fault("store", rule, Phrase("a path with one slash"), "give the URL as text")
        if _KEYWORDS.match(text) and not os.path.exists(text):
            hint = "write them as a URL, with the password in ~/.pgpass or PGPASSWORD"
            raise fault("store", rule, Phrase("settings such as host= and dbname="), hint)
        match = _SCHEME.fullmatch(text)
        if match is None:
            return None
        rest = match[2]
        account, at, after = rest.partition("@")
        # Otherwise a part of a password would be taken for the name of a host or of a database, and shown.
        if "@" in after or (at and "/" in account):
            hint = "write the characters @ and / in names and passwords as %40 and %2F"
            raise fault("store", rule, Phrase("one with several @, or with a / before the @"), hint)
        return cls(f"postgresql://{rest}", without_passwords(f"postgresql://{rest}"))
