"""The findings of the review that attacked the library from outside, each with what it expects instead."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.hostile._call import Tiny, as_numbers, plain, rows
from tests.hostile._models import Buffered, Decides, Reversed, deciding, giving

import shiftproof as sp

LABELLED, LABELS = rows(150, 0)
NEW, NEW_LABELS = rows(120, 1)


@contextmanager
def warned() -> Iterator[list[str]]:
    """Collect the sentences of warnings."""
    sentences: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield sentences
    sentences += [str(warning.message) for warning in caught]


def accuracy(models: Any, X: Any, y: Any, **options: Any) -> float:
    evaluation = sp.evaluate(models, X, y, cv=2, **options)
    return next(iter(evaluation.estimates.values()))["accuracy"].estimate


def late_column(kind: Any) -> pd.DataFrame:
    """Return a number that is missing in the first 110 rows, as of a column that was introduced later."""
    cells = [None] * 110 + LABELLED["a"].tolist()[110:]
    return LABELLED[["b"]].assign(z=pd.Series(cells, dtype=kind))


def test_s1_numbers_that_start_late_are_numbers_whatever_their_type() -> None:
    models = sp.default_models(only=["nb"])
    assert accuracy(models, late_column(object), LABELS) == accuracy(models, late_column(float), LABELS)


def test_s1_kind_of_a_late_column_does_not_depend_on_its_type() -> None:
    rows = [sp.detect(late_column(kind), late_column(kind)[::-1], multivariate=False).rows for kind in (float, object)]
    assert [row.kind for row in rows[0]] == [row.kind for row in rows[1]]


def test_s2_copies_among_the_labelled_rows_are_warned_of() -> None:
    X, y = pd.concat([LABELLED] * 3, ignore_index=True), np.tile(LABELS, 3)
    with warned() as sentences:
        sp.evaluate({"m": Tiny()}, X, y, cv=5)
    assert any("groups" in sentence and "%" in sentence for sentence in sentences)


@pytest.mark.parametrize("verb", [sp.audit, sp.select, sp.estimate_performance, sp.quantify])
def test_s3_fitted_model_that_is_fitted_anew_is_warned_of(verb: Callable[..., Any]) -> None:
    call = plain()
    deployed = Tiny().fit(call.X, 1 - call.y)
    options: dict[str, Any] = {"quick": True} if verb is sp.audit else {"reverse": False} if verb is sp.select else {}
    options |= {"resamples": 20, "check": False} if verb is sp.quantify else {}
    with warned() as sentences:
        verb({"deployed": deployed, "other": Tiny(0.2)}, call.X, call.y, call.new, **options)
    (sentence,) = [sentence for sentence in sentences if "already fitted" in sentence]
    assert "'deployed'" in sentence
    assert "'other'" not in sentence
    assert "prefit" in sentence


def churn_panel(**options: Any) -> sp.Panel:
    """Return scores that are probabilities of 'churned', which sorts before 'stayed'."""
    call = plain()
    labels = np.where(call.y == 1, "churned", "stayed")
    return sp.Panel.from_scores(labels, {"m": call.scores[:, 1]}, new={"m": call.new_scores[:, 1]}, **options)


def test_s4_flat_scores_are_of_the_positive_class_where_it_is_given() -> None:
    call = plain()
    of_second = sp.evaluate(sp.Panel.from_scores(call.y, {"m": call.scores[:, 1]}))
    of_churned = sp.evaluate(churn_panel(pos_label="churned"))
    assert of_churned.estimates["m"]["accuracy"].estimate == of_second.estimates["m"]["accuracy"].estimate


def test_s4_scores_that_rank_the_wrong_way_round_are_warned_of() -> None:
    with warned() as sentences:
        sp.evaluate(churn_panel())
    assert any("stayed" in sentence and "AUC" in sentence for sentence in sentences)


def test_s4_columns_that_name_their_classes_are_matched() -> None:
    call = plain()
    given = {
        order: sp.Panel.from_scores(call.y, {"m": pd.DataFrame(call.scores, columns=[0, 1])[list(order)]})
        for order in ((0, 1), (1, 0))
    }
    np.testing.assert_array_equal(given[0, 1].out_of_fold["m"], given[1, 0].out_of_fold["m"])


@pytest.mark.parametrize("change", [lambda scores: 100 * scores, lambda scores: scores / 2, np.log])
def test_s5_estimates_leave_out_a_model_without_probabilities(change: Callable[[Any], Any]) -> None:
    call = plain()
    with pytest.warns(sp.ModelsLeftOut, match="'bad'"):
        estimate = sp.estimate_performance(
            {"m": Tiny(), "bad": giving(change)()}, call.X, call.y, call.new, cv=2, measures=["accuracy", "brier"]
        )
    assert estimate.names == ("m",)


def test_s6_model_that_uses_its_array_again_has_the_figures_of_one_that_does_not() -> None:
    call = plain()
    assert accuracy({"m": Buffered()}, call.X, call.y) == accuracy({"m": Tiny()}, call.X, call.y)


def test_s6_deployed_models_that_share_an_array_keep_their_own_scores() -> None:
    call = plain()
    models = {"m": Buffered().fit(call.X, call.y), "n": Buffered(-0.2).fit(call.X, call.y)}
    panel = sp.cross_fit(models, call.X, call.y, cv="prefit")
    assert not np.allclose(panel.out_of_fold["m"], panel.out_of_fold["n"])


def test_s7_class_proportions_of_weighted_rows_are_weighted() -> None:
    call = plain()
    weights = np.where(call.y == 1, 3.0, 1.0)
    panel = sp.Panel.from_scores(call.y, {"m": call.scores}, new={"m": call.new_scores}, sample_weight=weights)
    training = sp.quantify(panel, resamples=20, check=False).training[1]
    assert training == pytest.approx(weights[call.y == 1].sum() / weights.sum())


def test_s7_row_of_weight_zero_does_not_count() -> None:
    call = plain()
    weights = np.where(np.arange(len(call.y)) < 10, 0.0, 1.0)
    wrong = np.where(weights == 0, 1 - call.y, call.y)
    given: dict[str, Any] = {"new": {"m": call.new_scores}, "sample_weight": weights}
    answers = [
        sp.quantify(sp.Panel.from_scores(y, {"m": call.scores}, **given), resamples=20, check=False)
        for y in (call.y, wrong)
    ]
    assert answers[0].training == answers[1].training
    assert answers[0].prevalence[1].estimate == pytest.approx(answers[1].prevalence[1].estimate, abs=1e-9)


class SeesText(Tiny):
    """Knows '1' from 1."""

    def predict_proba(self, X: Any) -> Any:
        score = np.array([0.9 if cell == "1" else 0.1 for cell in X["z"]])
        return np.c_[1 - score, score]


def test_s8_cached_scores_are_of_the_table_that_is_asked_about() -> None:
    call = plain()
    learnt = pd.DataFrame({"z": pd.Series(np.where(call.y == 1, "1", "a"), dtype=object)})
    text, numbers = (pd.DataFrame({"z": pd.Series(cells * 10, dtype=object)}) for cells in (["1", 2.5], [1, "2.5"]))
    panel = sp.cross_fit({"m": SeesText()}, learnt, call.y, cv=2)
    assert panel.apply(text)["m"][:, 1].max() == 0.9
    assert panel.apply(numbers)["m"][:, 1].max() == 0.1


def test_s8_arrays_of_the_same_bytes_are_different_tables() -> None:
    call = plain()
    learnt = call.X[["a", "b"]].to_numpy().astype(np.float32)
    panel = sp.cross_fit({"m": Tiny()}, learnt, call.y, cv=2)
    first = panel.apply(learnt)["m"]
    assert not np.allclose(first, panel.apply(learnt.view(np.int32))["m"])


def test_s9_masked_labels_are_missing() -> None:
    call = plain()
    with pytest.raises(sp.InputError, match=r"^y must have no missing labels, got 6"):
        sp.evaluate({"m": Tiny()}, call.X, np.ma.array(call.y, mask=np.arange(60) < 6))


@pytest.mark.parametrize("library", [pd.Series])
def test_s10_labels_in_another_order_of_the_same_index_are_not_taken_by_position(library: Callable[..., Any]) -> None:
    call = plain()
    shuffled = library(call.y, index=call.X.index).sample(frac=1, random_state=0)
    with pytest.raises(sp.InputError, match=r"^y .*(index|order)"):
        sp.evaluate({"m": Tiny()}, call.X, shuffled)


def test_s11_values_that_only_one_table_has_are_a_shift_or_an_identifier() -> None:
    tables = [pd.DataFrame({"z": pd.Categorical([f"{letter}{row}" for row in range(60)])}) for letter in "ab"]
    tables = [table.assign(a=LABELLED["a"][:60]) for table in tables]
    with warned():
        result = sp.detect(*tables, multivariate=False)
    assert "z" in result.left_out or any(row.feature == "z" and row.shifted for row in result.rows)


def test_s11_periods_of_other_years_are_a_shift_or_an_identifier() -> None:
    tables = [pd.DataFrame({"z": pd.period_range(start, periods=60, freq="M")}) for start in ("1980", "2040")]
    with warned():
        result = sp.detect(*tables, multivariate=False)
    assert "z" in result.left_out or result.verdict == "shifted"


def test_s12_class_without_weight_is_refused() -> None:
    call = plain()
    with pytest.raises(sp.InputError, match="sample_weight"):
        sp.evaluate({"m": Tiny()}, call.X, call.y, sample_weight=(call.y == 0).astype(float))


def test_s13_order_of_a_deployed_models_classes_changes_no_cost() -> None:
    call = plain()
    labels = np.where(call.y == 1, "yes", "no")
    panels = [sp.cross_fit({"m": kind().fit(call.X, labels)}, call.X, labels, cv="prefit") for kind in (Tiny, Reversed)]
    benefit = sp.Benefit.from_cost("FP=1,FN=9")
    profits = [sp.evaluate(panel, benefit=benefit).estimates["m"]["profit"].estimate for panel in panels]
    assert profits[0] == pytest.approx(profits[1], abs=1e-9)
    assert panels[1].classes_.tolist() == ["no", "yes"]


def test_s14_numbers_far_from_zero_are_no_constants() -> None:
    models = sp.default_models(only=["nb"])
    far = LABELLED.assign(a=LABELLED["a"] + 1e13)
    near = LABELLED.assign(a=far["a"] - 1e13)  # rounded as the far ones are
    assert accuracy(models, far, LABELS) == pytest.approx(accuracy(models, near, LABELS), abs=0.02)


def test_s15_number_of_rows_is_no_method() -> None:
    table = pd.DataFrame({"tree": [0.3, 0.2, 0.4, 0.5, 0.1], "forest": [0.2, 0.1, 0.3, 0.4, 0.05]})
    with warned() as sentences:
        result = sp.compare(table.assign(n_rows=[100, 20, 50, 70, 10]))
    assert "n_rows" not in result.methods
    assert any("n_rows" in sentence for sentence in sentences)


def test_s16_new_rows_that_are_the_labelled_ones_are_noticed() -> None:
    call = plain()
    with warned() as sentences:
        audit = sp.audit({"m": Tiny()}, call.X, call.y, call.X, cv=2, quick=True)
    words = " ".join([*sentences, audit.summary()])
    assert "labelled rows" in words or "copies" in words


def test_c1_text_with_a_number_at_its_end_is_compared() -> None:
    table = pd.DataFrame({"z": pd.Series(["a", "b"] * 75 + [1], dtype=object)})
    assert sp.detect(table, table[::-1]).verdict == "no shift"


def test_c2_decisions_of_one_column_per_class_are_decisions() -> None:
    call = plain()
    two = deciding(lambda values: np.c_[-values, values])()
    panel = sp.cross_fit({"one": Decides(), "two": two}, call.X, call.y, cv=2)
    np.testing.assert_allclose(panel.out_of_fold["two"], panel.out_of_fold["one"], rtol=1e-9)


def test_c3_model_whose_scores_lack_a_row_is_left_out() -> None:
    call = plain()
    with pytest.warns(sp.ModelsLeftOut, match="'bad'"):
        result = sp.evaluate({"good": Tiny(), "bad": giving(lambda scores: scores[:-1])()}, call.X, call.y, cv=2)
    assert list(result.estimates) == ["good"]


@pytest.mark.parametrize("seed", [2**32, 2**63, 2**70])
def test_c4_large_seeds_are_seeds(seed: int) -> None:
    call = plain()
    first, again = (sp.cross_fit({"m": Tiny()}, call.X, call.y, cv=2, random_state=seed) for _ in range(2))
    np.testing.assert_array_equal(first.out_of_fold["m"], again.out_of_fold["m"])
    assert sp.evaluate({"m": Tiny()}, call.X, call.y, cv=2, random_state=seed).estimates


def test_c5_model_without_probabilities_is_named_and_the_others_go_on() -> None:
    call = plain()
    models = {"good": Tiny(), "bad": giving(lambda scores: 100 * scores)()}
    with pytest.warns(sp.ModelsLeftOut, match="'bad'"):
        audit = sp.audit(models, call.X, call.y, call.new, cv=2, quick=True)
    assert audit.best == "good"


def test_decision_function_alone_is_calibrated() -> None:
    call = plain()
    panel = sp.cross_fit({"m": Decides()}, call.X, call.y, cv=2)
    scores = panel.out_of_fold["m"]
    np.testing.assert_allclose(scores.sum(axis=1), 1)
    assert np.corrcoef(as_numbers(call.X)[:, 0], scores[:, 1])[0, 1] > 0.8
