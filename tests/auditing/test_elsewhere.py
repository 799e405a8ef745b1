"""Audits of scores and labels that are columns of tables that are not in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow.dataset as ds
import pytest
from tests.case.scored_files import N, rows, write_files

import shiftproof as sp
from shiftproof.core import _remote


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_files(tmp_path_factory.mktemp("scored"))


FORMS: dict[str, Callable[[Path], Any]] = {
    "polars": pl.scan_parquet,
    "duckdb": lambda file: duckdb.read_parquet(str(file)),
}


@pytest.fixture(scope="module")
def expected() -> sp.Audit:
    old, new = rows(0), rows(1)
    panel = sp.Panel.from_scores(old["y"], {"m": old["p"]}, new={"m": new["p"]})
    return sp.audit(panel, old[["a", "b", "job"]], None, new[["a", "b", "job"]], quick=True)


@pytest.mark.parametrize("form", ["polars", "duckdb"])
def test_audit_of_columns_is_that_of_a_panel(form: str, files: tuple[Path, Path], expected: sp.Audit) -> None:
    old, new = map(FORMS[form], files)
    result = sp.audit({"m": "p"}, old, "y", new, quick=True)
    assert result.headline == expected.headline
    assert [str(reason) for reason in result.reasons] == [str(reason) for reason in expected.reasons]
    own, other = (one.performance.to_frame() for one in (result, expected))
    pd.testing.assert_frame_equal(own, other, rtol=1e-9)
    pd.testing.assert_frame_equal(result.quantification.to_frame(), expected.quantification.to_frame(), rtol=1e-9)
    assert result.detection is not None
    assert expected.detection is not None
    pd.testing.assert_frame_equal(result.detection.to_frame(), expected.detection.to_frame(), rtol=1e-9)
    assert "y" not in result.detection.records
    assert "p" not in result.detection.records


def test_all_scores_count_where_features_are_a_sample(
    files: tuple[Path, Path], expected: sp.Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_remote, "SAMPLE", 500)
    old, new = map(ds.dataset, files)
    result = sp.audit({"m": "p"}, old, "y", new, quick=True)
    # What needs no rows of several columns is exact; the rest is near.
    assert result.evaluation.to_dict() == expected.evaluation.to_dict()
    assert result.detection is not None
    assert expected.detection is not None
    assert (result.detection.n_reference, result.performance.n_labelled, result.performance.n_new) == (N, N, N)
    pd.testing.assert_frame_equal(
        result.detection.to_frame()[["feature", "ks", "wasserstein"]].sort_values("feature", ignore_index=True),
        expected.detection.to_frame()[["feature", "ks", "wasserstein"]].sort_values("feature", ignore_index=True),
    )
    near, exact = (one.performance.estimates["m"]["accuracy"].interval.estimate for one in (result, expected))
    assert near == pytest.approx(exact, abs=0.03)
    assert result.performance.shift.n_reference == 500


def test_one_table_is_enough_to_evaluate(files: tuple[Path, Path]) -> None:
    lazy, local = (sp.evaluate({"m": "p"}, form(files[0]), "y") for form in (pl.scan_parquet, pd.read_parquet))
    assert lazy.to_dict() == local.to_dict()


def test_one_side_may_be_in_memory(files: tuple[Path, Path], expected: sp.Audit) -> None:
    new = sp.estimate_performance({"m": "p"}, pd.read_parquet(files[0]), "y", pl.scan_parquet(files[1]))
    own, other = (one.estimates["m"]["accuracy"].interval.estimate for one in (new, expected.performance))
    assert own == pytest.approx(other, rel=1e-9)


def test_constant_costs_need_no_table(files: tuple[Path, Path]) -> None:
    benefit = sp.Benefit(tp=5, fp=-1)
    profits = [
        sp.estimate_performance({"m": "p"}, form(files[0]), "y", form(files[1]), benefit=benefit, measures="profit")
        for form in (pl.scan_parquet, pd.read_parquet)
    ]
    own, other = (one.estimates["m"]["profit"].interval.estimate for one in profits)
    assert own == pytest.approx(other, rel=1e-9)
