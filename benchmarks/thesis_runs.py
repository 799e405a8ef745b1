"""The runs behind `thesis.py`: 24 problems, the methods of two chapters, one file of results per problem and seed.

Every unit of work has a seed of its own and writes its results whole or not at all, so that the tables are the same
whatever the number of workers, and whenever a run was stopped.
"""

from __future__ import annotations

import os
import time
import warnings
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import make_scorer, recall_score
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.svm import LinearSVC

from shiftproof import __version__
from shiftproof import quantification as sq

Array = NDArray[Any]

#: Table 5.2: the identifiers of the 24 problems.
PROBLEMS = (
    *("acute.a", "acute.b", "balance.1", "balance.2", "balance.3", "cmc.1", "cmc.2", "cmc.3", "ctg.1", "ctg.2"),
    *("ctg.3", "haberman", "ionosphere", "iris.1", "iris.2", "iris.3", "sonar", "spectf", "tictactoe", "transfusion"),
    *("wdbc", "wine.1", "wine.2", "wine.3"),
)
#: Chapter 6 leaves out two "because they are too simple".
TOO_SIMPLE = ("acute.a", "acute.b")
#: Scaled to mean 0 and standard deviation .5 (sec. 5.2.1).
SCALED = ("transfusion", "wine.1", "wine.2", "wine.3")
#: A second label of ctg, which gives away the first.
LEAK = "CLASS"
COSTS = (0.01, 0.1, 1.0, 10.0, 100.0)
FOLDS = 10
OURS = "Combined"


def load_problem(folder: Path, name: str, *, leak: bool = False) -> tuple[Array, Array]:
    """Return the features of a problem as numbers, and 1 for its positive class, else 0."""
    stem, _, number = name.partition(".")
    if stem == "ctg":
        table = pd.read_csv(folder / "ctg.csv")
        y = (table.pop("label").astype(str) == number).to_numpy()
        if not leak:
            table = table.drop(columns=LEAK)
    else:
        table = pd.read_csv(folder / f"{name}.csv")
        label = table.pop("label")
        y = (label == sorted(label.unique())[1]).to_numpy()
    X = table.to_numpy(dtype=np.float64)
    if name in SCALED:
        X = 0.5 * (X - X.mean(axis=0)) / X.std(axis=0)
    return X, y.astype(np.int64)


class Margin(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A linear support vector machine whose scores are its decisions, squeezed into 0 … 1 but not calibrated.

    Parameters
    ----------
    C : float
        What errors cost.
    tune : bool
        Whether to choose C anew by the geometric mean of both recalls, over two times five folds (sec. 5.2.4).
    random_state : int
        The seed of these folds.
    """

    def __init__(self, C: float = 1.0, *, tune: bool = False, random_state: int = 0) -> None:
        self.C = C
        self.tune = tune
        self.random_state = random_state

    def fit(self, X: Array, y: Array) -> Margin:
        """Fit it, with C chosen first if asked for."""
        machine = LinearSVC(C=self.C, dual=False, max_iter=10_000)
        if self.tune:
            folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=self.random_state)
            machine = GridSearchCV(machine, {"C": COSTS}, scoring=make_scorer(g_mean), cv=folds)
        self.machine_ = machine.fit(X, y)
        self.classes_ = self.machine_.classes_
        return self

    def predict_proba(self, X: Array) -> Array:
        """Give scores of at least 1/2 exactly where the decision is positive."""
        decision = self.machine_.decision_function(X)
        positive = (1 + decision / (1 + np.abs(decision))) / 2
        return np.column_stack([1 - positive, positive])

    def predict(self, X: Array) -> Array:
        """Give the classes."""
        return self.classes_[(self.predict_proba(X)[:, 1] >= 0.5).astype(int)]


def g_mean(y: Array, said: Array) -> float:
    """Give the geometric mean of sensitivity and specificity."""
    return float(np.sqrt(np.prod(recall_score(y, said, labels=[0, 1], average=None, zero_division=0))))


def forman(classifier: Any) -> dict[str, sq.Quantifier]:
    """Give the methods that both chapters take from Forman, all with the scores of one classifier."""
    classes = {
        "CC": sq.ClassifyAndCount,
        "AC": sq.AdjustedCount,
        "Max": sq.ThresholdMax,
        "X": sq.ThresholdX,
        "T50": sq.Threshold50,
        "MS": sq.MedianSweep,
    }
    return {name: make(classifier) for name, make in classes.items()}


def chapter_5(seed: int) -> dict[str, sq.Quantifier]:
    """Give the ten methods of chapter 5, with tuned parameters, and our default beside them."""
    tuned = Margin(tune=True, random_state=seed)
    how: dict[str, Any] = {"scale": False, "rates": "cv", "tuning": "2x5", "random_state": seed}
    return {
        "BL": sq.TrainingPrevalence(tuned),
        **forman(tuned),
        "KNN": sq.NearestNeighbors(**how),
        "PWK": sq.ProportionWeightedNeighbors(**how),
        "PWKa": sq.ProportionWeightedNeighbors(alpha="tune", **how),
        OURS: sq.Combined(),
    }


def chapter_6(_seed: int) -> dict[str, sq.Quantifier]:
    """Give the ten methods of chapter 6, untuned, and our default beside them."""
    machines = {
        "Q0.5": sq.StructuredSVM("q", beta=0.5, scale=False),
        "Q1": sq.StructuredSVM("q", beta=1, scale=False),
        "Q2": sq.StructuredSVM("q", beta=2, scale=False),
        "NAS": sq.StructuredSVM("nas", scale=False),
    }
    return {**forman(Margin()), **machines, OURS: sq.Combined()}


@dataclass(frozen=True)
class Chapter:
    """What a chapter compares."""

    number: int
    methods: Callable[[int], dict[str, sq.Quantifier]]
    problems: tuple[str, ...]


CHAPTERS = {
    5: Chapter(5, chapter_5, PROBLEMS),
    6: Chapter(6, chapter_6, tuple(name for name in PROBLEMS if name not in TOO_SIMPLE)),
}


@dataclass(frozen=True)
class Unit:
    """One problem with one seed: ten folds, eleven prevalences, all methods of a chapter."""

    chapter: int
    problem: str
    seed: int
    leak: bool = False
    nested: bool = False

    def file(self, data: Path) -> str:
        """Give the name of its results, which others have for other data, methods or versions."""
        made_from = [self.source(data).read_bytes(), Path(__file__).read_bytes(), __version__.encode()]
        mark = zlib.crc32(b"".join(made_from))
        how = "-with-class" * self.leak + "-nested" * self.nested
        return f"chapter-{self.chapter}-{self.problem}{how}-{self.seed}-{mark:08x}.parquet"

    def source(self, data: Path) -> Path:
        """Give the file of its data."""
        return data / ("ctg.csv" if self.problem.startswith("ctg") else f"{self.problem}.csv")


def run_unit(unit: Unit, data: Path, keep: Path) -> None:
    """Test all methods on one problem, and keep what they estimated; a file is there whole or not at all."""
    warnings.simplefilter("ignore")  # what is said of single folds
    X, y = load_problem(data, unit.problem, leak=unit.leak)
    seed = zlib.crc32(f"{unit.problem} {unit.seed}".encode())
    quantifiers = CHAPTERS[unit.chapter].methods(seed)
    how: dict[str, Any] = {"cv": FOLDS, "nested": unit.nested, "pos_label": 1, "random_state": seed}
    frame = sq.run_protocol(quantifiers, X, y, sq.ThesisProtocol(), n_jobs=1, progress=False, **how)
    found = frame.assign(dataset=unit.problem, seed=unit.seed)[
        ["dataset", "seed", "fold", "prevalence", "method", "true", "estimated", "size"]
    ]
    file = unit.file(data)
    part = keep / f"{file}.{os.getpid()}.part"
    found.to_parquet(part, index=False)
    part.replace(keep / file)


def run_units(units: list[Unit], data: Path, keep: Path, workers: int, say: Callable[[str], None]) -> None:
    """Run what has no results yet, the largest problems first, and say how far it is."""
    keep.mkdir(parents=True, exist_ok=True)
    for part in keep.glob("*.part"):
        if not _runs(int(part.suffixes[-2][1:])):
            part.unlink(missing_ok=True)
    absent = (unit for unit in units if not (keep / unit.file(data)).exists())
    left = sorted(absent, key=lambda unit: -_size(data, unit))
    kept = len(units) - len(left)
    if kept:
        say(f"{kept} of {len(units)} problems were there already")
    began, whole, done = time.monotonic(), sum(_size(data, unit) for unit in left), 0.0
    for number, unit in enumerate(_finished(left, data, keep, workers), 1):
        done += _size(data, unit)
        minutes = (time.monotonic() - began) * (whole / done - 1) / 60
        say(f"{kept + number}/{len(units)} {unit.problem}, seed {unit.seed}; about {minutes:.1f} minutes left")


def _finished(units: list[Unit], data: Path, keep: Path, workers: int) -> Iterator[Unit]:
    if workers == 1:
        for unit in units:
            run_unit(unit, data, keep)
            yield unit
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        pending = {pool.submit(run_unit, unit, data, keep): unit for unit in units}
        for each in as_completed(pending):
            each.result()
            yield pending[each]


def _size(data: Path, unit: Unit) -> float:
    """Give about how much work it is: something, and more with the size of its file."""
    return 20_000.0 + unit.source(data).stat().st_size


def _runs(process: int) -> bool:
    """Tell whether a process is still there, and may be writing."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def read_units(units: list[Unit], data: Path, keep: Path) -> pd.DataFrame:
    """Join the results of all units, in their order."""
    return pd.concat([pd.read_parquet(keep / unit.file(data)) for unit in units], ignore_index=True)
