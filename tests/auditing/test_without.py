"""What makes new data too different, and what would be estimated without these columns."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from tests.auditing.cases import monthly, without

from shiftproof.auditing import Audit, audit
from shiftproof.auditing._next_step import what_to_do, without_text
from shiftproof.auditing._without import columns_to_try, new_values
from shiftproof.auditing._words import too_different_text
from shiftproof.case import Case, Tables
from shiftproof.core import ColumnsLeftOut
from shiftproof.panel import cross_fit


def test_without_to_dict_is_plain() -> None:
    assert without().to_dict()["values"] == {"month": "'aug'"}
    assert without(math.nan, math.nan).to_dict()["interval"]["low"] is None


def test_new_values_of_categories_numbers_and_dates() -> None:
    labelled = {
        "month": ["jun", "jul", "jul", "jul"],
        "age": [20.0, 30.0, math.nan, 40.0],
        "day": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"]),
        "same": [1.0, 2.0, 3.0, 4.0],
    }
    new = {
        "month": ["aug", "aug", "aug", "sep"],
        "age": [10.0, 50.0, 30.0, math.nan],
        "day": pd.to_datetime(["2021-01-01", "2020-01-02", "2020-01-02", "2020-01-02"]),
        "same": [1.5, 2.0, 3.0, 4.0],
    }
    tables = Tables(labelled=pd.DataFrame(labelled), new=pd.DataFrame(new), kinds_given={"day": "date"})
    assert [(one.column, one.share, str(one.values)) for one in new_values(tables)] == [
        ("month", 1.0, "'aug' and 'sep'"),
        ("age", 0.5, "below 20 or above 40"),
        ("day", 0.25, "later"),
    ]


def test_new_values_of_an_empty_column_are_all_new() -> None:
    labelled = pd.DataFrame({"age": [20.0, 30.0, 40.0], "job": ["a", "b", "b"], "always": [math.nan] * 3})
    tables = Tables(labelled=labelled, new=labelled.assign(age=math.nan, job=None))
    assert [(one.column, one.share, str(one.values)) for one in new_values(tables)] == [("age", 1, ""), ("job", 1, "")]


def test_new_values_without_features_are_none() -> None:
    assert new_values(Tables()) == ()


@pytest.fixture(scope="module")
def refused() -> Audit:
    return monthly()


def test_refused_audit_names_the_column_and_offers_an_estimate_without_it(refused: Audit) -> None:
    assert refused.verdict == "cannot tell"
    found: Any = refused.without
    assert found.columns == ("month",)
    assert not found.refused
    assert 0.7 < found.interval.low < found.interval.high < 1
    assert found.fits == 4
    assert "trying without 'month'" in [stage.name for stage in refused.stages]
    texts = [reason.text for reason in refused.reasons]
    assert texts[1].endswith("'month' has only new values (8.0).")
    assert texts[2] == str(without_text(found))
    assert str(what_to_do(refused)) == (
        "Audit without 'month' (exclude=['month']), or label some new rows "
        "(plan() lists them; on the command line, use --plan FILE) before using nb."
    )


def test_redacted_page_hides_new_values(refused: Audit, tmp_path: Path) -> None:
    words = too_different_text(refused)
    assert "(8.0)" in str(words)
    assert "8.0" not in words.redacted()
    page = refused.save(tmp_path / "page.html", redact=True).read_text(encoding="utf-8")
    assert "has only new values (" in page
    assert "(8.0)" not in page


def test_an_empty_column_is_named_first_and_left_out_on_trial() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 150)
    X = pd.DataFrame({"x": rng.normal(size=150) + 2.0 * y, "age": rng.normal(size=150)})
    model = HistGradientBoostingClassifier(max_iter=5)
    empty = audit({"gb": model}, X, y, X.assign(age=math.nan)[:100], cv=3, reverse=False, progress=False)
    assert empty.emptied == ("age",)
    assert str(what_to_do(empty)).startswith(
        "First check 'age', which is empty in the new data. If there is a mistake, correct it and audit again. If not, "
        "go on as follows. "
    )
    if empty.refused:
        assert str(too_different_text(empty)).endswith(" 'age' is empty.")
        assert empty.without is not None
        assert empty.without.columns == ("age",)


def test_nothing_is_refitted_in_a_quick_audit() -> None:
    quick = monthly(quick=True)
    assert quick.without is None
    assert [one.column for one in quick.new_values] == ["month"]
    assert quick.untried == ("month",)
    assert str(what_to_do(quick)) == (
        "Leave out 'month' (exclude=['month']), or audit without quick=True, which tries that by itself. Or label "
        "some new rows (plan() lists them; on the command line, use --plan FILE) before using nb."
    )


def test_new_values_of_numbers_that_rise_from_row_to_row_are_growing() -> None:
    labelled = pd.DataFrame({"week": [1.0, 1, 2, 3], "size": [3.0, 1, 2, 1], "ratio": [1.0, 1, 2, 3]})
    new = pd.DataFrame({"week": [4.0, 4, 5, 6], "size": [4.0, 4, 5, 6], "ratio": [math.inf] * 4})
    with warnings.catch_warnings():
        # Infinity less infinity would be a warning of NumPy, which says nothing to users.
        warnings.simplefilter("error")
        growing = {one.column: one.growing for one in new_values(Tables(labelled=labelled, new=new))}
    assert growing == {"week": "numbers", "size": "", "ratio": ""}


def test_too_different_text_joins_three_signs_as_a_list() -> None:
    signs = {"weights_too_uneven": True, "too_many_outside": True, "correlated_differently": False}
    evidence = SimpleNamespace(outside=0.4, resembling=0.12, values_are_new=True, new_values=0.4, **signs)
    shift = SimpleNamespace(evidence=evidence, newest="ca")
    found: Any = SimpleNamespace(shift=shift, refused=True, new_values=())
    seen = "only 12% of the labelled rows resemble them, 40% of new rows have no similar labelled row and"
    assert str(too_different_text(found)) == (
        f"The labelled data don't cover the new data: {seen} many of their values are new."
    )
    evidence.outside = 1.0
    assert str(too_different_text(found)) == (
        "The labelled data don't cover the new data: no new row has a similar labelled row and many of their values "
        "are new."
    )
    evidence.outside, evidence.new_values = 0.4, 0.99
    assert str(too_different_text(found)) == (
        f"The labelled data don't cover the new data: {seen} 99.0% have a new or missing value in 'ca'."
    )


def test_nothing_is_refitted_for_deployed_models() -> None:
    assert monthly(fitted="deployed").without is None


def test_columns_to_try_are_those_with_mostly_new_values() -> None:
    rng = np.random.default_rng(0)
    labelled = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40)})
    new = labelled.assign(b=np.where(np.arange(40) < 15, 9.0, 0.0))
    case = Case.of(GaussianNB(), labelled, np.arange(40) % 2, new, purpose="a test", cv=2, progress=False)
    unknown = new_values(case.tables)
    assert [(one.column, one.share) for one in unknown] == [("b", 0.375)]
    assert columns_to_try(case, unknown) == ()


def test_columns_that_a_fitted_model_does_not_use_are_not_compared() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X = pd.DataFrame(
        {
            "x": rng.normal(size=400) + 2.0 * y,
            "signup": pd.Timestamp("2025-01-01") + pd.to_timedelta(np.arange(400), "D"),
        }
    )
    model: Any = make_pipeline(make_column_transformer(("passthrough", ["x"])), GaussianNB())
    given = (X[:200], y[:200], X[200:])
    fitted = {"nb": clone(model).fit(X, y)}
    on_fewer = {"nb": GaussianNB().fit(X[["x"]], y)}
    panel = cross_fit({"nb": model}, *given[:2], cv=3)
    for models, settings in ((fitted, {"cv": "prefit"}), (on_fewer, {"cv": "prefit"}), (panel, {})):
        with pytest.warns(ColumnsLeftOut, match=r"^left out of tests: 'signup' \(later in the new data\)"):
            result = audit(models, *given, quick=True, progress=False, **settings)  # type: ignore[arg-type]
        assert not result.refused
        assert result.detection is not None
        assert {row.feature for row in result.detection.rows} == {"x"}


def test_new_values_that_are_later_dates_left_as_text_only_grow() -> None:
    labelled = {"day": ["2024-01-01", "2024-01-02", "2024-01-02"], "x": ["a", "b", "b"]}
    new = {"day": ["2024-02-01", "2024-02-01", "2024-02-01"], "x": ["c", "c", "c"]}
    found = {one.column: one.growing for one in new_values(Tables(labelled=labelled, new=new))}
    assert found == {"day": "dates", "x": ""}
