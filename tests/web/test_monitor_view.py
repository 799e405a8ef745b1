from __future__ import annotations

import csv
import io

import pytest
from starlette.testclient import TestClient
from tests._stores import FileStores
from tests.monitoring.conftest import make_batch, make_table
from tests.web.conftest import HTML, client_of, site_of

from shiftproof.monitoring import Baseline, Monitor


def test_the_page_has_everything_over_one_axis(client: TestClient) -> None:
    page = client.get("/monitors/1", headers=HTML).text
    for title in ("Accuracy", "Incidents", "Evidence of the alarms", "Share of class yes", "Score shift"):
        assert f"<h3>{title}</h3>" in page
    assert "actual, from labels" in page
    assert len(page.encode()) < 200_000
    assert 'href="/monitors/1/batches/8"' in page
    assert 'href="/monitors/1/feature?feature=age"' in page
    assert "style=" not in page


def test_the_range_is_the_state(client: TestClient) -> None:
    data = client.get("/monitors/1.json?from=2024-03-02&to=2024-03-03").json()
    assert [one["start"] for one in data["course"]] == ["2024-03-02", "2024-03-03"]
    assert data["range"]["to"] == "2024-03-03T23:59:59.999999+00:00"
    page = client.get("/monitors/1?from=2024-03-02&to=2024-03-03", headers=HTML).text
    assert 'value="2024-03-02"' in page
    assert 'href="/monitors/1.csv?from=2024-03-02&amp;to=2024-03-03"' in page


@pytest.mark.parametrize("query", ["from=9999-12-31T23:59:59-12:00", "to=0001-01-01T00:00:00%2B14:00"])
def test_a_range_off_the_calendar_is_refused_in_a_sentence(client: TestClient, query: str) -> None:
    answer = client.get(f"/monitors/1.json?{query}")
    assert (answer.status_code, answer.json()["error"].count(".")) == (400, 1)


def test_an_empty_range_says_so(client: TestClient) -> None:
    assert "There are no batches in this range" in client.get("/monitors/1?from=2030", headers=HTML).text


def test_the_course_is_that_of_the_store(client: TestClient, place: str) -> None:
    data = client.get("/monitors/1.json").json()
    frame = Monitor(place, name="calls").history()
    known = frame[frame["quantity"] == "accuracy"]["estimate"].tolist()
    assert [one["lines"]["accuracy"]["last"] for one in data["course"]] == pytest.approx(known)
    assert [one["n_labels"] for one in data["course"]][:3] == [0, 30, 0]
    assert data["next_step"]["verb"] == "plan"


def test_the_table_has_every_figure(client: TestClient) -> None:
    rows = [*csv.DictReader(io.StringIO(client.get("/monitors/1.csv").text))]
    assert {row["id"] for row in rows} == {f"day {day}" for day in range(8)}
    assert {row["quantity"] for row in rows} >= {"accuracy", "share", "evidence"}


def test_the_next_step_is_a_button(client: TestClient) -> None:
    page = client.get("/monitors/1", headers=HTML).text
    assert '<a class="button" href="/monitors/1/batches/8/labels">Label 50 rows</a>' in page


def test_many_batches_are_thinned_out(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shiftproof.web._range.USUAL", 3)
    page = client.get("/monitors/1?segment=none", headers=HTML).text
    assert "The latest batches are shown" in page


def test_a_monitor_without_batches_says_what_to_do(files: FileStores) -> None:
    place = files.new()
    Monitor(place, Baseline.of(make_batch(200)), name="new")
    with client_of(site_of(place)) as client:
        assert "Add one with shiftproof monitor add" in client.get("/monitors/1", headers=HTML).text


def test_segments_have_a_page_each(files: FileStores) -> None:
    place = files.new()
    rows = make_table(600)
    monitor = Monitor(place, Baseline.of(rows, scores="p", labels="y", by="job"))
    monitor.add({name: values for name, values in make_table(300, seed=2).items() if name != "y"}, at="2024-03-01")
    name = next(iter(monitor.status().segments))
    with client_of(site_of(place)) as client:
        page = client.get("/monitors/1", headers=HTML, params={"segment": name}).text
        assert "selected" in page
        data = client.get("/monitors/1.json", params={"segment": name}).json()
        assert data["segment"] == name
        assert data["course"][0]["lines"]["evidence changed"]["first"] is not None
        assert client.get("/monitors/1.json", params={"segment": "nowhere"}).json()["segment"] == ""
        assert "Segments" in client.get("/monitors/1/batches/1", headers=HTML).text
