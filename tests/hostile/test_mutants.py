"""The tool that takes guards out of the source finds them, and takes out nothing else."""

from __future__ import annotations

import importlib.util
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
    assert [(guard.first, guard.last) for guard in guards] == [(8, 9), (10, 11)]


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
