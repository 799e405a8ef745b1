"""The cells of an experiment: independent pieces of work, each with a seed and a file of its own."""

from __future__ import annotations

import os
import time
import warnings
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from inspect import getsourcefile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shiftproof._version import __version__
from shiftproof.core import one_thread

if TYPE_CHECKING:
    import pandas as pd

    from shiftproof.experiments._sources import DataSources

#: Computes the rows of a cell; called with the data sets, and with the key of the cell as keywords.
CellWork = Callable[..., "pd.DataFrame"]


@dataclass(frozen=True, eq=False)
class GridCell:
    """A piece of work that no other piece needs.

    Parameters
    ----------
    work : callable
        A function of a module, so that other processes and machines find it. All cells with the same function have
        the same columns.
    key : mapping of str to str, int, float or bool
        The keywords that it is called with: such as a data set and a seed.
    data : tuple of str
        The data sets that it reads.
    effort : float
        About how long it takes, in any unit; for the order of the cells and the time left.
    """

    work: CellWork
    key: Mapping[str, Any]
    data: tuple[str, ...] = ()
    effort: float = field(default=1.0, kw_only=True)

    @property
    def part(self) -> str:
        """The name of its function, which is the name of the table that its rows belong to."""
        return self.work.__name__.replace("_", "-")

    @property
    def name(self) -> str:
        """What the cell is called in messages and files."""
        return "-".join([self.part, *(f"{value}" for value in self.key.values())])

    def file(self, sources: DataSources) -> str:
        """Return the name of its results, which is another one for other data, code or versions."""
        made_from = [_mark_of_code(self.work), *(sources.mark(name) for name in self.data)]
        return f"{self.name}-{zlib.crc32(repr(made_from).encode()):08x}.parquet"


@cache
def _mark_of_code(work: CellWork) -> str:
    """Return what changes with the versions and with the module that holds the function."""
    import numpy
    import scipy
    import sklearn

    versions = [__version__, numpy.__version__, scipy.__version__, sklearn.__version__]
    source = getsourcefile(work)
    return f"{versions} {zlib.crc32(Path(source).read_bytes()) if source else 0:08x}"


def cell_seed(*key: object) -> int:
    """Return a seed that depends on nothing but the names of what is run.

    Examples
    --------
    >>> cell_seed("iris.1", 0) == cell_seed("iris.1", 0), cell_seed("iris.1", 0) == cell_seed("iris.1", 1)
    (True, False)
    """
    return zlib.crc32(" ".join(map(str, key)).encode())


def run_cell(cell: GridCell, sources: DataSources) -> tuple[pd.DataFrame, float]:
    """Compute the rows of a cell, with its key in the first columns, and the processor time that it took."""
    began = processor_seconds()
    # Warnings are about single folds and samples. One thread, so that sums are added up in the same order everywhere.
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore")
        rows = cell.work(sources, **cell.key)
    for place, (name, value) in enumerate(cell.key.items()):
        rows.insert(place, name, value)
    return rows.reset_index(drop=True), processor_seconds() - began


def processor_seconds() -> float:
    """Return the processor time of this thread, or of the process where threads have no clock."""
    return time.thread_time() if hasattr(time, "thread_time") and os.name != "nt" else time.process_time()
