"""Run the recipes of `examples` for real, each on a small monitor of its own.

Usage::

    python tools/try_integrations.py .venv [only...]

The first argument is the environment with shiftproof. Those of Prefect, Dagster, Airflow and actionlint stand beside
it: ``.venv-prefect`` and so on; `make integrations` makes them. Each recipe gets two days of the bank's calls, of which
the second raises an alarm, and a webhook. It must add both days, send one alert, and change nothing when it runs again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import shiftproof as sp

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
DAYS = ("2024-03-01", "2024-03-02")
Run = Callable[[Path, Path, dict[str, str], tuple[str, ...]], None]


@contextmanager
def webhook() -> Iterator[tuple[str, list[str]]]:
    """Run a receiver; yield its address and the ids that it has received."""
    received: list[str] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            """Accept everything."""
            self.rfile.read(int(self.headers["content-length"]))
            received.append(self.headers["webhook-id"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", received
    server.shutdown()
    server.server_close()


def make_monitor(folder: Path) -> None:
    """Write a store and two days of calls: the first like the reference, the second of a later month."""
    calls = sp.load_demo().drop(columns=["month", "day"])
    past = calls[calls["t"] < "2008-08-01"].sample(frac=1, random_state=0).reset_index(drop=True)
    features = list(past.columns.drop(["label", "t"]))
    model = sp.default_models(only=["lr"])["lr"].fit(past[features][:6000], past["label"][:6000])
    later = calls[calls["t"].between("2008-08-01", "2008-08-31")]
    scored = {
        name: rows[features].assign(p=model.predict_proba(rows[features])[:, 1])
        for name, rows in (("reference", past[6000:12000]), (DAYS[0], past[12000:13000]), (DAYS[1], later))
    }
    reference = scored["reference"].assign(label=past["label"][6000:12000]).reset_index(drop=True)
    sp.Monitor(folder / "calls.db", sp.Baseline.of(reference, scores="p", labels="label"))
    (folder / "incoming").mkdir()
    for day in DAYS:
        scored[day].to_csv(folder / "incoming" / f"{day}.csv", index=False)


def run(*words: str | Path, cwd: Path, environment: dict[str, str]) -> None:
    """Run a program; print what it printed only if it fails."""
    done = subprocess.run(
        list(map(str, words)), cwd=cwd, env=environment, capture_output=True, encoding="utf-8", check=False, timeout=900
    )
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n")
        raise SystemExit(f"{' '.join(map(str, words[:3]))} ... exited with status {done.returncode}")


def shell(venv: Path, folder: Path, environment: dict[str, str], _: tuple[str, ...]) -> None:
    """Run the script that cron and systemd start."""
    path = f"{venv / 'bin'}{os.pathsep}{environment['PATH']}"
    words = ("calls.db", "incoming", "page.html")
    run(EXAMPLES / "nightly.sh", *words, cwd=folder, environment=environment | {"PATH": path})
    if not (folder / "page.html").exists():
        raise SystemExit("there is no page")


def prefect(venv: Path, folder: Path, environment: dict[str, str], days: tuple[str, ...]) -> None:
    """Run both flows."""
    program = f"""
import shiftproof_monitor as recipe
for day in {days!r}:
    recipe.nightly(day)
assert recipe.deliver_alerts() == 0
"""
    own = {"PYTHONPATH": str(EXAMPLES / "prefect"), "PREFECT_HOME": str(folder / "home"), "DO_NOT_TRACK": "1"}
    # Its server takes longer to start on a busy machine than Prefect waits for it.
    own["PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"] = "180"
    own["PREFECT_SERVER_ANALYTICS_ENABLED"] = "false"
    python = venv.with_name(f"{venv.name}-prefect") / "bin" / "python"
    run(python, "-c", program, cwd=folder, environment=environment | own)


def dagster(venv: Path, folder: Path, environment: dict[str, str], days: tuple[str, ...]) -> None:
    """Load all definitions, materialise both days with their check, and run the job that delivers."""
    program = f"""
import dagster as dg
import shiftproof_monitor as recipe
dg.Definitions.validate_loadable(recipe.defs)
with dg.DagsterInstance.ephemeral() as instance:
    for day in {days!r}:
        done = dg.materialize([recipe.monitored_batch, recipe.no_open_incident], partition_key=day, instance=instance)
        assert done.success
        # The second day raises the alarm.
        assert [check.passed for check in done.get_asset_check_evaluations()] == [day == {DAYS[0]!r}]
    assert recipe.deliver_alerts.execute_in_process(instance=instance).success
"""
    (folder / "home").mkdir(exist_ok=True)
    own = {"PYTHONPATH": str(EXAMPLES / "dagster"), "DAGSTER_HOME": str(folder / "home"), "DO_NOT_TRACK": "1"}
    python = venv.with_name(f"{venv.name}-dagster") / "bin" / "python"
    run(python, "-c", program, cwd=folder, environment=environment | own)


def airflow(venv: Path, folder: Path, environment: dict[str, str], days: tuple[str, ...]) -> None:
    """Run the DAG for each day."""
    own = {
        "AIRFLOW_HOME": str(folder / "home"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(EXAMPLES / "airflow"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "SHIFTPROOF": str(venv / "bin" / "shiftproof"),
    }
    program = venv.with_name(f"{venv.name}-airflow") / "bin" / "airflow"
    if not (folder / "home").exists():
        run(program, "db", "migrate", cwd=folder, environment=environment | own)
    for day in days:
        run(program, "dags", "test", "shiftproof_monitor", day, cwd=folder, environment=environment | own)


def check_workflow(venv: Path) -> None:
    """Let actionlint read the workflow of GitHub Actions."""
    package = venv.with_name(f"{venv.name}-actionlint") / "package"
    workflow = EXAMPLES / "github-actions" / "shiftproof-monitor.yml"
    program = f"""
import {{ createLinter }} from "{package}/node.mjs";
import {{ readFileSync }} from "node:fs";
const lint = await createLinter();
const faults = lint(readFileSync("{workflow}", "utf8"), ".github/workflows/shiftproof-monitor.yml");
for (const fault of faults) console.log(`line ${{fault.line}}: ${{fault.message}}`);
process.exit(faults.length ? 1 : 0);
"""
    run("node", "--input-type=module", "-e", program, cwd=EXAMPLES, environment=dict(os.environ))


RECIPES: dict[str, Run] = {"shell": shell, "prefect": prefect, "dagster": dagster, "airflow": airflow}


def try_recipe(name: str, venv: Path, made: Path) -> None:
    """Run a recipe, and the last day again; check what became of its monitor."""
    with tempfile.TemporaryDirectory() as place, webhook() as (address, received):
        folder = Path(shutil.copytree(made, Path(place) / "monitor"))
        sp.Monitor(folder / "calls.db").alerts.add(sp.alerts.Webhook(url=address))
        own = {"SHIFTPROOF_STORE": str(folder / "calls.db"), "SHIFTPROOF_INCOMING": str(folder / "incoming")}
        for days in (DAYS, DAYS[1:]):
            RECIPES[name](venv, folder, os.environ | own, days)
        status = sp.Monitor(folder / "calls.db").status()
        days = [f"{line.batch.at:%Y-%m-%d}" for line in status.recent]
        if days != list(DAYS) or len(received) != 1 or status.waiting_alerts:
            raise SystemExit(f"{name}: batches {days}, {len(received)} alerts, {len(status.waiting_alerts)} wait")
    print(f"{name}: two batches added once, one alert")


def main() -> None:
    """Try all recipes, or those that are named."""
    venv, names = Path(sys.argv[1]).absolute(), sys.argv[2:] or [*RECIPES, "actionlint"]
    with tempfile.TemporaryDirectory() as place:
        made = Path(place)
        make_monitor(made)
        for name in names:
            if name == "actionlint":
                check_workflow(venv)
                print("actionlint: the workflow is valid")
            else:
                try_recipe(name, venv, made)


if __name__ == "__main__":
    main()
