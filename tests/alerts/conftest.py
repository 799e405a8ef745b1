"""A message, and servers to send it to."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from tests.alerts._servers import Hook, web_server

from shiftproof.alerts import AlertMessage

NOW = datetime(2024, 3, 1, 6, tzinfo=UTC)


@pytest.fixture
def message() -> AlertMessage:
    return AlertMessage(
        {
            "id": "7f-3",
            "event": "opened",
            "monitor": "default",
            "store": "calls.db",
            "created": "2024-03-01T06:00:00+00:00",
            "headline": "The data changed enough to matter.",
            "details": ["Columns that changed: 'age'."],
            "next": ["shiftproof monitor status calls.db"],
        }
    )


@pytest.fixture
def hook() -> Iterator[Hook]:
    with web_server() as hook:
        yield hook
