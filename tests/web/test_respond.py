from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests._stores import FileStores, Place
from tests.web.conftest import HTML, client_of, site_of

from shiftproof.core import StoreError
from shiftproof.web import Site


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nowhere", 404, "There is no page at this address; check the spelling."),
        ("/monitors/99.json", 404, "The store has no monitor 99."),
        ("/monitors/1/batches/99.json", 404, "This monitor has no batch 99."),
        ("/monitors/2/incidents/1.json", 404, "This monitor has no incident 1."),
        ("/monitors/1.json?from=March", 400, "From must be a date or a time, got 'March'; write it as 2024-01-31"),
        ("/monitors/1/feature.json", 422, "This value of feature is not valid; check the address."),
        ("/monitors/1/batches/8/labels.json?count=0", 422, "This value of count is not valid; check the address."),
        (f"/monitors/{2**63}.json", 422, "This value of monitor is not valid; check the address."),
    ],
)
def test_errors_are_one_sentence_for_programs(client: TestClient, path: str, status: int, words: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    assert answer.json()["error"].startswith(words)


def test_errors_are_a_page_for_people_and_a_line_in_tables(client: TestClient) -> None:
    page = client.get("/monitors/99", headers=HTML)
    assert (page.status_code, "The store has no monitor 99." in page.text) == (404, True)
    line = client.get("/monitors/99.csv")
    assert (line.text, line.headers["content-type"]) == ("The store has no monitor 99.\n", "text/plain; charset=utf-8")
    assert client.put("/monitors/1").status_code == 405


def test_nothing_is_shown_of_what_is_broken(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    site = site_of(place)

    def broken() -> None:
        raise RuntimeError("SECRET")

    monkeypatch.setattr(site.source, "monitors", broken)
    with client_of(site, raise_server_exceptions=False) as client:
        for headers in ({}, HTML):
            answer = client.get("/", headers=headers)
            assert answer.status_code == 500
            assert "see its log" in answer.text
            assert not any(word in answer.text for word in ("SECRET", "Traceback", "RuntimeError", ".py"))


def test_a_store_that_is_gone_is_said(files: FileStores, place: Place) -> None:
    copy = files.copy(place)
    site: Site = site_of(copy)
    copy.unlink()
    with client_of(site) as client:
        answer = client.get("/readyz")
        assert (answer.status_code, client.get("/healthz").status_code) == (503, 200)
        assert str(copy.parent) not in answer.text


def test_no_folder_is_shown(client: TestClient, place: Place) -> None:
    for path in ("/monitors.json", "/monitors/1.json", "/monitors/1/batches/6.json", "/version", "/metrics"):
        assert str(Path(place).parent) not in client.get(path).text
    assert client.get("/monitors.json").json()["store"] == "monitor.db"


def test_errors_of_a_store_name_it_without_its_folder(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    site = site_of(place)

    def busy() -> None:
        raise StoreError(place, "another program has been writing")

    monkeypatch.setattr(site.source, "monitors", busy)
    with client_of(site) as client:
        answer = client.get("/monitors.json")
    assert (answer.status_code, answer.json()["error"]) == (503, "monitor.db: another program has been writing.")
