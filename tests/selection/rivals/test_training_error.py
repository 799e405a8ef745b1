"""Training errors and bounds of them: by hand, by model, and only where models have seen the rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import shiftproof as sp
from shiftproof.panel import default_models
from shiftproof.selection import RIVALS, rival_scores, structural_risk
from shiftproof.selection.rivals._training_error import vc_dimension

RNG = np.random.default_rng(0)
Y = RNG.integers(2, size=400)
X = RNG.normal(size=(400, 3)) + Y[:, None]
NEW = X[:50] + 0.01
MODELS: dict[str, Any] = {"lr": LogisticRegression(), "tree": DecisionTreeClassifier(random_state=0)}


def guessed(models: Any, rival: Any, table: Any = X, new: Any = NEW) -> dict[str, tuple[float, str]]:
    """Return the accuracy of each model by one rival, and its note."""
    found = rival_scores(models, table, Y, new, rivals=rival, cv=3)
    return {row.model: (row.accuracy, row.note) for row in found.itertuples()}  # type: ignore[misc]


def test_training_accuracy_is_that_of_the_rows_learnt_from() -> None:
    found = guessed(MODELS, "training accuracy")
    assert found["tree"][0] == pytest.approx(1)
    assert found["lr"][0] == pytest.approx(LogisticRegression().fit(X, Y).score(X, Y))
    # Cross-validation knows better which is the better one.
    honest = guessed(MODELS, "cross-validation")
    assert honest["tree"][0] < honest["lr"][0]


@pytest.mark.parametrize(("form", "log_of_capacity"), [("vapnik", math.log(200) + 1), ("printed", math.log(201))])
def test_the_bound_by_hand(form: Any, log_of_capacity: float) -> None:
    rival = structural_risk(form=form, dimensions={"lr": 4})
    error = 1 - LogisticRegression().fit(X, Y).score(X, Y)
    bound = error + math.sqrt((4 * log_of_capacity - math.log(0.05 / 4)) / 400)
    found = guessed(MODELS, rival)
    assert found["lr"][0] == pytest.approx(1 - bound)
    assert found["lr"][1] == ""
    assert found["tree"][0] < 1 - bound
    assert guessed(MODELS, rival.name)["lr"][0] == pytest.approx(1 - bound)


def test_the_printed_bound_is_the_smaller_one() -> None:
    for n, h in ((100, 3), (100, 90), (10_000, 11)):
        printed, vapnik = (sp.stats.vc_bound(0.1, n, h, form=form).bound for form in ("printed", "vapnik"))
        assert printed < vapnik
    with pytest.raises(sp.InputError, match=r"form must be one of 'vapnik', 'printed'; got 'paper'\."):
        sp.stats.vc_bound(0.1, 100, 3, form="paper")  # type: ignore[arg-type]


def test_dimensions_of_fitted_models() -> None:
    counts = np.abs(X)
    for model in (LogisticRegression(), LinearSVC(), SVC(kernel="linear")):
        assert vc_dimension(model.fit(X, Y)) == 3 + 1
    assert vc_dimension(GaussianNB().fit(X, Y)) == 2 * 3 + 1
    assert vc_dimension(MultinomialNB().fit(counts, Y)) == vc_dimension(BernoulliNB().fit(X, Y)) == 4
    # Of three classes a rule for each.
    assert vc_dimension(LogisticRegression().fit(X, np.arange(400) % 3)) == 12
    assert vc_dimension(SGDClassifier(random_state=0).fit(X, Y).sparsify()) == 4
    assert vc_dimension(LogisticRegression().fit(sparse.csr_matrix(X), Y)) == 4
    tree = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0).fit(X, Y)
    assert vc_dimension(tree) == 6
    assert vc_dimension(KNeighborsClassifier().fit(X, Y)) is None
    assert vc_dimension(SVC().fit(X, Y)) is None


def test_default_models_have_a_dimension_or_say_that_there_is_none() -> None:
    table = pd.DataFrame(X, columns=list("abc")).assign(job=RNG.choice(["x", "y", "z"], 400))
    fitted = {name: model.fit(table, Y) for name, model in default_models().items()}
    # The job is two indicators beside the first; of naive Bayes three numbers and their squares.
    assert vc_dimension(fitted["nb"]) == 2 * 3 + 2 + 1
    assert vc_dimension(fitted["lr"]) == vc_dimension(fitted["svm"])
    leaves = vc_dimension(fitted["tree"])
    assert leaves is not None
    assert leaves > 20
    assert [name for name, model in fitted.items() if vc_dimension(model) is None] == ["knn", "forest", "boost"]
    new = table[:40].assign(a=table["a"] + 0.01)
    found = guessed(default_models(only=["nb", "knn"]), "structural risk", table, new)
    note = "no VC dimension below the number of rows is known for 'knn'"
    assert found["nb"][1] == note
    assert found["knn"][1].startswith(f"{note}; cut from -")


def test_select_takes_them_by_name() -> None:
    result = sp.select(MODELS, X, Y, X[:60] + 0.1, method="structural risk", reverse=False, cv=3)
    assert result.best == "lr"
    assert sp.select(MODELS, X, Y, X[:60] + 0.1, method="training accuracy", reverse=False, cv=3).best == "tree"


def test_scores_and_deployed_models_have_no_training_errors() -> None:
    words = "needs models that were fitted on all labelled rows, got none; pass the models instead of a panel."
    fitted = {name: model.fit(X[:200], Y[:200]) for name, model in MODELS.items()}
    panels = [
        sp.Panel.from_scores(Y, {"a": np.full(400, 0.5)}, new={"a": np.full(9, 0.5)}),
        sp.cross_fit(fitted, X[200:], Y[200:], cv="prefit"),
        sp.cross_fit({"nb": GaussianNB()}, X, Y, cv=2, refit=False),
    ]
    for panel in panels:
        with pytest.raises(sp.InputError, match=words):
            RIVALS["structural risk"].check(panel)
    whole = sp.cross_fit({"nb": GaussianNB()}, X, Y, cv=2)
    RIVALS["structural risk"].check(whole)
    with pytest.raises(sp.InputError) as error:
        rival_scores(whole, X_new=X[:50], rivals="training accuracy")
    assert str(error.value) == "training error needs the models and X; pass the models, X and y."
    with pytest.raises(sp.InputError) as error:
        structural_risk(dimensions={"lr": -1})
    assert str(error.value) == "dimensions['lr'] must be a number above 0, got -1; d + 1 for a linear rule."
