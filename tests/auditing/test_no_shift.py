"""Where nothing changed: two halves of the bank's calls of 2009, dealt at random."""

from __future__ import annotations

import math
import os

import pytest

from shiftproof import default_models, load_demo
from shiftproof.auditing import audit

# One deal; `make soak` asks for many more. Deal 0 is known to ask for care.
DEALS = 2 * int(os.environ.get("SIMULATIONS", "1")) - 1


@pytest.mark.whole_forests
def test_audit_trusts_and_covers_where_nothing_changed() -> None:
    calls = load_demo(year=2009)
    held = trusted = 0
    for seed in range(DEALS, 0, -1):
        dealt = calls.sample(frac=1, random_state=seed).reset_index(drop=True)
        old, new = dealt[: len(dealt) // 2], dealt[len(dealt) // 2 :].reset_index(drop=True)
        features = [table.drop(columns="label") for table in (old, new)]
        found = audit(
            default_models(only=["lr", "nb"]), features[0], old["label"], features[1], quick=True, random_state=seed
        )
        trusted += found.verdict == "trust"
        held += bool(found.verify(new["label"]).covered)
    # 33 of 40 is what 90% intervals give all but one time in ten.
    assert held >= (1 if DEALS == 1 else 33 / 40 * DEALS)
    assert trusted >= max(math.floor(0.8 * DEALS), 1)
