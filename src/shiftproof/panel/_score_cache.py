"""A cache of scores, so that verbs called one after another do not score the same rows again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock

import numpy as np

from shiftproof.core import Floats

# The labelled table and the new one: what an audit goes back to.
_TABLES = 2


class ScoreCache:
    """Scores by table and model, for the tables that were used last.

    A table is known by its fingerprint: one that was changed in place is another table.

    Examples
    --------
    >>> cache = ScoreCache()
    >>> cache.table("5f0a")("double", lambda: np.array([2.0, 4.0])).tolist()
    [2.0, 4.0]
    >>> cache.table("5f0a")("double", lambda: np.array([0.0, 0.0])).tolist()
    [2.0, 4.0]
    """

    def __init__(self) -> None:
        self._tables: dict[str, dict[Hashable, Floats]] = {}
        self._lock = Lock()

    def table(self, fingerprint: str) -> Callable[[Hashable, Callable[[], Floats]], Floats]:
        """Return a function that looks up one table's scores by key, and computes those that are missing."""
        # Verbs may run in threads of one process, and eviction walks over the dict.
        with self._lock:
            scores = self._tables.pop(fingerprint, {})
            self._tables[fingerprint] = scores  # put last: the first is evicted
            while len(self._tables) > _TABLES:
                self._tables.pop(next(iter(self._tables)))

        def look_up(key: Hashable, compute: Callable[[], Floats]) -> Floats:
            if key not in scores:
                computed = np.array(compute())  # a copy: a model may use its own array again
                computed.flags.writeable = False
                scores[key] = computed
            return scores[key]

        return look_up

    def __reduce__(self) -> tuple[type[ScoreCache], tuple[()]]:
        # Start empty elsewhere: computing scores again is faster than sending them.
        return ScoreCache, ()
