from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Column, MetaData, Text

from shiftproof.core import StoreError
from shiftproof.monitoring.store import BatchRecord, Store, _versions
from shiftproof.monitoring.store._schema import metadata

Record = Callable[..., BatchRecord]
FIRST = "revision = '0001'\ndown_revision = None\n\ndef upgrade():\n    pass\n"
SECOND = """
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade():
    op.execute("ALTER TABLE batches ADD COLUMN source TEXT NOT NULL DEFAULT ''")
"""


def columns(path: str | Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [row[1] for row in connection.execute("PRAGMA table_info(batches)")]


@pytest.fixture
def next_version(store: Store, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make this program one of the next version, which adds a column; return the folder of its revisions."""
    folder = Path(store.place).with_name("revisions")
    folder.mkdir()
    (folder / "_0001_first.py").write_text(FIRST)
    (folder / "_0002_source.py").write_text(SECOND)
    monkeypatch.setattr(_versions, "_REVISIONS", folder)
    monkeypatch.setattr(_versions, "HEAD", "0002")
    tables = MetaData()
    for table in metadata.tables.values():
        table.to_metadata(tables)
    tables.tables["batches"].append_column(Column("source", Text))
    monkeypatch.setattr(_versions, "metadata", tables)
    return folder


def test_head_is_the_last_revision() -> None:
    scripts = ScriptDirectory(str(_versions._REVISIONS), version_locations=[str(_versions._REVISIONS)])
    assert scripts.get_current_head() == _versions.HEAD


def test_tables_change_only_with_a_revision() -> None:
    """Stores of released versions are migrated, so that their tables must be known for ever.

    Until 0.1.0 is released, the tables of the first version may change together with this hash. Then they are written
    down in `revisions/_0001_first.py`, and every change gets a revision and a hash of its own.
    """
    tables = metadata.tables.values()
    columns = [
        (table.name, column.name, type(column.type).__name__, column.nullable, column.primary_key)
        for table in tables
        for column in table.columns
    ]
    assert (_versions.HEAD, sha256(repr(sorted(columns)).encode()).hexdigest()[:16]) == ("0001", "7da9e2b312ff0945")
    scripts = ScriptDirectory(str(_versions._REVISIONS), version_locations=[str(_versions._REVISIONS)])
    earlier = [script.path for script in scripts.walk_revisions() if script.revision != _versions.HEAD]
    assert not [path for path in earlier if "_schema" in Path(path).read_text(encoding="utf-8")]


@pytest.mark.usefixtures("next_version")
def test_older_store_is_copied_and_migrated(store: Store, record: Record) -> None:
    with store.log(1, write=True) as log:
        log.append(record(0), b"")
    with Store(store.place).log(1) as log:
        assert log.count() == (1, 100)
    assert columns(store.place)[-1] == "source"
    assert columns(Path(f"{store.place}.0001"))[-1] == "file_changed"
    # Opened a second time it is current, and nothing happens.
    Path(f"{store.place}.0001").unlink()
    Store(store.place)
    assert not Path(f"{store.place}.0001").exists()


def test_failed_migration_leaves_the_store_as_it_was(store: Store, record: Record, next_version: Path) -> None:
    with store.log(1, write=True) as log:
        log.append(record(0), b"")
    (next_version / "_0002_source.py").write_text(SECOND + '    op.execute("DROP TABLE none_such")\n')
    before = columns(store.place)
    with pytest.raises(StoreError, match="no such table: none_such"):
        Store(store.place)
    assert columns(store.place) == before
    with store.log(1) as log:
        assert log.count() == (1, 100)


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE column_figures DROP COLUMN unseen",
        "ALTER TABLE column_figures ADD COLUMN other TEXT",
        "DROP TABLE imported_columns",
    ],
)
def test_store_with_other_tables_is_refused_and_left_alone(store: Store, change: str) -> None:
    with store.writing() as connection:
        connection.exec_driver_sql(change)
    content = Path(store.place).read_bytes()
    for create in (False, True):
        with pytest.raises(StoreError) as caught:
            Store(store.place, create=create)
        assert str(caught.value) == (
            f"{store.place}: made by a version of shiftproof from before the first release, with different tables; "
            "export its history with that version, and create a new store with shiftproof monitor init."
        )
    assert Path(store.place).read_bytes() == content


def test_newer_store_is_refused_and_left_alone(store: Store) -> None:
    with store.writing() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0007'")
    content = Path(store.place).read_bytes()
    with pytest.raises(StoreError) as caught:
        Store(store.place)
    assert str(caught.value) == (
        f"{store.place}: made by a newer version of shiftproof (store version 0007; this one supports 0001). Update "
        "shiftproof; the store is unchanged."
    )
    assert Path(store.place).read_bytes() == content
    assert not Path(f"{store.place}.0007").exists()


def test_database_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE customers (id INTEGER)")
    for create in (False, True):
        with pytest.raises(StoreError) as caught:
            Store(path, create=create)
        assert str(caught.value) == f"{path}: not a monitor's store; use another file."


def test_empty_file_becomes_a_store_only_if_one_is_created(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    with pytest.raises(StoreError, match="the store is empty; create it again with shiftproof monitor init"):
        Store(path)
    Store(path, create=True)
    Store(path)
