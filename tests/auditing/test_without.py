"""What makes new data too different, and what would be estimated without these columns."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from shiftproof.auditing import Audit, Without, audit
from shiftproof.auditing._next_step import what_to_do, without_text
from shiftproof.auditing._without import NewValues, columns_to_try, new_values
from shiftproof.auditing._words import too_different_text
from shiftproof.case import Case, Tables
from shiftproof.core import ColumnsLeftOut, Interval, Sensitive
from shiftproof.panel import Panel, cross_fit


def without(low: float = 0.926, high: float = 0.967, columns: tuple[str, ...] = ("month",)) -> Without:
    """Leave out a month that is new."""
    interval = Interval(estimate=(low + high) / 2, low=low, high=high, level=0.9, method="routed pool")
    values = dict.fromkeys(columns, Sensitive("'aug'"))
    return Without(columns=columns, values=values, model="lr", measure="accuracy", interval=interval, validated=0.94)


def test_without_text_offers_the_exclusion() -> None:
    assert str(without_text(without())) == (
        "Without 'month', expect 92.6% to 96.7% accuracy from lr, if 'month' has no effect on the label: pass "
        "exclude=['month']."
    )
    assert str(without_text(without(columns=("month", "day")))).startswith(
        "Without 'month' and 'day', expect 92.6% to 96.7% accuracy from lr, if these columns have no effect on "
    )


def test_without_text_of_a_second_refusal_offers_nothing() -> None:
    refused = without(math.nan, math.nan)
    assert refused.refused
    assert str(without_text(refused)) == "Without 'month' the accuracy of lr cannot be estimated either."


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


def monthly(*, quick: bool = False, fitted: str = "") -> Audit:
    """Audit rows of July on rows of August, in which the month is the only change."""
    rng = np.random.default_rng(0)
    y, y_new = rng.integers(0, 2, 150), rng.integers(0, 2, 100)
    X, X_new = (
        pd.DataFrame({"x": rng.normal(size=len(codes)) + 2.0 * codes, "month": month})
        for codes, month in ((y, rng.choice([6.0, 7.0], 150)), (y_new, 8.0))
    )
    models: Any = {"nb": GaussianNB().fit(X, y) if fitted == "deployed" else GaussianNB()}
    settings: Any = {"cv": "prefit" if fitted == "deployed" else 3}
    if fitted == "panel":
        models, settings = cross_fit(models, X, y, **settings), {}
    kinds = {"month": "nominal"}
    return audit(models, X, y, X_new, quick=quick, kinds=kinds, reverse=False, progress=False, **settings)


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
        "go on. "
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


class OfX(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A model of x alone, which does not remember its columns."""

    def fit(self, X: Any, y: Any) -> OfX:
        self.model_ = GaussianNB().fit(X[["x"]].to_numpy(), y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.model_.predict_proba(X[["x"]].to_numpy())


def test_what_to_do_names_dates_that_only_grow_in_the_first_run() -> None:
    rng = np.random.default_rng(0)
    y, y_new = rng.integers(0, 2, 150), rng.integers(0, 2, 100)
    X, X_new = (
        pd.DataFrame(
            {
                "x": rng.normal(size=len(codes)) + 2.0 * codes,
                "signup": pd.Timestamp(start) + pd.to_timedelta(rng.integers(0, 90, len(codes)), "D"),
            }
        )
        for codes, start in ((y, "2025-01-01"), (y_new, "2025-07-01"))
    )
    models: Any = {"nb": make_pipeline(make_column_transformer(("passthrough", ["x"])), GaussianNB())}
    dated = audit(models, X, y, X_new, quick=True, progress=False, cv=3)
    assert [(one.column, one.growing) for one in dated.growing] == [("signup", "dates")]
    assert str(what_to_do(dated)) == (
        "'signup' holds dates that only increase: leave it out with exclude=['signup'], or give it as time='signup'. "
        "Otherwise label some new rows (plan() lists them; on the command line, use --plan FILE) before using nb."
    )
    rising = replace(dated.growing[0], growing="numbers")
    assert str(what_to_do(replace(dated, new_values=(rising,)))).startswith(
        "'signup' only increases: leave it out with "
    )
    other = NewValues(column="x", share=0.9, values=Sensitive("above 3"))
    assert replace(dated, new_values=(*dated.new_values, other)).growing == ()
    # A model that does not remember its columns may need this one, or not even look at it.
    forgetful = {"nb": OfX().fit(X, y)}
    deployed = audit(forgetful, X, y, X_new, cv="prefit", quick=True, progress=False)
    assert deployed.growing == ()
    assert str(what_to_do(deployed)) == (
        "'signup' has new values. If nb does not use it, audit again with exclude=['signup']. Otherwise label "
        "some new rows (plan() lists them; on the command line, use --plan FILE) before using nb."
    )
    assert not audit(forgetful, X, y, X_new, cv="prefit", quick=True, progress=False, exclude=["signup"]).refused
    # Given scores need no table, so that the dates are left out by themselves.
    old, new = (1 / (1 + np.exp(1 - table["x"].to_numpy())) for table in (X, X_new))
    with pytest.warns(ColumnsLeftOut, match="'signup'"):
        scored = audit(Panel.from_scores(y, {"nb": old}, new={"nb": new}), X, y, X_new, quick=True, progress=False)
    assert not scored.refused
    assert scored.to_page().head["Columns not compared"] == "'signup' (later in the new data)"


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


def test_what_to_do_with_a_panel_is_to_make_it_again() -> None:
    quick = monthly(quick=True, fitted="panel")
    assert str(what_to_do(quick)) == (
        "Make the panel again without 'month', or audit without quick=True, which tries that by itself. Or label some "
        "new rows (plan() lists them; on the command line, use --plan FILE) before using nb."
    )
    tried = monthly(fitted="panel")
    assert str(what_to_do(tried)).startswith("Make the panel again without 'month', or label some new rows ")
    assert any(str(reason.text).endswith(": make the panel again without it.") for reason in tried.reasons)
    dated = replace(quick, new_values=(replace(quick.new_values[0], growing="dates"),))
    assert str(what_to_do(dated)).startswith("'month' holds dates that only increase: make the panel again without it.")
