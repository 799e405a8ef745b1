from __future__ import annotations

import csv
import io

from starlette.testclient import TestClient
from tests.monitoring import _made as made
from tests.web.conftest import HTML

from shiftproof.web._batch_view import headline


def test_a_batch_says_what_changed(client: TestClient) -> None:
    page = client.get("/monitors/1/batches/6", headers=HTML).text
    assert "This batch raised an alarm: &#39;changed&#39; and &#39;material&#39;." in page
    assert "Furthest from the baseline" in page
    assert page.count('class="spark"') == 4
    assert 'rel="prev" href="/monitors/1/batches/5"' in page
    assert 'rel="next" href="/monitors/1/batches/7"' in page
    assert 'href="/monitors/1/feature?feature=age&amp;batch=6"' in page


def test_a_quiet_batch_says_so_whatever_is_open_now(client: TestClient) -> None:
    page = client.get("/monitors/1/batches/2", headers=HTML).text
    assert "This batch raised no alarm." in page
    assert "Actual accuracy" in page


def test_headline_names_an_incident_that_began_with_a_quiet_batch() -> None:
    harm = made.incident("harm", number=3, likeliest=made.named(7), raised=made.named(9))
    update = made.update()
    assert headline(update, (), [harm]) == "This batch raised no alarm, but incident 3 (harm) most likely began here."
    assert headline(update, (), []) == "This batch raised no alarm."
    assert headline(update, (harm,), [harm]) == "This batch raised an alarm: 'harm'."


def test_it_is_the_update_for_programs(client: TestClient) -> None:
    data = client.get("/monitors/1/batches/6.json").json()
    assert data["batch"]["id"] == "day 5"
    assert data["raised"] == [1, 2]
    rows = [*csv.DictReader(io.StringIO(client.get("/monitors/1/batches/6.csv").text))]
    assert sorted(row["column"] for row in rows) == ["age", "gap", "job", "p"]
    assert {row["column"]: row["blamed"] for row in rows}["age"] == "material"
