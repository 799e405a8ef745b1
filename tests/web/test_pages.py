from __future__ import annotations

import pytest
from starlette.testclient import TestClient
from tests.monitoring.conftest import make_batch
from tests.web.conftest import HOSTILE, HTML, code_of

from shiftproof.monitoring import Monitor, MonitorReader
from shiftproof.web import Site

Own = tuple[TestClient, Site, Monitor]
PAGES = [
    "/monitors", "/monitors/1", "/monitors/1/batches/6", "/monitors/1/feature?feature=age", "/monitors/1/incidents/2",
    "/monitors/1/batches/6/labels",
]  # fmt: skip
SQL = ["' OR 1=1 --", "1; DROP TABLE batches", "%' UNION SELECT settings FROM monitors --", "\x00", "../../etc/passwd"]


@pytest.mark.parametrize("path", PAGES)
def test_every_page_has_three_forms(client: TestClient, path: str) -> None:
    stem, _, query = path.partition("?")
    page = client.get("/" if path == "/monitors" else path, headers=HTML)
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert len(page.content) < 200_000
    assert client.get(f"{stem}.json?{query}").json()
    table = client.get(f"{stem}.csv?{query}")
    assert (table.status_code, table.headers["content-type"]) == (200, "text/csv; charset=utf-8")


def test_a_page_is_about_one_moment(own: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    client, _, monitor = own
    status = MonitorReader.status

    def late(reader: MonitorReader) -> object:
        known = status(reader)
        # Another program is faster than the page.
        monitor.add(make_batch(200, seed=20), at="2024-03-20", id="day 20")
        return known

    with monkeypatch.context() as patch:
        patch.setattr(MonitorReader, "status", late)
        page = client.get("/monitors/1", headers=HTML).text
    assert ("day 7" in page, "day 20" in page) == (True, False)
    assert "day 20" in client.get("/monitors/1", headers=HTML).text


@pytest.mark.parametrize("value", SQL)
def test_queries_in_parameters_are_text(client: TestClient, value: str) -> None:
    names = {
        "/monitors/1.json": ("from", "to", "segment"),
        "/monitors/1/feature.json": ("feature", "batch", "to"),
        "/monitors/1/batches/6/labels.json": ("count",),
        "/login": ("next", "once"),
    }
    for path, own in names.items():
        for name in own:
            answer = client.get(path, params={"feature": "age", name: value})
            assert answer.status_code in (200, 400, 401, 404, 422), (path, name)
    assert client.get("/readyz").json()["monitors"] == 2


@pytest.mark.parametrize("name", ["../_app.py", "%2e%2e/_app.py", "..%2f_app.py", "%00", "a" * 99])
def test_there_is_no_path_to_walk(client: TestClient, name: str) -> None:
    assert client.get(f"/static/{name}").status_code in (404, 422)


def test_hostile_names_are_inert(client: TestClient) -> None:
    for path in ("/", "/monitors/2", "/monitors/2/batches/9"):
        page = client.get(path, headers=HTML).text
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page
    column = client.get("/monitors/2/feature", params={"feature": HOSTILE}, headers=HTML)
    assert (column.status_code, "<script>alert" in column.text) == (200, False)


def test_an_incident_is_acknowledged_with_a_reason(own: Own) -> None:
    client, _, monitor = own
    code = code_of(client, "/monitors/1/incidents/2")
    path = "/monitors/1/incidents/2/acknowledge"
    empty = client.post(path, data={"reason": " ", "form": code}, headers=HTML)
    assert (empty.status_code, "Reason must say why the incident is closed" in empty.text) == (400, True)
    done = client.post(path, data={"reason": "new campaign", "form": code}, headers=HTML)
    assert (done.status_code, done.headers["location"]) == (303, "/monitors/1/incidents/2")
    page = client.get("/monitors/1/incidents/2", headers=HTML).text
    assert "new campaign" in page
    assert "<textarea" not in page
    again = client.post(path, data={"reason": "twice", "form": code})
    assert (again.status_code, "already acknowledged" in again.json()["error"]) == (400, True)
    assert [one.open for one in monitor.incidents] == [True, False]


def test_only_a_change_can_be_accepted(own: Own) -> None:
    client, _, monitor = own
    code = code_of(client, "/monitors/1/incidents/2")
    fields = {"reason": "fine", "form": code, "accept": "yes"}
    refused = client.post("/monitors/1/incidents/2/acknowledge", data=fields)
    assert (refused.status_code, "make a new baseline" in refused.json()["error"]) == (400, True)
    assert client.post("/monitors/1/incidents/1/acknowledge", data=fields).status_code == 200
    assert [one.open for one in monitor.incidents] == [False, True]


def test_a_file_of_labels_is_taken(own: Own) -> None:
    client, _, monitor = own
    path = "/monitors/1/batches/8/labels"
    table = client.get(f"{path}.csv?count=15").text.replace("\r\n", "\n").strip().split("\n")
    filled = "\n".join([table[0], *(f"{row}yes" for row in table[1:])])
    file = {"file": ("../../rows.csv", filled.encode(), "text/csv")}
    answer = client.post(path, data={"form": code_of(client, path)}, files=file)
    assert (answer.status_code, answer.json()["n_new"]) == (200, 15)
    assert monitor.plan("day 7").n_labels == 15
    wrong = {"file": ("rows.csv", b"row,lable\n1,yes\n", "text/csv")}
    refused = client.post(path, data={"form": code_of(client, path)}, files=wrong)
    assert (refused.status_code, refused.json()["error"]) == (
        400,
        "rows.csv has no column 'label'. Did you mean 'lable'?",
    )


def test_too_many_fields_or_files_are_refused(own: Own) -> None:
    client, _, _ = own
    many = {f"row-{number}": "yes" for number in range(3000)}
    assert client.post("/monitors/1/batches/8/labels", data=many).status_code == 400
    files = [("file", ("a.csv", b"x", "text/csv"))] * 3
    assert client.post("/monitors/1/batches/8/labels", files=files).status_code == 400
