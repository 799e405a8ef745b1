"""The data sets of the sources, by name: from a folder, else from scikit-learn, else from OpenML."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shiftproof.core import InputError, available_names, fault, listed, shown, similar
from shiftproof.experiments._catalogue import CATALOGUE, DataSet

if TYPE_CHECKING:
    import pandas as pd

LABEL = "label"
# The last is a list of pairs, not a table.
# So many missing files are named.
_MOST_FILES = 20
_ENDINGS = (".csv", ".csv.gz", ".parquet", ".json")


@dataclass(frozen=True)
class DataSources:
    """Where data sets are looked for.

    Parameters
    ----------
    folder : Path, optional
        A folder with a file for each data set: ``iris.1.csv``, ``.csv.gz`` or ``.parquet``, the label in the last
        column, ``label``.
    """

    folder: Path | None = None

    def __post_init__(self) -> None:
        if self.folder is not None and not self.folder.is_dir():
            what = "is not a folder" if self.folder.exists() else "does not exist"
            raise InputError(f"--data: {shown(str(self.folder))} {what}; pass a folder with files such as iris.1.csv")

    def path(self, name: str) -> Path | None:
        """Return the file of a data set; None if the folder has none."""
        known = _known(name)
        if self.folder is None:
            return None
        paths = (self.folder / f"{known.file}{ending}" for ending in _ENDINGS)
        return next((path for path in paths if path.is_file()), None)

    def mark(self, name: str) -> str:
        """Return what changes with the content of a data set."""
        path = self.path(name)
        return f"{name} elsewhere" if path is None else _mark(path, path.stat().st_mtime_ns)

    def read(self, name: str) -> pd.DataFrame:
        """Return a data set, the label in the last column, checked against the size that its source states."""
        known = _known(name)
        path = self.path(name)
        table = _read(path) if path is not None else _fetched(name, known)
        if known.rows is not None:
            got = len(table), table.shape[1] - 1
            if got != (known.rows, known.columns):
                where = str(path) if path is not None else name
                raise InputError(
                    f"{where} has {got[0]:,} rows and {got[1]} features, but the source has {known.rows:,} and "
                    f"{known.columns}; get the data set as the source has it"
                )
        return table

    def split(self, name: str) -> tuple[pd.DataFrame, pd.Series[Any]]:
        """Return the features of a data set and its labels."""
        table = self.read(name)
        return table.drop(columns=LABEL), table[LABEL]

    def check(self, names: Iterable[str]) -> None:
        """Refuse data sets that nobody has, before anything is computed."""
        absent = [name for name in dict.fromkeys(names) if self.path(name) is None and not _known(name).elsewhere]
        if not absent:
            return
        if self.folder is None:
            raise InputError(f"{absent[0]!r} is not part of scikit-learn; name the folder that holds it with --data")
        files = [path.name for path in sorted(self.folder.iterdir())]
        wanted = [f"{_known(name).file}.csv" for name in absent]
        near = similar(wanted[0], files, cutoff=0.9)
        which = f"file{'s' * (len(wanted) > 1)} {listed(wanted, most=_MOST_FILES, last='or')}"
        hint = "" if near else "; get the data sets from OpenML or from their papers, which docs/papers names"
        raise InputError(f"--data {str(self.folder)!r} has no {which}{hint}", near=near)


def _known(name: str) -> DataSet:
    if name not in CATALOGUE:
        raise fault("data set", "be known", name, available_names(CATALOGUE))
    return CATALOGUE[name]


@cache
def _mark(path: Path, _changed: int) -> str:
    return f"{zlib.crc32(path.read_bytes()):08x}"


def _read(path: Path) -> pd.DataFrame:
    import pandas as pd

    table = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path, low_memory=False)
    if LABEL not in table:
        raise InputError(f"{path} has no column {LABEL!r}; call the column with the labels so")
    return table[[*(name for name in table if name != LABEL), LABEL]]


def _fetched(name: str, known: DataSet) -> pd.DataFrame:
    """Return a data set that comes with scikit-learn, or that OpenML has."""
    if known.bundled:
        X, y = _bundled(known.bundled)
    elif known.openml is not None:
        X, y = _downloaded(name, known.openml)
    else:
        raise InputError(f"{name!r} is not part of scikit-learn; name the folder that holds it with --data")
    # One class against the others, where the name says which.
    if known.positive is not None:
        y = (y.astype(str) == known.positive).astype(int)
    return X.assign(**{LABEL: y.to_numpy()})


def _bundled(name: str) -> tuple[pd.DataFrame, pd.Series[Any]]:
    from sklearn import datasets

    load: Callable[..., Any] = getattr(datasets, f"load_{name}")
    found = load(as_frame=True)
    return found.data, found.target.astype(str)


def _downloaded(name: str, number: int) -> tuple[pd.DataFrame, pd.Series[Any]]:
    from sklearn.datasets import fetch_openml

    try:
        found = fetch_openml(data_id=number, as_frame=True, parser="auto")
    except OSError as error:  # no network, or a server that does not answer
        raise InputError(
            f"{name!r} cannot be downloaded from OpenML ({type(error).__name__}); name a folder with --data"
        ) from None
    return found.data, found.target.astype(str)
