"""What an audit derives from its parts: losses, harm, and one row per model."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from shiftproof.auditing import Audit, audit, what_to_do
from shiftproof.auditing._result import SCHEMA
from shiftproof.core import InputError, LabelsOfOneClass
from shiftproof.panel import Panel


def scored() -> tuple[Panel, np.ndarray[Any, Any]]:
    """Give the scores of two models, and the labels of the new rows."""
    rng = np.random.default_rng(0)
    y, y_new = rng.integers(2, size=400), rng.integers(2, size=200)

    def scores(codes: np.ndarray[Any, Any], apart: float) -> np.ndarray[Any, Any]:
        return np.asarray(1 / (1 + np.exp(-apart * (apart * (codes - 0.5) + rng.normal(size=len(codes))))))

    old = {"sharp": scores(y, 2.0), "blunt": scores(y, 1.0)}
    new = {"sharp": scores(y_new, 2.0), "blunt": scores(y_new, 1.0)}
    return Panel.from_scores(y, old, new=new), y_new


@pytest.fixture(scope="module")
def found() -> Audit:
    """Audit the scores of two models: nothing is fitted, and no feature is compared."""
    return audit(scored()[0], quick=True)


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


def test_plan_draws_with_the_seed_of_the_audit(found: Audit) -> None:
    plan = replace(found, seed=3).plan()
    assert plan is not None
    few = found.plan(12)
    assert few is not None
    assert len(few.rows) == 12
    expected = found.performance.plan(model=found.best, measure=found.measure, random_state=3)
    assert plan.rows.tolist() == expected.rows.tolist()


def test_labels_of_one_class_are_a_caution_of_the_audit() -> None:
    panel, _ = scored()
    # Rows chosen by their label: the models are sure of none of them.
    labels = dict.fromkeys(range(40), 1)
    with pytest.warns(LabelsOfOneClass) as caught:
        one_class = audit(panel, labels=labels, quick=True)
    assert len(caught) == 1
    assert [note.code for note in one_class.cautions] == ["labels of one class"]
    assert [note.code for note in one_class.selection.notes].count("labels of one class") == 1
    assert one_class.verdict == "cannot tell"
    why = "the labelled new rows are not a random sample"
    assert one_class.headline == f"Cannot tell whether to trust {one_class.best} on the new data: {why}."
    assert str(what_to_do(one_class)) == ("Audit again without labels, then label the rows that the audit suggests.")
    words = "All 40 labels of new rows are 1, while a random sample would very likely contain other classes."
    # The estimate is worth nothing then, and comes later.
    assert one_class.reasons[0].text.startswith(words)


def test_too_few_labels_are_named_with_what_to_do() -> None:
    panel, y_new = scored()
    few = audit(panel, labels=dict(enumerate(y_new[:6].tolist())), quick=True)
    words = "6 labels of new rows could not be used: provide at least 10, of both classes."
    assert str(what_to_do(few)).endswith(f" {words}")
    assert next(str(part.text) for part in few.to_page().sections if part.title == "What to do").count(words) == 1
    assert not len(few.performance.labelled)


def test_auc_is_not_defined_if_all_new_rows_are_known_to_be_of_one_class() -> None:
    panel, y_new = scored()
    known = audit(panel, labels=np.ones_like(y_new), quick=True)
    area = known.performance.estimates[known.best]["auc"]
    assert math.isnan(area.interval.estimate)
    assert area.interval.method == "not defined"
    assert not area.refused
    with pytest.raises(InputError, match="the auc is not defined for any of"):
        audit(panel, labels=np.ones_like(y_new), measure="auc", quick=True)


def test_known_labels_give_one_figure_instead_of_an_interval() -> None:
    panel, y_new = scored()
    known = audit(panel, labels=y_new, quick=True)
    actual = known.verify(y_new).recommended.actual
    assert known.interval.low == known.interval.high == pytest.approx(actual, abs=1e-12)
    assert any(reason.text.startswith("The label of every new row is known.") for reason in known.reasons)
    assert f"actual accuracy of {known.best} on the new data is {actual:.1%}" in known.headline or (
        f"its actual accuracy is {actual:.1%}" in known.headline
    )
