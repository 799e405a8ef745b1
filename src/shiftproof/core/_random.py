"""Randomness that leaves NumPy's global state alone."""

from __future__ import annotations

import numpy as np

from shiftproof.core._checks import fault

#: What every verb accepts as ``random_state``.
Seed = int | np.random.Generator | np.random.RandomState | np.random.SeedSequence | None


def generator(random_state: Seed = None) -> np.random.Generator:
    """Make a generator from a seed, a generator (returned as it is), a RandomState or None.

    Examples
    --------
    >>> int(generator(0).integers(100)) == int(generator(0).integers(100))
    True
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        # Advances the caller's state, as scikit-learn does; four words seed 128 bits.
        return np.random.default_rng(random_state.randint(0, 2**31 - 1, size=4))
    whole = isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool)
    if random_state is None or isinstance(random_state, np.random.SeedSequence) or (whole and random_state >= 0):
        return np.random.default_rng(random_state)
    raise fault("random_state", "be None, a whole number of at least 0, or a NumPy generator", random_state, "use 0")


def seed_number(random_state: Seed) -> int:
    """Return a whole number below 2**32 to seed everything with, scikit-learn's splitters among it.

    A smaller number stays as it is; a larger one and all else is drawn from once.

    Examples
    --------
    >>> seed_number(np.int64(7)), 0 <= seed_number(2**40) < 2**32
    (7, True)
    """
    rng = generator(random_state)  # refuses anything that is not a seed
    if isinstance(random_state, (int, np.integer)) and random_state < 2**32:
        return int(random_state)
    return int(rng.integers(2**31))
