from __future__ import annotations

from datetime import UTC, datetime

from tests._stores import Place
from tests.web.conftest import HOSTILE, site_of

from shiftproof.web import Site
from shiftproof.web._site import time_tag


def test_addresses_are_below_the_prefix_and_escaped(place: Place, site: Site) -> None:
    below = site_of(place, root_path="/x/y")
    reader = below.source.monitors()[0]
    assert below.url("/") == "/x/y/"
    assert below.monitor_url(reader, "/feature", {"feature": "a&b=<c>", "from": None}) == (
        f"/x/y/monitors/{reader.key}/feature?feature=a%26b%3D%3Cc%3E"
    )
    assert site.static_url("dashboard.js").startswith("/static/dashboard.js?v=")


def test_templates_escape_every_name(site: Site) -> None:
    page = site.templates.from_string('<p title="{{ name }}">{{ name | prose }}</p>').render(name=HOSTILE)
    assert "<script" not in page
    assert page.count('"') == 2


def test_scripts_are_small_and_ours(site: Site) -> None:
    script = site.static["dashboard.js"][1]
    assert len(script) < 60_000
    assert b"http" not in script.replace(b"http://www.w3.org/2000/svg", b"")
    assert b"url(" not in site.static["dashboard.css"][1]


def test_days_stay_days_and_times_say_their_zone() -> None:
    assert time_tag(None) == ""
    assert time_tag(datetime(2024, 3, 1, tzinfo=UTC)) == '<time datetime="2024-03-01T00:00:00Z">2024-03-01</time>'
