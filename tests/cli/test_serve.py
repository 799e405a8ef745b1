from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.monitoring.conftest import make_batch

from shiftproof.monitoring import Baseline, Monitor

Command = Callable[..., tuple[int, str, str]]
TOKEN = "the-token-of-these-tests"  # noqa: S105 - of these tests


@pytest.fixture
def store(tmp_path: Path) -> Path:
    Monitor(tmp_path / "m.db", Baseline.of(make_batch(200)))
    return tmp_path / "m.db"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["none.db"], "none.db: the store does not exist; to create it, run shiftproof monitor init."),
        (["m.db", "--host", "::"], "access, which needs a token; set SHIFTPROOF_TOKEN or pass --token-file."),
        (["m.db", "--port", "70000"], "--port must be a number from 0 to 65535, got 70000; 8470 is the default."),
        (["m.db", "--root-path", "x y"], "--root-path must begin with a slash"),
        (["m.db", "--allow-host", "x/y"], "--allow-host must be the name of a machine, got 'x/y'; write it as"),
        (["m.db", "--token-file", "none.txt"], "none.txt: the token cannot be read (No such file or directory)."),
    ],
)  # fmt: skip
def test_what_cannot_be_served_is_one_sentence(
    command: Command, store: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], sentence: str
) -> None:
    monkeypatch.chdir(store.parent)
    code, out, err = command("monitor", "serve", *words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_without_the_extra_the_way_out_is_named(command: Command, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*sys.modules]:
        if name.startswith("shiftproof.web"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    code, _, err = command("monitor", "serve", str(store))
    assert (code, "run pip install '.[serve]' in a checkout of shiftproof" in err) == (2, True)


def test_it_serves_until_it_is_interrupted(store: Path) -> None:
    program = [sys.executable, "-m", "shiftproof", "monitor", "serve", str(store), "--port", "0"]
    environment = os.environ | {"SHIFTPROOF_TOKEN": TOKEN}
    running = subprocess.Popen(program, stderr=subprocess.PIPE, env=environment, text=True)  # noqa: S603 - ours
    try:
        line = running.stderr.readline() if running.stderr else ""
        address = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert address is not None, line
        assert "/login?once=" in line
        assert TOKEN not in line
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        request = urllib.request.Request(f"{address[0]}/monitors.json", headers=bearer)  # noqa: S310 - ours
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310 - ours
            assert answer.status == 200
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=20) == 0
    finally:
        running.kill()
        running.communicate()
