"""Take guards out of the source, one at a time, and see whether the tests notice.

Usage::

    python tools/mutate_guards.py [--count 10] [--seed N] [--module TEXT]

A guard is a statement ``if ...: raise ...`` or ``if ...: warn(...)`` without an else. In a copy of the source it is
replaced by ``pass``; then the tests that mirror its module run, and if they notice nothing, the quick attacks of
tests/hostile. All of these must pass on the source as it is: tests that fail anyway prove nothing. Without a seed, one
is drawn; it is printed, so that a run can be repeated.
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
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "shiftproof"
# Of ten guards so many must be noticed.
_NOTICED = 0.9
# Attacks that run for every guard that the tests of its module let pass.
_ATTACKS = [str(ROOT / "tests" / "hostile" / f"test_{name}.py") for name in ("table", "sentences", "commands")]
# Tests that hang have noticed something, too.
_PATIENCE = 900


@dataclass(frozen=True)
class Guard:
    """A guard: its file within the package, and its first and last line, counted from 1."""

    path: Path
    first: int
    last: int
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
            yield Guard(path, first, last, " ".join(lines[first - 1 : last]))


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


def noticed_by(copy: Path, guard: Guard) -> str:
    """Run the tests on the copy without the guard; return the first that fails, or nothing."""
    changed = copy / "shiftproof" / guard.path
    original = changed.read_text(encoding="utf-8")
    changed.write_text(without(original, guard), encoding="utf-8")
    try:
        for tests in (guard.tests, _ATTACKS):
            failed = _first_failure(copy, tests) if tests else ""
            if failed:
                return failed
        return ""
    finally:
        changed.write_text(original, encoding="utf-8")


def _first_failure(copy: Path, tests: list[str]) -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--tb=no", *tests]
    environment = {**os.environ, "PYTHONPATH": str(copy), "COLUMNS": "300"}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=False, timeout=_PATIENCE
        )
    except subprocess.TimeoutExpired:
        return f"no end after {_PATIENCE} seconds"
    named = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    # A guard at the top of a module stops the tests before one of them has a name.
    return (named or [f"exit status {done.returncode}"])[0] if done.returncode else ""


def main() -> int:
    """Try some guards, and say how many were noticed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=10, help="how many guards to take out")
    parser.add_argument("--seed", type=int, default=None, help="the seed of the choice")
    parser.add_argument("--module", default="", help="only guards of files whose path holds this text")
    options = parser.parse_args()
    seed = secrets.randbelow(10**6) if options.seed is None else options.seed
    guards = [guard for guard in all_guards() if options.module in str(guard.path)]
    chosen = random.Random(seed).sample(guards, min(options.count, len(guards)))  # noqa: S311 - no secret
    print(f"seed {seed}: {len(chosen)} of {len(guards)} guards", flush=True)
    noticed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(SOURCE, copy / "shiftproof")  # with the compiled kernels
        failed = _first_failure(copy, sorted({test for guard in chosen for test in guard.tests} | {*_ATTACKS}))
        if failed:
            print(f"The tests must pass before guards are taken out; fix this first: {failed}")
            return 2
        for guard in chosen:
            by = noticed_by(copy, guard)
            noticed += bool(by)
            print(f"{'noticed' if by else 'NOT NOTICED'}  {guard}\n    {by}", flush=True)
    print(f"{noticed} of {len(chosen)} were noticed (seed {seed})")
    return int(noticed < _NOTICED * len(chosen))


if __name__ == "__main__":
    sys.exit(main())
