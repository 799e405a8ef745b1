"""CPU time and peak memory of one call, and the CPU time of the fits within it.

Linux with glibc only: the memory is read from ``/proc``.
"""

from __future__ import annotations

import ctypes
import gc
import re
import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def cpu_clock() -> float:
    """Return the CPU seconds used so far by all threads of this process and by its finished children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def measure_time(call: Callable[[], Any]) -> tuple[float, float, Any]:
    """Return the CPU and wall seconds of one run, and its result."""
    gc.collect()
    cpu, wall = cpu_clock(), time.perf_counter()
    result = call()
    return cpu_clock() - cpu, time.perf_counter() - wall, result


def _status_mib(field: str) -> float:
    """Return a memory field of ``/proc/self/status`` in MiB."""
    found = re.search(rf"^{field}:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    if found is None:
        raise OSError(f"/proc/self/status has no field {field!r}.")
    return int(found[1]) / 1024


def measure_extra_mib(call: Callable[[], Any]) -> float:
    """Return how far the resident memory rises above its level at the start of one run, in MiB.

    The kernel keeps the peak (``VmHWM``), which is set back to the present level first: no peak falls between two
    samples. Free heap is given back beforehand, or the run would reuse it unseen.
    """
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    before = _status_mib("VmRSS")
    result = call()
    extra = _status_mib("VmHWM") - before
    del result  # alive until here: what a peer returns is part of what it costs
    return extra


class FitClock:
    """Adds up the CPU time of the outermost calls of `fit`."""

    def __init__(self) -> None:
        self.seconds, self.calls, self._depth = 0.0, 0, 0
        self._lock = threading.Lock()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Time one call, unless it is within another."""
        with self._lock:
            self._depth += 1
            outermost = self._depth == 1
        began = cpu_clock()
        try:
            yield
        finally:
            with self._lock:
                self._depth -= 1
                if outermost:
                    self.seconds += cpu_clock() - began
                    self.calls += 1


def timed(estimator: Any, clock: FitClock) -> Any:
    """Give an estimator of a class whose `fit` is timed; clones have it, too."""
    kind = type(estimator)

    def fit(self: Any, X: Any, y: Any, *rest: Any, **more: Any) -> Any:
        with clock.running():
            return kind.fit(self, X, y, *rest, **more)

    # Clones are made by the constructor's own signature, which the subclass inherits.
    estimator.__class__ = type(kind.__name__, (kind,), {"fit": fit})
    return estimator
