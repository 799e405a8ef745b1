"""The estimates of all new rows and of each period."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import shiftproof as sp
from shiftproof.case import Case, ShareShift
from shiftproof.core import InputError, generator
from shiftproof.counting import bootstrap_intervals
from shiftproof.data import PeriodCut
from shiftproof.quantification import QuantifyOptions, _estimates
from shiftproof.quantification._estimates import EstimatedShares, estimate_shares
from shiftproof.quantification._scored import ScoredTables

OPTIONS = QuantifyOptions(resamples=20)


@pytest.fixture(scope="module")
def case() -> Case:
    rng = np.random.default_rng(0)
    y, moved = np.repeat([0, 1], [80, 60]), np.repeat([0, 1], [20, 60])
    X, X_new = (rng.normal(size=(len(each), 2)) + each[:, None] for each in (y, moved))
    panel = sp.cross_fit(LogisticRegression(), X, y, cv=3)
    return Case.of(panel, X, None, X_new, purpose="a test", assume="natural")


def estimated(case: Case, options: QuantifyOptions = OPTIONS) -> EstimatedShares:
    return estimate_shares(case, ScoredTables.of_case(case), options, known=None, shift=case.shift, rng=generator(0))


def test_estimate_shares_pools_all_models_unless_a_method_was_chosen(case: Case) -> None:
    pooled, chosen = estimated(case), estimated(case, replace(OPTIONS, chosen=True))
    assert (pooled.method, chosen.method) == ("routed pool", "combined")
    assert pooled.others["combined"][0, 1] == pytest.approx(chosen.intervals[0][1].estimate)
    assert "combined" not in chosen.others
    assert min(shares.errors[0][1].drift for shares in (pooled, chosen)) > 0


def test_estimate_shares_without_drift_is_the_count(case: Case) -> None:
    counted = estimated(replace(case, assume="prior shift"))
    assert counted.method == "combined"
    assert [errors.drift for errors in counted.errors[0]] == [0, 0]


def test_estimate_shares_gives_periods_after_all_rows(case: Case) -> None:
    rows = [np.arange(20), np.arange(0), np.arange(20, 80)]
    cut = PeriodCut([(str(i), i, i, row) for i, row in enumerate(rows)], None, 0)
    pooled = estimated(case, replace(OPTIONS, cut=cut))
    assert len(pooled.intervals) == len(pooled.errors) == 3
    assert pooled.intervals[1][1].estimate < pooled.intervals[2][1].estimate
    assert all(sum(share.estimate for share in shares) == pytest.approx(1) for shares in pooled.intervals)


@pytest.mark.parametrize(("weight", "simulated"), [(0.0, 0), (0.0009, 0), (0.002, 1)])
def test_estimate_shares_simulates_the_count_only_if_it_has_weight(
    case: Case, monkeypatch: pytest.MonkeyPatch, weight: float, simulated: int
) -> None:
    calls = []

    def counting(*rows: Any, **settings: Any) -> Any:
        calls.append(settings)
        return bootstrap_intervals(*rows, **settings)

    monkeypatch.setattr(Case, "shifts_of", lambda _, parts: [ShareShift(prior=weight)] * (1 + len(parts)))
    monkeypatch.setattr(_estimates, "bootstrap_intervals", counting)
    share = estimated(case).intervals[0][1]
    assert len(calls) == simulated
    # What is left out would not change a digit that anybody sees.
    monkeypatch.setattr(_estimates, "_LITTLE_WEIGHT", -1.0)
    whole = estimated(case).intervals[0][1]
    assert (share.estimate, share.low, share.high) == pytest.approx((whole.estimate, whole.low, whole.high), abs=1e-3)


def test_level_and_resamples_are_checked_even_if_nothing_is_simulated() -> None:
    with pytest.raises(InputError, match="level must be a number strictly between 0 and 1, got 90"):
        QuantifyOptions(level=90)
    with pytest.raises(InputError, match="resamples must be"):
        QuantifyOptions(resamples=3)
