from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.monitoring.conftest import Table, make_table

from shiftproof import detect
from shiftproof.core import InputError
from shiftproof.monitoring import Baseline


def features(table: Table) -> Table:
    return {name: cells for name, cells in table.items() if name != "y"}


def test_summarise_counts_every_column(baseline: Baseline) -> None:
    batch = baseline.summarise(features(make_table(90, seed=1)))
    plans = baseline.columns
    assert list(batch.columns) == list(plans) == ["p", "age", "gap", "job"]
    assert batch.facts.n == 90
    for plan, counts, below in zip(plans.values(), batch.facts.counts, batch.facts.below, strict=True):
        assert len(counts) == len(plan.reference)
        assert counts.sum() == 90
        assert (below is None) == (plan.kind == "category")
        assert below is None or (len(below) == 31 and below[-1] <= 90)


def test_summarise_distances_agree_with_detect(baseline: Baseline, table: Table) -> None:
    batch = features(make_table(300, shift=6, seed=1))
    changes = baseline.summarise(batch).columns
    found = detect(features(table), batch, multivariate=False, exclude=["p"])
    rows = {(row.feature, row.test): row for row in found.rows}
    # Measured at the quantiles of the reference only, the KS distance may be a little smaller.
    for name in ("age", "gap"):
        full = rows[name, "ks"].effect
        assert full - 0.02 < changes[name].distance <= full + 1e-12
    assert changes["job"].distance == pytest.approx(rows["job", "chi-square"].effect)
    assert changes["job"].p_value == pytest.approx(rows["job", "chi-square"].p_value, abs=0.02)
    assert changes["gap"].missing == pytest.approx(rows["gap", "ks"].missing_current)
    assert changes["gap"].p_missing == pytest.approx(rows["gap", "missing"].p_value)


def test_summarise_without_a_column_counts_it_as_missing(baseline: Baseline) -> None:
    batch = features(make_table(50, seed=1))
    del batch["job"]
    summary = baseline.summarise(batch | {"extra": np.zeros(50)})
    assert summary.columns["job"].missing == 1.0
    assert summary.facts.counts[3].tolist() == [50, 0, 0, 0, 0, 0]
    assert summary.summary().endswith(
        "Not in the batch, so all values count as missing: 'job'. Not in the baseline, so not compared: 'extra'."
    )
    assert "'job' is missing in 100% of the rows, compared with 0% before." in summary.summary()
    assert "No shift is visible" not in summary.summary()


def test_summarise_names_values_never_seen(baseline: Baseline) -> None:
    batch = features(make_table(50, seed=1))
    batch["job"] = np.array(["pilot"] * 48 + ["baker", "baker"])
    batch["age"] = np.r_[batch["age"][:-1], np.inf]
    summary = baseline.summarise(batch)
    assert summary.columns["job"].unseen == 0.04
    assert summary.columns["age"].unseen == 0.02
    sentence = "Column 'job' has new values, which the baseline never had: 'baker' (2 rows)."
    assert sentence in summary.summary()
    assert summary.notes[0].sensitive


def test_summarise_compares_numbers_by_their_text_if_the_reference_has_text() -> None:
    rows = Baseline.of({"code": ["1", "2", "A", "A"] * 50})
    as_text = rows.summarise({"code": ["1", "2", "2", "7", None]})
    for numbers in (pd.Series([1, 2, 2, 7, None]), pd.Series([1, 2, 2, 7, None], dtype="Int64")):
        batch = rows.summarise({"code": numbers})
        assert batch.facts.counts[0].tolist() == as_text.facts.counts[0].tolist()
        assert "Column 'code' has new values, which the baseline never had: '7' (1 row)." in batch.summary()
    more = Baseline.of({"code": [1, 2] * 50}, cells=rows)
    assert (rows + more).columns["code"].reference.sum() == 300
    with pytest.raises(InputError, match=r"holds text in the reference .* and numbers in the batch \(such as 7\)"):
        rows.summarise({"code": [7, 8]})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"age": ["x"] * 50},
            "column 'age' holds numbers in the reference (such as 41.257302210933936) "
            "and text in the batch (such as 'x'); convert one of them.",
        ),
        (
            {"job": np.arange(50)},
            "column 'job' holds text in the reference (such as 'nurse') "
            "and numbers in the batch (such as 0); convert one of them.",
        ),
        (
            {"p": np.full(50, 1.5)},
            "the scores of the batch must lie between 0 and 1, got 1.5; "
            "turn decision values into probabilities first, or divide percentages by 100.",
        ),
        (
            {"p": [None] * 50},
            "the scores of the batch must have a value in every row, got 50 rows without one; drop such rows first.",
        ),
        ({"p": None}, "the batch has no score column 'p'; available: 'age', 'gap', 'job'."),
    ],
)
def test_summarise_refuses(baseline: Baseline, change: dict[str, Any], message: str) -> None:
    batch = features(make_table(50, seed=1)) | change
    batch = {name: cells for name, cells in batch.items() if cells is not None}
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        baseline.summarise(batch)


def test_summarise_refuses_no_rows(baseline: Baseline) -> None:
    message = "batch must hold at least one row, got 0; check the filter or the file it came from."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        baseline.summarise(pd.DataFrame(features(make_table(1))).head(0))


def test_summarise_refuses_another_table(baseline: Baseline) -> None:
    message = "batch must share at least one column with the baseline, got 'x' against 'p', 'age', 'gap' and 1 "
    message += "more; check its header."
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        baseline.summarise({"x": [1]})


def test_batch_summary_is_json_and_a_frame(baseline: Baseline) -> None:
    summary = baseline.summarise(features(make_table(60, seed=1)))
    assert json.loads(json.dumps(summary.to_dict()))["columns"]["age"]["measure"] == "ks"
    assert summary.to_frame()["column"].tolist() == ["p", "age", "gap", "job"]
    assert len(summary.content) == 64


def test_summarise_one_row(baseline: Baseline) -> None:
    assert baseline.summarise(features(make_table(1, seed=1))).n_rows == 1
