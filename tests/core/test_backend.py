"""Work on a cluster, which a stand-in plays here; tests/engines/test_dask.py tries a real one."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from types import ModuleType, SimpleNamespace
from typing import Any

import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

from shiftproof.core import InputError, cluster, cluster_client, on_cluster, own_tasks_only
from shiftproof.core import _backend as backend

AT = "tcp://10.0.0.5:8786"


class CommClosedError(OSError):
    """As Dask's."""


class KilledWorker(Exception):  # noqa: N818 - Dask's name
    """As Dask's."""


class Future:
    """A call that is done when somebody asks for it."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call

    def exception(self, timeout: float) -> BaseException | None:
        assert timeout > 0
        try:
            self._call()
        except TimeoutError:
            raise
        except Exception as error:
            return error
        return None

    def result(self) -> Any:
        return self._call()


class Client:
    """A cluster of one worker in this process."""

    def __init__(self, *_: object, versions: dict[str, dict[str, str]] | None = None, **__: object) -> None:
        self.scheduler: SimpleNamespace | None = SimpleNamespace(address=AT)
        self.versions, self.threads, self.sent, self.cancelled = versions, {"worker": 1}, 0, 0

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.scheduler = None

    def run(self, ask: Callable[[], dict[str, str]]) -> dict[str, dict[str, str]]:
        return {"worker": ask()} if self.versions is None else self.versions

    def nthreads(self) -> dict[str, int]:
        return self.threads

    def scatter(self, value: Any, *, broadcast: bool, hash: bool) -> Any:  # noqa: A002 - Dask's name
        assert broadcast
        assert not hash
        self.sent += 1
        return value

    def submit(self, call: Callable[..., Any], *values: Any, pure: bool) -> Future:
        assert not pure
        return Future(lambda: call(*values))

    def cancel(self, futures: list[Any], *, force: bool) -> None:
        assert force
        self.cancelled += len(futures)


@pytest.fixture
def dask(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Put a stand-in where Dask would be."""
    modules = {name: ModuleType(name) for name in ("distributed", "distributed.comm", "distributed.scheduler")}
    modules["distributed"].Client = Client  # type: ignore[attr-defined]
    modules["distributed.comm"].CommClosedError = CommClosedError  # type: ignore[attr-defined]
    modules["distributed.scheduler"].KilledWorker = KilledWorker  # type: ignore[attr-defined]
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return modules["distributed"]


def add(table: Any, number: int) -> float:
    return float(table.sum()) + number


def test_results_come_in_the_order_of_the_tasks(dask: ModuleType) -> None:
    client, table = dask.Client(), np.arange(4.0)
    assert list(on_cluster(client, add, [(table, number) for number in range(3)])) == [6.0, 7.0, 8.0]
    # The table once, and at the end everything is removed.
    assert (client.sent, client.cancelled) == (1, 4)


def test_without_an_address_all_stays_here() -> None:
    with cluster(None):
        assert cluster_client() is None


def test_cluster_is_used_within_the_block(dask: ModuleType) -> None:
    with cluster("dask://10.0.0.5:8786"):
        client = cluster_client()
        assert isinstance(client, dask.Client)
        with own_tasks_only():
            assert cluster_client() is client
    assert cluster_client() is None
    assert client.scheduler is None


def test_joblib_names_the_cluster_too(dask: ModuleType) -> None:
    class DaskDistributedBackend(joblib.parallel.ThreadingBackend):  # type: ignore[misc]
        client = dask.Client()

    with joblib.parallel_config(backend=DaskDistributedBackend()):
        assert cluster_client() is DaskDistributedBackend.client
        with own_tasks_only():
            # Our tasks go there, and scikit-learn's stay here.
            assert cluster_client() is DaskDistributedBackend.client
            active, n_jobs = joblib.parallel.get_active_backend()
            assert (type(active).__name__, n_jobs) == ("ThreadingBackend", 1)
    assert cluster_client() is None


@pytest.mark.parametrize(
    "address", ["10.0.0.5:8786", "dask://10.0.0.5", "dask://10.0.0.5:", "spark://a:1", "dask:/a:1"]
)
def test_address_must_be_one(address: str) -> None:
    with pytest.raises(InputError) as caught, cluster(address):
        pass
    assert str(caught.value) == (
        f"backend must be an address such as dask://10.0.0.5:8786, got {address!r}; "
        "begin it with 'dask://', 'dask+tls://' or 'tls://'."
    )


def test_dask_must_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError) as caught, cluster("dask://10.0.0.5:8786"):
        pass
    assert str(caught.value) == (
        "a Dask cluster needs the package 'distributed'; run pip install '.[dask]' in a checkout of shiftproof."
    )


@pytest.mark.parametrize(
    ("scheme", "more"),
    [("dask", ""), ("dask+tls", "; set the certificates in Dask's configuration")],
    ids=["tcp", "tls"],
)
def test_scheduler_must_answer(dask: ModuleType, scheme: str, more: str) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise TimeoutError("no answer")

    dask.Client = refuse  # type: ignore[attr-defined]
    with pytest.raises(InputError) as caught, cluster(f"{scheme}://10.0.0.5:8786"):
        pass
    assert str(caught.value) == (
        f"backend must name a scheduler that answers, got '{scheme}://10.0.0.5:8786'; "
        f"check the host and port, or start it with: dask scheduler{more}."
    )


def test_cluster_must_have_workers(dask: ModuleType) -> None:
    with pytest.raises(InputError) as caught:
        list(on_cluster(dask.Client(versions={}), add, []))
    assert str(caught.value) == f"the cluster {AT} has no workers; start some with: dask worker {AT}."


@pytest.mark.parametrize(("version", "got"), [("1.0.1", "scikit-learn 1.0.1"), ("", "no scikit-learn")])
def test_workers_must_have_the_same_versions(dask: ModuleType, version: str, got: str) -> None:
    here = backend._asker()()
    client = dask.Client(versions={"a": here, "b": here | {"scikit-learn": version}})
    with pytest.raises(InputError) as caught:
        list(on_cluster(client, add, []))
    assert str(caught.value) == (
        f"workers must have the same versions as this machine, scikit-learn {here['scikit-learn']}; b has {got}; "
        "install the same version there."
    )


def test_package_that_is_absent_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    assert backend._asker()()["scikit-learn"] == ""


def raising(error: BaseException) -> Callable[[int], None]:
    def work(_: int) -> None:
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (CancelledError(), f"the cluster {AT} was lost before the work was done; start it, then run this again."),
        (
            KilledWorker(),
            f"several workers of {AT} died during the same fit; give workers more memory, or fewer threads each.",
        ),
        (
            ModuleNotFoundError("No module named 'mine'"),
            f'workers of {AT} cannot load the code or data sent to them: ModuleNotFoundError("No module named '
            "'mine'\"); install your own modules on the workers.",
        ),
    ],
    ids=["lost", "killed", "not loaded"],
)
def test_cluster_that_fails(dask: ModuleType, error: Exception, sentence: str) -> None:
    client = dask.Client()
    with pytest.raises(InputError) as caught:
        list(on_cluster(client, raising(error), [(1,)]))
    assert str(caught.value) == sentence
    assert client.cancelled == 1


def test_error_of_the_work_is_its_own(dask: ModuleType) -> None:
    with pytest.raises(OSError, match="no such disk"):
        list(on_cluster(dask.Client(), raising(OSError("no such disk")), [(1,)]))


def test_without_any_worker_left_nobody_waits(dask: ModuleType) -> None:
    client, asked = dask.Client(), []

    def work(_: int) -> None:
        # The second look finds no worker.
        asked.append(1)
        if len(asked) == 2:
            client.threads = {}
        raise TimeoutError("not yet")

    with pytest.raises(InputError, match="was lost before the work was done"):
        list(on_cluster(client, work, [(1,)]))
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (CommClosedError("gone"), "was lost before the work was done"),
        (
            Exception("ModuleNotFoundError('mine')"),
            r"cannot load the code or data sent to them: ModuleNotFoundError\('mine'\)",
        ),
    ],
    ids=["lost", "not loaded"],
)
def test_data_that_cannot_be_sent(dask: ModuleType, error: Exception, sentence: str) -> None:
    client, table = dask.Client(), np.ones(3)
    client.scatter = lambda *_, **__: raising(error)(0)
    with pytest.raises(InputError, match=sentence):
        list(on_cluster(client, add, [(table, 1), (table, 2)]))


def test_linear_algebra_stays_at_one_thread_until_the_last_task_is_done() -> None:
    def threads() -> set[int]:
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

    before, other_runs, may_end = threads(), threading.Event(), threading.Event()

    def other() -> None:
        with backend._BLAS.held():
            other_runs.set()
            may_end.wait(10)

    thread = threading.Thread(target=other)
    with backend._BLAS.held():
        thread.start()
        assert other_runs.wait(10)
    # This one is done, the other is not.
    assert threads() == {1}
    may_end.set()
    thread.join()
    assert threads() == before
