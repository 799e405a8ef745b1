"""The types of columns, so that they mean the same in every database; they are called as those of SQLAlchemy."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

# Names sort by their characters, whatever the language of the server.
Text = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
# In PostgreSQL an Integer ends at 2^31. SQLite has only one type of whole numbers, and gives out numbers for this name.
Integer = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


class Float(sa.TypeDecorator[float]):
    """A number that is NULL where it is unknown: SQLite has no NaN, and PostgreSQL takes it for the largest number."""

    impl = sa.Float
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: sa.Dialect) -> float | None:  # noqa: ARG002 - the same in all
        """Return what is written."""
        return None if value is None or value != value else float(value)
