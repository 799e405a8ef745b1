"""Take guards out of the source, one at a time, and see whether the tests notice.

Usage::

    python tools/mutate_guards.py [--count 10] [--seed N] [--module TEXT]

A guard is a statement ``if ...: raise ...`` or ``if ...: warn(...)`` without an else. Tests can only notice that it is
gone where its condition holds. So the tests run once with guards that note in which tests they act: those that mirror
their modules, then, for guards that these let pass, the attacks of tests/hostile. After that each guard is replaced by
``pass`` in a copy of the source, and only the tests run in which it acted. All tests must pass on the source as it is:
tests that fail anyway prove nothing. Without a seed, one is drawn; it is printed, so that a run can be repeated.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import secrets
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "shiftproof"
# Of ten guards so many must be noticed.
_NOTICED = 0.9
# Attacks that run for guards that the tests of their modules let pass.
_ATTACKS = [str(ROOT / "tests" / "hostile" / f"test_{name}.py") for name in ("table", "sentences", "commands")]
# Tests that hang have noticed something, too.
_PATIENCE = 900
# All tests of the source as it is take longer on a busy machine.
_PATIENCE_WITH_ALL = 3600
# What pytest exits with where a test does not exist.
_NO_SUCH_TEST = 4
# So many tests in which a guard acts are run; one that matters to none of these matters to no other.
_MOST_TESTS = 25
# Written into the copy: notes the test in which a guard acts.
_WATCH = """import os


def acted(number):
    with open(os.environ["GUARD_LOG"], "a", encoding="utf-8") as log:
        log.write(f"{number}\\t{os.environ.get('PYTEST_CURRENT_TEST', '')}\\n")
"""


@dataclass(frozen=True)
class Guard:
    """A guard: its file within the package, its first and last line and that of what it does, counted from 1."""

    path: Path
    first: int
    last: int
    action: int
    text: str

    @property
    def tests(self) -> list[str]:
        """The tests that mirror its module, where there are any."""
        mirrored = ROOT / "tests" / self.path.with_name(f"test_{self.path.stem.removeprefix('_')}.py")
        return [str(mirrored)] if mirrored.is_file() else []

    def __str__(self) -> str:
        return f"{self.path}:{self.first}  {textwrap.shorten(self.text, 110, placeholder=' ...')}"


def guards_in(text: str, path: Path) -> Iterator[Guard]:
    """Find the guards of one file."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.If) or node.orelse or len(node.body) != 1:
            continue
        first, last = node.lineno, node.end_lineno or node.lineno
        # Of an elif, the rest of the chain would be left without its beginning.
        if _is_guard(node.body[0]) and lines[first - 1].lstrip().startswith("if "):
            yield Guard(path, first, last, node.body[0].lineno, " ".join(lines[first - 1 : last]))


def _is_guard(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Raise):
        return statement.exc is not None
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "warn"


def without(text: str, guard: Guard) -> str:
    """Replace a guard by `pass`."""
    lines = text.splitlines(keepends=True)
    start = lines[guard.first - 1]
    indent = start[: len(start) - len(start.lstrip())]
    lines[guard.first - 1 : guard.last] = [f"{indent}pass\n"]
    return "".join(lines)


def all_guards() -> list[Guard]:
    """Find the guards of the library."""
    paths = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))
    return [guard for path in paths for guard in guards_in((SOURCE / path).read_text(encoding="utf-8"), path)]


def watching(text: str, guards: Mapping[int, Guard]) -> str:
    """Let the guards of one file, by their numbers, note that they act."""
    lines = text.splitlines(keepends=True)
    # From the last to the first: lines that are put in move those that follow.
    for number, guard in sorted(guards.items(), key=lambda item: -item[1].action):
        start = lines[guard.action - 1]
        indent = start[: len(start) - len(start.lstrip())]
        note = f"__import__('shiftproof._watch', fromlist=['acted']).acted({number})"
        lines.insert(guard.action - 1, f"{indent}{note}\n")
    return "".join(lines)


@dataclass(frozen=True)
class Copy:
    """A copy of the source, in which guards are watched or taken out."""

    folder: Path

    @classmethod
    def of_source(cls, folder: Path) -> Copy:
        """Copy the source, with the compiled kernels."""
        shutil.copytree(SOURCE, folder / "shiftproof")
        (folder / "shiftproof" / "_watch.py").write_text(_WATCH, encoding="utf-8")
        return cls(folder)

    def tests_with(self, guards: Sequence[Guard], tests: Sequence[str]) -> tuple[dict[Guard, list[str]], str]:
        """Run tests, and return for each guard those in which it acts, and the first that fails."""
        by_path: dict[Path, dict[int, Guard]] = {}
        for number, guard in enumerate(guards):
            by_path.setdefault(guard.path, {})[number] = guard
        texts = {path: watching(self._text(path), of_path) for path, of_path in by_path.items()}
        log = self.folder / "guards.log"
        log.write_text("", encoding="utf-8")
        with self._changed(texts):
            failed = self.first_failure(tests, patience=_PATIENCE_WITH_ALL, GUARD_LOG=str(log))
        acted: dict[Guard, dict[str, None]] = {guard: {} for guard in guards}
        for line in log.read_text(encoding="utf-8").splitlines():
            number, _, test = line.partition("\t")
            # A test is followed by its phase, such as (call); guards may act while tests are collected.
            acted[guards[int(number)]] |= {test.rpartition(" ")[0]: None} if test else {}
        return {guard: list(names) for guard, names in acted.items()}, failed

    def noticed_by(self, guard: Guard, tests: Sequence[str]) -> str:
        """Run tests without the guard; return the first that fails, or nothing."""
        if not tests:
            return ""
        with self._changed({guard.path: without(self._text(guard.path), guard)}):
            return self.first_failure(list(tests)[:_MOST_TESTS])

    def first_failure(self, tests: Sequence[str], *, patience: int = _PATIENCE, **variables: str) -> str:
        """Run tests on the copy; return the first that fails, or nothing."""
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--tb=no", *tests]
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "COLUMNS": "300", **variables}
        how: dict[str, Any] = {"cwd": ROOT, "env": environment, "capture_output": True, "encoding": "utf-8"}
        try:
            done = subprocess.run(command, check=False, timeout=patience, **how)
        except subprocess.TimeoutExpired:
            return f"no end after {patience} seconds"
        if done.returncode == _NO_SUCH_TEST:
            raise RuntimeError(f"pytest does not know one of these tests: {', '.join(tests)}")
        named = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        # A guard at the top of a module stops the tests before one of them has a name.
        return (named or [f"exit status {done.returncode}"])[0] if done.returncode else ""

    def _text(self, path: Path) -> str:
        return (self.folder / "shiftproof" / path).read_text(encoding="utf-8")

    @contextmanager
    def _changed(self, texts: Mapping[Path, str]) -> Iterator[None]:
        originals = {path: self._text(path) for path in texts}
        try:
            for path, text in texts.items():
                (self.folder / "shiftproof" / path).write_text(text, encoding="utf-8")
            yield
        finally:
            for path, text in originals.items():
                (self.folder / "shiftproof" / path).write_text(text, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Try some guards, and say how many were noticed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=10, help="how many guards to take out")
    parser.add_argument("--seed", type=int, default=None, help="the seed of the choice")
    parser.add_argument("--module", default="", help="only guards of files whose path holds this text")
    options = parser.parse_args(arguments)
    seed = secrets.randbelow(10**6) if options.seed is None else options.seed
    guards = [guard for guard in all_guards() if options.module in str(guard.path)]
    chosen = random.Random(seed).sample(guards, min(options.count, len(guards)))  # noqa: S311 - no secret
    print(f"seed {seed}: {len(chosen)} of {len(guards)} guards", flush=True)
    left = chosen
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy.of_source(Path(folder))
        for tests in (sorted({test for guard in chosen for test in guard.tests}), _ATTACKS):
            acted, failed = copy.tests_with(left, tests) if left and tests else ({}, "")
            if failed:
                print(f"The tests must pass before guards are taken out; fix this first: {failed}")
                return 2
            for guard, names in acted.items():
                by = copy.noticed_by(guard, names)
                left = [other for other in left if other is not guard or not by]
                if by:
                    print(f"noticed  {guard}\n    {by}", flush=True)
    for guard in left:
        print(f"NOT NOTICED  {guard}")
    print(f"{len(chosen) - len(left)} of {len(chosen)} were noticed (seed {seed})")
    return int(len(chosen) - len(left) < _NOTICED * len(chosen))


if __name__ == "__main__":
    sys.exit(main())
