"""The public surface: what `__all__` names is documented and supported; everything else is internal."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import shiftproof
from shiftproof.core import ShiftproofError, ShiftproofWarning, _errors, _warnings

# Type checkers read the stub, which shows none of the machinery that loads names late.
LIBRARY: Any = shiftproof

SOURCE = Path(shiftproof.__file__).parent
TOOLS = Path(__file__).resolve().parents[1] / "tools"
PACKAGES = sorted(module.name for module in pkgutil.iter_modules(shiftproof.__path__) if module.ispkg)
PUBLIC = LIBRARY._PUBLIC_PACKAGES
INTERNAL = sorted({*PACKAGES} - {*PUBLIC})


def as_ruff_sorts(names: list[str]) -> list[str]:
    """Sort CONSTANTS before Classes before everything else."""

    def rank(name: str) -> tuple[int, str]:
        letters = name.replace("_", "")
        return (0 if letters.isupper() and len(letters) > 1 else 1 if name[:1].isupper() else 2), name

    return sorted(names, key=rank)


def test_public_names_are_unique_and_exist() -> None:
    assert len(set(LIBRARY.__all__)) == len(LIBRARY.__all__)
    for name in LIBRARY.__all__:
        assert getattr(shiftproof, name) is not None


def test_star_import_gives_the_public_names() -> None:
    names: dict[str, object] = {}
    exec("from shiftproof import *", names)  # noqa: S102
    assert {*names} - {"__builtins__"} == {*LIBRARY.__all__}


def test_stub_agrees_with_the_list_of_names() -> None:
    made = runpy.run_path(str(TOOLS / "make_stub.py"))
    assert (SOURCE / "__init__.pyi").read_text(encoding="utf-8") == made["stub_text"](), "run make reference"


def test_top_level_name_is_the_object_of_its_package() -> None:
    for package, names in LIBRARY._NAMES_BY_PACKAGE.items():
        home = importlib.import_module(f"shiftproof.{package}")
        assert list(names) == as_ruff_sorts(names)
        assert [name for name in names if getattr(shiftproof, name) is not getattr(home, name)] == []


def test_every_error_and_warning_is_at_the_top_level() -> None:
    values = [value for module in (_errors, _warnings) for value in vars(module).values() if isinstance(value, type)]
    ours = {value.__name__ for value in values if issubclass(value, (ShiftproofError, ShiftproofWarning))}
    assert ours - {*LIBRARY.__all__} == set()


def test_public_packages_are_attributes() -> None:
    assert list(PUBLIC) == sorted(PUBLIC)
    for name in PUBLIC:
        assert getattr(shiftproof, name) is importlib.import_module(f"shiftproof.{name}")


@pytest.mark.parametrize("package", PUBLIC)
def test_names_of_a_public_package_are_sorted_and_exist(package: str) -> None:
    module = importlib.import_module(f"shiftproof.{package}")
    assert module.__all__ == as_ruff_sorts(module.__all__)
    assert len(set(module.__all__)) == len(module.__all__)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    assert [name for name in module.__all__ if name.startswith("_")] == []


@pytest.mark.parametrize("package", INTERNAL)
def test_internal_package_promises_no_names(package: str) -> None:
    assert not hasattr(importlib.import_module(f"shiftproof.{package}"), "__all__")


def test_class_names_are_unique() -> None:
    # Private modules count too: a name that stands twice cannot be searched for. Those of the command line are the
    # types of its options.
    classes = Counter(
        node.name
        for path in SOURCE.rglob("*.py")
        if path.relative_to(SOURCE).parts[0] != "cli"
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, times in classes.items() if times > 1] == []


def test_completion_shows_the_public_names_only() -> None:
    assert dir(shiftproof) == sorted(LIBRARY.__all__)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError) as caught:
        _ = shiftproof.detekt  # type: ignore[attr-defined]
    assert str(caught.value) == "module 'shiftproof' has no attribute 'detekt'"


def test_unknown_name_cannot_be_imported() -> None:
    with pytest.raises(ImportError, match=r"^cannot import name 'detekt' from 'shiftproof'"):
        from shiftproof import detekt  # type: ignore[attr-defined]  # noqa: F401


def test_version_is_that_of_the_package() -> None:
    from shiftproof._version import __version__

    assert shiftproof.__version__ == __version__
    assert all(part.isdigit() for part in __version__.split(".")[:3])
