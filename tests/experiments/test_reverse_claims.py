"""Claims of Fan and Davidson, on figures that are as they say and on figures that are not."""

from __future__ import annotations

import pandas as pd
import pytest

from shiftproof.experiments._reverse_claims import claims_of_bias, claims_of_tables


@pytest.mark.parametrize("holds", [True, False])
def test_cross_validation_with_and_without_bias(holds: bool) -> None:
    estimates = [70.0, 78.0] if holds else [79.0, 70.0]
    figures = pd.DataFrame({"dataset": ["Iris", "Guns"], "test": 80.0, "cross-validation": estimates})
    chosen = ["DT", "NB" if holds else ""]
    pairs = pd.DataFrame({"dataset": "Guns", "cross-validation": ["DT", "NB"], "ReverseTesting": chosen})
    bias, order = claims_of_bias(figures, pairs, ("Iris",))
    assert (bias.holds, order.holds) == (holds, holds)
    assert order.here == (
        "the same for 2 of 2 pairs, 0 undecided" if holds else "the same for 1 of 2 pairs, 1 undecided"
    )


@pytest.mark.parametrize("holds", [True, False])
def test_claims_of_money_worlds_and_criteria(holds: bool) -> None:
    share, gap = (99.95, 0.01) if holds else (90.0, 0.5)
    frames = {
        "table-17-18": pd.DataFrame({"ReverseTesting right": [6 if holds else 0], "pairs": [6], "undecided": [0]}),
        "equation-3": pd.DataFrame({"estimates": ["noisy"], "holds in %": [share]}),
        "observations": pd.DataFrame({"nearer under P (Obs. 7.1)": [share]}),
    }
    assert [claim.holds for claim in claims_of_tables(frames)] == [holds] * 3
    gaps = {"AIC from leave-one-out": gap, "BIC from 10 folds": gap, "training from leave-one-out": 0.1}
    claims = list(claims_of_tables({**frames, "criteria": pd.DataFrame([{"dataset": "Pima", **gaps}])}))
    assert [claim.holds for claim in claims] == [holds] * 5
    assert claims[3].here == f"{gap:.3f} from it; the training loss 0.100"
