"""Files that commands write, checked before anything is computed."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from shiftproof.cli._terminal import STANDARD_OUTPUT
from shiftproof.core import InputError, Phrase, fault, similar

#: Options that name a file to read; all others that name one write it.
READ = ("labels", "reference", "token_file")


def check_outputs(outputs: Mapping[str, Path | None], inputs: Iterable[Path] = ()) -> None:
    """Refuse an output that is a folder, cannot be written, is an input, or is another output.

    Parameters
    ----------
    outputs : mapping of str to Path or None
        The files that are written, by option.
    inputs : iterable of Path
        The files that are read.

    Raises
    ------
    InputError
        That names the option, before anything is computed.
    """
    used = {_identity(path): "a file that is read" for path in inputs}
    for option, path in outputs.items():
        if path is None or (path == STANDARD_OUTPUT and option == "--json"):
            continue
        # Nobody means a file of that name.
        if path == STANDARD_OUTPUT:
            raise fault(option, "name a file", "-", "only --json writes to standard output")
        # The name was forgotten, and the next option was taken for it.
        if str(path).startswith("-"):
            raise fault(option, "be followed by a file name", str(path), f"for a file of this name, write ./{path}")
        if os.path.isdir(path):
            raise fault(option, "name a file", Phrase(f"the folder {str(path)!r}"), "add a file name to the path")
        if not os.access(_nearest(path), os.W_OK):
            raise fault(option, "name a file that can be written", str(path), "choose another folder")
        identity = _identity(path)
        if identity is not None and identity in used:
            raise fault(option, f"not name {used[identity]}", str(path), "choose another path")
        used[identity] = f"the file of {option}"


def check_folders(outputs: Mapping[str, Path]) -> list[Path]:
    """Return the folders that have to be created; refuse one like another folder's name, and folders in new folders."""
    created = []
    for option, path in outputs.items():
        missing = [place for place in path.parents if not os.path.lexists(place)]
        if missing:
            # The outermost one: what is inside it cannot exist either.
            folder = missing[-1]
            beside = sorted(entry.name for entry in os.scandir(folder.parent) if entry.is_dir())
            near = [str(folder.with_name(str(name))) for name in similar(folder.name, beside)]
            if near:
                raise InputError(f"{option}: the folder {str(folder)!r} does not exist", near=near)
            # A path with several missing folders is more often a mistake than a wish.
            if len(missing) > 1:
                raise InputError(
                    f"{option}: the folder {str(folder)!r} does not exist; create it first, or name another path"
                )
            created.append(folder)
    return created


def _nearest(path: Path) -> Path:
    """Return the file itself, or the nearest folder above it that exists."""
    return next(place for place in (path, *path.absolute().parents) if os.path.exists(place))


def _identity(path: Path) -> tuple[object, ...] | None:
    """Return what two names of one file share, links included; None for pipes and devices, which may be shared."""
    real = Path(os.path.realpath(path))
    nearest = _nearest(real)
    found = nearest.stat()
    if nearest == real and not stat.S_ISREG(found.st_mode):
        return None
    missing = real.parts[len(nearest.parts) :]
    # The usual file systems of these two take a.html and A.html for one file.
    same_case = [part.casefold() for part in missing] if sys.platform in ("darwin", "win32") else missing
    return found.st_dev, found.st_ino, *same_case
