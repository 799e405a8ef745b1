from __future__ import annotations

import json
import re

import numpy as np
import pytest
from tests.monitoring.conftest import Table, make_batch, make_table

from shiftproof import Baseline
from shiftproof.case import DriftRecord
from shiftproof.core import InputError


def test_baseline_of_a_table_has_scores_first(baseline: Baseline) -> None:
    assert list(baseline.columns) == ["p", "age", "gap", "job"]
    assert baseline.left_out == {"y": "label"}
    assert baseline.summary() == (
        "Baseline of 400 rows and 4 columns; no rows are stored. Compared: 'p', 'age', "
        "'gap' and 'job'. Not compared: 'y' (label). Validated accuracy 77.8% (always answering the most frequent "
        "class: 51.0%). The alarms assume independent rows; pass time to measure how far periods differ."
    )
    assert json.loads(json.dumps(baseline.to_dict()))["columns"]["job"] == "nominal"
    assert baseline.to_frame()["reference"].sum() == 4 * 400


def test_baseline_knows_what_the_alarm_for_harm_needs(baseline: Baseline, table: Table) -> None:
    right = (table["p"] > 0.5) == (table["y"] == "yes")
    assert baseline.validated == right.mean()
    assert baseline.majority == max(np.mean(table["y"] == "yes"), np.mean(table["y"] == "no"))
    assert baseline.performance is not None
    error = baseline.performance.correction_error
    assert baseline.bias_sd == pytest.approx((0.04**2 + error**2) ** 0.5)
    calm = Baseline.of(table, scores="p", labels="y", history=DriftRecord(squares={"accuracy": (0.0,) * 5}))
    assert calm.bias_sd == pytest.approx(((0.04 * 2 / 3) ** 2 + error**2) ** 0.5)
    without = Baseline.of(table, scores="p")
    assert without.validated is without.majority is without.bias_sd is None


def test_baseline_refuses_what_is_no_envelope(table: Table) -> None:
    with pytest.raises(
        InputError, match=r"^envelope must be an Envelope, got 'dict'; pass stress\(...\).envelope\[model\]\.$"
    ):
        Baseline.of(table, envelope={})  # type: ignore[arg-type]


def test_baseline_draws_part_a_by_the_key(table: Table) -> None:
    keyed = table | {"id": np.arange(400) * 3}
    order = np.random.default_rng(1).permutation(400)
    shuffled = {name: np.asarray(cells)[order] for name, cells in keyed.items()}
    first, second = (Baseline.of(rows, key="id", random_state=seed) for rows, seed in ((keyed, 0), (shuffled, 1)))
    for name, plan in first.columns.items():
        assert plan.part.tolist() == second.columns[name].part.tolist()
        assert plan.reference.tolist() == second.columns[name].reference.tolist()


def test_baseline_by_row_number_depends_on_the_seed(table: Table) -> None:
    plans = [Baseline.of(table, random_state=seed).columns["age"].part.tolist() for seed in (0, 0, 1)]
    assert plans[0] == plans[1] != plans[2]


def test_baselines_on_the_same_cells_add_exactly(baseline: Baseline) -> None:
    more = Baseline.of(make_table(150, shift=3, seed=5), scores="p", labels="y", cells=baseline)
    both = baseline + more
    assert both.n_rows == 550
    for name, plan in both.columns.items():
        one, other = baseline.columns[name], more.columns[name]
        # The cells were fixed by the first one's part A; all rows of the second can be compared.
        assert other.part.sum() == 0
        assert plan.part.tolist() == one.part.tolist()
        assert plan.pool.tolist() == (one.pool + other.pool).tolist()
        assert plan.reference.sum() == 550
    assert both.performance is not None
    assert both.performance.n == 550
    assert both.moments is not None
    assert both.moments.rows.sum() == 550
    # Both parts in one table give the same sums, on the same cells and with the same calibration.
    rows = {
        name: np.concatenate([cells, make_table(150, shift=3, seed=5)[name]]) for name, cells in make_table(400).items()
    }
    whole = Baseline.of(rows, scores="p", labels="y", cells=baseline)
    assert whole.performance is not None
    assert whole.performance.confidence == pytest.approx(both.performance.confidence)
    assert whole.moments is not None
    assert whole.moments.columns["age"].products == pytest.approx(both.moments.columns["age"].products)
    for name, plan in whole.columns.items():
        assert plan.reference.tolist() == both.columns[name].reference.tolist()


def test_baselines_on_other_cells_cannot_be_added(baseline: Baseline) -> None:
    other = Baseline.of(make_table(150, seed=5), scores="p", labels="y")
    with pytest.raises(
        InputError, match=r"^baselines can only be added if their cells are the same; the cells of 'p' differ\.$"
    ):
        baseline + other
    message = "baselines can only be added if they have the same columns, classes and scores."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        baseline + Baseline.of(make_table(150, seed=5), scores="p")
    lacking = {name: cells for name, cells in make_table(150, seed=5).items() if name != "age"}
    message = "the reference must have all columns of the baseline in cells; it has none of 'age'."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        Baseline.of(lacking, scores="p", cells=baseline)


def test_baseline_redacted_keeps_no_name_of_a_category(table: Table) -> None:
    hidden = Baseline.of(table, scores="p", labels="y", redact=True)
    assert "clerk" not in repr(hidden.reference["job"])
    plain = Baseline.of(table, scores="p", labels="y")
    batch = {"p": [0.5] * 3, "job": ["clerk", "clerk", "baker"]}
    assert sorted(hidden.summarise(batch).facts.counts[3].tolist()) == sorted(
        plain.summarise(batch).facts.counts[3].tolist()
    )
    other = Baseline.of(table, scores="p", labels="y", redact=True)
    assert hidden.salt != other.salt
    # Otherwise a script that makes its monitor by a redacted baseline could not run twice.
    assert hidden.same_as(other)
    assert not hidden.same_as(plain)
    fewer = np.where(np.arange(400) < 20, "nurse", table["job"])
    assert not hidden.same_as(Baseline.of(table | {"job": fewer}, scores="p", labels="y", redact=True))


def test_summarise_says_that_the_model_answers_one_class_only(baseline: Baseline) -> None:
    batch = baseline.summarise(make_batch(100, seed=3) | {"p": np.full(100, 0.1)})
    assert [note.subject for note in batch.notes if note.code == "one answer"] == ["no"]
    assert batch.accuracy is not None
    assert batch.accuracy.estimate == pytest.approx(batch.shares["no"].estimate)
