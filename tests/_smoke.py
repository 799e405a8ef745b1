"""Run a script in its smallest form within this process: what it reads of our results must exist."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests._forests import few_trees

ROOT = Path(__file__).resolve().parents[1]


class Smallest(NamedTuple):
    """The smallest form of a script.

    Attributes
    ----------
    words : str
        The command line, or several on lines of their own; names in braces are folders.
    smaller : mapping
        Names of the script or, after a dot, of other modules, and the values that they have in this run.
    without : str
        What needs an environment of its own and is left out, in a few words.
    stand_ins : mapping
        Modules in place of libraries that are left out.
    """

    words: str = ""
    smaller: Mapping[str, object] = {}
    without: str = ""
    stand_ins: Mapping[str, Any] = {}


def scripts(folder: str) -> list[str]:
    """Name the scripts of a folder by their paths in it."""
    return [path.relative_to(ROOT / folder).with_suffix("").as_posix() for path in (ROOT / folder).rglob("*.py")]


def forms(folder: str, smallest: Mapping[str, Smallest]) -> list[Any]:
    """Return each script that has a smallest form with it, named by what is left out, too."""
    return [
        pytest.param(ROOT / folder / f"{name}.py", form, id=f"{name}, without {form.without}" if form.without else name)
        for name, form in smallest.items()
    ]


def run_script(path: Path, form: Smallest, patch: pytest.MonkeyPatch, **folders: object) -> None:
    """Import a script and, if it is more than helpers, run it."""
    patch.syspath_prepend(str(path.parent))
    with _same_environment(), few_trees():
        for name, library in form.stand_ins.items():
            patch.setitem(sys.modules, name, library)
        module = _module(path)
        for name, value in form.smaller.items():
            place, _, constant = name.rpartition(".")
            patch.setattr(importlib.import_module(place) if place else module, constant, value)
        patch.setattr(subprocess, "run", _within_process(path.parent, subprocess.run))
        for words in form.words.format_map(folders).split("\n") if hasattr(module, "main") else ():
            _call(module, [str(path), *words.split()], patch)


def _module(path: Path) -> Any:
    return importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


def _call(module: Any, words: list[str], patch: pytest.MonkeyPatch) -> None:
    """Run a script; 1 is the status of one whose limits are not met, which says nothing of so small a form."""
    with patch.context() as own:
        own.setattr(sys, "argv", words)
        try:
            status = module.main()
        except SystemExit as error:
            status = error.code
    assert status in (None, 0, 1)


def _within_process(folder: Path, elsewhere: Any) -> Any:
    """Stand in for `subprocess.run`: scripts of the folder run here, which spares the imports of each process."""

    def run(command: Sequence[object], **options: Any) -> subprocess.CompletedProcess[str]:
        python, script, *words = map(str, command)
        if python != sys.executable or Path(script).parent != folder:
            done: subprocess.CompletedProcess[str] = elsewhere(command, **options)
            return done
        with redirect_stdout(StringIO()) as printed, pytest.MonkeyPatch.context() as patch:
            _call(_module(Path(script)), [script, *words], patch)
        return subprocess.CompletedProcess([python], 0, printed.getvalue(), "")

    return run


@contextmanager
def _same_environment() -> Iterator[None]:
    """Undo what scripts set in the environment when they are imported."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)
