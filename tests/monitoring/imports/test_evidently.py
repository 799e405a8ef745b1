from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.monitoring.imports.test_nannyml import RESULTS

from shiftproof.core import InputError
from shiftproof.monitoring.imports import ImportedFigure, read_results
from shiftproof.monitoring.imports._evidently import read_snapshot

FEBRUARY = datetime(2024, 2, 1, tzinfo=UTC)


def snapshot(*metrics: tuple[str, dict[str, Any], Any]) -> dict[str, Any]:
    kinds = [{"config": {"type": f"evidently:metric_v2:{kind}", **of}, "value": value} for kind, of, value in metrics]
    return {"metrics": kinds, "tests": []}


def test_both_forms_of_a_snapshot_say_the_same() -> None:
    plain = read_results(RESULTS / "evidently-2024-02.json", "evidently", at=FEBRUARY)
    dumped = read_results(RESULTS / "evidently-dump.json", "evidently", name="February")
    batch, other = plain.batches[0], dumped.batches[0]
    # The comparison of columns with gaps is by their representation, because NaN is not equal to itself.
    assert (batch.n_rows, batch.figures, repr(batch.columns)) == (other.n_rows, other.figures, repr(other.columns))
    assert (batch.id, batch.at) == ("evidently evidently-2024-02.json", FEBRUARY)
    assert (other.id, other.at) == ("evidently February", datetime(2024, 2, 27, 23, tzinfo=UTC))
    assert plain.left_out == ("UniqueValueCount",)
    assert dumped.left_out == ("UniqueValueCount", "thresholds and tests")


def test_metrics_are_taken_over_by_their_names() -> None:
    values = {
        one["config"]["type"]: one["value"]
        for one in json.loads((RESULTS / "evidently-2024-02.json").read_text())["metrics"]
    }
    batch = read_results(RESULTS / "evidently-2024-02.json", "evidently", at=FEBRUARY).batches[0]
    assert batch.n_rows == 672
    accuracy = values["evidently:metric_v2:Accuracy"]
    assert batch.figures[0] == ImportedFigure(
        quantity="actual accuracy", estimate=accuracy, method="Evidently, with labels"
    )
    assert [figure.quantity for figure in batch.figures] == ["actual accuracy", "actual f1"]
    age, job = batch.columns
    # One is a test with a p-value, the other is a distance.
    assert (age.name, age.measure, age.missing) == ("age", "Evidently K-S p_value", 0.0)
    assert 0.0 <= age.p_value < 0.001
    assert (job.name, job.measure) == ("job", "Evidently Jensen-Shannon distance")
    assert 0.0 < job.distance < 0.1
    assert age.distance != age.distance
    assert job.p_value != job.p_value


@pytest.mark.parametrize(
    ("method", "measure", "field"),
    [
        ("ks", "Evidently K-S p_value", "p_value"),
        ("K-S p_value", "Evidently K-S p_value", "p_value"),
        ("Anderson-Darling", "Evidently Anderson-Darling", "p_value"),
        ("psi", "Evidently PSI", "distance"),
        ("Wasserstein distance (normed)", "Evidently Wasserstein distance (normed)", "distance"),
    ],
)
def test_method_says_whether_a_value_is_a_distance_or_a_p_value(method: str, measure: str, field: str) -> None:
    one = snapshot(("ValueDrift", {"column": "age", "method": method, "threshold": 0.1}, 0.25))
    column = read_snapshot(one, at=FEBRUARY).batches[0].columns[0]
    assert (column.measure, getattr(column, field)) == (measure, 0.25)


def test_value_of_an_unknown_method_is_left_out() -> None:
    custom = ("ValueDrift", {"column": "age", "method": "custom function 'mine'"}, 0.25)
    results = read_snapshot(snapshot(custom, ("Accuracy", {}, 0.8)), at=FEBRUARY)
    assert (results.batches[0].columns, results.left_out) == ((), ("ValueDrift",))


def test_missing_values_alone_are_a_column() -> None:
    one = snapshot(("MissingValueCount", {"column": "age"}, {"count": 3.0, "share": 0.25}))
    column = read_snapshot(one, at=FEBRUARY).batches[0].columns[0]
    assert (column.name, column.measure, column.missing) == ("age", "Evidently missing values", 0.25)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ([], "not a snapshot of Evidently 0.7 or newer; save one with save_json or dump_dict."),
        ({"metrics": [{"metric": "DatasetDriftMetric"}]}, "not a snapshot of Evidently 0.7 or newer; save one with"),
        (snapshot(("Accuracy", {}, 0.8)), "does not contain a time (save_json does not write one); pass at."),
        (
            snapshot(("RowCount", {}, 5.0), ("Accuracy", {}, None)) | {"timestamp": "2024-03-01"},
            "found neither a performance such as Accuracy nor ValueDrift or MissingValueCount of a column.",
        ),
    ],
)
def test_other_content_is_refused(content: Any, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        read_snapshot(content)
    assert str(caught.value).startswith(sentence)
