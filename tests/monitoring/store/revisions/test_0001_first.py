from __future__ import annotations

from sqlalchemy import text

from shiftproof.monitoring.store import Store


def test_first_revision_creates_all_tables(store: Store) -> None:
    with store.reading() as connection:
        names = {*connection.scalars(text("SELECT name FROM sqlite_master WHERE type = 'table'"))}
    expected = "baseline_files batches channels column_figures comparisons figures incidents labels monitors outbox"
    expected += " readings samples states imported_batches imported_columns imported_figures"
    assert names - {"alembic_version", "sqlite_sequence"} == {*expected.split()}
