from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shiftproof.core import InputError
from shiftproof.reporting import check_page_name, write_whole


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    write_whole(target, "old and longer")
    assert write_whole(target, "new") == target
    assert target.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [target]


def test_text_is_written_as_utf_8_with_its_own_line_ends(tmp_path: Path) -> None:
    assert write_whole(tmp_path / "a", "é🙂\n\r\n").read_bytes() == "é🙂\n\r\n".encode()


def test_half_a_surrogate_pair_is_written_as_its_escape(tmp_path: Path) -> None:
    assert write_whole(tmp_path / "a", '"\ud800"').read_bytes() == rb'"\ud800"'


def test_a_long_name_is_no_hindrance(tmp_path: Path) -> None:
    assert write_whole(tmp_path / ("x" * 250 + ".html"), "text").read_bytes() == b"text"


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, OSError(28, "No space left on device")])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException] | OSError
) -> None:
    target = tmp_path / "page.html"
    write_whole(target, "old")

    def fail(half: Path, target: Path) -> None:
        assert half.read_bytes() == b"new"
        raise error

    monkeypatch.setattr(Path, "replace", fail)
    expected = InputError if isinstance(error, OSError) else error
    with pytest.raises(expected) as caught:
        write_whole(target, "new")
    if isinstance(error, OSError):
        sentence = f"the output {str(target)!r} cannot be written (No space left on device); choose another path."
        assert str(caught.value) == sentence
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
def test_an_existing_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    target = tmp_path / "page.html"
    target.touch()
    target.chmod(mode)
    write_whole(target, "new")
    assert (stat.S_IMODE(target.stat().st_mode), target.read_bytes()) == (mode, b"new")


def test_a_link_is_written_through(tmp_path: Path) -> None:
    target, link, dangling = tmp_path / "real" / "page.html", tmp_path / "link.html", tmp_path / "dangling.html"
    target.parent.mkdir()
    target.touch(mode=0o600)
    link.symlink_to("real/page.html")
    dangling.symlink_to("real/later.html")
    assert write_whole(link, "new") == link
    write_whole(dangling, "later")
    assert (link.is_symlink(), target.read_bytes(), stat.S_IMODE(target.stat().st_mode)) == (True, b"new", 0o600)
    assert (dangling.is_symlink(), (tmp_path / "real" / "later.html").read_bytes()) == (True, b"later")
    assert sorted(file.name for file in target.parent.iterdir()) == ["later.html", "page.html"]


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        write_whole(tmp_path, "text")
    assert (
        str(caught.value)
        == f"the output must be a file, got the folder {str(tmp_path)!r}; add a file name to the path."
    )
    assert list(tmp_path.iterdir()) == []


def test_an_address_is_refused_without_its_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"^https://me@h/page.html: this is an address, not a path; name a file or a"):
        write_whole("https://me:S3cretPw@h/page.html", "text")
    assert not [*tmp_path.iterdir()]


def test_a_place_inside_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a\n1\n")
    target = tmp_path / "rows.csv" / "page.html"
    with pytest.raises(InputError) as caught:
        write_whole(target, "text")
    assert (
        str(caught.value)
        == f"the output {str(target)!r} cannot be written (its folder is a file); choose another path."
    )


def test_an_unwritable_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()

    def locked(*_: object, **__: object) -> None:  # permissions do not stop the superuser
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "open", locked)
    with pytest.raises(InputError) as caught:
        write_whole(folder / "page.html", "text")
    sentence = f"the output {str(folder / 'page.html')!r} cannot be written (Permission denied); choose another path."
    assert str(caught.value) == sentence


@pytest.fixture
def private() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


@pytest.mark.usefixtures("private")
def test_what_is_private_stays_private(tmp_path: Path) -> None:
    assert write_whole(tmp_path / "page.html", "text").stat().st_mode & 0o777 == 0o600


def test_a_pipe_is_written_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_whole(pipe, "text")
    reader.join(timeout=10)
    assert received == [b"text"]
    assert pipe.is_fifo()


def test_a_page_needs_a_path() -> None:
    number: Any = 5
    with pytest.raises(InputError, match=r"^path must be the path of a file, got 5; write it as text, such as"):
        check_page_name(number)
