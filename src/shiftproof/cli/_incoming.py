"""The files that batches come in: named ones, standard input, and folders that are watched."""

from __future__ import annotations

import re
import time
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from shiftproof.core import FileError, Phrase, fault

#: The size of a file in bytes, and when it was last written, in nanoseconds since 1970.
Stamp = tuple[int, int]
# Other files of a folder, such as those that are being copied, are left alone.
_ENDINGS = (".csv", ".csv.gz", ".parquet", ".tsv")
# A year, a month and perhaps a day, with or without hyphens, that are not part of a longer number.
_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)(-?)(0[1-9]|1[0-2])(?:\2(0[1-9]|[12]\d|3[01]))?(?!\d|-\d)")
# A file that was written to so many seconds ago may not be whole yet.
_SETTLED = 1.0


class IncomingFile(NamedTuple):
    """A file that holds a batch.

    Parameters
    ----------
    path : Path
        The file; - for standard input.
    name : str or None
        The name of the batch; None for a hash of its content.
    stamp : tuple of int, or None
        Its size and time before it was read; None for standard input.
    """

    path: Path
    name: str | None
    stamp: Stamp | None

    @property
    def date(self) -> str | None:
        """The only date in the name of the file, such as 2024-03 or 20240331; None if there is none.

        Examples
        --------
        >>> [IncomingFile(Path(name), name, None).date for name in ("calls-2024-03.csv", "20240331.csv", "1-2.csv")]
        ['2024-03', '2024-03-31', None]
        """
        dates = {
            f"{year}-{month}-{day}" if day else f"{year}-{month}"
            for year, hyphen, month, day in _DATE.findall(self.name or "")
            # Six digits alone may be any number, and February has no 30th.
            if (hyphen or day) and int(day or 1) <= monthrange(int(year), int(month))[1]
        }
        return dates.pop() if len(dates) == 1 else None


@dataclass(kw_only=True)
class Incoming:
    """The batches of a command.

    Parameters
    ----------
    files : sequence of Path
        Files, folders, and - for standard input.
    once : bool
        Whether to look through folders once, instead of watching them.
    poll : float
        Seconds between two looks into the folders.
    """

    files: Sequence[Path]
    once: bool = False
    poll: float = 10.0
    _seen: dict[Path, Stamp] = field(default_factory=dict)

    def __post_init__(self) -> None:
        from shiftproof.data import is_elsewhere

        if not self.poll > 0:
            raise fault("--poll", "be above 0", self.poll, "give seconds, such as 10")
        if repeated := [path for path in self.files if self.files.count(path) > 1]:
            raise fault("FILES", "name each file only once", Phrase(f"{str(repeated[0])!r} twice"), "remove the copies")
        for path in self.files:
            if path != Path("-") and not path.exists() and not is_elsewhere(path):
                raise FileError(path, "there is no such file or folder")
        self.folders = [path for path in self.files if path.is_dir()]
        if self.once and not self.folders:
            raise fault("--once", "come with a folder", True, "single files are always added once")

    @property
    def single(self) -> bool:
        """Whether there is exactly one batch."""
        return len(self.files) == 1 and not self.folders

    @property
    def watched(self) -> bool:
        """Whether there are folders to be looked into until the user stops it."""
        return bool(self.folders) and not self.once

    @property
    def bare(self) -> list[Path]:
        """The folders that hold no table yet."""
        return [folder for folder in self.folders if not _tables(folder)]

    def batches(self, added: Callable[[], Mapping[str, Stamp]]) -> Iterator[IncomingFile]:
        """Yield each file with the name of its batch: its file name, and none for standard input.

        Parameters
        ----------
        added : callable
            Returns the stamps of the files that were added before, by the names of their batches. Files of a folder
            with the same stamp are not read again.
        """
        for path in self.files:
            if path == Path("-"):
                yield IncomingFile(path, None, None)
            elif path not in self.folders:
                # A pattern names its folder, too: that of another folder is another batch.
                yield IncomingFile(path, path.name if path.exists() else str(path), _stamp(path))
        while self.folders:
            yield from self._waiting(added())
            if self.once:
                return
            time.sleep(self.poll)

    def _waiting(self, added: Mapping[str, Stamp]) -> list[IncomingFile]:
        """Return the files of the folders that are new or changed, and whole, in the order of their names."""
        stamps = {path: _stamp(path) for folder in self.folders for path in _tables(folder)}
        fresh = {
            path: stamp
            for path, stamp in stamps.items()
            if stamp is not None and stamp not in (self._seen.get(path), added.get(path.name))
        }
        if any(time.time() - stamp[1] / 1e9 < _SETTLED for stamp in fresh.values()):
            time.sleep(_SETTLED)
        whole = {path: stamp for path, stamp in fresh.items() if _stamp(path) == stamp}
        self._seen |= whole
        files = [IncomingFile(path, path.name, stamp) for path, stamp in whole.items()]
        return sorted(files, key=lambda file: file.path.name)


def _stamp(path: Path) -> Stamp | None:
    """Return the size and the time of a file; None if it is gone, because others may move files away."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_size, status.st_mtime_ns


def _tables(folder: Path) -> list[Path]:
    return [
        path
        for path in folder.iterdir()
        if path.name.lower().endswith(_ENDINGS) and not path.name.startswith(".") and path.is_file()
    ]
