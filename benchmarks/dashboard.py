"""How fast the dashboard answers with a long history: idle, while programs add batches, and for 50 browsers at once.

A store with 10,000 batches of 50 columns is made once and kept in the folder of temporary files. The server is a
process of its own, as are the writers.
"""

from __future__ import annotations

import http.client
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.dashboard_store import fill, make_rows, without_labels

from shiftproof.monitoring import Monitor

PAGES = {
    "all monitors": "/",
    "monitor, last 365": "/monitors/1",
    "monitor, all": "/monitors/1?from=all",
    "column, all": "/monitors/1/feature?feature=x07&from=all",
    "batch": "/monitors/1/batches/5000",
}
BATCHES = 10_000
REQUESTS, BROWSERS, SECONDS, WRITERS = 200, 50, 60.0, 2
# Programs that add batches compile their kernels first.
COMPILING = 8.0


@contextmanager
def serving(store: Path) -> Iterator[int]:
    """Run a server; yield its port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    command = [sys.executable, "-m", "shiftproof", "monitor", "serve", str(store), "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
        try:
            _wait(port)
            yield port
        finally:
            server.terminate()


def _wait(port: int) -> None:
    for _ in range(120):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.5)
        else:
            return
    raise SystemExit("the server did not start")


def ask(connection: http.client.HTTPConnection, path: str) -> tuple[float, int, int]:
    """Return how long a page took, its status and its size."""
    before = time.perf_counter()
    connection.request("GET", path, headers={"accept": "text/html"})
    answer = connection.getresponse()
    size = len(answer.read())
    return time.perf_counter() - before, answer.status, size


def measure(port: int, title: str) -> None:
    """Print the median and the 95th percentile of every page."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for name, path in PAGES.items():
        ask(connection, path)
        # A parameter of no meaning, so that every page is made anew and none is a second old.
        mark = "&" if "?" in path else "?"
        answers = [ask(connection, f"{path}{mark}fresh={time.time_ns()}") for _ in range(REQUESTS // len(PAGES))]
        seconds = sorted(one[0] for one in answers)
        worst = seconds[int(0.95 * len(seconds))]
        failed = sum(one[1] != 200 for one in answers)
        print(
            f"{title:12} {name:18} median {1000 * statistics.median(seconds):4.0f} ms, 95% {1000 * worst:4.0f} ms, "
            f"{answers[0][2] / 1000:4.0f} KB, {failed} failed",
            flush=True,
        )


def write(store: str, number: int) -> None:
    """Add a batch every second until the process ends."""
    monitor = Monitor(store)
    while True:
        rows: dict[str, Any] = without_labels(make_rows(500, 50, time.time_ns() % 2**32))
        monitor.add(rows, id=f"writer {number}, {time.time_ns()}")
        time.sleep(1.0)


@contextmanager
def writing(store: Path) -> Iterator[None]:
    """Let two programs add a batch each second."""
    command = [sys.executable, "-m", "benchmarks.dashboard", "write", str(store)]
    programs = [subprocess.Popen([*command, str(number)]) for number in range(WRITERS)]
    time.sleep(COMPILING)
    yield
    for program in programs:
        program.kill()
        program.wait()


def crowd(port: int) -> None:
    """Let many browsers ask for pages for a minute, and print how many answers there were."""
    results: list[tuple[float, int]] = []
    stop = time.perf_counter() + SECONDS

    def browse(place: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        paths = [*PAGES.values()]
        for step in range(10_000):
            if time.perf_counter() > stop:
                return
            try:
                seconds, status, _ = ask(connection, paths[(place + step) % len(paths)])
            except (OSError, http.client.HTTPException):
                seconds, status = 0.0, 0
                connection.close()
            results.append((seconds, status))

    threads = [threading.Thread(target=browse, args=(place,)) for place in range(BROWSERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    failed = sum(status != 200 for _, status in results)
    median = statistics.median(seconds for seconds, _ in results)
    print(f"{BROWSERS} browsers for {SECONDS:.0f} s: {len(results):,} answers, {failed} failed, median {median:.2f} s")


def main() -> None:
    """Measure idle, with writers, and with a crowd."""
    store = Path(tempfile.gettempdir()) / "shiftproof-bench-dashboard.db"
    if not store.is_file():
        print(f"filling a store with {BATCHES:,} batches of 50 columns", flush=True)
        fill(store, batches=BATCHES)
    with serving(store) as port:
        measure(port, "idle")
        crowd(port)
        with writing(store):
            measure(port, "two writers")


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        write(sys.argv[2], int(sys.argv[3]))
    else:
        main()
