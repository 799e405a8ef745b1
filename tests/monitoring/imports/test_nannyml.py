from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest

from shiftproof.core import InputError
from shiftproof.monitoring.imports import ImportedColumn, ImportedFigure, read_results
from shiftproof.monitoring.imports._nannyml import read_chunks

#: Made by tools/make_tool_results.py with NannyML 0.13.1 and Evidently 0.7.23.
RESULTS = Path(__file__).parent / "results"


@pytest.mark.parametrize("file", ["nannyml-estimated.csv", "nannyml-estimated-flat.csv"])
def test_estimates_have_their_interval_and_what_labels_said(file: str) -> None:
    results = read_results(RESULTS / file, "nannyml")
    table = pd.read_csv(RESULTS / "nannyml-estimated-flat.csv")
    analysis = table[table["chunk_period"] == "analysis"]
    assert [batch.id for batch in results.batches] == [f"nannyml {key}" for key in analysis["chunk_key"]]
    assert results.batches[1].at == datetime(2024, 2, 5, tzinfo=UTC)
    assert sum(batch.n_rows or 0 for batch in results.batches) == 672
    row = analysis.iloc[1]
    # NannyML's boundaries are three standard errors away.
    error = row["accuracy_sampling_error"]
    assert row["accuracy_upper_confidence_boundary"] - row["accuracy_value"] == pytest.approx(3 * error)
    assert results.batches[1].figures[:2] == (
        ImportedFigure(
            quantity="accuracy",
            estimate=row["accuracy_value"],
            low=row["accuracy_lower_confidence_boundary"],
            high=row["accuracy_upper_confidence_boundary"],
            level=0.9973,
            method="NannyML estimate",
        ),
        ImportedFigure(quantity="actual accuracy", estimate=row["accuracy_realized"], method="NannyML, with labels"),
    )
    assert [figure.quantity for figure in results.batches[1].figures[2:]] == ["auc", "actual auc"]
    assert results.left_out == ("5 chunks of the reference", "business_value", "thresholds and alerts")


def test_realized_performance_was_measured_with_labels() -> None:
    results = read_results(RESULTS / "nannyml-realized.parquet", "nannyml")
    assert {figure.quantity for batch in results.batches for figure in batch.figures} == {"actual accuracy"}
    estimated = read_results(RESULTS / "nannyml-estimated.csv", "nannyml")
    assert [batch.figures[0].estimate for batch in results.batches] == pytest.approx(
        [batch.figures[1].estimate for batch in estimated.batches]
    )


@pytest.mark.parametrize(("file", "chi2"), [("nannyml-drift.csv", "job chi2"), ("nannyml-drift-flat.csv", "job_chi2")])
def test_distances_of_columns_are_named_by_their_method(file: str, chi2: str) -> None:
    results = read_results(RESULTS / file, "nannyml")
    row = pd.read_csv(RESULTS / "nannyml-drift-flat.csv").iloc[-1]
    assert results.batches[-1].columns == (
        ImportedColumn(name="age", measure="NannyML kolmogorov_smirnov", distance=row["age_kolmogorov_smirnov_value"]),
        ImportedColumn(name="age", measure="NannyML wasserstein", distance=row["age_wasserstein_value"]),
        ImportedColumn(name="job", measure="NannyML jensen_shannon", distance=row["job_jensen_shannon_value"]),
    )
    # A statistic of chi-square grows with the rows and is no distance.
    assert chi2 in results.left_out


def test_chunk_without_a_value_has_no_figure() -> None:
    table = pd.read_csv(RESULTS / "nannyml-estimated-flat.csv")
    table.loc[:, ["accuracy_value", "roc_auc_realized"]] = float("nan")
    figures = read_chunks(table).batches[0].figures
    assert [figure.quantity for figure in figures] == ["actual accuracy", "auc"]


@pytest.mark.parametrize(
    ("file", "clause"),
    [
        ("nannyml-undated.csv", "chunk '[0:299]' has no date; run NannyML with timestamp_column_name"),
        (
            "nannyml-missing.csv",
            "found neither a performance such as accuracy nor a distance such as jensen_shannon; other results "
            "cannot be imported",
        ),
    ],
)
def test_results_without_a_place_in_a_monitor_are_refused(file: str, clause: str) -> None:
    with pytest.raises(InputError) as caught:
        read_results(RESULTS / file, "nannyml")
    assert str(caught.value) == f"{RESULTS / file}: {clause}."


def test_frame_without_chunks_is_refused() -> None:
    with pytest.raises(InputError, match=r"^found no chunks with results; save what results\.to_df\(\) returns"):
        read_chunks(pd.DataFrame({"age": [1.0]}))


def test_reference_alone_is_refused() -> None:
    table = pd.read_csv(RESULTS / "nannyml-estimated-flat.csv")
    with pytest.raises(InputError, match="found only chunks of the reference; save the results of the analysis too"):
        read_chunks(table[table["chunk_period"] == "reference"])
