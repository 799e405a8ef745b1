from __future__ import annotations

import gzip
import io
import time
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.monitoring import _made as made
from tests.web.conftest import HTML

from shiftproof.core import InputError
from shiftproof.monitoring import Monitor
from shiftproof.web import Site
from shiftproof.web._labels_view import typed_labels, uploaded_labels

CLASSES = ("no", "yes")
WIDE = b"row,label," + b",".join(b"c%d" % column for column in range(400_000)) + b"\n"
BASELINE: Any = SimpleNamespace(key=None, label_column="")


def test_the_page_asks_for_the_next_rows(client: TestClient, place: str) -> None:
    planned = Monitor(place, name="calls").plan("day 7", 5)
    page = client.get("/monitors/1/batches/8/labels?count=5", headers=HTML).text
    assert page.count('role="radiogroup"') == 5
    assert f'name="row-{planned.rows[0]}"' in page
    assert page.count("disabled") == 10
    rows = client.get("/monitors/1/batches/8/labels.csv?count=5").text.splitlines()
    assert rows[0] == "batch,row,p,label"
    assert [int(row.split(",")[1]) for row in rows[1:]] == planned.rows.tolist()


def test_a_baseline_without_labels_says_so(client: TestClient) -> None:
    answer = client.get("/monitors/2/batches/9/labels", headers=HTML)
    assert answer.status_code == 400
    assert "labels" in answer.text


def test_typed_labels_are_read_by_row() -> None:
    fields = {"form": "x", "row-3": "yes", "row-4": "", "row-10": "no"}
    assert typed_labels(fields, CLASSES) == {3: "yes", 10: "no"}
    assert typed_labels({"row-1": "1"}, (0, 1)) == {1: 1}


@pytest.mark.parametrize(
    "fields", [{}, {"row-3": ""}, {"row-3": "maybe"}, {"row-x": "yes"}, {"row-": "yes"}, {f"row-{'9' * 400}": "yes"}]
)
def test_what_is_no_label_is_refused(fields: dict[str, str]) -> None:
    with pytest.raises(InputError):
        typed_labels(fields, CLASSES)


def test_an_uploaded_file_is_read_as_in_a_terminal() -> None:
    file = io.BytesIO(b"batch,row,label\nday 7,3,yes\nday 7,4,\n")
    assert uploaded_labels(file, "rows.csv", made.update(), BASELINE) == ({3: "yes"}, "row")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "rows.csv"),
        (b"row,lable\n1,yes\n", "rows.csv has no column 'label'. Did you mean 'lable'?"),
        (b"batch,row,label\nday 1,3,yes\n", "rows.csv has rows of batch 'day 1', not of batch 'day 7'"),
        (gzip.compress(b"row,label\n1,yes\n", mtime=0), "rows.csv: only CSV files can be uploaded"),
        (b"PAR1" + b"\0" * 100, "rows.csv: only CSV files can be uploaded"),
        (b"\xff\xfe\0\0", "rows.csv"),
        (b'row,label\n"1,yes\n', "rows.csv"),
        (WIDE, "rows.csv: the header names 400,002 columns, and 10,000 are the maximum here; leave out those that"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_as_the_user_named_it(content: bytes, words: str) -> None:
    began = time.process_time()
    with pytest.raises(InputError) as caught:
        uploaded_labels(io.BytesIO(content), "rows.csv", made.update(), BASELINE)
    assert time.process_time() - began < 5
    assert words in str(caught.value)
    assert "/tmp" not in str(caught.value)  # noqa: S108 - what must not be shown


def test_labels_change_the_page(own: tuple[TestClient, Site, Monitor]) -> None:
    client, site, monitor = own
    reader = site.source.monitors()[0]
    rows = monitor.plan("day 7", 12).rows.tolist()
    code = client.get("/monitors/1/batches/8/labels", headers=HTML).text.partition('name="form" value="')[2][:64]
    fields = {f"row-{row}": "no" for row in rows} | {"form": code}
    page = client.post("/monitors/1/batches/8/labels", data=fields, headers=HTML)
    assert page.status_code == 200
    assert "12 new labels" in page.text
    update = reader.batch(8)
    assert update is not None
    assert update.labels is not None
    assert update.labels.n_used == 12
    assert "Actual, last batch" in client.get("/monitors/1", headers=HTML).text
