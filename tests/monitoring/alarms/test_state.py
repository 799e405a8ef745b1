from __future__ import annotations

import numpy as np
import pytest

from shiftproof import InputError
from shiftproof.monitoring.alarms import State


def state(pool: int = 3) -> State:
    arrays = {"pool": np.array([pool, 2**62]), "moved": np.array([[0.1, -np.inf]]), "none": np.empty((2, 0))}
    return State({"changed": 4, "material": 3, "harm": 0}, arrays)


def test_state_comes_back_from_bytes() -> None:
    again = State.from_bytes(state().to_bytes())
    assert again == state()
    assert hash(again) == hash(state())
    assert again.batches == {"changed": 4, "material": 3, "harm": 0}
    assert again.arrays["pool"].tolist() == [3, 2**62]
    assert again.arrays["moved"].tolist() == [[0.1, -np.inf]]
    assert again.arrays["none"].shape == (2, 0)


def test_states_differ_by_any_number() -> None:
    assert state() != state(pool=4)
    assert state() != "state"


def test_state_is_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        State.from_bytes(state().to_bytes()).arrays["pool"][0] = 1


def test_bytes_of_something_else_are_refused() -> None:
    for stored in (b"", b"PK something else", state().to_bytes()[:20]):
        with pytest.raises(InputError, match=r"^stored must be the bytes of a State"):
            State.from_bytes(stored)
