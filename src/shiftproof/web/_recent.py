"""Pages that were made a moment ago: when a batch arrives, all browsers ask for the same page at once."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock

# What a page shows may change without a trace in its pulse, such as the time of a batch; a page may be so old then.
_SECONDS = 1.0
_PAGES = 64


@dataclass(eq=False)
class _Kept:
    lock: Lock = field(default_factory=Lock)
    page: str | None = None
    until: float = 0.0


class RecentPages:
    """Makes a page once for all who ask for it within a second.

    Parameters
    ----------
    clock : callable
        Returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()

    def page(self, key: Hashable, make: Callable[[], str]) -> str:
        """Return a page; others who ask for the same one meanwhile wait for it.

        Parameters
        ----------
        key : hashable
            Everything that the page depends on.
        make : callable
            Makes it. If it fails, nothing is kept.
        """
        with self._lock:
            kept = self._kept.setdefault(key, _Kept())
            self._kept.move_to_end(key)
            while len(self._kept) > _PAGES:
                self._kept.popitem(last=False)
        with kept.lock:
            if kept.page is None or self._clock() >= kept.until:
                kept.page = make()
                kept.until = self._clock() + _SECONDS
            return kept.page

    def forget(self) -> None:
        """Make every page anew: something was changed here."""
        with self._lock:
            self._kept.clear()
