"""What to do after an audit, verdict by verdict."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from tests.auditing.cases import expecting, monthly, without

from shiftproof.auditing import audit
from shiftproof.auditing._next_step import what_to_do, without_text
from shiftproof.auditing._without import NewValues
from shiftproof.core import ColumnsLeftOut, Sensitive
from shiftproof.panel import Panel


def test_what_to_do_differs_by_verdict() -> None:
    best = expecting(0.8, 0.78, 0.82).best
    label = "abel some new rows (plan() lists them; on the command line, use --plan FILE)"
    steps = {
        (0.80, 0.78, 0.82): f"You can use {best} on the new data.",
        (
            0.77,
            0.70,
            0.84,
        ): f"If 70.0% accuracy would still be good enough, use {best}. If not, l{label}.",
        (0.70, 0.68, 0.725): f"If 68.0% to 72.5% is not good enough, l{label} and train again.",
        (math.nan, math.nan, math.nan): f"L{label} before using {best}.",
    }
    for figures, words in steps.items():
        assert str(what_to_do(expecting(*figures))) == words


def test_what_to_do_asks_for_no_labels_that_hardly_help() -> None:
    found = expecting(0.77, 0.70, 0.79)
    assert str(what_to_do(found, which_rows="")) == f"If 70.0% accuracy would still be good enough, use {found.best}."


def test_what_to_do_with_all_labels_asks_for_none() -> None:
    for figures in ((0.74, 0.70, 0.79), (0.70, 0.68, 0.725), (0.65, 0.40, 0.78)):
        assert "label some" not in str(what_to_do(expecting(*figures), labels_known=True)).lower()


def test_what_to_do_points_to_the_actual_value_where_it_is_known() -> None:
    found = expecting(0.76, 0.66, 0.82)
    actual = f"The labels are known now: judge {found.best} by its actual accuracy."
    words = f"{actual} If that is not good enough, train again with these labels."
    assert str(what_to_do(found, labels_known=True)) == words


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


def test_what_to_do_with_a_fitted_model_knows_which_columns_it_uses() -> None:
    rng = np.random.default_rng(0)
    y, y_new = rng.integers(0, 2, 150), rng.integers(0, 2, 100)
    X, X_new = (
        pd.DataFrame({"x": rng.normal(size=len(codes)) + 2.0 * codes, "month": month})
        for codes, month in ((y, "jul"), (y_new, "aug"))
    )
    of_x = make_pipeline(make_column_transformer(("passthrough", ["x"])), GaussianNB()).fit(X, y)
    unused = audit({"nb": of_x}, X, y, X_new, cv="prefit", quick=True, progress=False)
    assert unused.columns_used == frozenset("x")
    assert str(what_to_do(unused)).startswith(
        "'month' has new values, but nb does not use it: audit again with exclude=['month'], or label some new rows "
    )
    assert monthly(fitted="deployed").perhaps_unused == ()
