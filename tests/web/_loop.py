"""Run a coroutine in a test."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

_T = TypeVar("_T")


def in_own_loop(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine in a thread of its own: tests in a browser keep a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
