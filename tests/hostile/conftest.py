"""Few trees and resamples: what is tested here does not depend on how many there are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
import typer

_FEW = {
    "shift._domain._TREES": 2,
    "shift._reference_score._TREES": 2,
    "shift._reference_score._FOLDS": 2,
    "counting._assumption._RESAMPLES": 10,
    "counting._bootstrap._FIRST": 10,
    "counting._bootstrap._PLACES": 3,
    "auditing._audit._QUICK_RESAMPLES": 20,
}


# Not of the session: tests of other folders in the same process need the real numbers.
@pytest.fixture(autouse=True, scope="module")
def _few_resamples() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in _FEW.items():
            patch.setattr(f"shiftproof.{name}", value)
        # Typer makes the commands anew for every call.
        patch.setattr("typer.main.get_command", cache(typer.main.get_command))
        yield
