"""Standard output and standard error that never change how a command ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import Any, TextIO, cast


class _Tolerant:
    """A stream that keeps its first failure in `error` and drops all text from then on."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.error: OSError | None = None

    # Consoles ask a stream for its encoding, its descriptor, and whether it is a terminal.
    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        self._attempt(lambda stream: stream.write(text))
        return len(text)

    def flush(self) -> None:
        self._attempt(lambda stream: stream.flush())

    def _attempt(self, work: Callable[[TextIO], object]) -> None:
        try:
            if self.error is None:
                work(self._stream)
        except OSError as error:
            self.error = error
            # Python writes what the buffer still holds when it ends; that must not fail again.
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


@contextmanager
def tolerant_streams() -> Iterator[Callable[[], OSError | None]]:
    """Let no failure to write stop a command; yield a function that returns the failure of standard output.

    A pipe that is closed early is not a failure: its reader has seen enough.
    """
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        # Python has no stream where a shell closed it, as by 2>&-.
        output, errors = (_Tolerant(stream or nowhere) for stream in (sys.stdout, sys.stderr))

        def failure() -> OSError | None:
            output.flush()
            return None if isinstance(output.error, BrokenPipeError) else output.error

        with redirect_stdout(cast("TextIO", output)), redirect_stderr(cast("TextIO", errors)):
            try:
                yield failure
            finally:
                errors.flush()
