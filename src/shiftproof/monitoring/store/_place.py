"""Where a store may lie: in a file on a disk of this machine."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from shiftproof.core import Phrase, StoreError, fault, shown

# File systems of other machines. Their locks are unreliable, and their memory is not shared between machines: SQLite's
# write-ahead log needs both.
_NETWORK = re.compile(
    r"nfs\d*|cifs|smb\d*|smbfs|ncpfs|afs|ceph|glusterfs|lustre|gpfs|beegfs|davfs|fuse\.(sshfs|s3fs|rclone|gcsfuse|"
    r"glusterfs|davfs|mount-s3|goofys|blobfuse2?|cephfs.*|juicefs)"
)
# Blanks and their like in the paths of mountinfo are written as three octal digits.
_OCTAL = re.compile(r"\\(\d{3})")


def local_file(store: str | os.PathLike[str]) -> Path:
    """Return the path of a store; refuse URLs, folders, missing folders and network drives."""
    text = os.fspath(store) if isinstance(store, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text.strip():
        raise fault("store", "be the path of a file", store, "name a file such as 'monitor.db'")
    if "://" in text or text.startswith("sqlite:"):
        # Only how it begins: the rest may have a password.
        given = Phrase(f"a URL that begins with {shown(text.partition(':')[0])}")
        raise fault("store", "be the path of a file, or a PostgreSQL URL", given, "name a file such as 'monitor.db'")
    if text in ("-", ":memory:"):
        raise fault("store", "be the path of a file", text, "a store outlives the program; name a file")
    path = Path(text).expanduser()
    if path.is_dir():
        raise fault(
            "store", "name a file", Phrase(f"the folder {text!r}"), "add a file name such as monitor.db to the path"
        )
    if not path.parent.is_dir():
        raise StoreError(path, f"the folder {str(path.parent)!r} does not exist; create it first")
    if drive := network_drive(path):
        raise StoreError(
            path,
            f"this is a network drive ({drive}), where a store can get damaged; put it on a local disk",
        )
    return path


def network_drive(path: Path, mounts: str = "/proc/self/mountinfo") -> str:
    """Return the type of the network drive that a path is on; empty if it is local, or if the system cannot say."""
    real = os.path.realpath(path)
    if sys.platform == "win32":  # pragma: no cover - not run in our tests
        return "network path" if real.startswith("\\\\") else ""
    try:
        lines = Path(mounts).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    longest, kind = "", ""
    for line in lines:
        before, _, after = line.partition(" - ")
        point = _OCTAL.sub(lambda code: chr(int(code[1], 8)), before.split(" ")[4])
        # Later lines cover earlier ones that are mounted on the same place.
        if os.path.commonpath([real, point]) == point and len(point) >= len(longest):
            longest, kind = point, after.split(" ")[0]
    return kind if _NETWORK.fullmatch(kind) else ""
