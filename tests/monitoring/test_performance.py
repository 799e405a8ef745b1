from __future__ import annotations

import numpy as np
import pytest

from shiftproof.case import NO_RECORD, DriftRecord, prior_chance, quiet_allowance
from shiftproof.monitoring._moments import BatchShift
from shiftproof.monitoring._performance import ReferencePerformance, estimate_batch


def scored(n: int, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of two classes, with scores that are too sure of themselves."""
    rng = np.random.default_rng(seed)
    codes = (rng.random(n) < share).astype(np.int64)
    x = rng.normal(size=n) + 1.5 * codes
    log_odds = 1.5 * x - 1.125
    p = 1 / (1 + np.exp(-2 * log_odds))
    return np.column_stack([1 - p, p]), codes


OLD = scored(2_000, 0.5, 0)
REFERENCE = ReferencePerformance.of(*OLD)


def accuracy_of(probabilities: np.ndarray, codes: np.ndarray) -> float:
    return float((probabilities.argmax(axis=1) == codes).mean())


def test_reference_performance_is_the_sums_of_the_rows() -> None:
    assert REFERENCE.n == 2_000
    assert REFERENCE.accuracy.estimate == accuracy_of(*OLD)
    assert REFERENCE.shares[1] == OLD[1].mean()
    # Calibrated probabilities average to the class proportions.
    assert REFERENCE.probabilities.sum(axis=0) / 2_000 == pytest.approx(REFERENCE.shares, abs=1e-6)


def test_estimate_batch_without_shift_is_near_the_actual_accuracy() -> None:
    new = scored(1_000, 0.5, 4)
    estimated = estimate_batch(REFERENCE, new[0], prior=None, history=NO_RECORD)
    assert abs(estimated.accuracy.estimate - accuracy_of(*new)) < 0.02
    assert accuracy_of(*new) in estimated.accuracy
    assert estimated.accuracy.width < 0.09
    assert new[1].mean() in estimated.shares[1]
    assert sum(share.estimate for share in estimated.shares) == pytest.approx(1.0)


def test_estimate_batch_follows_fewer_clear_cases() -> None:
    rng = np.random.default_rng(2)
    p = rng.uniform(0.35, 0.65, 1_000)
    estimated = estimate_batch(REFERENCE, np.column_stack([1 - p, p]), prior=0.0, history=NO_RECORD)
    assert estimated.accuracy.estimate < 0.6 < REFERENCE.accuracy.estimate


def test_estimate_batch_follows_the_count_as_far_as_only_the_proportions_changed() -> None:
    new = scored(20_000, 0.9, 3)
    estimates = [estimate_batch(REFERENCE, new[0], prior=prior, history=NO_RECORD) for prior in (0.0, 0.5, 0.95)]
    shares = [one.shares[1].estimate for one in estimates]
    assert shares == sorted(shares)
    assert abs(shares[-1] - new[1].mean()) < 0.03
    assert estimates[-1].shares[1].width < 0.5 * estimates[0].shares[1].width


def test_estimate_batch_joins_drift_and_prior_shift_as_an_audit_does() -> None:
    new = scored(2_000, 0.7, 5)[0]
    parts = [estimate_batch(REFERENCE, new, prior=prior, history=NO_RECORD) for prior in (0.0, 1.0, 0.4)]
    drift, alone, joined = (one.grounds.value for one in parts)
    assert joined == pytest.approx(0.6 * drift + 0.4 * alone)
    shift = BatchShift(kind="unclear", reasons=(), p_none=1e-4, p_prior=0.2)
    assert shift.prior_weight == prior_chance(1e-4, 0.2)
    assert BatchShift(kind="none", reasons=(), p_none=0.4, p_prior=0.5).prior_weight is None


def test_loss_chance_is_the_part_of_the_belief_more_than_five_points_down() -> None:
    sure, unsure = (scored(2_000, 0.5, 6)[0] ** power for power in (1.0, 0.3))
    unsure = unsure / unsure.sum(axis=1, keepdims=True)
    chances = [estimate_batch(REFERENCE, new, prior=0.0, history=NO_RECORD).loss_chance for new in (sure, unsure)]
    assert chances[0] < 0.2
    assert chances[1] > 0.8
    past = DriftRecord(squares={"accuracy": (0.0,) * 8})
    assert estimate_batch(REFERENCE, sure, prior=0.0, history=past).loss_chance < chances[0]


def test_estimate_batch_allows_for_more_drift_where_something_changed() -> None:
    new = scored(1_000, 0.5, 1)[0]
    quiet, loud = (estimate_batch(REFERENCE, new, prior=prior, history=NO_RECORD) for prior in (None, 0.0))
    assert quiet.allowance == pytest.approx(1.25 * quiet_allowance("accuracy", np.ones(1))[0])
    assert quiet.error == loud.error
    assert quiet.allowance < loud.allowance
    assert quiet.accuracy.width < loud.accuracy.width
    past = DriftRecord(squares={"accuracy": (0.0,) * 8})
    calm = estimate_batch(REFERENCE, new, prior=0.0, history=past)
    assert calm.allowance == pytest.approx(loud.allowance * past.factor("accuracy"))


def test_error_of_few_labelled_rows_is_common_to_all_batches() -> None:
    few = ReferencePerformance.of(OLD[0][:30], OLD[1][:30], REFERENCE.calibration)
    right = OLD[0][:30].argmax(axis=1) == OLD[1][:30]
    residuals = right - REFERENCE.calibration(OLD[0][:30]).max(axis=1)
    assert few.correction == pytest.approx(residuals.mean())
    assert few.correction_error == pytest.approx(residuals.std() / 30**0.5)
    new = scored(1_000, 0.5, 1)[0]
    estimates = [estimate_batch(one, new, prior=None, history=NO_RECORD) for one in (few, REFERENCE)]
    # Every batch has its own sampling error; that of the correction is in the interval only.
    assert estimates[0].error == estimates[1].error
    assert estimates[0].accuracy.width > 1.5 * estimates[1].accuracy.width


def test_reference_performance_of_three_classes() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 600)
    scores = np.exp(2 * np.eye(3)[codes] + rng.normal(size=(600, 3)))
    probabilities = scores / scores.sum(axis=1, keepdims=True)
    reference = ReferencePerformance.of(probabilities, codes)
    estimated = estimate_batch(reference, probabilities[:200], prior=0.0, history=NO_RECORD)
    assert abs(estimated.accuracy.estimate - accuracy_of(probabilities[:200], codes[:200])) < 0.05
    assert sum(share.estimate for share in estimated.shares) == pytest.approx(1.0)


def test_estimates_of_a_model_that_answers_one_class_agree() -> None:
    p = np.random.default_rng(3).uniform(0.2, 0.45, 1_000)
    estimated = estimate_batch(REFERENCE, np.column_stack([1 - p, p]), prior=0.0, history=NO_RECORD)
    assert estimated.only_answer == 0
    assert estimated.accuracy.estimate == pytest.approx(1 - estimated.shares[1].estimate)
    zero, one = estimated.shares
    assert (estimated.accuracy.low, estimated.accuracy.high) == (zero.low, zero.high)
    assert (zero.low, zero.high) == pytest.approx((1 - one.high, 1 - one.low))
    several = estimate_batch(REFERENCE, OLD[0], prior=0.0, history=NO_RECORD)
    assert several.only_answer is None


def test_one_row_has_an_estimate() -> None:
    estimated = estimate_batch(REFERENCE, np.array([[0.3, 0.7]]), prior=0.0, history=NO_RECORD)
    assert 0 <= estimated.accuracy.low < estimated.accuracy.high <= 1
