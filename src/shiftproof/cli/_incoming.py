"""The files that batches come in: named ones, standard input, and folders that are watched."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from shiftproof.core import FileError, fault

# Other files of a folder, such as those that are being copied, are left alone.
_ENDINGS = (".csv", ".csv.gz", ".parquet", ".tsv")
# A file that was written to so many seconds ago may not be whole yet.
_SETTLED = 1.0


@dataclass(kw_only=True)
class Incoming:
    """The batches of a command.

    Parameters
    ----------
    files : sequence of Path
        Files, folders, and - for standard input.
    once : bool
        Whether to look through folders once, instead of watching them.
    every : float
        Seconds between two looks into the folders.
    """

    files: Sequence[Path]
    once: bool = False
    every: float = 10.0
    _seen: dict[Path, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.every > 0:
            raise fault("--every", "be above 0", self.every, "give seconds, such as 10")
        if len(self.files) != len({*self.files}):
            raise fault("FILES", "name each file once", [str(path) for path in self.files], "remove the copies")
        for path in self.files:
            if path != Path("-") and not path.exists():
                raise FileError(path, "there is no such file or folder")
        self.folders = [path for path in self.files if path.is_dir()]
        if self.once and not self.folders:
            raise fault("--once", "come with a folder", True, "files are always added once")

    @property
    def single(self) -> bool:
        """Whether there is exactly one batch."""
        return len(self.files) == 1 and not self.folders

    @property
    def watched(self) -> bool:
        """Whether there are folders to be looked into until the user stops it."""
        return bool(self.folders) and not self.once

    def batches(self, arrivals: Callable[[], Mapping[str, datetime]]) -> Iterator[tuple[Path, str | None]]:
        """Yield each file with the name of its batch; None for a hash of its content.

        Parameters
        ----------
        arrivals : callable
            Returns when each batch was added before. Files of a folder that were added and not changed since then are
            not read again.
        """
        yield from ((path, None) for path in self.files if path not in self.folders)
        while self.folders:
            known = arrivals()
            for path in self._waiting(known):
                yield path, path.name
            if self.once:
                return
            time.sleep(self.every)

    def _waiting(self, known: Mapping[str, datetime]) -> list[Path]:
        """Return the files of the folders that are new or changed, and whole, in the order of their names."""
        looks = {path: self._look(path) for folder in self.folders for path in _tables(folder)}
        fresh = {path: look for path, look in looks.items() if look != self._seen.get(path) and not _added(path, known)}
        if any(time.time() - look[1] / 1e9 < _SETTLED for look in fresh.values()):
            time.sleep(_SETTLED)
        whole = {path: look for path, look in fresh.items() if path.exists() and self._look(path) == look}
        self._seen |= whole
        return sorted(whole, key=lambda path: path.name)

    @staticmethod
    def _look(path: Path) -> tuple[int, int]:
        found = path.stat()
        return found.st_size, found.st_mtime_ns


def _tables(folder: Path) -> list[Path]:
    return [
        path
        for path in folder.iterdir()
        if path.name.lower().endswith(_ENDINGS) and not path.name.startswith(".") and path.is_file()
    ]


def _added(path: Path, known: Mapping[str, datetime]) -> bool:
    """Return whether a file was added after it was last written."""
    arrived = known.get(path.name)
    return arrived is not None and datetime.fromtimestamp(path.stat().st_mtime, UTC) <= arrived
