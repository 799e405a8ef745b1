"""What all pages share: the store, addresses below a prefix, and templates in which every name is inert text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, urlencode

from jinja2 import Environment
from markupsafe import Markup

from shiftproof._version import __version__
from shiftproof.core import effect, percent
from shiftproof.monitoring import MonitorReader, StoreReader, written_time
from shiftproof.reporting import stylesheet, template_environment
from shiftproof.web._recent import RecentPages
from shiftproof.web._settings import ServeSettings
from shiftproof.web._tokens import Tokens
from shiftproof.web._words import HELP, KEYS, STATES

_STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True, eq=False, kw_only=True)
class Site:
    """One dashboard.

    Parameters
    ----------
    settings : ServeSettings
        What it was started with.
    source : StoreReader
        The store.
    tokens : Tokens
        Who may look.
    """

    settings: ServeSettings
    source: StoreReader
    tokens: Tokens
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    recent: RecentPages = field(default_factory=RecentPages)

    @property
    def store_name(self) -> str:
        """What pages call the store: its folder or its server is nobody's business."""
        return "PostgreSQL" if "://" in self.source.place else Path(self.source.place).name

    def url(self, path: str, query: Mapping[str, object] | None = None) -> str:
        """Return the address of a page, below the prefix of a proxy."""
        given = {name: str(value) for name, value in (query or {}).items() if value not in (None, "")}
        return f"{self.settings.root_path}{quote(path)}{f'?{urlencode(given)}' if given else ''}"

    def monitor_url(self, reader: MonitorReader, path: str = "", query: Mapping[str, object] | None = None) -> str:
        """Return the address of a page of one monitor."""
        return self.url(f"/monitors/{reader.key}{path}", query)

    @cached_property
    def static(self) -> dict[str, tuple[str, bytes]]:
        """The style sheet and the script, with their types."""
        # The style of reports comes first, so that pages and reports look alike.
        style = f"{stylesheet()}\n{(_STATIC / 'dashboard.css').read_text(encoding='utf-8')}"
        script = (_STATIC / "dashboard.js").read_bytes()
        icon = (_STATIC / "icon.svg").read_bytes()
        return {
            "dashboard.css": ("text/css; charset=utf-8", style.encode()),
            "dashboard.js": ("text/javascript; charset=utf-8", script),
            "icon.svg": ("image/svg+xml", icon),
        }

    def static_url(self, name: str) -> str:
        """Return the address of a file that changes with its content, so that browsers never use an old one."""
        return self.url(f"/static/{name}", {"v": sha256(self.static[name][1]).hexdigest()[:12]})

    def render(self, template: str, **values: object) -> str:
        """Return a page as HTML."""
        return self.templates.get_template(template).render(values)

    @cached_property
    def templates(self) -> Environment:
        """The templates, in which every value is escaped."""
        environment = template_environment("shiftproof.web")
        environment.filters |= {"percent": percent, "effect": effect, "time": time_tag, "number": "{:,}".format}
        environment.globals |= {
            "site": self, "help": HELP, "keys": KEYS, "states": STATES, "version": __version__,
            "write": self.settings.write,
        }  # fmt: skip
        return environment


def time_tag(moment: datetime | None) -> Markup:
    """Write a time in UTC, which the script turns into the viewer's zone.

    A whole day stays as it is: in another zone it would become the evening before.

    Examples
    --------
    >>> print(time_tag(datetime(2024, 3, 1, 12, 30, tzinfo=UTC)))
    <time datetime="2024-03-01T12:30:00Z">2024-03-01 12:30 UTC</time>
    """
    if moment is None:
        return Markup("")
    written = written_time(moment)
    zone = " UTC" if " " in written else ""
    return Markup('<time datetime="{}">{}{}</time>').format(f"{moment.isoformat()[:19]}Z", written, zone)
