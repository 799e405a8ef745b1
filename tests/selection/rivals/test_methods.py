"""Rivals: each by hand, what they say under known shifts, how often models are fitted, and what is refused."""

from __future__ import annotations

import re
from typing import Any, ClassVar, cast

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut
from sklearn.naive_bayes import GaussianNB
from tests.selection.cases import gathered

from shiftproof import InputError
from shiftproof.case import Case, DecisionOptions
from shiftproof.case._candidates import Candidates
from shiftproof.case._pool import pooled
from shiftproof.case._routes import find_routes, new_shares
from shiftproof.core import RefittedModel
from shiftproof.panel import Panel, cross_fit, default_models, holdout, leave_one_out
from shiftproof.selection.rivals._density_ratio import density_ratio
from shiftproof.selection.rivals._interface import CrossFitPlan, Guess, Rival, Setting
from shiftproof.selection.rivals._methods import RIVALS, cheap_guesses, isotonic, rival_scores, share_below

Array = np.ndarray[Any, Any]
SERVED = [name for name, rival in RIVALS.items() if rival.plan is None and not rival.needs_training]
PLANNED = ["repeated cross-validation", "leave-one-out", "holdout"]


class Counted(GaussianNB):  # type: ignore[misc]
    """Naive Bayes that counts how often it is fitted."""

    rows: ClassVar[list[int]] = []

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Counted:
        Counted.rows.append(len(y))
        super().fit(X, y, sample_weight)
        return self


class OneClass(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Says the first class of everything."""

    def fit(self, X: Any, y: Any) -> OneClass:  # noqa: ARG002 - scikit-learn passes X
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Array:
        return np.tile(np.array([0.6, *[0.4 / (len(self.classes_) - 1)] * (len(self.classes_) - 1)]), (len(X), 1))


def scored(n: int, m: int, *, k: int = 2, seed: int = 0, weight: bool = False) -> tuple[Panel, Array, dict[str, Array]]:
    """Make a panel of two models' scores, with the new rows' labels."""
    rng = np.random.default_rng(seed)
    y, y_new = rng.integers(k, size=n), rng.integers(k, size=m)
    y[:k] = np.arange(k)

    def say(codes: Array, sharp: float) -> Array:
        values = sharp * np.eye(k)[codes] + rng.normal(size=(len(codes), k))
        return np.asarray(np.exp(values) / np.exp(values).sum(axis=1, keepdims=True))

    old = {"good": say(y, 2.5), "bad": say(y, 0.7)}
    new = {"good": say(y_new, 2.0), "bad": say(y_new, 0.7)}
    weights = rng.uniform(0.5, 2, size=n) if weight else None
    return Panel.from_scores(y, old, new=new, sample_weight=weights), y_new, new


def setting_of(panel: Panel, X: Any = None, X_new: Any = None) -> Setting:
    candidates, _ = gathered(panel, X, X_new)
    return Setting(candidates=candidates, X=X, X_new=X_new)


def normal(rng: np.random.Generator, y: Array, distance: float = 1.5) -> Array:
    return np.asarray(rng.normal(size=(len(y), 2)) + distance * y[:, None])


@pytest.fixture(scope="module", params=[(2, False), (2, True), (3, True)])
def by_hand(request: pytest.FixtureRequest) -> tuple[Setting, Array]:
    k, weight = request.param
    panel, _, _ = scored(90, 70, k=k, weight=weight)
    weights = np.ones(90) if panel.sample_weight is None else panel.sample_weight
    return setting_of(panel), weights / weights.sum()


def guess(name: str, setting: Setting) -> dict[str, float]:
    found = RIVALS[name].guess(setting)
    return dict(zip(setting.candidates.names, found.accuracies.tolist(), strict=True))


def test_cross_validation_is_the_weighted_share_of_right_decisions(by_hand: tuple[Setting, Array]) -> None:
    setting, weights = by_hand
    held = setting.candidates
    for name, accuracy in guess("cross-validation", setting).items():
        hits = [w for w, p, y in zip(weights, held.old[name], held.codes, strict=True) if p.argmax() == y]
        assert accuracy == pytest.approx(sum(hits))


def test_repeats_are_averaged_one_by_one() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=80)
    X = normal(rng, y, 0.8)
    panel = cross_fit(GaussianNB(), X, y, cv=4, repeats=3)
    setting = setting_of(panel, X, normal(rng, y, 0.8))
    expected = np.mean([(each.argmax(axis=1) == y).mean() for each in panel.fold_probabilities["GaussianNB"]])
    assert guess("cross-validation", setting)["GaussianNB"] == pytest.approx(expected)


def test_difference_of_confidences_by_hand(by_hand: tuple[Setting, Array]) -> None:
    setting, weights = by_hand
    held, plain = setting.candidates, guess("cross-validation", setting)
    for name, accuracy in guess("difference of confidences", setting).items():
        drop = np.average(held.old[name].max(axis=1), weights=weights) - held.new[name].max(axis=1).mean()
        assert accuracy == pytest.approx(plain[name] - drop)


def test_thresholded_confidence_against_all_thresholds(by_hand: tuple[Setting, Array]) -> None:
    setting, weights = by_hand
    held, plain = setting.candidates, guess("cross-validation", setting)
    for name, accuracy in guess("average thresholded confidence", setting).items():
        old, new = held.old[name].max(axis=1), held.new[name].max(axis=1)
        error = 1 - plain[name]
        threshold = max(t for t in old if weights[old < t].sum() <= error + 1e-12)
        below = weights[old < threshold].sum()
        # Without weights the share below is the error itself; with them up to one row.
        assert error - below <= (1e-12 if np.ptp(weights) == 0 else weights.max())
        assert accuracy == pytest.approx((new >= threshold).mean())


def test_ties_at_the_threshold_are_split() -> None:
    rng = np.random.default_rng(0)
    values, others = rng.integers(5, size=40) / 5, rng.integers(6, size=30) / 5
    weights = np.full(40, 1 / 40)
    # Breaking all ties at random, on both sides alike, comes to the same in the mean.
    tries = []
    for _ in range(4000):
        broken, theirs = values + rng.uniform(0, 1e-6, size=40), others + rng.uniform(0, 1e-6, size=30)
        tries.append((theirs < np.sort(broken)[13]).mean())
    assert share_below(values, weights, 13 / 40, others) == pytest.approx(np.mean(tries), abs=0.02)
    assert share_below(values, weights, 1.0, others) == 1
    assert share_below(values, weights, 0.0, others) == (others < values.min()).mean()


def test_calibrated_confidence_against_isotonic_regression(by_hand: tuple[Setting, Array]) -> None:
    setting, weights = by_hand
    held = setting.candidates
    for name, accuracy in guess("calibrated confidence", setting).items():
        old, new = held.old[name], held.new[name]
        fitted = [
            IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=1)
            .fit(old[:, code], held.codes == code, sample_weight=weights)
            .predict(new[:, code])
            for code in range(held.k)
        ]
        if held.k == 2:
            fitted[0] = 1 - fitted[1]
        table = np.array(fitted).T
        table = np.array([row / row.sum() if row.sum() else np.full(held.k, 1 / held.k) for row in table])
        expected = np.mean([row[at] for row, at in zip(table, new.argmax(axis=1), strict=True)])
        assert accuracy == pytest.approx(expected)


def test_isotonic_where_no_class_is_possible() -> None:
    old = np.array([[0.5, 0.3, 0.2], [0.3, 0.5, 0.2], [0.3, 0.2, 0.5], [0.4, 0.3, 0.3]])
    found = isotonic(old, np.array([0, 1, 2, 2]), np.full(4, 0.25), np.array([[0.3, 0.3, 0.1], [0.5, 0.3, 0.2]]))
    np.testing.assert_allclose(found, np.array([[1 / 3, 1 / 3, 1 / 3], [1.0, 0.0, 0.0]]))


def test_pools_by_hand(by_hand: tuple[Setting, Array]) -> None:
    setting, weights = by_hand
    held, plain = setting.candidates, guess("cross-validation", setting)
    pool = pooled(held)
    corrected = guess("corrected pool", setting)
    for name, accuracy in guess("posterior pool", setting).items():
        said = np.mean([row[p.argmax()] for row, p in zip(pool.new, held.new[name], strict=True)])
        validated = sum(w * row[p.argmax()] for w, row, p in zip(weights, pool.old, held.old[name], strict=True))
        assert accuracy == pytest.approx(said)
        assert corrected[name] == pytest.approx(said + plain[name] - validated)


def test_adjusted_prevalence_by_a_contingency_table(by_hand: tuple[Setting, Array]) -> None:
    setting, weights = by_hand
    held = setting.candidates
    shares, _ = new_shares(held, pooled(held))
    found = RIVALS["adjusted prevalence"].guess(setting)
    assert found.extra["share of class 1"] == pytest.approx(shares[1])
    for name, accuracy in zip(held.names, found.accuracies, strict=True):
        table = pd.crosstab(held.codes, held.old[name].argmax(axis=1), values=weights, aggfunc="sum").fillna(0.0)
        recalls = np.diag(table) / table.sum(axis=1)
        assert accuracy == pytest.approx(float(shares @ recalls))


def test_routed_pool_by_hand(by_hand: tuple[Setting, Array]) -> None:
    setting, _ = by_hand
    held = setting.candidates
    routes = find_routes(held)
    found = RIVALS["routed pool"].guess(setting)
    assert sum(found.extra.values()) == pytest.approx(1)
    for name, accuracy in zip(held.names, found.accuracies, strict=True):
        old, new = held.old[name].argmax(axis=1), held.new[name].argmax(axis=1)
        rows, new_rows = np.arange(held.n), np.arange(held.m)
        along = [
            way.new[:][new_rows, new].mean() + way.weights[:] @ ((old == held.codes) - way.old[:][rows, old])
            for way in routes.ways
        ]
        assert accuracy == pytest.approx(float(routes.probabilities @ along))


def test_mean_of_rivals(by_hand: tuple[Setting, Array]) -> None:
    setting, _ = by_hand
    members = [guess(name, setting) for name in ("cross-validation", "corrected pool", "adjusted prevalence")]
    for name, accuracy in guess("mean of rivals", setting).items():
        assert accuracy == pytest.approx(np.mean([each[name] for each in members]))


def test_importance_weighting_by_hand() -> None:
    panel, _, _ = scored(120, 80, weight=True)
    rng = np.random.default_rng(0)
    X, X_new = rng.normal(size=(120, 2)), rng.normal(size=(80, 2)) + 1
    setting = setting_of(panel, X, X_new)
    found = RIVALS["importance weighting"].guess(setting)
    ratio = density_ratio(X, X_new, random_state=0)
    weights = ratio.weights * np.asarray(panel.sample_weight)
    for name, accuracy in zip(setting.candidates.names, found.accuracies, strict=True):
        right = panel.out_of_fold[name].argmax(axis=1) == panel.y
        assert accuracy == pytest.approx(np.average(right, weights=weights))
    assert found.notes == ()
    assert found.extra["clipped"] == ratio.clipped
    assert found.extra["effective rows"] == pytest.approx(weights.sum() ** 2 / (weights**2).sum())


def test_importance_weighting_without_features() -> None:
    panel, _, _ = scored(90, 70)
    setting = setting_of(panel)
    found = RIVALS["importance weighting"].guess(setting)
    why = "rows were weighted by entropy balancing: without X and X_new there is no density ratio"
    assert found.notes == (why,)
    right = panel.out_of_fold["good"].argmax(axis=1) == panel.y
    assert found.accuracies[0] == pytest.approx(float(setting.candidates.weights @ right))
    few, _, _ = scored(90, 8)
    rng = np.random.default_rng(0)
    found = RIVALS["importance weighting"].guess(setting_of(few, rng.normal(size=(90, 1)), rng.normal(size=(8, 1))))
    assert found.notes[0].startswith("rows were weighted by entropy balancing: X_new must hold at least 10 rows, got 8")


@pytest.mark.parametrize("k", [2, 3])
def test_without_shift_all_are_near_cross_validation(k: int) -> None:
    rng = np.random.default_rng(k)
    y = rng.integers(k, size=1600)
    X = normal(rng, y)
    models = {"lr": LogisticRegression(), "nb": GaussianNB()}
    found = rival_scores(models, X[:800], y[:800], X[800:], cv=5).pivot_table(
        index="model", columns="rival", values="accuracy"
    )
    assert set(found.columns) == set(SERVED)
    gaps = found.sub(found["cross-validation"], axis=0).abs()
    assert gaps.to_numpy().max() < 0.05


def turned(X: Array) -> Array:
    """Label rows by the second column, and from some place in the first on the other way round."""
    return np.asarray((X[:, 1] > 0) == (X[:, 0] < 0.5)).astype(int)


def test_under_covariate_shift_importance_weighting_is_nearer() -> None:
    """A line suits the side on which most labelled rows are; most new rows are on the other."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, X_new = rng.normal(size=(1000, 2)), rng.normal(size=(1000, 2)) + np.array([1.2, 0])
        model = LogisticRegression()
        names = ["cross-validation", "importance weighting"]
        found = rival_scores(model, X, turned(X), X_new, cv=5, rivals=names).set_index("rival")["accuracy"]
        truth = model.fit(X, turned(X)).score(X_new, turned(X_new))
        assert abs(found["cross-validation"] - truth) > 0.2
        assert abs(found["importance weighting"] - truth) < abs(found["cross-validation"] - truth) / 3


def test_under_prior_shift_adjusted_prevalence_is_nearer() -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        y, y_new = (rng.random(800) < 0.2).astype(int), (rng.random(800) < 0.7).astype(int)
        X, X_new = normal(rng, y, 1.0), normal(rng, y_new, 1.0)
        model = LogisticRegression()
        names = ["cross-validation", "adjusted prevalence"]
        found = rival_scores(model, X, y, X_new, cv=5, rivals=names).set_index("rival")["accuracy"]
        truth = model.fit(X, y).score(X_new, y_new)
        # Recalls of 160 rows and estimated shares are noise enough.
        assert abs(found["cross-validation"] - truth) > 0.2
        assert abs(found["adjusted prevalence"] - truth) < abs(found["cross-validation"] - truth) / 2


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [1, 2]])
def test_labels_of_any_type(labels: list[Any]) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=200)
    X = normal(rng, codes)
    y = np.array(labels)[codes]
    found = rival_scores(GaussianNB(), X[:120], y[:120], X[120:], cv=3)
    expected = rival_scores(GaussianNB(), X[:120], codes[:120], X[120:], cv=3)
    pd.testing.assert_frame_equal(found, expected)
    assert list(found.columns) == ["model", "rival", "accuracy", "note"]
    assert found["rival"].tolist() == SERVED
    assert found["accuracy"].between(0, 1).all()


def test_a_table_with_text_and_gaps() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=300)
    table = pd.DataFrame({"a": normal(rng, codes)[:, 0], "job": np.array(["x", "y", "z"])[rng.integers(3, size=300)]})
    table.loc[::7, "a"] = np.nan
    table.loc[::11, "job"] = None
    table.loc[250:260, "job"] = "never met"
    models = default_models(only=["lr", "tree"])
    found = rival_scores(models, table[:200], codes[:200], table[200:].reset_index(drop=True), cv=3)
    assert len(found) == 2 * len(SERVED)
    assert (found["note"] == "").all()
    assert found["accuracy"].between(0.3, 1).all()


def test_a_panel_of_scores() -> None:
    panel, y_new, new = scored(300, 200, seed=4)
    found = rival_scores(panel)
    assert found["rival"].drop_duplicates().tolist() == SERVED
    assert found["note"].str.startswith("the type of shift was determined from the scores alone").all()
    truth = (new["good"].argmax(axis=1) == y_new).mean()
    good = found[found["model"] == "good"].set_index("rival")["accuracy"]
    assert (good - truth).abs().max() < 0.12


@pytest.mark.parametrize("k", [2, 3])
def test_a_class_that_is_never_predicted_and_constant_scores(k: int) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(k, size=400)
    X = normal(rng, y)
    models = {"one": OneClass(), "lr": LogisticRegression()}
    found = rival_scores(models, X[:200], y[:200], X[200:], cv=4)
    one = found[found["model"] == "one"].set_index("rival")["accuracy"]
    assert one.notna().all()
    share = (y[:200] == 0).mean()
    for name in ("cross-validation", "difference of confidences", "average thresholded confidence"):
        assert one[name] == pytest.approx(share)
    assert one["calibrated confidence"] == pytest.approx(share)


def test_a_class_without_tested_rows() -> None:
    panel, _, _ = scored(90, 70, k=3)
    held = setting_of(panel).candidates
    some = np.flatnonzero(held.codes < 2)
    base = np.full(len(some), 1 / len(some))
    fewer = Candidates(
        codes=held.codes[some],
        folds=held.folds[:, some],
        repeats={name: each[:, some] for name, each in held.repeats.items()},
        new=held.new,
        comparable=held.comparable,
        shift=held.shift,
        rows=some,
        base=base,
    )
    setting = Setting(candidates=fewer)
    found = RIVALS["adjusted prevalence"].guess(setting)
    assert found.notes == ("a class has no labelled rows, so its recall was replaced by the accuracy",)
    assert RIVALS["mean of rivals"].guess(setting).notes == found.notes
    right = fewer.old["good"].argmax(axis=1) == fewer.codes
    recalls = [right[fewer.codes == 0].mean(), right[fewer.codes == 1].mean(), right.mean()]
    assert found.accuracies[0] == pytest.approx(float(setting.routes.shares @ recalls))


def test_one_panel_serves_all_rivals_without_a_plan() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=100)
    X = normal(rng, y)
    Counted.rows.clear()
    rival_scores(Counted(), X, y, normal(rng, y), cv=4)
    assert len(Counted.rows) == 4 + 1
    Counted.rows.clear()
    found = rival_scores(Counted(), X, y, normal(rng, y), rivals=["cross-validation", *PLANNED, "corrected pool"])
    assert len(Counted.rows) == (10 + 1) + (50 + 1) + (100 + 1) + (1 + 1)
    assert sorted(set(Counted.rows)) == [70, 90, 99, 100]
    assert found["rival"].tolist() == ["cross-validation", *PLANNED, "corrected pool"]
    Counted.rows.clear()
    panel = cross_fit(Counted(), X, y, cv=10, repeats=5)
    before = len(Counted.rows)
    again = rival_scores(panel, X, y, normal(rng, y))
    assert len(Counted.rows) == before
    assert set(again["rival"]) == {*SERVED, "repeated cross-validation"}


def test_plans_against_the_panel_they_make() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(2, size=60)
    X, X_new = normal(rng, y, 0.7), normal(rng, y, 0.7)
    found = rival_scores(GaussianNB(), X, y, X_new, rivals=PLANNED).set_index("rival")["accuracy"]
    alone = leave_one_out(GaussianNB(), X, y)
    assert found["leave-one-out"] == pytest.approx((alone.predictions("GaussianNB") == y).mean())
    train, test = next(holdout(test_size=0.3, random_state=0).split(X, y))
    expected = GaussianNB().fit(X[train], y[train]).score(X[test], y[test])
    assert len(test) == 18
    assert found["holdout"] == pytest.approx(expected)
    RIVALS["leave-one-out"].check(alone)
    RIVALS["holdout"].check(cross_fit(GaussianNB(), X, y, cv=[(train, test)]))
    for name in PLANNED:
        plan = RIVALS[name].plan
        assert plan is not None
        panel = cross_fit(GaussianNB(), X, y, **cast(Any, plan.fitting(y, np.random.default_rng(2))))
        assert [each for each in PLANNED if _passes(RIVALS[each], panel)] == [name]
        assert name in rival_scores(panel, X, y, X_new)["rival"].to_list()


def _passes(rival: Rival, panel: Panel) -> bool:
    try:
        rival.check(panel)
    except InputError:
        return False
    return True


def test_other_panels_are_refused_in_words() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=40)
    X = normal(rng, y)
    model = GaussianNB()
    cases = {
        "'leave-one-out' needs models fitted with one fold per row, got 4 folds": (cross_fit(model, X, y, cv=4)),
        "'repeated cross-validation' needs models fitted with 10 folds, 5 times, got 4 folds, 2 times": cross_fit(
            model, X, y, cv=4, repeats=2
        ),
        "'holdout' needs models fitted with one split that holds out 30% of the rows, got one fold per row": cross_fit(
            model, X, y, cv=LeaveOneOut()
        ),
        "'holdout' needs models fitted with one split that holds out 30% of the rows, got one split that holds out "
        "50% of the rows": cross_fit(model, X, y, cv=holdout(test_size=0.5)),
        "'holdout' needs models fitted with one split that holds out 30% of the rows, got deployed models": cross_fit(
            GaussianNB().fit(X, y), X, y, cv="prefit"
        ),
    }
    for words, panel in cases.items():
        name = words.split("'")[1]
        hint = "; pass the models instead of a panel."
        with pytest.raises(InputError, match=f"^{re.escape(words + hint)}$"):
            rival_scores(panel, X, y, X, rivals=name)


def test_a_rival_of_your_own_and_cut_guesses() -> None:
    panel, _, _ = scored(60, 50)
    mine = Rival(name="mine", guess=lambda _: Guess(accuracies=np.array([1.25, 0.5])), description="too sure")
    found = rival_scores(panel, rivals=[mine, "cross-validation", "cross-validation"])
    assert found["rival"].tolist() == ["mine", "mine", "cross-validation", "cross-validation"]
    assert found["accuracy"].tolist()[:2] == [1.0, 0.5]
    assert found["note"][0].endswith("; cut from 1.250")
    assert "cut" not in found["note"][1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rivals": "cross validation"}, "got 'cross validation'. Did you mean 'cross-validation'?"),
        ({"rivals": ["guess"]}, "rivals must be one of 'cross-validation', 'repeated cross-validation'"),
        (
            {"rivals": []},
            "rivals must name at least one, got none; leave it out to use all methods that one cross-fit supports.",
        ),
        ({"cv": 5}, "cv must be left out with a Panel, got 5; give it to cross_fit, which makes the panel."),
        ({"y": [0, 1]}, "y must match the panel's labels, got 2 labels instead of 30"),
    ],
)
def test_bad_names_and_arguments(arguments: dict[str, Any], words: str) -> None:
    panel, _, _ = scored(30, 20)
    with pytest.raises(InputError, match=re.escape(words)):
        rival_scores(panel, **arguments)


def test_models_need_all_three_tables() -> None:
    X, y = np.zeros((20, 1)), [0, 1] * 10
    for given, name in (((), "X"), ((X,), "y"), ((X, y), "X_new")):
        words = f"{name} is missing; pass models, X, y, X_new, or a Panel."
        with pytest.raises(InputError, match=f"^{re.escape(words)}$"):
            rival_scores(GaussianNB(), *given)


def test_a_setting_refuses_other_rows() -> None:
    panel, _, _ = scored(30, 20)
    candidates = setting_of(panel).candidates
    words = "X must have 30 rows, one per row with scores, got 31; leave out rows that were never tested."
    with pytest.raises(InputError, match=f"^{re.escape(words)}$"):
        Setting(candidates=candidates, X=np.zeros((31, 1)))


def test_names_descriptions_and_words() -> None:
    assert list(RIVALS) == [rival.name for rival in RIVALS.values()]
    assert [name for name, rival in RIVALS.items() if rival.plan is not None] == PLANNED
    for rival in RIVALS.values():
        assert rival.description[0].islower()
        assert "\n" not in rival.description
    assert str(CrossFitPlan()) == "one fold per row"
    assert CrossFitPlan(folds=10).fitting([0, 1] * 3) == {"cv": 6, "repeats": 1}


@pytest.mark.parametrize("name", PLANNED)
def test_rival_with_a_plan_warns_about_a_fitted_model(name: str) -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = (X[:, 0] > 0).astype(int)
    # Warnings are errors in tests, so nothing is fitted.
    with pytest.raises(RefittedModel, match="already fitted: 'GaussianNB'"):
        rival_scores(GaussianNB().fit(X, y), X, y, X, rivals=name)


@pytest.fixture(scope="module")
def two_panel() -> Panel:
    rng = np.random.default_rng(0)
    y, y_new = np.arange(200) % 2, np.arange(100) % 2
    old, new = (1 / (1 + np.exp(-2 * (codes - 0.5) - rng.normal(size=len(codes)))) for codes in (y, y_new))
    return Panel.from_scores(y, {"a": old, "b": 1 - old}, new={"a": new, "b": 1 - new})


# The second model is the first one reversed, on purpose.
@pytest.mark.filterwarnings("ignore::shiftproof.core.ScoresReversed")
def test_cheap_guesses_need_no_folds_of_their_own(two_panel: Panel) -> None:
    guesses = cheap_guesses(Case.of(two_panel, purpose="testing"))
    assert list(guesses) == ["a", "b"]
    assert all(RIVALS[name].plan is None for name in guesses["a"])
    assert guesses["a"]["cross-validation"] == pytest.approx(
        np.mean((two_panel.out_of_fold["a"][:, 1] > 0.5) == two_panel.y)
    )
    # The second model decides the opposite of the first, so every method that sees that prefers the first.
    assert all(guesses["a"][name] > guesses["b"][name] for name in ("cross-validation", "corrected pool"))


# The second model is the first one reversed, on purpose.
@pytest.mark.filterwarnings("ignore::shiftproof.core.ScoresReversed")
def test_cheap_guesses_know_no_threshold(two_panel: Panel) -> None:
    assert cheap_guesses(Case.of(two_panel, purpose="testing", options=DecisionOptions(threshold=0.3))) == {}
