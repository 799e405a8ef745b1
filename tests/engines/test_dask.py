"""Fits on a Dask cluster: the same results as here, however many workers, and one sentence if they cannot be had."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from tests.experiments._toy import TOY

import shiftproof as sp
from shiftproof import InputError
from shiftproof.cli import main
from shiftproof.core import _backend as backend
from shiftproof.core import cluster, on_cluster
from shiftproof.experiments import DataSources, reproduce

distributed = pytest.importorskip("distributed", reason="make engines installs Dask")
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 4))
Y = (X[:, 0] + RNG.normal(size=400) > 0).astype(int)
X_NEW = RNG.normal(0.2, 1, size=(200, 4))
# Where workers find the model of this file.
_WITH_TESTS = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
SIDES = ("here", "there")
_TIMED = ("stages", "made", "summary", "seconds")


class Slow(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fits slowly enough to lose a cluster meanwhile."""

    def fit(self, X: Any, y: Any) -> Slow:  # noqa: ARG002 - as models are fitted
        time.sleep(1.0)
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), 2), 0.5)


def facts(result: Any) -> Any:
    """Return all figures of a result, without times."""
    return _without_times(result.to_dict())


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_times(one) for key, one in value.items() if key not in _TIMED}
    return [_without_times(one) for one in value] if isinstance(value, list) else value


def address_of(local: Any) -> str:
    return str(local.scheduler_address).replace("tcp://", "dask://")


def local_cluster(workers: int, threads: int) -> Any:
    """Start a cluster on this machine, without its web page."""
    return distributed.LocalCluster(n_workers=workers, threads_per_worker=threads, dashboard_address=":0")


@pytest.fixture(scope="module")
def two_workers() -> Iterator[Any]:
    with local_cluster(2, 2) as local:
        yield local


@pytest.fixture
def models() -> dict[str, Any]:
    return dict(sp.default_models(only=["lr", "forest", "svm"]))


def test_audit_is_the_same_bit_for_bit_on_any_number_of_workers(two_workers: Any, models: dict[str, Any]) -> None:
    here = facts(sp.audit(models, X, Y, X_NEW, quick=True, progress=False))
    with cluster(address_of(two_workers)):
        assert facts(sp.audit(models, X, Y, X_NEW, quick=True, progress=False)) == here
    with local_cluster(1, 1) as one, cluster(address_of(one)):
        assert facts(sp.audit(models, X, Y, X_NEW, quick=True, progress=False)) == here


def test_joblib_chooses_the_cluster_as_well(two_workers: Any, models: dict[str, Any]) -> None:
    here = facts(sp.select(models, X, Y, X_NEW))
    with distributed.Client(two_workers), joblib.parallel_config(backend="dask"):
        assert facts(sp.select(models, X, Y, X_NEW)) == here


def test_other_verbs_give_the_same(two_workers: Any) -> None:
    lr = sp.default_models(only=["lr", "tree"])
    when = np.arange(400) // 50
    verbs: list[Callable[[], Any]] = [
        lambda: sp.evaluate(lr, X, Y),
        lambda: sp.stress(lr, X, Y, families=["prior", "offset"], bootstraps=20),
        lambda: sp.backtest(lr, X, Y, when),
        lambda: sp.quantify(lr, X, Y, X_NEW),
    ]
    for verb in verbs:
        here = facts(verb())
        with cluster(address_of(two_workers)):
            assert facts(verb()) == here


def test_experiments_give_the_same_tables(two_workers: Any, tmp_path: Path) -> None:
    reproduce(TOY, DataSources(), tmp_path / "here")
    reproduce(TOY, DataSources(), tmp_path / "there", backend=address_of(two_workers))
    here, there = ({path.name: path.read_bytes() for path in (tmp_path / side / "toy").glob("*.csv")} for side in SIDES)
    assert here == there
    assert len(here) > 0


def test_shared_data_are_sent_once_and_removed_afterwards(two_workers: Any) -> None:
    table = np.arange(200_000.0)
    with distributed.Client(two_workers) as client:
        tasks = [(table, part) for part in range(6)]
        sent = backend._scattered(client, tasks)
        assert list(sent) == [id(table)]
        assert len(client.who_has(sent[id(table)])[sent[id(table)].key]) == 2
        del sent
        assert list(on_cluster(client, _sum_of_part, tasks)) == [_sum_of_part(table, part) for part in range(6)]
        _until(lambda: not client.has_what() or not any(client.has_what().values()))


def _sum_of_part(table: Any, part: int) -> float:
    return float(table[part::6].sum())


def test_every_thread_of_a_worker_uses_one_core(two_workers: Any) -> None:
    with distributed.Client(two_workers) as client:
        counts = list(on_cluster(client, _threads_in_use, [(0.2,)] * 8))
    assert {count for of_task in counts for count in of_task} == {1}


def _threads_in_use(seconds: float) -> list[int]:
    from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

    np.ones((50, 50)) @ np.ones((50, 50))
    time.sleep(seconds)  # so that tasks begin and end while others run
    return [library["num_threads"] for library in threadpool_info()]


def test_what_the_work_raises_comes_through(two_workers: Any) -> None:
    with distributed.Client(two_workers) as client, pytest.raises(OSError, match="no such disk"):
        list(on_cluster(client, _fail, [(1,), (2,)]))


def _fail(number: int) -> None:
    raise OSError(f"no such disk {number}")


def test_command_line_gives_the_same(two_workers: Any, tmp_path: Path) -> None:
    table = pd.DataFrame(X, columns=list("abcd")).assign(label=Y)
    table.to_csv(tmp_path / "old.csv", index=False)
    files = [str(tmp_path / "old.csv"), "--target", "label", "--models", "lr,nb", "--json"]
    for more in (["here.json"], ["there.json", "--backend", address_of(two_workers)]):
        with pytest.raises(SystemExit) as ended:
            main(["evaluate", *files, str(tmp_path / more[0]), *more[1:]])
        assert ended.value.code == 0
    here, there = (pd.read_json(tmp_path / f"{name}.json", typ="series") for name in ("here", "there"))
    assert _without_times(here.to_dict()) == _without_times(there.to_dict())


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def test_scheduler_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "_ANSWERS", 0.5)
    address = f"dask://127.0.0.1:{_free_port()}"
    with pytest.raises(InputError) as caught, cluster(address):
        pass
    assert str(caught.value) == (
        f"backend must name a scheduler that answers, got {address!r}; "
        "check the host and port, or start it with: dask scheduler."
    )


def test_certificates_that_nobody_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "_ANSWERS", 0.5)
    address = f"dask+tls://127.0.0.1:{_free_port()}"
    with pytest.raises(InputError) as caught, cluster(address):
        pass
    assert str(caught.value) == (
        f"backend must name a scheduler that answers, got {address!r}; "
        "check the host and port, or start it with: dask scheduler; set the certificates in Dask's configuration."
    )


def test_cluster_without_workers() -> None:
    with local_cluster(0, 1) as empty:
        with pytest.raises(InputError) as caught, cluster(address_of(empty)):
            pass
        at = empty.scheduler_address
        assert str(caught.value) == f"the cluster {at} has no workers; start some with: dask worker {at}."


@pytest.mark.parametrize(("version", "got"), [("0.0.1", "shiftproof 0.0.1"), ("", "no shiftproof")])
def test_workers_with_another_version(
    two_workers: Any, monkeypatch: pytest.MonkeyPatch, version: str, got: str
) -> None:
    asked = backend._asker()
    workers = [lambda: asked() | {"shiftproof": version}, asked]
    monkeypatch.setattr(backend, "_asker", lambda: workers.pop(0))
    with pytest.raises(InputError) as caught, cluster(address_of(two_workers)):
        pass
    worker = min(two_workers.scheduler.workers)
    assert str(caught.value) == (
        f"workers must have the same versions as this machine, shiftproof {sp.__version__}; {worker} has {got}; "
        "install the same version there."
    )


def test_workers_without_shiftproof_can_be_asked(tmp_path: Path) -> None:
    """A worker that starts in an empty folder, without the sources on its path."""
    with Processes(tmp_path, PYTHONPATH=str(tmp_path)) as (address, _):
        there = distributed.Client(address.replace("dask", "tcp"))
        with there:
            found = there.run(backend._asker())
    assert [set(one) for one in found.values()] == [{"Python", "shiftproof", "scikit-learn", "NumPy"}]


def test_models_that_workers_do_not_have(tmp_path: Path) -> None:
    """`Slow` is in a module that pytest imported, and that the worker cannot."""
    with Processes(tmp_path) as (address, _), cluster(address), pytest.raises(InputError) as caught:
        sp.cross_fit(Slow(), X, Y, cv=2)
    at = address.replace("dask", "tcp")
    assert str(caught.value) == (
        f'workers of {at} cannot load the code or data sent to them: ModuleNotFoundError("No module named '
        "'tests'\"); install your own modules on the workers."
    )


class Processes:
    """A scheduler and a worker in processes of their own, which tests may end."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self._folder, self._environment, self._port = folder, os.environ | environment, _free_port()
        self._started: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> tuple[str, list[subprocess.Popen[bytes]]]:
        at = f"tcp://127.0.0.1:{self._port}"
        commands = (
            ["scheduler", "--host", "127.0.0.1", "--port", str(self._port), "--dashboard-address", ":0"],
            ["worker", at, "--nthreads", "1", "--no-nanny", "--no-dashboard"],
        )
        for command in commands:
            call = [sys.executable, "-m", "distributed.cli.dask_" + command[0], *command[1:]]
            with (self._folder / "log").open("ab") as log:
                started = subprocess.Popen(call, cwd=self._folder, env=self._environment, stdout=log, stderr=log)  # noqa: S603
            self._started.append(started)
        with distributed.Client(at, timeout=60) as client:
            client.wait_for_workers(1, timeout=60)
        return at.replace("tcp", "dask"), self._started

    def __exit__(self, *_: object) -> None:
        for process in self._started:
            process.kill()
            process.wait()


@pytest.mark.parametrize("which", [0, 1], ids=["scheduler", "workers"])
def test_cluster_that_dies_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, which: int) -> None:
    monkeypatch.setattr(backend, "_LOOK", 0.5)
    with Processes(tmp_path, PYTHONPATH=_WITH_TESTS) as (address, processes):
        at = address.replace("dask", "tcp")
        timer = threading.Timer(3, lambda: processes[which].send_signal(signal.SIGKILL))
        with cluster(address):
            timer.start()
            with pytest.raises(InputError) as caught:
                sp.cross_fit({"slow": Slow(), "lr": LogisticRegression()}, X, Y, cv=10)
    assert str(caught.value) == f"the cluster {at} was lost before the work was done; start it, then run this again."


def _until(done: Any) -> None:
    for _ in range(100):
        if done():
            return
        time.sleep(0.1)
    raise AssertionError("not done within ten seconds")
