from __future__ import annotations

import pytest
from sqlalchemy.exc import OperationalError

from shiftproof.core import StoreError
from shiftproof.monitoring.store._database import worded


def reason(error: BaseException) -> str:
    return f"it said {error}"


@pytest.mark.parametrize("error", [KeyError("no"), OperationalError("SELECT 1", {}, KeyError("no"))])
def test_errors_of_the_driver_become_sentences_wrapped_or_not(error: Exception) -> None:
    with pytest.raises(StoreError) as caught, worded("here", reason, KeyError):
        raise error
    assert str(caught.value) == "here: it said 'no'."


def test_other_errors_stay_as_they_are() -> None:
    with pytest.raises(ZeroDivisionError), worded("here", reason, KeyError):
        _ = 1 / 0
