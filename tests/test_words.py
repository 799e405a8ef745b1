"""Every text that a person reads keeps to the words that we agreed on; words with a right use are left to readers."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "docs" / "audit.schema.json"]
MODULES = sorted((ROOT / "src").rglob("*.py"))
# The phrase that nobody in an office would say, and what to say instead.
PHRASES = {
    r"classes' shares": "class proportions",
    r"how many are \w+ cannot": "the share of class 1 cannot be estimated",
    r"(kind|type) (of shift )?is told": "the type of shift",
    r"out of reach": "too different from the labelled data",
    r"(cannot|can't|could not) be told": "cannot be determined",
    r"no \w+ can be given": "cannot be estimated",
    r"leaves? with (status )?[0-2]\b": "exit with status 1",
    r"(keep|kept) for who\w* asks": "cache",
    r"an eye on": "cautions",
    r"was asked for": "because quick=True",
    r"go together otherwise": "correlated differently",
    r"\bwhat came\b": "what actually happened",
    r"(old|other) rows came in": "the mix of inputs changed",
    r"(it|which) is no feature": "the column is not used as a feature",
    r"this is no\b": "not valid",
    r"lean on few": "only a few labelled rows resemble the new data",
    r"cross-validation (claims|promises)": "cross-validation estimates",
    r"\b(told|untold|mend|mends|mended|mending|whither)\b": "said, known, fix",
}


def _texts_of_module(source: str) -> list[tuple[int, str]]:
    """Return the strings of a module, docstrings included, and its comments, each with its line."""
    constants = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    strings = [(node.lineno, node.value) for node in constants if isinstance(node.value, str)]
    return strings + _comments(source)


def _comments(source: str) -> list[tuple[int, str]]:
    """Return the comments of a module; those on consecutive lines are one text, because a phrase may be broken."""
    comments: list[tuple[int, str]] = []
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        line, text = token.start[0], token.string.lstrip("#: ")
        if line == last + 1:
            first, before = comments.pop()
            comments.append((first, f"{before} {text}"))
        else:
            comments.append((line, text))
        last = line
    return comments


def _texts_of_page(source: str) -> list[tuple[int, str]]:
    """Return the paragraphs of a page, because a phrase may be broken over two lines."""
    paragraphs, line = [], 1
    for paragraph in source.split("\n\n"):
        paragraphs.append((line, paragraph))
        line += paragraph.count("\n") + 2
    return paragraphs


def _faults(texts: list[tuple[int, str]]) -> list[str]:
    """Return each phrase to avoid with its line and what to say instead."""
    return [
        f"line {line}: {match[0]!r}; say {instead!r}"
        for line, text in texts
        for phrase, instead in PHRASES.items()
        for match in re.finditer(phrase, " ".join(text.split()), re.IGNORECASE)
    ]


def test_faults_finds_a_phrase_across_lines_and_in_an_f_string() -> None:
    assert _faults(_texts_of_page("Fine.\n\nThe type cannot be\ntold.\n")) == [
        "line 3: 'cannot be told'; say 'cannot be determined'",
        "line 3: 'told'; say 'said, known, fix'",
    ]
    assert _faults(_texts_of_module('x = 1\nprint(f"{x} is out of reach")\n')) == [
        "line 2: 'out of reach'; say 'too different from the labelled data'"
    ]


def test_faults_finds_a_phrase_in_comments_broken_over_two_lines() -> None:
    assert _faults(_texts_of_module("x = 1\n# Rows that are out\n# of reach.\n")) == [
        "line 2: 'out of reach'; say 'too different from the labelled data'"
    ]


@pytest.mark.parametrize("path", [*PAGES, *MODULES], ids=lambda path: path.relative_to(ROOT).as_posix())
def test_text_has_no_phrase_to_avoid(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert _faults(_texts_of_module(source) if path.suffix == ".py" else _texts_of_page(source)) == []


def _unfilled(source: str) -> list[str]:
    """Return the texts with a call in braces that no f-string fills in: an `f` that was lost."""
    tree = ast.parse(source)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, documented)}
    strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return sorted(text for text in strings - docstrings if re.search(r"\{[^{}\n:]+\([^{}\n]*\)[^{}\n]*\}", text))


def test_unfilled_finds_an_f_that_was_lost() -> None:
    assert _unfilled('x = (f"{len(a)} of " f"{len(b)} rows")') == []
    assert _unfilled('x = (f"{len(a)}" " of {len(b)} rows")') == [" of {len(b)} rows"]
    assert _unfilled('"""See {f(x)}."""') == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_text_has_no_expression_that_is_not_filled_in(path: Path) -> None:
    assert _unfilled(path.read_text(encoding="utf-8")) == []
