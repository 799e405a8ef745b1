"""Quantification in our library and in the peers', in one run: speed, agreement, labels, accuracy.

Usage::

    python benchmarks/quantification.py PEERS_PYTHON [DATA] [--quick]
        [--only speed thesis agreement labels accuracy multiclass] [--write FOLDER]

PEERS_PYTHON is the interpreter of the environment that holds the peers (``make bench`` makes it), DATA a folder with
the data sets named below. The peers' part is in `quantifier_peers.py`, which says how each is run. Exits with 1 where
estimates disagree that should not, or a known difference is not what we say. ``--write`` writes a file for each table.
"""

from __future__ import annotations

import os

# As for the peers, before anything imports NumPy: a spinning BLAS thread would be billed as CPU time.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler

from measure import measure_time
from quantifier_peers import (
    CLIPPED,
    FOLDS,
    KLD_EPSILON,
    LABELS,
    LIBRARIES,
    PREVALENCES,
    QUARTER,
    SIZE,
    THESIS_FOLDS,
    TinySweep,
    classifier,
    join_lists,
)
from ratios import Agreement, Ratio, add_write, save
from shiftproof import quantification as ours
from shiftproof.losses import kld
from shiftproof.panel import TablePreparer
from shiftproof.quantification import METHODS, Labelled, Samples

Array = NDArray[Any]

#: Our name of a method -> our class; the peers' classes for the same names are in `quantifier_peers.py`.
TEN: dict[str, Callable[..., Any]] = {
    "classify and count": ours.ClassifyAndCount,
    "adjusted count": ours.AdjustedCount,
    "probability average": ours.ProbabilityAverage,
    "scaled probability average": ours.ScaledProbabilityAverage,
    "threshold x": ours.ThresholdX,
    "threshold 50": ours.Threshold50,
    "threshold max": ours.ThresholdMax,
    "median sweep": ours.MedianSweep,
    "expectation maximization": ours.ExpectationMaximization,
    "hellinger matching": ours.HellingerMatching,
}
#: Seven small sets of the thesis, for its protocol.
THESIS_SETS = ("acute.a", "haberman", "ionosphere", "iris.2", "sonar", "spectf", "wine.2")
#: Twelve sets of at least 300 rows, two classes.
BINARY_SETS = (
    "breast_w",
    "cmc.1",
    "cmc.2",
    "haberman",
    "hddt_phoneme",
    "hddt_segment",
    "ionosphere",
    "pima",
    "tictactoe",
    "transfusion",
    "vote",
    "wdbc",
)
#: Sets of six to ten classes; digits comes with scikit-learn.
MULTICLASS_SETS = ("digits", "pendigits_multiclass", "satimage_multiclass", "segment_multiclass")
SEEDS = 3
BINARY_REPEATS, BINARY_SIZE = 5, 100
SIMPLEX_SAMPLES, SIMPLEX_SIZE = 50, 200
AGREED = 1e-6
N_RUNS = 3


@dataclass(frozen=True)
class Peers:
    """The peers' interpreter, and the folder through which we speak with it."""

    python: str
    folder: Path

    def store(self, task: str, arrays: Mapping[str, Array]) -> None:
        """Write what a task needs."""
        np.savez(self.folder / f"{task}.npz", **dict(arrays))

    def run(self, name: str, task: str, *more: str) -> tuple[str, Any]:
        """Have one library do a stored task; return its name with version (two words), and what it printed."""
        script = Path(__file__).with_name("quantifier_peers.py")
        command = [self.python, str(script), name, task, str(self.folder), *more]
        finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        line = json.loads(finished.stdout.splitlines()[-1])
        return f"{name} {line['version']}", line["found"]

    def read(self, name: str, task: str) -> dict[str, Array]:
        """Read the arrays that a library wrote."""
        with np.load(self.folder / f"{task}-{name}.npz") as stored:
            return dict(stored)


def load_set(data: Path, name: str) -> tuple[Array, Array]:
    """Return a set as numbers (one-hot, imputed, scaled), and its classes as 0 … k-1."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        return StandardScaler().fit_transform(X), y
    (path,) = [path for path in (data / f"{name}.csv", data / f"{name}.csv.gz") if path.exists()]
    table = pd.read_csv(path)
    label = table.pop("label")
    return TablePreparer().fit(table).transform(table), np.unique(label.astype(str), return_inverse=True)[1]


def title(text: str) -> None:
    """Print a heading."""
    print(f"\n\n{text}\n{'-' * len(text)}")


# Speed: artificial prevalences.


def speed_sets() -> dict[str, tuple[Array, Array, Array, Array]]:
    """Return two sets, halved: features and labels to learn from, then to test."""
    X, y = load_breast_cancer(return_X_y=True)
    made = make_classification(20_000, 20, random_state=0)
    sets = {"made, 20,000 x 20": made, "breast cancer": (StandardScaler().fit_transform(X), y)}
    return {name: (X[::2], y[::2], X[1::2], y[1::2]) for name, (X, y) in sets.items()}


def our_speed(X: Array, y: Array, X_test: Array, y_test: Array, repeats: int) -> float:
    """Return the CPU seconds of fit and evaluation of our ten."""
    protocol = ours.ArtificialPrevalence(size=SIZE, prevalences=PREVALENCES, repeats=repeats)

    def run() -> Any:
        quantifiers = {name: make(classifier()) for name, make in TEN.items()}
        return ours.run_protocol(quantifiers, X, y, protocol, cv=FOLDS, test=(X_test, y_test))

    return _usual_cost(run)


def _usual_cost(run: Callable[[], Any]) -> float:
    """Return the CPU seconds of the middle one of three runs; the peers' are so long that one is enough."""
    return sorted(measure_time(run)[0] for _ in range(N_RUNS))[N_RUNS // 2]


def beside(library: str, task: str, unit: str, ours: float, theirs: float) -> Ratio:
    """Make the ratio to a library that is given by name and version, as `Peers.run` returns them."""
    peer, version = library.rsplit(" ", maxsplit=1)
    return Ratio(task=task, peer=peer, version=version, unit=unit, ours=ours, theirs=theirs)


def show_speed(peers: Peers, *, quick: bool) -> list[Ratio]:
    """Print the cost of ten quantifiers on artificial prevalences, and return the ratios."""
    repeats, ratios = 5 if quick else 100, []
    title(f"Speed: ten quantifiers on {PREVALENCES} prevalences x {repeats} samples of {SIZE} rows, CPU seconds")
    if quick:
        print("QUICK: few repeats, in which our one cross-fit weighs more: the ratios are not those of the full run.")
    for set_name, (X, y, X_test, y_test) in speed_sets().items():
        our_speed(X[:200], y[:200], X_test, y_test, 1)  # compiles
        our_cost = our_speed(X, y, X_test, y_test, repeats)
        peers.store("speed", {"X": X, "y": y, "X_test": X_test, "y_test": y_test})
        found = [peers.run(name, "speed", "--repeats", str(repeats)) for name in ("quapy", "mlquantify")]
        print(f"\n{set_name:30}" + "".join(f"{name:>24}" for name, _ in found))
        print(f"{'':30}" + f"{'fit':>14}{'evaluate':>10}" * len(found))
        for method in TEN:
            print(f"{method:30}" + "".join(f"{costs[method][0]:14.3f}{costs[method][1]:10.3f}" for _, costs in found))
        totals = [sum(map(sum, costs.values())) for _, costs in found]
        nine = [total - max(map(sum, costs.values())) for total, (_, costs) in zip(totals, found, strict=True)]
        flag = " (quick)" * quick
        print(f"{'all ten':30}" + "".join(f"{total:24.3f}" for total in totals))
        print(f"{f'ours, all ten: {our_cost:.3f}':30}" + "".join(f"{f'{t / our_cost:.0f}x{flag}':>24}" for t in totals))
        print(f"{'their nine cheapest':30}" + "".join(f"{f'{t / our_cost:.0f}x{flag}':>24}" for t in nine))
        for words, costs in (("ten quantifiers", totals), ("our ten, their nine cheapest", nine)):
            ratios += [
                beside(library, f"{words}, {PREVALENCES * repeats:,} samples, {set_name}", "CPU s", our_cost, cost)
                for (library, _), cost in zip(found, costs, strict=True)
            ]
    return ratios


# Speed: the thesis's protocol.


def thesis_samples(y: Array, rng: np.random.Generator) -> list[Array]:
    """Under-sample rows to 0, 10, …, 100% of class 1: for each the largest sample that has it."""
    sides = [rng.permutation(np.flatnonzero(y == code)) for code in (0, 1)]
    samples = []
    for share in np.arange(11) / 10:
        bounds = [len(side) / part for side, part in zip(sides, (1 - share, share), strict=True) if part > 0]
        size = int(min(bounds) + 1e-9)
        positive = round(size * share)
        samples.append(np.concatenate([sides[0][: size - positive], sides[1][:positive]]))
    return [rows for rows in samples if len(rows)]


def show_thesis(peers: Peers, data: Path, *, quick: bool) -> list[Ratio]:
    """Print what a quantifier costs in the thesis's protocol, and return the ratios over all sets."""
    title("Speed: the thesis's protocol (10 folds, 11 prevalences, rates by 10 folds), CPU seconds per quantifier")
    names = THESIS_SETS[:2] if quick else THESIS_SETS
    rng = np.random.default_rng(0)
    sets = {name: load_set(data, name) for name in names}
    stored: dict[str, Array] = {}
    for name, (X, y) in sets.items():
        folds = np.empty(len(y), dtype=np.int64)
        for fold, (_, test) in enumerate(StratifiedKFold(THESIS_FOLDS, shuffle=True, random_state=0).split(X, y)):
            folds[test] = fold
            lists = join_lists(thesis_samples(y[test], rng))
            stored |= {f"{name}/{fold}/{key}": value for key, value in lists.items()}
        stored |= {f"{name}/X": X, f"{name}/y": y, f"{name}/folds": folds}
    peers.store("thesis", stored)
    our_thesis(*sets[names[0]], stored[f"{names[0]}/folds"])  # compiles
    nested = {name: our_thesis(*sets[name], stored[f"{name}/folds"]) / len(TEN) for name in names}
    shared = {name: our_thesis(*sets[name], None) / len(TEN) for name in names}
    found = dict(peers.run(name, "thesis") for name in LIBRARIES)
    theirs = {
        library: {name: float(np.mean(list(costs[name].values()))) for name in names}
        for library, costs in found.items()
    }
    ratios = []
    for words, mine in (("the same fits, 11 in each fold", nested), ("our default, 10 fits in all", shared)):
        print(f"\n{f'Ours by {words}':40}{'ours':>10}" + "".join(f"{name:>26}" for name in found))
        for name in [*names, "all"]:
            which = names if name == "all" else [name]
            cost = sum(mine[each] for each in which)
            cells = [sum(costs[each] for each in which) for costs in theirs.values()]
            print(f"{name:40}{cost:10.4f}" + "".join(f"{cell:18.4f}{cell / cost:7.1f}x" for cell in cells))
        # The last line is that of all sets.
        task = f"per quantifier, sum over {len(names)} sets, {words}"
        ratios += [beside(library, task, "CPU s", cost, cell) for library, cell in zip(found, cells, strict=True)]
    print(f"\n{'Each quantifier, over all sets':30}" + "".join(f"{name:>26}" for name in found))
    for method in TEN:
        cells = [sum(costs[name].get(method, np.nan) for name in names) for costs in found.values()]
        print(f"{method:30}" + "".join(f"{cell:26.3f}" for cell in cells).replace("nan", "  -"))
    return ratios


def our_thesis(X: Array, y: Array, folds: Array | None) -> float:
    """Return the CPU seconds of our ten on one set.

    With `folds`, rates are learnt by folds within what each fold leaves, as in the peers. Without, by our default: the
    scores of the other folds' rows are those of the one cross-fit, whose models did see the rows of the fold.
    """

    def run() -> None:
        quantifiers = {method: make(classifier()) for method, make in TEN.items()}
        how: dict[str, Any] = {"protocol": ours.ThesisProtocol(), "cv": THESIS_FOLDS}
        if folds is None:
            ours.run_protocol(quantifiers, X, y, **how)
            return
        for fold in range(THESIS_FOLDS):
            test = folds == fold
            ours.run_protocol(quantifiers, X[~test], y[~test], test=(X[test], y[test]), **how)

    return _usual_cost(run)


# Agreement: the same scores.


def show_agreement(peers: Peers) -> tuple[bool, list[Agreement]]:
    """Print how far QuaPy's estimates are from ours on the same scores; return whether all is as said, and the rows."""
    title("Agreement: QuaPy's estimates against ours, on the same scores")
    X, y = make_classification(2_000, 20, flip_y=0.1, class_sep=0.7, weights=[0.6], random_state=1)
    fitted = ours.AdjustedCount(classifier(), cv=FOLDS).fit(X[::2], y[::2])
    scores, codes = fitted.labelled_.probabilities, fitted.labelled_.codes
    pool = fitted.panel_.apply(X[1::2])[fitted.panel_.names[0]]
    samples = artificial(y[1::2], 20, 200, np.random.default_rng(0))
    peers.store("agreement", {"scores": scores, "y": codes, "pool": pool, "samples": samples})
    version, words = peers.run("quapy", "agreement")
    theirs = peers.read("quapy", "agreement")
    labelled, many = Labelled(scores, codes), Samples.from_matrix(pool, samples)

    def share(name: str, **options: Any) -> Array:
        return np.asarray(METHODS[name].having(**options).learn(labelled).estimate(many)[:, 1])

    sweep = share("median sweep", rates="pooled")
    adjusted, scaled = share("adjusted count", rates="pooled"), share("scaled probability average")
    maximized = share("expectation maximization", calibrate=False, tolerance=1e-13, most_rounds=100_000)
    matched = share("hellinger matching")
    print(f"\n{version}, {len(samples):,} samples of {samples.shape[1]} rows, settings made equal:")
    print(f"{'ours':30}{'theirs':42}{'largest difference':>18}")
    agreements = []
    for name, mine, key, setting in (
        ("classify and count", share("classify and count"), "CC", ""),
        ("adjusted count", adjusted, "ACC exact", "solver='exact-raise'"),
        ("probability average", share("probability average"), "PCC", ""),
        ("scaled probability average", scaled, "PACC exact", "solver='exact-raise'"),
        ("scaled probability average", scaled, "SMM", ""),
        ("threshold x", share("threshold x", rates="pooled"), "X", ""),
        ("threshold max", share("threshold max", rates="pooled"), "MAX", ""),
        ("median sweep", sweep, "MS2 clipped last", ""),
        ("expectation maximization", maximized, "EMQ to the end", "epsilon=1e-13"),
        ("hellinger matching", matched, "HDy of 101", "its search over 101 shares"),
    ):
        far = float(np.abs(mine - theirs[key]).max())
        peer, number = version.rsplit(" ", maxsplit=1)
        agreements.append(Agreement(task=name, peer=f"{peer}, {key}", version=number, difference=far, allowed=AGREED))
        print(f"{name:30}{f'{key} {setting}':42}{far:18.1e}{'' if far <= AGREED else '  MORE THAN ' + str(AGREED)}")

    def far(mine: Array, key: str) -> float:
        return float(np.abs(mine - theirs[key]).max())

    fifty = share("threshold 50", rates="pooled")
    tied = _tied_at_fifty(labelled)
    adjusted_at = {float(cut): _adjusted_at(float(cut), labelled, pool[samples, 1]) for cut in tied}
    lowest, their_cut = float(tied.min()), float(theirs["T50 threshold"])

    print("\nKnown differences, each looked for:")
    as_said = [
        _known(
            "a score of exactly 1/2 is negative (scikit-learn's predict); ours: positive",
            words["tie"],
            words["tie"] == 0 and _count_of_ties() == 1,
        ),
        _known(
            f"MS2 drops thresholds with tpr - fpr of exactly 1/4; ours {_tiny(QUARTER):g}",
            words["quarter"],
            _near(words["quarter"], 0.5) and _near(_tiny(QUARTER), 0.0),
        ),
        _known(
            f"MS2 clips before the median; ours {_tiny(CLIPPED):g}",
            words["clipped first"],
            _near(words["clipped first"], 0.9) and _near(_tiny(CLIPPED), 1.0),
        ),
        _known(
            f"T50 takes any of {len(tied)} thresholds with tpr nearest to 1/2; ours the lowest",
            far(fifty, "T50"),
            np.abs(fifty - adjusted_at[lowest]).max() < AGREED
            and their_cut in adjusted_at
            and far(adjusted_at[their_cut], "T50") < AGREED,
        ),
        _known("MS keeps every threshold with tpr != fpr", far(sweep, "MS"), far(sweep, "MS") > 1e-3),
        _known("ACC solves numerically", far(adjusted, "ACC"), 1e-9 < far(adjusted, "ACC") < 1e-4),
        _known("PACC solves numerically", far(scaled, "PACC"), 1e-9 < far(scaled, "PACC") < 1e-4),
        _known("EMQ ends at 1e-4", far(maximized, "EMQ"), AGREED < far(maximized, "EMQ") < 0.05),
        _known("HDy searches 100 shares: steps of 1/99", far(matched, "HDy"), AGREED < far(matched, "HDy") < 0.02),
        _known(
            f"the divergence of .3 from .5 is smoothed; ours {float(kld(0.3, 0.5)):.6f}",
            words["kld"],
            _near(words["kld"], _smoothed_kld()) and abs(words["kld"] - float(kld(0.3, 0.5))) > 1e-4,
        ),
    ]
    return all(as_said) and all(each.difference <= AGREED for each in agreements), agreements


def _known(what: str, value: float, holds: bool) -> bool:
    print(f"  {what:78}{value:10.2g}  {'as said' if holds else 'NOT AS SAID'}")
    return holds


def _near(value: float, expected: float) -> bool:
    return abs(value - expected) < 1e-9


def _tied_at_fifty(labelled: Labelled) -> Array:
    """Return the thresholds whose tpr is nearest to 1/2, rising."""
    second = labelled.probabilities[:, 1]
    cuts = np.unique(second)
    tpr = (second[labelled.codes == 1] >= cuts[:, None]).mean(axis=1)
    off = np.abs(tpr - 0.5)
    return np.asarray(cuts[off <= off.min() + 1e-12])


def _adjusted_at(cut: float, labelled: Labelled, sampled: Array) -> Array:
    """Return the adjusted count at a threshold in samples of scores, shape (S, m)."""
    said = labelled.probabilities[:, 1] >= cut
    tpr, fpr = said[labelled.codes == 1].mean(), said[labelled.codes == 0].mean()
    return np.clip(((sampled >= cut).mean(axis=1) - fpr) / (tpr - fpr), 0.0, 1.0)


def _tiny(tiny: TinySweep) -> float:
    second = np.array(tiny.sample)
    learned = METHODS["median sweep"].learn(Labelled(*tiny.labelled))
    return float(learned.estimate(Samples.of(np.column_stack([1 - second, second])))[0, 1])


def _count_of_ties() -> float:
    learned = METHODS["classify and count"].learn(Labelled([[0.9, 0.1], [0.1, 0.9]], [0, 1]))
    return float(learned.estimate(Samples.of(np.full((4, 2), 0.5)))[0, 1])


def _smoothed_kld() -> float:
    true, told = ((np.array(p) + KLD_EPSILON) / (1 + 2 * KLD_EPSILON) for p in ([0.3, 0.7], [0.5, 0.5]))
    return float((true * np.log(true / told)).sum())


# Labels of all kinds.


def show_labels(peers: Peers) -> tuple[bool, list[Ratio]]:
    """Print what adjusted count says for labels of five kinds; return whether ours is the same for all, and ratios."""
    title("Labels: the same rows, the same classes, five kinds of labels")
    X, y = make_classification(600, 10, flip_y=0.1, class_sep=0.7, random_state=2)
    X, y, X_test = X[::2], y[::2], X[1::2]
    peers.store("labels", {"X": X, "y": y, "X_test": X_test})
    mine: dict[str, dict[str, Any]] = {}
    for method, make in TEN.items():
        mine[method] = {}
        for kind, pair in LABELS.items():
            quantifier = make(classifier(), cv=StratifiedKFold(FOLDS))  # the folds that the peers have
            mine[method][kind] = float(quantifier.fit(X, np.array(pair)[y]).predict(X_test)[1])
    found = {"shiftproof": mine} | dict(peers.run(name, "labels") for name in LIBRARIES)
    print(f"\nAdjusted count: the share of the second class\n{'':26}" + "".join(f"{kind:>14}" for kind in LABELS))
    for library, answers in found.items():
        cells = answers["adjusted count"].values()
        print(f"{library:26}" + "".join(f"{_answer(cell):>14}" for cell in cells))
    print("\nAll quantifiers: as with 0/1, other, error")
    for library, answers in found.items():
        print(f"{library:26}" + "".join(f"{_tally(answers, kind):>14}" for kind in LABELS))
    print("\nOther answers and errors:")
    for library, answers in found.items():
        for method, cells in answers.items():
            odd = {kind: cell for kind, cell in cells.items() if _differs(cell, cells["0/1"])}
            for words in dict.fromkeys(map(_answer_in_full, odd.values())):
                kinds = ", ".join(kind for kind, cell in odd.items() if _answer_in_full(cell) == words)
                print(f"  {library}, {method}, {kinds}: {words} (0/1: {_answer(cells['0/1'])})")
    ratios = [
        beside(library, "estimates that change or fail", "changed answers", _changed(mine), _changed(answers))
        for library, answers in found.items()
        if answers is not mine
    ]
    return _changed(mine) == 0, ratios


def _changed(answers: Mapping[str, Mapping[str, Any]]) -> float:
    """Return the share of answers to labels that are not 0/1 that differ from those to 0/1, or are errors."""
    changed = [
        _differs(cell, cells["0/1"]) for cells in answers.values() for kind, cell in cells.items() if kind != "0/1"
    ]
    return float(np.mean(changed))


def _differs(cell: float | str, usual: float | str) -> bool:
    return isinstance(cell, str) or isinstance(usual, str) or not abs(cell - usual) < 1e-9


def _answer(cell: float | str) -> str:
    return "error" if isinstance(cell, str) else f"{cell:.6f}"


def _answer_in_full(cell: float | str) -> str:
    return cell if isinstance(cell, str) else f"{cell:.6f}"


def _tally(answers: Mapping[str, Mapping[str, Any]], kind: str) -> str:
    failed = sum(isinstance(cells[kind], str) for cells in answers.values())
    other = sum(_differs(cells[kind], cells["0/1"]) for cells in answers.values()) - failed
    return f"{len(answers) - failed - other}, {other}, {failed}"


# Accuracy: the same samples.


def artificial(y: Array, repeats: int, size: int, rng: np.random.Generator) -> Array:
    """Draw rows, with replacement, for samples of 21 prevalences of class 1, shape (S, size)."""
    sides = [np.flatnonzero(y == code) for code in (0, 1)]
    positives = np.repeat(np.round(np.linspace(0, 1, PREVALENCES) * size).astype(int), repeats)
    return np.array([np.concatenate([rng.choice(sides[0], size - n), rng.choice(sides[1], n)]) for n in positives])


def uniform(y: Array, n_samples: int, size: int, rng: np.random.Generator) -> Array:
    """Draw rows, with replacement, for samples whose prevalences are uniform on the simplex, shape (S, size)."""
    sides = [np.flatnonzero(y == code) for code in range(y.max() + 1)]
    counts = [rng.multinomial(size, rng.dirichlet(np.ones(len(sides)))) for _ in range(n_samples)]
    return np.array(
        [np.concatenate([rng.choice(side, n) for side, n in zip(sides, count, strict=True)]) for count in counts]
    )


def show_accuracy(peers: Peers, data: Path, *, quick: bool) -> list[Ratio]:
    """Print the mean absolute error of every quantifier on two classes; return the ratios to each library's best."""
    repeats = 1 if quick else BINARY_REPEATS
    return _show_errors(
        peers,
        {name: load_set(data, name) for name in (BINARY_SETS[:3] if quick else BINARY_SETS)},
        lambda y, rng: artificial(y, repeats, BINARY_SIZE, rng),
        f"Accuracy, two classes: {PREVALENCES} prevalences x {repeats} samples of {BINARY_SIZE} rows",
    )


def show_multiclass(peers: Peers, data: Path, *, quick: bool) -> list[Ratio]:
    """Print the mean absolute error of every quantifier on more classes; return the ratios to each library's best."""
    samples = 10 if quick else SIMPLEX_SAMPLES
    return _show_errors(
        peers,
        {name: load_set(data, name) for name in (MULTICLASS_SETS[:1] if quick else MULTICLASS_SETS)},
        lambda y, rng: uniform(y, samples, SIMPLEX_SIZE, rng),
        f"Accuracy, more classes: {samples} samples of {SIMPLEX_SIZE} rows, uniform on the simplex",
    )


def _show_errors(
    peers: Peers,
    sets: Mapping[str, tuple[Array, Array]],
    draw: Callable[[Array, np.random.Generator], Array],
    heading: str,
) -> list[Ratio]:
    title(heading)
    stored: dict[str, Array] = {}
    versions: dict[str, str] = {}
    truth: dict[str, Array] = {}
    estimates: dict[tuple[str, str], dict[str, Array]] = {}
    for name, (X, y) in sets.items():
        for seed in range(SEEDS):
            key = f"{name}/{seed}"
            half = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
            samples = draw(half[3], np.random.default_rng(seed))
            stored |= dict(zip((f"{key}/X", f"{key}/X_test", f"{key}/y"), half[:3], strict=True))
            stored[f"{key}/samples"] = samples
            truth[key] = np.eye(y.max() + 1)[half[3]][samples].mean(axis=1)
            for method, found in our_estimates(half[0], half[2], half[1], samples).items():
                estimates.setdefault(("shiftproof", method), {})[key] = found
    peers.store("accuracy", stored)
    for name in LIBRARIES:
        versions[name], answer = peers.run(name, "accuracy")
        failed = answer["failed"]
        for path, found in peers.read(name, "accuracy").items():
            key, _, method = path.rpartition("/")
            estimates.setdefault((name, method), {})[key] = found
        if failed:
            words = next(iter(next(iter(failed.values())).values()))
            listed = ", ".join(f"{method} ({len(where)} of {len(truth)})" for method, where in failed.items())
            print(f"{name}: left out, for they fail: {listed}; the first says: {words}")
    errors = _rank(estimates, truth, list(sets))
    combined = errors["shiftproof", "combined"]
    ratios = []
    for name, library in versions.items():
        method = min((who for who in errors if who[0] == name), key=lambda who: float(errors[who].mean()))[1]
        theirs = errors[name, method]
        more, spread = _difference(theirs, combined)
        task = f"`Combined` against {method}: theirs {more:+.4f} ± {spread:.4f} over {len(sets)} sets"
        ratios.append(beside(library, task, "error", float(combined.mean()), float(theirs.mean())))
    return ratios


def our_estimates(X: Array, y: Array, X_test: Array, samples: Array) -> dict[str, Array]:
    """Return what each of our methods, at its defaults, estimates in each sample."""
    fitted = ours.Combined(classifier()).fit(X, y)
    pool = fitted.panel_.apply(X_test)[fitted.panel_.names[0]]
    many = Samples.from_matrix(pool, samples)
    return {name: method.learn(fitted.labelled_).estimate(many) for name, method in METHODS.items()}


def _rank(
    estimates: Mapping[tuple[str, str], Mapping[str, Array]], truth: Mapping[str, Array], names: Sequence[str]
) -> dict[tuple[str, str], Array]:
    """Print all quantifiers in the order of their errors; return the errors by set."""
    errors: dict[tuple[str, str], Array] = {}
    for who, found in estimates.items():
        if len(found) == len(truth) and all(np.isfinite(values).all() for values in found.values()):
            by_run = {key: float(np.abs(found[key] - truth[key]).mean()) for key in truth}
            errors[who] = np.array([np.mean([by_run[f"{name}/{seed}"] for seed in range(SEEDS)]) for name in names])
    order = sorted(errors, key=lambda who: float(np.mean(errors[who])))
    combined = errors["shiftproof", "combined"]
    print(
        f"\nMean absolute error over {len(names)} sets, {SEEDS} halvings each; how much more than ours combined, with"
    )
    print("its standard error over sets; and in how many sets ours combined is better\n")
    for place, (library, method) in enumerate(order, 1):
        theirs = errors[library, method]
        more, spread = _difference(theirs, combined)
        print(f"{place:3}  {library:18}{method:30}{np.mean(theirs):8.4f}", end="")
        print(f"{more:+10.4f} ± {spread:.4f}{int((theirs > combined).sum()):6}")
    best = next(who for who in order if who[0] != "shiftproof")
    place = order.index(("shiftproof", "combined")) + 1
    print(f"\nOurs combined is number {place} of {len(order)}: {np.mean(combined):.4f}; the peers' best is", end=" ")
    print(f"{' '.join(best)}: {np.mean(errors[best]):.4f}.")
    return errors


def _difference(theirs: Array, ours: Array) -> tuple[float, float]:
    """Return by how much their error is higher on average, and the standard error over sets."""
    more = theirs - ours
    return float(more.mean()), float(more.std(ddof=1) / np.sqrt(len(more))) if len(more) > 1 else float("nan")


TASKS = ("speed", "thesis", "agreement", "labels", "accuracy", "multiclass")

NEED_DATA = {"thesis", "accuracy", "multiclass"}


def main() -> None:
    """Read the command line and print the tables."""
    parser = argparse.ArgumentParser(description="Our quantification against the peers', in one run.")
    parser.add_argument("peers_python")
    parser.add_argument("data", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--quick", action="store_true", help="fewer repeats and sets; ratios are flagged")
    parser.add_argument("--only", nargs="+", choices=TASKS, default=TASKS, metavar="TASK")
    add_write(parser)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # what is said of a fold or a fallback is not what is measured
    quick, fine = arguments.quick, True
    if not arguments.data.is_dir() and NEED_DATA & {*arguments.only}:
        print(f"left out are {', '.join(sorted(NEED_DATA))}: the folder {str(arguments.data)!r} does not exist.")
        arguments.only = [task for task in arguments.only if task not in NEED_DATA]
    with tempfile.TemporaryDirectory() as folder:
        peers, data = Peers(arguments.peers_python, Path(folder)), arguments.data
        tables: dict[str, Callable[[], tuple[bool, Sequence[Ratio | Agreement]]]] = {
            "speed": lambda: (True, show_speed(peers, quick=quick)),
            "thesis": lambda: (True, show_thesis(peers, data, quick=quick)),
            "agreement": lambda: show_agreement(peers),
            "labels": lambda: show_labels(peers),
            "accuracy": lambda: (True, show_accuracy(peers, data, quick=quick)),
            "multiclass": lambda: (True, show_multiclass(peers, data, quick=quick)),
        }
        for task in (task for task in TASKS if task in arguments.only):
            as_said, rows = tables[task]()
            fine &= as_said
            save(
                f"quantification-{task}",
                rows,
                parser,
                arguments,
                script="benchmarks/quantification.py",
                paths=("peers_python", "data"),
                chosen=f"--only {task}",
            )
    sys.exit(0 if fine else 1)


if __name__ == "__main__":
    main()
