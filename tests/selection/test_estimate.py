"""The verb `estimate_performance`: right within its interval, or refused."""

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from tests._forests import whole_forests

import shiftproof as sp
from shiftproof.case import Case, DriftRecord, prior_chance
from shiftproof.measures import measure
from shiftproof.selection import Performance
from shiftproof.selection._estimate import estimate_case

SIMULATIONS = int(os.environ.get("SIMULATIONS", "1"))
Arrays = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


def clouds(n: int = 600, m: int = 400, *, share: float = 0.4, new_share: float = 0.4, seed: int = 0) -> Arrays:
    """Two clouds of points, one for each class."""
    rng = np.random.default_rng(seed)
    y, y_new = (
        np.repeat([0, 1], [size - round(size * p), round(size * p)]) for size, p in ((n, share), (m, new_share))
    )
    X, X_new = (rng.normal(size=(len(each), 3)) + 1.2 * each[:, None] * [1, 1, 0] for each in (y, y_new))
    return X, y, X_new, y_new


def truth(X: Any, y: Any, X_new: Any, y_new: Any, name: str = "accuracy") -> float:
    scores = LogisticRegression().fit(X, y).predict_proba(X_new)
    return float(measure(name, y_new, scores, positive=1).estimate)


@pytest.fixture(scope="module")
def moved() -> Performance:
    X, y, X_new, _ = clouds(new_share=0.8)
    models = {"line": LogisticRegression(), "nb": GaussianNB()}
    with whole_forests():
        return sp.estimate_performance(models, X, y, X_new, assume="no drift", cv=5)


def test_estimates_print_on_one_screen(moved: Performance) -> None:
    assert len(repr(moved.estimates).splitlines()) == len(moved.to_frame()) + 1
    one = moved.estimates[moved.names[0]]
    assert len(repr(one)) < 100 * len(one)


def by_rule(case: Case) -> NDArray[Any]:
    """Compute the accuracies by hand: a mean of three estimates, and the route for prior shift by its chance."""
    prospect = case.prospect
    found, candidates = prospect.estimate("accuracy"), prospect.candidates
    prior = prior_chance(case.shift.p_none, case.shift.p_prior)
    # How often the calibrated probabilities of a model lead one to expect its decisions to be right.
    alone = [
        float(np.take_along_axis(candidates.calibrated[name][:], side.new.decisions[:, None], axis=1).mean())
        for name, side in prospect.sides.items()
    ]
    drift = (found.values()[2] + found.said[0] + np.array(alone)) / 3
    return np.asarray(prior * found.values()[1] + (1 - prior) * drift)


@pytest.mark.parametrize("setting", ["plain", "weights", "many rows", "three classes"])
def test_every_kind_of_data_has_the_same_rule(setting: str) -> None:
    n, m = (2_400, 1_800) if setting == "many rows" else (600, 400)
    X, y, X_new, _ = clouds(n, m, new_share=0.75)
    X_new = X_new + 0.3
    options: dict[str, Any] = {}
    if setting == "weights":
        options = {"sample_weight": np.random.default_rng(1).uniform(0.5, 2.0, n)}
    if setting == "three classes":
        y = y + (X[:, 2] > 1)
    models = {"line": LogisticRegression(), "nb": GaussianNB()}
    case = Case.of(models, X, y, X_new, purpose="a test", new_required=True, cv=5, progress=False, **options)
    assert case.shift.kind != "none"
    found = estimate_case(case, measures="accuracy", shares={})
    assert [found.interval(name).estimate for name in found.names] == pytest.approx(by_rule(case))
    for name in found.names:
        estimated = found.estimates[name]["accuracy"]
        assert estimated.belief is not None
        assert found.loss_chance(name) == estimated.belief.chance_below(estimated.validated - 0.05)


def test_labels_are_joined_with_the_belief_of_the_same_rule() -> None:
    X, y, X_new, y_new = clouds(new_share=0.75)
    case = Case.of({"line": LogisticRegression()}, X, y, X_new, purpose="a test", cv=5, progress=False)
    plain = estimate_case(case, measures="accuracy", shares={}).estimates["line"]["accuracy"]
    rows = np.random.default_rng(0).choice(400, 40, replace=False)
    labels = {int(row): int(y_new[row]) for row in rows}
    labelled = estimate_case(case, measures="accuracy", shares={}, labels=labels)
    before = labelled.estimates["line"]["accuracy"].prior
    assert before is not None
    assert plain.belief is not None
    assert before.centres == pytest.approx(plain.belief.centres)
    whole = estimate_case(case, measures="accuracy", shares={}, labels=y_new.tolist())
    lost = whole.estimates["line"]["accuracy"].validated - whole.interval("line").estimate
    # Labels of all rows leave no chance.
    assert whole.loss_chance(more_than=max(lost + 0.01, 0)) == 0
    assert whole.loss_chance(more_than=max(lost - 0.01, 0)) == float(lost > 0)


def test_the_chance_of_a_loss_falls_with_its_size_and_is_for_measures_that_fall_or_rise() -> None:
    X, y, X_new, _ = clouds(new_share=0.75)
    found = sp.estimate_performance(LogisticRegression(), X, y, X_new, measures=["accuracy", "error", "brier"], cv=5)
    chances = [found.loss_chance(more_than=size) for size in (0.0, 0.05, 0.1, 0.2)]
    assert chances == sorted(chances, reverse=True)
    assert found.loss_chance(measure="error") == pytest.approx(found.loss_chance(measure="accuracy"))
    assert 0 <= found.loss_chance(measure="brier") <= 1
    frame = found.to_frame().set_index("measure")
    assert frame.loc["accuracy", "loss_chance"] == found.loss_chance()
    with pytest.raises(sp.InputError, match=r"^more_than must be a number from 0 to 1, got 'much'; 0.05 means"):
        found.loss_chance(more_than="much")  # type: ignore[arg-type]


def test_the_chance_of_a_loss_of_precision_is_not_known() -> None:
    X, y, X_new, _ = clouds()
    found = sp.estimate_performance(LogisticRegression(), X, y, X_new, measures="precision", cv=5)
    assert math.isnan(found.loss_chance())


def test_both_answers_are_given_where_the_data_leave_the_kind_open() -> None:
    X, y, X_new, _ = clouds(new_share=0.75)
    open_ = sp.estimate_performance(LogisticRegression(), X, y, X_new, measures="accuracy", cv=5)
    case = Case.of(LogisticRegression(), X, y, X_new, purpose="a test", cv=5, progress=False)
    prior = prior_chance(case.shift.p_none, case.shift.p_prior)
    pair = open_.estimates[open_.names[0]]["accuracy"].either
    assert (pair is not None) is (0.1 < prior < 0.9)
    doubtful = replace(case.shift, evidence=replace(case.shift.evidence, p_none=0.02, p_prior=0.1), kind="unclear")
    unsure = Case.of(LogisticRegression(), X, y, X_new, purpose="a test", cv=5, progress=False, shift=doubtful)
    found = estimate_case(unsure, measures="accuracy", shares={})
    text = found.summary()
    assert "If only the class proportions changed: " in text
    assert text.count("The data cannot tell which.") == 1


def test_prior_shift_is_allowed_for(moved: Performance) -> None:
    data = clouds(new_share=0.8)
    assert moved.shift.kind == "prior"
    assert moved.confidence == "high"
    for name in ("accuracy", "f1", "auc", "brier"):
        interval, true = moved.interval("line", name), truth(*data, name)
        assert interval.low <= true <= interval.high, name
        assert interval.width < 0.2
    assert moved.shares[1] == pytest.approx(0.8, abs=0.07)
    assert moved.estimates["line"]["accuracy"].validated > truth(*data) + 0.04


def test_frame_has_the_columns_of_the_contract(moved: Performance) -> None:
    frame = moved.to_frame()
    expected = ["model", "measure", "estimate", "low", "high", "level", "method", "refused"]
    assert list(frame.columns[:8]) == expected
    assert frame["measure"].tolist() == ["accuracy", "f1", "auc", "brier"] * 2
    by_measure = frame.set_index("measure")[["baseline", "baseline_validated"]]
    baseline = moved.baseline
    assert by_measure.loc["accuracy"].to_numpy().tolist() == [[baseline.interval.estimate, baseline.validated]] * 2
    # Only accuracy and error can be compared with a share.
    assert by_measure.drop("accuracy").isna().all(axis=None)
    assert not frame["refused"].any()
    assert ((frame["low"] <= frame["estimate"]) & (frame["estimate"] <= frame["high"])).all()


def test_dict_is_json(moved: Performance) -> None:
    told = json.loads(json.dumps(moved.to_dict(), allow_nan=False))
    assert told["models"]["line"]["accuracy"]["interval"]["estimate"] == moved.interval("line").estimate
    assert "noise" not in told["models"]["line"]["accuracy"]


def test_drift_widens_the_interval_and_says_by_how_much(moved: Performance) -> None:
    X, y, X_new, _ = clouds(new_share=0.8)
    natural = sp.estimate_performance({"line": LogisticRegression()}, X, y, X_new, measures="accuracy", cv=5)
    estimated, without = natural.estimates["line"]["accuracy"], moved.estimates["line"]["accuracy"]
    assert estimated.interval.width > without.interval.width
    assert estimated.sampling_width + estimated.drift_width == pytest.approx(estimated.interval.width)
    assert (without.drift_width, without.sampling_width) == (0, without.interval.width)
    frame = natural.to_frame()
    assert frame["drift_width"].tolist() == [estimated.drift_width]
    assert " points for sampling error and " in natural.summary()
    assert "In the 40 of 163 natural shifts that are closest in size to this one, " in natural.summary()
    assert "natural shifts" not in moved.summary()


def test_assume_is_one_of_three() -> None:
    X, y, X_new, _ = clouds(60, 60)
    with pytest.raises(sp.InputError, match=r"^assume must be one of 'natural', .*; got 'naturl'. Did you mean"):
        sp.estimate_performance(GaussianNB(), X, y, X_new, assume="naturl")  # type: ignore[arg-type]


def test_intervals_cover_what_is_true() -> None:
    covered, widths = [], []
    kinds = [(0.4, 0.0), (0.7, 0.0), (0.4, 0.5)]
    for seed in range(12 * SIMULATIONS):
        new_share, tilt = kinds[seed % 3]
        X, y, X_new, y_new = clouds(600, 1200, new_share=new_share, seed=seed)
        rng = np.random.default_rng(seed)
        kept = np.flatnonzero(rng.random(1200) < 1 / (1 + np.exp(-4 * tilt * X_new[:, 0] - 1)))[:400]
        found = sp.estimate_performance(
            LogisticRegression(), X, y, X_new[kept], measures="accuracy", assume="no drift", cv=5, random_state=seed
        )
        interval = found.interval("LogisticRegression")
        covered.append(interval.low <= truth(X, y, X_new[kept], y_new[kept]) <= interval.high)
        widths.append(interval.width)
    # 90% nominal: fewer than 8 of 12 would be one in five hundred.
    assert np.mean(covered) >= (0.85 if SIMULATIONS > 4 else 0.65)
    assert np.mean(widths) < 0.12


@pytest.mark.filterwarnings("ignore:no estimate")
def test_a_past_that_differed_as_much_answers_what_would_be_refused() -> None:
    X, y, X_new, _ = clouds(n=200, m=100)
    about: dict[str, Any] = {"models": {"line": LogisticRegression()}, "X": X, "y": y, "X_new": X_new + 50, "cv": 2}
    without = sp.estimate_performance(**about)
    record = DriftRecord(squares={"accuracy": (1.0,) * 3}, seen=(without.shift.evidence.reach,) * 2)
    nearer = replace(record, seen=record.seen[:1])
    refused = [sp.estimate_performance(**about, history=history).refused for history in (record, nearer)]
    assert (without.refused, *refused) == (True, False, True)


def test_nonsense_is_refused_in_words() -> None:
    X, y, X_new, _ = clouds()
    with pytest.warns(sp.ShiftproofWarning, match="no estimate: 100% of the new rows"):
        found = sp.estimate_performance(LogisticRegression(), X, y, 40 + X_new * 3, cv=5)
    assert found.refused
    assert found.confidence == "none"
    assert math.isnan(found.interval("LogisticRegression").estimate)
    assert found.to_frame()["refused"].all()
    assert "100% of the new rows have a feature outside the range of the labelled rows ('x0', 'x1'" in found.refusal[0]
    assert found.headline.startswith("No estimate: 100% of the new rows")
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["refused"]


def test_labels_help_where_nothing_else_does() -> None:
    X, y, X_new, y_new = clouds(m=600)
    far = np.column_stack([X_new[:, 0] + 6, X_new[:, 1:]])
    with pytest.warns(sp.ShiftproofWarning, match="no estimate"):
        blind = sp.estimate_performance(LogisticRegression(), X, y, far, measures="accuracy", cv=5)
    plan = blind.plan(120)
    assert len(plan.rows) == 120
    assert math.isnan(plan.width)
    labels = {int(row): int(y_new[row]) for row in plan.rows}
    found = sp.estimate_performance(LogisticRegression(), X, y, far, measures="accuracy", labels=labels, cv=5)
    interval = found.interval("LogisticRegression")
    assert not found.refused
    assert interval.method == "labels"
    assert interval.low <= truth(X, y, far, y_new) <= interval.high
    assert interval.width < 0.2


def test_labels_show_a_concept_shift() -> None:
    X, y, X_new, y_new = clouds(m=600)
    turned = 1 - y_new  # every label is the other one now
    blind = sp.estimate_performance(LogisticRegression(), X, y, X_new, measures="accuracy", cv=5)
    assert blind.interval("LogisticRegression").low > 0.6
    rows = blind.plan(150).rows
    labels = [int(turned[row]) if row in set(rows.tolist()) else None for row in range(600)]
    found = sp.estimate_performance(LogisticRegression(), X, y, X_new, measures="accuracy", labels=labels, cv=5)
    interval = found.interval("LogisticRegression")
    true = truth(X, y, X_new, turned)
    assert true < 0.35
    assert interval.low <= true <= interval.high
    assert len(found.labelled) == 150


def test_a_plan_brings_the_interval_to_the_tolerance() -> None:
    X, y, X_new, y_new = clouds(m=3000, new_share=0.7)
    panel = sp.cross_fit(LogisticRegression(), X, y, cv=5)
    before = sp.estimate_performance(panel, X, y, X_new, measures="accuracy")
    plan = before.plan(tolerance=0.02)
    labels = {int(row): int(y_new[row]) for row in plan.rows}
    after = sp.estimate_performance(panel, X, y, X_new, measures="accuracy", labels=labels)
    wide, narrow = (performance.interval("LogisticRegression").width for performance in (before, after))
    assert narrow < 0.85 * wide
    assert plan.expected_width == pytest.approx(narrow, rel=0.3)
    assert len(np.unique(plan.rows)) == len(plan.rows) < 1500


def test_few_labels_are_noted_and_left_alone() -> None:
    X, y, X_new, y_new = clouds()
    found = sp.estimate_performance(
        LogisticRegression(), X, y, X_new, measures="accuracy", labels={0: int(y_new[0])}, cv=5
    )
    assert [note.code for note in found.notes] == ["too few labels"]
    assert found.interval("LogisticRegression").method == "routed pool"


def test_profit_is_a_mean_per_row() -> None:
    X, y, X_new, y_new = clouds(1000, 800)
    benefit = sp.Benefit(tp=5, fp=-2)
    found = sp.estimate_performance(LogisticRegression(), X, y, X_new, benefit=benefit, cv=5)
    assert found.measures == ("accuracy", "f1", "auc", "brier", "profit")
    p = LogisticRegression().fit(X, y).predict_proba(X_new)[:, 1]
    true = benefit.mean(y_new, benefit.decide(p)).estimate
    interval = found.interval("LogisticRegression", "profit")
    assert interval.low <= true <= interval.high


def test_three_classes_with_text_labels() -> None:
    rng = np.random.default_rng(0)
    kind = rng.integers(3, size=900)
    X = pd.DataFrame(rng.normal(size=(900, 2)) + np.array([[0, 0], [2, 0], [0, 2]])[kind], columns=["a", "b"])
    y = np.array(["low", "mid", "top"])[kind]
    keep = np.flatnonzero((kind[600:] != 0) | (rng.random(300) < 0.2)) + 600
    found = sp.estimate_performance(GaussianNB(), X[:600], y[:600], X.iloc[keep], cv=5)
    assert found.measures == ("accuracy", "brier")
    true = GaussianNB().fit(X[:600], y[:600]).score(X.iloc[keep], y[keep])
    assert found.interval("GaussianNB").low <= true <= found.interval("GaussianNB").high
    one = sp.estimate_performance(GaussianNB(), X[:600], y[:600], X.iloc[keep], cv=5, pos_label="top", measures="f1")
    assert 0 < one.interval("GaussianNB", "f1").estimate < 1


def test_scores_of_a_deployed_model_are_enough() -> None:
    X, y, X_new, y_new = clouds(1200, 400, new_share=0.7)
    model = LogisticRegression().fit(X[::2], y[::2])
    panel = sp.Panel.from_scores(
        y[1::2], {"live": model.predict_proba(X[1::2])[:, 1]}, new={"live": model.predict_proba(X_new)[:, 1]}
    )
    found = sp.estimate_performance(panel)
    assert found.fits == 0
    assert found.interval("live").low <= model.score(X_new, y_new) <= found.interval("live").high
    assert "type of shift from scores" in [note.code for note in found.notes]


def test_a_threshold_changes_decisions() -> None:
    X, y, X_new, y_new = clouds()
    found = sp.estimate_performance(LogisticRegression(), X, y, X_new, measures="recall", threshold=0.2, cv=5)
    called = LogisticRegression().fit(X, y).predict_proba(X_new)[:, 1] >= 0.2
    interval = found.interval("LogisticRegression", "recall")
    assert interval.low <= called[y_new == 1].mean() <= interval.high


def test_measures_that_are_not_defined_are_refused_alone() -> None:
    X, y, X_new, _ = clouds(share=0.1, new_share=0.1)
    never = {"never": DecisionTreeClassifier(max_depth=1, min_samples_leaf=200)}
    found = sp.estimate_performance(never, X, y, X_new, measures=["accuracy", "precision"], cv=5)
    assert not found.refused
    assert math.isnan(found.interval("never", "precision").estimate)
    assert found.interval("never").estimate > 0.8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"measures": []}, "measures must name at least one, got none"),
        ({"measures": "beauty"}, "measures must be one of"),
        ({"measures": ["accuracy", "profit"]}, "measure='profit' needs a benefit; pass benefit=sp.Benefit(...)"),
        ({"level": 90}, "level must"),
        ({"labels": {999: 1}}, "labels must name rows of X_new, 0 to 39, got 999"),
        ({"labels": {0: "maybe"}}, "labels must be classes of y, got 'maybe'"),
        ({"labels": [1, 0]}, "labels must have one entry per row of X_new, got 2 for 40 rows"),
        ({"labels": "yes"}, "labels must be a dict that maps rows to labels, or one label per row, got 'yes'"),
    ],
)
def test_bad_arguments_get_one_sentence(change: dict[str, Any], message: str) -> None:
    X, y, X_new, _ = clouds(60, 40)
    with pytest.raises(sp.InputError, match=re.escape(message)):
        sp.estimate_performance(GaussianNB(), X, y, X_new, cv=3, **change)


def test_planning_says_what_it_cannot_do(moved: Performance) -> None:
    with pytest.raises(
        sp.InputError, match="count must be at most 400, the number of new rows without a label, got 401"
    ):
        moved.plan(401)
    with pytest.raises(sp.InputError, match="model must name a model, got 'tree'"):
        moved.plan(model="tree")
    with pytest.raises(sp.InputError, match=r"^tolerance must be a number strictly between 0 and 1, got 2; 0.05"):
        moved.plan(tolerance=2)


@pytest.mark.parametrize("rows", [1, 2, 19])
def test_too_few_new_rows_are_refused(rows: int) -> None:
    X, y, X_new, _ = clouds()
    with pytest.warns(sp.ShiftproofWarning, match="at least 20 are needed"):
        found = sp.estimate_performance(LogisticRegression(), X, y, X_new[:rows], cv=5)
    assert found.confidence == "none"


def test_few_new_rows_give_wide_intervals() -> None:
    X, y, X_new, _ = clouds()
    rows = np.random.default_rng(0).permutation(len(X_new))[:25]
    found = sp.estimate_performance(LogisticRegression(), X, y, X_new[rows], cv=5)
    assert found.confidence in ("low", "medium")
    assert found.interval("LogisticRegression").width > 0.15


def test_all_labels_known_leave_nothing_open() -> None:
    X, y, X_new, y_new = clouds()
    found = sp.estimate_performance(LogisticRegression(), X, y, X_new, labels=y_new, measures=["accuracy", "auc"], cv=5)
    for name in ("accuracy", "auc"):
        interval = found.interval("LogisticRegression", name)
        assert interval.estimate == pytest.approx(truth(X, y, X_new, y_new, name), abs=1e-6)
        assert interval.width < 0.01
    with pytest.raises(sp.InputError, match="every new row already has a label"):
        found.plan()


def test_labels_cover_a_moderate_concept_shift() -> None:
    covered: dict[int, list[bool]] = {60: [], 150: []}
    for seed in range(12 * SIMULATIONS):
        rng = np.random.default_rng(seed)
        X, X_new = rng.normal(size=(500, 2)), rng.normal(size=(600, 2))
        y, y_new = (
            (rng.random(len(x)) < 1 / (1 + np.exp(-2 * x[:, 0] - b))).astype(int) for x, b in ((X, 0), (X_new, 1.5))
        )
        panel = sp.cross_fit(LogisticRegression(), X, y, cv=5, random_state=seed)
        blind = sp.estimate_performance(panel, X, y, X_new, measures="accuracy")
        true = truth(X, y, X_new, y_new)
        for count, of_count in covered.items():
            rows = blind.plan(count, random_state=1000 + seed).rows
            labels = {int(row): int(y_new[row]) for row in rows}
            found = sp.estimate_performance(panel, X, y, X_new, measures="accuracy", labels=labels)
            interval = found.interval("LogisticRegression")
            of_count.append(bool(interval.low <= true <= interval.high))
    # 90% nominal: fewer than 8 of 12 would be one in five hundred.
    for count, of_count in covered.items():
        assert np.mean(of_count) >= (0.85 if SIMULATIONS > 4 else 0.65), count


def test_labels_of_one_class_leave_the_area_refused() -> None:
    X, y, X_new, _ = clouds()
    with pytest.warns(sp.ShiftproofWarning, match="no estimate"):
        found = sp.estimate_performance(
            LogisticRegression(),
            X,
            y,
            X_new + 50,
            labels=dict.fromkeys(range(40), 1),
            measures=["accuracy", "auc"],
            cv=5,
        )
    assert not found.refused
    assert found.to_frame()["refused"].tolist() == [False, True]


def test_all_labels_count_however_few() -> None:
    X, y, X_new, y_new = clouds()
    found = sp.estimate_performance(LogisticRegression(), X, y, X_new[:8], labels=y_new[:8], measures="accuracy", cv=5)
    assert found.interval("LogisticRegression").estimate == pytest.approx(
        LogisticRegression().fit(X, y).score(X_new[:8], y_new[:8]), abs=1e-6
    )


def test_no_surprise_in_forty_labels_is_no_proof() -> None:
    rng = np.random.default_rng(0)
    y, y_new = rng.integers(2, size=600), rng.integers(2, size=600)
    X, X_new = (rng.normal(size=(600, 2)) + 6 * each[:, None] for each in (y, y_new))
    far = X_new + np.array([0, 9])
    with pytest.warns(sp.ShiftproofWarning, match="no estimate"):
        blind = sp.estimate_performance(LogisticRegression(), X, y, far, measures="accuracy", cv=5)
    labels = {int(row): int(y_new[row]) for row in blind.plan(40).rows}
    found = sp.estimate_performance(LogisticRegression(), X, y, far, measures="accuracy", labels=labels, cv=5)
    assert 0.9 < found.interval("LogisticRegression").low < 0.95 or found.interval("LogisticRegression").estimate < 0.99


def test_labels_and_truth_refuse_another_order_of_the_new_rows() -> None:
    X, y, X_new, y_new = (pd.DataFrame(part) if part.ndim == 2 else pd.Series(part) for part in clouds(60, 60))
    found = sp.estimate_performance(GaussianNB(), X, y, X_new, measures="accuracy", cv=2)
    sentence = (
        r"^{} must have its rows in the same order as X_new, got the same index in a different order; pass "
        r"{}\.loc\[X_new\."
    )
    with pytest.raises(sp.InputError, match=sentence.format("y_new", "y_new")):
        found.truth(y_new[::-1])
    for verb in (sp.estimate_performance, sp.select):
        with pytest.raises(sp.InputError, match=sentence.format("labels", "labels")):
            verb(sp.cross_fit([GaussianNB()], X, y, cv=2), X, y, X_new, labels=y_new[::-1])
