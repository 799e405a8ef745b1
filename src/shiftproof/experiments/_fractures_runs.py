"""The runs behind Cieslak and Chawla (2007, 2009): eight of their nine sets under every shift of the papers' grid.

Each set is split 50:20:30 into training, validation and test rows, and the test rows are shifted by every feature in
turn. Features are compared with the training rows, scores with those of the validation rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from shiftproof.experiments._cells import cell_seed
from shiftproof.panel import default_models, three_way_split
from shiftproof.robustness import stress
from shiftproof.simulation import Grid
from shiftproof.stats import Reference, hellinger, kolmogorov_smirnov, ks_test

if TYPE_CHECKING:
    from shiftproof.experiments._sources import DataSources

SETS = ("estate", "mammography", "oil", "page", "pendigits", "phoneme", "satimage", "segment")
#: Two and a half years of a bank's calls, in place of Compustat: the test rows are later than the training rows.
NATURAL = "bank"
ALPHA = 0.05
#: The papers' learners: decision tree, naive Bayes, five nearest neighbours, support vector machine.
MODELS = ("tree", "nb", "knn", "svm")
NEIGHBOURS, BOOTSTRAPS = 5, 100
_SATIMAGE_POSITIVE = "4"
_BANK_ROWS = 6000
# Numbers that are known before the call.
_BANK_COLUMNS = ["age", "balance", "day", "campaign", "pdays", "previous"]

#: p-values of the two-sided test, of the papers' one-sided test, and of that of the other side.
KS_TESTS: dict[str, Callable[[Any], float]] = {
    "two-sided": lambda record: kolmogorov_smirnov(record).p_value,
    "one-sided": lambda record: kolmogorov_smirnov(record, method="cieslak-chawla").p_value,
    "other side": lambda record: ks_test(record.n, record.m, record.d_plus, "cieslak-chawla").p_value,
}

Labels = NDArray[np.int64]


def source_of(dataset: str) -> str:
    """Return the file of a data set."""
    return "drift_bank" if dataset == NATURAL else dataset


def load_set(sources: DataSources, dataset: str) -> tuple[pd.DataFrame, Labels]:
    """Return the features of a set, and 1 for its rarer class (of satimage, class 4)."""
    X, label = sources.split(source_of(dataset))
    named = label.astype(str)
    positive = _SATIMAGE_POSITIVE if dataset == "satimage" else named.value_counts().idxmin()
    return X, (named == positive).to_numpy().astype(np.int64)


def split_rows(sources: DataSources, dataset: str, seed: int) -> tuple[pd.DataFrame, Labels, pd.DataFrame, Labels]:
    """Return training rows and test rows with their labels; those of the bank differ by time."""
    X, y = load_set(sources, dataset)
    random = cell_seed(dataset, seed)
    if dataset != NATURAL:
        train, _, test = three_way_split(y, random_state=random)
    else:
        order = np.argsort(X["t"].to_numpy(), kind="stable")
        rng = np.random.default_rng(random)
        early, late = np.array_split(order, 2)
        train = np.sort(rng.choice(early, _BANK_ROWS // 2, replace=False))
        test = np.sort(rng.choice(late, 3 * _BANK_ROWS // 10, replace=False))
        X = X[_BANK_COLUMNS]
    return X.iloc[train], y[train], X.iloc[test].reset_index(drop=True), y[test]


def feature_failures(sources: DataSources, dataset: str, seed: int) -> pd.DataFrame:
    """Compare the training rows with every shifted test set, feature by feature, by each of the KS tests."""
    X, _, X_test, y_test = split_rows(sources, dataset, seed)
    reference = Reference(X, n_jobs=1)
    rows = []
    for shifted in Grid(X_test, y_test, random_state=cell_seed(dataset, seed, "grid")):
        records = reference.compare(shifted.table)
        masked = shifted.changed if shifted.family == "mnar" else None
        if masked is not None:
            del records[masked]  # nothing to compare, and left out of all means
        distances = np.array([hellinger(record) for record in records.values()])
        for test, p_value in KS_TESTS.items():
            failed = {name: bool(p_value(record) < ALPHA) for name, record in records.items()}
            moved = failed[shifted.changed] if shifted.family == "offset" and shifted.changed is not None else None
            rows.append(
                {
                    "test": test,
                    "shift": shifted.label,
                    "family": shifted.family,
                    "feature": "" if shifted.feature is None else str(shifted.feature),
                    "masked": "" if masked is None else str(masked),
                    "failing": float(np.mean(list(failed.values()))),
                    "moved fails": None if moved is None else float(moved),
                    "hellinger": float(distances.mean()),
                    "failed": "\t".join(str(name) for name, fails in failed.items() if fails),
                }
            )
    return pd.DataFrame(rows).assign(features="\t".join(map(str, X.columns)))


def failures_by_class(sources: DataSources, dataset: str, seed: int) -> pd.DataFrame:
    """Compare training and test rows class by class, under shifts of the class proportions."""
    X, y, X_test, y_test = split_rows(sources, dataset, seed)
    references = {code: Reference(X[y == code], n_jobs=1) for code in (0, 1)}
    rows = []
    grid = Grid(X_test, y_test, families=["base", "prior"], random_state=cell_seed(dataset, seed, "grid"))
    for shifted in grid:
        kept = X_test.iloc[shifted.rows]
        labels = y_test[shifted.rows]
        for code, reference in references.items():
            records = reference.compare(kept[labels == code])
            failing = np.mean([kolmogorov_smirnov(record).p_value < ALPHA for record in records.values()])
            rows.append((shifted.label, code, float(failing)))
    return pd.DataFrame(rows, columns=["shift", "class", "failing"])


def paper_models() -> dict[str, Any]:
    """Return the four learners with five neighbours, as in the papers; trees have Laplace's correction."""
    models = default_models(only=list(MODELS))
    models["knn"].set_params(model__n_neighbors=NEIGHBOURS)
    return dict(models)


def score_tests(sources: DataSources, dataset: str, seed: int) -> pd.DataFrame:
    """Test scores (Kruskal-Wallis) and accuracies (Friedman over 100 bootstraps) of four models under every shift."""
    X, y = load_set(sources, dataset)
    found = stress(
        paper_models(), X, y, bootstraps=BOOTSTRAPS, random_state=cell_seed(dataset, seed), n_jobs=1, progress=False
    )
    columns = ["model", "shift", "kruskal_p_mean", "friedman_p_mean", "accuracy", "accuracy_change", "auc"]
    return found.to_frame()[columns]
