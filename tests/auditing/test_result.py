"""What an audit derives from its parts: losses, harm, and one row per model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from shiftproof.auditing import Audit, audit
from shiftproof.auditing._result import SCHEMA
from shiftproof.panel import Panel


@pytest.fixture(scope="module")
def found() -> Audit:
    """Audit the scores of two models: nothing is fitted, and no feature is compared."""
    rng = np.random.default_rng(0)
    y, y_new = rng.integers(2, size=400), rng.integers(2, size=200)

    def scores(codes: np.ndarray[Any, Any], apart: float) -> np.ndarray[Any, Any]:
        return np.asarray(1 / (1 + np.exp(-apart * (apart * (codes - 0.5) + rng.normal(size=len(codes))))))

    old = {"sharp": scores(y, 2.0), "blunt": scores(y, 1.0)}
    new = {"sharp": scores(y_new, 2.0), "blunt": scores(y_new, 1.0)}
    return audit(Panel.from_scores(y, old, new=new), quick=True)


def test_losses_are_the_ends_of_the_interval_against_the_validated_figure(found: Audit) -> None:
    interval = found.interval
    assert found.best == "sharp"
    assert found.loss == pytest.approx(found.validated - interval.estimate)
    assert found.losses == pytest.approx((found.validated - interval.high, found.validated - interval.low))
    # A larger error is a loss, so the sign turns with the measure.
    by_brier = replace(found, measure="brier")
    assert by_brier.loss == pytest.approx(by_brier.interval.estimate - by_brier.validated)


def test_harmful_loss_of_a_share_is_the_tolerance(found: Audit) -> None:
    assert found.harmful_loss == found.tolerance == 0.05


def test_to_frame_has_the_best_model_first(found: Audit) -> None:
    frame = found.to_frame()
    assert frame["model"].tolist() == list(found.selection.ranking)
    assert frame["probability_best"].sum() == pytest.approx(1)
    assert set(frame["measure"]) == {"accuracy"}


def test_to_dict_has_version_and_type_of_shift_once(found: Audit) -> None:
    plain = found.to_dict()
    assert plain["schema"] == SCHEMA
    assert plain["detection"] is None
    for part in ("evaluation", "selection", "performance", "quantification"):
        assert not {"shiftproof", "shift", "kind"} & set(plain[part])


def test_audit_of_scores_fits_nothing_and_says_what_it_left_out(found: Audit) -> None:
    assert found.fits == 0
    assert found.deployed
    assert set(found.left_out) == {"what changed, feature by feature", "ReverseTesting"}
    assert found.seconds == sum(stage.seconds for stage in found.stages)
