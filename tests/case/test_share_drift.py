"""Class proportions that allow for natural drift."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.quantification.cases import interval
from tests.selection.cases import shift_kind

from shiftproof.case._drift import ShareShift
from shiftproof.case._share_drift import SpreadShares, count_with_drift, drifted_shares
from shiftproof.shift import Kind, ShiftKind

OLD = np.array([0.5, 0.5])
COUNT = SpreadShares.of_count([interval(0.2, 0.1, 0.25), interval(0.8, 0.75, 0.9)])


def kind(name: Kind, p_prior: float = 0.0) -> ShiftKind:
    return shift_kind(300, 200, OLD, kind=name, p_none=1e-30, p_prior=p_prior)


def test_spread_shares_of_count_give_its_own_intervals_back() -> None:
    ends = [end for share in COUNT.intervals(0.9) for end in (share.low, share.high)]
    assert ends == pytest.approx([0.1, 0.25, 0.75, 0.9])
    assert COUNT.sampling[0] == pytest.approx(COUNT.sampling[1])


def test_count_with_drift_allows_more_for_a_larger_move() -> None:
    small = SpreadShares.of_count([interval(0.45, 0.4, 0.5), interval(0.55, 0.5, 0.6)])
    drifts = [count_with_drift(count, OLD, kind("covariate")).drift for count in (small, COUNT)]
    assert drifts[0] == pytest.approx(0.066 / 2 + 0.632 * 0.05)
    assert drifts[1] == pytest.approx(0.066 / 2 + 0.632 * 0.3)
    assert count_with_drift(COUNT, OLD, None).drift == pytest.approx(drifts[1])


def test_count_with_drift_allows_little_where_no_shift_is_visible() -> None:
    quiet = count_with_drift(COUNT, OLD, kind("none"))
    assert quiet.drift == pytest.approx(0.01)
    assert quiet.intervals(0.9)[0].method == "normal"


def test_count_with_drift_takes_a_clear_prior_shift_for_the_reason_of_the_move() -> None:
    clear, weak = (count_with_drift(COUNT, OLD, kind("prior", p)) for p in (0.9, 0.0))
    assert (3 * clear.drift < weak.drift).all()
    assert clear.intervals(0.9)[0].width < 0.5 * weak.intervals(0.9)[0].width
    assert clear.intervals(0.9)[0].method == "student"


def one_of(value: float, error: float, *, heavy: bool = True) -> SpreadShares:
    values, errors = np.array([value, 1 - value]), np.full(2, error)
    return SpreadShares.of(values, errors, errors, np.zeros(2), heavy=heavy)


def test_joined_beliefs_have_the_quantiles_of_their_mixture() -> None:
    joined = SpreadShares.joined(one_of(0.8, 0.02), one_of(0.6, 0.1), 0.7)
    share = joined.intervals(0.9)[0]

    def below(x: float) -> float:
        return float(0.7 * stats.t.cdf((x - 0.8) / 0.02, 4) + 0.3 * stats.t.cdf((x - 0.6) / 0.1, 4))

    assert joined.values.sum() == pytest.approx(1)
    assert below(joined.values[0]) == pytest.approx(0.5, abs=0.01)
    assert below(share.low) == pytest.approx(0.05, abs=1e-6)
    assert below(share.high) == pytest.approx(0.95, abs=1e-6)
    belief = joined.beliefs()[0]
    assert float(belief.shares @ belief.centres[:, 0]) == pytest.approx(0.74, abs=0.001)


@pytest.mark.parametrize(("chance", "value"), [(0.0, 0.6), (1.0, 0.8)])
def test_joined_beliefs_of_which_one_is_certain_are_that_one(chance: float, value: float) -> None:
    joined = SpreadShares.joined(one_of(0.8, 0.02), one_of(0.6, 0.1), chance)
    assert joined.values[0] == pytest.approx(value, abs=1e-3)
    assert joined.either(0.9) is None


def test_both_answers_are_given_where_neither_is_certain() -> None:
    joined = SpreadShares.joined(one_of(0.8, 0.02), one_of(0.6, 0.1), 0.5)
    pair = joined.either(0.9)
    assert pair is not None
    assert [shares[0].estimate for shares in pair] == pytest.approx([0.8, 0.6])
    assert pair[0][0].width == pytest.approx(2 * 2.132 * 0.02, abs=1e-4)


def shares_of(*, pooled: float, prior: float, quiet: bool = False, unseen: float = 0.0) -> SpreadShares:
    """Estimate from a mean of probabilities and a count of 0.2, of 1,000 labelled and new rows."""
    both, tiny = np.array([pooled, 1 - pooled]), np.full(2, 1e-4)
    shift = ShareShift(prior=prior, quiet=quiet, unseen=unseen)
    return drifted_shares(both, tiny, COUNT, OLD, np.full(2, 5e-4), shift=shift)


def test_drifted_shares_move_further_than_the_mean_of_probabilities() -> None:
    far, near = (float(shares_of(pooled=pooled, prior=0.0).values[0]) for pooled in (0.3, 0.499))
    assert far == pytest.approx(0.5 - 1.3 * 0.2, abs=0.01)
    # What chance explains is taken back.
    assert near == pytest.approx(0.5, abs=1e-3)


def test_drifted_shares_follow_the_count_as_far_as_only_the_proportions_changed() -> None:
    values = [float(shares_of(pooled=0.4, prior=prior).values[0]) for prior in (0.0, 0.3, 0.9, 1.0)]
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(0.2, abs=0.02)


def test_drifted_shares_that_the_models_cannot_see_have_wide_intervals() -> None:
    seen, unseen = (shares_of(pooled=0.5, prior=0.0, quiet=True, unseen=reach) for reach in (0.05, 0.5))
    assert seen.drift == pytest.approx(0.01)
    assert unseen.intervals(0.9)[0].width == pytest.approx(2 * 0.7 * 0.5, rel=0.05)


def test_intervals_stay_between_0_and_1() -> None:
    wide = count_with_drift(COUNT, OLD, None).intervals(0.99)
    assert (wide[0].low, wide[1].high) == (0, 1)
