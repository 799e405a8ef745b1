"""A dashboard of a store with two monitors, without a server: one that changed, and one whose names are hostile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests._stores import FileStores, Place
from tests.monitoring.conftest import make_batch, make_table

from shiftproof.monitoring import Baseline, Monitor
from shiftproof.web import ServeSettings, Site, make_app, make_site

#: Names that would break out of a page, a query or a table if they could.
HOSTILE = "<script>alert(1)</script>\"'></title>"
HTML = {"accept": "text/html"}
MakeClient = Callable[..., TestClient]


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> FileStores:
    return FileStores(tmp_path_factory.mktemp("dashboards"))


@pytest.fixture(scope="session")
def place(files: FileStores) -> Place:
    """Return a store with eight batches, of which the last three are shifted; nobody may change it."""
    place = files.new()
    monitor = Monitor(place, Baseline.of(make_table(400), scores="p", labels="y"), name="calls")
    for day in range(8):
        table = make_table(200, shift=15.0 if day >= 5 else 0.0, seed=day + 1)
        labels = table.pop("y")
        monitor.add(table, at=f"2024-03-{day + 1:02d}", id=f"day {day}")
        if day == 1:
            monitor.label("day 1", {int(row): labels[row] for row in monitor.plan("day 1", 30).rows})
    strange = make_batch(300)
    strange[HOSTILE] = strange.pop("job")
    other = Monitor(place, Baseline.of(strange, scores="p"), name=HOSTILE)
    values = [HOSTILE, *strange[HOSTILE].tolist()[1:]]
    other.add(strange | {HOSTILE: values}, at="2024-03-01", id=HOSTILE)
    return place


def site_of(place: Place, **settings: Any) -> Site:
    return make_site(ServeSettings(store=str(place), **settings))


@contextmanager
def client_of(site: Site, **options: Any) -> Iterator[TestClient]:
    with TestClient(make_app(site), base_url="http://localhost", follow_redirects=False, **options) as client:
        yield client


@pytest.fixture(scope="session")
def site(place: Place) -> Site:
    return site_of(place)


@pytest.fixture(scope="session")
def client(site: Site) -> Iterator[TestClient]:
    """Return a browser that may only read."""
    with client_of(site) as client:
        yield client


@pytest.fixture
def own(place: Place, files: FileStores) -> Iterator[tuple[TestClient, Site, Monitor]]:
    """Return a browser that may write to a store of its own."""
    copy = files.copy(place)
    site = site_of(copy, write=True)
    with client_of(site) as client:
        yield client, site, Monitor(copy, name="calls")


def code_of(client: TestClient, path: str) -> str:
    """Return what the forms of a page hold."""
    page = client.get(path, headers=HTML).text
    return page.partition('name="form" value="')[2].partition('"')[0]
