from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import sleep

import pytest
from starlette.testclient import TestClient
from tests.monitoring.conftest import make_batch
from tests.web.conftest import HTML

from shiftproof.monitoring import Monitor
from shiftproof.web import Site
from shiftproof.web._recent import RecentPages


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_page_is_made_once_in_a_second() -> None:
    clock, made = Clock(), iter("abc")
    pages = RecentPages(clock)
    assert [pages.page("one", made.__next__) for _ in range(3)] == ["a", "a", "a"]
    assert pages.page("two", made.__next__) == "b"
    clock.now = 1.0
    assert pages.page("one", made.__next__) == "c"


def test_many_who_ask_at_once_get_one_page() -> None:
    pages, together = RecentPages(), Barrier(8)
    made: list[int] = []

    def make() -> str:
        made.append(1)
        sleep(0.05)
        return "page"

    def ask() -> str:
        together.wait()
        return pages.page("one", make)

    with ThreadPoolExecutor(8) as pool:
        answers = [one.result() for one in [pool.submit(ask) for _ in range(8)]]
    assert (answers, made) == (["page"] * 8, [1])


def test_a_page_that_fails_is_tried_again() -> None:
    pages = RecentPages()

    def fail() -> str:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        pages.page("one", fail)
    assert pages.page("one", lambda: "page") == "page"


def test_old_pages_and_changed_ones_are_forgotten() -> None:
    pages = RecentPages()
    for number in range(200):
        pages.page(number, lambda: "old")
    assert len(pages._kept) == 64
    pages.forget()
    assert pages.page(199, lambda: "new") == "new"


def test_a_batch_is_on_the_page_at_once(own: tuple[TestClient, Site, Monitor]) -> None:
    client, _, monitor = own
    assert "day 99" not in client.get("/monitors/1", headers=HTML).text
    monitor.add(make_batch(200, seed=99), at="2024-04-01", id="day 99")
    assert "day 99" in client.get("/monitors/1", headers=HTML).text
