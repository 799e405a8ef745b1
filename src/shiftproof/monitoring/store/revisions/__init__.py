"""How a store of each earlier version becomes one of the next; alembic runs them in order."""
