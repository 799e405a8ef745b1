from __future__ import annotations

from starlette.testclient import TestClient
from tests.web.conftest import HTML

from shiftproof._version import __version__


def test_machines_get_their_answers(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready", "monitors": 2}
    version = client.get("/version").json()
    assert (version["shiftproof"], version["write"]) == (__version__, False)
    metrics = client.get("/metrics")
    assert metrics.headers["content-type"].startswith("text/plain")
    assert 'shiftproof_batches_total{monitor="calls"} 8.0' in metrics.text


def test_files_of_pages_have_their_types(client: TestClient) -> None:
    types = [client.get(f"/static/dashboard.{kind}").headers["content-type"] for kind in ("css", "js")]
    assert types == ["text/css; charset=utf-8", "text/javascript; charset=utf-8"]
    assert client.get("/static/nothing").status_code == 404


def test_help_lists_the_keys(client: TestClient) -> None:
    page = client.get("/help", headers=HTML).text
    assert "<kbd>?</kbd>" in page
    assert "openapi.json" in page
