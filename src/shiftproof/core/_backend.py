"""Work on more machines: a Dask cluster does the tasks of `run_all`, each on one core, with the same results."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

from shiftproof.core._checks import fault
from shiftproof.core._errors import InputError
from shiftproof.core._format import listed
from shiftproof.core._threads import let_this_thread_set_limits, one_thread

# Seconds until a scheduler must answer, and between two looks at whether workers are left.
_ANSWERS, _LOOK = 10.0, 5.0
#: How an address begins, and how Dask writes that.
SCHEMES = {"dask://": "tcp://", "dask+tls://": "tls://", "tls://": "tls://"}

_CLIENT: ContextVar[Any] = ContextVar("client", default=None)


@contextmanager
def cluster(address: str | None) -> Iterator[None]:
    """Let a Dask cluster do what verbs would do in parallel here.

    Parameters
    ----------
    address : str or None
        Of the scheduler, such as ``dask://10.0.0.5:8786``; ``dask+tls://`` or ``tls://`` for one with certificates,
        which Dask's own settings name. None leaves everything on this machine.

    Raises
    ------
    InputError
        If the cluster cannot be reached, has no workers, or these have other versions.
    """
    with nullcontext() if address is None else _connected(address) as client:
        token = _CLIENT.set(client)
        try:
            yield
        finally:
            _CLIENT.reset(token)


def cluster_client() -> Any:
    """Return the client of the cluster to work on: of `cluster`, or of joblib's backend "dask"; None without one."""
    client = _CLIENT.get()
    if client is not None:
        return client
    # Whoever chose a backend has imported joblib, and importing its backend of Dask would import Dask, which few have.
    if "joblib" not in sys.modules:
        return None
    from joblib.parallel import get_active_backend

    backend = get_active_backend()[0]
    return backend.client if type(backend).__name__ == "DaskDistributedBackend" else None


@contextmanager
def own_tasks_only() -> Iterator[None]:
    """Send nothing but the tasks of `run_all` to the cluster of `joblib.parallel_config`.

    What scikit-learn would send there, such as the trees of a small forest, takes longer to send than to do. Sums over
    threads would depend on which of them is first.
    """
    client = cluster_client()
    if client is None or client is _CLIENT.get():
        yield
        return
    from joblib import parallel_config

    token = _CLIENT.set(client)
    try:
        with parallel_config(backend="threading", n_jobs=1):
            yield
    finally:
        _CLIENT.reset(token)


def on_cluster(client: Any, work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """Do all tasks on the workers of a cluster, and yield the results in the order of the tasks.

    What several tasks share, such as the table, is sent to every worker once.
    """
    _check_workers(client)
    with _in_one_sentence(client):
        shared = _scattered(client, tasks)
        calls = [[shared.get(id(value), value) for value in task] for task in tasks]
        # Not pure: equal fits are different tasks, and none is taken from an earlier run.
        futures = [client.submit(_on_worker, work, *call, pure=False) for call in calls]
    try:
        for future in futures:
            yield _result(client, future)
    finally:
        # Nothing goes on after an error, and nothing stays on the workers.
        client.cancel([*futures, *shared.values()], force=True)


def _scattered(client: Any, tasks: Sequence[tuple[Any, ...]]) -> dict[int, Any]:
    """Send to every worker what several tasks share, and return what stands for it, by identity."""
    values = {id(value): value for task in tasks for value in task}
    times = Counter(id(value) for task in tasks for value in task)
    plain = (int, float, str, type(None))
    many = [key for key, value in values.items() if times[key] > 1 and not isinstance(value, plain)]
    try:
        # To all of them: a worker that dies then takes no data with it.
        return {key: client.scatter(values[key], broadcast=True, hash=False) for key in many}
    except (CancelledError, OSError):
        raise
    except Exception as error:  # Dask's own, with nothing but a text
        raise _not_loaded(client, str(error)) from None


def _result(client: Any, future: Any) -> Any:
    """Wait for one result; without any worker left it would never come."""
    from distributed.scheduler import KilledWorker

    while True:
        with _in_one_sentence(client):
            try:
                error = future.exception(timeout=_LOOK)
            except TimeoutError:
                if client.nthreads():
                    continue
                raise _lost(client) from None
            if error is None:
                return future.result()
            if isinstance(error, CancelledError):
                raise error
        if isinstance(error, ImportError):
            raise _not_loaded(client, repr(error))
        if isinstance(error, KilledWorker):
            hint = "give workers more memory, or fewer threads each"
            raise InputError(f"several workers of {_called(client)} died during the same fit; {hint}") from None
        # What the work itself raises is not about the cluster.
        raise error


@contextmanager
def _in_one_sentence(client: Any) -> Iterator[None]:
    """Turn what Dask raises when a cluster goes away into one sentence."""
    from distributed.comm import CommClosedError

    try:
        yield
    except (CancelledError, CommClosedError, OSError):
        raise _lost(client) from None


def _lost(client: Any) -> InputError:
    return InputError(f"the cluster {_called(client)} was lost before the work was done; start it, then run this again")


def _not_loaded(client: Any, why: str) -> InputError:
    hint = "install your own modules on the workers"
    return InputError(f"workers of {_called(client)} cannot load the code or data sent to them: {why}; {hint}")


def _called(client: Any) -> str:
    return str(client.scheduler.address) if client.scheduler is not None else "of Dask"


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """Connect to a scheduler, and check what its workers are."""
    scheme = next((scheme for scheme in SCHEMES if address.startswith(scheme)), None)
    if scheme is None or not address.removeprefix(scheme).rpartition(":")[2].isdigit():
        raise fault(
            "backend",
            "be an address such as dask://10.0.0.5:8786",
            address,
            f"begin it with {listed(SCHEMES, last='or')}",
        )
    try:
        from distributed import Client
    except ImportError:
        needs = "a Dask cluster needs the package 'distributed'; run pip install '.[dask]' in a checkout of shiftproof"
        raise InputError(needs) from None
    try:
        client = Client(address.replace(scheme, SCHEMES[scheme], 1), timeout=_ANSWERS, set_as_default=False)
    except (OSError, TypeError, ValueError) as error:
        hint = "check the host and port, or start it with: dask scheduler"
        if scheme != "dask://":
            hint = f"{hint}; set the certificates in Dask's configuration"
        raise fault("backend", "name a scheduler that answers", address, hint) from error
    with client:
        _check_workers(client)
        yield client


def _check_workers(client: Any) -> None:
    """Refuse a cluster without workers, and workers that could fit other models than this machine."""
    with _in_one_sentence(client):
        found: dict[str, dict[str, str]] = client.run(_asker())
    if not found:
        start = f"start some with: dask worker {_called(client)}"
        raise InputError(f"the cluster {_called(client)} has no workers; {start}")
    here = _asker()()
    for worker, there in sorted(found.items()):
        for package, version in here.items():
            if there[package] != version:
                got = f"{package} {there[package]}" if there[package] else f"no {package}"
                raise InputError(
                    f"workers must have the same versions as this machine, {package} {version}; "
                    f"{worker} has {got}; install the same version there"
                )


def _asker() -> Callable[[], dict[str, str]]:
    # A function within a function is sent as a whole, so that workers without shiftproof can answer, too.
    def versions() -> dict[str, str]:
        import importlib
        import platform

        found = {"Python": ".".join(platform.python_version_tuple()[:2])}
        for name, called in (("shiftproof", "shiftproof"), ("sklearn", "scikit-learn"), ("numpy", "NumPy")):
            try:
                found[called] = importlib.import_module(name).__version__
            except ImportError:
                found[called] = ""
        return found

    return versions


class _OneThreadOfBlas:
    """Holds the linear algebra of a process at one thread, as long as any of its threads needs that."""

    def __init__(self) -> None:
        self._lock, self._users = threading.Lock(), 0
        self._limit: AbstractContextManager[None] = nullcontext()

    @contextmanager
    def held(self) -> Iterator[None]:
        with self._lock:
            self._users += 1
            if self._users == 1:
                self._limit = one_thread("blas")
                self._limit.__enter__()
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    let_this_thread_set_limits()
                    self._limit.__exit__(None, None, None)


_BLAS = _OneThreadOfBlas()


def _on_worker(work: Callable[..., Any], *task: Any) -> Any:
    """Work on one core of a worker, whose threads may all be at work: rounding must not depend on them."""
    # BLAS counts its threads for the whole process: the first thread to finish must not set the others free.
    with _BLAS.held(), one_thread("openmp"):
        return work(*task)
