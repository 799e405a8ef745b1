"""Measure the code: lines per package, lengths of functions, comments, `Any`, and modules without a mirrored test.

Usage::

    python tools/house.py

prints the table of `make house`. `tests/test_house.py` holds the figures to their limits.
"""

from __future__ import annotations

import ast
import io
import tokenize
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCE, TESTS = ROOT / "src" / "shiftproof", ROOT / "tests"
# Tokens that make no line of code of a line.
_BLANK = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


class Function(NamedTuple):
    """A function: its name, its length in code lines, and its parameters' annotations."""

    name: str
    lines: int
    annotations: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Module:
    """A file of source code: its path within the package, and what is in it."""

    path: Path
    code_lines: int
    comments: int
    functions: tuple[Function, ...]

    @property
    def package(self) -> str:
        """Return the first folder below `shiftproof`, or the file's own name."""
        return self.path.parts[0]

    @property
    def test(self) -> Path:
        """Return where the mirrored test stands, within the folder of tests."""
        return self.path.with_name(f"test_{self.path.stem.removeprefix('_')}.py")


def measure(path: Path, root: Path = SOURCE) -> Module:
    """Measure one file; docstrings, comments and empty lines are not code."""
    text = path.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(text)))
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    comments = sum(token.type == tokenize.COMMENT for token in tokens)
    code = {
        line
        for token in tokens
        if token.type not in _BLANK and token.type != tokenize.COMMENT
        for line in range(token.start[0], token.end[0] + 1)
    } - set(_docstring_lines(nodes))
    in_order = sorted(code)
    functions = tuple(_function(node, in_order) for node in nodes if isinstance(node, _FUNCTION))
    return Module(path=path.relative_to(root), code_lines=len(code), comments=comments, functions=functions)


def modules(root: Path = SOURCE) -> list[Module]:
    """Measure every file of a package."""
    return [measure(path, root) for path in sorted(root.rglob("*.py"))]


def untested(measured: list[Module], tests: Path = TESTS) -> list[Path]:
    """Return the modules that have no mirrored test; a package's `__init__` needs none."""
    return [
        module.path for module in measured if module.path.stem != "__init__" and not (tests / module.test).is_file()
    ]


def quantile(lengths: list[int], share: float) -> int:
    """Return the length that this share of the functions does not exceed."""
    return sorted(lengths)[int(share * len(lengths))]


def comments_per_hundred(measured: list[Module]) -> float:
    """Return the comments per hundred lines of code."""
    return 100 * sum(module.comments for module in measured) / sum(module.code_lines for module in measured)


def any_share(measured: list[Module]) -> float:
    """Return the share of parameters whose type is `Any`."""
    annotations = [name for module in measured for function in module.functions for name in function.annotations]
    return annotations.count("Any") / len(annotations)


def _docstring_lines(nodes: list[ast.AST]) -> Iterator[int]:
    for node in nodes:
        if not isinstance(node, (ast.Module, ast.ClassDef, *_FUNCTION)) or ast.get_docstring(node) is None:
            continue
        docstring = node.body[0]
        yield from range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1)


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, code: list[int]) -> Function:
    lines = bisect_right(code, node.end_lineno or node.lineno) - bisect_left(code, node.lineno)
    given = node.args
    extra = [one for one in (given.vararg, given.kwarg) if one is not None]
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs, *extra]
    # Without an annotation, a parameter is self or cls: the types are checked whole.
    annotations = tuple(ast.unparse(one.annotation) for one in parameters if one.annotation is not None)
    return Function(node.name, lines, annotations)


def main() -> None:
    """Print the figures."""
    measured = modules()
    print(f"{'package':16s} {'files':>5s} {'code':>6s} {'comments/100':>12s}")
    for package in sorted({module.package for module in measured}):
        part = [module for module in measured if module.package == package]
        lines = sum(module.code_lines for module in part)
        per_hundred = comments_per_hundred(part) if lines else 0.0
        print(f"{package:16s} {len(part):5d} {lines:6d} {per_hundred:12.1f}")
    total = sum(module.code_lines for module in measured)
    print(f"{'all':16s} {len(measured):5d} {total:6d} {comments_per_hundred(measured):12.1f}")
    functions = [
        (function.lines, f"{module.path}: {function.name}") for module in measured for function in module.functions
    ]
    lengths = [lines for lines, _ in functions]
    print(
        f"{len(functions)} functions: 95% have at most {quantile(lengths, 0.95)} code lines, the longest {max(lengths)}"
    )
    for lines, name in sorted(functions, reverse=True):
        if lines > 45:
            print(f"  {lines:3d}  {name}")
    print(f"{any_share(measured):.1%} of parameters are Any")
    missing = untested(measured)
    print(f"{len(missing)} of {len(measured)} modules without a test of their own: {', '.join(map(str, missing))}")


if __name__ == "__main__":
    main()
