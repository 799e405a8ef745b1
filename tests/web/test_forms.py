from __future__ import annotations

import pytest
from starlette.testclient import TestClient
from tests._stores import FileStores, Place
from tests.web.conftest import HTML, client_of, code_of, site_of

from shiftproof.monitoring import Monitor
from shiftproof.web import Site

ACKNOWLEDGE = "/monitors/1/incidents/1/acknowledge"
TOKEN = "a-token-of-some-length"  # noqa: S105 - of these tests
Own = tuple[TestClient, Site, Monitor]


def test_without_write_nothing_can_be_changed(client: TestClient) -> None:
    for path in (ACKNOWLEDGE, "/monitors/1/batches/8/labels"):
        answer = client.post(path, data={"reason": "seen"})
        assert (answer.status_code, "--write" in answer.json()["error"]) == (403, True)


def test_a_form_of_ours_is_accepted(own: Own) -> None:
    client, _, monitor = own
    fields = {"reason": "seen", "form": code_of(client, "/monitors/1/incidents/1")}
    same = {"origin": "http://localhost", "sec-fetch-site": "same-origin"}
    assert client.post(ACKNOWLEDGE, data=fields, headers=HTML | same).status_code == 303
    assert monitor.incidents[0].reason == "seen"


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": "http://[bad"}, {"origin": "http://localhost:99"},
        {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"},
    ],
)  # fmt: skip
def test_forms_of_others_are_refused(own: Own, headers: dict[str, str]) -> None:
    client, _, monitor = own
    fields = {"reason": "seen", "form": code_of(client, "/monitors/1/incidents/1")}
    answer = client.post(ACKNOWLEDGE, data=fields, headers=headers)
    assert (answer.status_code, monitor.incidents[0].open) == (403, True)


@pytest.mark.parametrize("code", ["", "x", "0" * 64])
def test_a_form_without_our_code_is_refused(own: Own, code: str) -> None:
    client, _, monitor = own
    assert client.post(ACKNOWLEDGE, data={"reason": "seen", "form": code}).status_code == 403
    assert monitor.incidents[0].open


def test_programs_need_the_token_and_no_code(place: Place, files: FileStores) -> None:
    copy = files.copy(place)
    bearer = {"authorization": f"Bearer {TOKEN}"}
    with client_of(site_of(copy, write=True, token=TOKEN)) as client:
        answer = client.post(ACKNOWLEDGE, data={"reason": "by a job"}, headers=bearer)
        assert (answer.status_code, answer.json()["reason"]) == (200, "by a job")
        cookie = {"cookie": "shiftproof_session=guess"}
        assert client.post(ACKNOWLEDGE, data={"reason": "x"}, headers=cookie).status_code == 401
