from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats
from sklearn.dummy import DummyClassifier

from shiftproof.panel._inputs import as_features
from shiftproof.robustness._features import FeatureShifts, fails
from shiftproof.robustness._subject import Subject, make_subject
from shiftproof.simulation import Cell, Grid
from shiftproof.stats import chi_square, compare, compare_tables, hellinger, kolmogorov_smirnov


def subject_of(X: pd.DataFrame, y: Any) -> Subject:
    how: dict[str, Any] = {"split": (0.5, 0.2, 0.3), "pos_label": None, "seed": 0, "n_jobs": None, "progress": False}
    return make_subject(DummyClassifier(), as_features(X), y, **how)


@pytest.fixture(scope="module")
def subject() -> Subject:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=400),
            "b": rng.normal(size=400).round(1),
            "job": rng.choice(["x", "y", "z"], size=400),
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(900, size=400), unit="D"),
            "id": [f"row {at}" for at in range(400)],
        }
    )
    X["c"] = X["a"] + rng.normal(size=400)
    y = rng.integers(2, size=400)
    return subject_of(X, y)


def test_reused_columns_say_the_same_as_whole_tables(subject: Subject) -> None:
    grid = Grid(subject.table(subject.test), families=("mnar", "base", "mcar", "mar", "offset"))
    shifts = FeatureShifts(subject, 0.05)
    assert shifts.left_out == {"id": "identifier"}
    training = subject.table(subject.reference).drop(columns="id")
    for shifted in grid:
        found = shifts.of(shifted)
        table = shifted.table.drop(columns="id")
        masked = [shifted.changed] if shifted.family == "mnar" and shifted.changed != "id" else []
        records = compare_tables(training.drop(columns=masked), table.drop(columns=masked))
        distances = np.array([hellinger(record) for record in records.values()])
        tests = [(chi_square if name == "job" else kolmogorov_smirnov)(record) for name, record in records.items()]
        assert found.hellinger == pytest.approx(distances.mean())
        assert found.failing == pytest.approx(np.mean([test.p_value <= 0.05 for test in tests]))
        assert found.skew == pytest.approx(scipy_stats.skew(distances))


def test_a_clear_case_needs_no_exact_p_value() -> None:
    rng = np.random.default_rng(0)
    for size in (30, 300):
        for shift in (0.0, 0.2, 0.4, 1.0):
            record = compare(rng.normal(size=size), rng.normal(shift, size=size))
            assert fails(record, 0.05) == (kolmogorov_smirnov(record).p_value <= 0.05)
    assert not fails(compare([1.0, 2.0], [math.nan]), 0.05)


def test_no_feature_no_distance() -> None:
    X = pd.DataFrame({"id": [f"row {at}" for at in range(200)]})
    subject = subject_of(X, np.tile([0, 1], 100))
    found = FeatureShifts(subject, 0.05).of(next(iter(Grid(subject.table(subject.test), families=["base"]))))
    assert math.isnan(found.failing)
    assert math.isnan(found.hellinger)


def test_within_a_class_its_rows_are_compared(subject: Subject) -> None:
    how: dict[str, Any] = {"families": ("base", "mar", "offset", "prior"), "features": ["a"], "prevalences": [0.2]}
    grid = Grid(subject.table(subject.test), subject.codes, pos_label=1, **how)
    training = subject.table(subject.reference).drop(columns="id")
    learnt = subject.panel.y[subject.reference]
    for code in (0, 1):
        shifts = FeatureShifts(subject, 0.05, code=code)
        for shifted in grid:
            found = shifts.of(shifted)
            own = subject.codes[shifted.rows] == code
            records = compare_tables(training[learnt == code], shifted.table.drop(columns="id")[own])
            tests = [(chi_square if name == "job" else kolmogorov_smirnov)(record) for name, record in records.items()]
            assert found.failing == pytest.approx(np.mean([test.p_value <= 0.05 for test in tests]))
            assert found.hellinger == pytest.approx(np.mean([hellinger(record) for record in records.values()]))


def test_a_class_without_rows_has_no_distance(subject: Subject) -> None:
    base = Grid(subject.table(subject.test), families=("base",)).make(Cell("base"))
    rows = base.rows[subject.codes[base.rows] == 1]
    gone = replace(base, rows=rows)
    assert math.isnan(FeatureShifts(subject, 0.05, code=0).of(gone).failing)
    assert FeatureShifts(subject, 0.05, code=1).of(gone).failing >= 0
