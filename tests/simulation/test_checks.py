from __future__ import annotations

import math

import numpy as np
import pytest

from shiftproof.core import InputError
from shiftproof.simulation._checks import check_share, check_strength, is_number


@pytest.mark.parametrize(
    ("value", "expected"), [(1, True), (0.5, True), (np.float32(2), True), (True, False), ("1", False)]
)
def test_is_number_refuses_booleans_and_text(value: object, expected: bool) -> None:
    assert is_number(value) is expected


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, True, "0.5", None])
def test_check_share_refuses_what_is_not_from_0_to_1(value: object) -> None:
    with pytest.raises(InputError, match=r"^share must be a number from 0 to 1, got .*half of them"):
        check_share(value, "share", hint="0.5 means half of them")


def test_check_share_accepts_both_ends() -> None:
    assert (check_share(0, "share", hint=""), check_share(1, "share", hint="")) == (0.0, 1.0)


def test_check_strength_accepts_negative_numbers_and_refuses_infinite_ones() -> None:
    assert check_strength(-2) == -2.0
    with pytest.raises(InputError, match=r"^strength must be a finite number, got inf"):
        check_strength(math.inf)
