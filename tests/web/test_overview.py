from __future__ import annotations

import csv
import io

from starlette.testclient import TestClient
from tests._stores import FileStores
from tests.web.conftest import HOSTILE, HTML, client_of, site_of

from shiftproof.monitoring.store import Store


def test_all_monitors_the_worst_first(client: TestClient) -> None:
    found = client.get("/monitors.json").json()["monitors"]
    assert (found[0]["name"], found[0]["state"]) == ("calls", "bad")
    assert found[0]["n_batches"] == 8
    assert found[0]["open_levels"] == "material, changed"
    page = client.get("/", headers=HTML).text
    assert "2 monitors, 9 batches." in page
    assert page.index("calls") < page.index("&lt;script&gt;")


def test_every_state_has_a_mark_beside_its_colour(client: TestClient) -> None:
    page = client.get("/", headers=HTML).text
    assert '<span aria-hidden="true">▲</span> Needs attention' in page


def test_the_table_has_the_same(client: TestClient) -> None:
    rows = [*csv.DictReader(io.StringIO(client.get("/monitors.csv").text))]
    assert [row["name"] for row in rows] == ["calls", HOSTILE]
    assert rows[0]["open_incidents"] == "2"


def test_a_store_without_monitors_says_so(files: FileStores) -> None:
    place = files.new()
    Store(place, create=True)
    with client_of(site_of(place)) as client:
        page = client.get("/", headers=HTML).text
        assert "The store has no monitor yet." in page
        assert client.get("/monitors.csv").text == "monitor,name,state\r\n"
