"""Work on a case without more threads than help."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from shiftproof.case._case import Case
from shiftproof.core import one_thread, own_tasks_only

P = ParamSpec("P")
T = TypeVar("T")


def in_one_thread(verb: Callable[Concatenate[Case, P], T]) -> Callable[Concatenate[Case, P], T]:
    """Let a function of a case do its linear algebra in one thread; with ``n_jobs=1`` all that libraries compute.

    Sums over the rows are too short to share: threads would wait for each other, and use a core each while they do.
    """

    @wraps(verb)
    def alone(case: Case, /, *args: P.args, **options: P.kwargs) -> T:
        with own_tasks_only(), one_thread(None if case.n_jobs == 1 else "blas"):
            return verb(case, *args, **options)

    return alone
