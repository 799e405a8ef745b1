from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shiftproof.core import InputError, generator, seed_number


def test_a_generator_passes_through() -> None:
    given = np.random.default_rng(0)
    assert generator(given) is given


@pytest.mark.parametrize("seed", [7, np.int64(7), np.random.SeedSequence(7)])
def test_the_same_seed_gives_the_same_numbers(seed: Any) -> None:
    assert generator(seed).random() == np.random.default_rng(7).random()


def test_a_random_state_is_drawn_from_and_goes_on() -> None:
    first, second = np.random.RandomState(0), np.random.RandomState(0)
    assert generator(first).random() == generator(second).random()
    assert generator(first).random() != generator(np.random.RandomState(0)).random()


def test_none_is_fresh_every_time() -> None:
    assert generator().random() != generator(None).random()


def test_the_global_state_is_left_alone() -> None:
    before = np.random.get_state(legacy=False)  # noqa: NPY002
    generator(0).random()
    generator(None).random()
    after = np.random.get_state(legacy=False)  # noqa: NPY002
    assert str(before) == str(after)


@pytest.mark.parametrize("seed", [-1, 0.5, True, "0"])
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    with pytest.raises(InputError) as error:
        generator(seed)
    assert str(error.value) == (
        f"random_state must be None, a whole number of at least 0, or a NumPy generator, got {seed!r}; use 0."
    )


def test_seed_number_keeps_small_numbers_and_draws_from_all_else() -> None:
    numpy_seed: Any = np.int64(7)
    assert seed_number(numpy_seed) == seed_number(7) == 7
    assert seed_number(2**32 - 1) == 2**32 - 1
    assert seed_number(2**32) == seed_number(2**32) != seed_number(2**40)
    assert 0 <= seed_number(np.random.default_rng(0)) < 2**31
