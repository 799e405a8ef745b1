from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests._stores import Place
from tests.web._loop import in_own_loop
from tests.web.conftest import HTML, client_of, site_of

from shiftproof.web import ServeSettings, Site
from shiftproof.web._gate import COOKIE, Gate
from shiftproof.web._tokens import Tokens

TOKEN = "the token of these tests"  # noqa: S105 - of these tests
BEARER = {"authorization": f"Bearer {TOKEN.replace(' ', '-')}"}


@pytest.fixture(scope="module")
def guarded(place: Place) -> Iterator[tuple[TestClient, Site]]:
    site = site_of(place, token=TOKEN.replace(" ", "-"), root_path="/x/y")
    with client_of(site) as client:
        yield client, site


def test_every_answer_restricts_browsers(client: TestClient) -> None:
    for path in ("/", "/monitors.json", "/nowhere", "/healthz", "/static/dashboard.js"):
        headers = client.get(path, headers=HTML).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert (headers["x-content-type-options"], headers["x-frame-options"]) == ("nosniff", "DENY")
    assert client.get("/").headers["cache-control"] == "no-store"
    assert "max-age" in client.get("/static/dashboard.css").headers["cache-control"]


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", ""])
def test_unknown_hosts_are_refused(client: TestClient, host: str) -> None:
    answer = client.get("/", headers={"host": host})
    assert (answer.status_code, answer.text.count("\n")) == (421, 1)
    assert "--allow-host" in answer.text


@pytest.mark.parametrize(
    "path", ["/", "/monitors.json", "/monitors/1", "/metrics", "/events", "/version", "/openapi.json", "/help"]
)
def test_strangers_see_nothing(guarded: tuple[TestClient, Site], path: str) -> None:
    client, _ = guarded
    answer = client.get(path)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, 'Bearer realm="shiftproof"')
    assert "calls" not in answer.text
    page = client.get(path, headers=HTML)
    assert (page.status_code, page.headers["location"].startswith("/x/y/login?next=%2F")) == (303, True)


def test_programs_send_the_token(guarded: tuple[TestClient, Site]) -> None:
    client, _ = guarded
    assert client.get("/monitors.json", headers=BEARER).status_code == 200
    for wrong in ("Bearer", "Bearer x", "Basic " + TOKEN, f"Bearer {TOKEN}x"):
        assert client.get("/monitors.json", headers={"authorization": wrong}).status_code == 401


def test_a_session_lets_a_browser_in(guarded: tuple[TestClient, Site]) -> None:
    client, site = guarded
    good, bad = site.tokens.new_session(), site.tokens.new_session() + "x"
    assert client.get("/", headers={"cookie": f"{COOKIE}={good}"}).status_code == 200
    assert client.get("/", headers={"cookie": f"{COOKIE}={bad}"}).status_code == 401
    assert client.get("/", headers={"cookie": "[]=;;"}).status_code == 401


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/login", "/static/dashboard.css"])
def test_some_addresses_are_open(guarded: tuple[TestClient, Site], path: str) -> None:
    client, _ = guarded
    assert client.get(path).status_code == 200


def test_the_prefix_is_taken_off_if_it_is_there(guarded: tuple[TestClient, Site]) -> None:
    client, _ = guarded
    for path in ("/x/y", "/x/y/", "/"):
        page = client.get(path, headers=BEARER | HTML)
        assert page.status_code == 200
        links = [part.partition('"')[0] for part in page.text.split('href="')[1:]]
        assert [link for link in links if not link.startswith(("/x/y/", "#"))] == []
    assert client.get("/x/yz/", headers=BEARER).status_code == 404


def test_large_bodies_are_refused_by_their_length(client: TestClient) -> None:
    answer = client.post("/login", content=b"x" * 4_000_001)
    assert (answer.status_code, "4 MB" in answer.text) == (413, True)


@pytest.mark.parametrize("length", ["-1", "1e9", "9" * 400])
def test_odd_lengths_are_refused(client: TestClient, length: str) -> None:
    assert client.get("/", headers={"content-length": length}).status_code == 413


async def run(
    gate: Gate, messages: list[dict[str, Any]], *, pause: float = 0.0, length: int | None = None
) -> list[dict[str, Any]]:
    """Send a request in parts, by default without a length, and return what is answered."""
    sent: list[dict[str, Any]] = []
    headers = [(b"host", b"localhost"), *([] if length is None else [(b"content-length", b"%d" % length)])]
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": headers}

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(pause)
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    await gate(scope, receive, send)
    return sent


async def swallow(scope: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass


def part(size: int) -> dict[str, Any]:
    return {"type": "http.request", "body": b"x" * size, "more_body": True}


def test_bodies_that_grow_or_crawl_are_refused() -> None:
    settings = ServeSettings(store="m.db")
    small = Gate(swallow, settings, Tokens(None), largest=100)
    with pytest.raises(Exception, match="413"):
        in_own_loop(run(small, [part(60), part(60), part(60)]))
    slow = Gate(swallow, settings, Tokens(None), slowest=0.05)
    with pytest.raises(Exception, match="408"):
        in_own_loop(run(slow, [part(1)] * 50, pause=0.02))


@pytest.mark.parametrize(
    ("length", "n_left"), [(180, 0), (5000, 4), (110, 2)], ids=["a little", "far", "more than said"]
)
def test_a_body_that_is_a_little_too_large_is_read_before_it_is_refused(length: int, n_left: int) -> None:
    gate = Gate(swallow, ServeSettings(store="m.db"), Tokens(None), largest=100)
    messages = [part(60), part(60), part(60), {"type": "http.request", "body": b"", "more_body": False}]
    sent = in_own_loop(run(gate, messages, length=length))
    assert (sent[0]["status"], len(messages)) == (413, n_left)


def test_too_many_requests_at_once_are_refused_but_for_the_question_whether_it_lives(place: Place) -> None:
    site = site_of(place)
    answered = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await answered.wait()

    async def ask() -> list[int]:
        gate = Gate(slow, site.settings, site.tokens, most=2)
        statuses: list[int] = []

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        def request(path: str) -> asyncio.Task[None]:
            scope = {"type": "http", "path": path, "headers": [(b"host", b"localhost")], "query_string": b""}
            return asyncio.create_task(gate({**scope, "method": "GET"}, asyncio.Queue().get, send))

        begun = [request("/") for _ in range(2)]
        refused, lives = request("/"), request("/healthz")
        await asyncio.sleep(0.05)
        found = [*statuses, refused.done(), lives.done()]
        answered.set()
        await asyncio.gather(*begun, lives)
        later = request("/")
        await later
        return [*found, len(statuses)]

    # The third is refused, health is passed on, and afterwards there is room again.
    assert in_own_loop(ask()) == [503, True, False, 1]
