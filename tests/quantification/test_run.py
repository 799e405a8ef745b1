"""The engine against a slow loop over folds and samples; how often it fits; frames, names and sentences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from shiftproof import InputError, ShiftproofWarning
from shiftproof.panel import cross_fit
from shiftproof.quantification import (
    METHODS,
    QUANTIFIERS,
    AdjustedCount,
    ArtificialPrevalence,
    ClassifierQuantifier,
    ClassifyAndCount,
    Combined,
    HellingerMatching,
    Labelled,
    MedianSweep,
    NaturalPrevalence,
    NearestNeighbors,
    ProbabilityAverage,
    ProportionWeightedNeighbors,
    Quantifier,
    SampleProtocol,
    Samples,
    StructuredSVM,
    ThesisProtocol,
    TrainingPrevalence,
    UniformSimplex,
    run_protocol,
)
from shiftproof.quantification._protocols import Drawn
from shiftproof.quantification.neighbors._search import Search

Array = np.ndarray[Any, Any]

BY_CLASSIFIER = {
    name: kind
    for name, kind in QUANTIFIERS.items()
    if issubclass(kind, ClassifierQuantifier) and kind is not StructuredSVM
}
COLUMNS = ["dataset", "fold", "prevalence", "method", "true", "estimated", "label", "sample", "size"]


def task(n: int = 240, k: int = 2, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % (k + 1) % k)
    return rng.normal(size=(n, 3)) + np.random.default_rng(9).normal(size=(k, 3))[y], y


X, Y = task()
RARE = np.where(np.arange(240) < 4, "yes", "no")


def said(call: Callable[[], Any]) -> str:
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value)


class Counting(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Writes a line per fit into a file, so that fits in other processes count too."""

    def __init__(self, log: str = "", name: str = "") -> None:
        self.log = log
        self.name = name

    def fit(self, X: Any, y: Any) -> Counting:
        self.inner_ = GaussianNB().fit(X, y)
        self.classes_ = self.inner_.classes_
        with Path(self.log).open("a") as log:
            log.write(f"{self.name} {len(X)}\n")
        return self

    def predict_proba(self, X: Any) -> Any:
        return self.inner_.predict_proba(X)


class Recording(SampleProtocol):
    """Every row once alone, then all of them, and remembers the classes it was given."""

    name = "recording"

    def __init__(self) -> None:
        self.pools: list[list[int]] = []

    def draw(self, codes: Any, n_classes: int, rng: np.random.Generator) -> Drawn:  # noqa: ARG002 - nothing is random
        self.pools.append(codes.tolist())
        m = len(codes)
        rows = np.concatenate([np.arange(m), np.arange(m)])
        asked = np.full((m + 1, n_classes), 1 / n_classes)
        return Drawn(asked, rows, np.append(np.arange(m + 1), 2 * m))


# The numbers


@pytest.mark.parametrize("k", [2, 3])
def test_the_engine_is_the_slow_loop(k: int) -> None:
    """Per fold: labelled scores of the other folds, each method learnt alone, each sample estimated alone."""
    X, y = task(k=k, seed=1)
    quantifiers = {name: kind(GaussianNB()) for name, kind in BY_CLASSIFIER.items()}
    protocol = UniformSimplex(size=20, samples=4)
    found = run_protocol(quantifiers, X, y, protocol, cv=4, random_state=5)

    seed = int(np.random.default_rng(5).integers(2**31 - 1, size=1)[0])
    splitter = StratifiedKFold(4, shuffle=True, random_state=seed)
    scores = cross_val_predict(GaussianNB(), X, y, cv=splitter, method="predict_proba")
    folds = np.empty(len(y), dtype=int)
    for number, (_, test) in enumerate(splitter.split(X, y)):
        folds[test] = number
    rng = np.random.default_rng(seed)
    rows = []
    for fold in range(4):
        inside = np.flatnonzero(folds == fold)
        others = folds != fold
        labelled = Labelled(scores[others], y[others], folds[others])
        drawn = protocol.draw(y[inside], k, rng)
        for name in BY_CLASSIFIER:
            learned = METHODS[name].learn(labelled)
            for number, members in enumerate(np.split(drawn.rows, drawn.offsets[1:-1])):
                sample = inside[members]
                shares = learned.estimate(Samples.of(scores[sample]))[0]
                for code in [1] if k == 2 else range(k):
                    true = np.mean(y[sample] == code)
                    asked = drawn.wanted[number, code]
                    rows.append(["", fold, asked, name, true, shares[code], code, number, 20])
    wanted = pd.DataFrame(rows, columns=COLUMNS)
    pd.testing.assert_frame_equal(found, wanted, check_dtype=False, atol=1e-9)


@pytest.mark.parametrize("test", [0.4, "pair"])
def test_rows_held_out_are_scored_by_the_classifier_of_all_others(test: Any) -> None:
    seed = int(np.random.default_rng(0).integers(2**31 - 1, size=1)[0])
    if test == "pair":
        (X_train, y_train), (X_test, y_test) = (X, Y), task(100, seed=7)
        test = (X_test, y_test)
    else:
        train, held = train_test_split(np.arange(240), test_size=0.4, stratify=Y, random_state=seed)
        X_train, y_train, X_test, y_test = X[train], Y[train], X[held], Y[held]
    quantifiers = [AdjustedCount(GaussianNB()), Combined(GaussianNB())]
    protocol = ArtificialPrevalence(size=15, prevalences=5, repeats=2)
    found = run_protocol(quantifiers, X, Y, protocol, cv=3, test=test)
    assert found["fold"].unique().tolist() == [0]

    drawn = protocol.draw(y_test, 2, np.random.default_rng(seed))
    samples = Samples(GaussianNB().fit(X_train, y_train).predict_proba(X_test), drawn.rows, drawn.offsets)
    splitter = StratifiedKFold(3, shuffle=True, random_state=seed)
    scores = cross_val_predict(GaussianNB(), X_train, y_train, cv=splitter, method="predict_proba")
    folds = np.empty(len(y_train), dtype=int)
    for number, (_, rows) in enumerate(splitter.split(X_train, y_train)):
        folds[rows] = number
    labelled = Labelled(scores, y_train, folds)
    for name, method in (("AdjustedCount", "adjusted count"), ("Combined", "combined")):
        mine = found[found["method"] == name]
        np.testing.assert_allclose(mine["estimated"], METHODS[method].learn(labelled).estimate(samples)[:, 1])
        np.testing.assert_allclose(mine["true"], [y_test[s].mean() for s in np.split(drawn.rows, drawn.offsets[1:-1])])


def test_estimates_and_truths_belong_to_the_same_rows() -> None:
    """Samples of one row: with a classifier that knows the truth the plain count is the truth."""
    protocol = Recording()
    told = np.column_stack([1.0 - 2 * Y, X])
    frame = run_protocol(ClassifyAndCount(LogisticRegression(C=100)), told, Y, protocol, cv=3)
    assert (frame["estimated"] == frame["true"]).all()
    assert sorted(map(len, protocol.pools)) == [80, 80, 80]
    assert sum(map(sum, protocol.pools)) == Y.sum()
    assert frame["size"].tolist() == ([1] * 80 + [80]) * 3


def test_the_thesis_protocol_keeps_the_prevalence_as_asked_and_as_it_is() -> None:
    frame = run_protocol(TrainingPrevalence(GaussianNB()), X, Y, cv=5)
    assert len(frame) == 55
    np.testing.assert_allclose(frame["prevalence"], np.tile(np.arange(11) / 10, 5))
    assert frame["sample"].tolist() == list(range(11)) * 5
    assert np.abs(frame["true"] - frame["prevalence"]).max() < 0.5 / frame["size"].min() + 0.05
    at_ends = frame[frame["prevalence"].isin([0, 1])]
    np.testing.assert_array_equal(at_ends["true"], at_ends["prevalence"])
    assert (frame["estimated"] - Y.mean()).abs().max() < 0.01


def test_folds_without_positives_have_one_sample() -> None:
    order = np.argsort(Y, kind="stable")
    frame = run_protocol(ClassifyAndCount(GaussianNB()), X[order], Y[order], cv=KFold(6))
    of_fold = frame.groupby("fold")["prevalence"].agg(["size", "first"])
    one_class = [len(set(Y[order][at : at + 40].tolist())) == 1 for at in range(0, 240, 40)]
    assert of_fold["size"].tolist() == [1 if one else 11 for one in one_class]
    assert sum(one_class) >= 4


def test_more_than_two_classes_are_all_told() -> None:
    X, y = task(k=3)
    names = np.array(["a", "b", "c"])
    frame = run_protocol(AdjustedCount(GaussianNB()), X, names[y], UniformSimplex(size=9, samples=7), cv=2)
    assert frame["label"].tolist() == ["a", "b", "c"] * 14
    assert frame["sample"].tolist() == np.tile(np.repeat(np.arange(7), 3), 2).tolist()
    sums = frame.groupby(["fold", "sample"])[["prevalence", "true", "estimated"]].sum()
    np.testing.assert_allclose(sums, 1)


# Frames, labels and names


def test_the_frame_has_its_columns_in_order() -> None:
    frame = run_protocol(ClassifyAndCount(GaussianNB()), X, Y, cv=3)
    assert list(frame.columns) == COLUMNS
    assert frame.index.tolist() == list(range(33))
    assert frame["dataset"].unique().tolist() == [""]
    assert frame["label"].unique().tolist() == [1]


def test_the_positive_class_may_be_chosen() -> None:
    names = np.array(["bad", "good"])[Y]
    good = run_protocol(AdjustedCount(GaussianNB()), X, names, cv=3)
    bad = run_protocol(AdjustedCount(GaussianNB()), X, names, cv=3, pos_label="bad")
    assert good["label"].unique().tolist() == ["good"]
    assert bad["label"].unique().tolist() == ["bad"]
    for column in ("prevalence", "true", "estimated"):
        np.testing.assert_allclose(bad[column], 1 - good[column])


@pytest.mark.parametrize(
    "labels",
    [
        2 * Y - 1,
        Y + 1,
        Y == 1,
        np.array(["no", "yes"])[Y].tolist(),
        pd.Series(pd.Categorical(np.array(["no", "yes"])[Y], categories=["yes", "no"])),
        pl.Series(Y),
    ],
    ids=["-1/1", "1/2", "booleans", "list of text", "categories", "polars"],
)
def test_what_the_classes_are_called_changes_nothing(labels: Any) -> None:
    wanted = run_protocol(Combined(GaussianNB()), X, Y, cv=3)
    found = run_protocol(Combined(GaussianNB()), X, labels, cv=3)
    np.testing.assert_allclose(found["estimated"], wanted["estimated"], atol=1e-12)
    np.testing.assert_array_equal(found["true"], wanted["true"])


@pytest.mark.parametrize(
    "form",
    [pl.DataFrame, lambda frame: frame.to_dict("list"), lambda frame: frame, sparse.csr_matrix],
    ids=["polars", "dict", "pandas", "sparse"],
)
def test_tables_of_every_library_give_the_same(form: Callable[[pd.DataFrame], Any]) -> None:
    table = form(pd.DataFrame(X, columns=["a", "b", "c"]))
    wanted = run_protocol(AdjustedCount(LogisticRegression()), X, Y, cv=3, test=0.5)
    found = run_protocol(AdjustedCount(LogisticRegression()), table, Y, cv=3, test=0.5)
    np.testing.assert_allclose(found["estimated"], wanted["estimated"], atol=1e-6)


def test_quantifiers_have_the_names_they_are_given_or_those_of_their_classes() -> None:
    nb, lr = GaussianNB(), LogisticRegression()
    several = [AdjustedCount(nb), ClassifyAndCount(lr), AdjustedCount(nb, rates="pooled"), AdjustedCount(lr)]
    frame = run_protocol(several, X, Y, cv=2)
    names = ["AdjustedCount", "ClassifyAndCount", "AdjustedCount 2", "AdjustedCount 3"]
    assert frame["method"].unique().tolist() == names
    named = run_protocol(dict(zip("abcd", several, strict=True)), X, Y, cv=2)
    assert named["method"].unique().tolist() == list("abcd")
    np.testing.assert_array_equal(named["estimated"], frame["estimated"])
    # Whatever else is tested, a quantifier's numbers are the same.
    for name, quantifier in zip(names, several, strict=True):
        alone = run_protocol(quantifier, X, Y, cv=2)
        np.testing.assert_array_equal(alone["estimated"], frame[frame["method"] == name]["estimated"])


def test_options_count() -> None:
    frame = run_protocol([HellingerMatching(GaussianNB()), HellingerMatching(GaussianNB(), bins=[2])], X, Y, cv=2)
    usual, two = (part["estimated"].to_numpy() for _, part in frame.groupby("method", sort=False))
    assert np.abs(usual - two).max() > 0.01


# How often


@pytest.mark.parametrize(("test", "fits"), [(None, 3), (0.5, 4), ((X, Y), 4)], ids=["folds", "share", "pair"])
def test_a_classifier_is_fitted_once_per_fold_for_all_quantifiers(tmp_path: Path, test: Any, fits: int) -> None:
    log = tmp_path / "fits"
    quantifiers: list[Quantifier] = [kind(Counting(str(log))) for kind in BY_CLASSIFIER.values()]
    run_protocol(quantifiers, X, Y, cv=3, test=test)
    assert len(log.read_text().splitlines()) == fits


def test_different_classifiers_are_fitted_each(tmp_path: Path) -> None:
    log = tmp_path / "fits"
    shared = Counting(str(log), "a")
    quantifiers = {
        "one": AdjustedCount(shared),
        "two": ProbabilityAverage(Counting(str(log), "b")),
        "three": MedianSweep(shared),
        "four": ClassifyAndCount(Counting(str(log), "b")),
    }
    frame = run_protocol(quantifiers, X, Y, cv=3)
    assert sorted(log.read_text().splitlines()) == ["a 160"] * 3 + ["b 160"] * 3
    assert frame["method"].unique().tolist() == ["one", "two", "three", "four"]
    assert not hasattr(shared, "inner_")


def test_a_classifier_that_cannot_be_pickled_works_too(tmp_path: Path) -> None:
    log = tmp_path / "fits"
    odd = make_pipeline(FunctionTransformer(lambda table: table), Counting(str(log)))
    frame = run_protocol([AdjustedCount(odd), ClassifyAndCount(odd)], X, Y, cv=3)
    assert len(log.read_text().splitlines()) == 3
    wanted = run_protocol([AdjustedCount(GaussianNB()), ClassifyAndCount(GaussianNB())], X, Y, cv=3)
    np.testing.assert_array_equal(frame["estimated"], wanted["estimated"])


# Several data sets


def test_data_sets_in_parallel_are_data_sets_one_by_one() -> None:
    sets = {"first": task(seed=1), "second": task(120, seed=2), "third": (task(k=2, seed=3)[0][:, :2], task(seed=3)[1])}
    quantifiers = [AdjustedCount(GaussianNB()), Combined(GaussianNB()), ProportionWeightedNeighbors(alpha="tune")]
    serial = run_protocol(quantifiers, sets, cv=3, random_state=4)
    parallel = run_protocol(quantifiers, sets, cv=3, random_state=4, n_jobs=2)
    pd.testing.assert_frame_equal(parallel, serial)
    assert serial["dataset"].unique().tolist() == list(sets)
    assert list(serial.columns) == COLUMNS
    assert serial.index.tolist() == list(range(len(serial)))
    held = run_protocol(quantifiers, sets, cv=3, test=0.5)
    assert held.groupby("dataset").size().tolist() == [33, 33, 33]


def test_one_data_set_by_name_is_the_data_set_with_its_name() -> None:
    named = run_protocol(Combined(GaussianNB()), {"mine": (X, Y)}, cv=3)
    plain = run_protocol(Combined(GaussianNB()), X, Y, cv=3)
    pd.testing.assert_frame_equal(named.assign(dataset=""), plain, check_dtype=False)
    assert named["dataset"].unique().tolist() == ["mine"]
    pair = run_protocol(Combined(GaussianNB()), {"mine": (X, Y)}, cv=3, test=(X, Y))
    assert len(pair) == 11


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_an_error_names_its_data_set(n_jobs: int | None) -> None:
    sets = {"good": (X, Y), "bad": (X, 0 * Y)}
    assert said(lambda: run_protocol(Combined(GaussianNB()), sets, cv=3, n_jobs=n_jobs)) == (
        "data set 'bad': y must contain at least two classes, got one class, 0; add rows of another class, or use "
        "another column."
    )


def test_a_rare_class_makes_fewer_folds_and_that_is_told() -> None:
    words = "class 'yes' has 4 rows, so there are that many folds instead of 10."
    with pytest.warns(ShiftproofWarning) as caught:
        frame = run_protocol(ClassifyAndCount(GaussianNB()), X, RARE)
    assert [str(each.message) for each in caught] == [words]
    assert frame["fold"].unique().tolist() == [0, 1, 2, 3]
    with pytest.warns(ShiftproofWarning) as caught:
        run_protocol(ClassifyAndCount(GaussianNB()), {"a": (X, Y), "b": (X, RARE)})
    assert [str(each.message) for each in caught] == [f"data set 'b': {words}"]


# Seeds, splitters, progress


def test_a_seed_makes_the_same_numbers() -> None:
    runs = [
        run_protocol(AdjustedCount(GaussianNB()), X, Y, "natural", cv=3, random_state=seed)
        for seed in (1, 1, 2, np.random.default_rng(1))
    ]
    pd.testing.assert_frame_equal(runs[0], runs[1])
    pd.testing.assert_frame_equal(runs[0], runs[3])
    assert not runs[0]["estimated"].equals(runs[2]["estimated"])


@pytest.mark.parametrize(
    ("name", "protocol"),
    [
        ("thesis", ThesisProtocol()),
        ("artificial", ArtificialPrevalence()),
        ("simplex", UniformSimplex()),
        ("natural", NaturalPrevalence()),
    ],
)
def test_protocols_may_be_named(name: str, protocol: SampleProtocol) -> None:
    named = run_protocol(ClassifyAndCount(GaussianNB()), X, Y, name, cv=2)
    pd.testing.assert_frame_equal(named, run_protocol(ClassifyAndCount(GaussianNB()), X, Y, protocol, cv=2))


def test_splitters_decide_what_is_tested() -> None:
    quantifier = ClassifyAndCount(GaussianNB())
    in_time = run_protocol(quantifier, X, Y, Recording(), cv=TimeSeriesSplit(4))
    assert in_time.groupby("fold")["size"].max().tolist() == [48] * 4
    splits = list(ShuffleSplit(2, test_size=0.3, random_state=0).split(X))
    drawn = run_protocol(quantifier, X, Y, Recording(), cv=splits)
    again = len(np.intersect1d(splits[0][1], splits[1][1]))
    assert drawn.groupby("fold")["size"].max().tolist() == [72, 72 - again]


def test_progress_is_shown_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    run_protocol(ClassifyAndCount(GaussianNB()), X, Y, cv=3, progress=True)
    shown = capsys.readouterr()
    assert "fitting models" in shown.err
    assert "3/3" in shown.err
    assert shown.out == ""
    run_protocol(ClassifyAndCount(GaussianNB()), {"a": (X, Y), "b": (X, Y)}, cv=2, progress=True)
    told = capsys.readouterr().err
    assert "testing on data sets" in told
    assert "2/2" in told
    assert "fitting models" not in told
    run_protocol(ClassifyAndCount(GaussianNB()), X, Y, cv=2, progress=False)
    assert capsys.readouterr().err == ""


# Bad input


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: run_protocol(AdjustedCount, X, Y),
            "quantifiers['AdjustedCount'] must be a quantifier, got the class AdjustedCount; write AdjustedCount().",
        ),
        (
            lambda: run_protocol({"nb": GaussianNB()}, X, Y),
            "quantifiers['nb'] must be a quantifier, got GaussianNB(); pass AdjustedCount(), Combined() or another "
            "from shiftproof.quantification.",
        ),
        (
            lambda: run_protocol([], X, Y),
            "quantifiers must hold at least one quantifier, got []; such as Combined().",
        ),
        (
            lambda: run_protocol(AdjustedCount(cross_fit(GaussianNB(), X, Y, cv=2)), X, Y),
            "quantifiers['AdjustedCount'] must have a classifier to fit, got a Panel; give the classifier itself.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X, Y, "thesi"),
            "protocol must be one of 'thesis', 'artificial', 'simplex', 'natural'; got 'thesi'. Did you mean 'thesis'?",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X, Y, ThesisProtocol),  # type: ignore[arg-type]
            "protocol must be a protocol or the name of one, got the class ThesisProtocol; write ThesisProtocol().",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X, Y, 11),  # type: ignore[arg-type]
            "protocol must be a protocol or the name of one, got 11; available: 'thesis', 'artificial', 'simplex', "
            "'natural'.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X),
            "y must be given with X; or give X as a dict of names to pairs (X, y).",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), {}),
            "y must be given with X; or give X as a dict of names to pairs (X, y).",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X, Y[1:]),
            "y must have one label per row of X, got 239 for 240 rows; pass the labels of the same rows.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X[:0], Y[:0]),
            "X must hold at least one row, got 0; check the filter or the file it came from.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X, np.arange(240) == 0),
            "class True must have at least 2 rows for cross-validation, got 1; drop the class, or merge it with "
            "another.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X, np.arange(240) % 3, cv=2),
            "the thesis protocol needs exactly two classes, got 3; use UniformSimplex() for more.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X, Y, cv=2, pos_label="yes"),
            "pos_label must be one of 0 and 1, got 'yes'; labels must match exactly.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X, np.arange(240) % 3, "natural", cv=2, pos_label=1),
            "pos_label must be left out for 3 classes, got 1; all of them are reported.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X, Y, cv=1),
            "cv must be a whole number of at least 2, got 1; 10 is usual.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB().fit(X, Y)), X, Y, cv="prefit"),
            "cv must be a whole number or a scikit-learn splitter, got 'prefit'; every classifier is refitted.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X, Y, cv=ShuffleSplit(1, random_state=0)),
            "cv must make at least two folds, each tested in turn, got 1; give test=0.5 to hold rows out.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X, Y, cv=2, test=1.5),
            "test must be a number strictly between 0 and 1, got 1.5; 0.5 holds out half.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X, Y, cv=2, test="half"),
            "test must be a share of the rows, or a pair (X, y), got 'half'; 0.5 holds out half.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), {"a": (X, Y), "b": (X, Y)}, cv=2, test=(X, Y)),
            "test must be a share if there are several data sets, got a tuple of 2 values; 0.5 holds out half.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X, Y, cv=2, test=(X, Y + 1)),
            "the y of test must hold only the classes 0 and 1, got 2; drop those rows, or add rows of that class to "
            "the labelled data.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X, Y, cv=2, test=(X, Y[1:])),
            "the y of test must have one label per row of X, got 239 for 240 rows; pass the labels of the same rows.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X, Y, cv=2, test=(X[:, 1:], Y)),
            "X_new must have 3 columns, got 2; give the columns of X, in the same order.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB()), X, Y, cv=2, random_state=-1),
            "random_state must be None, a whole number of at least 0, or a NumPy generator, got -1; use 0.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB(), rates="mean"), X, Y, cv=2),  # type: ignore[arg-type]
            "rates must be one of 'folds', 'pooled'; got 'mean'.",
        ),
        (
            lambda: run_protocol(AdjustedCount(GaussianNB(priors=[2, 3])), X, Y, cv=2),
            "'AdjustedCount' failed with ValueError: The sum of the priors should be 1.",
        ),
    ],
)
def test_bad_input_gets_one_sentence(call: Callable[[], Any], message: str) -> None:
    assert said(call) == message


@pytest.mark.parametrize("test", [0.001, 0.995])
def test_a_share_that_leaves_a_class_out_is_refused(test: float) -> None:
    words = said(lambda: run_protocol(AdjustedCount(GaussianNB()), X, Y, cv=2, test=test))
    assert words.startswith("test must leave rows of every class on both sides: The t")
    assert words.endswith("the number of classes = 2.")


@pytest.mark.filterwarnings("ignore:left out")
def test_one_classifier_that_fails_stops_all() -> None:
    quantifiers = {"fine": AdjustedCount(GaussianNB()), "sick": AdjustedCount(GaussianNB(priors=[2, 3]))}
    assert said(lambda: run_protocol(quantifiers, X, Y, cv=2)) == (
        "'sick' failed with ValueError: The sum of the priors should be 1."
    )


def test_scores_that_tell_nothing_still_give_prevalences() -> None:
    quantifiers = [kind(DummyClassifier()) for kind in BY_CLASSIFIER.values()]
    frame = run_protocol(quantifiers, X, Y, cv=3)
    assert frame["estimated"].between(0, 1).all()
    assert len(frame) == 15 * 33


def test_nested_folds_learn_from_a_cross_fit_of_their_own() -> None:
    from sklearn.model_selection import StratifiedKFold

    classifier = LogisticRegression()
    frame = run_protocol({"AC": AdjustedCount(classifier)}, X, Y, cv=3, nested=True, random_state=4)
    seed = int(np.random.default_rng(4).integers(2**31 - 1, size=1)[0])
    codes = np.unique(Y, return_inverse=True)[1]
    rng = np.random.default_rng(seed)
    wanted = []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=seed).split(X, codes):
        fitted = AdjustedCount(classifier, cv=3, random_state=seed).fit(X[train], codes[train])
        drawn = ThesisProtocol().draw(codes[test], 2, rng)
        wanted += [
            fitted.predict(X[test][drawn.rows[a:b]])[1]
            for a, b in zip(drawn.offsets[:-1], drawn.offsets[1:], strict=True)
        ]
    np.testing.assert_allclose(frame["estimated"], wanted, atol=1e-12)
    with pytest.raises(InputError, match=r"^nested must be left out with test, which is held out already, got True"):
        run_protocol(AdjustedCount(), X, Y, test=0.5, nested=True)


# Nearest neighbours

NEIGHBORS: dict[str, Quantifier] = {
    "knn": NearestNeighbors(),
    "AC": AdjustedCount(GaussianNB()),
    "pwk": ProportionWeightedNeighbors(5),
    "pwk alpha": ProportionWeightedNeighbors([3, 9], alpha="tune", rates="cv", cv=4, tuning="2x5"),
    "as it is": NearestNeighbors(7, scale=False),
}


@pytest.mark.parametrize("mode", [{}, {"nested": True}, {"test": 0.4}], ids=["folds", "nested", "held out"])
def test_neighbours_are_fitted_on_the_other_rows_alone(mode: dict[str, Any]) -> None:
    """Each quantifier on its own, by `fit` and `predict`, fold by fold and sample by sample."""
    frame = run_protocol(NEIGHBORS, X, Y, cv=3, random_state=2, **mode)
    assert frame["method"].unique().tolist() == list(NEIGHBORS)
    seed = int(np.random.default_rng(2).integers(2**31 - 1, size=1)[0])
    if "test" in mode:
        splits = [train_test_split(np.arange(240), test_size=0.4, stratify=Y, random_state=seed)]
    else:
        splits = list(StratifiedKFold(3, shuffle=True, random_state=seed).split(X, Y))
    rng = np.random.default_rng(seed)
    for fold, (train, test) in enumerate(splits):
        drawn = ThesisProtocol().draw(Y[test], 2, rng)
        for name, quantifier in NEIGHBORS.items():
            if isinstance(quantifier, ClassifierQuantifier):
                continue
            fitted = clone(quantifier).set_params(random_state=seed).fit(X[train], Y[train])
            wanted = [fitted.predict(X[test][rows])[1] for rows in np.split(drawn.rows, drawn.offsets[1:-1])]
            found = frame[(frame["method"] == name) & (frame["fold"] == fold)]["estimated"]
            np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_neighbours_beside_classifiers_change_nothing() -> None:
    alone = run_protocol({"AC": AdjustedCount(GaussianNB())}, X, Y, cv=3)
    without = {name: each for name, each in NEIGHBORS.items() if name != "AC"}
    beside, apart = run_protocol(NEIGHBORS, X, Y, cv=3), run_protocol(without, X, Y, cv=3)
    for name, single in [("AC", alone), *((name, apart) for name in without)]:
        found, wanted = (each[each["method"] == name].reset_index(drop=True) for each in (beside, single))
        pd.testing.assert_frame_equal(found, wanted)


def test_neighbours_are_looked_for_once_a_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    candidates = Search._candidates

    def counting(search: Search, queries: Array, count: int) -> Any:
        asked.append(len(queries))
        return candidates(search, queries, count)

    monkeypatch.setattr(Search, "_candidates", counting)
    quantifiers = [NearestNeighbors(), ProportionWeightedNeighbors(), ProportionWeightedNeighbors(7, alpha=2)]
    run_protocol(quantifiers, X, Y, cv=3)
    assert asked == [160, 80] * 3
    asked.clear()
    run_protocol([*quantifiers, NearestNeighbors(scale=False)], X, Y, cv=3, nested=True)
    assert asked == [160, 80] * 6


def test_neighbours_in_any_table_and_by_threads() -> None:
    table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(word=np.array(["u", "v"])[Y])
    quantifiers = [NearestNeighbors(), ProportionWeightedNeighbors(alpha="tune")]
    frame = run_protocol(quantifiers, table, np.array(["no", "yes"])[Y], cv=3)
    # The word tells the class.
    assert (frame["estimated"] - frame["true"]).abs().mean() < 0.02
    found = run_protocol(quantifiers, X, Y, cv=3, n_jobs=2)
    pd.testing.assert_frame_equal(found, run_protocol(quantifiers, X, Y, cv=3))


def test_neighbours_of_more_than_two_classes() -> None:
    X, y = task(k=3)
    frame = run_protocol(ProportionWeightedNeighbors(), X, y, UniformSimplex(size=30, samples=5), cv=3)
    np.testing.assert_allclose(frame.groupby(["fold", "sample"])["estimated"].sum(), 1)
    assert (frame["estimated"] - frame["true"]).abs().mean() < 0.25


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: run_protocol(NearestNeighbors(200), X, Y, cv=3),
            "k must be at most 159, the number of rows left to vote, got 200; give fewer, or more rows.",
        ),
        (
            lambda: run_protocol(NearestNeighbors(), sparse.csr_matrix(X), Y, cv=3),
            "X must be a table or a dense array, got a sparse matrix; call toarray() on it.",
        ),
        (
            lambda: run_protocol(NearestNeighbors(), X[np.argsort(Y)], np.sort(Y), cv=KFold(2)),
            "cv must train on at least two classes in every split, got only 0; use stratified folds.",
        ),
        (
            lambda: run_protocol(NearestNeighbors, X, Y),
            "quantifiers['NearestNeighbors'] must be a quantifier, got the class NearestNeighbors; write "
            "NearestNeighbors().",
        ),
    ],
)
def test_bad_input_for_neighbours_gets_one_sentence(call: Callable[[], Any], message: str) -> None:
    assert said(call) == message


def test_names_that_are_equal_as_text_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        run_protocol({1: ClassifyAndCount(), "1": AdjustedCount()}, X, Y)
    assert str(caught.value) == "quantifiers must have names that differ as text, got 1 and '1'; rename one of them."
    with pytest.raises(InputError, match=r"^X must have names that differ as text"):
        run_protocol(ClassifyAndCount(), {1: (X, Y), "1": (X, Y)})


def test_labels_of_test_rows_in_another_order_are_refused() -> None:
    rows = pd.DataFrame(X)
    with pytest.raises(InputError, match=r"^test\[1\] must have its rows in the same order as test\[0\], got"):
        run_protocol(ClassifyAndCount(), X, Y, test=(rows, pd.Series(Y).iloc[::-1]))
