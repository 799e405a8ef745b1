"""The dashboard as readers meet it: a server of its own, a browser, and a monitor that goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.monitoring.conftest import Table, make_table

from shiftproof.monitoring import Baseline, Monitor

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

HOSTILE = "<img src=x onerror=alert(1)>"
TOKEN = "the-token-of-these-tests"  # noqa: S105 - of these tests
Visit = Callable[..., "Page"]


def batch(day: int) -> tuple[Table, Any]:
    """Return the rows of a day and their labels; from the fifth day on they are shifted."""
    table = make_table(200, shift=15.0 if day >= 5 else 0.0, seed=day + 1)
    labels = table.pop("y")
    return table, labels


def fill(place: Path) -> Monitor:
    monitor = Monitor(place, Baseline.of(make_table(400), scores="p", labels="y"), name="calls")
    for day in range(7):
        monitor.add(batch(day)[0], at=f"2024-03-{day + 1:02d}T06:30", id=f"day {day}")
    strange = make_table(300)
    del strange["y"]
    strange[HOSTILE] = strange.pop("job")
    other = Monitor(place, Baseline.of(strange, scores="p"), name=HOSTILE)
    other.add(strange | {HOSTILE: [HOSTILE, *strange[HOSTILE].tolist()[1:]]}, at="2024-03-01", id=HOSTILE)
    return monitor


@contextmanager
def serving(place: Path, **settings: Any) -> Iterator[tuple[str, Any]]:
    """Serve a store on a thread; yield its address and its site."""
    pytest.importorskip("uvicorn", reason="the extra serve is not installed; make suite installs it")
    from shiftproof.web import ServeSettings, make_site
    from shiftproof.web._serve import listening, make_server

    site = make_site(ServeSettings(store=str(place), port=0, **settings))
    with listening(site.settings) as listener:
        server = make_server(site)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}{site.settings.root_path}", site
        server.should_exit = True
        thread.join(10)


@pytest.fixture(scope="module")
def monitor(tmp_path_factory: pytest.TempPathFactory) -> Monitor:
    return fill(tmp_path_factory.mktemp("dashboard") / "monitor.db")


@pytest.fixture(scope="module")
def address(monitor: Monitor) -> Iterator[str]:
    """Serve the store below a prefix: what works there works without one."""
    with serving(Path(monitor.store), write=True, root_path="/x/y") as (address, _):
        yield address


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Visit]:
    """Open a page of the dashboard; afterwards see that it was quiet and asked nobody else."""
    contexts: list[Any] = []
    heard: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        heard.append(dialog.message)
        dialog.dismiss()

    def opened(path: str = "/", *, width: int = 1400, base: str = address, **options: Any) -> Page:
        contexts.append(browser.new_context(viewport={"width": width, "height": 900}, **options))
        page: Page = contexts[-1].new_page()
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("dialog", dismiss)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(base + path)
        heard.extend(url for url in asked if not url.startswith(base.removesuffix("/x/y")))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert heard == []


def test_from_all_monitors_to_a_value_of_a_column(visit: Visit) -> None:
    page = visit()
    assert page.get_by_role("heading", level=2).first.inner_text() == "calls"
    page.get_by_role("link", name="calls").click()
    page.get_by_role("heading", name="Accuracy").wait_for()
    assert page.locator(".hit").count() == 7
    page.locator("#columns").get_by_role("link", name="age").click()
    page.wait_for_url("**/x/y/monitors/1/feature?feature=age")
    assert "Baseline and batch 'day 6'" in page.locator("main").inner_text()
    page.keyboard.press("u")
    page.wait_for_url("**/x/y/monitors/1")


def test_a_chart_leads_to_its_batch_and_shows_figures(visit: Visit) -> None:
    page = visit("/monitors/1")
    box = page.locator(".plot").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.005, box["y"] + 60)
    assert "2024-03-01 06:30 · estimated" in page.locator("#readout").inner_text()
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.55, box["y"] + 60, steps=4)
    page.mouse.up()
    page.wait_for_url("**from=2024-*to=2024-*")
    assert page.locator(".hit").count() == 4
    page.locator(".hit").first.click()
    page.wait_for_url("**/batches/1")


def test_keys_move_and_a_question_mark_lists_them(visit: Visit) -> None:
    page = visit("/monitors/1/batches/3")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/batches/4")
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()
    page.keyboard.press("?")
    assert not page.get_by_role("dialog").is_visible()
    page.keyboard.press("g")
    page.wait_for_url("**/x/y/")


def test_times_are_in_the_zone_of_the_viewer(visit: Visit) -> None:
    page = visit("/monitors/1/batches/1", timezone_id="Asia/Tokyo")
    moment = page.locator("main time").first
    assert moment.inner_text() == "2024-03-01 15:30"
    assert moment.get_attribute("title") == "2024-03-01 06:30 UTC"
    assert "Asia/Tokyo" in page.locator("footer").inner_text()


def test_names_are_inert(visit: Visit) -> None:
    page = visit("/monitors/2")
    assert HOSTILE in page.locator("h1").inner_text()
    page.locator("#columns a").first.click()
    assert page.locator("main img").count() == 0


@pytest.mark.parametrize("path", ["/", "/monitors/1", "/monitors/1/batches/6", "/monitors/1/incidents/2"])
def test_everything_is_there_without_a_script(visit: Visit, path: str) -> None:
    page = visit(path, java_script_enabled=False)
    assert page.locator("main").inner_text().strip()
    assert page.get_by_role("link", name="JSON").is_visible()
    if path == "/monitors/1":
        assert page.locator(".plot path.line").count() >= 5
        page.locator("input[name=from]").fill("2024-03-03")
        page.get_by_role("button", name="Show").click()
        assert page.locator(".hit").count() == 5


PAGES = [
    "/", "/monitors/1", "/monitors/1/feature?feature=gap", "/monitors/1/batches/6", "/monitors/1/incidents/2",
    "/monitors/1/batches/6/labels", "/help",
]  # fmt: skip


@pytest.mark.parametrize("path", PAGES)
def test_a_phone_scrolls_in_one_direction_only(visit: Visit, path: str) -> None:
    page = visit(path, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    sizes = page.evaluate(
        "[...document.querySelectorAll('.plot text')].map(text => text.getBoundingClientRect().height)"
    )
    assert all(size >= 9 for size in sizes)


@pytest.mark.parametrize(("scheme", "width", "paths"), [("light", 1400, PAGES), ("dark", 390, PAGES[1:2])])
def test_pages_are_accessible(visit: Visit, axe: Path, scheme: str, width: int, paths: list[str]) -> None:
    page = visit(paths[0], width=width, color_scheme=scheme)
    base = page.url.removesuffix(paths[0])
    for path in paths:
        page.goto(base + path)
        # The content security policy of the page forbids scripts that a tag would add.
        found = page.evaluate(f"{axe.read_text(encoding='utf-8')}; axe.run()")
        serious = [one["id"] for one in found["violations"] if one["impact"] in ("serious", "critical")]
        assert serious == [], (path, [node["html"] for one in found["violations"] for node in one["nodes"]][:3])


def test_paper_has_charts_and_no_forms(visit: Visit) -> None:
    page = visit("/monitors/1", color_scheme="dark")
    page.emulate_media(media="print")
    assert page.locator(".plot").first.is_visible()
    assert not page.get_by_role("button", name="Show").first.is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_labels_that_are_typed_in_change_the_page(visit: Visit, monitor: Monitor) -> None:
    page = visit("/monitors/1/batches/3/labels?count=12")
    labels = batch(2)[1]
    for row in monitor.plan("day 2", 12).rows.tolist():
        page.locator(f"input[name='row-{row}'][value='{labels[row]}']").check()
    page.get_by_role("button", name="Save labels").click()
    assert "12 new labels for batch 'day 2'." in page.locator("[role=status]").all_inner_texts()[-1]
    page.goto(page.url.replace("/batches/3/labels", ""))
    # Two batches have labels, which show the accuracy and the share of a class.
    assert page.locator(".mark.actual").count() == 4


def test_a_new_batch_appears_by_itself(visit: Visit, monitor: Monitor) -> None:
    page = visit("/monitors/1")
    page.get_by_text("live", exact=True).wait_for()
    before = page.locator(".hit").count()
    monitor.add(batch(7)[0], at="2024-03-08T06:30", id="day 7")
    page.locator(f".hit >> nth={before}").wait_for(state="attached", timeout=10_000)
    assert "day 7" in page.locator("#batches").inner_text()


def test_what_is_being_written_is_not_replaced(visit: Visit, monitor: Monitor) -> None:
    page = visit("/monitors/1/incidents/1")
    page.get_by_text("live", exact=True).wait_for()
    page.get_by_label("Why it is closed").fill("half a sen")
    monitor.add(batch(8)[0], at="2024-03-09T06:30", id="day 8")
    page.get_by_text("There is new data.").wait_for(timeout=10_000)
    assert page.get_by_label("Why it is closed").input_value() == "half a sen"


def test_an_incident_is_acknowledged(visit: Visit, monitor: Monitor) -> None:
    page = visit("/monitors/1/incidents/2")
    page.get_by_label("Why it is closed").fill("the campaign calls others since March")
    page.get_by_role("button", name="Acknowledge incident 2").click()
    assert "the campaign calls others since March" in page.locator(".events").inner_text()
    assert not monitor.incidents[1].open


def test_a_token_is_asked_for(visit: Visit, monitor: Monitor) -> None:
    with serving(Path(monitor.store), token=TOKEN) as (base, site):
        page = visit("/monitors/1", base=base)
        assert page.get_by_role("heading", name="A token is needed").is_visible()
        page.get_by_label("Token").fill(TOKEN)
        page.get_by_role("button", name="Enter").click()
        page.wait_for_url("**/monitors/1")
        linked = visit(f"/login?once={site.tokens.new_link()}", base=base)
        linked.wait_for_url(f"{base}/")
        assert linked.get_by_role("heading", name="Monitors").is_visible()
        assert linked.evaluate("document.cookie") == ""
        for shown in (page, linked):
            shown.close()
