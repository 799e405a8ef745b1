"""A run gives the same tables whatever happens to it on the way."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.experiments._toy import LOG, TOY, WAIT, toy_cells

from shiftproof.core import InputError
from shiftproof.experiments import CellProgress, DataSources, _runner, reproduce
from shiftproof.experiments._experiment import Scope
from shiftproof.experiments._runner import run_cells
from shiftproof.experiments._store import CellStore

ROOT = Path(__file__).resolve().parents[2]
ALL_RUNS = Counter({f"{name} {seed}": 1 for name in ("a", "bb", "ccc") for seed in (0, 1)})


def tables(out: Path, folder: str = "toy") -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((out / folder).iterdir()) if path.suffix in (".csv", ".md")}


@pytest.fixture
def expected(tmp_path: Path) -> dict[str, bytes]:
    """The tables of a run in this process."""
    reproduce(TOY, DataSources(), tmp_path / "plain")
    return tables(tmp_path / "plain")


def start(out: Path, log: Path, wait: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, LOG: str(log), WAIT: wait, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, "-m", "tests.experiments._toy", str(out), "1"]
    return subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)  # noqa: S603 - our own program


def test_a_killed_run_resumes_to_the_same_tables(tmp_path: Path, expected: dict[str, bytes]) -> None:
    out, log = tmp_path / "killed", tmp_path / "log"
    first = start(out, log, "0.3")
    end = time.monotonic() + 60
    while len(list((out / "cells").glob("*.parquet"))) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    os.killpg(first.pid, signal.SIGKILL)
    assert first.wait() == -signal.SIGKILL
    kept = len(list((out / "cells").glob("toy-rows-*.parquet")))
    assert 0 < kept < len(ALL_RUNS)
    assert start(out, log, "0").wait() == 0
    assert tables(out) == expected
    # Only the cell that was running when the program was killed ran again.
    runs = Counter(log.read_text(encoding="utf-8").split("\n")[:-1])
    assert runs.keys() == ALL_RUNS.keys()
    assert len(ALL_RUNS) <= runs.total() <= len(ALL_RUNS) + 1


@pytest.mark.parametrize(
    ("workers", "backend"), [(2, "loky"), (2, "threading"), (2, "multiprocessing"), (1, "sequential")]
)
def test_tables_do_not_depend_on_workers_or_backend(
    tmp_path: Path, expected: dict[str, bytes], workers: int, backend: str
) -> None:
    reproduce(TOY, DataSources(), tmp_path / "other", workers=workers, backend=backend)
    assert tables(tmp_path / "other") == expected


def test_cells_run_on_a_cluster_that_is_named(
    tmp_path: Path, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    connected: list[str] = []

    @contextmanager
    def cluster(address: str) -> Iterator[None]:
        connected.append(address)
        yield

    def on_cluster(client: object, work: Callable[..., Any], tasks: list[tuple[Any, ...]]) -> Iterator[Any]:
        assert client == "client"
        # As a real cluster: cells and data sets are sent as bytes.
        yield from (work(*pickle.loads(pickle.dumps(task))) for task in tasks)  # noqa: S301 - our own bytes

    monkeypatch.setattr(_runner, "cluster", cluster)
    monkeypatch.setattr(_runner, "cluster_client", lambda: "client")
    monkeypatch.setattr(_runner, "on_cluster", on_cluster)
    reproduce(TOY, DataSources(), tmp_path / "far", backend="dask://10.0.0.5:8786")
    assert connected == ["dask://10.0.0.5:8786"]
    assert tables(tmp_path / "far") == expected


def test_tables_do_not_depend_on_the_order_of_cells(tmp_path: Path) -> None:
    cells = toy_cells(Scope(2))
    store = CellStore(tmp_path / "cells")
    forward = run_cells(cells, DataSources(), store)
    for cell in reversed(cells):
        run_cells([cell], DataSources(), CellStore(tmp_path / "backward"))
    backward = run_cells(cells, DataSources(), CellStore(tmp_path / "backward"))
    for part, rows in forward.items():
        pd.testing.assert_frame_equal(rows, backward[part], check_exact=True)


def test_a_finished_run_computes_nothing_and_counts_nothing_twice(
    tmp_path: Path, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    monkeypatch.setenv(LOG, str(log))
    reproduce(TOY, DataSources(), tmp_path / "again", seeds=3)
    log.unlink()
    # Fewer seeds than are kept: the others are not read.
    reproduce(TOY, DataSources(), tmp_path / "again", seeds=2)
    assert not log.exists()
    assert tables(tmp_path / "again") == expected


def test_a_file_that_was_cut_off_is_computed_again(tmp_path: Path, expected: dict[str, bytes]) -> None:
    out = tmp_path / "plain"
    broken = next((out / "cells").glob("toy-rows-*.parquet"))
    broken.write_bytes(broken.read_bytes()[:100])
    (out / "cells" / "left.part").write_bytes(b"half")
    os.utime(out / "cells" / "left.part", (0, 0))
    reproduce(TOY, DataSources(), out)
    assert tables(out) == expected
    assert not list((out / "cells").glob("*.part"))


def test_progress_counts_what_is_there_and_says_how_long_it_takes(tmp_path: Path) -> None:
    seen: list[CellProgress] = []
    reproduce(TOY, DataSources(), tmp_path, seeds=1, on_progress=seen.append)
    assert [each.done for each in seen] == list(range(7))
    assert (seen[0].name, seen[0].seconds_left, seen[0].total) == ("", None, 6)
    # The longest first.
    assert seen[1].name == "toy-rows-ccc-0"
    assert seen[-1].seconds_left == 0
    seen.clear()
    reproduce(TOY, DataSources(), tmp_path, seeds=2, on_progress=seen.append)
    assert (seen[0].done, seen[0].total) == (6, 9)


def test_quick_has_tables_of_its_own(tmp_path: Path, expected: dict[str, bytes]) -> None:
    reproduce(TOY, DataSources(), tmp_path / "plain", quick=True)
    assert tables(tmp_path / "plain") == expected
    assert b"| a |" in tables(tmp_path / "plain", "toy-quick")["tables.md"]


def test_unknown_backend_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        reproduce(TOY, DataSources(), tmp_path, backend="clouds")
    assert str(caught.value).startswith(
        "--backend must be dask://HOST:PORT or a backend of joblib, got 'clouds'; available: 'threading'"
    )


def test_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError) as caught:
        reproduce(TOY, DataSources(), tmp_path / "file" / "out")
    assert str(caught.value).startswith("--out must be a folder that can be written to, got '/")
    assert str(caught.value).endswith("; choose another.")


def test_run_file_says_what_was_run(tmp_path: Path) -> None:
    import json

    found = reproduce(TOY, DataSources(), tmp_path)
    run: dict[str, Any] = json.loads((found.folder / "run.json").read_text(encoding="utf-8"))
    assert (run["experiment"], run["seeds"], run["cells"], run["quick"]) == ("toy", 2, 9, False)
    assert found.seconds > 0
    assert found.reference_fits > 0
