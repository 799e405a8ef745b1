"""The documentation tells the truth: its code runs, and prints what stands below it.

The blocks of a page run in order, in one namespace and one empty folder, with warnings as errors:

- ``python`` is executed; ``python warns`` must raise a `ShiftproofWarning`, which is not an error then.
- ``python file=NAME`` and ``toml file=NAME`` are not run but written to that file.
- ``sh`` holds commands. Those of shiftproof run in this process and must leave with 0, or with N after ``sh exit=N``;
  others are only checked to exist.
- ``text`` right after one of these is what was printed. Three dots stand for anything.
- ``pycon`` comes from a docstring, whose doctest runs it; it stands in docs/reference only.
- ``no-run`` after ``python`` or ``sh``: not run, for the reason in the HTML comment just above it.

What is printed is compared only with the versions of constraints.txt, since others give other digits.
``DOCS_UPDATE=1 pytest tests/docs`` writes what is printed into the pages; read the difference before you keep it.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.docs._once import once, repeated_work_done_once

import shiftproof as sp
from shiftproof.cli._app import COMMANDS, run

ROOT = Path(__file__).resolve().parents[2]
# The longest first, so that two workers end at about the same time.
PAGES = [
    ROOT / "docs" / "tutorial.md",
    ROOT / "README.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.name != "tutorial.md"),
]
LINKED = [*PAGES, ROOT / "CONTRIBUTING.md"]
UPDATE = bool(os.environ.get("DOCS_UPDATE"))
# Commands of others, which a page may show.
OTHERS = ("make", "pip")
WIDTH = "100"
# What a page needs beside the package.
EXTRAS = {
    "docs/guides/alerts.md": ("alembic", "sqlalchemy"),
    "docs/guides/monitoring.md": ("alembic", "sqlalchemy"),
    "docs/guides/my-own-models.md": ("polars", "skops"),
}


def _pinned() -> bool:
    """Say whether the libraries that numbers depend on are those of the constraints."""
    pins = dict(re.findall(r"^([\w-]+)==(\S+)", (ROOT / "constraints.txt").read_text(), flags=re.MULTILINE))
    return all(version(name) == pins.get(name) for name in ("numpy", "scipy", "scikit-learn", "pandas"))


PINNED = _pinned()

_BLOCK = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", flags=re.MULTILINE | re.DOTALL)
_REASON = re.compile(r"<!-- not run: [^\n]+ -->\n\Z")
_LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, the words behind it, and where it stands."""

    language: str
    words: tuple[str, ...]
    body: str
    line: int
    span: tuple[int, int]
    before: str

    def setting(self, name: str) -> str | None:
        """Give what stands behind ``name=``."""
        return next((word.partition("=")[2] for word in self.words if word.startswith(f"{name}=")), None)

    @property
    def where(self) -> str:
        return f"line {self.line}: {self.body.splitlines()[0] if self.body else 'empty'}"


def blocks_of(text: str) -> list[Block]:
    """Find the fenced blocks of a page."""
    found = []
    for match in _BLOCK.finditer(text):
        language, *words = match["info"].split() or [""]
        line = text.count("\n", 0, match.start()) + 2
        found.append(Block(language, tuple(words), match["body"], line, match.span("body"), text[: match.start()]))
    return found


def _named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.fixture(autouse=True, scope="module")
def _done_once() -> Iterator[None]:
    with repeated_work_done_once():
        yield


@pytest.fixture(autouse=True)
def _no_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave charts of reports out: nobody looks at them here, and the tests of pages and plots draw them all."""
    monkeypatch.setattr("shiftproof.plots.drawn_svg", lambda *_: "<svg></svg>")


@pytest.fixture(autouse=True)
def _a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let everything happen in an empty folder, on a terminal of one width and without colours."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", WIDTH)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("typer.rich_utils.FORCE_TERMINAL", None)


@pytest.mark.parametrize("page", PAGES, ids=_named)
def test_the_code_of_a_page_runs_and_prints_what_stands_below_it(page: Path) -> None:
    for name in EXTRAS.get(_named(page), ()):
        pytest.importorskip(name)
    text = page.read_text(encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": "docs", **PRELUDES.get(_named(page), dict)()}
    printed: str | None = None
    corrected: list[tuple[tuple[int, int], str]] = []
    for block in blocks_of(text):
        if block.language == "text":
            assert printed is not None, f"{block.where}: nothing was run above this"
            if UPDATE and not _matches(printed, block.body):
                corrected.append((block.span, f"{_dotted(printed, block.body)}\n"))
            elif PINNED:
                assert _matches(printed, block.body), f"{block.where}\nprinted:\n{printed}"
        printed = _ran(block, page, namespace)
    for (start, end), words in reversed(corrected):
        text = text[:start] + words + text[end:]
    if corrected:
        page.write_text(text, encoding="utf-8")


def _ran(block: Block, page: Path, namespace: dict[str, Any]) -> str | None:
    """Do what a block says, and give what it printed."""
    if block.language not in ("python", "sh", "toml"):
        return None
    if "no-run" in block.words:
        assert _REASON.search(block.before), f"{block.where}: say why in <!-- not run: ... -->, just above"
        return None
    name = block.setting("file")
    if name is not None:
        Path(name).write_text(block.body, encoding="utf-8")
        return None
    if block.language == "python":
        return _python(block, page, namespace)
    return _shell(block) if block.language == "sh" else None


def _python(block: Block, page: Path, namespace: dict[str, Any]) -> str:
    code = compile("\n" * (block.line - 1) + block.body, _named(page), "exec")
    with _printing() as stream, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("error")
        if "warns" in block.words:
            warnings.simplefilter("always", sp.ShiftproofWarning)
        exec(code, namespace)  # noqa: S102 - our own pages
    assert bool(caught) == ("warns" in block.words), f"{block.where}: it warned {len(caught)} times"
    return stream.getvalue()


def _shell(block: Block) -> str:
    wanted = int(block.setting("exit") or 0)
    with _printing() as stream:
        for words in _commands(block.body):
            if words[0] == "shiftproof":
                errors = io.StringIO()
                with contextlib.redirect_stderr(errors):
                    code = run(words[1:])
                assert code == wanted, f"{block.where}: left with {code}: {errors.getvalue()}"
                assert "Traceback" not in errors.getvalue(), errors.getvalue()
            else:
                _exists(words)
    return stream.getvalue()


@contextlib.contextmanager
def _printing() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        yield stream


def _commands(text: str) -> list[list[str]]:
    lines = text.replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def _exists(words: list[str]) -> None:
    assert words[0] in OTHERS, words
    if words[0] == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        for target in words[1:]:
            assert "=" in target or re.search(rf"^{target}:", makefile, flags=re.MULTILINE), words


def _matches(printed: str, expected: str) -> bool:
    pattern = ".*?".join(re.escape(part) for part in _tidy(expected).split("..."))
    return re.fullmatch(pattern, _tidy(printed), flags=re.DOTALL) is not None


def _dotted(printed: str, expected: str) -> str:
    """Give what was printed, with three dots where they stood before: within a line, or from the last line on."""
    found, lines = _tidy(printed), _tidy(expected).splitlines()
    for at, line in enumerate(lines):
        if "..." in line:
            pattern = "[^\n]*".join(re.escape(part) for part in line.split("..."))
            to_end = at == len(lines) - 1 and line.endswith("...")
            pattern = rf"^{pattern}$" + (r"(.|\n)*" if to_end else "")
            found = re.sub(pattern, line.replace("\\", r"\\"), found, flags=re.MULTILINE)
    return found


def _tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def _fragments() -> dict[str, Any]:
    """Give what pages that show pieces of code take for granted: models, labelled rows and new ones."""
    rng = np.random.default_rng(0)

    def made(size: int, share: float) -> pd.DataFrame:
        positive = rng.random(size) < share
        columns = {name: rng.normal(size=size) + place * positive for name, place in (("a", 1.5), ("b", 1.0), ("c", 0))}
        days = np.datetime64("2026-01-01") + np.arange(size) % 120
        return pd.DataFrame({**columns, "date": days, "churned": np.where(positive, "yes", "no")})

    labelled, new = made(600, 0.4), made(400, 0.6)
    for name in ("labelled.csv", "customers.csv"):
        labelled.drop(columns="date").to_csv(name, index=False)
    new.drop(columns="churned").to_csv("new.csv", index=False)
    new.drop(columns=["date", "churned"]).to_csv("june.csv", index=False)
    halves = np.arange(600) % 2 == 0
    X, y = labelled[["a", "b", "c"]], labelled["churned"]
    return {
        "sp": sp,
        "models": sp.default_models(only=["lr", "forest", "boost"]),
        "X": X,
        "y": y,
        "X_new": new.drop(columns="churned"),
        "X1": X[halves],
        "y1": y[halves],
        "X2": X[~halves],
        "y2": y[~halves],
        "ask": new["churned"].iloc.__getitem__,
    }


PRELUDES: dict[str, Callable[[], dict[str, Any]]] = {
    "README.md": _fragments,
    "docs/selection.md": _fragments,
    "docs/quantification.md": _fragments,
}


@pytest.mark.parametrize("page", LINKED, ids=_named)
def test_what_a_page_links_to_exists(page: Path) -> None:
    text = _without_code(page.read_text(encoding="utf-8"))
    for match in _LINK.finditer(text):
        target, _, anchor = match["target"].partition("#")
        if ":" in target:
            continue
        place = (page.parent / target).resolve() if target else page
        assert place.exists(), match["target"]
        assert place.is_relative_to(ROOT), match["target"]
        if anchor:
            assert anchor in _anchors(place), match["target"]


def test_every_page_can_be_reached() -> None:
    seen, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md":
            continue
        seen.add(page)
        text = _without_code(page.read_text(encoding="utf-8"))
        targets = (match["target"].partition("#")[0] for match in _LINK.finditer(text))
        waiting += [(page.parent / target).resolve() for target in targets if target and ":" not in target]
    assert [_named(page) for page in PAGES if page not in seen] == []


def test_every_verb_and_every_command_is_told() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    verbs = [
        name for name in vars(sp)["__all__"] if callable(getattr(sp, name)) and not isinstance(getattr(sp, name), type)
    ]
    assert "audit" in verbs
    assert [name for name in verbs if not re.search(rf"\bsp\.{name}\b", text)] == []
    assert [name for name in (each.__name__ for each in COMMANDS) if f"shiftproof {name}" not in text] == []


def _without_code(text: str) -> str:
    return re.sub(r"`[^`\n]+`|<!--.*?-->", "", _BLOCK.sub("", text), flags=re.DOTALL)


def _anchors(page: Path) -> set[str]:
    """Give the anchors of a page's headings as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", _BLOCK.sub("", page.read_text(encoding="utf-8")), flags=re.MULTILINE)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading.strip()).replace(" ", "-") for heading in plain}


def test_three_dots_stand_for_anything_and_nothing_else_does() -> None:
    assert _matches("time: 3.1 s\nmore\n", "time: ...\n")
    assert _matches("a  \nb\n", "a\nb\n")
    assert not _matches("a 0.81\n", "a 0.82\n")
    assert not _matches("a\nb\n", "a\n")
    assert _dotted("new\ntime: 3.1 s\nmore\n", "old\ntime: ...\n") == "new\ntime: ..."
    assert _dotted("3.1 s, new\nlast\n", "... s, new\nfirst\n") == "... s, new\nlast"


def test_a_block_is_not_run_only_for_a_reason(tmp_path: Path) -> None:
    told, untold = blocks_of(
        "<!-- not run: it takes a day -->\n```python no-run\n1 / 0\n```\n```python no-run\n1 / 0\n```\n"
    )
    assert _ran(told, ROOT / "README.md", {}) is None
    with pytest.raises(AssertionError, match="say why"):
        _ran(untold, ROOT / "README.md", {})


def test_commands_of_others_must_exist() -> None:
    (block,) = blocks_of("```sh\nmake demo\npip install .  # here\n```\n")
    assert _ran(block, ROOT / "README.md", {}) == ""
    (block,) = blocks_of("```sh\nmake coffee\n```\n")
    with pytest.raises(AssertionError, match="coffee"):
        _ran(block, ROOT / "README.md", {})


def test_once_returns_what_it_returned_and_leaves_the_generator_where_the_work_left_it() -> None:
    calls: list[int] = []

    def draw(size: int, rng: np.random.Generator) -> float:
        calls.append(size)
        return float(rng.random(size).sum())

    def drawn(function: Callable[..., float], seed: int, size: int) -> tuple[float, float]:
        rng = np.random.default_rng(seed)
        return function(size, rng=rng), rng.random()

    known = once(draw)
    assert [drawn(known, *given) for given in ((0, 3), (0, 3), (1, 3), (0, 4))] == [
        drawn(draw, *given) for given in ((0, 3), (0, 3), (1, 3), (0, 4))
    ]
    assert calls == [3, 3, 4, 3, 3, 3, 4]
