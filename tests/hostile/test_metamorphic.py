"""Changes that mean nothing change no figure, in any verb.

Folds, trees and resamples are drawn by row numbers, so a permutation of the rows gives other draws to verbs that draw.
Where folds alone are drawn, they are given, in the new order, and no figure may change. What still draws (intervals by
bootstrap, the classifier of old against new rows, the type of shift, and so estimates for new rows) is compared by its
distribution: figures of permuted rows and of other seeds must be of one. So are forests by the order of columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.ensemble import RandomForestClassifier
from tests.hostile._call import COLOURS, ROWS, Call, Tiny, plain
from tests.hostile._verbs import SOAKING, TURNS, VERBS, every_nth, figures_of, plain_answer

import shiftproof as sp
from shiftproof import measures, shift, stats

ORDER = np.random.default_rng(5).permutation(ROWS)
NEW_ORDER = np.random.default_rng(6).permutation(len(plain().new))
HALVES = (np.arange(ROWS // 2), np.arange(ROWS // 2, ROWS))


def with_folds(call: Call, order: Any) -> Call:
    """Give the folds, as pairs of row numbers, where the rows are in another order."""
    places = np.argsort(order)
    pairs = [(np.sort(places[train]), np.sort(places[test])) for train, test in (HALVES, HALVES[::-1])]
    return call.with_option(cv=pairs)


def permuted(call: Call) -> Call:
    """Put labelled and new rows in another order, with labels, scores and folds."""
    X, y, scores = call.X.iloc[ORDER], call.y[ORDER], call.scores[ORDER]
    new, y_new, new_scores = call.new.iloc[NEW_ORDER], call.y_new[NEW_ORDER], call.new_scores[NEW_ORDER]
    moved = replace(call, X=X, y=y, scores=scores, new=new, y_new=y_new, new_scores=new_scores)
    return with_folds(moved, ORDER)


# --- figures that no order of rows changes --------------------------------------------------------------------------


def _evaluated(call: Call) -> Any:
    return sp.evaluate(call.models, call.X, call.y, cv=call.options["cv"]).to_frame()


def _detected(call: Call) -> Any:
    scores = {"reference_scores": call.scores[:, 1], "current_scores": call.new_scores[:, 1]}
    return sp.detect(call.X, call.new, **scores, multivariate=False).to_frame().sort_values(["feature", "test"])


def _from_scores(call: Call) -> Any:
    panel = sp.Panel.from_scores(call.y, {"m": call.scores}, new={"m": call.new_scores})
    return sp.evaluate(panel).to_frame()


def _counted(call: Call) -> Any:
    panel = sp.Panel.from_scores(call.y, {"m": call.scores}, new={"m": call.new_scores})
    counted = sp.quantify(panel, resamples=20, check=False)
    return [*(interval.estimate for interval in counted.prevalence.values()), *counted.training.values()]


def _quantified(method: str) -> Callable[[Call], Any]:
    def count(call: Call) -> Any:
        panel = sp.Panel.from_scores(call.y, {"m": call.scores}, new={"m": call.new_scores})
        counted = sp.quantify(panel, method=method, resamples=20, check=False)
        return [interval.estimate for interval in counted.prevalence.values()]

    return count


def _measured(name: str) -> Callable[[Call], Any]:
    return lambda call: measures.measure(name, call.y, call.scores).estimate


def _verified(call: Call) -> Any:
    panel = sp.Panel.from_scores(call.y, {"m": call.scores}, new={"m": call.new_scores})
    return [claim.actual for claim in sp.audit(panel, quick=True).verify(call.y_new).claims]


ROW_ORDER: dict[str, Callable[[Call], Any]] = {
    "evaluate": _evaluated,
    "evaluate scores": _from_scores,
    "detect": _detected,
    **{f"quantify by {name}": _quantified(name) for name in ("adjusted count", "median sweep", "energy matching")},
    **{f"measure {name}": _measured(name) for name in ("accuracy", "auc", "brier", "average_precision", "f1")},
    "verify": _verified,
    "kolmogorov_smirnov": lambda call: stats.kolmogorov_smirnov(stats.compare(call.X["a"], call.new["a"])).p_value,
    "chi_square": lambda call: stats.chi_square(stats.compare(call.X["c"], call.new["c"])).p_value,
    "roc_curve": lambda call: measures.roc_curve(call.y, call.scores[:, 1]).auc.estimate,
}


@pytest.mark.parametrize("name", ROW_ORDER)
def test_order_of_rows_changes_no_figure(name: str) -> None:
    compute = ROW_ORDER[name]
    before = list(figures_of(compute(with_folds(plain(), np.arange(ROWS)))))
    after = list(figures_of(compute(permuted(plain()))))
    assert before
    np.testing.assert_allclose(after, before, rtol=1e-9, atol=1e-9)


def test_order_of_rows_changes_no_score_of_a_panel() -> None:
    before = sp.cross_fit(plain().models, plain().X, plain().y, cv=with_folds(plain(), np.arange(ROWS)).options["cv"])
    call = permuted(plain())
    after = sp.cross_fit(call.models, call.X, call.y, cv=call.options["cv"])
    np.testing.assert_allclose(after.out_of_fold["m"], before.out_of_fold["m"][ORDER], rtol=1e-9)
    np.testing.assert_allclose(after.apply(call.new)["m"], before.apply(plain().new)["m"][NEW_ORDER], rtol=1e-9)


# --- figures that depend on draws -----------------------------------------------------------------------------------

DRAWS = 300 if SOAKING else 16
# One in a thousand comparisons would fail by chance; the seeds are fixed, so that none does so later.
ALPHA = 0.001


def of_one_distribution(ours: list[float], theirs: list[float]) -> bool:
    """Say whether two samples may be of one distribution, by the exact test of Kolmogorov and Smirnov."""
    # Rounded, so that the last digits of sums in another order make no difference.
    record = stats.compare(np.round(ours, 9), np.round(theirs, 9))
    return stats.kolmogorov_smirnov(record).p_value > ALPHA


AUDITED: dict[str, Callable[[sp.Audit], Any]] = {
    "estimate of accuracy": lambda audit: audit.performance.estimates["m"]["accuracy"].interval.estimate,
    "lower end of its interval": lambda audit: audit.performance.estimates["m"]["accuracy"].interval.low,
    "score in the ranking": lambda audit: audit.selection.scores["m"],
    "chance to beat the other": lambda audit: audit.selection.order_probability.loc["m", "n"],
    "share by the combined method": lambda audit: audit.quantification.prevalence[1].estimate,
    "accuracy by cross-validation": lambda audit: audit.evaluation.estimates["m"]["accuracy"].estimate,
}


@cache
def _audits(permuted: bool) -> list[dict[str, float]]:
    """Audit the plain rows, by seeds of their own or by orders of their own."""
    figures = []
    for draw in range(1, DRAWS + 1):
        call, rng = plain(), np.random.default_rng(draw)
        rows, new_rows = (rng.permutation(n) if permuted else np.arange(n) for n in (len(call.y), len(call.new)))
        audit = sp.audit(
            call.models,
            call.X.iloc[rows],
            call.y[rows],
            call.new.iloc[new_rows],
            cv=2,
            quick=True,
            random_state=0 if permuted else draw,
        )
        figures.append({name: float(of(audit)) for name, of in AUDITED.items()})
    return figures


@pytest.mark.filterwarnings("ignore::shiftproof.ShiftproofWarning")
@pytest.mark.parametrize("name", AUDITED)
def test_order_of_rows_is_one_more_draw(name: str) -> None:
    by_order, by_seed = ([audit[name] for audit in _audits(permuted)] for permuted in (True, False))
    assert len(set(by_seed)) > 1
    assert of_one_distribution(by_order, by_seed)


def _of_forest(X: pd.DataFrame, _: pd.DataFrame, seed: int) -> float:
    forest = RandomForestClassifier(3, max_depth=2, random_state=seed)
    panel = sp.cross_fit({"m": forest}, X.drop(columns="c"), plain().y, cv=2)
    return float(((panel.out_of_fold["m"][:, 1] - plain().y) ** 2).mean())


def _of_kind(X: pd.DataFrame, new: pd.DataFrame, seed: int) -> float:
    return shift.kind_of_shift(X, plain().y, new, random_state=seed).p_none


@pytest.mark.parametrize("compute", [_of_forest, _of_kind])
def test_order_of_columns_is_one_more_draw_to_a_forest(compute: Callable[..., float]) -> None:
    call = _order_of_columns(plain())
    reordered = [compute(call.X, call.new, seed) for seed in range(DRAWS)]
    plain_order = [compute(plain().X, plain().new, seed) for seed in range(DRAWS, 2 * DRAWS)]
    assert of_one_distribution(reordered, plain_order)


def test_draws_of_another_distribution_are_noticed() -> None:
    draws = np.random.default_rng(0).normal(size=2 * DRAWS)
    assert of_one_distribution(draws[:DRAWS].tolist(), draws[DRAWS:].tolist())
    assert not of_one_distribution(draws[:DRAWS].tolist(), (draws[DRAWS:] + 2).tolist())


@pytest.mark.parametrize("name", ["lr", "nb", "tree"])
def test_order_of_columns_changes_no_score_of_a_default_model(name: str) -> None:
    call, models = _order_of_columns(plain()), sp.default_models(only=[name])
    before, after = (sp.cross_fit(models, X, call.y, cv=2).out_of_fold[name] for X in (plain().X, call.X))
    np.testing.assert_allclose(after, before, rtol=1e-9, atol=1e-9)


# --- changes that no verb may notice --------------------------------------------------------------------------------


def _order_of_columns(call: Call) -> Call:
    return replace(call, X=call.X[["c", "b", "a"]], new=call.new[["b", "c", "a"]])


def _retyped(changes: dict[str, Any]) -> Callable[[Call], Call]:
    return lambda call: replace(call, X=call.X.astype(changes), new=call.new.astype(changes))


def _in(make: Callable[[pd.DataFrame], Any]) -> Callable[[Call], Call]:
    return lambda call: replace(call, X=make(call.X), new=make(call.new))


def _renamed(no: Any, yes: Any) -> Callable[[Call], Call]:
    def rename(call: Call) -> Call:
        named = np.array([no, yes], dtype=object)
        return replace(call, y=named[call.y], y_new=named[call.y_new])

    return rename


CHANGES: dict[str, Callable[[Call], Call]] = {
    "classes get other names": _renamed("absent", "present"),
    "classes get other numbers": _renamed(10, 20),
    "whole numbers become floats": _retyped({"b": float}),
    "whole numbers become int32": _retyped({"b": np.int32}),
    "numbers become objects": _retyped({"a": object, "b": object}),
    "numbers become nullable": _retyped({"a": "Float64", "b": "Int64"}),
    "text becomes categories": _retyped({"c": pd.CategoricalDtype(list(COLOURS))}),
    "categories get another order": _retyped({"c": pd.CategoricalDtype(list(COLOURS[::-1]))}),
    "text becomes Arrow's": _retyped({"c": "string[pyarrow]"}),
    "tables become polars": _in(lambda table: pl.DataFrame(table.to_dict("list"))),
    "tables become Arrow": _in(lambda table: pa.Table.from_pandas(table, preserve_index=False)),
    "tables become dicts": _in(lambda table: {name: table[name].to_numpy() for name in table}),
    "tables become rows": _in(lambda table: table.to_dict("records")),
}
# Scores, losses and labels of new rows are no part of a table.
TABLED = [verb for verb, known in VERBS.items() if "X" in known.names]
# scikit-learn's estimators take no rows of dicts, and their columns by place.
ESTIMATOR = {"tables become rows"}


def _in_turn() -> list[Any]:
    """Give every verb some of the changes, each verb others."""
    return [
        (verb, change)
        for row, verb in enumerate(TABLED)
        for change in every_nth(list(CHANGES), max(2, TURNS[verb] // 2), row)
    ]


@pytest.mark.parametrize(("verb", "change"), _in_turn())
def test_change_without_meaning_changes_no_figure(verb: str, change: str) -> None:
    if VERBS[verb].estimator and change in ESTIMATOR:
        with pytest.raises(ValueError, match="2D array"):
            VERBS[verb](CHANGES[change](plain()))
        return
    changed = VERBS[verb](CHANGES[change](plain()))
    np.testing.assert_allclose(changed.figures, plain_answer(verb).figures, rtol=1e-9, atol=1e-9)


# Verbs whose figures rest on a forest over the columns: it draws columns by place, so they must only give an answer.
DRAWN = {"select", "estimate_performance", "audit", "backtest", "kind_of_shift", "rival_scores"}
# Of an estimator columns are known by place, and groups of rows come in the order of their column.
BY_PLACE = {"ClassifyAndCount", "detect_by"}


@pytest.mark.parametrize("verb", [verb for verb in TABLED if verb not in (BY_PLACE if SOAKING else BY_PLACE | DRAWN)])
def test_order_of_columns_changes_no_figure(verb: str) -> None:
    # Sums over columns round differently.
    call = _order_of_columns(plain())
    changed, known = VERBS[verb](call), plain_answer(verb)
    by = {"detect": ["feature", "test"], "detect with scores": ["feature", "test"], "Baseline.summarise": ["column"]}
    if verb in by:
        frames = [answer.result.to_frame().sort_values(by[verb]) for answer in (changed, known)]
        ours, theirs = (list(figures_of(frame)) for frame in frames)
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
    elif verb not in DRAWN:
        np.testing.assert_allclose(changed.figures, known.figures, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("library", ["pandas", "NumPy", "polars", "Arrow"])
def test_no_verb_changes_what_it_is_given(library: str) -> None:
    makes: dict[str, Callable[[pd.DataFrame], Any]] = {
        "pandas": lambda table: table,
        "NumPy": lambda table: table[["a", "b"]].to_numpy(dtype=float),
        "polars": lambda table: pl.DataFrame(table.to_dict("list")),
        "Arrow": lambda table: pa.Table.from_pandas(table, preserve_index=False),
    }
    call = _in(makes[library])(plain())
    copies = [np.array(part).copy() for part in (call.X, call.y, call.new, call.y_new)]
    for verb in ("evaluate", "detect", "quantify", "stress", "Panel.apply", "mcar"):
        VERBS[verb](call)
    for part, copy in zip((call.X, call.y, call.new, call.y_new), copies, strict=True):
        np.testing.assert_array_equal(np.array(part), copy)


class InPlace(Tiny):
    """Scales the rows it is given where they stand, as scikit-learn's scalers do with copy=False."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        X *= 0.5
        return super().fit(X, y, sample_weight)


def test_model_that_works_in_place_does_not_change_the_users_array() -> None:
    X = plain().X[["a", "b"]].to_numpy(dtype=float)
    before = X.copy()
    sp.cross_fit({"m": InPlace()}, X, plain().y, cv=2)
    np.testing.assert_array_equal(X, before)
