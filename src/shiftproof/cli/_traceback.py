"""Where an internal error came from, in a file that can be shared: it holds no cells of the user's data."""

from __future__ import annotations

import sys
import tempfile
import time
import traceback
from contextlib import suppress
from pathlib import Path

from shiftproof._version import __version__

_SECONDS_KEPT = 7 * 24 * 3600


def keep_traceback(error: BaseException) -> str:
    """Write the types of an error and its causes, and the lines of code, to a file; say where it is.

    Only the user can read the file. Messages are left out, because they may show cells. Files of this kind that are
    older than a week are removed.
    """
    for old in Path(tempfile.gettempdir()).glob("shiftproof-*.log"):
        with suppress(OSError):  # another user's file, or removed by another process
            if time.time() - old.lstat().st_mtime > _SECONDS_KEPT:
                old.unlink()
    parts: list[str] = []
    cause: BaseException | None = error
    while cause is not None:
        parts.insert(0, f"{''.join(traceback.format_tb(cause.__traceback__))}{type(cause).__name__}\n")
        cause = cause.__cause__ or cause.__context__
    text = f"shiftproof {__version__}, Python {sys.version}\n" + "which led to:\n".join(parts)
    try:
        # Such a file has the mode 0600.
        with tempfile.NamedTemporaryFile(
            "w", prefix="shiftproof-", suffix=".log", delete=False, encoding="utf-8"
        ) as stream:
            stream.write(text)
    except OSError as failure:
        return f"the traceback cannot be written ({failure.strerror})"
    return f"the traceback is in {stream.name}"
