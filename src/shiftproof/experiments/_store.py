"""The finished cells of experiments, kept in a folder: one Parquet file each, there whole or not at all."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from shiftproof.core import fault

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.experiments._cells import GridCell
    from shiftproof.experiments._sources import DataSources

_SECONDS = b"processor seconds"
# A cell is written within a second: an older part was left by a program that died.
_STALE = 3600.0


@dataclass(frozen=True)
class CellStore:
    """A folder of finished cells, which several programs may write to.

    Parameters
    ----------
    folder : Path
        Where the files are; made if needed.
    """

    folder: Path

    def prepare(self) -> None:
        """Make the folder, and remove what programs that died have left half written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not os.access(self.folder, os.W_OK):
                raise PermissionError
        except OSError:
            raise fault("--out", "be a folder that can be written to", str(self.folder), "choose another") from None
        for part in self.folder.glob("*.part"):
            if time.time() - part.stat().st_mtime > _STALE:
                part.unlink(missing_ok=True)

    def has(self, cell: GridCell, sources: DataSources) -> bool:
        """Return whether the cell is finished; a file that cannot be read is removed."""
        path = self.folder / cell.file(sources)
        if not path.exists():
            return False
        try:
            pq.read_metadata(path)
        except (OSError, pa.ArrowException):
            path.unlink(missing_ok=True)
            return False
        return True

    def write(self, cell: GridCell, sources: DataSources, rows: pd.DataFrame, seconds: float) -> None:
        """Write the rows of a cell; a program that is killed meanwhile leaves nothing that is read."""
        table = pa.Table.from_pandas(rows, preserve_index=False)
        table = table.replace_schema_metadata({**(table.schema.metadata or {}), _SECONDS: repr(seconds).encode()})
        part = self.folder / f"{secrets.token_hex(8)}.part"
        pq.write_table(table, part)
        part.replace(self.folder / cell.file(sources))

    def read(self, cells: Sequence[GridCell], sources: DataSources) -> dict[str, pd.DataFrame]:
        """Return the rows of these cells and of no others, in their order, by the part that they belong to."""
        import pandas as pd

        frames: dict[str, list[pd.DataFrame]] = {}
        for cell in cells:
            rows = pq.read_table(self.folder / cell.file(sources)).to_pandas()
            frames.setdefault(cell.part, []).append(rows)
        return {part: pd.concat(rows, ignore_index=True) for part, rows in frames.items()}

    def seconds(self, cells: Sequence[GridCell], sources: DataSources) -> float:
        """Return the processor time that these cells took together, whenever that was."""
        files = (self.folder / cell.file(sources) for cell in cells)
        return sum(float(pq.read_schema(file).metadata[_SECONDS]) for file in files)
