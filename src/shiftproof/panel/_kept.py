"""What was scored last, so that verbs that are asked one after another do not score the same rows again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any

import numpy as np

from shiftproof.panel._inputs import as_features, fingerprint_features
from shiftproof.panel._scoring import Floats

# The labelled rows and the new ones.
_TABLES = 2


class KeptScores:
    """Scores by table and model; of tables, those that were asked about last.

    A table is known by what it holds: one that was changed in place is another one.

    Examples
    --------
    >>> kept, rows = KeptScores(), np.array([[1.0], [2.0]])
    >>> kept.of(rows, "double", lambda: 2 * rows).ravel().tolist()
    [2.0, 4.0]
    >>> kept.of(rows.copy(), "double", lambda: 9 * rows).ravel().tolist()
    [2.0, 4.0]
    """

    def __init__(self) -> None:
        self._tables: dict[str, dict[Hashable, Floats]] = {}
        self._lock = Lock()

    def of(self, data: Any, key: Hashable, make: Callable[[], Floats]) -> Floats:
        """Give what is kept of a table under a key, or make it."""
        return self.table(data)(key, make)

    def table(self, data: Any) -> Callable[[Hashable, Callable[[], Floats]], Floats]:
        """Give what keeps and finds the scores of one table, which is looked at once."""
        known = fingerprint_features(as_features(data))
        with self._lock:
            scores = self._tables.pop(known, {})
            self._tables[known] = scores  # the last one to be forgotten
            while len(self._tables) > _TABLES:
                self._tables.pop(next(iter(self._tables)))

        def of(key: Hashable, make: Callable[[], Floats]) -> Floats:
            if key not in scores:
                made = np.array(make())  # a copy: a model may use its own array again
                made.flags.writeable = False
                scores[key] = made
            return scores[key]

        return of

    def __reduce__(self) -> tuple[type[KeptScores], tuple[()]]:
        return KeptScores, ()  # scores are made again faster than they are sent
