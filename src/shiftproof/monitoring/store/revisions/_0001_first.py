"""The first version of the tables.

Nothing is released yet, so that this is `_schema` itself; with the first release the tables of that time are written
down here, and changes get revisions of their own.
"""

from __future__ import annotations

from alembic import op

from shiftproof.monitoring.store._schema import metadata

revision = "0001"
down_revision: str | None = None


def upgrade() -> None:
    """Create the tables."""
    metadata.create_all(op.get_bind())
