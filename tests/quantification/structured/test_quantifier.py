"""The quantifier of the structural SVM: what it counts, how often it fits, and the data sets on which it collapses."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from shiftproof import InputError, ShiftproofWarning
from shiftproof.experiments import DataSources
from shiftproof.experiments._thesis_runs import load_problem
from shiftproof.quantification import METHODS, Labelled, Samples, StructuredSVM, ThesisProtocol, quantify, run_protocol
from shiftproof.quantification.structured._classifier import StructuredClassifier

Array = np.ndarray[Any, Any]
COLLAPSING = ("balance.2", "cmc.2", "cmc.3")
#: With 14 to 37% positives.
TEN_SETS = ("cmc.2", "cmc.3", "ctg.2", "haberman", "ionosphere", "spectf", "tictactoe", "transfusion", "wdbc", "wine.1")


def task(n: int, k: int = 2, seed: int = 0, shift: float = 2.0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=np.arange(k, 0, -1) / np.arange(k, 0, -1).sum())
    means = np.random.default_rng(99).normal(size=(k, 3))
    return rng.normal(size=(n, 3)) + shift * means[y], y


@pytest.fixture
def fits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of rows of each fit."""
    sizes: list[int] = []
    fit = StructuredClassifier.fit

    def counted(self: Any, X: Any, y: Any, **how: Any) -> Any:
        sizes.append(len(y))
        return fit(self, X, y, **how)

    monkeypatch.setattr(StructuredClassifier, "fit", counted)
    return sizes


@pytest.mark.parametrize("loss", ["q", "nas", "arithmetic", "f1", "error", lambda *cells: (cells[1] - cells[2]) ** 2])
def test_decisions_above_0_are_counted_after_one_fit(loss: Any, fits: list[int]) -> None:
    X, y = task(200)
    X_new, _ = task(130, seed=1)
    quantifier = StructuredSVM(loss, scale=False).fit(X, y)
    assert fits == [200]
    alone = StructuredClassifier(loss).fit(X, y)
    share = (alone.decision_function(X_new) > 0).mean()
    assert quantifier.predict(X_new).tolist() == [1 - share, share]
    np.testing.assert_array_equal(quantifier.classifier_.coef_, alone.coef_)
    assert quantifier.search_ == alone.search_
    assert quantifier.prevalence_.tolist() == (np.bincount(y) / 200).tolist()
    assert not quantifier.collapsed_


def test_intervals_fit_per_fold_once_and_hold_the_estimate(fits: list[int]) -> None:
    X, y = task(200)
    quantifier = StructuredSVM(cv=4).fit(X, y)
    interval = quantifier.predict_interval(X, resamples=50)[1]
    assert fits == [200, 150, 150, 150, 150, 200]
    assert interval.low < interval.estimate < interval.high
    assert interval.estimate == pytest.approx(quantifier.predict(X)[1])
    again = quantifier.predict_interval(X, resamples=50)[1]
    assert (again.low, again.high) == (interval.low, interval.high)
    assert len(fits) == 6
    with_folds = StructuredSVM(cv=4, correction="classify and count").fit(X, y)
    np.testing.assert_array_equal(with_folds.labelled_.probabilities, quantifier.labelled_.probabilities)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("correction", ["adjusted count", "median sweep"])
def test_a_correction_learns_from_rows_that_were_not_seen(correction: str, k: int, fits: list[int]) -> None:
    X, y = task(150 * k, k)
    X_new, _ = task(90, k, seed=1)
    quantifier = StructuredSVM("nas", correction=correction, scale=False, cv=3).fit(X, y)
    assert len(fits) == 4
    scores, folds = np.empty((len(y), k)), np.empty(len(y), dtype=int)
    for number, (train, test) in enumerate(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y)):
        scores[test] = StructuredClassifier("nas").fit(X[train], y[train]).predict_proba(X[test])
        folds[test] = number
    learned = METHODS[correction].learn(Labelled(scores, y, folds))
    wanted = learned.estimate(Samples.of(StructuredClassifier("nas").fit(X, y).predict_proba(X_new)))[0]
    np.testing.assert_allclose(quantifier.predict(X_new), wanted, atol=1e-12)


def test_the_protocol_fits_once_per_fold_and_counts_decisions(fits: list[int]) -> None:
    X, y = task(120)
    named = {
        "plain": StructuredSVM("nas", scale=False),
        "corrected": StructuredSVM("nas", scale=False, correction="adjusted count"),
        "missed": StructuredSVM(lambda *cells: cells[2] / (cells[0] + cells[2]), scale=False),
        "false": StructuredSVM(lambda *cells: cells[1] / (cells[1] + cells[3]), scale=False),
    }
    frame = run_protocol(named, X, y, ThesisProtocol(), cv=3)
    # Those that differ in the correction alone share their fits.
    assert fits == [80] * 9
    natural = frame[frame["method"] == "plain"]
    assert len(natural) == 33
    means = frame.groupby("method")["estimated"].mean()
    assert means["missed"] > means["plain"] > means["false"]


def test_the_verb_counts_with_intervals_from_rows_that_were_not_seen() -> None:
    X, y = task(150)
    X_new, _ = task(80, seed=1)
    found = quantify(StructuredSVM("q", cv=3), X, y, X_new)
    wanted = StructuredSVM("q", cv=3).fit(X, y)
    frame = found.to_frame()
    np.testing.assert_allclose(frame["estimate"], wanted.predict(X_new))
    intervals = wanted.predict_interval(X_new)
    np.testing.assert_allclose(frame["low"], [each.low for each in intervals], atol=0.1)
    assert frame["method"].tolist() == ["structured svm"] * 2
    unseen = wanted.panel_.out_of_fold["classifier"]
    assert (unseen != wanted.classifier_.predict_proba(wanted._panel.models["classifier"][0].transform(X))).any()


def test_fitting_anew_forgets_the_folds() -> None:
    X, y = task(90)
    quantifier = StructuredSVM(cv=3)
    assert not hasattr(quantifier, "panel_")
    first = quantifier.fit(X, y).labelled_
    assert len(quantifier.fit(X[:60], y[:60]).labelled_.codes) == 60
    assert len(first.codes) == 90


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [1, 2]])
def test_any_table_and_any_labels_do(labels: list[Any]) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(120) % 3 == 0
    frame = pd.DataFrame(
        {
            "size": np.where(rng.random(120) < 0.1, np.nan, rng.normal(size=120) * 1e6 + 1e6 * y),
            "job": pd.Categorical(np.where(rng.random(120) < 0.8, np.where(y, "a", "b"), "c")),
            "same": 1,
        }
    )
    renamed = np.array(labels)[y.astype(int)]
    shares = StructuredSVM().fit(frame, renamed).predict(frame[:30])
    assert shares.sum() == pytest.approx(1)
    assert 0.1 < shares[1] < 0.6
    other = StructuredSVM().fit(pl.from_pandas(frame), pd.Series(renamed).astype("category"))
    np.testing.assert_allclose(other.predict(pl.from_pandas(frame[:30])), shares)
    assert other.classes_.tolist() == labels
    assert StructuredSVM().fit(frame, renamed).predict(frame[:1]).tolist() in ([0.0, 1.0], [1.0, 0.0])


def test_scaling_makes_units_irrelevant() -> None:
    X, y = task(150)
    X_new = task(60, seed=1)[0]
    wanted = StructuredSVM().fit(X, y).predict(X_new)
    np.testing.assert_allclose(StructuredSVM().fit(X * 1e6 + 5, y).predict(X_new * 1e6 + 5), wanted, atol=1e-9)


def test_it_can_be_cloned_and_pickled() -> None:
    X, y = task(100)
    quantifier = StructuredSVM("arithmetic", C=0.5).fit(X, y)
    again = pickle.loads(pickle.dumps(quantifier))  # noqa: S301 - our own
    np.testing.assert_array_equal(again.predict(X), quantifier.predict(X))
    np.testing.assert_array_equal(clone(quantifier).fit(X, y).predict(X), quantifier.predict(X))
    assert set(quantifier.get_params()) == {
        *("loss", "beta", "C", "tolerance", "most_planes", "correction", "scale", "cv", "random_state", "n_jobs")
    }


@pytest.mark.parametrize("name", COLLAPSING)
@pytest.mark.parametrize("scale", [True, False])
def test_three_sets_of_the_thesis_collapse_with_q_and_not_with_the_arithmetic_mean(
    name: str, scale: bool, shared_data: Path
) -> None:
    table = pd.read_csv(shared_data / f"{name}.csv")
    y = table.pop("label")
    words = (
        "structured svm: no weights are better than none, so no row is predicted as 1, with loss='q' and "
        "whatever C and beta; give loss='arithmetic' or loss='nas'."
    )
    with pytest.warns(ShiftproofWarning) as caught:
        quantifier = StructuredSVM("q", scale=scale).fit(table, y)
    assert [str(each.message) for each in caught] == [words]
    assert quantifier.collapsed_
    assert quantifier.predict(table).tolist() == [1.0, 0.0]
    # Nothing is gained on the way to any other weights: the least of the objective is that of no weights.
    classifier = quantifier.classifier_
    assert classifier.objective_[0] == len(y)
    assert classifier.bound_[0] >= len(y) * (1 - 1e-4)
    if name == "balance.2":  # its positives lie between the negatives
        with pytest.warns(ShiftproofWarning, match="no row is predicted as 1, because the columns hardly separate"):
            other = StructuredSVM("arithmetic", scale=scale).fit(table, y)
    else:
        other = StructuredSVM("arithmetic", scale=scale).fit(table, y)
        assert abs(other.predict(table)[1] - y.mean()) < 0.1
    assert not other.collapsed_


def test_the_default_counts_on_ten_sets_with_few_positives(shared_data: Path) -> None:
    sources, errors = DataSources(shared_data), {}
    for name in TEN_SETS:
        X, y = load_problem(sources, name)
        assert 0.1 < y.mean() < 0.4
        protocol = ThesisProtocol(prevalences=[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
        rows = run_protocol({"default": StructuredSVM()}, X, y, protocol, cv=5, nested=False, pos_label=1)
        errors[name] = (rows["true"] - rows["estimated"]).abs().mean()
        assert not StructuredSVM().fit(X, y).collapsed_
    assert max(errors.values()) < 0.25
    assert np.mean(list(errors.values())) < 0.15


def test_the_default_counts_where_q_collapses() -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(3000) < 0.2).astype(int)
    X = rng.normal(size=(3000, 5)) + 0.4 * y[:, None]
    with pytest.warns(ShiftproofWarning, match="no weights are better than none"):
        assert StructuredSVM("q").fit(X, y).predict(X)[1] == 0
    assert StructuredSVM().fit(X, y).predict(X)[1] == pytest.approx(0.2, abs=0.15)


def test_folds_that_collapse_where_all_rows_do_not_are_told() -> None:
    y = np.arange(60) < 18
    X = np.random.default_rng(16).normal(size=(60, 2)) + 0.8 * y[:, None]
    with pytest.warns(ShiftproofWarning) as caught:
        quantifier = StructuredSVM("q", correction="probability average", cv=5).fit(X, y)
    assert not quantifier.collapsed_
    collapsed = sum(bool(fold[-1].collapsed_[0]) for fold in quantifier.panel_.fold_models["classifier"][0])
    assert [str(each.message) for each in caught] == [
        f"structured svm: in {collapsed} of 5 folds no weights are better than none; "
        "give loss='arithmetic' or loss='nas'."
    ]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": -1}, "C must be a number above 0, got -1; 1 is usual."),
        ({"tolerance": 0}, "tolerance must be a number above 0, got 0; 0.0001 is usual."),
        ({"cv": "prefit"}, "cv must be a whole number or a scikit-learn splitter, got 'prefit'; 10 is usual."),
        (
            {"loss": lambda *cells: -cells[1]},
            "loss must be finite and at least 0, got -1.0 at tp=16, fp=1, fn=0, tn=23; define it for every table.",
        ),
    ],
)
def test_bad_parameters_get_one_sentence(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        StructuredSVM(**parameters).fit(*task(40))
    assert str(caught.value) == message
    if "C" in parameters:
        with pytest.raises(InputError) as caught:
            StructuredSVM(correction="adjusted count", **parameters).fit(*task(40))
        assert str(caught.value) == message


def test_an_unknown_correction_gets_one_sentence() -> None:
    with pytest.raises(InputError, match=r"^correction must be one of .*; got .*\. Did you mean 'median sweep'\?$"):
        StructuredSVM(correction="median swep").fit(*task(40))


def test_bad_rows_get_one_sentence() -> None:
    X, y = task(40)
    with pytest.raises(
        InputError, match=r"^y must contain at least two classes, got one class, 0; add rows of another"
    ):
        StructuredSVM().fit(X[:1], [0])
    with pytest.raises(
        InputError, match=r"^y must have one label per row of X, got 39 for 40 rows; pass the labels of the same rows"
    ):
        StructuredSVM().fit(X, y[1:])
    X[0, 0] = np.nan
    StructuredSVM().fit(X, y)
    with pytest.raises(InputError) as caught:
        StructuredSVM(scale=False).fit(X, y)
    assert str(caught.value) == (
        "X must hold finite numbers that the classifier can learn from: Input X contains NaN; leave out scale=False."
    )
