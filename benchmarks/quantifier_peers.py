"""Run the quantifiers of one peer: what they cost, and what they say.

Usage::

    python quantifier_peers.py LIBRARY TASK FOLDER [--repeats 100]

with LIBRARY one of ``quapy``, ``mlquantify``, ``quantificationlib``, in the interpreter that has it. The driver
(`quantification.py`) has written ``TASK.npz`` into FOLDER; one line of JSON is printed last on standard output.

``speed``
    The ten quantifiers on artificial prevalences, by the library's own protocol: CPU seconds of fit and of evaluation.
``thesis``
    The ten quantifiers on the stored folds and samples of each data set: CPU seconds per data set.
``accuracy``
    All quantifiers at their defaults on the stored samples; the estimates are written to ``accuracy-LIBRARY.npz``.
``labels``
    The ten quantifiers on the same rows with labels of five kinds: estimates, or the name of the error.
``agreement``
    QuaPy only: estimates from stored scores, written to ``agreement-quapy.npz``.
"""

from __future__ import annotations

import os

# Set before anything imports NumPy: a spinning BLAS thread would be billed as CPU time.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import json
import logging
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from measure import cpu_clock

Array = NDArray[Any]
Arrays = Mapping[str, Array]

# The artificial prevalences of the speed table, the same in every library.
PREVALENCES, SIZE = 21, 500
# What every library uses by default, and ours here, too; the thesis has ten.
FOLDS, THESIS_FOLDS = 5, 10
# Labels of the two classes, by kind; the classes are 0 and 1 in this order wherever labels can be sorted.
LABELS: dict[str, tuple[Any, Any]] = {
    "0/1": (0, 1),
    "-1/1": (-1, 1),
    "1/2": (1, 2),
    "strings": ("no", "yes"),
    "booleans": (False, True),
}


# The additive smoothing of QuaPy's Kullback-Leibler divergence for samples of 100 rows.
KLD_EPSILON = 1 / 200


@dataclass(frozen=True)
class TinySweep:
    """An example for median sweep: the scores of the second class for rows of each class, and for a sample."""

    negative: tuple[float, ...]
    positive: tuple[float, ...]
    sample: tuple[float, ...]

    @property
    def labelled(self) -> tuple[Array, Array]:
        """The labelled scores, shape (n, 2), and the classes."""
        codes = np.repeat([0, 1], [len(self.negative), len(self.positive)])
        return _scores((*self.negative, *self.positive)), codes


# tpr - fpr is 1/4 at the thresholds .3 and .4, 1/2 at .9; the adjusted counts there are -1, 0 and 1/2.
QUARTER = TinySweep((0.1, 0.2, 0.3, 0.4), (0.1, 0.3, 0.9, 0.9), (0.2, 0.2, 0.2, 0.95))
# Two thresholds remain, .2 and .3, where the adjusted counts are .8 and 1.2.
CLIPPED = TinySweep((0.1,) * 4, (0.2, 0.2, 0.3, 0.3), (0.1, 0.1, 0.2, 0.2, *(0.3,) * 6))


def _scores(second: Sequence[float]) -> Array:
    return np.column_stack([1 - np.array(second), second])


def classifier() -> LogisticRegression:
    """Return what is underneath every quantifier."""
    return LogisticRegression()


@dataclass(frozen=True, kw_only=True)
class Library:
    """How the quantifiers of one library are made and used.

    Attributes
    ----------
    ten : mapping of str to function of the number of folds
        Makes the nearest equivalent of each of our ten.
    defaults : mapping of str to function
        Makes every quantifier upon a classifier, at its defaults.
    fit : function of a quantifier, X and y
        Returns what can estimate.
    evaluate : function of what was fitted, X, y and the repeats
        Runs the library's own protocol of artificial prevalences.
    estimate : function of what was fitted, X and lists of rows
        Returns the prevalences in each sample, shape (S, k).
    """

    ten: Mapping[str, Callable[[int], Any]]
    defaults: Mapping[str, Callable[[], Any]]
    fit: Callable[[Any, Array, Array], Any]
    evaluate: Callable[[Any, Array, Array, int], Any] | None
    estimate: Callable[[Any, Array, Sequence[Array]], Array]


def quapy() -> Library:
    """Prepare QuaPy: its evaluation classifies a pool once and aggregates the predictions of each sample."""
    import quapy as qp
    from quapy.data import LabelledCollection
    from quapy.method import aggregative as methods
    from quapy.protocol import APP

    def evaluate(fitted: Any, X: Array, y: Array, repeats: int) -> float:
        protocol = APP(LabelledCollection(X, y), sample_size=SIZE, n_prevalences=PREVALENCES, repeats=repeats)
        return float(qp.evaluation.evaluate(fitted, protocol, "mae"))

    def estimate(fitted: Any, X: Array, samples: Sequence[Array]) -> Array:
        scores = fitted.classify(X)
        return np.array([fitted.aggregate(scores[rows]) for rows in samples])

    def made(name: str) -> Callable[[int], Any]:
        kind = getattr(methods, name)
        # These three learn nothing from held-out rows: no folds by default.
        plain = name in {"CC", "PCC", "EMQ"}
        return lambda folds: kind(classifier()) if plain else kind(classifier(), val_split=folds)

    # All that aggregate predictions, but for the Bayesian ones, which need further packages.
    names = "CC ACC PCC PACC BBSEhard BBSEsoft RLLS EMQ HDy DyS SMM X T50 MAX MS MS2 DMy EDy KDEyML KDEyCS KDEyHD LEIP"
    defaults: dict[str, Callable[[], Any]] = {name: partial(_at_defaults, methods, name) for name in names.split()}
    defaults["EMQ_BCTS"] = lambda: methods.EMQ.EMQ_BCTS(classifier())
    # By default it raises where the calibration fails, which would leave it out of the table.
    defaults["EMQ_BCTS backup"] = lambda: methods.EMQ.EMQ_BCTS(classifier(), on_calib_error="backup")
    ours = {
        "classify and count": "CC",
        "adjusted count": "ACC",
        "probability average": "PCC",
        "scaled probability average": "PACC",
        "threshold x": "X",
        "threshold 50": "T50",
        "threshold max": "MAX",
        "median sweep": "MS",
        "expectation maximization": "EMQ",
        "hellinger matching": "HDy",
    }
    return Library(
        ten={name: made(theirs) for name, theirs in ours.items()},
        defaults=defaults,
        fit=lambda quantifier, X, y: quantifier.fit(X, y),
        evaluate=evaluate,
        estimate=estimate,
    )


def mlquantify() -> Library:
    """Prepare mlquantify: its `apply_protocol` predicts sample by sample."""
    from mlquantify import counting, likelihood, matching
    from mlquantify.model_selection import apply_protocol

    def evaluate(fitted: Any, X: Array, y: Array, repeats: int) -> Any:
        sizes = {"batch_size": SIZE, "n_prevalences": PREVALENCES, "repeats": repeats}
        return apply_protocol(fitted, X, y, "app", scoring="mae", fit=False, random_state=0, **sizes)

    def estimate(fitted: Any, X: Array, samples: Sequence[Array]) -> Array:
        return np.array([_prevalences(fitted.predict(X[rows])) for rows in samples])

    def made(module: Any, name: str) -> Callable[[int], Any]:
        kind = getattr(module, name)
        # These three take no folds (EMQ always makes five).
        plain = name in {"CC", "PCC", "EMQ"}
        return lambda folds: kind(classifier()) if plain else kind(classifier(), cv=folds)

    names = {
        counting: "CC PCC ACC TAC TX TMAX T50 MS MS2 FM GACC GPACC",
        likelihood: "EMQ CDE MLPE",
        matching: "DyS HDy SORD SMM KDEyML KDEyHD KDEyCS GKDEyML GHDy EDy",
    }
    ours = {
        "classify and count": (counting, "CC"),
        "adjusted count": (counting, "ACC"),
        "probability average": (counting, "PCC"),
        "scaled probability average": (counting, "GPACC"),
        "threshold x": (counting, "TX"),
        "threshold 50": (counting, "T50"),
        "threshold max": (counting, "TMAX"),
        "median sweep": (counting, "MS"),
        "expectation maximization": (likelihood, "EMQ"),
        "hellinger matching": (matching, "HDy"),
    }
    return Library(
        ten={name: made(*theirs) for name, theirs in ours.items()},
        defaults={
            name: partial(_at_defaults, module, name) for module, listed in names.items() for name in listed.split()
        },
        fit=lambda quantifier, X, y: quantifier.fit(X, y),
        evaluate=evaluate,
        estimate=estimate,
    )


@dataclass(frozen=True)
class Supplied:
    """A quantifier of quantificationlib that is handed predictions, and what they are made with."""

    quantifier: Any
    folds: int
    model: Any = None


def quantificationlib() -> Library:
    """Prepare quantificationlib, which has no thresholds and no protocol: predictions are handed to it.

    Its own `CV_estimator` does not run with scikit-learn 1.9 (it passes ``fit_params``); handing over the
    predictions is the other way that its documentation gives. It is left out of the speed table.
    """
    from quantificationlib.baselines import ac, cc
    from quantificationlib.binary import debias, emd
    from quantificationlib.multiclass import df, em, energy, friedman

    def fit(supplied: Supplied, X: Array, y: Array) -> Supplied:
        quantifier = supplied.quantifier
        scores = None
        if quantifier.needs_predictions_train:
            scores = cross_val_predict(classifier(), X, y, cv=supplied.folds, method="predict_proba")
        return Supplied(quantifier.fit(X, y, predictions_train=scores), supplied.folds, classifier().fit(X, y))

    def estimate(fitted: Supplied, X: Array, samples: Sequence[Array]) -> Array:
        scores = fitted.model.predict_proba(X)
        return np.array(
            [np.ravel(fitted.quantifier.predict(X[rows], predictions_test=scores[rows])) for rows in samples]
        )

    ours = {
        "classify and count": cc.CC,
        "adjusted count": ac.AC,
        "probability average": cc.PCC,
        "scaled probability average": ac.PAC,
        "expectation maximization": em.EM,
        "hellinger matching": df.HDy,
    }
    # QUANTy is left out: it needs 0.3 s for each sample.
    more = [df.DFy, df.MMy, energy.EDy, energy.CvMy, friedman.FriedmanME, debias.DeBias, emd.SORDy]
    kinds = {kind.__name__: kind for kind in [*ours.values(), *more]}
    return Library(
        ten={name: partial(lambda kind, folds: Supplied(kind(), folds), kind) for name, kind in ours.items()},
        defaults={name: partial(lambda kind: Supplied(kind(), FOLDS), kind) for name, kind in kinds.items()},
        fit=fit,
        evaluate=None,  # it has bags, but no evaluation over them
        estimate=estimate,
    )


LIBRARIES: dict[str, Callable[[], Library]] = {
    "quapy": quapy,
    "mlquantify": mlquantify,
    "quantificationlib": quantificationlib,
}


def _at_defaults(module: Any, name: str) -> Any:
    return getattr(module, name)(classifier())


def _prevalences(answer: Any) -> list[float]:
    return list(answer.values()) if isinstance(answer, dict) else list(answer)


def join_lists(lists: Sequence[Array]) -> dict[str, Array]:
    """Write lists of rows as two flat arrays, as they are stored."""
    return {"rows": np.concatenate(lists), "offsets": np.cumsum([0, *map(len, lists)])}


def split_lists(rows: Array, offsets: Array) -> list[Array]:
    """Undo `join_lists`."""
    return np.split(rows, offsets[1:-1])


def run_speed(library: Library, data: Arrays, repeats: int) -> dict[str, Any]:
    """Return the CPU seconds of fit and of evaluation for each quantifier."""
    X, y, X_test, y_test = (data[name] for name in ("X", "y", "X_test", "y_test"))
    costs = {}
    for name, make in library.ten.items():
        library.evaluate(library.fit(make(FOLDS), X[:200], y[:200]), X_test, y_test, 1)  # pays for imports and caches
        start = cpu_clock()
        fitted = library.fit(make(FOLDS), X, y)
        middle = cpu_clock()
        library.evaluate(fitted, X_test, y_test, repeats)
        costs[name] = (middle - start, cpu_clock() - middle)
    return costs


def run_thesis(library: Library, data: Arrays) -> dict[str, Any]:
    """Return the CPU seconds of each quantifier for each data set: each is fitted in each fold, as they are made."""
    names = sorted({key.split("/")[0] for key in data})
    costs: dict[str, dict[str, float]] = {}
    for name in names:
        X, y, folds = (data[f"{name}/{key}"] for key in ("X", "y", "folds"))
        for method, make in library.ten.items():
            library.fit(make(THESIS_FOLDS), X, y)  # pays for imports and caches
            start = cpu_clock()
            for fold in range(folds.max() + 1):
                samples = split_lists(data[f"{name}/{fold}/rows"], data[f"{name}/{fold}/offsets"])
                train, test = folds != fold, folds == fold
                library.estimate(library.fit(make(THESIS_FOLDS), X[train], y[train]), X[test], samples)
            costs.setdefault(name, {})[method] = cpu_clock() - start
    return costs


def run_accuracy(library: Library, data: Arrays, target: Path) -> dict[str, Any]:
    """Write the estimates of every quantifier at its defaults; return the errors and the CPU seconds of each."""
    names = sorted({key.rpartition("/")[0] for key in data})
    found: dict[str, Array] = {}
    failed: dict[str, dict[str, str]] = {}
    seconds = dict.fromkeys(library.defaults, 0.0)
    for name in names:
        X, y, X_test, samples = (data[f"{name}/{key}"] for key in ("X", "y", "X_test", "samples"))
        for method, make in library.defaults.items():
            start = cpu_clock()
            try:
                estimates = library.estimate(library.fit(make(), X, y), X_test, samples)
                found[f"{name}/{method}"] = np.asarray(estimates, dtype=np.float64)
            except Exception as error:
                failed.setdefault(method, {})[name] = _in_words(error)
            seconds[method] += cpu_clock() - start
    np.savez(target, **found)
    return {"failed": failed, "seconds": seconds}


def run_labels(library: Library, data: Arrays) -> dict[str, Any]:
    """Return the share of the second class that each quantifier estimates, or its error, for each kind of labels."""
    X, y, X_test = (data[name] for name in ("X", "y", "X_test"))
    answers: dict[str, dict[str, float | str]] = {}
    for method, make in library.ten.items():
        answers[method] = {}
        for kind, pair in LABELS.items():
            labels = np.array(pair)[y]
            try:
                estimates = library.estimate(library.fit(make(FOLDS), X, labels), X_test, [np.arange(len(X_test))])
                answers[method][kind] = float(np.asarray(estimates, dtype=np.float64).reshape(1, -1)[0, 1])
            except Exception as error:
                answers[method][kind] = _in_words(error)
    return answers


def _in_words(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:100]}"


class Scored(ClassifierMixin, BaseEstimator):
    """A classifier whose rows are scores already: QuaPy then aggregates just these."""

    def __init__(self) -> None:
        self.classes_ = np.array([0, 1])

    def fit(self, X: Array, y: Array) -> Scored:  # noqa: ARG002 - QuaPy asks for the method
        """Do nothing."""
        return self

    def predict_proba(self, X: Array) -> Array:
        """Return the rows."""
        return X

    def decision_function(self, X: Array) -> Array:
        """Return the score of the second class."""
        return X[:, 1]

    def predict(self, X: Array) -> Array:
        """Return the likelier class."""
        return X.argmax(axis=1)


def run_agreement(data: Arrays, target: Path) -> dict[str, Any]:
    """Write QuaPy's estimates from stored scores, at its defaults and with settings made equal to ours."""
    import quapy as qp
    from quapy import functional
    from quapy.method import aggregative as methods

    scores, y, pool, samples = (data[name] for name in ("scores", "y", "pool", "samples"))

    def fitted(name: str, **options: Any) -> Any:
        if name not in {"CC", "PCC"}:
            options["val_split"] = None
        return getattr(methods, name)(Scored(), fit_classifier=False, **options).fit(scores, y)

    def shares(quantifier: Any, **options: Any) -> Array:
        seen = quantifier.classify(pool)
        return np.array([quantifier.aggregate(seen[rows], **options)[1] for rows in samples])

    found = {name: shares(fitted(name)) for name in ("CC", "ACC", "PCC", "PACC", "SMM", "MS", "MS2", "EMQ", "HDy")}
    found |= {name: shares(fitted(name)) for name in ("X", "T50", "MAX")}
    found["T50 threshold"] = np.array(fitted("T50").threshold)
    found["ACC exact"] = shares(fitted("ACC", solver="exact-raise"))
    found["PACC exact"] = shares(fitted("PACC", solver="exact-raise"))
    found["MS2 clipped last"] = _clipped_last(fitted("MS2"), pool, samples)
    methods.EMQ.MAX_ITER = 100_000
    found["EMQ to the end"] = shares(fitted("EMQ"), epsilon=1e-13)
    functional.linear_search = _search_101
    found["HDy of 101"] = shares(fitted("HDy"))
    np.savez(target, **found)
    tied = methods.CC(LogisticRegression(fit_intercept=False)).fit(np.array([[-1.0], [1.0]]), np.array([0, 1]))
    return {
        "tie": float(tied.predict(np.zeros((4, 1)))[1]),
        "quarter": _tiny_sweep(methods, QUARTER),
        "clipped first": _tiny_sweep(methods, CLIPPED),
        "kld": float(qp.error.kld(np.array([0.3, 0.7]), np.array([0.5, 0.5]), eps=KLD_EPSILON)),
    }


def _clipped_last(sweep: Any, pool: Array, samples: Array) -> Array:
    """Give the median of the unclipped adjusted counts over QuaPy's own thresholds and rates, then clipped."""
    shares = []
    for rows in samples:
        counts = np.mean(pool[rows, 1][:, None] >= sweep.thresholds, axis=0)
        shares.append(np.median((counts - sweep.fprs) / (sweep.tprs - sweep.fprs)))
    return np.clip(shares, 0.0, 1.0)


def _search_101(loss: Callable[[Array], float], n_classes: int) -> Array:  # noqa: ARG001 - QuaPy passes it
    """Search as QuaPy does, over 101 points in place of 100."""
    grid = np.arange(101) / 100
    best = grid[np.argmin([loss(np.array([1 - share, share])) for share in grid])]
    return np.array([1 - best, best])


def _tiny_sweep(methods: Any, tiny: TinySweep) -> float:
    """Give what MS2 says of an example that can be computed by hand."""
    sweep = methods.MS2(Scored(), fit_classifier=False, val_split=None).fit(*tiny.labelled)
    return float(sweep.predict(_scores(tiny.sample))[1])


def run(name: str, task: str, folder: Path, repeats: int) -> dict[str, Any]:
    """Do one task and return what is to be printed."""
    with np.load(folder / f"{task}.npz") as stored:
        data = dict(stored)
    target = folder / f"{task}-{name}.npz"
    if task == "agreement":
        return run_agreement(data, target)
    library = LIBRARIES[name]()
    if task == "speed":
        return run_speed(library, data, repeats)
    if task == "thesis":
        return run_thesis(library, data)
    if task == "labels":
        return run_labels(library, data)
    return run_accuracy(library, data, target)


def main() -> None:
    """Read the command line and print the result as one line."""
    parser = argparse.ArgumentParser(description="Run the quantifiers of one peer.")
    parser.add_argument("name", choices=sorted(LIBRARIES))
    parser.add_argument("task", choices=("speed", "thesis", "accuracy", "labels", "agreement"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=100)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # the peers' notices are not what is measured
    logging.disable(logging.WARNING)  # mlquantify writes a line for every sample drawn with replacement
    found = run(arguments.name, arguments.task, arguments.folder, arguments.repeats)
    print(json.dumps({"version": version(arguments.name), "found": found}))


if __name__ == "__main__":
    main()
