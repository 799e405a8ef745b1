"""Write `docs/reference/` from the docstrings: one page for each public package, and an index.

Usage::

    python tools/make_reference.py

A test compares the pages with the docstrings. Mathematics and links are written the way GitHub reads them.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import get_args

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
TOP = "shiftproof"
# A signature longer than this gets one line for each parameter.
WIDTH = 100
ENTRIES = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns")
MADE = "<!-- Made from the docstrings by `make reference`; change those instead. -->\n\n"


@dataclass(frozen=True)
class Name:
    """A public name: the page that documents it, and what it stands for."""

    page: str
    name: str
    value: object

    @property
    def title(self) -> str:
        """Return the heading, such as ``sp.audit()``."""
        full = f"sp.{self.name}" if self.page == TOP else f"sp.{self.page}.{self.name}"
        if isinstance(self.value, type):
            # Without the word, GitHub would give `sp.Audit` and `sp.audit()` the same anchor.
            return f"class {full}"
        return f"{full}()" if inspect.isfunction(self.value) else full

    @property
    def link(self) -> str:
        """Return the address of the heading, with the anchor that GitHub makes of it."""
        anchor = re.sub(r"[^\w\- ]", "", self.title.lower()).replace(" ", "-")
        return f"{self.page}.md#{anchor}"

    @property
    def group(self) -> str:
        """Return the section of the page in which it stands."""
        from shiftproof.core import Result

        if inspect.isfunction(self.value):
            return "Functions"
        if not isinstance(self.value, type):
            return "Constants and types"
        if issubclass(self.value, (Exception, Warning)):
            return "Errors and warnings"
        return "Results" if issubclass(self.value, Result) else "Classes"

    @property
    def doc(self) -> str:
        """Return the docstring; that of a constant is the comment ``#:`` above it."""
        if inspect.isfunction(self.value) or isinstance(self.value, type):
            return inspect.getdoc(self.value) or ""
        return _constant_docs().get(self.name, "")


@functools.cache
def _constant_docs() -> dict[str, str]:
    """Return the comments ``#:`` above assignments, by the name assigned."""
    import shiftproof

    pattern = re.compile(r"^((?:#: .*\n)+)([A-Za-z_]+)(?::[^=\n]*)? = ", flags=re.MULTILINE)
    docs = {}
    for path in sorted(Path(shiftproof.__file__).parent.rglob("*.py")):
        for comment, name in pattern.findall(path.read_text(encoding="utf-8")):
            docs[name] = comment.replace("#: ", "").strip()
    return docs


@functools.cache
def public_names() -> dict[str, list[Name]]:
    """Return the public names by page; a name of the top level is documented only there."""
    import shiftproof

    library = vars(shiftproof)
    top = sorted(library["_PACKAGE_OF"], key=str.lower)
    pages = {TOP: [Name(TOP, name, getattr(shiftproof, name)) for name in top]}
    for package in library["_PUBLIC_PACKAGES"]:
        module = importlib.import_module(f"shiftproof.{package}")
        names = sorted(module.__all__, key=str.lower)
        pages[package] = [_documented(package, name, module, pages[TOP]) for name in names]
    return pages


def _documented(package: str, name: str, module: ModuleType, top: list[Name]) -> Name:
    value = getattr(module, name)
    return next((item for item in top if item.value is value), Name(package, name, value))


def write_pages() -> dict[str, str]:
    """Return the text of every page by its file name."""
    pages = public_names()
    texts = {f"{page}.md": _page(page, names) for page, names in pages.items()}
    return {"README.md": _index(pages)} | {file: re.sub(r"\n{3,}", "\n\n", text) for file, text in texts.items()}


def _question(page: str) -> str:
    """Return the question that a package answers, the first paragraph of its docstring."""
    module = importlib.import_module("shiftproof" if page == TOP else f"shiftproof.{page}")
    return _first(inspect.getdoc(module) or "")


def _index(pages: dict[str, list[Name]]) -> str:
    text = f"# Reference\n\n{MADE}Every public name. `sp` stands for `import shiftproof as sp`.\n"
    for page, names in pages.items():
        heading = "shiftproof" if page == TOP else f"shiftproof.{page}"
        text += f"\n## [{heading}]({page}.md)\n{inline(_question(page), page)}\n\n| name | |\n|---|---|\n"
        # Names that are documented at the top level are listed there only.
        rows = [f"| [`{item.name}`]({item.link}) | {_summary(item)} |\n" for item in names if item.page == page]
        text += "".join(rows)
    return text


def _summary(item: Name) -> str:
    return inline(_first(item.doc), item.page).replace("|", r"\|")


def _page(page: str, names: list[Name]) -> str:
    heading = "shiftproof" if page == TOP else f"shiftproof.{page}"
    text = f"# {heading}\n\n{MADE}{inline(_question(page), page)}\n\nAll packages: [reference](README.md).\n"
    elsewhere = [f"[`sp.{item.name}`]({item.link})" for item in names if item.page != page]
    if elsewhere:
        text += f"\nAlso here, documented at the top level: {', '.join(elsewhere)}.\n"
    for group in ("Functions", "Results", "Classes", "Constants and types", "Errors and warnings"):
        members = [item for item in names if item.page == page and item.group == group]
        if members:
            text += f"\n## {group}\n" + "".join(_entry(item) for item in members)
    return text


def _entry(item: Name) -> str:
    text = f"\n### {item.title}\n"
    # Results, and classes that document attributes only, are made by functions; nobody needs their constructors.
    if item.group in ("Functions", "Classes") and not item.doc.partition("\nAttributes\n")[1]:
        text += f"```py\n{_signature(item.title.removeprefix('class ').removesuffix('()'), item.value)}\n```\n"
    text += _doc(item.doc, item.page)
    if isinstance(item.value, type):
        return text + _members(item.value, item.page)
    return text + _values(item.value)


def _values(value: object) -> str:
    """Return the keys of a mapping, or the choices of a `Literal`."""
    if isinstance(value, Mapping):
        return f"\nKeys: {', '.join(f'`{key}`' for key in value)}.\n"
    choices = get_args(value)
    return f"\nOne of {', '.join(f'`{choice!r}`' for choice in choices)}.\n" if choices else ""


def _signature(name: str, value: object) -> str:
    """Return the call without types, which the list of parameters has."""
    try:
        parameters = list(inspect.signature(value).parameters.values())  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return f"{name}()"
    words, starred = [], False
    for parameter in parameters:
        if parameter.name in ("self", "cls"):
            continue
        starred = starred or parameter.kind is parameter.VAR_POSITIONAL
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            words, starred = [*words, "*"], True
        words.append(_parameter(parameter))
    line = f"{name}({', '.join(words)})"
    return line if len(line) <= WIDTH else f"{name}(\n    " + ",\n    ".join(words) + ",\n)"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    if parameter.default is parameter.empty:
        return f"{stars}{parameter.name}"
    plain = isinstance(parameter.default, (bool, int, float, str, tuple, type(None)))
    # Some objects show their address, which differs from run to run.
    return f"{parameter.name}={parameter.default!r}" if plain else f"{parameter.name}=..."


def _members(owner: type, page: str) -> str:
    """Return the properties and methods of a class and of its bases of ours."""
    members: dict[str, object] = {}
    for base in reversed(owner.__mro__):
        if base.__module__.startswith("shiftproof"):
            members |= {name: value for name, value in vars(base).items() if not name.startswith("_")}
    lines = [line for name in sorted(members) if (line := _member(owner, name, members[name], page))]
    return "\n**Members**\n\n" + "".join(lines) if lines else ""


def _member(owner: type, name: str, value: object, page: str) -> str:
    if isinstance(value, (property, functools.cached_property)):
        doc = inspect.getdoc(value) or ""
        return f"- `{name}`: {inline(_first(doc), page)}\n"
    method = getattr(owner, name)
    if not isinstance(value, (classmethod, staticmethod)) and not inspect.isfunction(value):
        return ""
    doc = inspect.getdoc(method) or ""
    line = " ".join(_signature(name, method).split()).replace("( ", "(").replace(",)", ")")
    text = f"- `{line}`: {inline(_first(doc), page)}\n"
    for heading, body in _sections(doc)[1:]:
        if heading == "Parameters":
            text += textwrap.indent(_items(body, page), "  ")
        elif heading == "Returns":
            text += textwrap.indent(_items(body, page, lead="Returns: "), "  ")
    return text


def _first(doc: str) -> str:
    return doc.partition("\n\n")[0].replace("\n", " ")


def _sections(doc: str) -> list[tuple[str, str]]:
    """Return the parts of a numpydoc docstring with their headings; the first has none."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", f"{doc}\n", flags=re.MULTILINE)
    return [("", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]


def _doc(doc: str, page: str) -> str:
    text = ""
    for heading, body in _sections(doc):
        if heading:
            text += f"\n**{heading}**\n\n"
        if heading in ENTRIES:
            text += _items(body, page)
        else:
            text += "".join(_blocks(body, page)) + "\n"
    return text.rstrip("\n") + "\n"


def _items(body: str, page: str, lead: str = "") -> str:
    """Return entries ``name : type`` with their descriptions as a list."""
    text = ""
    for entry in re.split(r"\n(?=\S)", body.strip("\n")):
        head, _, rest = entry.partition("\n")
        # "X : table; y : labels" describes two parameters at once.
        shown = "; ".join(_typed(part, page) for part in re.split(r"; (?=\w+ : )", head))
        description = " ".join(textwrap.dedent(rest).split())
        text += f"- {lead}{shown}" + (f": {inline(description, page)}" if description else "") + "\n"
    return text


def _typed(head: str, page: str) -> str:
    name, _, kind = head.partition(" : ")
    if not kind and not re.fullmatch(r"[a-z_*][\w, *]*", name):
        # A type alone stands below "Returns".
        return f"*{inline(name, page, types=True)}*"
    names = f"`{name.replace(', ', '`, `')}`"
    return f"{names} (*{inline(kind, page, types=True)}*)" if kind else names


def _blocks(body: str, page: str) -> Iterator[str]:
    """Yield paragraphs, lists, formulas, examples and literal blocks as Markdown."""
    examples: list[str] = []
    literal = False
    for paragraph in [part for part in re.split(r"\n\s*\n", body.strip("\n")) if part.strip()]:
        if paragraph.lstrip().startswith(">>>"):
            examples.append(re.sub(r"  # doctest:.*$", "", textwrap.dedent(paragraph), flags=re.MULTILINE))
            continue
        if examples:
            yield _example(examples)
            examples = []
        if literal:
            yield f"```\n{textwrap.dedent(paragraph)}\n```\n\n"
            literal = False
            continue
        literal = paragraph.rstrip().endswith("::") and ".. math::" not in paragraph
        yield _paragraph(paragraph.removesuffix("::") + ":" if literal else paragraph, page)
    if examples:
        yield _example(examples)


def _example(paragraphs: list[str]) -> str:
    joined = "\n\n".join(paragraphs)
    return f"```pycon\n{joined}\n```\n\n"


def _paragraph(paragraph: str, page: str) -> str:
    before, math, formula = paragraph.partition(".. math::")
    if math:
        lead = f"{inline(before.strip(), page)}\n\n" if before.strip() else ""
        return f"{lead}```math\n{textwrap.dedent(formula).strip()}\n```\n\n"
    if paragraph.lstrip().startswith("- "):
        entries = re.split(r"\n(?=- )", textwrap.dedent(paragraph))
        return "".join(f"{inline(' '.join(entry.split()), page)}\n" for entry in entries) + "\n"
    return f"{inline(' '.join(paragraph.split()), page)}\n\n"


_CODE = re.compile(r"``(?P<code>[^`]+)``|(?::(?P<role>\w+):)?`(?P<target>[^`]+)`")


def inline(text: str, page: str, *, types: bool = False) -> str:
    """Turn roles, code and names in a line of a docstring into Markdown; in types, link bare class names."""
    parts, end = [], 0
    for match in _CODE.finditer(text):
        parts.append(_plain(text[end : match.start()], page, types))
        end = match.end()
        if match["code"]:
            parts.append(f"`{match['code']}`")
        elif match["role"] == "math":
            parts.append(f"$`{match['target']}`$")
        else:
            parts.append(_linked(match["target"].removeprefix("~"), page))
    return "".join(parts) + _plain(text[end:], page, types)


def _plain(text: str, page: str, types: bool) -> str:
    # *Emphasis* stays; other asterisks, such as those of **options, are shown.
    safe = re.sub(r"(?<!\*)\*(\w+)\*(?!\*)|\*", lambda match: match[0] if match[1] else r"\*", text).replace("<", r"\<")
    if not types:
        return safe
    return re.sub(r"\b[A-Z]\w+\b", lambda match: _linked(match[0], page, bare=True), safe)


def _linked(target: str, page: str, *, bare: bool = False) -> str:
    """Return a link to a public name, or code; `target` may be ``Name``, ``package.Name`` or ``Name.member``."""
    words = target.removesuffix("()").removeprefix("shiftproof.").removeprefix("sp.").split(".")
    name = words[1] if len(words) > 1 and words[0] in public_names() else words[0]
    found = _lookup(name, page)
    shown = target if bare else f"`{target}`"
    return f"[{shown}]({found.link})" if found else shown


def _lookup(name: str, page: str) -> Name | None:
    """Return the public name; that of the same page first, then that of the top level."""
    pages = public_names()
    order: list[Callable[[str], bool]] = [lambda other: other == page, lambda other: other == TOP, lambda _: True]
    for fits in order:
        for other, names in pages.items():
            for item in names:
                if fits(other) and item.name == name:
                    return item
    return None


def main() -> None:
    """Write all pages."""
    FOLDER.mkdir(exist_ok=True)
    for file, text in write_pages().items():
        (FOLDER / file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
