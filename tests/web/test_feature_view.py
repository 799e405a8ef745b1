from __future__ import annotations

import numpy as np
from starlette.testclient import TestClient
from tests.web.conftest import HTML

from shiftproof.monitoring import OldAndNew
from shiftproof.web._feature_view import cell_rows


def test_a_column_over_time_and_old_against_new(client: TestClient) -> None:
    page = client.get("/monitors/1/feature?feature=age", headers=HTML).text
    assert "<h3>Distance from the baseline</h3>" in page
    assert "<h3>Evidence of this column</h3>" in page
    assert "Baseline and batch &#39;day 7&#39;" in page
    assert "incident 2 (material)" in page


def test_missing_values_have_a_chart_if_there_are_some(client: TestClient) -> None:
    title = "<h3>Missing and new values</h3>"
    assert title in client.get("/monitors/1/feature?feature=gap", headers=HTML).text
    assert title not in client.get("/monitors/1/feature?feature=job", headers=HTML).text


def test_another_batch_can_be_compared(client: TestClient) -> None:
    data = client.get("/monitors/1/feature.json?feature=job&batch=2").json()
    assert (data["batch"], len(data["course"])) == (2, 8)
    shares = {cell["cell"]: cell["batch"] for cell in data["cells"]}
    assert abs(sum(shares.values()) - 1) < 1e-9
    assert client.get("/monitors/1/feature.json?feature=job&batch=99").status_code == 404


def test_the_range_applies_to_the_table(client: TestClient) -> None:
    lines = client.get("/monitors/1/feature.csv?feature=age&from=2024-03-07").text.splitlines()
    assert [line.split(",")[1] for line in lines] == ["id", "day 6", "day 7"]


def test_an_unknown_column_names_a_similar_one(client: TestClient) -> None:
    answer = client.get("/monitors/1/feature.json?feature=agee")
    assert (answer.status_code, answer.json()["error"]) == (
        404, "This monitor does not compare a column with this name. Did you mean 'age'?",
    )  # fmt: skip


def test_categories_come_by_size_and_missing_values_last() -> None:
    def pair(*, number: bool) -> OldAndNew:
        return OldAndNew(
            column="x", number=number, cells=("missing", "rare", "a", "b"), old=np.array([4, 0, 1, 5]),
            new=np.array([1, 0, 9, 0]),
        )  # fmt: skip

    assert [row.name for row in cell_rows(pair(number=False))] == ["a", "b", "missing"]
    first = cell_rows(pair(number=True))[0]
    assert (first.name, first.old, first.new) == ("a", 0.1, 0.9)
