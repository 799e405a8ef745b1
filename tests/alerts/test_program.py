from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest
from tests.alerts._servers import Stopwatch

from shiftproof.alerts import AlertMessage, Program, Undelivered
from shiftproof.alerts._program import hand_over

ALLOWED = {**os.environ, "SHIFTPROOF_PROGRAMS": os.pathsep.join(["/bin/other", sys.executable, "/no/such/program"])}


def python(program: str, *arguments: str, seconds: float = 20.0) -> Program:
    return Program(argv=(sys.executable, "-c", program, *arguments), seconds=seconds)


def reason(channel: Program, message: AlertMessage, environment: dict[str, str] | None = None) -> str:
    with pytest.raises(Undelivered) as caught:
        hand_over(channel, message, environment or ALLOWED)
    return str(caught.value)


def test_program_gets_the_json_and_its_arguments_without_a_shell(tmp_path: Path, message: AlertMessage) -> None:
    target = tmp_path / "got"
    program = "import sys; open(sys.argv[1], 'w').write(sys.stdin.read() + sys.argv[2])"
    hand_over(python(program, str(target), "$(id) `id` ; x"), message, ALLOWED)
    text = target.read_text()
    assert text.endswith("$(id) `id` ; x")
    assert json.loads(text.removesuffix("$(id) `id` ; x")) == message.content


def test_program_that_reads_nothing_is_fine(message: AlertMessage) -> None:
    hand_over(python("import os; os.close(0)"), AlertMessage({**message.content, "details": ["x" * 10**6]}), ALLOWED)


def test_failure_and_hang_are_reasons_without_what_was_printed(message: AlertMessage, capfd: object) -> None:
    failing = python("import sys; print('hunter2'); sys.exit('hunter2')")
    assert reason(failing, message) == "the program exited with status 1"
    watch = Stopwatch()
    assert reason(python("import time; time.sleep(30)", seconds=0.3), message) == (
        "the program gave no answer within 0.3 seconds and was stopped"
    )
    assert watch.seconds < 5


def test_children_of_a_program_that_hangs_are_ended_too(tmp_path: Path, message: AlertMessage) -> None:
    alive = tmp_path / "alive"
    child = f"import time; [(open({str(alive)!r}, 'a').write('x'), time.sleep(0.05)) for _ in range(200)]"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    assert "was stopped" in reason(python(parent, seconds=1.0), message)
    size = alive.stat().st_size if alive.exists() else 0
    time.sleep(0.2)
    assert (alive.stat().st_size if alive.exists() else 0) == size


def test_store_alone_runs_nothing(tmp_path: Path, message: AlertMessage) -> None:
    target = tmp_path / "got"
    program = python(f"open({str(target)!r}, 'w')")
    for programs in ("", "/bin/other", f"{sys.executable}x"):
        assert reason(program, message, {"SHIFTPROOF_PROGRAMS": programs}) == (
            f"the environment variable SHIFTPROOF_PROGRAMS does not name {sys.executable!r}; a store is not allowed "
            "to run programs on its own"
        )
    assert not target.exists()


def test_program_that_cannot_be_run_is_named(tmp_path: Path, message: AlertMessage) -> None:
    assert reason(Program(argv=("/no/such/program",)), message) == "the program '/no/such/program' does not exist"
    text = tmp_path / "text"
    text.write_text("x")
    refused = reason(Program(argv=(str(text),)), message, {**os.environ, "SHIFTPROOF_PROGRAMS": str(text)})
    assert refused.startswith(f"the program '{tmp_path.parents[0]}"[:40])
    assert refused.endswith(" cannot be run (permission denied)")
