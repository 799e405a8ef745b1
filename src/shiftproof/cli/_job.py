"""What every command does besides its own work: notes, stages, files, and how it ends."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from shiftproof.cli._files import check_outputs
from shiftproof.cli._terminal import STANDARD_OUTPUT, consoles, show_note, write_json
from shiftproof.cli._words import in_terminal
from shiftproof.core import ColumnsLeftOut, CopiedRows, Phrase, ResultUnreliable, ShiftproofWarning, tame

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status


class Answer(Protocol):
    """What a command computes: it can be written as a page and as JSON."""

    def save(self, path: Path, /, *, redact: bool) -> object:
        """Write the page."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""


AnswerT = TypeVar("AnswerT", bound=Answer)


@dataclass(kw_only=True, eq=False)
class Job:
    """One run of a command: its consoles, notes and files. Its fields are options of the command.

    Parameters
    ----------
    out : FILE
        Write an HTML page to this file.

    Raises
    ------
    InputError
        If one of these paths is a folder or cannot be written, or if both are the same file.
    """

    out: Path | None = None
    redact: bool = False
    json: Path | None = None

    def __post_init__(self) -> None:
        check_outputs({"--out": self.out, "--json": self.json})
        if self.out is not None:
            from shiftproof.reporting import check_page_name

            check_page_name(self.out, "--out")
        self.output, self.progress = consoles()
        # Keys only, in order: each note is shown once.
        self._notes: dict[str, None] = {}
        self._next = ""
        self._written: dict[str, Path] = {}

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Turn warnings into notes, except those that the answer itself repeats."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ShiftproofWarning)
            yield
        messages = [warning.message for warning in caught if not isinstance(warning.message, ResultUnreliable)]
        last = {_topic(message): message for message in messages}
        for message in last.values():
            self.note(message.phrase if isinstance(message, ShiftproofWarning) else str(message))

    def note(self, words: str | Phrase) -> None:
        """Show this at the end, once."""
        self._notes[in_terminal(words)] = None

    def next_step(self, command: str) -> None:
        """Show at the end which command comes next."""
        self._next = command

    def note_now(self, words: str) -> None:
        """Show this at once: what follows may take minutes."""
        show_note(self.progress, words)

    def stage(self, words: str) -> Status:
        """Show on a terminal what is being computed."""
        return self.progress.status(words)

    @contextmanager
    def stages(self, *, barred: tuple[str, ...] = ()) -> Iterator[Callable[[str], None]]:
        """Yield a function to call when a stage begins; stages with a progress bar of their own show no other sign."""
        status = self.progress.status("")

        def begin(name: str) -> None:
            # Two live displays on one terminal would overwrite each other.
            status.stop()
            if name not in barred:
                status.update(name)
                status.start()

        try:
            yield begin
        finally:
            status.stop()

    def wrote(self, what: str, path: Path) -> None:
        """Name a file at the end that was written."""
        self._written[what] = path

    def end(self, answer: AnswerT, show: Callable[[Console, AnswerT], None], *, failure: str = "") -> int:
        """Write the page, print the answer, notes, files and the next step, and return the exit code.

        Parameters
        ----------
        answer : Answer
            What was computed. The page and the JSON are made only if there is a file for them.
        show : callable
            Prints the answer for people.
        failure : str, default ""
            Which conditions of --fail-on are met, and why; empty if none is.
        """
        if self.out is not None:
            with self.listening(), self.stage("writing the page"):
                answer.save(self.out, redact=self.redact)
            # The page is named before the files that a command wrote earlier.
            self._written = {"page": self.out} | self._written
        if self.json is not None:
            write_json(answer.to_dict(), self.json)
        if self.json != STANDARD_OUTPUT:
            show(self.output, answer)
        # On a terminal the answer comes first, then what to look at, then what to do.
        for words in self._notes:
            show_note(self.progress, words)
        for what, path in self._written.items():
            self._tell(f"{what}: {path}")
        if self._next:
            show_note(self.progress, self._next, "next")
        # A job's log should say why the command failed, even if nobody reads the answer.
        if failure:
            self._tell(f"exit status 1 because of {failure}.")
        return int(bool(failure))

    def _tell(self, line: str) -> None:
        self.progress.print(tame(line), highlight=False, markup=False, soft_wrap=True)


def _topic(message: Warning | str) -> object:
    """Return what a warning is about, which the last one on it says for all.

    A replay warns for every period of the past, about the same columns and about fewer of the same rows.
    """
    if isinstance(message, ColumnsLeftOut):
        return tuple(message.columns)
    return CopiedRows if isinstance(message, CopiedRows) else message


@dataclass(kw_only=True, eq=False)
class MonitorJob(Job):
    """One run of a command of a monitor, whose page shows times.

    Parameters
    ----------
    out : FILE
        Write an HTML page to this file.
    redact
        Leave values of your data off the page: categories, extremes, periods and error messages. Batch times are still
        shown. The JSON is not redacted.
    """
