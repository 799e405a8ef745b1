"""Tables that are not in memory, with their rows in one order: for what compares columns of a row with each other."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path

from shiftproof.core._frames import Table, as_table
from shiftproof.core._remote import SAMPLE, FileColumns, QueriedColumns, RemoteTable, as_remote


def open_in_order(obj: object, name: str = "X") -> Table:
    """Wrap a table whose columns are read one at a time, always with their rows in the same order.

    Parquet files have an order. A query may give its rows in another order each time it runs, so it runs once: a short
    answer is kept in memory, a long one in a temporary Parquet file that is deleted with the table.

    Parameters
    ----------
    obj : table of any library, in memory or not
        The table.
    name : str
        The name that error messages use.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import pyarrow.dataset as ds
    >>> table = open_in_order(ds.dataset(pa.table({"a": [1, 2], "b": ["x", "y"]})))
    >>> table.is_remote, table.column("b").cells()
    (True, ['x', 'y'])
    """
    remote = as_remote(obj, name)
    if remote is None:
        return as_table(obj, name)
    if not isinstance(remote, FileColumns) and isinstance(remote, QueriedColumns):
        if remote.n_rows <= SAMPLE:
            return as_table(remote.sample, name)
        remote = _written(remote)
    return Table(remote.names, remote.n_rows, remote)


class _TemporaryColumns(FileColumns):
    """Parquet files in a folder that is deleted when the table is no longer used."""

    def __init__(self, folder: str, place: str) -> None:
        import pyarrow.dataset as ds

        super().__init__(ds.dataset(folder), place)
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)


def _written(remote: QueriedColumns) -> RemoteTable:
    import pyarrow.parquet as pq

    folder = tempfile.mkdtemp(prefix="shiftproof-")
    try:
        with remote.batches() as batches:
            first = next(batches)
            with pq.ParquetWriter(Path(folder) / "rows.parquet", first.schema, compression="lz4") as writer:
                writer.write_batch(first)
                for batch in batches:
                    writer.write_batch(batch)
        return _TemporaryColumns(folder, remote.place)
    except BaseException:
        # Nothing of a query that failed, or was interrupted, stays on the disk.
        shutil.rmtree(folder, ignore_errors=True)
        raise
