"""A browser that opens pages as readers do. Nothing is fetched: a page that asks for anything fails its test."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from shiftproof import reporting

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

_ARGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


@dataclass
class Heard:
    """What a page did that nobody asked for."""

    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)


Opened = tuple["Page", Heard]
Open = Callable[..., Opened]
Write = Callable[[reporting.Page], Path]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    why = "install what the tests need: make suite"
    driver = pytest.importorskip("playwright.sync_api", reason=f"playwright is not there; {why}")
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("chromium is not there; apt-get install chromium")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=_ARGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def write_page(tmp_path_factory: pytest.TempPathFactory) -> Write:
    """Write a page, once however often it is opened: its charts take seconds to draw."""
    folder = tmp_path_factory.mktemp("pages")
    # Pages cannot be hashed, and one that is kept keeps its number.
    written: dict[int, tuple[reporting.Page, Path]] = {}

    def write(page: reporting.Page) -> Path:
        if id(page) not in written:
            written[id(page)] = page, reporting.save(page, folder / f"page {len(written)}.html")
        return written[id(page)][1]

    return write


@pytest.fixture
def open_page(browser: Browser, write_page: Write) -> Iterator[Open]:
    """Open a page in a window of its own; afterwards see that it was quiet."""
    contexts = []
    every: list[Heard] = []

    def opened(page: reporting.Page, *, width: int = 1280, **context: Any) -> Opened:
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **context))
        shown, heard = contexts[-1].new_page(), Heard()
        every.append(heard)

        def dismiss(dialog: Dialog) -> None:
            heard.dialogs.append(dialog.message)
            dialog.dismiss()

        shown.on("dialog", dismiss)
        shown.on("console", lambda message: heard.console.append(message.text))
        shown.on("pageerror", lambda error: heard.console.append(str(error)))
        shown.on("request", lambda request: heard.requests.append(request.url))
        place = write_page(page).as_uri()
        shown.goto(place)
        heard.requests.remove(place)
        return shown, heard

    yield opened
    for context in contexts:
        context.close()
    assert every == [Heard()] * len(every)


@pytest.fixture(scope="session")
def axe() -> Path:
    """Return the rules of accessibility."""
    place = Path(sys.prefix) / "axe" / "axe.min.js"
    if not place.is_file():
        pytest.skip("axe-core is not there; make suite fetches it where npm is installed")
    return place
