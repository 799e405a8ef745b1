"""Claims of Cieslak and Chawla, on figures that are as they say and on figures that are not."""

from __future__ import annotations

import pandas as pd
import pytest

from shiftproof.experiments._fractures_claims import (
    MCAR,
    OFFSETS,
    PRIORS,
    SYSTEMATIC,
    claims_of_distances,
    claims_of_features,
    claims_of_tests,
)

SHIFTS = ("base", *MCAR, *SYSTEMATIC, *OFFSETS, *PRIORS)
#: p-values as the papers have them: lower the larger the shift.
FALLING = (0.6, 0.6, 0.6, 0.2, 0.1, 0.2, 0.1, 0.5, 0.4, 0.3, 0.2, 0.5, 0.3, 0.2, 0.1)


@pytest.mark.parametrize(("values", "holds"), [(FALLING, True), (FALLING[::-1], False)])
def test_p_values_fall_with_the_shift(values: tuple[float, ...], holds: bool) -> None:
    scores = pd.DataFrame({"shift": SHIFTS, "friedman_p_mean": values, "kruskal_p_mean": values})
    claims = list(claims_of_tests(scores))
    assert len(claims) == 6
    assert {claim.holds for claim in claims} == {holds}
    assert "MAR 50 0.100" in claims[0].here or not holds


def test_features_fail_as_the_papers_say_or_not() -> None:
    like = dict(zip(SHIFTS, (0.02, 0.02, 0.03, 0.5, 0.6, 0.5, 0.6, *[0.1] * 4, 0.1, 0.3, 0.5, 0.7), strict=True))
    failing = pd.DataFrame({"page": {**like, "base": 0.3}, "segment": {**like, "base": 0.06}, "oil": like}).T
    phis = pd.DataFrame({"shift": [*MCAR, *SYSTEMATIC], "phi": [0.0, 0.0, *[0.5] * 4], "as printed": 0.2})
    by_class = pd.DataFrame({"base": 0.02, "P(+) 0.70": [0.4, 0.05]}, index=["negatives", "positives"])
    assert [claim.holds for claim in claims_of_features(failing, phis, by_class)] == [True] * 6
    unlike = failing.assign(**dict.fromkeys(MCAR, 0.5), base=0.01, **{"P(+) 0.10": 0.9, "P(+) 0.30": 0.9})
    claims = list(claims_of_features(unlike, phis.assign(phi=0.01), 0 * by_class))
    assert not any(claim.holds for claim in claims)
    assert claims[1].here == "more than 5% fail on no set"


def test_distances_grow_as_2009_says_or_not() -> None:
    changes = pd.DataFrame({"oil": dict(zip(SHIFTS, range(len(SHIFTS)), strict=True))}).T.astype(float)
    first, second = claims_of_distances(changes.assign(**{"MAR 50": 9.0}))
    assert first.holds
    assert first.here == "MAR 25 to 50 +600 points, offset 0.25 to 0.5 sd +100 points"
    assert second.holds
    assert not any(claim.holds for claim in claims_of_distances(-changes.assign(**{"MAR 50": 9.0})))
