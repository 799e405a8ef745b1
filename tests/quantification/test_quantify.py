from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import shiftproof as sp
from shiftproof import InputError, ShiftproofWarning
from shiftproof.case import Assume, Case, Known
from shiftproof.core import CountsUnreliable
from shiftproof.measures import measure
from shiftproof.quantification import (
    METHODS,
    AdjustedCount,
    Combined,
    Labelled,
    NearestNeighbors,
    Quantifier,
    Samples,
    StructuredSVM,
    class_shares,
    quantify,
    run_protocol,
)


def table(counts: tuple[int, ...], seed: int, labels: tuple[Any, ...] = ("no", "yes")) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(counts)), counts)
    X = pd.DataFrame(rng.normal(size=(len(codes), 3)), columns=["a", "b", "c"])
    for column, code in zip("abc", range(len(counts)), strict=False):
        X[column] += 1.7 * (codes == code)
    order = rng.permutation(len(codes))
    return X.iloc[order].reset_index(drop=True), np.array(labels, dtype=object)[codes[order]]


NOBODY = Known(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.int64))  # no new row has a label
X, Y = table((400, 200), 0)
NEW, TRUE = table((60, 240), 2)


@pytest.fixture(scope="module")
def found() -> sp.Quantification:
    return sp.quantify(LogisticRegression(), X, Y, NEW, assume="prior shift")


@pytest.fixture(scope="module")
def panel() -> sp.Panel:
    return sp.cross_fit(LogisticRegression(), X, Y)


def test_the_prevalence_is_found_and_the_change_fits(found: sp.Quantification) -> None:
    assert 0.8 in found.prevalence["yes"]
    assert found.prevalence["yes"].width < 0.15
    assert found.assumption == "fits"
    assert found.concerns == ()
    assert found.shift is not None
    assert found.shift.kind == "prior"
    assert found.training == pytest.approx({"no": 2 / 3, "yes": 1 / 3})
    assert (found.method, found.model, found.positive) == ("combined", "LogisticRegression", "yes")


def test_estimate_and_others_are_those_of_the_methods(found: sp.Quantification, panel: sp.Panel) -> None:
    name = "LogisticRegression"
    labelled = Labelled(panel.out_of_fold[name], panel.y, panel.folds[0])
    samples = Samples.of(panel.apply(NEW)[name])
    for method, each in METHODS.items():
        shares = found.estimate if method == "combined" else found.others[method]
        np.testing.assert_allclose(list(shares.values()), each.learn(labelled).estimate(samples)[0])


def test_drift_widens_a_count_and_leaves_that_of_a_clear_prior_shift(found: sp.Quantification, panel: sp.Panel) -> None:
    natural = sp.quantify(panel, X, Y, NEW, resamples=40)
    assert (natural.method, natural.assume, natural.assumption) == ("routed pool", "natural", "fits")
    assert natural.estimate["yes"] == pytest.approx(found.estimate["yes"], abs=0.02)
    assert natural.others["combined"]["yes"] == pytest.approx(found.estimate["yes"])
    assert found.prevalence["yes"].width < natural.prevalence["yes"].width < 0.2
    assert natural.errors["yes"].drift > 0
    assert sum(natural.estimate.values()) == pytest.approx(1)


@pytest.mark.parametrize("assume", ["natural", "no drift", "prior shift"])
def test_class_shares_are_those_of_quantify(panel: sp.Panel, assume: Assume) -> None:
    shares = class_shares(Case.of(panel, X, Y, NEW, purpose="a test", assume=assume), 0.9, NOBODY)
    whole = sp.quantify(panel, X, Y, NEW, assume=assume, resamples=40)
    assert shares == dict(whole.prevalence)


def test_class_shares_are_empty_where_quantify_refuses(panel: sp.Panel) -> None:
    assert class_shares(Case.of(panel, X, Y, NEW + 20, purpose="a test"), 0.9, NOBODY) == {}
    assert class_shares(Case.of(panel, X, Y, NEW + 20, purpose="a test", assume="prior shift"), 0.9, NOBODY) == {}


@pytest.mark.parametrize("options", [{"method": "combined"}, {"check": False}])
def test_drift_leaves_the_estimate_of_a_chosen_method(
    options: dict[str, Any], found: sp.Quantification, panel: sp.Panel
) -> None:
    counted = sp.quantify(panel, X, Y, NEW, resamples=40, **options)
    assert counted.method == "combined"
    assert counted.estimate == found.estimate
    assert counted.errors["yes"].drift > 0.02
    low, high = counted.errors["yes"].ends_by_sampling(counted.prevalence["yes"])
    assert counted.prevalence["yes"].width > high - low


def test_a_panel_is_used_as_it_is(found: sp.Quantification, panel: sp.Panel) -> None:
    same = sp.quantify(panel, X, Y, NEW, assume="prior shift")
    assert same.prevalence == found.prevalence
    without = sp.quantify(panel, X_new=NEW, assume="prior shift")
    assert without.prevalence == found.prevalence
    assert (without.shift, without.assumption) == (None, "scores fit")
    assert "only scores of the labelled data were given, no features to compare" in without.summary()


def test_scores_alone_are_enough(found: sp.Quantification, panel: sp.Panel) -> None:
    old, new = panel.out_of_fold["LogisticRegression"], panel.apply(NEW)["LogisticRegression"]
    scores = sp.Panel.from_scores(Y, {"deployed": old[:, 1]}, new={"deployed": new[:, 1]})
    counted = sp.quantify(scores)
    assert counted.estimate["yes"] == pytest.approx(found.estimate["yes"], abs=0.02)  # folds are not known
    assert counted.assumption == "scores fit"
    checked = sp.quantify(scores, X, Y, NEW)
    assert checked.assumption == "fits"
    with pytest.raises(
        InputError, match=r"^new scores and X_new must have the same number of rows, got 7 and 300; align them\.$"
    ):
        sp.quantify(scores, X, Y, NEW.head(7))


def test_a_quantifier_brings_classifier_and_method() -> None:
    quantifier = AdjustedCount(GaussianNB(), rates="pooled", cv=5)
    counted = sp.quantify(quantifier, X, Y, NEW, check=False)
    fitted = AdjustedCount(GaussianNB(), rates="pooled", cv=5).fit(X, Y)
    assert counted.method == "adjusted count"
    np.testing.assert_allclose(list(counted.estimate.values()), fitted.predict(NEW))
    again = sp.quantify(fitted, X_new=NEW)
    assert again.estimate == counted.estimate
    assert not hasattr(quantifier, "panel_")
    with pytest.raises(
        InputError, match=r"^method must be left out with a quantifier, which has its own, got 'combined'"
    ):
        sp.quantify(quantifier, X, Y, NEW, method="combined")


def test_a_deployed_classifier_in_a_quantifier_is_used_as_it_is() -> None:
    deployed = LogisticRegression().fit(X[:200], Y[:200])
    quantifier = AdjustedCount(deployed, cv="prefit")
    counted = sp.quantify(quantifier, X[200:], Y[200:], NEW, check=False)
    wanted = AdjustedCount(deployed, cv="prefit").fit(X[200:], Y[200:]).predict(NEW)
    np.testing.assert_allclose(list(counted.estimate.values()), wanted)


def test_a_fitted_quantifier_needs_no_labels_to_be_checked() -> None:
    fitted = Combined(LogisticRegression()).fit(X, Y)
    counted = sp.quantify(fitted, X, X_new=NEW)
    assert counted.assumption == "fits"
    np.testing.assert_allclose(list(counted.estimate.values()), fitted.predict(NEW))
    with pytest.raises(InputError, match=r"^X must be the table that the panel was made from"):
        sp.quantify(fitted, X.head(100), X_new=NEW)
    with pytest.raises(InputError, match=r"^cv must be left out with a quantifier, got 5; the quantifier has"):
        sp.quantify(Combined(LogisticRegression()), X, Y, NEW, cv=5)
    with pytest.raises(InputError, match=r"^models must be classifiers, or one quantifier, got 2 quantifiers"):
        sp.quantify([Combined(), AdjustedCount()], X, Y, NEW)


@pytest.mark.parametrize("method", ["classify and count", "training prevalence", "probability average"])
def test_naive_methods_do_not_break_what_fits(method: str) -> None:
    counted = sp.quantify(LogisticRegression(), X, Y, NEW, method=method)
    assert counted.assumption == "fits"
    assert counted.range["yes"][0] > 0.5


def test_classes_that_are_absent_raise_no_alarm() -> None:
    labels = ("a", "b", "c")
    broken = 0
    for seed in range(6):
        X3, y3 = table((150, 150, 150), seed, labels)
        counted = sp.quantify(LogisticRegression(), X3, y3, table((120, 0, 0), seed + 50, labels)[0], check=False)
        broken += counted.assumption == "broken"
    assert broken <= 1


def test_what_a_classifier_refuses_is_one_sentence() -> None:
    holes = NEW.copy()
    holes.iloc[0, 0] = np.nan
    with pytest.raises(InputError, match=r"^the classifier cannot score X_new: Input X contains NaN\.$"):
        sp.quantify(LogisticRegression(), X, Y, holes)


def test_of_several_models_the_one_with_the_lowest_brier_score_counts() -> None:
    weak = LogisticRegression(C=1e-3)
    counted = sp.quantify({"weak": weak, "good": LogisticRegression()}, X, Y, NEW, check=False)
    assert counted.model == "good"
    assert list(counted.briers) == ["good", "weak"]
    assert counted.briers["good"] < counted.briers["weak"]
    panel = sp.cross_fit({"weak": weak, "good": LogisticRegression()}, X, Y)
    assert sp.quantify(Combined(panel, model="weak"), X_new=NEW).model == "weak"


@pytest.mark.parametrize("labels", [(0, 1), (-1, 1), (1, 2), (False, True), ("a", "b"), (1.0, 2.0)])
def test_labels_of_any_type_get_the_same_answer(labels: tuple[Any, Any], found: sp.Quantification) -> None:
    y = np.array([labels[label == "yes"] for label in Y])
    counted = sp.quantify(LogisticRegression(), X, y, NEW, check=False)
    assert list(counted.prevalence) == list(labels)
    assert list(counted.estimate.values()) == list(found.estimate.values())
    category = sp.quantify(LogisticRegression(), X, pd.Series(y).astype("category"), NEW, check=False)
    assert list(category.estimate.values()) == list(found.estimate.values())


def test_tables_of_another_library_get_the_same_answer(found: sp.Quantification) -> None:
    tables = pl.from_pandas(X), pl.Series(Y.astype(str)), pl.from_pandas(NEW)
    counted = sp.quantify(LogisticRegression(), *tables, assume="prior shift")
    assert counted.estimate == found.estimate
    assert counted.assumption == "fits"


def test_three_classes_and_the_one_that_changed_most() -> None:
    labels = ("a", "b", "c")
    X3, y3 = table((300, 200, 100), 0, labels)
    new, _ = table((40, 40, 220), 1, labels)
    counted = sp.quantify(LogisticRegression(), X3, y3, new)
    assert counted.positive == "c"
    assert 220 / 300 in counted.prevalence["c"]
    assert sum(counted.estimate.values()) == pytest.approx(1)
    assert counted.summary().startswith("About ")
    assert "The share of class 'a' went from 50.0% to" in counted.summary()
    assert sum(share.drift**2 for share in counted.errors.values()) > 0
    assert sp.quantify(LogisticRegression(), X3, y3, new, pos_label="b", check=False).positive == "b"


@pytest.mark.whole_forests
def test_the_bank_calls_of_2010_are_not_believed() -> None:
    """The base rate is 0.52, and every method says nearly 1: the classes do not look as they did."""
    old, new = sp.load_demo(year=2009), sp.load_demo(year=2010)
    models = sp.default_models(only=["lr"])
    with pytest.warns(CountsUnreliable, match=r"^no estimate of the class proportions: The adjusted count of class"):
        counted = sp.quantify(
            models, old.drop(columns="label"), old["label"], new.drop(columns="label"), cv=5, assume="prior shift"
        )
    assert counted.assumption == "broken"
    assert any(each.outside and each.value > 1 for each in counted.unclipped if each.code == 1)
    assert counted.fit.p_value < 0.01
    assert counted.summary().startswith("The share of class")
    assert "The same is true of the " in counted.summary()


def test_covariate_shift_is_told() -> None:
    rng = np.random.default_rng(0)
    x, pool = rng.normal(size=(3000, 4)), rng.normal(size=(6000, 4))
    y = (x[:, 0] + x[:, 1] + 0.7 * rng.normal(size=3000) > 0).astype(int)
    new = pool[rng.random(6000) < np.where(pool[:, 0] > 0, 0.8, 0.15)][:1500]
    with pytest.warns(CountsUnreliable, match="no estimate"):
        sp.quantify(LogisticRegression(), x, y, new, assume="prior shift", resamples=40)
    counted = sp.quantify(LogisticRegression(), x, y, new, resamples=40)
    assert (counted.assumption, counted.refused) == ("broken", False)
    assert counted.shift is not None
    assert counted.shift.kind == "covariate"
    assert (
        "A change of the class proportions does not explain how the features changed (covariate shift)."
        in counted.concerns
    )


def test_periods_are_counted_on_their_own() -> None:
    early, late = table((250, 50), 2)[0], table((50, 250), 3)[0]
    days = pd.to_datetime(pd.Series(["2024-01-10"] * 300 + ["2024-03-10"] * 299 + [""]))
    new = pd.concat([early, late], ignore_index=True).assign(day=days)
    counted = sp.quantify(
        LogisticRegression(), X.assign(day=pd.Timestamp("2023-05-01")), Y, new, by="day", every="month"
    )
    assert [(period.name, period.n_rows) for period in counted.periods] == [
        ("2024-01", 300),
        ("2024-02", 0),
        ("2024-03", 299),
    ]
    assert 1 / 6 in counted.periods[0].prevalence["yes"]
    assert counted.periods[1].prevalence == {}
    assert 5 / 6 in counted.periods[2].prevalence["yes"]
    assert counted.n_undated == 1
    assert "1 row without a value of 'day' is not in any period." in counted.summary()
    frame = counted.over_time()
    assert list(frame.columns) == ["period", "rows", "label", "estimate", "low", "high", "others_low", "others_high"]
    assert len(frame) == 6
    assert frame["estimate"].isna().sum() == 2


def test_few_rows_are_counted_with_care() -> None:
    one = sp.quantify(LogisticRegression(), X, Y, NEW.head(1), method="combined")
    assert one.prevalence["yes"].width > 0.6
    assert "of 1 new row" in one.summary()
    with pytest.warns(CountsUnreliable, match="1 new row is too few for an estimate"):
        assert sp.quantify(LogisticRegression(), X, Y, NEW.head(1)).refused
    all_no = sp.quantify(LogisticRegression(), X, Y, table((100, 0), 5)[0], check=False, assume="prior shift")
    assert all_no.prevalence["yes"].low == 0
    assert all_no.prevalence["yes"].high < 0.15


def test_scores_that_say_nothing_are_told() -> None:
    from sklearn.dummy import DummyClassifier

    counted = sp.quantify(DummyClassifier(), X, Y, NEW, check=False)
    assert counted.prevalence["yes"].low == 0
    assert counted.prevalence["yes"].high == 1
    assert counted.notes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"X": None}, "X is missing; pass models, X, y, X_new, or a Panel."),
        ({"y": None}, "y is missing; pass models, X, y, X_new, or a Panel."),
        ({"X_new": None}, "X_new is missing; pass models, X, y, X_new, or a Panel."),
        ({"method": "zz"}, "method must name a counting method, got 'zz'; available: 'training prevalence', "),
        ({"by": "day"}, "by must name a column of X_new, got 'day'; available: 'a', 'b', 'c'."),
        ({"every": "month"}, "every needs by; name the column of dates."),
        ({"pos_label": 1}, "pos_label must be one of 'no' and 'yes', got 1; labels must match exactly."),
        ({"X_new": NEW[["a", "b"]]}, "X_new has no column 'c', which X has"),
        ({"X_new": NEW.head(0)}, "X_new must hold at least one row, got 0"),
        ({"y": ["no"] * 600}, "y must "),
        ({"y": Y[:10]}, "y must have one label per row of X, got 10 for 600 rows; pass the labels of the same rows."),
        (
            {"assume": "nature"},
            "assume must be one of 'natural', 'no drift', 'prior shift'; got 'nature'. Did you mean ",
        ),
        ({"assume": None}, "assume must be one of 'natural', 'no drift', 'prior shift'; got None."),
        ({"level": 1.5}, "level must be a number strictly between 0 and 1, got 1.5; 0.9 means 90%."),
    ],
    ids=lambda value: str(list(value))[:30] if isinstance(value, dict) else "",
)
def test_bad_input_gets_a_sentence(arguments: dict[str, Any], message: str) -> None:
    given = {"X": X, "y": Y, "X_new": NEW} | arguments
    with pytest.raises(InputError) as caught:
        quantify(LogisticRegression(), **given)
    assert str(caught.value).startswith(message)


def test_more_folds_than_rows_of_a_class() -> None:
    y = Y.copy()
    y[:] = "no"
    y[:4] = "yes"
    with pytest.raises(InputError, match=r"^class 'yes' has only 4 rows, too few for 10 folds; pass cv=4"):
        quantify(LogisticRegression(), X, y, NEW)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShiftproofWarning)
        assert sp.quantify(LogisticRegression(), X, y, NEW, cv=4, check=False).n_new == 300


def test_a_panel_was_split_already() -> None:
    panel = sp.cross_fit(LogisticRegression(), X, Y)
    with pytest.raises(InputError, match=r"^cv must be left out with a Panel, got 5"):
        sp.quantify(panel, X_new=NEW, cv=5)
    with pytest.raises(InputError, match=r"^y must match the panel's labels, got "):
        sp.quantify(panel, y=Y[::-1], X_new=NEW)


def test_a_quantifier_by_neighbours_counts_like_itself() -> None:
    from shiftproof.quantification import NearestNeighbors

    rng = np.random.default_rng(5)
    y, y_new = np.repeat(["no", "yes"], [300, 150]), np.repeat(["no", "yes"], [50, 150])
    X, X_new = (rng.normal(size=(len(each), 2)) + 2 * (each == "yes")[:, None] for each in (y, y_new))
    quantifier = NearestNeighbors(11)
    found = quantify(quantifier, X, y, X_new, resamples=50)
    assert found.prevalence["yes"].estimate == pytest.approx(NearestNeighbors(11).fit(X, y).predict(X_new)[1])
    assert found.prevalence["yes"].low < 0.75 < found.prevalence["yes"].high
    assert (found.model, found.assumption) == ("NearestNeighbors", "fits")
    assert not hasattr(quantifier, "classes_")
    for given, words in (((None, None, X_new), "X must"), ((X, y, None), "X_new must")):
        with pytest.raises(InputError, match=words):
            quantify(quantifier, *given)
    with pytest.raises(InputError, match="cv must be left out"):
        quantify(quantifier, X, y, X_new, cv=5)


@pytest.mark.parametrize("fitted", [True, False])
def test_a_structured_svm_is_judged_by_rows_it_never_saw(fitted: bool) -> None:
    from shiftproof.quantification import StructuredSVM

    rng = np.random.default_rng(6)
    y, y_new = np.repeat([0, 1], [80, 40]), np.repeat([0, 1], [50, 150])
    X, X_new = (rng.normal(size=(len(each), 30)) + 0.3 * each[:, None] for each in (y, y_new))
    quantifier = StructuredSVM("nas", C=10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = quantify(quantifier.fit(X, y) if fitted else quantifier, X, y, X_new, resamples=50)
    panel = StructuredSVM("nas", C=10).panel_for(X, y)
    unseen = measure("brier", panel.y, panel.out_of_fold["classifier"]).estimate
    quantifier.fit(X, y)
    seen = measure("brier", panel.y, quantifier.score_new(X).probabilities).estimate
    assert seen < unseen - 0.05
    assert found.briers["classifier"] == pytest.approx(unseen)
    assert found.prevalence[1].estimate == pytest.approx(quantifier.predict(X_new)[1])


@pytest.mark.parametrize("quantifier", [AdjustedCount(GaussianNB(), cv=2), NearestNeighbors(3), StructuredSVM("nas")])
def test_columns_of_another_type_are_refused_by_name(quantifier: Quantifier) -> None:
    labelled, new = X.assign(visits=np.arange(600) % 7), NEW.assign(visits=NEW["a"] > 0)
    sentence = (
        "column 'visits' holds numbers in the labelled data (such as 0) and booleans in the new data (such as False); "
        "convert one of them."
    )
    for count in (
        lambda: quantifier.fit(labelled, Y).predict(new),
        lambda: sp.quantify(quantifier, labelled, Y, new, check=False),
        lambda: sp.quantify(GaussianNB(), labelled, Y, new, cv=2),
        lambda: run_protocol(quantifier, labelled, Y, test=(new, TRUE)),
    ):
        with pytest.raises(InputError) as caught:
            count()
        assert str(caught.value) == sentence


def weighed_panel(weights: Any, rows: slice = slice(None)) -> sp.Panel:
    """Return a panel of scores, of which the last fifth of the labelled rows has the wrong label."""
    rng = np.random.default_rng(4)
    codes = np.append(np.arange(100) % 2, np.minimum(np.arange(60) % 3, 1)).astype(np.int64)
    scores = np.clip(0.5 + 0.25 * (2 * codes - 1) + 0.15 * rng.normal(size=160), 0.01, 0.99)
    new, scores, codes = {"m": scores[100:]}, scores[:100], codes[:100]
    codes[80:] = 1 - codes[80:]
    weights = None if weights is None else weights[rows]
    return sp.Panel.from_scores(codes[rows], {"m": scores[rows]}, new=new, sample_weight=weights)


def test_quantify_rows_of_weight_zero_count_for_nothing() -> None:
    weights = np.repeat([1.0, 0.0], [80, 20])
    with_zeros = quantify(weighed_panel(weights), resamples=20, assume="prior shift")
    without = quantify(weighed_panel(weights, slice(80)), resamples=20, assume="prior shift")
    assert {**with_zeros.to_dict(), "unchecked": ""} == {**without.to_dict(), "unchecked": ""}


def test_quantify_weighs_labelled_rows_and_says_so() -> None:
    weights = np.where(np.arange(100) % 2 == 1, 3.0, 1.0)
    weighed, plain = (quantify(weighed_panel(w, slice(80)), resamples=20) for w in (weights, None))
    assert weighed.training == {0: 0.25, 1: 0.75}
    assert plain.training == {0: 0.5, 1: 0.5}
    note = "Class proportions of the labelled data, and the rates behind the estimate, are weighted by sample_weight."
    assert note in weighed.summary()
    assert note not in plain.summary()


def test_quantify_says_that_the_test_for_the_type_of_shift_ignores_weights() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X, X_new = rng.normal(size=(80, 2)) + y[:, None], rng.normal(size=(60, 2)) + 0.5
    note = "The type of shift was determined as if all rows had equal weight."
    for check in (True, False):
        counted = quantify(GaussianNB(), X, y, X_new, sample_weight=1.0 + y, cv=2, resamples=20, check=check)
        assert (note in counted.summary()) is check


def test_quantify_of_more_than_twenty_classes_says_what_its_intervals_are() -> None:
    rng = np.random.default_rng(0)
    codes = np.arange(105) % 21
    scores, new = (rng.dirichlet(np.ones(21), n) + 0.5 * np.eye(21)[np.arange(n) % 21] for n in (105, 60))
    panel = sp.Panel.from_scores(codes, {"m": scores / 1.5}, new={"m": new / 1.5})
    found = quantify(panel, resamples=20)
    words = (
        "With more than 20 classes, intervals show the spread of resampled estimates and are not corrected for bias."
    )
    assert words in found.summary()
    assert all(share.low <= share.estimate <= share.high for share in found.prevalence.values())


def year(seed: int) -> tuple[pd.DataFrame, np.ndarray[Any, Any], pd.DataFrame, np.ndarray[Any, Any]]:
    """Draw labelled rows with 23% positives, and six months of 5% to 45% that average to that."""
    rng = np.random.default_rng(seed)
    shares = rng.choice([0.1, 0.2, 0.4], size=6)
    shares = np.clip(shares + 0.233 - shares.mean(), 0.05, 0.45)

    def rows(n: int, share: float) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        y = (np.arange(n) < round(n * share)).astype(int)
        return rng.normal(size=(n, 3)) + np.outer(y, [1.3, 0.8, 0.0]), y

    X, y = rows(700, 0.233)
    months = [rows(120, share) for share in shares]
    new = pd.DataFrame(np.vstack([x for x, _ in months]), columns=list("abc"))
    new["month"] = np.repeat(np.arange(6), 120)
    return pd.DataFrame(X, columns=list("abc")), y, new, np.concatenate([codes for _, codes in months])


def test_months_that_shift_while_the_year_does_not_have_intervals_that_cover() -> None:
    covered, kinds = [], []
    for seed in range(5):
        X, y, new, y_new = year(seed)
        found = quantify(LogisticRegression(), X, y, new, by="month", cv=3, resamples=20, progress=False)
        kinds.append(found.shift.kind if found.shift is not None else "")
        actual = [y_new[(new["month"] == month).to_numpy()].mean() for month in range(6)]
        shares = [period.prevalence[1] for period in found.periods]
        covered += [value in share for value, share in zip(actual, shares, strict=True)]
        assert y_new.mean() in found.prevalence[1]
    assert "none" in kinds
    assert np.mean(covered) >= 0.85
