from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB
from tests.monitoring.conftest import Table, make_table

from shiftproof import Baseline, cross_fit
from shiftproof.core import InputError
from shiftproof.monitoring._inputs import BaselineSources
from shiftproof.monitoring._learning import PLAIN_SALT, learn_fields


def test_learn_fields_of_plain_rows(table: Table) -> None:
    fields = learn_fields(BaselineSources(reference=table, scores="p", labels="y"))
    assert fields["n_rows"] == 400
    assert fields["salt"] == PLAIN_SALT
    assert list(fields["reference"]) == ["p", "age", "gap", "job"]
    assert [note.code for note in fields["notes"]] == ["independent rows"]


def test_learn_fields_of_a_part_without_all_classes(baseline: Baseline) -> None:
    rows = make_table(60, seed=5)
    part = Baseline.of(rows | {"y": np.full(60, "no")}, scores="p", labels="y", cells=baseline)
    both = baseline + part
    assert both.performance is not None
    assert both.performance.rows.sum() == 460
    assert both.scores == baseline.scores
    assert both.moments is not None
    assert both.moments.rows.tolist() == both.performance.rows.tolist()
    # Alone it has no row of one class, so nothing can be estimated.
    alone = part.summarise(make_table(40, seed=6))
    assert alone.accuracy is None
    assert alone.shift is None


def test_learn_fields_of_a_part_learns_its_levels(baseline: Baseline) -> None:
    rows = make_table(60, seed=5)
    rows["job"][:5] = "baker"
    both = baseline + Baseline.of(rows, scores="p", labels="y", cells=baseline)
    batch = make_table(40, seed=6)
    batch["job"][:] = "baker"
    assert baseline.summarise(batch).columns["job"].unseen == 1.0
    assert both.summarise(batch).columns["job"].unseen == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"job": [1] * 60}, "column 'job' holds text in the reference (such as 'nurse') and numbers in the new rows"),
        ({"y": ["maybe"] * 60}, "labels must hold only the classes 'no' and 'yes', got 'maybe'"),
    ],
)
def test_learn_fields_refuses_a_part_of_other_types(baseline: Baseline, change: Table, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        Baseline.of(make_table(60, seed=5) | change, scores="p", labels="y", cells=baseline)


def test_learn_fields_says_that_dates_change(table: Table) -> None:
    days = pd.to_datetime("2024-01-01") + pd.to_timedelta(np.arange(400) % 50, "D")
    baseline = Baseline.of(table | {"day": days})
    sentence = "Dates always change ('day'); pass exclude=['day'] unless they should be compared."
    assert sentence in baseline.summary()


@pytest.mark.parametrize("form", [pd.DataFrame, dict])
def test_learn_fields_of_a_panel_that_tested_some_rows(table: Table, form: Any) -> None:
    rows = {"age": table["age"], "gap": np.nan_to_num(table["gap"])}
    panel = cross_fit({"nb": GaussianNB()}, rows, table["y"], cv=TimeSeriesSplit(3), progress=False)
    baseline = Baseline.of(form(rows), panel=panel)
    assert baseline.n_rows == int(panel.tested.sum()) < 400
    assert list(baseline.columns) == ["nb", "age", "gap"]
    assert "The scores of 'nb' come from cross-validation." in baseline.summary()


def test_learn_fields_refuses_scores_in_place_of_another_column(table: Table) -> None:
    rows = table | {"score": np.arange(400) % 7}
    message = "scores must have a different name from the column 'score' of the reference; rename that column, "
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        Baseline.of(rows, scores=table["p"])
    # The same column under its own name is fine.
    assert "p" in Baseline.of(table, scores=pd.Series(table["p"], name="p")).columns
