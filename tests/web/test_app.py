from __future__ import annotations

import pytest
from starlette.testclient import TestClient
from tests._stores import FileStores, Place
from tests.web.conftest import client_of, site_of

from shiftproof.core import StoreError


def test_the_schema_names_what_programs_can_ask(client: TestClient) -> None:
    schema = client.get("/openapi.json").json()
    assert {"/monitors.json", "/monitors/{monitor}.csv", "/events", "/metrics"} <= {*schema["paths"]}
    assert "/monitors/{monitor}" not in schema["paths"]
    assert schema["servers"] == [{"url": "/"}]


def test_no_page_loads_from_elsewhere(client: TestClient) -> None:
    assert [client.get(path).status_code for path in ("/docs", "/redoc")] == [404, 404]


def test_a_prefix_is_in_the_schema(place: Place) -> None:
    with client_of(site_of(place, root_path="/x")) as client:
        assert client.get("/x/openapi.json").json()["servers"] == [{"url": "/x"}]


def test_there_must_be_a_store(files: FileStores) -> None:
    with pytest.raises(StoreError, match="the store does not exist"):
        site_of(files.new())
