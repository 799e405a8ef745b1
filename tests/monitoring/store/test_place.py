from __future__ import annotations

from pathlib import Path

import pytest

from shiftproof.core import InputError
from shiftproof.monitoring.store._place import local_file, network_drive

MOUNTS = r"""22 27 0:21 / / rw - ext4 /dev/vda rw
23 22 0:40 / /mnt/team\040drive rw - nfs4 server:/export rw
24 22 0:41 / /mnt/notes rw shared:1 - fuse.sshfs user@host: rw
25 23 0:42 / /mnt/team\040drive/local rw - ext4 /dev/vdb rw
26 22 0:43 / /mnt/notes2 rw - cifs //host/share rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/me/monitor.db", ""),
        ("/mnt/team drive/monitor.db", "nfs4"),
        ("/mnt/team drive/local/monitor.db", ""),
        ("/mnt/notes/a/monitor.db", "fuse.sshfs"),
        ("/mnt/notes2/monitor.db", "cifs"),
        ("/mnt/notes23/monitor.db", ""),
    ],
)
def test_network_drive_is_that_of_the_closest_mount(tmp_path: Path, path: str, kind: str) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    assert network_drive(Path(path), str(mounts)) == kind


def test_network_drive_is_unknown_without_a_list_of_mounts(tmp_path: Path) -> None:
    assert network_drive(tmp_path, str(tmp_path / "none")) == ""


def test_local_file_refuses_a_network_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shiftproof.monitoring.store._place.network_drive", lambda _: "nfs4")
    with pytest.raises(InputError) as caught:
        local_file(tmp_path / "monitor.db")
    assert str(caught.value) == (
        f"{tmp_path}/monitor.db: this is a network drive (nfs4), where a store can get damaged; put it on a local disk."
    )


@pytest.mark.parametrize(
    ("store", "sentence"),
    [
        (3, "store must be the path of a file, got 3; name a file such as 'monitor.db'."),
        ("", "store must be the path of a file, got ''; name a file such as 'monitor.db'."),
        (
            "sqlite:///a.db",
            "store must be the path of a file, or a PostgreSQL URL, got a URL that begins with 'sqlite'; name a "
            "file such as 'monitor.db'.",
        ),
        (
            "mysql://me:secret@host/db",
            "store must be the path of a file, or a PostgreSQL URL, got a URL that begins with 'mysql'; name a "
            "file such as 'monitor.db'.",
        ),
        (":memory:", "store must be the path of a file, got ':memory:'; a store outlives the program; name a file."),
        ("/none/of/these/m.db", "/none/of/these/m.db: the folder '/none/of/these' does not exist; create it first."),
    ],
)
def test_local_file_refuses_what_is_not_a_file(store: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        local_file(store)
    assert str(caught.value) == sentence


def test_local_file_refuses_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        local_file(tmp_path)
    assert str(caught.value) == (
        f"store must name a file, got the folder '{tmp_path}'; add a file name such as monitor.db to the path."
    )
