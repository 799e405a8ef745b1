"""Standard output and standard error that never change how a command ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast


class _Tolerant:
    """A stream that keeps its first failure in `error` and drops all text from then on."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream, self.error = stream, None if stream is not None else OSError("closed")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        self._attempt(lambda stream: stream.write(text))
        return len(text)

    def flush(self) -> None:
        self._attempt(lambda stream: stream.flush())

    def _attempt(self, work: Callable[[TextIO], object]) -> None:
        if self._stream is None or self.error is not None:
            return
        try:
            work(self._stream)
        except OSError as error:
            self.error = error
            # Python writes what the buffer still holds when it ends; that must not fail again.
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


@contextmanager
def tolerant_streams() -> Iterator[Callable[[], OSError | None]]:
    """Let no failure to write stop a command; yield a function that returns the failure of standard output.

    The reader of a pipe may have seen enough: that is no failure.
    """
    output, errors = sys.stdout, sys.stderr
    tolerant = _Tolerant(output)

    def failure() -> OSError | None:
        tolerant.flush()
        return None if isinstance(tolerant.error, BrokenPipeError) or output is None else tolerant.error

    sys.stdout, sys.stderr = cast("TextIO", tolerant), cast("TextIO", _Tolerant(errors))
    try:
        yield failure
    finally:
        sys.stderr.flush()
        sys.stdout, sys.stderr = output, errors
