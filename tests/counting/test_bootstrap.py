from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from shiftproof.core import InputError, Interval
from shiftproof.counting import _bootstrap as module
from shiftproof.counting._bootstrap import bootstrap_intervals
from shiftproof.panel import TablePreparer, cross_fit
from shiftproof.quantification import METHODS, Labelled, Samples

LONGER = int(os.environ.get("SIMULATIONS", "1"))


def scored(counts: list[int], rng: np.random.Generator, apart: float = 1.5) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of normal scores and give the probabilities that are right for equal shares."""
    codes = np.repeat(np.arange(len(counts)), counts)
    x = rng.normal(size=(len(codes), len(counts)))
    x[np.arange(len(codes)), codes] += apart
    p = np.exp(apart * x)
    return p / p.sum(axis=1, keepdims=True), codes


def found(
    name: str, labelled: list[int], new: list[int], *, seed: int = 0, level: float = 0.9, apart: float = 1.5
) -> list[Interval]:
    rng = np.random.default_rng(seed)
    p, codes = scored(labelled, rng, apart)
    pool, _ = scored(new, rng, apart)
    return bootstrap_intervals(METHODS[name], Labelled(p, codes), Samples.of(pool), level=level, rng=rng)[0]


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("new", [[30, 70], [20, 30, 50]])
def test_every_method_has_intervals_around_its_estimate(name: str, new: list[int]) -> None:
    intervals = found(name, [100] * len(new), new)
    assert len(intervals) == len(new)
    for each in intervals:
        assert 0 <= each.low <= each.estimate <= each.high <= 1
        assert (each.level, each.method) == (0.9, "bootstrap")
    assert sum(each.estimate for each in intervals) == pytest.approx(1)


def test_of_two_classes_one_interval_mirrors_the_other() -> None:
    no, yes = found("combined", [200, 100], [50, 50])
    assert (no.low, no.high) == pytest.approx((1 - yes.high, 1 - yes.low))


def test_more_rows_and_lower_levels_make_intervals_narrower() -> None:
    def width(labelled: int, new: int, level: float = 0.9) -> float:
        return found("adjusted count", [labelled] * 2, [new // 2] * 2, level=level)[1].width

    assert width(200, 1000) < width(200, 100)
    assert width(2000, 100) < width(50, 100)
    assert width(200, 100, 0.5) < 0.6 * width(200, 100, 0.9)


def test_the_same_seed_gives_the_same_interval() -> None:
    assert found("combined", [80, 60], [30, 30], seed=3) == found("combined", [80, 60], [30, 30], seed=3)


@pytest.mark.parametrize("row", [[[1.0, 0.0]], [[0.0, 1.0]], [[0.4, 0.6]]])
def test_one_row_says_next_to_nothing(row: list[list[float]]) -> None:
    p, codes = scored([100, 100], np.random.default_rng(0), 1.0)
    rng = np.random.default_rng(0)
    interval = bootstrap_intervals(METHODS["adjusted count"], Labelled(p, codes), Samples.of(row), rng=rng)[0][1]
    assert interval.width > 0.7


def test_many_samples_are_estimated_at_once() -> None:
    rng = np.random.default_rng(0)
    p, codes = scored([200, 200], rng)
    pool, of_pool = scored([300, 300], rng)
    lists = [np.flatnonzero(of_pool == 1)[:80], np.flatnonzero(of_pool == 0)[:40]]
    all_yes, all_no = bootstrap_intervals(
        METHODS["expectation maximization"], Labelled(p, codes), Samples.from_lists(pool, lists), rng=rng
    )
    assert all_yes[1].low > 0.8
    assert all_no[1].high < 0.25


def test_fewer_rows_stand_for_many(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = found("scaled probability average", [4000, 4000], [2000, 2000])[1]
    monkeypatch.setattr(module, "_MOST_ROWS", (1000,) * 3)
    thinned = found("scaled probability average", [4000, 4000], [2000, 2000])[1]
    assert thinned.estimate == whole.estimate
    assert thinned.width == pytest.approx(whole.width, rel=0.2)
    assert thinned.low == pytest.approx(whole.low, abs=0.2 * whole.width)


def test_the_biased_are_corrected() -> None:
    """Counting sees far too few of a common class; what could have given that count is what adjusted counting says."""
    counted = found("classify and count", [300, 300], [20, 180], apart=1.0)[1]
    adjusted = found("adjusted count", [300, 300], [20, 180], apart=1.0)[1]
    assert counted.estimate < adjusted.low
    assert counted.high == pytest.approx(adjusted.high, abs=0.05)


def test_what_every_prevalence_gives_excludes_none() -> None:
    interval = found("training prevalence", [30, 10], [5, 5])[1]
    assert (interval.low, interval.estimate, interval.high) == (0.0, 0.25, 1.0)


def test_bad_arguments_get_a_sentence() -> None:
    with pytest.raises(
        InputError, match=r"^level must be a number strictly between 0 and 1, got 90; 0\.9 means 90%\.$"
    ):
        found("adjusted count", [10, 10], [5, 5], level=90)
    labelled = Labelled(*scored([10, 10], np.random.default_rng(0)))
    with pytest.raises(InputError, match=r"^resamples must be a whole number of at least 20, got 5; 200 is usual\.$"):
        bootstrap_intervals(
            METHODS["combined"], labelled, Samples.of([[0.5, 0.5]]), resamples=5, rng=np.random.default_rng(0)
        )


SETS = {
    "bank": "drift_bank.csv.gz",
    "elec2": "drift_elec2.csv.gz",
    "accidents": "drift_us_accidents.csv.gz",
    "phoneme": "hddt_phoneme.csv",
    "pendigits": "hddt_pendigits.csv.gz",
}
COVERED = ["adjusted count", "scaled probability average", "expectation maximization", "combined"]
SIZES, PREVALENCES = (100, 1000), (0.05, 0.25, 0.5, 0.75, 0.95)
# Columns that tell the label, or when it was.
NOT_FEATURES = ["t", "duration", "target_multi"]


def covered(folder: Path, name: str, split: int) -> list[tuple[str, str, int, float, bool, float]]:
    """Learn from 1,000 rows, sample the others at every prevalence, and tell which intervals hold the truth."""
    from sklearn.linear_model import LogisticRegression

    frame = pd.read_csv(folder / SETS[name])
    y = np.unique(frame.pop("label"), return_inverse=True)[1]
    X = TablePreparer().fit(frame := frame.drop(columns=NOT_FEATURES, errors="ignore")).transform(frame)
    rng = np.random.default_rng([split, *SETS[name].encode()])
    rows = rng.permutation(len(y))[:13_000]
    train, rest = rows[:1000], rows[1000:]
    panel = cross_fit({"lr": LogisticRegression(max_iter=2000)}, X[train], y[train], random_state=split)
    labelled = Labelled(panel.out_of_fold["lr"], panel.y, panel.folds[0])
    pool = panel.apply(X[rest])["lr"]
    by_class = [np.flatnonzero(y[rest] == code) for code in (0, 1)]
    cases = [(size, prevalence) for size in SIZES for prevalence in PREVALENCES]
    lists = [
        np.concatenate(
            [
                rng.choice(held, n, replace=False)
                for held, n in zip(by_class, (size - round(size * q), round(size * q)), strict=True)
            ]
        )
        for size, q in cases
    ]
    results = []
    for method in COVERED:
        samples = Samples.from_lists(pool, lists)
        for (size, q), intervals in zip(
            cases, bootstrap_intervals(METHODS[method], labelled, samples, rng=rng), strict=True
        ):
            results.append((name, method, size, q, q in intervals[1], intervals[1].width))
    return results


def test_intervals_cover_as_often_as_they_say(shared_data: Path) -> None:
    """On real sets, at prevalences from 5 to 95%, for samples of 100 and of 1,000 rows."""
    # One set unless in `make soak`: phoneme hardly separates its classes.
    names = SETS if LONGER > 1 else ("phoneme",)
    runs = [each for split in range(LONGER) for name in names for each in covered(shared_data, name, split)]
    table = pd.DataFrame(runs, columns=["set", "method", "size", "prevalence", "covered", "width"])
    if LONGER > 1:
        table.to_csv(os.environ.get("COVERAGE_TABLE", os.devnull), index=False)
    share = table.groupby(["method", "size"])["covered"].agg(["mean", "size"])
    slack = 2.5 * np.sqrt(0.9 * 0.1 / share["size"])
    assert (share["mean"] > 0.86 - slack).all(), share
    assert (share["mean"] < 0.94 + slack).all(), share


# Classes, labelled rows of each, new rows, distance.
SEVERAL = [(3, 100, 300, 1.0), (3, 300, 100, 2.0), (5, 60, 300, 1.5)]


def test_intervals_of_several_classes_cover_as_often_as_they_say() -> None:
    """Where classes overlap and have few rows: a simulation that looked at a row's own kernel covered .81 to .84."""
    covered = []
    for k, per_class, size, apart in SEVERAL if LONGER > 1 else SEVERAL[:2]:
        for run in range(5 * LONGER):
            rng = np.random.default_rng([run, k, size])
            new = rng.multinomial(size, rng.dirichlet(np.full(k, 2.0)))
            intervals = found("combined", [per_class] * k, new.tolist(), seed=run, apart=apart)
            covered += [share in interval for share, interval in zip(new / size, intervals, strict=True)]
    slack = 2.5 * np.sqrt(0.9 * 0.1 / len(covered))
    assert 0.87 - slack < np.mean(covered) < 0.95 + slack


def test_no_error_among_the_labelled_rows_is_no_proof_of_none() -> None:
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [60, 40])
    sure = np.where(codes == 1, 0.95, 0.05) + rng.uniform(-0.04, 0.04, 100)
    labelled = Labelled(np.column_stack([1 - sure, sure]), codes)
    new = np.where(np.arange(300) < 150, 0.05, 0.95)
    samples = Samples.of(np.column_stack([1 - new, new]))
    (interval,) = [each[1] for each in bootstrap_intervals(METHODS["adjusted count"], labelled, samples, rng=rng)]
    assert interval.estimate == pytest.approx(0.5)
    # One error in a hundred of each class moves the count by half a point.
    assert interval.low < 0.495
    assert interval.high > 0.505
    assert interval.width < 0.1
