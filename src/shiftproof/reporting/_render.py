"""A page as one self-contained HTML file: no network, nothing that a name could break out of."""

from __future__ import annotations

import numbers
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from shiftproof import plots
from shiftproof.core import Phrase, Sensitive
from shiftproof.reporting._files import check_page_name, write_whole
from shiftproof.reporting._limits import within_limits
from shiftproof.reporting._page import Bar, Detail, Drawing, Figure, Page, Section, check_page, every_section
from shiftproof.reporting._redaction import redacted

# The charts' colours, and the CSS variables that dark mode redefines.
_THEME = {
    plots.REFERENCE: "var(--reference)",
    plots.CURRENT: "var(--current)",
    plots.ESTIMATE: "var(--estimate)",
    plots.ACTUAL: "var(--actual)",
    plots.BAD: "var(--bad)",
    plots.CARE: "var(--care)",
    plots.MILD: "var(--soft)",
    plots.QUIET: "var(--quiet)",
    plots.INK: "var(--ink)",
    "#000000": "var(--ink)",
}
_TAG = re.compile("<[^<>]*>")
_COLOUR = re.compile("|".join(_THEME), flags=re.IGNORECASE)
_NUMBER = re.compile(r"[<>]?[-+−]?\d[\d,]*(\.\d+)?(e[+-]?\d+)?\s?%?")
_WIDTH = re.compile(r'<svg [^>]*?\bwidth="([\d.]+)pt"')
# A chart's words are 8 points high; a wide one scrolls on a phone rather than shrink below this part of its width, at
# which they are 10 pixels high.
_SHRINK = 0.94
# On a phone the rows of a table become blocks; of a longer table they stay rows, as names in every cell take room.
_MOST_BLOCKS = 60
# As long as an estimate with its interval, "-0.001 [-0.010, 0.009]".
_SHORT = 24
# Letters that are read from right to left, and marks that turn the reading direction.
_LEFTWARD = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_TURNING = "\u200e\u200f\u202a-\u202e\u2066-\u2069"
# The pattern begins with a rare character, so that matching takes linear time in long texts.
_ISOLATED = re.compile(
    rf"[{_TURNING}]\S*|[{_LEFTWARD}](?:[^\s{_TURNING}]*[{_LEFTWARD}])?(?:\s+[^\s{_TURNING}]*[{_LEFTWARD}])*"
)


def render(page: Page) -> str:
    """Return the page as HTML; every name and value in it is treated as hostile text.

    Raises
    ------
    InputError
        If two sections share an anchor, an anchor cannot be linked to, a reason links to a section that is not on the
        page, sections nest too deep, or a row has more or fewer cells than there are columns.
    """
    check_page(page)
    page = within_limits(page)
    every = list(every_section(page))
    # A chart is drawn once, though the page asks for it twice: for its width, and for itself.
    drawn = {id(figure): figure.draw() for section in every for figure in section.figures}
    templates = _environment(drawn)
    widths = {_narrowest(drawn[id(figure)]) for section in every if not section.grid for figure in section.figures}
    style = templates.get_template("page.css.j2").render(widths=sorted(widths))
    scripted = any(section.sortable or section.folded for section in every)
    script = templates.get_template("page.js").render() if scripted else ""
    return templates.get_template("page.html.j2").render(
        page=page,
        style=Markup(style),  # noqa: S704 - our own, nothing of the page's is in it
        script=Markup(script),  # noqa: S704 - our own, nothing of the page's is in it
        policy=_policy(style, script),
    )


def save(page: Page, path: str | Path, *, redact: bool = False) -> Path:
    """Write the page whole or not at all, redacted if requested, and return its path."""
    check_page_name(path)
    return write_whole(path, render(redacted(page) if redact else page))


def cell(value: object) -> str:
    """Write one value of a table for people.

    Examples
    --------
    >>> cell(0.123456), cell(True), cell(None), cell(3e-12), cell(float("nan"))
    ('0.123', 'yes', '', '3e-12', '')
    """
    if value is None or value != value:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}" if value == 0 or 1e-3 <= abs(value) < 1e5 else f"{value:.2g}"
    return str(value)


def template_environment(package: str) -> Environment:
    """Return the templates of a package, in which every value is escaped and a name that is missing is an error."""
    environment = Environment(
        loader=PackageLoader(package, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["prose"] = prose
    return environment


def _environment(drawn: Mapping[int, str]) -> Environment:
    def picture(figure: Figure) -> str:
        return drawn[id(figure)]

    environment = template_environment("shiftproof.reporting")
    environment.filters |= {"narrowest": _narrowest, "picture": picture, "sides": sides, "themed": _themed}
    environment.tests |= {
        "drawing": lambda value: isinstance(value, Drawing),
        "detail": lambda column: isinstance(column, Detail),
        "short": _short,
        "stacked": lambda section: len(section.rows) <= _MOST_BLOCKS,
    }
    return environment


def _policy(style: str, script: str) -> str:
    """Allow only this style and this script, so that a name which escaped its place could do no harm."""
    scripts = _hash(script) if script else "'none'"
    sources = f"style-src {_hash(style)}; script-src {scripts}; img-src data:"
    return f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def stylesheet() -> str:
    """Return the style of all pages without the widths of charts: colours, also in the dark, tables, and print."""
    return _environment({}).get_template("page.css.j2").render(widths=())


def prose(value: object) -> Markup:
    """Escape a value, and isolate names in right-to-left scripts, so that they do not reorder the text around them."""
    text, parts, end = cell(value), [], 0
    for match in _ISOLATED.finditer(text):
        parts += [escape(text[end : match.start()]), Markup("<bdi>"), escape(match.group()), Markup("</bdi>")]
        end = match.end()
    return Markup("").join([*parts, escape(text[end:])])


def sides(section: Section) -> list[str]:
    """Return the alignment of each column: right if most of its cells are numbers."""
    return [_side([row[place] for row in section.rows], first=place == 0) for place in range(len(section.columns))]


def _side(values: Sequence[object], *, first: bool) -> str:
    written = [value for value in values if cell(value)]
    # Names of models, classes or data sets may look like numbers.
    if first and any(isinstance(value, (str, Sensitive, Phrase)) for value in written):
        return "left"
    return "right" if written and 2 * sum(map(_numeric, written)) > len(written) else "left"


def _short(value: object) -> bool:
    """Return whether a cell is a few figures, such as "0.836 [0.806, 0.865]", which a line break would tear apart."""
    text = cell(value)
    return len(text) <= _SHORT and any(map(str.isdigit, text))


def _numeric(value: object) -> bool:
    """Return whether a value is a number, or text such as "<1e-16" or "2.5%"."""
    if isinstance(value, (str, Bar)):
        return _NUMBER.fullmatch(str(value)) is not None
    return isinstance(value, numbers.Number) and not isinstance(value, bool)


def _narrowest(svg: str) -> int:
    """Return the width in points below which the words of a chart are too small to read."""
    width = _WIDTH.match(svg)
    return round(_SHRINK * float(width[1])) if width else 0


def _themed(svg: str) -> Markup:
    """Let the page's theme colour a chart of ours."""

    # Only within tags: between them "#000000" may be a category.
    def recolour(tag: re.Match[str]) -> str:
        text = tag.group().replace('stroke="#ffffff"', 'stroke="var(--paper)"')  # the gaps between cells
        return _COLOUR.sub(lambda colour: _THEME[colour.group().lower()], text)

    return Markup(_TAG.sub(recolour, svg))  # noqa: S704 - our own SVG, text escaped by matplotlib
