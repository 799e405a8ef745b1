"""Seven default classifiers that accept tables of mixed types with missing cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import LinearSVC

from shiftproof.core import Phrase, check_choice, fault
from shiftproof.panel._bayes import MixedNaiveBayes
from shiftproof.panel._laplace import LaplaceTree
from shiftproof.panel._tables import TablePreparer

_MAKERS: dict[str, Callable[[Any], tuple[TablePreparer, Any]]] = {
    "lr": lambda seed: (TablePreparer(), LogisticRegression(max_iter=2000, random_state=seed)),
    "nb": lambda _: (TablePreparer(output="categories", impute=False), MixedNaiveBayes()),
    # Leaves of two rows and more, as in C4.5.
    "tree": lambda seed: (
        TablePreparer(output="codes", impute=False),
        LaplaceTree(min_samples_leaf=2, random_state=seed),
    ),
    # Fewer neighbours give probabilities too coarse to rank rows by.
    "knn": lambda _: (TablePreparer(), KNeighborsClassifier(n_neighbors=15)),
    # The primal problem converges wherever the dual may not.
    "svm": lambda seed: (TablePreparer(), LinearSVC(dual=False, random_state=seed)),
    "forest": lambda seed: (
        TablePreparer(output="codes", impute=False),
        RandomForestClassifier(n_estimators=100, min_samples_leaf=2, random_state=seed),
    ),
    "boost": lambda seed: (
        TablePreparer(output="codes", impute=False),
        # Early stopping would set rows aside at random, and only in tables of more than 10,000 rows.
        HistGradientBoostingClassifier(early_stopping=False, random_state=seed),
    ),
}


def default_models(*, random_state: object = 0, only: Sequence[str] | str | None = None) -> dict[str, Pipeline]:
    """Return seven different classifiers that accept mixed tables with missing values, dates and unseen categories.

    Parameters
    ----------
    random_state : int, RandomState or None
        The random seed of the models that need one.
    only : sequence of str, optional
        The models to return, of ``lr`` (logistic regression), ``nb`` (naive Bayes), ``tree`` (probability-estimation
        tree), ``knn`` (15 nearest neighbours), ``svm`` (linear support vector machine), ``forest`` (random forest) and
        ``boost`` (histogram gradient boosting).

    Returns
    -------
    dict of str to Pipeline
        Unfitted; the first step is a `TablePreparer`.

    Examples
    --------
    >>> list(default_models())
    ['lr', 'nb', 'tree', 'knn', 'svm', 'forest', 'boost']
    >>> default_models(only=["nb"])["nb"]["model"]
    MixedNaiveBayes()
    """
    if not isinstance(only, (Iterable, type(None))):
        raise fault("only", "be a list of names", only, "write only=['lr', 'nb']")
    wanted = list(_MAKERS) if only is None else [only] if isinstance(only, str) else list(only)
    if not wanted:
        raise fault("only", "name at least one model", Phrase("none"), "leave it out to get all seven")
    chosen = {check_choice(name, "only", list(_MAKERS)): _MAKERS[name](random_state) for name in wanted}
    return {name: Pipeline([("table", table), ("model", model)]) for name, (table, model) in chosen.items()}


def prepares_tables(model: object) -> bool:
    """Return whether a model is made like those of `default_models`: a pipeline that prepares its table by itself.

    Examples
    --------
    >>> prepares_tables(default_models()["lr"]), prepares_tables(LogisticRegression())
    (True, False)
    """
    return isinstance(model, Pipeline) and isinstance(model.steps[0][1], TablePreparer)
