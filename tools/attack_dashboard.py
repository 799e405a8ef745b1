"""Send random requests to every address of a dashboard: none may be a server error.

schemathesis makes them from the schema of the dashboard, in an environment of its own. The store is a small one in a
folder of its own, which the requests may change: they know the token.
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np

import shiftproof as sp

# For each address; there are about twenty.
_CASES = 60
_TOKEN = secrets.token_urlsafe(24)


def make_store(place: Path) -> None:
    """Create a monitor with a few batches, of which the last is shifted."""
    rng = np.random.default_rng(0)

    def rows(shift: float) -> dict[str, object]:
        age = rng.normal(40 + shift, 10, 300)
        p = 1 / (1 + np.exp((40 - age) / 5))
        return {"age": age, "job": rng.choice(["a", "b"], 300), "p": p, "y": np.where(rng.random(300) < p, "yes", "no")}

    monitor = sp.Monitor(place, sp.Baseline.of(rows(0.0), scores="p", labels="y"))
    for day, shift in enumerate((0.0, 0.0, 20.0)):
        batch = rows(shift)
        del batch["y"]
        monitor.add(batch, at=f"2024-03-0{day + 1}", id=f"day {day}")


def main() -> int:
    """Serve, attack, and return the status of schemathesis, whose path is on the command line."""
    schemathesis = str(Path(sys.argv[1]).absolute())
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        free.close()
        store = Path(folder) / "monitor.db"
        make_store(store)
        serve = [sys.executable, "-m", "shiftproof", "monitor", "serve", str(store), "--write", "--port", str(port)]
        address = f"http://127.0.0.1:{port}"
        environment = os.environ | {"SHIFTPROOF_TOKEN": _TOKEN}
        with subprocess.Popen(serve, stderr=subprocess.DEVNULL, env=environment) as server:
            try:
                _wait(address)
                # The address that browsers listen to never ends.
                attack = [schemathesis, "run", f"{address}/openapi.json", "--checks", "not_a_server_error"]
                options = ["--exclude-path", "/events", "--max-examples", str(_CASES), "--continue-on-failure"]
                known = ["--seed", "1", "-H", f"Authorization: Bearer {_TOKEN}"]
                return subprocess.run([*attack, *options, *known], check=False, cwd=folder).returncode
            finally:
                server.terminate()


def _wait(address: str) -> None:
    for _ in range(60):
        try:
            urllib.request.urlopen(f"{address}/readyz", timeout=5).close()  # noqa: S310 - our own server
        except OSError:
            time.sleep(0.5)
        else:
            return
    raise SystemExit("the dashboard did not start")


if __name__ == "__main__":
    sys.exit(main())
