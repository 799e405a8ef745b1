"""A newcomer's walk: a fresh clone, `make demo`, and the report in a browser.

Usage::

    python tools/walk.py [--clone-from .] [--report FILE] [--images walk]

Clones the repository, runs `make demo` there as the README says, opens the report in headless Chromium, uses its table
by pointer and keyboard, asks axe-core about accessibility, and keeps screenshots, wide and narrow, light and dark. With
``--report`` the first two steps are left out. What is not as it should be stops the walk with a sentence.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ARGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
SIZES = {1400: 1000, 390: 844}
SECONDS = 90
AXE = Path(sys.prefix) / "axe" / "axe.min.js"


def expect(right: bool, words: str) -> None:
    """Stop the walk where something is not as it should be."""
    if not right:
        sys.exit(f"walk: {words}")
    print(f"  ok: {words}")


def demo(source: Path, place: Path) -> Path:
    """Clone, run the demo, read what it says, and give where its report is."""
    print("cloning")
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(source), str(place)], check=True)
    print("make demo (installs first: some minutes)")
    subprocess.run(["make", ".venv/runs"], cwd=place, check=True, stdout=subprocess.DEVNULL)
    began = time.perf_counter()
    found = subprocess.run(["make", "demo"], cwd=place, check=True, capture_output=True, text=True)
    spent = time.perf_counter() - began
    print(found.stdout)
    expect(spent < SECONDS, f"the demo takes {spent:.0f} s after installation, less than {SECONDS}")
    expect("1. It answers" in found.stdout, "the demo gives an answer first")
    expect(found.stdout.count("actual accuracy") == 3, "the demo says three times what is true")
    report = place / "shiftproof-demo" / "report.html"
    expect(report.is_file() and report.stat().st_size < 1_500_000, "the report is a file of less than 1.5 MB")
    return report


def opened(browser: Browser, report: Path, **context: Any) -> tuple[Page, list[str]]:
    """Open the report; also give what it complains of or asks for."""
    page = browser.new_context(**context).new_page()
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("request", lambda request: heard.append(request.url))
    page.goto(report.resolve().as_uri())
    heard.remove(report.resolve().as_uri())
    return page, heard


def first_cells(page: Page, table: str, column: int) -> list[str]:
    """Give the words of one column, from the top."""
    cells = page.locator(f"{table} tbody tr:not([hidden]) > *:nth-child({column})")
    return [" ".join(words.split()) for words in cells.all_inner_texts()]


def use_the_table(page: Page) -> None:
    """Sort and filter every feature by pointer and keyboard."""
    table = "#tests table"
    page.get_by_role("heading", name="Every feature").click()  # the table is folded at first
    before = first_cells(page, table, 1)
    header = page.locator(f"{table} thead button").first
    header.click()
    rising = first_cells(page, table, 1)
    expect(rising == sorted(before, key=str.lower), "a click on a heading sorts the table by it")
    header.press("Enter")
    expect(first_cells(page, table, 1) == rising[::-1], "the keyboard turns the order round")
    box = page.locator("#tests input").first
    box.fill("month")
    expect(set(first_cells(page, table, 1)) == {"month"}, "words in the box filter the rows")
    box.fill("")
    expect(len(first_cells(page, table, 1)) == len(before), "all rows are back without them")


def accessible(page: Page, scheme: str) -> None:
    """Ask axe-core."""
    page.add_script_tag(path=AXE)
    found = page.evaluate(
        "axe.run().then(found => found.violations.map(each => [each.impact, each.id, each.nodes.length]))"
    )
    worst = [each for each in found if each[0] in ("serious", "critical")]
    expect(not worst, f"no serious violation of accessibility, {scheme} {worst or ''}".strip())


def look(report: Path, images: Path) -> None:
    """Use the report as people do, and keep pictures of it."""
    where = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    expect(where is not None, "there is a browser (else: apt-get install chromium)")
    expect(AXE.is_file(), "axe-core is there (else: make suite fetches it)")
    images.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=where, args=ARGS)
        page, heard = opened(browser, report, viewport={"width": 1400, "height": 1000})
        use_the_table(page)
        expect(not heard, f"the page is quiet and asks for nothing {heard or ''}".strip())
        words = page.inner_text("main")
        expect("Check first" in words, "the page says to check first")
        for scheme in ("light", "dark"):
            for width, height in SIZES.items():
                size = {"width": width, "height": height}
                page, heard = opened(browser, report, viewport=size, color_scheme=scheme, bypass_csp=True)
                page.screenshot(path=images / f"report-{width}-{scheme}.png")
                wide = page.evaluate("document.scrollingElement.scrollWidth")
                expect(wide <= width, f"nothing sticks out at {width} pixels, {scheme}")
                if width == max(SIZES):
                    accessible(page, scheme)
        browser.close()
    print(f"pictures: {images}")


def main() -> None:
    """Read the command line and walk."""
    parser = argparse.ArgumentParser(description="Walk as a newcomer does.")
    parser.add_argument("--clone-from", type=Path, default=Path())
    parser.add_argument("--report", type=Path)
    parser.add_argument("--images", type=Path, default=Path("walk"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = options.report or demo(options.clone_from.resolve(), Path(folder) / "shiftproof")
        look(report, options.images)


if __name__ == "__main__":
    main()
