from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path
from typing import Any

import pytest

import shiftproof

# Type checkers read the stub, which shows none of the machinery that loads names late.
LIBRARY: Any = shiftproof

PACKAGES = sorted(found.name for found in pkgutil.iter_modules(shiftproof.__path__) if found.ispkg)


def as_ruff_sorts(names: list[str]) -> list[str]:
    """Sort CONSTANTS before Classes before everything else."""

    def rank(name: str) -> tuple[int, str]:
        letters = name.replace("_", "")
        return (0 if letters.isupper() and len(letters) > 1 else 1 if name[:1].isupper() else 2), name

    return sorted(names, key=rank)


def stub_names() -> list[str]:
    """Return the names that type checkers know, each re-exported as ``from x import name as name``."""
    stub = Path(shiftproof.__file__).with_suffix(".pyi")
    imports = [
        node for node in ast.walk(ast.parse(stub.read_text(encoding="utf-8"))) if isinstance(node, ast.ImportFrom)
    ]
    return sorted(name.asname or "" for node in imports for name in node.names)


def test_the_public_names_are_sorted_and_exist() -> None:
    assert LIBRARY.__all__ == as_ruff_sorts(LIBRARY.__all__)
    assert len(set(LIBRARY.__all__)) == len(LIBRARY.__all__)
    for name in LIBRARY.__all__:
        assert getattr(shiftproof, name) is not None


def test_what_is_named_is_what_a_star_imports() -> None:
    names: dict[str, object] = {}
    exec("from shiftproof import *", names)  # noqa: S102
    assert {*names} - {"__builtins__"} == {*LIBRARY.__all__}


def test_every_name_that_loads_late_is_known_to_type_checkers() -> None:
    assert stub_names() == sorted({*LIBRARY._HOMES, *LIBRARY._PACKAGES, "__version__"})


def test_every_name_that_loads_late_is_that_of_its_package() -> None:
    for name, package in LIBRARY._HOMES.items():
        home = importlib.import_module(f"shiftproof.{package}")
        assert name in home.__all__
        assert getattr(shiftproof, name) is getattr(home, name)


def test_packages_load_late_too() -> None:
    assert list(LIBRARY._PACKAGES) == sorted(LIBRARY._PACKAGES)
    for name in LIBRARY._PACKAGES:
        assert getattr(shiftproof, name) is importlib.import_module(f"shiftproof.{name}")


def test_every_package_but_the_command_line_is_an_attribute() -> None:
    assert {*PACKAGES} - {"cli"} == {*LIBRARY._PACKAGES}


@pytest.mark.parametrize("package", PACKAGES)
def test_the_names_of_a_package_are_sorted_and_exist(package: str) -> None:
    module = importlib.import_module(f"shiftproof.{package}")
    assert module.__all__ == as_ruff_sorts(module.__all__)
    assert len(set(module.__all__)) == len(module.__all__)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    assert [name for name in module.__all__ if name.startswith("_")] == []


def test_completion_shows_all_names() -> None:
    assert dir(shiftproof) == sorted(dir(shiftproof))
    assert {*LIBRARY.__all__, *LIBRARY._PACKAGES} <= {*dir(shiftproof)}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError) as caught:
        _ = shiftproof.detekt  # type: ignore[attr-defined]
    assert str(caught.value) == "module 'shiftproof' has no attribute 'detekt'"


def test_an_unknown_name_cannot_be_imported() -> None:
    with pytest.raises(ImportError, match=r"^cannot import name 'detekt' from 'shiftproof'"):
        from shiftproof import detekt  # type: ignore[attr-defined]  # noqa: F401


def test_the_version_is_that_of_the_package() -> None:
    from shiftproof._version import __version__

    assert shiftproof.__version__ == __version__
    assert all(part.isdigit() for part in __version__.split(".")[:3])
