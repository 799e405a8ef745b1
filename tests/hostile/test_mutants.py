"""The tool that takes guards out of the source finds them, and takes out nothing else."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "mutate_guards.py"
TEXT = """def check(value):
    if value < 0:
        raise fault(
            "value",
        )
    elif value > 9:
        raise fault("value")
    if value == 1:
        warn(Few())
    if value == 2:
        raise fault("value")
    if value == 3:
        return 4
    return value
"""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutate_guards", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutate_guards"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_guards_are_conditions_that_raise_or_warn(tool: ModuleType) -> None:
    guards = list(tool.guards_in(TEXT, Path("core/_checks.py")))
    assert [(guard.first, guard.last, guard.action) for guard in guards] == [(8, 9, 9), (10, 11, 11)]


def test_guard_is_replaced_by_pass(tool: ModuleType) -> None:
    first, _ = tool.guards_in(TEXT, Path("core/_checks.py"))
    assert tool.without(TEXT, first) == TEXT.replace("    if value == 1:\n        warn(Few())\n", "    pass\n")


def test_guard_knows_the_tests_of_its_module(tool: ModuleType) -> None:
    (guard, *_) = tool.guards_in(TEXT, Path("core/_checks.py"))
    assert [Path(path).name for path in guard.tests] == ["test_checks.py"]


def test_library_has_guards_in_every_layer(tool: ModuleType) -> None:
    guards = tool.all_guards()
    assert len(guards) > 300
    assert {"core", "data", "panel", "case", "selection", "cli"} <= {guard.path.parts[0] for guard in guards}


def test_guards_that_are_watched_note_that_they_act(tool: ModuleType) -> None:
    guards = dict(enumerate(tool.guards_in(TEXT, Path("core/_checks.py"))))
    watched = tool.watching(TEXT, guards)
    note = "        __import__('shiftproof._watch', fromlist=['acted']).acted({})\n"
    for number, action in enumerate(("        warn(Few())\n", '    if value == 2:\n        raise fault("value")\n')):
        head, _, tail = action.rpartition("        ")
        assert head + note.format(number) + "        " + tail in watched


PROJECT = {
    "src/shiftproof/__init__.py": "",
    "src/shiftproof/_checks.py": """def check(value):
    if value < 0:
        raise ValueError("negative")
    if value > 9:
        raise ValueError("large")
    if value == 5:
        raise ValueError("five")
    return value
""",
    "tests/test_checks.py": """import pytest
from shiftproof._checks import check


def test_small():
    assert check(1) == 1


@pytest.mark.parametrize("value", [-1, 10])
def test_refused(value):
    try:
        check(value)
    except ValueError:
        return
    assert value != -1
""",
}


@pytest.fixture
def project(tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a project of three guards: one is tested, one acts in a test that does not care, one never acts."""
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool, "SOURCE", tmp_path / "src" / "shiftproof")
    monkeypatch.setattr(tool, "_ATTACKS", [])
    return tmp_path


def test_main_says_which_guards_are_noticed(
    tool: ModuleType, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tool.main(["--seed", "3"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("seed 3: 3 of 3 guards\n")
    assert "\nnoticed  _checks.py:2  if value < 0:" in out
    assert "FAILED tests/test_checks.py::test_refused[-1]" in out
    assert "\nNOT NOTICED  _checks.py:4  if value > 9:" in out
    assert "\nNOT NOTICED  _checks.py:6  if value == 5:" in out
    assert out.endswith("1 of 3 were noticed (seed 3)\n")
    assert (project / "src/shiftproof/_checks.py").read_text(encoding="utf-8") == PROJECT["src/shiftproof/_checks.py"]


def test_main_takes_no_guard_out_where_tests_fail_anyway(
    tool: ModuleType, project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tests = project / "tests/test_checks.py"
    tests.write_text(tests.read_text(encoding="utf-8").replace("check(1) == 1", "check(1) == 2"), encoding="utf-8")
    monkeypatch.setattr(tool, "without", None)  # would take a guard out
    assert tool.main(["--seed", "3"]) == 2
    assert (
        capsys.readouterr()
        .out.splitlines()[1]
        .startswith(
            "The tests must pass before guards are taken out; fix this first: FAILED tests/test_checks.py::test_small"
        )
    )


def test_tests_that_do_not_exist_notice_nothing(
    tool: ModuleType, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tool.Copy.of_source(tmp_path / "copy")
    unknown = subprocess.CompletedProcess([], returncode=4, stdout="ERROR: not found", stderr="")
    monkeypatch.setattr(tool.subprocess, "run", lambda *_, **__: unknown)
    with pytest.raises(RuntimeError) as caught:
        copy.first_failure(["tests/test_checks.py::test_gone"])
    assert str(caught.value) == "pytest does not know one of these tests: tests/test_checks.py::test_gone"
