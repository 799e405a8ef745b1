"""The worked examples of the slides, each with the figure that the slides give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr
from sklearn.dummy import DummyClassifier
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from shiftproof.evaluation import evaluate
from shiftproof.experiments._sources import DataSources
from shiftproof.measures import Amount, Benefit, cost_resample, cost_weights, lift_curve, measure, roc_curve, roc_hull
from shiftproof.panel import (
    Bootstrap,
    balanced_sample,
    bootstrap_632,
    cross_fit,
    holdout,
    k_fold,
    leave_one_out,
    repeated_holdout,
    repeated_k_fold,
    three_way_split,
)
from shiftproof.stats import corrected_resampled_t, wilson

TOPICS = ("intervals", "splits", "resampling", "marketing", "curves", "costs", "retrieval")


class WorkedExample(NamedTuple):
    """An example: its slide, what is computed, what the slides say and what we get."""

    slide: str
    example: str
    slides: tuple[float, ...] | str
    ours: tuple[float, ...] | str
    digits: int = 3
    # What chance may add: some examples draw random rows.
    within: float = 0.0

    @property
    def same(self) -> bool:
        """Whether both are the same to the digits shown, or differ by no more than chance explains."""
        if isinstance(self.slides, str) or isinstance(self.ours, str):
            return self.slides == self.ours
        allowed = max(self.within, 0.5 * 10**-self.digits)
        return all(abs(a - b) <= allowed for a, b in zip(self.slides, self.ours, strict=True))


def worked_examples(_sources: DataSources, topic: str) -> pd.DataFrame:
    """Compute the examples of one topic."""
    examples = list(_TOPICS[topic]())
    return pd.DataFrame(
        {
            "slide": [each.slide for each in examples],
            "example": [each.example for each in examples],
            "slides": [_written(each.slides, each.digits) for each in examples],
            "ours": [_written(each.ours, each.digits) for each in examples],
            "same": [each.same for each in examples],
        }
    )


def _written(values: tuple[float, ...] | str, digits: int) -> str:
    return values if isinstance(values, str) else ", ".join(f"{value:.{digits}f}" for value in values)


def _answer(truth: object) -> str:
    return "yes" if truth else "no"


def _intervals() -> Iterator[WorkedExample]:
    slide = "Confidence intervals"
    for successes, n, said in ((750, 1000, (0.732, 0.767)), (75, 100, (0.691, 0.801)), (7.5, 10, (0.549, 0.881))):
        found = wilson(successes, n, z=1.28)
        yield WorkedExample(slide, f"75% successes in {n:,} trials, 80% confidence", said, (found.low, found.high))
    yield WorkedExample(slide, "P(-1.65 < X < 1.65) of a normal variable", (0.90,), (float(1 - 2 * ndtr(-1.65)),), 2)
    widths = [wilson(0.75 * n, n, z=1.28) for n in (100, 1000)]
    narrower = _answer(widths[1].high - widths[1].low < widths[0].high - widths[0].low)
    yield WorkedExample("Making the most of the data", "do more test rows narrow the interval?", "yes", narrower)


def _random_rows(n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Return rows whose balanced labels have nothing to do with them."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 5)), np.tile([0, 1], n // 2)


def _splits() -> Iterator[WorkedExample]:
    X, y = _random_rows(900)
    error = float((DecisionTreeClassifier(random_state=0).fit(X, y).predict(X) != y).mean())
    yield WorkedExample("Classifier error rate", "training error of a tree on random labels", (0.0,), (error,), 2)
    ((train, test),) = holdout().split(X, y)
    parts = len(train) / len(y), len(test) / len(y)
    yield WorkedExample("Evaluation on large data", "parts for training and testing", (2 / 3, 1 / 3), parts, 2)
    shares = float(y[train].mean()), float(y[test].mean())
    yield WorkedExample("Evaluation on small data", "share of a class in both parts, stratified", (0.5, 0.5), shares, 2)
    rare = np.repeat([0, 1], [970, 30])
    stay = float((rare == 0).mean())
    yield WorkedExample(
        "Handling unbalanced data", "accuracy of always saying that a customer stays", (0.97,), (stay,), 2
    )
    sample = rare[balanced_sample(rare)]
    balanced = len(sample), float(sample.mean())
    yield WorkedExample("Balancing unbalanced data", "rows, and share of the rare class of 30", (60, 0.5), balanced, 2)
    apart = three_way_split(y)
    once = _answer(len(np.unique(np.concatenate(apart))) == len(y) == sum(map(len, apart)))
    yield WorkedExample("Train, validation, test split", "is each row in exactly one part?", "yes", once)


def _resampling() -> Iterator[WorkedExample]:
    X, y = _random_rows()
    tested = [test for _, test in k_fold(10).split(X, y)]
    yield WorkedExample("Cross-validation", "folds, and times that a row is tested", (10, 1), (
        len(tested), len(np.concatenate(tested)) / len(y)), 0)  # fmt: skip
    repeated = len(list(repeated_k_fold(10, repeats=10).split(X, y)))
    yield WorkedExample("More on cross-validation", "fits of ten times ten folds", (100,), (repeated,), 0)
    again = np.concatenate([test for _, test in repeated_holdout(repeats=10).split(X, y)])
    overlap = _answer(np.bincount(again, minlength=len(y)).max() > 1)
    yield WorkedExample("Repeated holdout method", "do test sets overlap?", "yes", overlap)
    majority = leave_one_out(DummyClassifier(), X, y)
    wrong = float((majority.out_of_fold[majority.names[0]].argmax(axis=1) != y).mean())
    yield WorkedExample("Leave-one-out", "error of the majority class on a balanced random set", (1.0,), (wrong,), 2)
    n = 100_000
    ((_, out),) = Bootstrap(1, random_state=0).split(np.zeros((n, 1)))
    yield WorkedExample(
        "The 0.632 bootstrap", "share of rows that are never drawn", (0.368,), (len(out) / n,), 3, 0.005
    )
    memoriser = KNeighborsClassifier(1)
    plain, repaired = (bootstrap_632(memoriser, X, y, plus=plus).estimate for plus in (False, True))
    yield WorkedExample("More on the bootstrap", "error of a memoriser on random labels", (0.316,), (plain,), 3, 0.05)
    yield WorkedExample("More on the bootstrap", "its true error, which .632+ estimates", (0.5,), (repaired,), 3, 0.05)
    yield _two_schemes()


def _two_schemes() -> WorkedExample:
    """Compare two schemes that are nearly equal, over ten times ten folds."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    folds = list(repeated_k_fold(10, repeats=10).split(X, y))
    models = GaussianNB(), GaussianNB(var_smoothing=1e-3)
    scores = [[float((model.fit(X[a], y[a]).predict(X[b]) == y[b]).mean()) for a, b in folds] for model in models]
    found = corrected_resampled_t(np.subtract(scores[0], scores[1]), test_share=0.1)
    return WorkedExample("Comparing schemes", "does the test call nearly equal schemes alike?", "yes", _answer(
        found.p_value > 0.05))  # fmt: skip


def ranked_list() -> np.ndarray:
    """Return a list of 1,000 names with 100 targets, 21 of them among the first 50, as on the slides about lift."""
    return np.repeat([1, 0, 1, 0], [21, 29, 79, 871])


def _marketing() -> Iterator[WorkedExample]:
    # 300 names with 15 targets, 3 of them among the first 15 names.
    y = np.repeat([1, 0, 1, 0], [3, 12, 12, 273])
    curve = lift_curve(y, -np.arange(300))
    top = float(np.interp(0.05, curve.share, curve.cph))
    yield WorkedExample("Model-sorted list", "share of 15 targets in the top 5%, with 3 hits", (0.20,), (top,), 2)
    y = ranked_list()
    curve = lift_curve(y, -np.arange(1000))
    hits = float(np.interp(0.05, curve.share, curve.cph))
    yield WorkedExample("CPH", "cumulative share of hits in the top 5%", (0.21,), (hits,), 2)
    random = lift_curve(y, np.zeros(1000))
    yield WorkedExample(
        "CPH", "the same of a random list", (0.05,), (float(np.interp(0.05, random.share, random.cph)),), 2
    )
    yield WorkedExample("Lift", "21% / 5%", (4.2,), (curve.at(0.05),), 1)
    yield WorkedExample("Lift properties", "lift of a random list", (1.0,), (random.at(0.05),), 1)
    yield WorkedExample("Lift properties", "lift at 100%", (1.0,), (curve.at(1.0),), 1)
    inverted = lift_curve(np.sort(y), -np.arange(1000)).at(0.05)
    yield WorkedExample("Lift properties", "is the lift of an inverted model below 1?", "yes", _answer(inverted < 1))


def _curves() -> Iterator[WorkedExample]:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 500)
    # A ranks the top well, B the rest: neither is best everywhere.
    top = np.where((y == 1) & (rng.random(1000) < 0.4), 2.0, 0.0) + rng.random(1000)
    whole = y + rng.normal(size=1000)
    hull = roc_hull({"A": roc_curve(y, top), "B": roc_curve(y, whole)})
    owners = {hull.mix(fpr=rate).first.model for rate in (0.0001, 0.4)}
    yield WorkedExample("ROC curves for two schemes", "schemes that are best somewhere", (2,), (len(owners),), 0)
    mix = hull.mix(fpr=0.2)
    first, second, q = mix.first, mix.second, mix.share
    said = q * first.tpr + (1 - q) * second.tpr, q * first.fpr + (1 - q) * second.fpr
    yield WorkedExample("The convex hull", "q t1 + (1 - q) t2 and q f1 + (1 - q) f2", said, (mix.tpr, mix.fpr))
    model = cross_fit([GaussianNB()], whole[:, None], y, cv=10)
    found = evaluate(model)
    (name,) = model.names
    ours = tuple(found.roc(name, average=how).auc.estimate for how in ("pooled", "per fold"))
    score = model.out_of_fold[name][:, 1]
    folds = model.folds[0]
    by_fold = [roc_auc_score(y[folds == fold], score[folds == fold]) for fold in range(model.n_folds)]
    by_hand = float(roc_auc_score(y, score)), float(np.mean(by_fold))
    yield WorkedExample("Cross-validation and ROC", "area by pooled scores, and by averaged folds", by_hand, ours)


def _costs() -> Iterator[WorkedExample]:
    table = {"expected": [2.0, 10.0, 20.0, 0.5], "gift": [0.0, 15.0, 0.0, 40.0]}
    benefit = Benefit(tp=Amount(expected="expected", actual="gift", less=0.68), fp=-0.68)
    y, p = [0, 1, 0, 1], [1.0, 1.0, 1.0, 1.0]
    mailed = benefit.decide(p, table)
    # The last gift is large, but was expected to be below the cost of a letter.
    said = -0.68 + (15 - 0.68) - 0.68
    total = benefit.total(y, mailed, table).estimate
    yield WorkedExample(
        "KDD Cup 98", "sum of (donation - $0.68) where more than $0.68 is expected", (said,), (total,), 2
    )
    losses = Benefit.from_cost("FP=1,FN=5")
    weights = cost_weights([1, 0], losses)
    yield WorkedExample("Cost-sensitive learning", "ratio of weights for costs of 5 and 1", (5,), (
        float(weights[0] / weights[1]),), 1)  # fmt: skip
    rare = np.repeat([1, 0], [2000, 18000])
    kept = rare[cost_resample(rare, losses, random_state=0)]
    said = 5 * 2000 / (5 * 2000 + 18000)
    yield WorkedExample("Cost-sensitive learning", "share of the costly class after re-sampling", (said,), (
        float(kept.mean()),), 3, 0.01)  # fmt: skip


def _retrieval() -> Iterator[WorkedExample]:
    # 20 relevant documents, of which 12 are among the 16 that are retrieved.
    y = np.repeat([1, 0, 1, 0], [12, 4, 8, 76])
    retrieved = np.repeat([0.9, 0.1], [16, 84])
    scores = np.column_stack([1 - retrieved, retrieved])
    precision, recall, f = (measure(name, y, scores).estimate for name in ("precision", "recall", "f1"))
    slide = "Measures in information retrieval"
    yield WorkedExample(slide, "precision TP / (TP + FP)", (12 / 16,), (precision,))
    yield WorkedExample(slide, "recall TP / (TP + FN)", (12 / 20,), (recall,))
    yield WorkedExample(slide, "F = 2 recall precision / (recall + precision)", (2 * 0.6 * 0.75 / 1.35,), (f,))
    p = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    three = measure("three_point_average_precision", [1, 0, 1, 1, 0], np.column_stack([1 - p, p])).estimate
    yield WorkedExample(slide, "three-point average at 20, 50 and 80% recall", ((1 + 0.75 + 0.75) / 3,), (three,))


_TOPICS = {
    "intervals": _intervals,
    "splits": _splits,
    "resampling": _resampling,
    "marketing": _marketing,
    "curves": _curves,
    "costs": _costs,
    "retrieval": _retrieval,
}
