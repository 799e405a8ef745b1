from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient
from tests._stores import Place
from tests.web.conftest import HTML, client_of, site_of

from shiftproof.web import Site
from shiftproof.web._login import local_path

TOKEN = "the-token-of-these-tests"  # noqa: S105 - of these tests


@pytest.fixture
def guarded(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[TestClient, Site]]:
    monkeypatch.setattr("shiftproof.web._login._PAUSE", 0.0)
    site = site_of(place, token=TOKEN, root_path="/x")
    with client_of(site) as client:
        yield client, site


def test_a_link_opens_one_session(guarded: tuple[TestClient, Site]) -> None:
    client, site = guarded
    link = f"/login?once={site.tokens.new_link()}&next=/monitors/1"
    first = client.get(link, headers=HTML)
    assert (first.status_code, 'content="0;url=/x/monitors/1"' in first.text) == (200, True)
    cookie = first.headers["set-cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/x", "Max-Age="))
    client.cookies.clear()
    again = client.get(link, headers=HTML)
    assert (again.status_code, "set-cookie" in again.headers) == (401, False)
    session = cookie.partition(";")[0]
    assert client.get("/", headers={"cookie": session}).status_code == 200


def test_the_token_can_be_typed_in(guarded: tuple[TestClient, Site]) -> None:
    client, _ = guarded
    wrong = client.post("/login", data={"token": "guess"}, headers=HTML)
    assert (wrong.status_code, "This token is wrong." in wrong.text, "set-cookie" in wrong.headers) == (
        401,
        True,
        False,
    )
    right = client.post("/login?next=//evil.example", data={"token": TOKEN}, headers=HTML)
    assert (right.status_code, 'url=/x/"' in right.text) == (200, True)
    assert TOKEN not in right.text
    assert TOKEN not in right.headers["set-cookie"]


def test_other_sites_cannot_log_a_browser_in(guarded: tuple[TestClient, Site]) -> None:
    client, _ = guarded
    headers = {"origin": "http://evil.example"}
    assert client.post("/login", data={"token": TOKEN}, headers=headers).status_code == 403


@pytest.mark.parametrize("onward", ["", "x", "//evil", "/\\evil", "https://evil", "/a\nb", "/\tevil", "\\\\evil"])
def test_only_pages_of_ours_come_next(onward: str) -> None:
    assert local_path(onward) == "/"
