from __future__ import annotations

from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from shiftproof.monitoring.store import Store
from shiftproof.monitoring.store._schema import metadata


def test_revisions_make_the_tables_of_the_schema(store: Store) -> None:
    with store.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_every_figure_has_a_segment_for_parts_that_are_watched_alone() -> None:
    keyed = ("states", "figures", "column_figures", "readings")
    assert all("segment" in metadata.tables[name].primary_key.columns for name in keyed)


def test_every_table_is_documented_for_those_who_read_it_by_sql() -> None:
    page = (Path(__file__).parents[3] / "docs" / "guides" / "stores.md").read_text(encoding="utf-8")
    assert [name for name in metadata.tables if f"`{name}`" not in page] == []
