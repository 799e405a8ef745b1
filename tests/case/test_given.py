"""What a verb was given becomes a panel and tables, or one sentence about what is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import shiftproof as sp
from shiftproof import InputError
from shiftproof.case import DecisionOptions, Running, is_panel
from shiftproof.case._given import Fitting, Given
from shiftproof.core import InfiniteValues

RUNNING = Running(random_state=0, n_jobs=None, progress=False)
RNG = np.random.default_rng(0)
X = pd.DataFrame({"a": RNG.normal(size=60), "b": RNG.normal(size=60), "who": np.repeat(range(20), 3)})
Y = (X["a"] > 0).to_numpy()


def opened(models: object, *tables: object, **changes: Any) -> Given:
    settings: dict[str, Any] = {
        "names": ("X", "y", "X_new"),
        "required": False,
        "hide": (),
        "whole": None,
        "pos_label": None,
    }
    rows = (*tables, None, None, None)[:3]
    return Given.opened(models, (rows[0], rows[1], rows[2]), **settings | changes)


def test_columns_of_scores_become_a_panel_and_are_hidden() -> None:
    scored = X.assign(p=np.linspace(0.1, 0.9, 60), y=Y)
    given = opened({"m": "p"}, scored, "y", scored)
    assert is_panel(given.models)
    assert given.y is None
    assert given.hidden == {"p", "y"}
    with pytest.raises(InputError, match="X_new must be given with columns of scores; pass the new rows"):
        opened({"m": "p"}, scored, "y", required=True)


def test_named_groups_become_values_and_are_no_feature() -> None:
    given = opened(LogisticRegression(), X, Y).fitted_by(Fitting(groups="who", cv=3, repeats=None), ["b"])
    assert given.hidden == {"who", "b"}
    assert list(given.settings) == ["groups", "cv"]
    assert np.array_equal(given.settings["groups"], X["who"])
    panel = given.panel(given.tables(None, None), DecisionOptions(), None, RUNNING)
    assert panel is not None
    assert panel.groups is not None


def test_own_folds_of_a_verb_give_way_to_those_of_the_caller() -> None:
    own = Fitting(cv=3)
    for settings, folds in ((Fitting(), 3), (Fitting(cv=4), 4)):
        given = opened(LogisticRegression(), X, Y).fitted_by(settings, None)
        panel = given.panel(given.tables(None, None), DecisionOptions(), own, RUNNING)
        assert panel is not None
        assert len(np.unique(panel.folds)) == folds


def test_panel_is_used_as_it_is_and_takes_no_settings() -> None:
    panel = sp.cross_fit(LogisticRegression(), X, Y, cv=3)
    given = opened(panel, X, Y)
    tables = given.tables(None, None)
    assert not tables.modelled
    assert given.panel(tables, DecisionOptions(), None, RUNNING) is panel
    with pytest.raises(InputError, match="cv must be left out with a Panel, got 4; give it to cross_fit"):
        given.fitted_by(Fitting(cv=4), None).panel(tables, DecisionOptions(), None, RUNNING)


def test_models_need_their_tables() -> None:
    for given, missing in (
        (opened(LogisticRegression(), X), "y"),
        (opened(LogisticRegression(), X, Y, required=True), "X_new"),
    ):
        with pytest.raises(InputError, match=f"^{missing} is missing"):
            given.panel(given.tables(None, None), DecisionOptions(), None, RUNNING)
    nothing = opened(None, X)
    assert nothing.panel(nothing.tables(None, None), DecisionOptions(), None, RUNNING) is None


def test_infinite_values_are_named_before_fitting() -> None:
    given = opened(sp.default_models(only=["lr"]), X.assign(a=np.where(Y, np.inf, X["a"])), Y)
    with pytest.warns(InfiniteValues, match="'a'"):
        given.panel(given.tables(None, None), DecisionOptions(), Fitting(cv=3), RUNNING)


def test_columns_that_the_models_of_a_panel_need_cannot_be_excluded() -> None:
    panel = sp.cross_fit(LogisticRegression(), X[["a", "b"]], Y, cv=3)
    with pytest.raises(InputError, match=r"^'b' is excluded, but the panel was made with it; make the panel again "):
        sp.audit(panel, X, Y, X, exclude=["who", "b"])
    scores = sp.Panel.from_scores(Y, {"m": panel.out_of_fold["LogisticRegression"][:, 1]}, new={"m": np.full(60, 0.4)})
    sp.audit(scores, X, Y, X[::-1], exclude=["b"], quick=True)
