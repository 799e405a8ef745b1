"""Write text files whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from shiftproof.core import InputError, fault, refuse_url

# Endings that belong to other programs; any other name may hold a page.
_OTHER_FORMATS = (".pdf", ".png", ".jpg", ".svg", ".json", ".csv", ".parquet", ".xlsx", ".docx", ".md")


def write_whole(path: str | Path, text: str) -> Path:
    """Write a text file so that no reader ever sees half of it."""
    refuse_url(path, writing=True)
    target = Path(path)
    if target.is_dir():
        raise InputError(f"the output must be a file, got the folder {str(target)!r}; add a file name to the path")
    # Half of a surrogate pair cannot be encoded; JSON and people can read its escape.
    data = text.encode("utf-8", errors="backslashreplace")
    try:
        if target.exists() and not target.is_file():  # a pipe or a device such as /dev/null is written, never replaced
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as error:
        reason = "its folder is a file" if isinstance(error, FileExistsError) else error.strerror
        raise InputError(f"the output {str(target)!r} cannot be written ({reason}); choose another path") from None
    return target


def _replace(path: Path, data: bytes) -> None:
    """Put a new file in place of the old one, which keeps its mode; a link keeps pointing to it."""
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    half = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        # Nobody else reads the new text before it has the mode of the old one.
        descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else 0o600)
        with open(descriptor, "wb") as stream:
            stream.write(data)
        if mode is not None:
            half.chmod(mode)
        half.replace(target)
    finally:
        half.unlink(missing_ok=True)


def check_page_name(path: str | Path, name: str = "path") -> None:
    """Refuse the name of a file that programs would not open as an HTML page.

    Examples
    --------
    >>> check_page_name("report.pdf")
    Traceback (most recent call last):
    shiftproof.core._errors.InputError: path must end in .html, got 'report.pdf'; reports are HTML pages.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise fault(name, "be the path of a file", path, "write it as text, such as 'report.html'")
    if Path(path).suffix.lower() in _OTHER_FORMATS:
        raise fault(name, "end in .html", str(path), "reports are HTML pages")
