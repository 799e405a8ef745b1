"""What every command does besides its own work: notes, stages, files, and how it ends."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shiftproof.cli._terminal import consoles, show_note, write_json
from shiftproof.cli._words import in_terminal
from shiftproof.core import Phrase, ResultUnreliable, ShiftproofWarning, fault

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status


class Job:
    """One run of a command: its consoles, what it has to say, and the files it leaves.

    Parameters
    ----------
    out : Path, optional
        Where the page goes.
    json : str, optional
        Where the result goes as JSON; ``-`` for standard output, which then holds nothing else.
    files : mapping of str to Path or None
        Other files that are asked for, by option.

    Raises
    ------
    InputError
        If one of these places is a folder; nothing was computed by then.
    """

    def __init__(
        self, *, out: Path | None = None, json: str | None = None, files: Mapping[str, Path | None] | None = None
    ) -> None:
        self.output, self.progress = consoles()
        self._out, self._json = out, json
        self._notes: dict[str, None] = {}
        self._written: dict[str, Path] = {}
        places = {"--out": out, "--json": None if json in (None, "-") else Path(str(json)), **(files or {})}
        for option, path in places.items():
            if path is not None and path.is_dir():
                raise fault(option, "name a file", Phrase(f"the folder {str(path)!r}"), "add a file name to it")
            if path is not None and not os.access(_nearest(path), os.W_OK):
                raise fault(option, "name a place that can be written", str(path), "choose another")

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Gather warnings as notes, except those that the answer itself repeats."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ShiftproofWarning)
            yield
        for warning in caught:
            message = warning.message
            if not isinstance(message, ResultUnreliable):
                self.note(message.phrase if isinstance(message, ShiftproofWarning) else str(message))

    def note(self, words: str | Phrase) -> None:
        """Keep something for the end that the user should look at; it is shown once."""
        self._notes[in_terminal(words)] = None

    def stage(self, words: str) -> Status:
        """Say what takes so long, on a terminal, while it does."""
        return self.progress.status(words)

    @contextmanager
    def stages(self, *, barred: tuple[str, ...] = ()) -> Iterator[Callable[[str], None]]:
        """Give a function that is told which stage begins; those with a bar of their own need no other sign."""
        status = self.progress.status("")

        def begin(name: str) -> None:
            status.stop()
            if name not in barred:
                status.update(name)
                status.start()

        try:
            yield begin
        finally:
            status.stop()

    def page(self, save: Callable[[Path], Any]) -> None:
        """Write the page, where one is asked for."""
        if self._out is not None:
            with self.stage("writing the page"):
                save(self._out)
            self.wrote("page", self._out)

    def wrote(self, what: str, path: Path) -> None:
        """Keep for the end what was written, and where."""
        self._written[what] = path

    def end(self, to_dict: Callable[[], dict[str, Any]], show: Callable[[Console], None]) -> None:
        """Print the notes, the result as JSON (built only if asked for) or in words, and where the files are."""
        for words in self._notes:
            show_note(self.progress, words)
        if self._json is not None:
            write_json(to_dict(), self._json)
        if self._json != "-":
            show(self.output)
        for what, path in self._written.items():
            self.progress.print(f"{what}: {path}", highlight=False, markup=False, soft_wrap=True)


def _nearest(path: Path) -> Path:
    """Return the file itself, or the nearest folder above it that exists."""
    return next(place for place in (path, *path.absolute().parents) if place.exists())
